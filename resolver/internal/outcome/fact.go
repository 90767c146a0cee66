package outcome

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/reason"
	"github.com/resolvent/resolvent/resolver/internal/words"
	"github.com/resolvent/resolvent/resolver/result"
)

// factsOfExtension returns what OLM states of a ClusterExtension, and of the catalogs that it may
// take its bundle from.
func factsOfExtension(known *cluster.Index, e *cluster.ClusterExtension) []fact {
	facts := factsOf(result.Object{Kind: words.ObjectExtension, Name: e.Name}, e.Conditions)
	for _, c := range known.ClusterScoped().ClusterCatalogs {
		if labels := maps.Clone(c.Labels); len(c.Conditions) > 0 {
			if labels == nil {
				labels = map[string]string{}
			}
			labels[cluster.LabelMetadataName] = c.Name
			if e.Selector == nil || e.Selector.Matches(labels) {
				facts = append(facts, factsOf(result.Object{Kind: words.ObjectClusterCatalog, Name: c.Name}, c.Conditions)...)
			}
		}
	}
	return facts
}

// unavailable returns what the last condition says of what does not work: that of the newest
// revision, if one has any.
func unavailable(conditions []cluster.Condition) (message string) {
	for _, c := range conditions {
		if c.Type == "Available" && c.Status != "True" && c.Message != "" {
			message = c.Message
		}
	}
	return message
}

// fact is one thing that OLM states of an object.
type fact struct {
	row    Written
	object result.Object
	// is is its phase, its state, or the type and status of its condition; reason and message are
	// those beside it, and unmet is what is missing.
	is, reason, message string
	unmet               []string
	// again is true if another fact states the same.
	again bool
}

// factOf returns what stands in the status of an object.
func factOf(object result.Object, is, reason, message string) fact {
	return fact{row: written(object.Kind, is, reason, message), object: object, is: is, reason: reason, message: message}
}

// said joins the reason, unless the type of the condition names it already, and the message.
func (f *fact) said() string {
	if of, _, ok := strings.Cut(f.is, "="); ok && of == f.reason {
		return said("", f.message)
	}
	return said(f.reason, f.message)
}

// first returns the fact whose state applies first, and whether there is any.
func first(facts []fact) (f fact, ok bool) {
	at := len(result.States)
	for _, g := range facts {
		if i := slices.Index(result.States, g.row.State); i >= 0 && i < at {
			f, at = g, i
		}
	}
	return f, at < len(result.States)
}

// telling returns the facts that are not harmless.
func telling(facts []fact) []fact {
	return slices.DeleteFunc(facts, func(f fact) bool { return f.row.Harmless || f.again })
}

// factsOf returns what the conditions of an object state. No API server has one without a type.
func factsOf(object result.Object, conditions []cluster.Condition) (facts []fact) {
	for _, c := range conditions {
		if c.Type != "" {
			facts = append(facts, factOf(object, c.Type+"="+c.Status, c.Reason, c.Message))
		}
	}
	return facts
}

// facts returns what OLM states, the most telling object first.
func (o *observed) facts() (facts []fact) {
	for _, v := range o.csvs {
		facts = append(facts, o.ofCSV(v))
	}
	subscription := o.object(words.ObjectSubscription, o.request.Name)
	plan := o.ofPlan()
	for _, f := range factsOf(subscription, o.request.Observed.Conditions) {
		f.again = f.is == "InstallPlanPending=True" && o.done || f.is == "InstallPlanMissing=True" && o.request.Observed.State == "AtLatestKnown" || // OLM keeps the newest plans of a namespace only
			f.is == "InstallPlanPending=True" && slices.ContainsFunc(plan, func(p fact) bool { return strings.Contains(p.message, f.message) })
		facts = append(facts, f)
	}
	facts = append(facts, plan...)
	facts = append(facts, factOf(subscription, o.request.Observed.State, "", ""))
	for i := range o.namespace.Groups {
		g := &o.namespace.Groups[i]
		facts = append(facts, factsOf(o.object(words.ObjectOperatorGroup, g.Name), g.Conditions)...)
	}
	return append(facts, o.ofCatalog()...)
}

// ofCSV returns what OLM states of a ClusterServiceVersion.
func (o *observed) ofCSV(v *cluster.ClusterServiceVersion) fact {
	f := factOf(o.object(words.ObjectCSV, v.Name), v.Phase, v.Reason, v.Message)
	for _, u := range v.Unmet {
		f.unmet = append(f.unmet, u.String())
	}
	return f
}

