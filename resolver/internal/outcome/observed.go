package outcome

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/blang/semver/v4"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/fix"
	"github.com/resolvent/resolvent/resolver/internal/inventory"
	"github.com/resolvent/resolvent/resolver/internal/model"
	"github.com/resolvent/resolvent/resolver/internal/request"
	"github.com/resolvent/resolvent/resolver/internal/route"
	"github.com/resolvent/resolvent/resolver/internal/words"
	"github.com/resolvent/resolvent/resolver/internal/world"
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

// Stated is what OLM states of a request.
type Stated struct {
	// State follows from it, for the reason Why. Without a State, Why is that what comes next
	// waits for approval.
	State result.State
	Why   *result.Explanation
	// Conditions are those of the request and its objects that are not harmless.
	Conditions []result.Condition
	// facts are all that is not harmless.
	facts []fact
	// Twins are further InstallPlans that bring the same.
	Twins []result.Reason
	// Repair is what ends the State, nil if OLM does not say it. Fixes end it, too.
	Repair *result.Repair
	Fixes  []result.Fix
	// UnderWay is true if OLM has begun what comes next, and does nothing else before.
	UnderWay bool
	// Installed is the bundle that runs and Next the one that OLM puts in its place, empty if it
	// has made no update.
	Installed, Next string
	// Plan is the InstallPlan that waits for approval if that is the State. Next is then what it
	// brings the request.
	Plan string
	// Rights are those that the account with which OLM installs needs for the InstallPlan of the State
	// and has not, nil if none is missing that is known.
	Rights *request.Rights
}

// Manual names the Subscriptions of a namespace with manual approval.
func Manual(known *cluster.Index, namespace string) (manual []string) {
	for _, s := range known.In(namespace).Subscriptions {
		if s.Manual {
			manual = append(manual, s.Key().String())
		}
	}
	if n := len(manual) - words.MaxNamed + 1; n > 1 { // each row names them
		manual = append(manual[:words.MaxNamed-1], fmt.Sprintf("%d more", n))
	}
	return manual
}

// StatedOf returns what OLM states of a request to which next would come on its way to head. The
// Subscriptions named manual are those of its namespace with manual approval.
func StatedOf(known *cluster.Index, request cluster.RequestKey, manual []string, next, head string) Stated {
	if e := known.Extension(request.Extension()); e != nil {
		return ofExtension(known, e)
	}
	o := observe(known, request)
	if o == nil {
		return Stated{}
	}
	if !o.request.Manual {
		o.manual = manual
	}
	facts := o.facts()
	is := Stated{Conditions: listed(facts), facts: telling(facts), Twins: o.twins()}
	made, replaced := o.made()
	switch f, stated := first(facts); {
	case stated && f.row.State == result.StateUnhealthy:
		is.State, is.Why = f.row.State, model.Fact(f.why(o.waiting()))
		is.Repair, is.Rights = o.granting(o.repair(f), f.message)
		is.Fixes = o.withdrawing(o.csv(f.object), is.Repair)
	case made != nil && o.holds(made, replaced):
		is.State, is.UnderWay, is.Installed, is.Next = result.StateHeld, true, replaced.Name, made.Name
		is.Why, is.Fixes = o.hold(made, replaced)
	case stated && f.row.State == result.StatePendingApproval:
		is.State, is.Plan, is.Next = result.StatePendingApproval, o.plan.Name, o.brings(next)
		is.Why = model.Fact(result.New(words.PendingApproval, result.Args{Subject: "InstallPlan " + o.plan.Name, Names: o.manual}))
		is.Fixes = []result.Fix{o.approve(head != "" && is.Next != head)}
		is.Rights = o.missing()
	case stated:
		is.State, is.Why, is.UnderWay = f.row.State, model.Fact(f.why(o.waiting())), true
		is.Repair, is.Rights = o.granting(o.repair(f), f.message)
		if made != nil {
			is.Installed, is.Next = replaced.Name, made.Name
		}
		if is.Repair != nil && o.phaseOf(is.Repair.Name) == phaseFailed { // it waits for a failed one, which it replaces
			made, failed := o.csv(is.Repair.Object), inventory.CSV(o.namespace, is.Repair.Name)
			if is.Installed, is.Next = failed.Name, made.Name; is.Repair.Kind == words.RepairReplacesFailed {
				is.Fixes = o.forward(made, failed)
			}
		}
	case o.begins():
		is.State, is.UnderWay = result.StateInstalling, true
		is.Why = model.Fact(result.New(words.InPhase, result.Args{Subject: "InstallPlan " + o.plan.Name, Has: "phase " + o.plan.Phase, Said: words.ApprovedPlan}))
		is.Repair = &result.Repair{Kind: words.RepairGoesOn, Object: o.object(words.ObjectInstallPlan, o.plan.Name), Namespace: request.Namespace, Is: o.plan.Phase}
	case next != "" && (o.request.Manual || len(o.manual) > 0):
		is.Why = model.Fact(result.New(words.Approval, result.Args{Names: o.manual}))
	}
	return is
}

