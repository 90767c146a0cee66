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

// observed holds the objects with which OLM states the progress of one Subscription.
type observed struct {
	namespace *cluster.NamespaceObjects
	request   *cluster.Subscription
	// plan is the InstallPlan that the Subscription names, nil if it is not known.
	plan *cluster.InstallPlan
	// csvs are the installed one, and the one that OLM is installing.
	csvs []*cluster.ClusterServiceVersion
}

// observe finds the objects of a Subscription; nil if the request is none that is known.
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

// named returns the object of that name in a list sorted by name, nil if there is none.
func named[T any](list []T, name string, of func(*T) string) *T {
	i, ok := sort.Find(len(list), func(i int) int { return strings.Compare(name, of(&list[i])) })
	if !ok {
		return nil
	}
	return &list[i]
}

// observeRows notes in the rows what OLM states of their requests. It overrides the state of
// a Subscription that has no cause of its own to fail.
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

// maxConditions is the number of conditions that a failure quotes.
const maxConditions = 100

// QuoteConditions adds to a failure the bad conditions of the requests that fail. Several
// outcomes may share the failure: it is filled once.
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

// wrong returns the bad conditions of an object. A condition is bad if it is True. There
// are two exceptions: Installed is bad if it is False, and Progressing unless its reason is
// Succeeded.
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

// conditions returns the bad conditions of a request and its objects. A bad phase of an
// InstallPlan or ClusterServiceVersion counts as a condition.
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

// failure returns the reason that states what failed, and whether anything did.
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

// await notes that an InstallPlan waits for approval. Its fix approves the plan, with the
// effect on all Subscriptions that the plan serves.
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
