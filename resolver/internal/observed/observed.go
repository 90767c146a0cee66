// Package observed reads what OLM states of the progress of requests: the conditions, phases and
// reasons in the status of their objects, and what these mean for a request. It resolves nothing.
package observed

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/blang/semver/v4"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/fixes"
	"github.com/resolvent/resolvent/resolver/internal/code"
	"github.com/resolvent/resolvent/resolver/internal/fix"
	"github.com/resolvent/resolvent/resolver/internal/inventory"
	"github.com/resolvent/resolvent/resolver/internal/model"
	"github.com/resolvent/resolvent/resolver/internal/route"
	"github.com/resolvent/resolvent/resolver/internal/words"
	"github.com/resolvent/resolvent/resolver/internal/world"
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
	o := &observed{namespace: known.In(request.Namespace), request: s}
	o.plan = inventory.Named(o.namespace.InstallPlans, s.Observed.InstallPlan, func(p *cluster.InstallPlan) string { return p.Name })
	names := []string{s.InstalledCSV, s.Observed.CurrentCSV}
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		if v := inventory.CSV(o.namespace, name); v != nil && !inventory.Copied(v) {
			o.csvs = append(o.csvs, v)
		}
	}
	return o
}

// Note notes in the rows of one scope what OLM states of their requests. It overrides the state
// of a request that has no cause of its own to fail.
func Note(rows []updates.Status, known *cluster.Index) {
	var manual []string
	if len(rows) > 0 {
		for _, s := range known.In(rows[0].Request.Namespace).Subscriptions {
			if s.Manual {
				manual = append(manual, s.Key().String())
			}
		}
	}
	if n := len(manual) - words.MaxNamed + 1; n > 1 { // each row names them
		manual = append(manual[:words.MaxNamed-1], fmt.Sprintf("%d more", n))
	}
	for i := range rows {
		note(&rows[i], known, manual)
	}
}

