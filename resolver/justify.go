package resolver

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/solver"
)

// Justification says why a bundle was selected, and why the bundles that its
// obligation prefers were not possible.
type Justification struct {
	Bundle BundleRef
	// Why is the chain from a request, or from what is installed, to the bundle.
	Why *Explanation
	// Better are the candidates that stand before the chosen one, in order.
	// Neighbours with one reason are told together.
	Better []Refusal
}

// Refusal says why bundles could not be selected.
type Refusal struct {
	Bundles []BundleRef
	Why     *Explanation
}

// Justify resolves a namespace and justifies every bundle of the answer, in the
// order in which they were selected. It costs a few resolutions for each choice
// that is not the first of its order. The errors are those of Resolve. Like Resolve,
// it looks at one namespace by itself: what ResolveJointly chooses, and what
// ResolveNamespaces chooses for those before, it does not know.
func (r *Resolver) Justify(ctx context.Context, namespace string, cluster *Cluster, catalogs *cache.View) ([]Justification, error) {
	return r.justify(ctx, r.inputs(cluster, catalogs, namespace))
}

// JustifyExtension is Justify for a ClusterExtension.
func (r *Resolver) JustifyExtension(ctx context.Context, name string, cluster *Cluster, catalogs *cache.View) ([]Justification, error) {
	return r.justify(ctx, r.extensionInputs(cluster, catalogs, name))
}

// WhyNot says why a bundle, given by its name or as PACKAGE@VERSION, is not
// selected: a minimal set of reasons. Of one that is selected it says why: the
// chain from a request to it. The errors are those of Resolve, and
// *UnknownBundle. Like Justify, it looks at one namespace by itself.
func (r *Resolver) WhyNot(ctx context.Context, namespace string, cluster *Cluster, catalogs *cache.View, bundle string) (*Explanation, error) {
	return r.explainBundle(ctx, r.inputs(cluster, catalogs, namespace), bundle)
}

// WhyNotExtension is WhyNot for the resolution of a ClusterExtension.
func (r *Resolver) WhyNotExtension(ctx context.Context, name string, cluster *Cluster, catalogs *cache.View, bundle string) (*Explanation, error) {
	return r.explainBundle(ctx, r.extensionInputs(cluster, catalogs, name), bundle)
}

// UnknownBundle means that neither the cluster nor any catalog has a bundle.
type UnknownBundle struct {
	Bundle string
	// Nearest are the likest names, the likest first.
	Nearest []string
}

func (e *UnknownBundle) Error() string {
	return unbroken(fmt.Sprintf("neither the cluster nor a catalog has a bundle %s%s", e.Bundle, suggestion(e.Nearest)))
}

// solved is an answer about which questions are asked.
type solved struct {
	ctx      context.Context
	m        *model
	p        *problem // the only part
	solution *solver.Solution
	session  *solver.Session
}

// ask solves the problem of the inputs and asks something about the answer.
func (r *Resolver) ask(ctx context.Context, in inputs, question func(s *solved) error) (err error) {
	defer func() {
		if fault := recover(); fault != nil {
			err = recovered(fault, "explaining "+in.subject())
		}
	}()
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	m, err := r.newModel(ctx, stop, in)
	if err != nil {
		return err
	}
	solution, err := solver.Solve(ctx, m, in.options.solver())
	if m.ended() == nil && err == nil {
		err = question(&solved{ctx: ctx, m: m, p: m.parts[0], solution: solution})
	}
	if err := m.ended(); err != nil {
		return err
	}
	var unknown *UnknownBundle
	if err == nil || errors.As(err, &unknown) {
		return err
	}
	why := m.failure(err)
	r.help(ctx, m, err, why)
	return why
}

func (r *Resolver) justify(ctx context.Context, in inputs) (list []Justification, err error) {
	err = r.ask(ctx, in, func(s *solved) error {
		for k := range s.solution.Selected {
			if b := s.p.asInstalled(s.solution.Selected[k].Var); b != nil && b.foreign {
				continue
			}
			j, err := s.justification(k)
			if err != nil {
				return err
			}
			list = append(list, j)
		}
		return nil
	})
	return list, err
}

// justification justifies the k-th selection.
func (s *solved) justification(k int) (Justification, error) {
	sel := s.solution.Selected[k]
	j := Justification{Bundle: s.p.ref(sel.Var), Why: s.chain(k)}
	if sel.Leaf == nil {
		return j, nil
	}
	candidates := slices.Concat(sel.Leaf.Candidates...)
	for _, v := range candidates[:min(sel.Place, len(candidates))] {
		core, err := s.refusal(k, v)
		if err != nil {
			return j, err
		}
		why := deriveAsked(s.m, core, v)
		if n := len(j.Better); n > 0 && s.p.sameCauses(j.Better[n-1].Why, why) {
			j.Better[n-1].Bundles = append(j.Better[n-1].Bundles, s.p.ref(v))
			continue
		}
		j.Better = append(j.Better, Refusal{Bundles: []BundleRef{s.p.ref(v)}, Why: why})
	}
	return j, nil
}

// sameCauses reports whether two explanations end in the same facts, whatever
// bundle they begin with.
func (p *problem) sameCauses(a, b *Explanation) bool {
	causes := func(e *Explanation) []string {
		var list []string
		for l := range e.Leaves {
			p.step(1)
			switch l.Reason.Kind {
			case ReasonAsked:
			case ReasonDependency:
				list = append(list, l.Reason.Package+l.Reason.Constraint)
			case ReasonProvides:
				list = append(list, l.Reason.Package+l.Reason.API.String())
			default:
				list = append(list, string(l.Reason.Kind)+l.Text)
			}
		}
		return list
	}
	return slices.Equal(causes(a), causes(b))
}

// refusal returns the core that says why v could not be taken in place of the
// k-th selection: beside what was selected and decided before.
func (s *solved) refusal(k int, v solver.Var) ([]solver.Reason, error) {
	assume := solver.Assume{Select: make([]solver.Var, 0, k+1)}
	for _, before := range s.solution.Selected[:k] {
		assume.Select = append(assume.Select, before.Var)
	}
	assume.Select = append(assume.Select, v)
	for _, c := range s.solution.Commitments {
		if c.After <= k {
			assume.Hold = append(assume.Hold, c.Or.Parts[c.Part])
		}
	}
	return s.core(assume, v)
}

// core asks the session, which is made when the first question needs it.
func (s *solved) core(assume solver.Assume, further solver.Var) ([]solver.Reason, error) {
	if s.session == nil {
		session, err := solver.NewSession(s.ctx, s.m, s.m.options.solver(), further)
		if err != nil {
			return nil, err
		}
		s.session = session
	}
	return s.session.Core(s.ctx, assume)
}
