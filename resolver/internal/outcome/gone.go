package outcome

import (
	"cmp"
	"slices"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/inventory"
	"github.com/resolvent/resolvent/resolver/internal/model"
	"github.com/resolvent/resolvent/resolver/internal/reason"
	"github.com/resolvent/resolvent/resolver/internal/words"
	"github.com/resolvent/resolvent/resolver/result"
)

// Gone returns what OLM does not state of a row whose Subscription names as installed what is not
// there, or is only a copy: OLM makes an InstallPlan only for what is new to the Subscription, and
// only once it resolves the namespace. It has no State if that is not so, or not known.
func Gone(known *cluster.Index, row *result.Status, manual bool) (report Report) {
	s, n := known.Subscription(row.Request), known.In(row.Request.Namespace)
	comes := row.State == result.StateNotInstalled && row.Next != ""
	lost := s != nil && s.InstalledCSV == "" && comes && lostPlan(n, s) && (row.Next == s.Observed.CurrentCSV || !resolvesNow(n))
	if s == nil || !lost && (s.InstalledCSV == "" || !csvsGiven(known, n)) || row.State != result.StateWaiting && !comes {
		return report
	}
	object := result.Object{Kind: words.ObjectSubscription, Namespace: s.Namespace, Name: s.Name}
	var is reason.Lost
	f := result.Fix{Changes: []result.Change{{Object: object, Steps: []result.Step{{Object: object}}}}, Class: result.ClassSafe, Approval: manual}
	next := result.Version{Bundle: catalog.BundleKey{Package: row.Package, Name: row.Next}}
	if next.Bundle.Name != cmp.Or(s.Observed.CurrentCSV, s.InstalledCSV) {
		is.Next = row.Next
	}
	report = Report{State: result.StateUnhealthy, Fixes: []result.Fix{f}}
	switch v := inventory.CSV(n, s.InstalledCSV); {
	case v == nil && row.State == result.StateWaiting:
		is.Waits, report.Fixes = words.Mapped(row.WaitsFor(), func(k cluster.RequestKey) string { return k.Name }), nil
		if len(is.Waits) == 0 {
			return Report{} // what is installed contradicts itself, which the row says
		}
	case v == nil && is.Next != "" && resolvesNow(n):
		report.Fixes = nil
		if !manual {
			report.Repair = &result.Repair{Kind: words.RepairGoesOn, Object: object, Namespace: s.Namespace}
		}
	case v == nil:
		if is.Next != "" {
			is.Plan = s.Observed.InstallPlan
		}
		made := *s
		made.InstalledCSV, made.Observed = "", cluster.Observed{}
		f.Changes[0].Steps = append(f.Changes[0].Steps, result.Step{Object: object, Create: &cluster.Objects{Subscriptions: []cluster.Subscription{made}}})
		f.Then.Installs, f.Approval = []result.Version{next}, s.Manual
		report.Fixes = []result.Fix{f}
	case inventory.Copied(v) && v.Annotations[words.AnnotationOperatorNamespace] != "":
		is.Namespace = v.Annotations[words.AnnotationOperatorNamespace]
		f.Class, f.GivesUp = result.ClassGivesUp, []cluster.RequestKey{row.Request}
		if g := inventory.GroupOf(known, is.Namespace); g != nil && g.Everywhere() {
			f.Cautions = []result.Caution{{Kind: words.CautionServes, Names: []string{is.Namespace + "/" + v.Name}}}
		}
		report.Fixes = []result.Fix{f}
	default:
		return Report{}
	}
	if lost {
		report.Why = model.Fact(reason.PlanLost(s.Observed.InstallPlan, row.Request, is))
	} else {
		report.Why = model.Fact(reason.InstalledGone(s.InstalledCSV, row.Request, is))
	}
	return report
}

// lostPlan reports whether a Subscription waits for an InstallPlan that is not there, and OLM neither makes
// another one nor resolves for it (operator-lifecycle-manager v0.46.0: nothingToUpdate). It does so if it has
// stated something of the plan, as InstallPlanNotFound clears the reference together with that condition.
func lostPlan(n *cluster.NamespaceObjects, s *cluster.Subscription) bool {
	stated := func(c cluster.Condition) bool { return c.Type == "InstallPlanPending" || c.Type == "InstallPlanFailed" }
	if slices.ContainsFunc(s.Observed.Conditions, stated) {
		return false
	}
	if s.Observed.State != "UpgradePending" || s.Observed.InstallPlan == "" || inventory.CSV(n, s.Observed.CurrentCSV) != nil {
		return false
	}
	missing := func(c cluster.Condition) bool { return c.Type == "InstallPlanMissing" && c.Status == "True" }
	given := len(n.InstallPlans) > 0 && inventory.Named(n.InstallPlans, s.Observed.InstallPlan, func(p *cluster.InstallPlan) string { return p.Name }) == nil
	return given || slices.ContainsFunc(s.Observed.Conditions, missing)
}

// csvsGiven reports whether the ClusterServiceVersions of a namespace are known: it has some, or only
// others have.
func csvsGiven(known *cluster.Index, n *cluster.NamespaceObjects) bool {
	return len(n.CSVs) > 0 || slices.ContainsFunc(known.Namespaces(), func(name string) bool { return len(known.In(name).CSVs) > 0 })
}

// resolvesNow reports whether OLM resolves a namespace: it does not while each Subscription names
// an InstallPlan, and waits for the ClusterServiceVersion that this is to bring.
func resolvesNow(n *cluster.NamespaceObjects) bool {
	return slices.ContainsFunc(n.Subscriptions, func(s cluster.Subscription) bool {
		waits := s.Observed.State == "UpgradePending"
		if s.Observed.CurrentCSV != "" {
			waits = inventory.CSV(n, s.Observed.CurrentCSV) == nil
		}
		return !waits || s.Observed.InstallPlan == ""
	})
}

// Forgotten returns what OLM states of a ClusterServiceVersion that no Subscription of its
// namespace has, and that fails or waits. It has no State if it works, or if it is part of an update.
func Forgotten(c *cluster.Index, v *cluster.ClusterServiceVersion) Report {
	n := c.In(v.Namespace)
	known := func(s cluster.Subscription) bool { return s.InstalledCSV == v.Name || s.Observed.CurrentCSV == v.Name }
	planned := func(p cluster.InstallPlan) bool { return inventory.UnderWay(&p) && slices.Contains(p.CSVs, v.Name) }
	if slices.ContainsFunc(n.Subscriptions, known) || slices.ContainsFunc(n.InstallPlans, planned) || inventory.InUpdate(n, v) || inventory.Copied(v) {
		return Report{}
	}
	o := &observed{known: c, namespace: n, request: &cluster.Subscription{Namespace: v.Namespace}, csvs: []*cluster.ClusterServiceVersion{v}}
	f := o.ofCSV(v)
	if f.row.State != result.StateUnhealthy && f.row.State != result.StatePending {
		return Report{}
	}
	why := f.why("")
	about := reason.AboutOf(why)
	about.Subject += words.Unmanaged + ","
	return Report{State: f.row.State, Why: model.Fact(reason.WithAbout(why, about)), Repair: o.repair(f), Conditions: listed([]fact{f})}
}
