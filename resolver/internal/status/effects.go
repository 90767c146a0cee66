package status

import (
	"cmp"
	"slices"
	"strings"

	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/inventory"
	"github.com/resolvent/resolvent/resolver/internal/model"
	"github.com/resolvent/resolvent/resolver/internal/words"
	"github.com/resolvent/resolvent/resolver/policy"
	"github.com/resolvent/resolvent/resolver/result"
)

// effects returns what the InstallPlan does beside changing bundles, as rules read it, and
// warns of it. wanted are the bundles that resolving brings.
func (j *planJudge) effects(wanted []string) *policy.Plan {
	plan := &policy.Plan{Name: j.plan.Name}
	warn := func(to *[]string, kind, bundle, message string) {
		*to = append(*to, message)
		j.warnings = append(j.warnings, result.ApprovalReason{Kind: kind, Bundle: bundle, Message: message})
	}
	for _, name := range j.bundles {
		_, _, b := j.find(name)
		if b == nil {
			continue
		}
		requested := false
		for _, s := range j.p.State.Subscriptions {
			if s.Package != b.Package {
				continue
			}
			requested = true
			if s.InstalledCSV == "" && s.StartingCSV != "" && s.StartingCSV != name {
				warn(&plan.Pinned, words.ApprovalPinned, name, words.OtherPinned(s.Name, s.StartingCSV, plan.Name, name))
			}
		}
		if !requested && j.t.Solution != nil && !slices.Contains(wanted, name) {
			warn(&plan.Foreign, words.ApprovalForeign, name, words.AskedByNone(name))
		}
		if i := j.installed(b.Package); i != nil {
			for _, right := range j.widened(name, i) {
				warn(&plan.Widens, words.ApprovalWidens, name, words.MayMore(name, right, i.Name()))
			}
		}
	}
	j.drops(func(bundle, message string) {
		if slices.ContainsFunc(j.reasons, func(r result.ApprovalReason) bool { return r.Message == message }) {
			plan.Drops = append(plan.Drops, message) // it is a reason to wait already
			return
		}
		warn(&plan.Drops, words.ApprovalDrops, bundle, message)
	})
	return plan
}

// drops warns of versions of APIs that are in use and that definitions of the InstallPlan no
// longer serve: those in which objects are stored, if the cluster's definition is known, and
// those that an operator of any namespace provides or requires.
func (j *planJudge) drops(warn func(bundle, message string)) {
	runs := map[properties.GVK]*cluster.Definition{} // by kind, without a version
	definitions := j.p.In.Cluster.ClusterScoped().Definitions
	for i := range definitions {
		runs[properties.GVK{Group: definitions[i].Group, Kind: definitions[i].Names.Kind}] = &definitions[i]
	}
	steps := map[properties.GVK]*cluster.PlanStep{} // by kind as well
	for i := range j.plan.Steps {
		step := &j.plan.Steps[i]
		if step.Definition == nil {
			continue
		}
		kind := properties.GVK{Group: step.Definition.Group, Kind: step.Definition.Names.Kind}
		steps[kind] = step
		d := runs[kind]
		if d == nil {
			continue
		}
		for _, version := range words.Distinct(slices.Sorted(slices.Values(d.Stored))) {
			switch brought := step.Definition.Find(version); {
			case brought == nil: // OLM calls it a risk of data loss
				if _, _, b := j.find(step.CSV); b == nil || b.Properties.Objects() == nil { // else its own objects say so
					j.wait(words.ApprovalRefused, step.CSV, "", words.DropsStored(cmp.Or(step.CSV, step.Name), version, step.Name))
				}
				warn(step.CSV, words.DropsStored(cmp.Or(step.CSV, step.Name), version, step.Name))
			case d.Serves(version) && !brought.Served:
				warn(step.CSV, words.ServesNoMore(cmp.Or(step.CSV, step.Name), version, step.Name))
			}
		}
	}
	gone := j.unprovided(steps, runs)
	if len(steps)+len(gone) == 0 {
		return
	}
	for _, namespace := range j.p.In.Cluster.Namespaces() {
		csvs := j.p.In.Cluster.In(namespace).CSVs
		for i := range csvs {
			v := &csvs[i]
			apis := slices.Concat(v.Provides, v.Requires, v.NativeAPIs)
			j.p.Pace.Step(len(apis))
			for k, api := range apis {
				kind := inventory.KindOf(api)
				step, by := steps[kind], gone[api]
				if step != nil && !step.Definition.Serves(api.Version) {
					by = cmp.Or(step.CSV, step.Name)
				}
				if by == "" || slices.Contains(apis[:k], api) || inventory.Copied(v) {
					continue
				}
				if step == nil && k < len(v.Provides) {
					continue // the successor, or whoever provides it as well
				}
				if d := runs[kind]; d != nil && len(d.Versions) > 0 && !d.Serves(api.Version) {
					continue // nor is it served now
				}
				where := ""
				if namespace != j.plan.Namespace {
					where = " of namespace " + namespace
				} else if k >= len(v.Provides) && j.replaces(v.Name) {
					continue // its successor requires what it needs
				}
				if k < len(v.Provides) {
					warn(by, words.DropsUsed(by, api.String(), v.Name+where))
					continue
				}
				message := words.DropsRequired(by, api.String(), v.Name+where)
				j.wait(words.ApprovalDrops, by, "", message) // OLM takes the plan, and then fails the other one
				warn(by, message)
			}
		}
	}
}

