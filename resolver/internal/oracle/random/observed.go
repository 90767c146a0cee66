package random

import (
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/resolvent/resolvent/resolver/internal/oracle"
)

// Observed is a random Problem with what OLM may state of it: phases, conditions and
// InstallPlans, and now and then a catalog whose source failed. The same seed gives the
// same one.
func Observed(seed uint64) *oracle.Problem {
	g := &generator{Rand: rand.New(rand.NewPCG(seed, 8)), p: Problem(seed)}
	g.p.NamedUpdates = true // as Status judges
	for i := range g.p.Catalogs {
		g.p.Catalogs[i].Down = g.chance(0.04)
	}
	for i := range g.p.Installed {
		if g.chance(0.2) {
			g.phase(&g.p.Installed[i])
		}
	}
	slices.SortFunc(g.p.Installed, func(a, b oracle.Installed) int { return strings.Compare(a.Name, b.Name) })
	for range g.IntN(3) {
		plan := oracle.Plan{
			Name: "install-" + pick(g, []string{"a", "b", "c"}), Approved: g.chance(0.3),
			Phase: pick(g, []string{"RequiresApproval", "RequiresApproval", "RequiresApproval", "Installing", "Complete", "Failed"}),
		}
		for range 1 + g.IntN(3) {
			plan.CSVs = append(plan.CSVs, g.bundleName(pick(g, packageNames[:4])))
		}
		slices.Sort(plan.CSVs)
		if plan.CSVs = slices.Compact(plan.CSVs); !slices.ContainsFunc(g.p.Plans, func(known oracle.Plan) bool { return known.Name == plan.Name }) {
			g.p.Plans = append(g.p.Plans, plan)
		}
	}
	for i := range g.p.Subscriptions {
		s := &g.p.Subscriptions[i]
		if g.chance(0.5) {
			s.Plan = "install-" + pick(g, []string{"a", "b", "c"})
		}
		if g.chance(0.4) {
			s.CurrentCSV = g.bundleName(s.Package)
		}
		if g.chance(0.4) {
			s.State = pick(g, []string{"UpgradeAvailable", "UpgradePending", "AtLatestKnown", "UpgradePending", "AtLatestKnown", "UpgradeFailed"})
		}
		for g.chance(0.25) {
			c := oracle.Condition{Type: pick(g, Conditions), Status: pick(g, []string{"True", "False", "Unknown"})}
			if !slices.ContainsFunc(s.Conditions, func(known oracle.Condition) bool { return known.Type == c.Type }) {
				s.Conditions = append(s.Conditions, c)
			}
		}
	}
	for _, s := range g.p.Subscriptions {
		if gone := func(i oracle.Installed) bool { return i.Name == s.InstalledCSV }; g.chance(0.1) {
			g.p.Installed = slices.DeleteFunc(g.p.Installed, gone)
		}
	}
	return g.p
}

// Limited is a random Problem in which some bundles are limited to an OpenShift that is older
// than the cluster's. The same seed gives the same one.
func Limited(seed uint64) *oracle.Problem {
	g := &generator{Rand: rand.New(rand.NewPCG(seed, 10)), p: Problem(seed)}
	g.p.TooNew, g.p.Enforced = g.chance(0.9), g.chance(0.6)
	for i := range g.p.Catalogs {
		for j := range g.p.Catalogs[i].Bundles {
			g.p.Catalogs[i].Bundles[j].Limited = g.chance(0.3)
		}
	}
	for i := range g.p.Installed {
		g.p.Installed[i].Limited = g.chance(0.3)
	}
	return g.p
}

// Forward is a random Problem in which an update of what is installed failed halfway, so that the
// bundle before it counts, too, unless the OperatorGroup fails forward. The same seed gives the
// same one.
func Forward(seed uint64) *oracle.Problem {
	g := &generator{Rand: rand.New(rand.NewPCG(seed, 14)), p: Problem(seed)}
	if g.p.Group == nil {
		g.p.Group = &oracle.Group{Namespace: g.p.Namespace}
	}
	g.p.Group.FailForward = g.chance(0.2)
	for i := range g.p.Installed {
		if failed := &g.p.Installed[i]; failed.LeftOut == "" && g.chance(0.7) {
			before := *failed
			before.Name, before.Version, before.PackageVersion, before.LeftOut = failed.Name+"-before", "0.0.1", "0.0.1", "failed"
			failed.Phase, failed.Replaces = "Failed", before.Name
			g.p.Installed = append(g.p.Installed, before)
			break
		}
	}
	return g.p
}

// phase gives an installed bundle a phase, and now and then makes it one that OLM puts in the
// place of another one, of which the operator may refuse that.
func (g *generator) phase(i *oracle.Installed) {
	i.Phase = pick(g, []string{"Failed", "Failed", "Pending", "Pending", "Pending", "InstallReady", "Installing", "Installing", "Unknown", "Replacing"})
	if reasons := Reasons[i.Phase]; len(reasons) > 0 && g.chance(0.9) {
		i.Reason = pick(g, reasons)
	}
	switch {
	case i.Phase == "Failed" || i.Phase == "Replacing" || i.LeftOut != "":
	case g.chance(0.1):
		i.Replaces = i.Name
	case g.chance(0.6):
		i.Replaces = i.Name + "-before"
		if g.chance(0.5) {
			g.p.Held = append(g.p.Held, i.Replaces)
		}
		g.p.Installed = append(g.p.Installed, oracle.Installed{Name: i.Replaces, Version: "0.0.1", Annotated: true, LeftOut: "replaced"})
	}
}

// Reasons are those that OLM states with the phases of a ClusterServiceVersion.
var Reasons = map[string][]string{
	"Pending":      {"RequirementsUnknown", "RequirementsNotMet", "OperatorConditionNotUpgradeable", "NeedsReinstall", "NeedsCertRotation", "APIServiceResourcesNeedReinstall", "DetectedClusterChange"},
	"InstallReady": {"AllRequirementsMet"},
	"Installing":   {"InstallSucceeded", "InstallWaiting"},
	"Succeeded":    {"InstallSucceeded", "Copied"},
	"Failed": {
		"RequirementsNotMet", "OwnerConflict", "InstallComponentFailed", "InstallComponentFailedNoRetry", "InvalidInstallStrategy", "InstallCheckFailed", "ComponentUnhealthy",
		"APIServiceResourceIssue", "APIServiceInstallFailed", "InvalidInstallModes", "InvalidWebhookDescription", "NoTargetNamespaces", "UnsupportedOperatorGroup",
		"NoOperatorGroup", "TooManyOperatorGroups", "InterOperatorGroupOwnerConflict", "CannotModifyStaticOperatorGroupProvidedAPIs",
	},
	"Unknown":   nil,
	"Replacing": {"BeingReplaced"},
	"Deleting":  {"Replaced", "WaitingOnCleanup"},
}

// Conditions are the types of those of a Subscription.
var Conditions = []string{
	"BundleUnpackFailed", "InstallPlanFailed", "InstallPlanMissing", "InstallPlanPending", "BundleUnpacking", "ResolutionFailed", "CatalogSourcesUnhealthy",
}
