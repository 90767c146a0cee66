package outcome

import (
	"slices"

	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/inventory"
	"github.com/resolvent/resolvent/resolver/internal/reason"
	"github.com/resolvent/resolvent/resolver/internal/request"
	"github.com/resolvent/resolvent/resolver/internal/words"
	"github.com/resolvent/resolvent/resolver/result"
)

// observed holds the objects with which OLM states the progress of one Subscription.
type observed struct {
	known     *cluster.Index
	namespace *cluster.NamespaceObjects
	request   *cluster.Subscription
	// plan is the InstallPlan that counts for the Subscription, nil if it is not known.
	plan *cluster.InstallPlan
	// done is true if it waits, and all that it brings is there.
	done bool
	// csvs are the installed one, and the one that OLM is installing.
	csvs []*cluster.ClusterServiceVersion
	// manual names the Subscriptions that make the InstallPlans of an Automatic one wait, as
	// one plan serves a namespace.
	manual []string
}

// observe finds the objects of a Subscription; nil if the request is none that is known.
func observe(known *cluster.Index, request cluster.RequestKey) *observed {
	s := known.Subscription(request)
	if s == nil {
		return nil
	}
	o := &observed{known: known, namespace: known.In(request.Namespace), request: s}
	o.plan = inventory.Plan(o.namespace, s.Observed.InstallPlan)
	o.done = o.waits() && inventory.AllThere(o.namespace, o.plan)
	names := []string{s.InstalledCSV, s.Observed.CurrentCSV}
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		if v := inventory.CSV(o.namespace, name); v != nil && !inventory.Copied(v) {
			o.csvs = append(o.csvs, v)
		}
	}
	return o
}

const phaseRequiresApproval = "RequiresApproval"

// waiting names the InstallPlan if it waits for approval.
func (o *observed) waiting() string {
	if !o.waits() {
		return ""
	}
	return "InstallPlan " + o.plan.Name
}

// missing returns what the account with which OLM installs needs and has not: for the InstallPlan or,
// once that is done, for what it has made.
func (o *observed) missing() *request.Rights {
	if o.plan != nil && o.plan.Phase != "Complete" {
		return request.MissingRights(o.known, o.request.Namespace, request.PlannedBy(o.known, o.plan)...)
	}
	var bundles []request.Brought
	for _, v := range o.csvs {
		bundles = append(bundles, request.Brought{Bundle: v.Name, Installation: v.Installation})
	}
	return request.MissingRights(o.known, o.request.Namespace, bundles...)
}

const phasePending = "Pending"

// csv returns the ClusterServiceVersion that a fact is about, nil if it is about another
// object.
func (o *observed) csv(object result.Object) *cluster.ClusterServiceVersion {
	if object.Kind != words.ObjectCSV {
		return nil
	}
	return inventory.CSV(o.namespace, object.Name)
}

// phaseOf returns the phase of a ClusterServiceVersion, empty if there is none.
func (o *observed) phaseOf(name string) string {
	if v := inventory.CSV(o.namespace, name); v != nil {
		return v.Phase
	}
	return ""
}

// made returns the bundle of an update that OLM has made and not finished, and the one that it
// replaces and that runs; nil if there is no such update.
func (o *observed) made() (made, replaced *cluster.ClusterServiceVersion) {
	for _, v := range o.csvs {
		state := written(words.ObjectCSV, v.Phase, v.Reason, v.Message).State
		if state != result.StatePending && state != result.StateInstalling {
			continue
		}
		if r := inventory.CSV(o.namespace, v.Replaces); r != nil && r.Phase == phaseReplacing {
			return v, r
		}
	}
	return nil, nil
}

// upgradeable returns the condition Upgradeable of an operator, nil if none is stated, and
// whether its OperatorCondition is known.
func (o *observed) upgradeable(name string) (*cluster.Condition, bool) {
	known := slices.ContainsFunc(o.namespace.Conditions, func(c cluster.OperatorCondition) bool { return c.Name == name })
	return o.namespace.Upgradeable(name), known
}

// holds reports whether the operator that runs keeps an update from being finished: by its
// OperatorCondition or, if that is not known, by what OLM states of the update.
func (o *observed) holds(made, replaced *cluster.ClusterServiceVersion) bool {
	condition, known := o.upgradeable(replaced.Name)
	if !known {
		return made.Phase == phasePending && made.Reason == "OperatorConditionNotUpgradeable"
	}
	return made.Phase == phasePending && condition != nil && condition.Status == "False"
}

