// Package explain turns the core of a failure into an Explanation: along the
// obligations from the requests to the bundles that cannot be selected, each node
// a typed reason. It also says why a bundle is selected, and why another is not.
package explain

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/candidate"
	"github.com/resolvent/resolvent/resolver/internal/encode"
	"github.com/resolvent/resolvent/resolver/internal/missing"
	"github.com/resolvent/resolvent/resolver/internal/pace"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/solver"
)

// Explain turns a minimal core into a typed failure, without fixes.
func Explain(m *encode.Model, core []solver.Reason) *result.NotSatisfiable {
	m.Doing = pace.Explaining
	e := &result.NotSatisfiable{Namespace: strings.Join(m.Namespaces, ", "), Extension: m.Extension, Printer: m.Options.Printer}
	for _, r := range core {
		e.Constraints = append(e.Constraints, ReasonOf(m, r))
	}
	e.Explanation = derive(m, core)
	return e
}

// ReasonOf states one member of a core in words.
func ReasonOf(m *encode.Model, r solver.Reason) result.Reason {
	switch r.Kind {
	case solver.KindGiven:
		p := m.Of(r.Var)
		out := bundleReason(p, result.ReasonInstalled, r.Var)
		out.Message = fmt.Sprintf("%s is installed%s, and no Subscription names it: it must stay", out.Bundle, p.Here())
		return out
	case solver.KindRoot:
		p, asked := m.Root(r.Rule)
		return requestReason(p, asked)
	case solver.KindRule:
		p, o := m.OriginOf(r.Var, r.Rule)
		return ruleReason(p, o)
	case solver.KindGroup:
		return GroupReason(m.Grouped(r.Group))
	case solver.KindSelect:
		p := m.Of(r.Var)
		out := bundleReason(p, result.ReasonSelected, r.Var)
		out.Message = fmt.Sprintf("%s%s was chosen before", out.Bundle, p.Here())
		return out
	case solver.KindHold:
		return result.Reason{Kind: result.ReasonCommitted, Message: "an alternative of a constraint was decided for before"}
	}
	return result.Reason{Message: r.String()}
}

func requestReason(p *encode.Part, r *encode.Request) result.Reason {
	if r.Extension != nil {
		return extensionReason(p, r)
	}
	s := r.Subscription
	out := result.Reason{Kind: result.ReasonSubscription, Namespace: p.JointNamespace(), Subject: s.Name, Package: s.Package}
	switch {
	case r.Fault != nil:
		out.Message = fmt.Sprintf("Subscription %s cannot be met%s: %s", s.Name, p.Here(), missing.FaultText(p, r))
	case p.Holds(r):
		out.Kind = result.ReasonHold
		out.Message = requestText(p, r)
	default:
		out.Message = requestText(p, r) + ": " + listText(p, r.Candidates)
	}
	return out
}

// requestText says what a request asks for, without the bundles that can meet
// it.
func requestText(p *encode.Part, r *encode.Request) string {
	if e := r.Extension; e != nil {
		text := fmt.Sprintf("ClusterExtension %s asks for package %s", e.Name, e.Package)
		if len(e.Channels) > 0 {
			text += " in channel" + result.Plural(len(e.Channels)) + " " + result.Either(e.Channels, result.MaxNamed)
		}
		if e.Version != "" {
			text += " in version " + e.Version
		}
		if e.Installed != nil {
			text += "; " + e.Installed.Name + " is installed"
		}
		return text
	}
	s := r.Subscription
	if p.Holds(r) {
		b := &p.Installed[r.Current]
		return fmt.Sprintf("Subscription %s%s must keep %s: its operator is not upgradeable%s", s.Name, p.Here(), b.Name(), result.ConditionText(b.Hold))
	}
	text := fmt.Sprintf("Subscription %s%s asks for package %s%s", s.Name, p.Here(), s.Package, channelText(s))
	if s.Catalog != "" {
		text += " of catalog " + missing.CatalogText(s)
	}
	switch {
	case r.Current >= 0:
		text += "; " + p.Installed[r.Current].Name() + " is installed"
	case s.StartingCSV != "":
		text += ", startingCSV " + s.StartingCSV
	}
	return text
}

func channelText(s *cluster.Subscription) string {
	if s.Channel == "" {
		return ""
	}
	return " in channel " + s.Channel
}

// listText names bundles, shortened where they are many.
func listText(p *encode.Part, list []solver.Var) string {
	var parts []string
	for _, of := range byPackage(encode.Refs(p.Model, list)) {
		parts = append(parts, result.Describe(of, true))
	}
	text := result.Either(parts, result.MaxNamed) + " can meet it"
	if len(list) == 1 {
		return "only " + text
	}
	return text
}

