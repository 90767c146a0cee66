package resolver

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/resolvent/resolvent/solver"
)

// explain turns a minimal core into a typed failure, without fixes.
func explain(m *model, core []solver.Reason) *NotSatisfiable {
	m.doing = explaining
	e := &NotSatisfiable{Namespace: strings.Join(m.namespaces, ", "), Extension: m.extension, printer: m.options.Printer}
	for _, r := range core {
		e.Constraints = append(e.Constraints, reasonOf(m, r))
	}
	e.Explanation = derive(m, core)
	return e
}

// reasonOf states one member of a core in words.
func reasonOf(m *model, r solver.Reason) Reason {
	switch r.Kind {
	case solver.KindGiven:
		p := m.of(r.Var)
		out := p.bundleReason(ReasonInstalled, r.Var)
		out.Message = fmt.Sprintf("%s is installed%s, and no Subscription names it: it must stay", out.Bundle, p.here())
		return out
	case solver.KindRoot:
		p, asked := m.root(r.Rule)
		return p.requestReason(asked)
	case solver.KindRule:
		p, o := m.originOf(r.Var, r.Rule)
		return p.ruleReason(o)
	case solver.KindGroup:
		return groupReason(m.grouped(r.Group))
	case solver.KindSelect:
		p := m.of(r.Var)
		out := p.bundleReason(ReasonSelected, r.Var)
		out.Message = fmt.Sprintf("%s%s was chosen before", out.Bundle, p.here())
		return out
	case solver.KindHold:
		return Reason{Kind: ReasonCommitted, Message: "an alternative of a constraint was decided for before"}
	}
	return Reason{Message: r.String()}
}

func (p *problem) requestReason(r *request) Reason {
	if r.extension != nil {
		return p.extensionReason(r)
	}
	s := r.subscription
	out := Reason{Kind: ReasonSubscription, Namespace: p.home(), Subject: s.Name, Package: s.Package}
	switch {
	case r.fault != nil:
		out.Message = fmt.Sprintf("Subscription %s cannot be met%s: %s", s.Name, p.here(), p.faultText(r))
	case p.holds(r):
		out.Kind = ReasonHold
		out.Message = p.requestText(r)
	default:
		out.Message = p.requestText(r) + ": " + p.listText(r.candidates)
	}
	return out
}

// holds reports whether the request may not be updated now.
func (p *problem) holds(r *request) bool { return r.current >= 0 && p.installed[r.current].held() }

// requestText says what a request asks for, without the bundles that can meet
// it.
func (p *problem) requestText(r *request) string {
	if e := r.extension; e != nil {
		text := fmt.Sprintf("ClusterExtension %s asks for package %s", e.Name, e.Package)
		if len(e.Channels) > 0 {
			text += " in channel" + plural(len(e.Channels)) + " " + either(e.Channels, maxNamed)
		}
		if e.Version != "" {
			text += " in version " + e.Version
		}
		if e.Installed != nil {
			text += "; " + e.Installed.Name + " is installed"
		}
		return text
	}
	s := r.subscription
	if p.holds(r) {
		b := &p.installed[r.current]
		return fmt.Sprintf("Subscription %s%s must keep %s: its operator is not upgradeable%s", s.Name, p.here(), b.name(), conditionText(b.hold))
	}
	text := fmt.Sprintf("Subscription %s%s asks for package %s%s", s.Name, p.here(), s.Package, s.channelText())
	if s.Catalog != "" {
		text += " of catalog " + s.catalogText()
	}
	switch {
	case r.current >= 0:
		text += "; " + p.installed[r.current].name() + " is installed"
	case s.StartingCSV != "":
		text += ", startingCSV " + s.StartingCSV
	}
	return text
}

func (s *Subscription) channelText() string {
	if s.Channel == "" {
		return ""
	}
	return " in channel " + s.Channel
}

// listText names bundles, shortened where they are many.
func (p *problem) listText(list []solver.Var) string {
	var parts []string
	for _, of := range byPackage(refs(p.model, list)) {
		parts = append(parts, describe(of, true))
	}
	text := either(parts, maxNamed) + " can meet it"
	if len(list) == 1 {
		return "only " + text
	}
	return text
}

