package outcome

import (
	"slices"

	"github.com/blang/semver/v4"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/fix"
	"github.com/resolvent/resolvent/resolver/internal/inventory"
	"github.com/resolvent/resolvent/resolver/internal/model"
	"github.com/resolvent/resolvent/resolver/internal/reason"
	"github.com/resolvent/resolvent/resolver/internal/request"
	"github.com/resolvent/resolvent/resolver/internal/words"
	"github.com/resolvent/resolvent/resolver/result"
)

// hold returns why an update waits for the operator that runs, and the fix that overrides what
// the operator states.
func (o *observed) hold(made, replaced *cluster.ClusterServiceVersion) (*result.Explanation, []result.Fix) {
	said, list := made.Message, []result.Fix(nil)
	var hold *result.Hold
	if condition, _ := o.upgradeable(replaced.Name); condition != nil {
		said, hold = "", &result.Hold{Reason: condition.Reason, Message: condition.Message}
		step := fix.Override(o.namespace, o.object(words.ObjectCondition, replaced.Name))
		if before, ok := step.From.([]cluster.Condition); ok {
			for _, c := range before {
				if c.Type != words.ConditionUpgradeable && request.Slip(c.Type, words.ConditionUpgradeable) {
					said = words.OverrideUnread(c.Type)
				}
			}
		}
		list = o.overriding(step, result.Caution{Kind: words.CautionHeld, Names: []string{replaced.Name}, Said: fix.SaidBy(condition)}, replaced, made)
	}
	return model.Fact(reason.HeldUpdate(made.Name, replaced.Name, hold, said)), list
}

// forward returns the fix with which OLM moves on from a failed bundle.
func (o *observed) forward(made, failed *cluster.ClusterServiceVersion) []result.Fix {
	step := fix.Forward(o.namespace)
	if step == nil {
		return nil
	}
	return o.overriding(*step, fix.FailedIn(o.namespace), failed, made)
}

// overriding returns the fix that lets OLM finish an update.
func (o *observed) overriding(step result.Step, caution result.Caution, from, to *cluster.ClusterServiceVersion) []result.Fix {
	return []result.Fix{{
		Changes: []result.Change{{Object: step.Object, Steps: []result.Step{step}}}, Class: result.ClassOverrides, Risk: result.RiskOverrides,
		Cautions: []result.Caution{caution},
		Then:     result.Difference{Updates: []result.Update{{From: version(o.request.Package, from), To: version(o.request.Package, to)}}},
	}}
}

// version returns a ClusterServiceVersion as the version of a package.
func version(pkg string, of *cluster.ClusterServiceVersion) result.Version {
	v := result.Version{Bundle: catalog.BundleKey{Name: of.Name}}
	if parsed, err := semver.Parse(of.Version); err == nil {
		v.Bundle.Package, v.Version = pkg, &parsed
	}
	return v
}

// withdrawing returns the fix that gives up a bundle that OLM does not run, as an operator of another
// namespace provides its APIs where both are. Nobody else of its namespace may require these.
func (o *observed) withdrawing(v *cluster.ClusterServiceVersion, r *result.Repair) []result.Fix {
	if v == nil || !r.Shares() {
		return nil
	}
	other, group := inventory.OwnerBeside(o.known, v)
	var serves []result.Caution
	if other != nil && group != nil && inventory.ReadGroup(o.known, other.Namespace).Everywhere() {
		serves = []result.Caution{{Kind: words.CautionServes, Names: []string{other.Namespace + "/" + other.Name}}}
	} else if copied, from := inventory.CopyBeside(o.known, v); other == nil && group == nil && copied != nil {
		serves = []result.Caution{{Kind: words.CautionServes, Names: []string{from + "/" + copied.Name}, Said: v.Namespace}}
	}
	needs := func(of cluster.ClusterServiceVersion) bool {
		return of.Name != v.Name && slices.ContainsFunc(of.Requires, func(api properties.GVK) bool { return slices.Contains(v.Provides, api) })
	}
	if group == nil && serves == nil || slices.ContainsFunc(o.namespace.CSVs, needs) {
		return nil
	}
	var changes []result.Change
	for _, object := range []result.Object{o.object(words.ObjectSubscription, o.request.Name), o.object(words.ObjectCSV, v.Name)} {
		changes = append(changes, result.Change{Object: object, Steps: []result.Step{{Object: object}}})
	}
	f := result.Fix{Changes: changes, Class: result.ClassGivesUp, GivesUp: []cluster.RequestKey{o.request.Key()}}
	f.Then.Removes = []result.Version{version(o.request.Package, v)}
	f.Cautions = serves
	return []result.Fix{f}
}

// approve returns the fix that approves the InstallPlan, with the effect on all Subscriptions
// that the plan serves. further is true if updates follow.
func (o *observed) approve(further bool) result.Fix {
	plan := o.object(words.ObjectInstallPlan, o.plan.Name)
	approve := result.Fix{Changes: []result.Change{{Object: plan, Steps: []result.Step{{Object: plan, Field: words.FieldApproved, From: false, To: true}}}}, Class: result.ClassSafe, Approval: further}
	there := func(name string) bool {
		return name != "" && slices.ContainsFunc(o.namespace.CSVs, func(v cluster.ClusterServiceVersion) bool { return v.Name == name })
	}
	for _, name := range o.plan.CSVs {
		next := result.Version{Bundle: catalog.BundleKey{Name: name}}
		at := slices.IndexFunc(o.namespace.Subscriptions, func(s cluster.Subscription) bool {
			return s.Observed.CurrentCSV == name
		})
		switch {
		case there(name):
		case at >= 0 && there(o.namespace.Subscriptions[at].InstalledCSV):
			from := result.Version{Bundle: catalog.BundleKey{Name: o.namespace.Subscriptions[at].InstalledCSV}}
			approve.Then.Updates = append(approve.Then.Updates, result.Update{From: from, To: next})
		default:
			approve.Then.Installs = append(approve.Then.Installs, next)
		}
	}
	return approve
}
