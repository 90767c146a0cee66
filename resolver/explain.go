package resolver

import (
	"fmt"
	"slices"
	"strings"

	"github.com/resolvent/resolvent/solver"
)

// explain turns a minimal core of the problem into a typed failure.
func (p *problem) explain(core []solver.Reason) *NotSatisfiable {
	e := &NotSatisfiable{Namespace: p.namespace}
	for _, r := range core {
		e.Constraints = append(e.Constraints, p.reason(r))
	}
	e.Explanation = &Explanation{Text: fmt.Sprintf("namespace %s cannot be resolved", p.namespace)}
	for i := range e.Constraints {
		e.Explanation.Because = append(e.Explanation.Because, &Explanation{Reason: &e.Constraints[i], Text: e.Constraints[i].Message})
	}
	if len(e.Constraints) > 0 {
		e.Explanation.Text += ": " + e.Constraints[0].Message
	}
	return e
}

// reason states one member of a core in words.
func (p *problem) reason(r solver.Reason) Reason {
	switch r.Kind {
	case solver.KindGiven:
		b := p.asInstalled(r.Var)
		out := p.bundleReason(ReasonInstalled, r.Var)
		out.Message = fmt.Sprintf("%s is installed, and no Subscription names it: it must stay", b.name())
		return out
	case solver.KindRoot:
		return p.requestReason(&p.requests[r.Rule])
	case solver.KindRule:
		return p.ruleReason(p.origins[p.Rules(r.Var)[r.Rule].Origin])
	case solver.KindGroup:
		return p.groupReason(p.universe.groups.key(r.Group))
	}
	return Reason{Message: r.String()}
}

func (p *problem) requestReason(r *request) Reason {
	if r.extension != nil {
		return p.extensionReason(r)
	}
	s := r.subscription
	out := Reason{Kind: ReasonSubscription, Subject: s.Name, Package: s.Package}
	switch {
	case r.fault != nil:
		out.Message = fmt.Sprintf("Subscription %s cannot be met: %s", s.Name, p.faultText(r))
	case r.current >= 0 && p.installed[r.current].held():
		hold := p.installed[r.current].hold
		out.Kind = ReasonHold
		out.Message = fmt.Sprintf("Subscription %s must keep %s: its operator is not upgradeable (%s)",
			s.Name, p.installed[r.current].name(), strings.TrimSpace(hold.Reason+" "+hold.Message))
	default:
		out.Message = fmt.Sprintf("Subscription %s asks for package %s%s: %s", s.Name, s.Package, s.channelText(), p.listText(r.candidates))
	}
	return out
}

func (s *Subscription) channelText() string {
	if s.Channel == "" {
		return ""
	}
	return " in channel " + s.Channel
}

// listText names bundles, shortened where they are many.
func (p *problem) listText(list []solver.Var) string {
	const shown = 3
	names := make([]string, 0, shown+1)
	for _, v := range list[:min(len(list), shown)] {
		names = append(names, p.nameOf(v))
	}
	switch n := len(list); {
	case n == 1:
		return "only " + names[0] + " can meet it"
	case n > shown:
		return fmt.Sprintf("%d bundles can meet it, from %s to %s", n, names[0], p.nameOf(list[n-1]))
	}
	return strings.Join(names, " or ") + " can meet it"
}

func (p *problem) bundleReason(kind ReasonKind, v solver.Var) Reason {
	out := Reason{Kind: kind, Subject: p.nameOf(v), Bundle: p.nameOf(v)}
	if b := p.asInstalled(v); b != nil {
		out.Package, out.Version = b.packageName(), b.version.String()
		return out
	}
	c, id := p.universe.locate(v)
	b := p.universe.catalogs[c].snapshot.Bundle(id)
	out.Package, out.Version, out.Catalog = b.Package, b.Version.String(), p.universe.catalogs[c].key
	return out
}

func (p *problem) ruleReason(o origin) Reason {
	out := p.bundleReason(o.kind, o.bundle)
	switch o.kind {
	case ReasonDependency:
		e := p.constraintOf(o).Expr
		out.Message = fmt.Sprintf("%s requires %s", out.Bundle, e)
		if text := e.FailureMessage(); text != "" {
			out.Message += " (" + text + ")"
		}
	case ReasonReplaces:
		names := make([]string, 0, 1)
		for _, cur := range p.excludes[o.bundle] {
			names = append(names, p.nameOf(cur))
		}
		slices.Sort(names)
		out.Message = fmt.Sprintf("%s takes the place of %s", out.Bundle, strings.Join(names, ", "))
	default:
		out.Message = fmt.Sprintf("%s %s", out.Bundle, o.detail)
	}
	return out
}

func (p *problem) groupReason(k groupKey) Reason {
	out := Reason{Kind: k.kind, Subject: k.name}
	switch k.kind {
	case ReasonOnePackage:
		out.Package = k.name
		out.Message = fmt.Sprintf("a namespace has at most one bundle of package %s", k.name)
	case ReasonOneName:
		out.Bundle = k.name
		out.Message = fmt.Sprintf("a namespace has at most one bundle named %s", k.name)
	case ReasonOneAPI:
		out.API, out.Subject = k.api, k.api.String()
		out.Message = fmt.Sprintf("a namespace has at most one provider of %s", k.api.Describe())
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
	out.Message = fmt.Sprintf("ClusterExtension %s asks for package %s: %s", e.Name, e.Package, p.listText(r.candidates))
	return out
}
