package plan

import (
	"errors"
	"slices"
	"sort"
	"strings"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/fixes"
	"github.com/resolvent/resolvent/resolver/internal/code"
	"github.com/resolvent/resolvent/resolver/internal/inventory"
	"github.com/resolvent/resolvent/resolver/internal/model"
	"github.com/resolvent/resolvent/resolver/internal/route"
	"github.com/resolvent/resolvent/resolver/internal/words"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/resolver/updates"
)

// observed is what OLM states of one Subscription.
type observed struct {
	namespace *cluster.NamespaceObjects
	request   *cluster.Subscription
	// plan is the InstallPlan that the Subscription names, nil if it is not known.
	plan *cluster.InstallPlan
	// csvs are what it has installed, and what OLM installs for it now.
	csvs []*cluster.ClusterServiceVersion
}

// observe reads what OLM states of a request, nil if that is no Subscription.
func observe(known *cluster.Index, request cluster.RequestKey) *observed {
	n := known.In(request.Namespace)
	s := named(n.Subscriptions, request.Name, func(s *cluster.Subscription) string { return s.Name })
	if s == nil || s.Key() != request {
		return nil
	}
	o := &observed{namespace: n, request: s}
	o.plan = named(n.InstallPlans, s.Observed.InstallPlan, func(p *cluster.InstallPlan) string { return p.Name })
	names := []string{s.InstalledCSV, s.Observed.CurrentCSV}
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		v := named(n.CSVs, name, func(v *cluster.ClusterServiceVersion) string { return v.Name })
		if v != nil && !inventory.Copied(v) {
			o.csvs = append(o.csvs, v)
		}
	}
	return o
}

// named is the object of that name in a list of an index, nil if there is none.
func named[T any](list []T, name string, of func(*T) string) *T {
	i, ok := sort.Find(len(list), func(i int) int { return strings.Compare(name, of(&list[i])) })
	if !ok {
		return nil
	}
	return &list[i]
}

// observeRows notes in the rows what OLM states of their requests. It changes the state of
// Subscriptions that have no cause of their own to fail.
func observeRows(rows []updates.Status, known *cluster.Index) {
	for i := range rows {
		row := &rows[i]
		row.Conditions = conditions(known, row.Request)
		o := observe(known, row.Request)
		if o == nil || row.FailsItself() {
			continue
		}
		if why, failed := o.failure(); failed {
			row.State, row.Why = updates.Unhealthy, model.Fact(why)
		} else if o.waits() {
			o.await(row)
		} else if o.request.Manual && row.Next != "" {
			row.Why = model.Fact(result.New(code.Approval, result.Args{Subject: row.Next}))
		}
	}
}

// maxConditions is how many a failure quotes.
const maxConditions = 100

// QuoteConditions notes in a failure, which several outcomes may share, what OLM states of the
// requests that fail.
func QuoteConditions(err error, known *cluster.Index) {
	failed, ok := errors.AsType[*result.NotSatisfiable](err)
	if !ok || len(failed.Conditions) > 0 {
		return
	}
	var list []fixes.Condition
	for _, c := range failed.Causes {
		for _, request := range c.Requests {
			if len(list) < maxConditions {
				list = words.Distinct(append(list, conditions(known, request)...))
			}
		}
	}
	failed.Conditions = list[:min(len(list), maxConditions)]
}

func (o *observed) waits() bool { return o.plan != nil && o.plan.Waits() }

func (o *observed) object(kind fixes.ObjectKind, name string) fixes.Object {
	return fixes.Object{Kind: kind, Namespace: o.request.Namespace, Name: name}
}

// wrong lists the conditions of an object that are not as they should be. One is if it is not
// True, but for those that say that everything is installed, and that OLM v1 goes on.
func wrong(of fixes.Object, conditions []cluster.Condition) (list []fixes.Condition) {
	for _, c := range conditions {
		right := c.Status != "True"
		switch c.Type {
		case "Installed":
			right = c.Status != "False"
		case "Progressing":
			right = c.Reason == "Succeeded"
		}
		if !right {
			list = append(list, fixes.Condition{Object: of, Type: c.Type, Reason: c.Reason, Message: c.Message})
		}
	}
	return list
}