// byPackage splits bundles by namespace and package, and installed ones from
// others, in the order of first places.
func byPackage(list []result.BundleRef) [][]result.BundleRef {
	type key struct {
		namespace string
		pkg       string
		installed bool
	}
	var parts [][]result.BundleRef
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

func bundleReason(p *encode.Part, kind result.ReasonKind, v solver.Var) result.Reason {
	b := p.Ref(v)
	return result.Reason{Kind: kind, Namespace: b.Namespace, Subject: b.Name, Bundle: b.Name, Package: b.Package, Version: b.Version, Catalog: b.Catalog}
}

func ruleReason(p *encode.Part, o encode.Origin) result.Reason {
	out := bundleReason(p, o.Kind, o.Bundle)
	name := out.Bundle + p.Here()
	switch o.Kind {
	case result.ReasonDependency:
		e := p.ConstraintOf(o).Expr
		out.Constraint, out.FailureMessage = e.String(), e.FailureMessage()
		out.Message = fmt.Sprintf("%s requires %s", name, e)
		if out.FailureMessage != "" {
			out.Message += " (" + result.OneLine(out.FailureMessage) + ")"
		}
	case result.ReasonReplaces:
		out.Message = fmt.Sprintf("%s takes the place of %s", name, replacedText(p, o.Bundle))
	default:
		out.Message = fmt.Sprintf("%s %s", name, o.Detail)
	}
	return out
}

// replacedText names what an update excludes.
func replacedText(p *encode.Part, v solver.Var) string {
	names := make([]string, 0, 1)
	for _, cur := range p.Excludes[v] {
		names = append(names, p.NameOf(cur))
	}
	slices.Sort(names)
	return result.Listed(names, result.MaxNamed)
}

// GroupReason states that a group of a problem has one selected member at most;
// that of no problem is one of the cluster.
func GroupReason(p *encode.Part, k candidate.GroupKey) result.Reason {
	out := result.Reason{Kind: k.Kind, Subject: k.Name}
	scope := "a namespace"
	switch {
	case p == nil || p.Extension != nil:
		scope = "a cluster"
	case p.Model.Joint():
		out.Namespace, scope = p.Namespace, "namespace "+p.Namespace
	}
	switch k.Kind {
	case result.ReasonOnePackage:
		out.Package = k.Name
		out.Message = fmt.Sprintf("%s has at most one bundle of package %s", scope, k.Name)
	case result.ReasonOneName:
		out.Bundle = k.Name
		out.Message = fmt.Sprintf("%s has at most one bundle named %s", scope, k.Name)
	case result.ReasonOneAPI:
		out.API, out.Subject = k.API, result.APIName(k.API)
		out.Message = fmt.Sprintf("%s has at most one provider of %s", scope, result.APIText(k.API))
	}
	return out
}

func extensionReason(p *encode.Part, r *encode.Request) result.Reason {
	e := r.Extension
	out := result.Reason{Kind: result.ReasonExtension, Subject: e.Name, Package: e.Package}
	if r.Fault != nil {
		out.Message = fmt.Sprintf("ClusterExtension %s cannot be met: %s", e.Name, missing.ExtensionFaultText(p, r))
		return out
	}
	out.Message = requestText(p, r) + ": " + listText(p, r.Candidates)
	return out
}

// Failure turns the solver's error into the resolver's.
func Failure(m *encode.Model, err error) error {
	if unsatisfiable, ok := errors.AsType[*solver.Unsatisfiable](err); ok {
		return Explain(m, unsatisfiable.Core)
	}
	if large, ok := errors.AsType[*solver.TooLarge](err); ok {
		return result.PastLimit(m.Subject(), large.What, large.Limit)
	}
	return solverFailure(err)
}

// solverFailure turns any other error of the solver into the resolver's.
func solverFailure(err error) error {
	if incomplete, ok := errors.AsType[*solver.Incomplete](err); ok {
		return &result.Incomplete{Phase: solverPhases[incomplete.Phase], Err: incomplete.Err}
	}
	return &result.Internal{Err: err}
}

// solverPhases are the stages of the solver as an *Incomplete names them.
var solverPhases = map[solver.Phase]string{
	solver.PhaseEncode:   "writing down what has to hold",
	solver.PhaseSearch:   "searching",
	solver.PhaseMinimise: "looking for the least reasons of a failure",
}