// ofPlan returns what OLM states of the InstallPlan.
func (o *observed) ofPlan() []fact {
	if o.plan == nil {
		return nil
	}
	object := o.object(words.ObjectInstallPlan, o.plan.Name)
	phase, facts := factOf(object, o.plan.Phase, "", o.plan.Message), factsOf(object, o.plan.Conditions)
	if o.plan.Phase == phaseRequiresApproval && !o.waits() { // OLM carries it out next, or need not
		if phase.row = (Written{Means: reason.StatedByOLM}); phase.message == "" {
			return facts
		}
	}
	at := slices.IndexFunc(facts, func(f fact) bool {
		return !f.row.Harmless && (o.plan.Phase == phaseFailed || f.is == "Installed=False")
	})
	if at >= 0 && !phase.row.Harmless && strings.Contains(cmp.Or(phase.message, facts[at].message), facts[at].message) {
		phase = factOf(object, o.plan.Phase, facts[at].reason, cmp.Or(phase.message, facts[at].message))
		facts = slices.Delete(facts, at, at+1) // the phase has it
	}
	return append([]fact{phase}, facts...)
}

// ofCatalog returns what OLM states of the catalog that the Subscription names.
func (o *observed) ofCatalog() (facts []fact) {
	for _, c := range o.known.ClusterScoped().CatalogSources {
		if o.request.Names(c.Key) && c.HasStatus {
			object := result.Object{Kind: words.ObjectCatalogSource, Namespace: c.Key.Namespace, Name: c.Key.Name}
			facts = append(facts, factOf(object, c.State, c.Reason, c.Message))
			facts = append(facts, factsOf(object, c.Conditions)...)
		}
	}
	return facts
}

// listed returns facts as conditions: those of an object in their order, after its phase, the
// request first and then its InstallPlan.
func listed(facts []fact) (list []result.Condition) {
	order := []string{words.ObjectSubscription, words.ObjectExtension, words.ObjectInstallPlan}
	for _, f := range facts {
		of, _, condition := strings.Cut(f.is, "=")
		if !f.row.Harmless && (condition || f.object.Kind != words.ObjectSubscription) {
			list = append(list, result.Condition{Object: f.object, Type: of, Reason: f.reason, Message: f.message})
		}
	}
	slices.SortStableFunc(list, func(a, b result.Condition) int {
		place := func(c result.Condition) int {
			if at := slices.Index(order, c.Object.Kind); at >= 0 {
				return at
			}
			return len(order)
		}
		return cmp.Compare(place(a), place(b))
	})
	return list
}

// why returns the reason that states the fact. waiting names what waits for approval.
func (f *fact) why(waiting string) result.Reason {
	object := f.object.Kind + " " + f.object.Name
	condition, status, isCondition := strings.Cut(f.is, "=")
	switch {
	case !isCondition && (f.object.Kind == words.ObjectSubscription || f.object.Kind == words.ObjectCatalogSource):
		return reason.InPhase(object, "state "+f.is, f.unmet, waiting, f.said())
	case !isCondition:
		return reason.InPhase(object, "phase "+f.is, f.unmet, waiting, f.said())
	case status == "True" && f.object.Kind != words.ObjectExtension:
		status = ""
	}
	return reason.HasCondition(object, condition, status, f.unmet, waiting, f.said())
}

// ofCatalog returns the message without what OLM puts before that of a deprecation: "olm.channel/NAME: "
// (operator-lifecycle-manager v0.46.0, source_registry.go).
func (f *fact) ofCatalog() string {
	if _, message, ok := strings.Cut(f.message, ": "); ok && strings.Contains(f.is, "Deprecated=") && strings.HasPrefix(f.message, "olm.") {
		return message
	}
	return f.message
}

// said joins what OLM states of an object.
func said(why, message string) string {
	parts := slices.DeleteFunc([]string{why, message}, func(s string) bool { return s == "" })
	return strings.TrimSuffix(strings.Join(parts, ": "), ".")
}

// Conditions returns the bad conditions of requests and their objects.
func Conditions(known *cluster.Index, requests ...cluster.RequestKey) (list []result.Condition) {
	for _, request := range requests {
		list = words.Distinct(append(list, conditions(known, request)...))
		if len(list) >= maxConditions {
			return list[:maxConditions]
		}
	}
	return list
}

// conditions returns what OLM states of a request and its objects that is not harmless.
func conditions(known *cluster.Index, request cluster.RequestKey) []result.Condition {
	if e := known.Extension(request.Extension()); e != nil {
		return listed(factsOfExtension(known, e))
	}
	if o := observe(known, request); o != nil {
		return listed(o.facts())
	}
	return nil
}