// ofExtension returns what OLM states of a ClusterExtension.
func ofExtension(known *cluster.Index, e *cluster.ClusterExtension) Stated {
	facts := factsOfExtension(known, e)
	is := Stated{Conditions: listed(facts), facts: telling(facts)}
	if f, ok := first(facts); ok {
		said := []string{strings.TrimSuffix(f.message, "."), unavailable(e.Conditions)}
		f.message = strings.Join(slices.DeleteFunc(said, func(s string) bool { return s == "" }), "; ")
		is.State, is.Why, is.Repair = f.row.State, model.Fact(f.why("")), f.repair()
	}
	return is
}

// factsOfExtension returns what OLM states of a ClusterExtension, and of the catalogs that it may
// take its bundle from.
func factsOfExtension(known *cluster.Index, e *cluster.ClusterExtension) []fact {
	facts := factsOf(result.Object{Kind: words.ObjectExtension, Name: e.Name}, e.Conditions)
	for _, c := range known.ClusterScoped().ClusterCatalogs {
		if labels := maps.Clone(c.Labels); len(c.Conditions) > 0 {
			if labels == nil {
				labels = map[string]string{}
			}
			labels[inventory.LabelMetadataName] = c.Name
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
	return slices.DeleteFunc(facts, func(f fact) bool { return f.row.Harmless != "" || f.again })
}

// factsOf returns what the conditions of an object state.
func factsOf(object result.Object, conditions []cluster.Condition) (facts []fact) {
	for _, c := range conditions {
		facts = append(facts, factOf(object, c.Type+"="+c.Status, c.Reason, c.Message))
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
		if phase.row = (Written{Means: words.StatedByOLM}); phase.message == "" {
			return facts
		}
	}
	at := slices.IndexFunc(facts, func(f fact) bool {
		return f.row.Harmless == "" && (o.plan.Phase == phaseFailed || f.is == "Installed=False")
	})
	if at >= 0 && phase.row.Harmless == "" && strings.Contains(cmp.Or(phase.message, facts[at].message), facts[at].message) {
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
		if f.row.Harmless == "" && (condition || f.object.Kind != words.ObjectSubscription) {
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

const phaseRequiresApproval = "RequiresApproval"

// waiting names the InstallPlan if it waits for approval.
func (o *observed) waiting() string {
	if !o.waits() {
		return ""
	}
	return "InstallPlan " + o.plan.Name
}

// why returns the reason that states the fact. waiting names what waits for approval.
func (f *fact) why(waiting string) result.Reason {
	args := result.Args{Subject: f.object.Kind + " " + f.object.Name, Said: f.said(), Other: waiting, Names: f.unmet}
	of, status, is := strings.Cut(f.is, "=")
	switch {
	case !is && (f.object.Kind == words.ObjectSubscription || f.object.Kind == words.ObjectCatalogSource):
		args.Has = "state " + f.is
	case !is:
		args.Has = "phase " + f.is
	default:
		if args.Has = of; status != "True" || f.object.Kind == words.ObjectExtension {
			args.Limit = status
		}
		return result.New(words.HasCondition, args)
	}
	return result.New(words.InPhase, args)
}

// Unsaid returns what OLM states that a row does not say yet.
func (s *Stated) Unsaid(row *result.Status) (list []result.Reason) {
	if len(s.facts) == 0 {
		return nil
	}
	text := row.Reason()
	if row.Repair != nil {
		text += "\n" + row.Repair.Stated
	}
	for _, r := range row.Remarks {
		text += "\n" + words.OneLine(r.Message())
	}
	for i := range s.facts {
		f := &s.facts[i]
		state := f.row.State
		if message := words.Shortened(strings.TrimSuffix(words.OneLine(f.ofCatalog()), "."), maxStated); message != "" && strings.Contains(text, message) ||
			message == "" && state != "" && (state != result.StateUnhealthy || state == s.State) {
			continue
		}
		args := result.Args{Said: words.Shortened(words.OneLine(f.said()), maxStated)}
		if of := f.object; of.Kind != string(row.Request.Kind) || of.Name != row.Request.Name {
			args.Subject = of.Kind + " " + of.Name
		}
		of, status, is := strings.Cut(f.is, "=")
		if args.Has = of; is && (status != "True" || f.object.Kind == words.ObjectExtension || f.object.Kind == words.ObjectClusterCatalog) {
			args.Limit = status
		}
		code := f.row.Means
		switch {
		case code == words.PlanGone && row.Why != nil && slices.Contains([]words.Code{words.PlanLost, words.InstalledGone}, row.Why.Reason.Code()): // it makes none, or nothing runs
			code = words.StatedByOLM
		case code == words.ResolvesNow && row.Err != nil:
			code = words.FailsToo
		case code == "":
			code = words.StatedByOLM
		}
		reason := result.New(code, args)
		list = append(list, reason)
		text += "\n" + words.OneLine(reason.Message())
	}
	return list
}

// ofCatalog returns the message without what OLM puts before that of a deprecation: "olm.channel/NAME: "
// (operator-lifecycle-manager v0.46.0, source_registry.go).
func (f *fact) ofCatalog() string {
	if _, message, ok := strings.Cut(f.message, ": "); ok && strings.Contains(f.is, "Deprecated=") && strings.HasPrefix(f.message, "olm.") {
		return message
	}
	return f.message
}

// repair returns what ends the state of the fact, nil if OLM does not say it.
func (f *fact) repair() *result.Repair {
	r := &result.Repair{Kind: f.row.Way, Object: f.object, Namespace: f.object.Namespace}
	if m := unsafe.FindStringSubmatch(f.message); m != nil {
		r.Kind, r.Name = words.RepairDefinition, m[1]
	}
	if r.Kind == "" {
		return nil
	}
	return r
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

// granting returns the repair of what OLM states and, if that is a right that the account with which OLM
// installs has not, all that is missing, which the repair then states. That is nil if what was given
// does not bear out what OLM states.
func (o *observed) granting(r *result.Repair, stated string) (*result.Repair, *request.Rights) {
	m := forbidden.FindStringSubmatch(stated)
	if r == nil || r.Kind != words.RepairRights || m == nil {
		return r, nil
	}
	refused := cluster.Right{APIGroups: []string{m[4]}, Resources: []string{m[3]}, Verbs: []string{m[2]}}
	missing, all := o.missing(), *r
	if account := inventory.AccountOf(o.known, o.request.Namespace); missing == nil && account != nil && account.Known && account.User() == m[1] && account.May(m[6], &refused) {
		all.Kind = words.RepairRightsThere // what OLM states is old
		return &all, nil
	}
	if missing == nil || missing.Account.User() != m[1] || !missing.Has(&refused) {
		return r, nil
	}
	if all.Said = strings.Join(words.Texts(missing.Missing), "; "); !missing.Partly {
		all.Kind = words.RepairAllRights
	}
	return &all, missing
}

// forbidden is how an API server refuses a user, and immutable how it refuses another Deployment;
// unsafe is how OLM v1 refuses another version of a CustomResourceDefinition.
// dataLoss is how OLM v0 refuses a CustomResourceDefinition without a version that is stored.
// noAccount is how OLM says that the account of an OperatorGroup is missing.
// restrictive is how OLM v0 refuses a schema that a resource, the first that it finds, does not satisfy.
var (
	restrictive = regexp.MustCompile(`error validating \S*, Kind=(\S+) "([^"]+)": updated validation is too restrictive: (.+)`)
	noAccount   = regexp.MustCompile(`service account exists\. sa=(\S+) operatorgroup=\S+/(\S+)`)
	dataLoss    = regexp.MustCompile(`risk of data loss updating "([^"]+)": new CRD removes version (\S+) that is listed as a stored version`)
	unsafe      = regexp.MustCompile(`upgrade for CRD "([^"]+)"`)
	forbidden   = regexp.MustCompile(`User "([^"]+)" cannot (\w+) resource "([^"]+)" in API group "([^"]*)" (at the cluster scope|in the namespace "([^"]+)")`)
	immutable   = regexp.MustCompile(`Deployment\.apps "([^"]+)" is invalid: .*field is immutable`)
)

// repair returns what ends the state of a fact, with the objects that it takes.
func (o *observed) repair(f fact) *result.Repair {
	r := result.Repair{Kind: f.row.Way, Object: f.object, Namespace: f.object.Namespace, Is: f.is, Stated: words.Shortened(words.OneLine(f.said()), maxStated)}
	if f.object.Kind != words.ObjectCSV && o.plan != nil && o.plan.Phase == phaseFailed {
		r.Plan = o.plan.Name
		r.Again = slices.ContainsFunc(o.plan.CSVs, func(name string) bool {
			v := inventory.CSV(o.namespace, name)
			return v != nil && !inventory.Copied(v)
		})
	} else if r.Kind == words.RepairNewPlan && len(o.namespace.InstallPlans) == 0 { // OLM states that it failed, whatever was given
		v := inventory.CSV(o.namespace, o.request.Observed.CurrentCSV)
		r.Plan, r.Again = o.request.Observed.InstallPlan, v != nil && !inventory.Copied(v)
	}
	switch v := o.csv(f.object); {
	case v != nil && v.Phase == phasePending && v.Replaces == v.Name:
		r.Kind = words.RepairReplacesItself
	case v != nil && v.Phase == phasePending && o.phaseOf(v.Replaces) == phaseFailed:
		failed := inventory.CSV(o.namespace, v.Replaces)
		if r.Kind, r.Name, r.Said = words.RepairReplacesFailed, v.Replaces, said(failed.Reason, failed.Message); len(o.namespace.Groups) == 1 && o.namespace.Groups[0].FailForward || inventory.FitsNow(o.known, failed) {
			r.Kind = words.RepairGoesOn
		}
	case r.Kind == words.RepairOnceGroupFits && o.fitsNow(v):
		r.Kind = words.RepairGoesOn
	case r.Kind == words.RepairOnceGroupFits && len(o.namespace.Groups) > 1:
		r.Said = words.Listed(words.Mapped(o.namespace.Groups, func(g cluster.OperatorGroup) string { return g.Name }), words.MaxNamed)
	case v != nil && r.Kind == words.RepairOnceSoleOwner:
		r = o.beside(r, v)
	case v != nil && r.Kind == words.RepairOnceMet && v.Metadata.KubeFault() != nil:
		r.Kind = words.RepairOnlyPublisher
	case v != nil && r.Kind == words.RepairOnceMet && v.Phase == phasePending && oldKubernetes(v):
		r.Kind, r.Name = words.RepairNewerKubernetes, v.Metadata.MinKubeVersion
	case r.Kind == words.RepairOnceMet && ownCRD(v) != "" && (o.plan == nil || o.plan.Phase == "Complete"):
		r.Kind, r.Name = words.RepairOwnCRD, ownCRD(v)
	case r.Kind == words.RepairOnceUpgradeable:
		if _, known := o.upgradeable(v.Replaces); known {
			r.Name = v.Replaces
		}
	case v != nil && v.Phase == phaseFailed && v.Reason == "" && v.Message == "":
		r.Kind = words.RepairNoReason
	case f.row.State == result.StateUnhealthy:
		if m := forbidden.FindStringSubmatch(f.message); m != nil {
			r.Kind, r.Name, r.Said = words.RepairRights, m[1], m[2]+" "+strings.TrimSuffix(m[3]+"."+m[4], ".")+" "+m[5]
			r.Again = r.Plan != ""
		} else if m := immutable.FindStringSubmatch(f.message); m != nil && v != nil {
			r.Kind, r.Name = words.RepairDeployment, m[1]
		} else if m := dataLoss.FindStringSubmatch(f.message); m != nil && r.Kind == words.RepairNewPlan {
			stored := request.StoredGone(o.known, m[1], m[2])
			if stored.By = o.providing(m[1], m[2]); stored.By != "" {
				stored = &result.Repair{Kind: words.RepairStoredAhead, Name: m[1], Said: m[2], By: stored.By}
			}
			stored.Object, stored.Plan, stored.Again, stored.Is, stored.Stated = r.Object, r.Plan, r.Again, r.Is, r.Stated
			return stored
		} else if r.Kind == words.RepairNewPlan && strings.Contains(f.message, "unpack") {
			r.Kind = words.RepairUnpackAgain
		}
	}
	if m := noAccount.FindStringSubmatch(f.message); m != nil {
		r.Kind, r.Name, r.Said, r.Namespace = words.RepairAccount, m[1], m[2], o.request.Namespace
	} else if f.object.Kind == words.ObjectOperatorGroup && r.Kind == words.RepairAccount {
		if r.Name, r.Said = o.group(f.object.Name).ServiceAccount, f.object.Name; r.Name == "" { // it named one before
			r.Kind = words.RepairGoesOn
		}
	} else if strings.Contains(f.message, "attenuated service account query failed") {
		if r.Kind = words.RepairOnceGroupFits; strings.Contains(f.message, "more than one operator group") {
			r.Kind = words.RepairOneGroup
		}
	}
	if f.object.Kind == words.ObjectOperatorGroup && r.Kind == words.RepairOnceGroupFits {
		r.Kind = words.RepairOneGroup
	}
	r = o.named(r, &f)
	if r.Kind == words.RepairPull {
		r.Namespace = o.request.CatalogNamespace
	}
	if r.Kind == words.RepairUnpackAgain {
		r.Namespace = o.request.CatalogNamespace
		for _, p := range o.namespace.InstallPlans {
			if p.Waits() {
				r.Waiting = p.Name
			}
		}
	}
	if r.Kind == "" {
		return nil
	}
	return &r
}

// providing returns a bundle of another namespace that runs and provides a version of a definition,
// with its namespace: empty if there is none. A definition is named "PLURAL.GROUP".
func (o *observed) providing(definition, version string) string {
	plural, group, _ := strings.Cut(definition, ".")
	is := func(api properties.GVK) bool {
		kind := strings.ToLower(api.Kind)
		stem := kind[:max(0, len(kind)-1)] // the last letter may change: "policies"
		return api.Group == group && api.Version == version && strings.HasPrefix(plural, stem) && len(plural) <= len(kind)+len("es")
	}
	for _, namespace := range o.known.Namespaces() {
		for i := range o.known.In(namespace).CSVs {
			v := &o.known.In(namespace).CSVs[i]
			if namespace != o.request.Namespace && !inventory.Copied(v) && v.Phase == world.PhaseSucceeded && slices.ContainsFunc(v.Provides, is) {
				return v.Name + words.InNamespace(namespace)
			}
		}
	}
	return ""
}

// beside returns the repair of a failed bundle with who else provides its APIs.
func (o *observed) beside(r result.Repair, v *cluster.ClusterServiceVersion) result.Repair {
	other, group := inventory.OwnerBeside(o.known, v)
	if other != nil {
		r.Name = other.Name + words.InNamespace(other.Namespace)
	}
	if group == nil {
		return r
	}
	r.Said = group.Namespace + "/" + group.Name
	switch provides, label := inventory.Beside(o.known, v, group); {
	case label != "":
		r.Kind, r.Name, r.Said = words.RepairGroupLabel, label, provides
	case other == nil:
		r.Said = provides
	}
	return r
}

// named returns the repair with what a message names without its remedy: a selector that matches no namespace, or a
// resource that a new schema does not allow.
func (o *observed) named(r result.Repair, f *fact) result.Repair {
	unmanaged := strings.Contains(f.message, "no operator group found that is managing this namespace")
	if unmanaged {
		r.Kind = words.RepairOnceGroupFits
	}
	if (unmanaged || f.reason == "NoTargetNamespaces") && len(o.namespace.Groups) == 1 {
		if said := inventory.Unmatched(o.known, o.request.Namespace); said != "" {
			r.Kind, r.Name, r.Said = words.RepairSelector, o.namespace.Groups[0].Name, said
		} else { // it has targets, and OLM has yet to see that
			r.Kind = words.RepairGoesOn
		}
	}
	if m := restrictive.FindStringSubmatch(words.OneLine(f.message)); m != nil && (r.Kind == words.RepairNewPlan || r.Kind == words.RepairTriesAgain) {
		namespace, name, found := strings.Cut(m[2], "/")
		if !found {
			namespace, name = "", m[2]
		}
		r.Kind, r.Namespace, r.Name = words.RepairRestrictive, namespace, m[1]+" "+name+words.InNamespace(namespace)
		r.Said = words.Shortened(strings.ReplaceAll(m[3], "[].", ""), maxStated)
	}
	return r
}

// fitsNow reports whether the namespace has one OperatorGroup again that fits what OLM failed, if v
// is that: what OLM states of it is old.
func (o *observed) fitsNow(v *cluster.ClusterServiceVersion) bool {
	return v == nil && len(o.namespace.Groups) == 1 || v != nil && inventory.FitsNow(o.known, v)
}

// maxStated is how much of what OLM states is quoted, in bytes.
const maxStated = 300

// oldKubernetes reports whether all that OLM states as not met is the version of Kubernetes.
func oldKubernetes(v *cluster.ClusterServiceVersion) bool {
	return v.Metadata != nil && v.Metadata.MinKubeVersion != "" && len(v.Unmet) > 0 &&
		!slices.ContainsFunc(v.Unmet, func(u cluster.Requirement) bool { return !strings.Contains(u.Message, "minKubeVersion") })
}

// ownCRD returns a definition that is missing and that the ClusterServiceVersion owns itself, empty
// if there is none. It is recognized by its plural.
func ownCRD(v *cluster.ClusterServiceVersion) string {
	if v == nil {
		return ""
	}
	for _, u := range v.Unmet {
		plural, group, _ := strings.Cut(u.Name, ".")
		of := func(api properties.GVK) bool {
			kind := strings.ToLower(api.Kind)
			return api.Group == group && kind != "" && strings.HasPrefix(plural, kind[:len(kind)-1])
		}
		if u.Kind == "CustomResourceDefinition" && slices.ContainsFunc(v.Provides, of) && !slices.ContainsFunc(v.Requires, of) {
			return u.Kind + " " + u.Name
		}
	}
	return ""
}

// said joins what OLM states of an object.
func said(why, message string) string {
	parts := slices.DeleteFunc([]string{why, message}, func(s string) bool { return s == "" })
	return strings.TrimSuffix(strings.Join(parts, ": "), ".")
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

// hold returns why an update waits for the operator that runs, and the fix that overrides what
// the operator states.
func (o *observed) hold(made, replaced *cluster.ClusterServiceVersion) (*result.Explanation, []result.Fix) {
	args, list := result.Args{Subject: made.Name, Other: replaced.Name, Said: made.Message}, []result.Fix(nil)
	if condition, _ := o.upgradeable(replaced.Name); condition != nil {
		args.Said, args.Err = "", &result.Hold{Reason: condition.Reason, Message: condition.Message}
		step := fix.Override(o.namespace, o.object(words.ObjectCondition, replaced.Name))
		list = o.overriding(step, result.Caution{Kind: words.CautionHeld, Names: []string{replaced.Name}, Said: fix.SaidBy(condition)}, replaced, made)
	}
	return model.Fact(result.New(words.HeldUpdate, args)), list
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

// Waiting returns the InstallPlan of a request that waits for approval, nil if there is none.
func Waiting(known *cluster.Index, request cluster.RequestKey) *cluster.InstallPlan {
	if o := observe(known, request); o != nil && o.waits() {
		return o.plan
	}
	return nil
}

// group returns an OperatorGroup of the namespace, an empty one if it is not there.
func (o *observed) group(name string) *cluster.OperatorGroup {
	if i := slices.IndexFunc(o.namespace.Groups, func(g cluster.OperatorGroup) bool { return g.Name == name }); i >= 0 {
		return &o.namespace.Groups[i]
	}
	return &cluster.OperatorGroup{}
}

// version returns a ClusterServiceVersion as the version of a package.
func version(pkg string, of *cluster.ClusterServiceVersion) result.Version {
	v := result.Version{Bundle: catalog.BundleKey{Name: of.Name}}
	if parsed, err := semver.Parse(of.Version); err == nil {
		v.Bundle.Package, v.Version = pkg, &parsed
	}
	return v
}

// Runs returns what goes on running if nothing is done, and up to which version of the cluster: what
// requests have installed, and whatever runs and a fix without a risk would change. It returns nothing
// if a part of that does not work or does not support the cluster's version any more, or if some such fix
// changes nothing that runs.
func Runs(list []result.Fix, known *cluster.Index, requests ...cluster.RequestKey) (names []string, until string) {
	first := result.ClassAbandons
	if len(list) > 0 {
		first = list[0].Class
	}
	if first == result.ClassGivesUp {
		return nil, ""
	}
	for i := range list {
		if first > result.ClassWidens || list[i].Class > result.ClassWidens {
			continue
		}
		touched := touchedBy(&list[i], known)
		if len(touched) == 0 {
			return nil, ""
		}
		requests = append(requests, touched...)
	}
	var least *properties.MajorMinor
	for _, key := range requests {
		name, works := route.InstalledFor(known, key), false
		if e := known.Extension(key.Extension()); e != nil {
			works = len(conditions(known, key)) == 0
		} else if v := inventory.CSV(known.In(key.Namespace), name); v != nil {
			works, least = v.Phase == world.PhaseSucceeded, lower(least, inventory.MaxOpenShift(known.In(key.Namespace), v))
		}
		switch {
		case name == "":
		case !works:
			return nil, ""
		default:
			names = append(names, name)
		}
	}
	if least != nil {
		if now, ok := properties.OpenShiftOf(known.ClusterScoped().OpenShiftVersion); ok && least.Compare(now) < 0 {
			return nil, ""
		}
		until = "OpenShift " + least.String()
	}
	return words.Distinct(names), until
}

// lower returns the lower one of two versions that may be unknown.
func lower(a, b *properties.MajorMinor) *properties.MajorMinor {
	if a == nil || b != nil && b.Compare(*a) < 0 {
		return b
	}
	return a
}

// touchedBy returns the requests whose objects a fix changes, or those of what they run, and that
// have something installed.
func touchedBy(f *result.Fix, known *cluster.Index) (list []cluster.RequestKey) {
	for _, step := range f.Steps() {
		o := step.Object
		for _, s := range known.In(o.Namespace).Subscriptions {
			runs := route.InstalledFor(known, s.Key())
			of := map[string]string{words.ObjectSubscription: s.Name, words.ObjectCSV: runs, words.ObjectCondition: runs, words.ObjectOperatorGroup: o.Name}
			if runs != "" && of[o.Kind] == o.Name {
				list = append(list, s.Key())
			}
		}
		if key := (cluster.RequestKey{Kind: cluster.KindExtension, Name: o.Name}); o.Kind == words.ObjectExtension && route.InstalledFor(known, key) != "" {
			list = append(list, key)
		}
	}
	return list
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

// Repair returns what to do in a namespace in which both bundles of an update count, as it failed
// or is not done; nil if there is none.
func Repair(known *cluster.Index, namespace string) *result.Repair {
	n := known.In(namespace)
	counts := func(name string) bool {
		return slices.ContainsFunc(inventory.Counting(n), func(v *cluster.ClusterServiceVersion) bool { return v.Name == name })
	}
	for _, s := range n.Subscriptions {
		o := observe(known, s.Key())
		if o == nil {
			continue
		}
		o.plan = nil
		f, ok := first(slices.DeleteFunc(o.facts(), func(f fact) bool { return f.object.Kind != words.ObjectCSV }))
		if v := o.csv(f.object); ok && v != nil && counts(v.Name) && (v.Replaces != v.Name && counts(v.Replaces) || counts(inventory.ReplacedBy(n, v.Name))) {
			return o.repair(f)
		}
	}
	return nil
}

const phaseReplacing = "Replacing"

// maxConditions is the number of conditions that are quoted.
const maxConditions = 100

// withdrawing returns the fix that gives up a bundle that OLM does not run, as an operator of another
// namespace provides its APIs where both are. Nobody else of its namespace may require these.
func (o *observed) withdrawing(v *cluster.ClusterServiceVersion, r *result.Repair) []result.Fix {
	if v == nil || !r.Shares() {
		return nil
	}
	other, group := inventory.OwnerBeside(o.known, v)
	needs := func(of cluster.ClusterServiceVersion) bool {
		return of.Name != v.Name && slices.ContainsFunc(of.Requires, func(api properties.GVK) bool { return slices.Contains(v.Provides, api) })
	}
	if group == nil || slices.ContainsFunc(o.namespace.CSVs, needs) {
		return nil
	}
	var changes []result.Change
	for _, object := range []result.Object{o.object(words.ObjectSubscription, o.request.Name), o.object(words.ObjectCSV, v.Name)} {
		changes = append(changes, result.Change{Object: object, Steps: []result.Step{{Object: object}}})
	}
	f := result.Fix{Changes: changes, Class: result.ClassGivesUp, GivesUp: []cluster.RequestKey{o.request.Key()}}
	f.Then.Removes = []result.Version{version(o.request.Package, v)}
	if other != nil && inventory.ReadGroup(o.known, other.Namespace).Everywhere() {
		f.Cautions = []result.Caution{{Kind: words.CautionServes, Names: []string{other.Namespace + "/" + other.Name}}}
	}
	return []result.Fix{f}
}

// begins reports whether the InstallPlan is approved, and OLM has not begun to carry it out.
func (o *observed) begins() bool {
	return o.plan != nil && o.plan.Phase == phaseRequiresApproval && o.plan.Approved && !inventory.AllThere(o.namespace, o.plan)
}

func (o *observed) waits() bool { return o.plan != nil && o.plan.Waits() && !o.done }

func (o *observed) object(kind string, name string) result.Object {
	return result.Object{Kind: kind, Namespace: o.request.Namespace, Name: name}
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

const phaseFailed = "Failed"

// brings returns the bundle that the InstallPlan brings the request: next if that is among them
// and the Subscription names no other, empty if that is not known.
func (o *observed) brings(next string) string {
	switch names := o.plan.CSVs; {
	case slices.Contains(names, o.request.Observed.CurrentCSV):
		return o.request.Observed.CurrentCSV
	case slices.Contains(names, next):
		return next
	case len(names) == 1:
		return names[0]
	}
	return ""
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
		to := result.Version{Bundle: catalog.BundleKey{Name: name}}
		at := slices.IndexFunc(o.namespace.Subscriptions, func(s cluster.Subscription) bool {
			return s.Observed.CurrentCSV == name
		})
		switch {
		case there(name):
		case at >= 0 && there(o.namespace.Subscriptions[at].InstalledCSV):
			from := result.Version{Bundle: catalog.BundleKey{Name: o.namespace.Subscriptions[at].InstalledCSV}}
			approve.Then.Updates = append(approve.Then.Updates, result.Update{From: from, To: to})
		default:
			approve.Then.Installs = append(approve.Then.Installs, to)
		}
	}
	return approve
}

// twins returns the InstallPlans that are not needed, or that bring a part of what the one of the
// Subscription brings, and are not done. OLM makes one a generation; one that somebody approved
// before OLM wrote its steps has no phase, and OLM passes over it.
func (o *observed) twins() (list []result.Reason) {
	if o.done {
		list = append(list, result.New(words.PlanDone, result.Args{Subject: o.plan.Name, Names: o.plan.CSVs}))
	}
	if o.plan == nil || !o.waits() && !inventory.UnderWay(o.plan) {
		return list
	}
	for i := range o.namespace.InstallPlans {
		p := &o.namespace.InstallPlans[i]
		same := words.Distinct(slices.Sorted(slices.Values(slices.DeleteFunc(slices.Clone(p.CSVs), func(name string) bool { return !slices.Contains(o.plan.CSVs, name) }))))
		if p.Name == o.plan.Name || len(same) == 0 || !p.Waits() && (p.Phase != "" && p.Phase != "Planning" && !inventory.UnderWay(p) || !o.waits()) {
			continue
		}
		args := result.Args{Subject: p.Name, Names: same, Has: p.Phase}
		if p.Phase == "" || p.Waits() && inventory.BringsAll(o.plan, p.CSVs) {
			args.Other = "InstallPlan " + o.plan.Name
		}
		list = append(list, result.New(words.TwinPlan, args))
	}
	return list
}

// Gone returns what OLM does not state of a row whose Subscription names as installed what is not
// there, or is only a copy: OLM makes an InstallPlan only for what is new to the Subscription, and
// only once it resolves the namespace. It has no State if that is not so, or not known.
func Gone(known *cluster.Index, row *result.Status, manual bool) (is Stated) {
	s, n := known.Subscription(row.Request), known.In(row.Request.Namespace)
	comes := row.State == result.StateNotInstalled && row.Next != ""
	lost := s != nil && s.InstalledCSV == "" && comes && lostPlan(n, s) && (row.Next == s.Observed.CurrentCSV || !resolvesNow(n))
	if s == nil || !lost && (s.InstalledCSV == "" || !csvsGiven(known, n)) || row.State != result.StateWaiting && !comes {
		return is
	}
	object := result.Object{Kind: words.ObjectSubscription, Namespace: s.Namespace, Name: s.Name}
	args := result.Args{Subject: words.ObjectCSV + " " + s.InstalledCSV, Request: &result.Request{Key: row.Request}}
	f := result.Fix{Changes: []result.Change{{Object: object, Steps: []result.Step{{Object: object}}}}, Class: result.ClassSafe, Approval: manual}
	next := result.Version{Bundle: catalog.BundleKey{Package: row.Package, Name: row.Next}}
	if next.Bundle.Name != cmp.Or(s.Observed.CurrentCSV, s.InstalledCSV) {
		args.Has = row.Next
	}
	is = Stated{State: result.StateUnhealthy, Fixes: []result.Fix{f}}
	switch v := inventory.CSV(n, s.InstalledCSV); {
	case v == nil && row.State == result.StateWaiting:
		args.Names, is.Fixes = words.Mapped(row.WaitsFor(), func(k cluster.RequestKey) string { return k.Name }), nil
		if len(args.Names) == 0 {
			return Stated{} // what is installed contradicts itself, which the row says
		}
	case v == nil && args.Has != "" && resolvesNow(n):
		is.Fixes = nil
		if !manual {
			is.Repair = &result.Repair{Kind: words.RepairGoesOn, Object: object, Namespace: s.Namespace}
		}
	case v == nil:
		if args.Has != "" {
			args.Limit = s.Observed.InstallPlan
		}
		made := *s
		made.InstalledCSV, made.Observed = "", cluster.Observed{}
		f.Changes[0].Steps = append(f.Changes[0].Steps, result.Step{Object: object, Create: &cluster.Objects{Subscriptions: []cluster.Subscription{made}}})
		f.Then.Installs, f.Approval = []result.Version{next}, s.Manual
		is.Fixes = []result.Fix{f}
	case inventory.Copied(v) && v.Annotations[words.AnnotationOperatorNamespace] != "":
		args.Other = v.Annotations[words.AnnotationOperatorNamespace]
		f.Class, f.GivesUp = result.ClassGivesUp, []cluster.RequestKey{row.Request}
		if g := inventory.GroupOf(known, args.Other); g != nil && g.Everywhere() {
			f.Cautions = []result.Caution{{Kind: words.CautionServes, Names: []string{args.Other + "/" + v.Name}}}
		}
		is.Fixes = []result.Fix{f}
	default:
		return Stated{}
	}
	code := words.InstalledGone
	if lost {
		code, args.Subject = words.PlanLost, words.ObjectInstallPlan+" "+s.Observed.InstallPlan
	}
	is.Why = model.Fact(result.New(code, args))
	return is
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
func Forgotten(c *cluster.Index, v *cluster.ClusterServiceVersion) Stated {
	n := c.In(v.Namespace)
	known := func(s cluster.Subscription) bool { return s.InstalledCSV == v.Name || s.Observed.CurrentCSV == v.Name }
	planned := func(p cluster.InstallPlan) bool { return inventory.UnderWay(&p) && slices.Contains(p.CSVs, v.Name) }
	if slices.ContainsFunc(n.Subscriptions, known) || slices.ContainsFunc(n.InstallPlans, planned) || inventory.InUpdate(n, v) || inventory.Copied(v) {
		return Stated{}
	}
	o := &observed{known: c, namespace: n, request: &cluster.Subscription{Namespace: v.Namespace}, csvs: []*cluster.ClusterServiceVersion{v}}
	f := o.ofCSV(v)
	if f.row.State != result.StateUnhealthy && f.row.State != result.StatePending {
		return Stated{}
	}
	why := f.why("")
	args := why.Args()
	args.Subject += words.Unmanaged + ","
	return Stated{State: f.row.State, Why: model.Fact(result.New(why.Code(), args)), Repair: o.repair(f), Conditions: listed([]fact{f})}
}
