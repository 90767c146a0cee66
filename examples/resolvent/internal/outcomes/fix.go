package outcomes

import (
	"context"
	"io"
	"slices"

	"github.com/resolvent/resolvent/examples/resolvent/internal/terminal"
	"github.com/resolvent/resolvent/resolver"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/result"
)

// WriteFix prints the commands that carry out the fix with a number, and notes what to know before. all shows
// all fixes.
func WriteFix(ctx context.Context, page *terminal.Page, notes io.Writer, all string, number int, p resolver.Problem, helps ...*result.Help) error {
	fix, err := NumberedFix("--fix", all, number, helps...)
	if err != nil {
		return err
	}
	steps, err := creating(ctx, p, fix.Steps())
	if err != nil {
		return err
	}
	writeNotes(notes, fix, atOnce(steps)...)
	terminal.Release(notes) // to read before the commands
	return writeCommands(ctx, page.Exactly(), steps)
}

// alone returns a Subscription with the channel and the catalog that serve it in a namespace without others.
func alone(ctx context.Context, p resolver.Problem, by *resolver.Resolver, s cluster.Subscription) []cluster.Subscription {
	p.Cluster = p.Cluster.WithNamespace(s.Namespace, false, func(n *cluster.NamespaceObjects) {
		n.Subscriptions, n.CSVs, n.InstallPlans = []cluster.Subscription{s}, nil, nil
	})
	return p.Pinned(by.ResolveAll(ctx, p, []cluster.Scope{s.Key().Scope()})).Subscriptions
}

// creating returns steps that create the Subscriptions of --package as they are after the given ones. No
// cluster has them, so no step can change them. They name the channel and the catalog that then serve them.
func creating(ctx context.Context, p resolver.Problem, steps []result.Step) ([]result.Step, error) {
	asked := func() (list []cluster.Subscription) {
		for _, s := range p.Cluster.Objects().Subscriptions {
			if s.Asked() {
				list = append(list, s)
			}
		}
		return list
	}
	gone := asked()
	if len(gone) == 0 {
		return steps, nil
	}
	var err error
	if p.Cluster, err = result.Apply(p.Cluster, cluster.Scope{}, steps); err != nil {
		return nil, err
	}
	made := asked()
	object := func(s cluster.Subscription) result.Object {
		return result.Object{Kind: "Subscription", Namespace: s.Namespace, Name: s.Name}
	}
	steps = slices.DeleteFunc(steps, func(step result.Step) bool {
		return slices.ContainsFunc(slices.Concat(gone, made), func(s cluster.Subscription) bool { return object(s) == step.Object })
	})
	scopes := terminal.Mapped(made, func(s cluster.Subscription) cluster.Scope { return s.Key().Scope() })
	by := resolver.New()
	pinned := p.Pinned(by.ResolveAll(ctx, p, slices.Compact(scopes))).Subscriptions
	for _, s := range made {
		if s.Catalog == "" && !slices.ContainsFunc(pinned, func(o cluster.Subscription) bool { return o.Key() == s.Key() && o.Catalog != "" }) {
			pinned = append(pinned, alone(ctx, p, by, s)...) // it comes after a wait: others have to move first
		}
		s.Annotations = nil
		if at := slices.IndexFunc(pinned, func(o cluster.Subscription) bool { return o.Key() == s.Key() && o.Catalog != "" }); at >= 0 {
			s.Channel, s.Catalog, s.CatalogNamespace = pinned[at].Channel, pinned[at].Catalog, pinned[at].CatalogNamespace
		}
		steps = append(steps, result.Step{Object: object(s), Create: &cluster.Objects{Subscriptions: []cluster.Subscription{s}}})
	}
	return steps, nil
}
