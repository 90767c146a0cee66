package command

import (
	"context"
	"fmt"
	"slices"

	"github.com/spf13/pflag"

	"github.com/resolvent/resolvent/examples/resolvent/internal/inputs"
	"github.com/resolvent/resolvent/examples/resolvent/internal/overview"
	"github.com/resolvent/resolvent/examples/resolvent/internal/terminal"
	"github.com/resolvent/resolvent/resolver"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/scenario"
)

// questionFlags are those of the commands that ask about requests.
type questionFlags struct {
	input  inputs.Flags
	choice inputs.ChoiceFlags
	// requests are those besides the manifests'.
	requests inputs.PackageFlags
	output   string
	// forgotten is true if answers state what failed or waits without a Subscription, too.
	forgotten bool
}

func (f *questionFlags) catalogs() ([]inputs.CatalogFlag, *inputs.SourceFlags) {
	return f.input.Sources()
}

func (f *questionFlags) manifests() *inputs.Flags { return &f.input }

func (f *questionFlags) packages() []string { return []string{"package", "pin"} }

// call is how the program was called.
func (f *questionFlags) call(set *pflag.FlagSet, std inputs.Streams) overview.Call {
	return overview.Call{Program: std.Program, Repeat: inputs.Repeated(set), Loaded: f.input.Load != "", Given: f.input.Given()}
}

// question is everything that an answer depends on.
type question struct {
	scenario.Question
	resolver *resolver.Resolver
}

// question reads what the flags name.
func (f *questionFlags) question(ctx context.Context, std inputs.Streams) (*question, error) {
	if f.input.Load != "" {
		q, err := loadQuestion(ctx, f.input.Load)
		if err != nil {
			return nil, err
		}
		if q.Scopes = f.withForgotten(q.Scopes, q.Problem.Cluster); len(q.Scopes) == 0 {
			return nil, errNothing
		}
		return q, nil
	}
	p, err := open(ctx, &f.input, &f.choice, std)
	if err != nil {
		return nil, err
	}
	return f.ask(ctx, p, resolver.New(), std)
}

// ask returns the question that the flags ask about a problem.
func (f *questionFlags) ask(ctx context.Context, p resolver.Problem, with *resolver.Resolver, std inputs.Streams) (*question, error) {
	var err error
	live := std.Live != nil && f.input.ReadsLive()
	if p.Cluster, err = f.requests.Subscribe(inputs.Planned(p.Cluster, p.Catalogs, std.Err), f.choice.Namespaces, p.Catalogs); err != nil {
		return nil, err
	}
	if err := inputs.CheckNamespaces(f.choice.Namespaces, p.Cluster, live); err != nil {
		return nil, err
	}
	q := &question{scenario.Question{Problem: p, Scopes: f.withForgotten(p.Cluster.Scopes(), p.Cluster)}, with}
	all := q.Scopes
	if len(f.choice.Namespaces) > 0 {
		// Those asked for, and nothing else.
		q.Scopes = terminal.Mapped(slices.Compact(slices.Sorted(slices.Values(f.choice.Namespaces))), cluster.InNamespace)
	}
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case len(q.Scopes) == 0 && live:
		return nil, errNothingLive
	case len(q.Scopes) == 0 && len(q.Problem.Cluster.Objects().InstallPlans) > 0:
		return nil, fmt.Errorf("%w; an InstallPlan only carries them out: with the Subscriptions of its namespace, status shows what approving %s does", errNothing, q.Problem.Cluster.Objects().InstallPlans[0].Name)
	case len(q.Scopes) == 0:
		return nil, fmt.Errorf("%w%s", errNothing, inputs.Misplaced(f.input.Manifests))
	}
	inputs.HintExtensions(std.Err, q.Problem.Catalogs, q.Scopes)
	inputs.HintUnseen(std.Err, &q.Problem, q.Scopes)
	none := "the manifests have no Subscription in it"
	if live {
		none = "it has no Subscription"
	}
	for _, scope := range q.Scopes {
		if _, found := slices.BinarySearchFunc(all, scope, cluster.Scope.Compare); !found {
			terminal.Printf(std.Err, "%s: %s\n", scope.String(), none)
		}
	}
	return q, nil
}

// withForgotten adds the namespaces in which something failed or waits that no Subscription has, if
// answers state that.
func (f *questionFlags) withForgotten(scopes []cluster.Scope, c *cluster.Index) []cluster.Scope {
	if !f.forgotten || len(f.choice.Namespaces) > 0 {
		return scopes
	}
	scopes = append(scopes, c.Forgotten()...)
	slices.SortFunc(scopes, cluster.Scope.Compare)
	return slices.Compact(scopes)
}

// open reads the manifests and catalogs that the flags name. A saved problem
// sets the options, too.
func open(ctx context.Context, input *inputs.Flags, choice *inputs.ChoiceFlags, std inputs.Streams) (p resolver.Problem, err error) {
	if input.Load != "" {
		q, err := loadQuestion(ctx, input.Load)
		if err != nil {
			return p, err
		}
		return q.Problem, nil
	}
	if err := input.CheckGiven(std); err != nil {
		return p, err
	}
	return inputs.Open(ctx, input, choice, std)
}

// separate returns a question that checkSeparate admits.
func (f *questionFlags) separate(ctx context.Context, std inputs.Streams) (q *question, err error) {
	if q, err = f.question(ctx, std); err == nil {
		err = q.checkSeparate()
	}
	return q, err
}

// checkSeparate refuses to explain choices of namespaces that depend on each
// other: each namespace has an explanation of its own.
func (q *question) checkSeparate() error {
	flag, namespaces := "", namespaces(q.Scopes)
	switch {
	case len(namespaces) < 2:
		return nil
	case q.Problem.Options.Jointly:
		flag = "--jointly"
	case q.Problem.Options.SingleOwner:
		flag = "--single-owner"
	case q.Problem.Options.SameVersions:
		flag = "--same-versions"
	default:
		return nil
	}
	return inputs.Usagef("%s: with it, the choices in %d namespaces depend on each other, but bundles are explained per namespace; "+
		"leave it out, or name one namespace with --namespace", flag, len(namespaces))
}

// namespaces are those among the scopes.
func namespaces(scopes []cluster.Scope) []cluster.Scope {
	return slices.DeleteFunc(slices.Clone(scopes), cluster.Scope.Alone)
}