// Waiting returns the InstallPlan of a request that waits for approval, nil if there is none.
func Waiting(known *cluster.Index, request cluster.RequestKey) *cluster.InstallPlan {
	if o := observe(known, request); o != nil && o.waits() {
		return o.plan
	}
	return nil
}

// leftBehind returns the InstallPlans of the namespace that wait behind a later one, which is done, and that no
// Subscription needs. They are said once, of the first Subscription of the namespace.
func (o *observed) leftBehind() (list []result.Reason) {
	if o.namespace.Subscriptions[0].Name != o.request.Name {
		return nil
	}
	needed := map[string]bool{}
	var done *cluster.InstallPlan
	for i := range o.namespace.Subscriptions {
		s := &o.namespace.Subscriptions[i]
		needed[s.Observed.InstallPlan], needed[s.Observed.CurrentCSV] = true, true
	}
	for i := range o.namespace.InstallPlans {
		if p := &o.namespace.InstallPlans[i]; needed[p.Name] && p.Phase == "Complete" && (done == nil || p.Generation > done.Generation) {
			done = p
		}
	}
	for i := range o.namespace.InstallPlans {
		p := &o.namespace.InstallPlans[i]
		if done == nil || !p.Waits() || p.Generation >= done.Generation || needed[p.Name] || slices.ContainsFunc(p.CSVs, func(name string) bool { return needed[name] }) {
			continue
		}
		if list = append(list, reason.PlanDone(p.Name, p.CSVs, "InstallPlan "+done.Name)); len(list) == words.MaxNamed {
			break
		}
	}
	return list
}

// groupNamed returns an OperatorGroup of the namespace, an empty one if it is not there.
func (o *observed) groupNamed(name string) *cluster.OperatorGroup {
	if i := slices.IndexFunc(o.namespace.Groups, func(g cluster.OperatorGroup) bool { return g.Name == name }); i >= 0 {
		return &o.namespace.Groups[i]
	}
	return &cluster.OperatorGroup{}
}

const phaseReplacing = "Replacing"

// begins reports whether the InstallPlan is approved, and OLM has not begun to carry it out.
func (o *observed) begins() bool {
	return o.plan != nil && o.plan.Phase == phaseRequiresApproval && o.plan.Approved && !inventory.AllThere(o.namespace, o.plan)
}

func (o *observed) waits() bool { return o.plan != nil && o.plan.Waits() && !o.done }

func (o *observed) object(kind string, name string) result.Object {
	return result.Object{Kind: kind, Namespace: o.request.Namespace, Name: name}
}

const phaseFailed = "Failed"

// brings returns the bundle that the InstallPlan brings the request: next if that is among them
// and the Subscription names no other, empty if that is not known.
func (o *observed) brings(next string) string {
	switch names := o.plan.CSVs; {
	case slices.Contains(names, o.request.Observed.CurrentCSV):
		return o.request.Observed.CurrentCSV
	case slices.Contains(names, next):
		return next
	case len(names) == 1 && !slices.ContainsFunc(o.namespace.Subscriptions, func(s cluster.Subscription) bool { return s.Observed.CurrentCSV == names[0] }):
		return names[0] // else it comes for another Subscription
	}
	return ""
}

// twins returns the InstallPlans that are not needed, or that bring a part of what the one of the
// Subscription brings, and are not done. OLM makes one a generation; one that somebody approved
// before OLM wrote its steps has no phase, and OLM passes over it.
func (o *observed) twins() (list []result.Reason) {
	if o.done {
		list = append(list, reason.PlanDone(o.plan.Name, o.plan.CSVs, ""))
	}
	list = append(list, o.leftBehind()...)
	if o.plan == nil || !o.waits() && !inventory.UnderWay(o.plan) {
		return list
	}
	for i := range o.namespace.InstallPlans {
		p := &o.namespace.InstallPlans[i]
		shared := func(name string) bool { return slices.Contains(o.plan.CSVs, name) }
		if p.Name == o.plan.Name || !slices.ContainsFunc(p.CSVs, shared) || !p.Waits() && (p.Phase != "" && p.Phase != "Planning" && !inventory.UnderWay(p) || !o.waits()) {
			continue
		}
		same := slices.DeleteFunc(slices.Clone(p.CSVs), func(name string) bool { return !shared(name) })
		other := ""
		if p.Phase == "" || p.Waits() && inventory.BringsAll(o.plan, p.CSVs) {
			other = "InstallPlan " + o.plan.Name
		}
		list = append(list, reason.TwinPlan(p.Name, words.Distinct(slices.Sorted(slices.Values(same))), p.Phase, other))
	}
	return list
}