// unprovided returns the APIs that installed bundles provide and those of the InstallPlan, of which one is in
// their place, do not, with that one: its definitions, which are not known, may have them all the same. OLM
// leaves a definition of the cluster as it is if nobody brings its kind.
func (j *planJudge) unprovided(steps map[properties.GVK]*cluster.PlanStep, runs map[properties.GVK]*cluster.Definition) map[properties.GVK]string {
	gone := map[properties.GVK]string{}
	provided, kinds := map[properties.GVK]bool{}, map[properties.GVK]bool{}
	for _, name := range j.bundles {
		if _, _, b := j.find(name); b != nil {
			for _, api := range b.Properties.GVKs() {
				provided[api], kinds[inventory.KindOf(api)] = true, true
			}
		}
	}
	for _, name := range j.bundles {
		_, _, b := j.find(name)
		if b == nil || b.Properties.Objects() != nil {
			continue
		}
		before := j.installed(b.Package)
		if before == nil || before.Name() == name {
			continue
		}
		for _, api := range before.Properties.GVKs() {
			kind := inventory.KindOf(api)
			if steps[kind] == nil && !provided[api] && (kinds[kind] || runs[kind] == nil) {
				gone[api] = name
			}
		}
	}
	return gone
}

// replaces reports whether the InstallPlan updates an installed bundle of its namespace.
func (j *planJudge) replaces(installed string) bool {
	return slices.ContainsFunc(j.bundles, func(name string) bool {
		_, _, b := j.find(name)
		if b == nil || name == installed {
			return false
		}
		i := j.installed(b.Package)
		return i != nil && i.Name() == installed
	})
}

// widened returns what the steps of a bundle permit in the whole cluster, and the installed
// bundle's permissions do not: what permits all first, each once. It is empty if the
// permissions of the installed bundle are not known.
func (j *planJudge) widened(bundle string, installed *model.InstalledBundle) []string {
	if installed.CSV.Installation == nil {
		return nil
	}
	var list []string
	has := installed.CSV.Installation.ClusterRights()
	for _, step := range j.plan.Steps {
		rights := step.Installation.ClusterRights()
		if step.Kind == "ClusterRole" {
			rights = step.Rights
		}
		for _, r := range rights {
			j.p.Pace.Step(len(has))
			if step.CSV == bundle && !inventory.Covered(&r, has) && !slices.Contains(list, r.String()) {
				list = append(list, r.String())
			}
		}
	}
	slices.SortStableFunc(list, func(a, b string) int {
		return cmp.Compare(strings.Count(b, "*"), strings.Count(a, "*"))
	})
	return list
}