// note notes in a row what OLM states of its request. The Subscriptions named manual are those
// of its namespace with manual approval.
func note(row *updates.Status, known *cluster.Index, manual []string) {
	row.Conditions = conditions(known, row.Request)
	if _, catalogs := errors.AsType[*result.CatalogsUnhealthy](row.Err); catalogs || row.FailsItself() {
		if o := observe(known, row.Request); o != nil {
			if f, stated := first(o.facts()); stated && f.object.Kind == code.ObjectCSV && f.row.State == updates.Unhealthy {
				row.Repair = o.repair(f) // it fails whatever catalogs have
			}
			_, invalid := errors.AsType[*result.InvalidInput](row.Err)
			if invalid && len(o.namespace.Groups) > 1 && row.Repair != nil && row.Repair.Kind == code.RepairOnceGroupFits {
				row.Repair = nil // the failure names the groups
			}
		}
		return
	}
	if e := known.Extension(row.Request.Extension()); e != nil {
		object := fixes.Object{Kind: code.ObjectExtension, Name: e.Name}
		if f, ok := first(factsOf(object, e.Conditions)); ok {
			said := []string{strings.TrimSuffix(f.message, "."), unavailable(e.Conditions)}
			f.message = strings.Join(slices.DeleteFunc(said, func(s string) bool { return s == "" }), "; ")
			row.State, row.Why, row.Repair = f.row.State, model.Fact(f.reason("")), f.repair()
		}
	} else if o := observe(known, row.Request); o != nil {
		if !o.request.Manual {
			o.manual = manual
		}
		o.note(row, known)
	}
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

// note notes in the row what OLM states.
func (o *observed) note(row *updates.Status, known *cluster.Index) {
	made, replaced := o.made()
	f, stated := first(o.facts())
	switch {
	case stated && f.row.State == updates.Unhealthy:
		row.State, row.Why, row.Repair = f.row.State, model.Fact(f.reason(o.waiting())), o.repair(f)
		if len(row.Fixes) > 0 && f.row.Way == code.RepairOnceGroupFits {
			row.Repair = nil // the fixes say how
		}
		if row.Next == "" && len(row.Fixes) > 0 && row.Fixes[0].FailsForward() { // it comes after the repair, too
			for _, u := range row.Fixes[0].Then.Updates {
				if u.From.Bundle.Name == row.Installed {
					row.Next = u.To.Bundle.Name
				}
			}
		}
	case made != nil && o.holds(made, replaced):
		o.hold(row, made, replaced)
	case stated && f.row.State == updates.PendingApproval:
		o.await(row)
	case stated:
		row.State, row.Why = f.row.State, model.Fact(f.reason(o.waiting()))
		row.Help = fixes.Help{Home: row.Home, Conditions: row.Conditions, Repair: o.repair(f)} // what would help is about the update after this one
		if made != nil {
			o.update(row, made, replaced)
		}
		o.forward(row)
	case row.State == updates.AtDeadEnd, row.State == updates.Blocked:
		Runs(&row.Help, known, row.Request)
	case row.Next != "" && (o.request.Manual || len(o.manual) > 0):
		row.Why = model.Fact(result.New(code.Approval, result.Args{Names: o.manual}))
	}
}

// fact is one thing that OLM states of an object.
type fact struct {
	row    Written
	object fixes.Object
	// reason and message are those beside it; unmet is what is missing.
	why, message string
	unmet        []string
}

// first returns the fact whose state applies first, and whether there is any.
func first(facts []fact) (f fact, ok bool) {
	at := len(updates.States)
	for _, g := range facts {
		if i := slices.Index(updates.States, g.row.State); i >= 0 && i < at {
			f, at = g, i
		}
	}
	return f, at < len(updates.States)
}

// factsOf returns what the conditions of an object state.
func factsOf(object fixes.Object, conditions []cluster.Condition) (facts []fact) {
	for _, c := range conditions {
		f := fact{row: written(object.Kind, c.Type+"="+c.Status, c.Reason), object: object, message: c.Message}
		if c.Reason != c.Type { // else it is named already
			f.why = c.Reason
		}
		facts = append(facts, f)
	}
	return facts
}

// facts returns what OLM states, the most telling object first.
func (o *observed) facts() (facts []fact) {
	for _, v := range o.csvs {
		f := fact{row: written(code.ObjectCSV, v.Phase, v.Reason), object: o.object(code.ObjectCSV, v.Name), why: v.Reason, message: v.Message}
		for _, u := range v.Unmet {
			f.unmet = append(f.unmet, u.String())
		}
		facts = append(facts, f)
	}
	subscription := o.object(code.ObjectSubscription, o.request.Name)
	facts = append(facts, factsOf(subscription, o.request.Observed.Conditions)...)
	if o.plan != nil && (o.plan.Phase != phaseRequiresApproval || o.waits()) {
		f := fact{row: written(code.ObjectInstallPlan, o.plan.Phase, ""), object: o.object(code.ObjectInstallPlan, o.plan.Name)}
		if len(o.plan.Conditions) > 0 {
			f.why, f.message = o.plan.Conditions[0].Reason, o.plan.Conditions[0].Message
		}
		facts = append(facts, f)
	}
	return append(facts, fact{row: written(code.ObjectSubscription, o.request.Observed.State, ""), object: subscription})
}

const phaseRequiresApproval = "RequiresApproval"

// waiting names the InstallPlan if it waits for approval.
func (o *observed) waiting() string {
	if !o.waits() {
		return ""
	}
	return "InstallPlan " + o.plan.Name
}

// reason returns the reason that states the fact. waiting names what waits for approval.
func (f *fact) reason(waiting string) result.Reason {
	args := result.Args{Subject: f.object.Kind + " " + f.object.Name, Said: said(f.why, f.message), Other: waiting, Names: f.unmet}
	of, status, is := f.row.condition()
	switch {
	case !is && f.object.Kind == code.ObjectSubscription:
		args.Has = "state " + f.row.Is
	case !is:
		args.Has = "phase " + f.row.Is
	default:
		if args.Has = of; status != "True" || f.object.Kind == code.ObjectExtension {
			args.Limit = status
		}
		return result.New(code.HasCondition, args)
	}
	return result.New(code.InPhase, args)
}

// repair returns what ends the state of the fact, nil if OLM does not say it.
func (f *fact) repair() *fixes.Repair {
	r := &fixes.Repair{Kind: f.row.Way, Object: f.object, Namespace: f.object.Namespace}
	if m := unsafe.FindStringSubmatch(f.message); m != nil {
		r.Kind, r.Name = code.RepairDefinition, m[1]
	}
	if r.Kind == "" {
		return nil
	}
	return r
}

// forbidden is how an API server refuses a user, and immutable how it refuses another Deployment;
// unsafe is how OLM v1 refuses another version of a CustomResourceDefinition.
var (
	unsafe    = regexp.MustCompile(`upgrade for CRD "([^"]+)"`)
	forbidden = regexp.MustCompile(`User "([^"]+)" cannot (\w+) resource "([^"]+)" in API group "([^"]*)" (at the cluster scope|in the namespace "[^"]+")`)
	immutable = regexp.MustCompile(`Deployment\.apps "([^"]+)" is invalid: .*field is immutable`)
)

// repair returns what ends the state of a fact, with the objects that it takes.
func (o *observed) repair(f fact) *fixes.Repair {
	r := fixes.Repair{Kind: f.row.Way, Object: f.object, Namespace: f.object.Namespace, Is: f.row.Is, Stated: words.Shortened(words.OneLine(said(f.why, f.message)), maxStated)}
	if f.object.Kind != code.ObjectCSV && o.plan != nil && o.plan.Phase == phaseFailed {
		r.Plan = o.plan.Name
		for _, v := range o.csvs { // an update leaves what it replaces
			if slices.Contains(o.plan.CSVs, v.Name) && inventory.CSV(o.namespace, v.Replaces) == nil {
				r.Made, r.Request = v.Name, o.request.Name
			}
		}
	}
	switch v := o.csv(f.object); {
	case v != nil && v.Phase == phasePending && v.Replaces == v.Name:
		r.Kind = code.RepairReplacesItself
	case v != nil && v.Phase == phasePending && o.phaseOf(v.Replaces) == phaseFailed:
		failed := inventory.CSV(o.namespace, v.Replaces)
		if r.Kind, r.Name, r.Said = code.RepairReplacesFailed, v.Replaces, said(failed.Reason, failed.Message); len(o.namespace.Groups) == 1 && o.namespace.Groups[0].FailForward {
			r.Kind = code.RepairGoesOn
		}
	case r.Kind == code.RepairOnceGroupFits && len(o.namespace.Groups) > 1:
		r.Said = words.Listed(words.Mapped(o.namespace.Groups, func(g cluster.OperatorGroup) string { return g.Name }), words.MaxNamed)
	case v != nil && r.Kind == code.RepairOnceMet && v.Metadata.KubeFault() != nil:
		r.Kind = code.RepairOnlyPublisher
	case r.Kind == code.RepairOnceMet && ownCRD(v) != "" && (o.plan == nil || o.plan.Phase == "Complete"):
		r.Kind, r.Name = code.RepairOwnCRD, ownCRD(v)
	case r.Kind == code.RepairOnceUpgradeable:
		if _, known := o.upgradeable(v.Replaces); known {
			r.Name = v.Replaces
		}
	case v != nil && v.Phase == phaseFailed && v.Reason == "" && v.Message == "":
		r.Kind = code.RepairNoReason
	case f.row.State == updates.Unhealthy:
		if m := forbidden.FindStringSubmatch(f.message); m != nil {
			r.Kind, r.Name, r.Said = code.RepairRights, m[1], m[2]+" "+strings.TrimSuffix(m[3]+"."+m[4], ".")+" "+m[5]
		} else if m := immutable.FindStringSubmatch(f.message); m != nil && v != nil {
			r.Kind, r.Name = code.RepairDeployment, m[1]
		} else if r.Kind == code.RepairNewPlan && strings.Contains(f.message, "unpack") {
			r.Kind = code.RepairUnpackAgain
		}
	}
	if r.Kind == code.RepairUnpackAgain {
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

// maxStated is how much of what OLM states is quoted, in bytes.
const maxStated = 300

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
func (o *observed) csv(object fixes.Object) *cluster.ClusterServiceVersion {
	if object.Kind != code.ObjectCSV {
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
		state := written(code.ObjectCSV, v.Phase, v.Reason).State
		if state != updates.Pending && state != updates.Installing {
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

// update notes in the row that a bundle runs, and which one OLM puts in its place.
func (o *observed) update(row *updates.Status, made, replaced *cluster.ClusterServiceVersion) {
	if row.Steps > 0 || made.Name == row.Head {
		row.Steps++
	}
	row.Installed, row.Next = replaced.Name, made.Name
}

// hold notes in the row that an update waits for the operator that runs. Its fix overrides
// what the operator states.
func (o *observed) hold(row *updates.Status, made, replaced *cluster.ClusterServiceVersion) {
	o.update(row, made, replaced)
	row.State, row.Help = updates.Held, fixes.Help{Home: row.Home, Conditions: row.Conditions}
	args := result.Args{Subject: made.Name, Other: replaced.Name, Said: made.Message}
	condition, _ := o.upgradeable(replaced.Name)
	if condition != nil {
		hold := &result.Hold{Reason: condition.Reason, Message: condition.Message}
		args.Said, args.Err = "", hold
		step := fix.Override(o.namespace, o.object(code.ObjectCondition, replaced.Name))
		row.Fixes = []fixes.Fix{{
			Changes: []fixes.Change{{Object: step.Object, Steps: []fixes.Step{step}}}, Class: fixes.ClassOverrides, Risk: code.RiskOverrides,
			Cautions: []fixes.Caution{{Kind: code.CautionHeld, Names: []string{replaced.Name}, Said: fix.SaidBy(condition)}},
			Then:     fixes.Difference{Updates: []fixes.Update{{From: version(row.Package, replaced), To: version(row.Package, made)}}},
		}}
	}
	row.Why = model.Fact(result.New(code.HeldUpdate, args))
}

// forward notes in the row of a bundle that waits for a failed one, which it replaces, the fix
// with which OLM moves on from that.
func (o *observed) forward(row *updates.Status) {
	if row.Repair == nil || o.phaseOf(row.Repair.Name) != phaseFailed {
		return
	}
	made, failed := o.csv(row.Repair.Object), inventory.CSV(o.namespace, row.Repair.Name)
	o.update(row, made, failed)
	if step := fix.Forward(o.namespace); step != nil {
		row.Fixes = []fixes.Fix{{
			Changes: []fixes.Change{{Object: step.Object, Steps: []fixes.Step{*step}}}, Class: fixes.ClassOverrides, Risk: code.RiskOverrides,
			Cautions: []fixes.Caution{fix.FailedIn(o.namespace)},
			Then:     fixes.Difference{Updates: []fixes.Update{{From: version(row.Package, failed), To: version(row.Package, made)}}},
		}}
	}
}

// Waiting returns the name of the InstallPlan of a request that waits for approval, empty if there
// is none, and whether it brings a bundle.
func Waiting(known *cluster.Index, request cluster.RequestKey, bundle string) (plan string, brings bool) {
	if o := observe(known, request); o != nil && o.waits() {
		return o.plan.Name, slices.Contains(o.plan.CSVs, bundle)
	}
	return "", false
}

// version returns a ClusterServiceVersion as the version of a package.
func version(pkg string, of *cluster.ClusterServiceVersion) fixes.Version {
	v := fixes.Version{Bundle: catalog.BundleKey{Name: of.Name}}
	if parsed, err := semver.Parse(of.Version); err == nil {
		v.Bundle.Package, v.Version = pkg, &parsed
	}
	return v
}

// Runs notes in a help without a fix that is free of risks what requests have installed, if all
// of that works.
func Runs(help *fixes.Help, known *cluster.Index, requests ...cluster.RequestKey) {
	if len(help.Fixes) > 0 && help.Fixes[0].Class <= fixes.ClassGivesUp {
		return
	}
	var names []string
	for _, key := range requests {
		name, works := route.InstalledFor(known, key), false
		if e := known.Extension(key.Extension()); e != nil {
			works = len(conditions(known, key)) == 0
		} else if v := inventory.CSV(known.In(key.Namespace), name); v != nil {
			works = v.Phase == world.PhaseSucceeded
		}
		switch {
		case name == "":
		case !works:
			return
		default:
			names = append(names, name)
		}
	}
	help.Runs = words.Distinct(names)
}

// State notes in a help the bad conditions of requests and their objects.
func State(help *fixes.Help, known *cluster.Index, requests ...cluster.RequestKey) {
	for _, request := range requests {
		help.Conditions = words.Distinct(append(help.Conditions, conditions(known, request)...))
		if len(help.Conditions) >= maxConditions {
			help.Conditions = help.Conditions[:maxConditions]
			return
		}
	}
}

// Repair returns what to do in a namespace in which both bundles of an update count, as it failed
// or is not done; nil if there is none.
func Repair(known *cluster.Index, namespace string) *fixes.Repair {
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
		f, ok := first(slices.DeleteFunc(o.facts(), func(f fact) bool { return f.object.Kind != code.ObjectCSV }))
		if v := o.csv(f.object); ok && v != nil && counts(v.Name) && (v.Replaces != v.Name && counts(v.Replaces) || counts(inventory.ReplacedBy(n, v.Name))) {
			return o.repair(f)
		}
	}
	return nil
}

const phaseReplacing = "Replacing"

// maxConditions is the number of conditions that are quoted.
const maxConditions = 100

func (o *observed) waits() bool { return o.plan != nil && o.plan.Waits() }

func (o *observed) object(kind string, name string) fixes.Object {
	return fixes.Object{Kind: kind, Namespace: o.request.Namespace, Name: name}
}

// wrong returns the bad conditions of an object. A condition is bad if it is True. There
// are exceptions: Installed is bad if it is False, Available unless it is True, and
// Progressing unless its reason is Succeeded.
func wrong(of fixes.Object, conditions []cluster.Condition) (list []fixes.Condition) {
	for _, c := range conditions {
		right := c.Status != "True"
		switch c.Type {
		case "Installed":
			right = c.Status != "False"
		case "Progressing":
			right = c.Reason == "Succeeded"
		case "Available":
			right = c.Status == "True"
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
	if e := known.Extension(request.Extension()); e != nil {
		return wrong(fixes.Object{Kind: code.ObjectExtension, Name: e.Name}, e.Conditions)
	}
	o := observe(known, request)
	if o == nil {
		return nil
	}
	list := wrong(o.object(code.ObjectSubscription, o.request.Name), o.request.Observed.Conditions)
	if o.plan != nil {
		plan := o.object(code.ObjectInstallPlan, o.plan.Name)
		if o.waits() || o.plan.Phase == phaseFailed {
			list = append(list, fixes.Condition{Object: plan, Type: o.plan.Phase})
		}
		list = append(list, wrong(plan, o.plan.Conditions)...)
	}
	for _, v := range o.csvs {
		if v.Phase != "" && v.Phase != world.PhaseSucceeded {
			list = append(list, fixes.Condition{Object: o.object(code.ObjectCSV, v.Name), Type: v.Phase, Reason: v.Reason, Message: v.Message})
		}
	}
	return list
}

const phaseFailed = "Failed"

// await notes that an InstallPlan waits for approval. Its fix approves the plan, with the
// effect on all Subscriptions that the plan serves.
func (o *observed) await(row *updates.Status) {
	row.State, row.Why = updates.PendingApproval, model.Fact(result.New(code.PendingApproval, result.Args{Subject: "InstallPlan " + o.plan.Name, Names: o.manual}))
	switch names := o.plan.CSVs; {
	case slices.Contains(names, o.request.Observed.CurrentCSV):
		row.Next = o.request.Observed.CurrentCSV
	case !slices.Contains(names, row.Next) && len(names) == 1:
		row.Next = names[0]
	case !slices.Contains(names, row.Next):
		row.Next = ""
	}
	plan := o.object(code.ObjectInstallPlan, o.plan.Name)
	approve := fixes.Fix{Changes: []fixes.Change{{Object: plan, Steps: []fixes.Step{{Object: plan, Field: code.FieldApproved, From: false, To: true}}}}, Class: fixes.ClassSafe, Approval: row.Head != "" && row.Next != row.Head}
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
			approve.Then.Updates = append(approve.Then.Updates, fixes.Update{From: from, To: to})
		default:
			approve.Then.Installs = append(approve.Then.Installs, to)
		}
	}
	row.Fixes = []fixes.Fix{approve}
}