// conditions lists what OLM states of a request that is not as it should be.
func conditions(known *cluster.Index, request cluster.RequestKey) []fixes.Condition {
	if e := known.Extension(request.Name); request.Kind == cluster.KindExtension && e != nil {
		return wrong(fixes.Object{Kind: fixes.ObjectExtension, Name: e.Name}, e.Conditions)
	}
	o := observe(known, request)
	if o == nil {
		return nil
	}
	list := wrong(o.object(fixes.ObjectSubscription, o.request.Name), o.request.Observed.Conditions)
	if o.plan != nil {
		plan := o.object(fixes.ObjectInstallPlan, o.plan.Name)
		if o.waits() || o.plan.Phase == phaseFailed {
			list = append(list, fixes.Condition{Object: plan, Type: o.plan.Phase})
		}
		list = append(list, wrong(plan, o.plan.Conditions)...)
	}
	for _, v := range o.csvs {
		if v.Phase != "" && v.Phase != route.PhaseSucceeded {
			list = append(list, fixes.Condition{Object: o.object(fixes.ObjectCSV, v.Name), Type: v.Phase, Reason: v.Reason, Message: v.Message})
		}
	}
	return list
}

// failure says what failed, if anything did.
func (o *observed) failure() (result.Reason, bool) {
	failed := func(c code.Code, kind fixes.ObjectKind, name, has string, said ...string) (result.Reason, bool) {
		said = slices.DeleteFunc(said, func(s string) bool { return s == "" })
		args := result.Args{Subject: string(kind) + " " + name, Has: has, Said: strings.Join(said, ": ")}
		if o.waits() {
			args.Other = "InstallPlan " + o.plan.Name
		}
		return result.New(c, args), true
	}
	for _, v := range o.csvs {
		if v.Phase == phaseFailed {
			return failed(code.PhaseFailed, fixes.ObjectCSV, v.Name, "", v.Reason, v.Message)
		}
	}
	for _, c := range o.request.Observed.Conditions {
		if c.Status == "True" && (c.Type == "BundleUnpackFailed" || c.Type == "InstallPlanFailed") {
			return failed(code.ConditionTrue, fixes.ObjectSubscription, o.request.Name, c.Type, c.Reason, c.Message)
		}
	}
	if o.plan != nil && o.plan.Phase == phaseFailed {
		var said []string
		if len(o.plan.Conditions) > 0 {
			said = []string{o.plan.Conditions[0].Reason, o.plan.Conditions[0].Message}
		}
		return failed(code.PhaseFailed, fixes.ObjectInstallPlan, o.plan.Name, "", said...)
	}
	return result.Reason{}, false
}

const phaseFailed = "Failed"

// await notes that an InstallPlan waits for approval, and what approving it does: to all
// Subscriptions that it serves.
func (o *observed) await(row *updates.Status) {
	row.State, row.Why = updates.PendingApproval, model.Fact(result.New(code.PendingApproval, result.Args{Subject: "InstallPlan " + o.plan.Name}))
	switch names := o.plan.CSVs; {
	case slices.Contains(names, o.request.Observed.CurrentCSV):
		row.Next = o.request.Observed.CurrentCSV
	case !slices.Contains(names, row.Next) && len(names) == 1:
		row.Next = names[0]
	case !slices.Contains(names, row.Next):
		row.Next = ""
	}
	plan := o.object(fixes.ObjectInstallPlan, o.plan.Name)
	fix := fixes.Fix{Changes: []fixes.Change{{Object: plan, Steps: []fixes.Step{{Object: plan, Field: fixes.FieldApproved, From: false, To: true}}}}}
	there := func(name string) bool {
		return name != "" && slices.ContainsFunc(o.namespace.CSVs, func(v cluster.ClusterServiceVersion) bool { return v.Name == name })
	}
	for _, name := range o.plan.CSVs {
		to := fixes.Version{Bundle: catalog.BundleKey{Name: name}}
		at := slices.IndexFunc(o.namespace.Subscriptions, func(s cluster.Subscription) bool {
			return s.Observed.InstallPlan == o.plan.Name && s.Observed.CurrentCSV == name
		})
		switch {
		case there(name):
		case at >= 0 && there(o.namespace.Subscriptions[at].InstalledCSV):
			from := fixes.Version{Bundle: catalog.BundleKey{Name: o.namespace.Subscriptions[at].InstalledCSV}}
			fix.Then.Updates = append(fix.Then.Updates, fixes.Update{From: from, To: to})
		default:
			fix.Then.Installs = append(fix.Then.Installs, to)
		}
	}
	row.Fixes = []fixes.Fix{fix}
}