// byPackage splits bundles by namespace and package, and installed ones from
// others, in the order of first places.
func byPackage(list []BundleRef) [][]BundleRef {
	type key struct {
		namespace string
		pkg       string
		installed bool
	}
	var parts [][]BundleRef
	at := map[key]int{}
	for _, b := range list {
		k := key{b.Namespace, b.Package, b.Installed}
		i, ok := at[k]
		if !ok {
			i = len(parts)
			at[k] = i
			parts = append(parts, nil)
		}
		parts[i] = append(parts[i], b)
	}
	return parts
}

func (p *problem) bundleReason(kind ReasonKind, v solver.Var) Reason {
	b := p.ref(v)
	return Reason{Kind: kind, Namespace: b.Namespace, Subject: b.Name, Bundle: b.Name, Package: b.Package, Version: b.Version, Catalog: b.Catalog}
}

func (p *problem) ruleReason(o origin) Reason {
	out := p.bundleReason(o.kind, o.bundle)
	name := out.Bundle + p.here()
	switch o.kind {
	case ReasonDependency:
		e := p.constraintOf(o).Expr
		out.Constraint, out.FailureMessage = e.String(), e.FailureMessage()
		out.Message = fmt.Sprintf("%s requires %s", name, e)
		if out.FailureMessage != "" {
			out.Message += " (" + oneLine(out.FailureMessage) + ")"
		}
	case ReasonReplaces:
		out.Message = fmt.Sprintf("%s takes the place of %s", name, p.replacedText(o.bundle))
	default:
		out.Message = fmt.Sprintf("%s %s", name, o.detail)
	}
	return out
}

// replacedText names what an update excludes.
func (p *problem) replacedText(v solver.Var) string {
	names := make([]string, 0, 1)
	for _, cur := range p.excludes[v] {
		names = append(names, p.nameOf(cur))
	}
	slices.Sort(names)
	return listed(names, maxNamed)
}

// groupReason states that a group of a problem has one selected member at most;
// that of no problem is one of the cluster.
func groupReason(p *problem, k groupKey) Reason {
	out := Reason{Kind: k.kind, Subject: k.name}
	scope := "a namespace"
	switch {
	case p == nil || p.extension != nil:
		scope = "a cluster"
	case p.model.joint():
		out.Namespace, scope = p.namespace, "namespace "+p.namespace
	}
	switch k.kind {
	case ReasonOnePackage:
		out.Package = k.name
		out.Message = fmt.Sprintf("%s has at most one bundle of package %s", scope, k.name)
	case ReasonOneName:
		out.Bundle = k.name
		out.Message = fmt.Sprintf("%s has at most one bundle named %s", scope, k.name)
	case ReasonOneAPI:
		out.API, out.Subject = k.api, apiName(k.api)
		out.Message = fmt.Sprintf("%s has at most one provider of %s", scope, apiText(k.api))
	}
	return out
}

func (p *problem) extensionReason(r *request) Reason {
	e := r.extension
	out := Reason{Kind: ReasonExtension, Subject: e.Name, Package: e.Package}
	if r.fault != nil {
		out.Message = fmt.Sprintf("ClusterExtension %s cannot be met: %s", e.Name, p.extensionFaultText(r))
		return out
	}
	out.Message = p.requestText(r) + ": " + p.listText(r.candidates)
	return out
}

// failure turns the solver's error into the resolver's.
func failure(m *model, err error) error {
	if unsatisfiable, ok := errors.AsType[*solver.Unsatisfiable](err); ok {
		return explain(m, unsatisfiable.Core)
	}
	if large, ok := errors.AsType[*solver.TooLarge](err); ok {
		return tooLarge(m.subject(), large.What, large.Limit)
	}
	return solverFailure(err)
}

// solverFailure turns any other error of the solver into the resolver's.
func solverFailure(err error) error {
	if incomplete, ok := errors.AsType[*solver.Incomplete](err); ok {
		return &Incomplete{Phase: solverPhases[incomplete.Phase], Err: incomplete.Err}
	}
	return &Internal{Err: err}
}

// solverPhases are the stages of the solver as an *Incomplete names them.
var solverPhases = map[solver.Phase]string{
	solver.PhaseEncode:   "writing down what has to hold",
	solver.PhaseSearch:   "searching",
	solver.PhaseMinimise: "looking for the least reasons of a failure",
}
