package command

import (
	"cmp"
	"context"
	"io"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/examples/resolvent/internal/fleet"
	"github.com/resolvent/resolvent/examples/resolvent/internal/inputs"
	"github.com/resolvent/resolvent/examples/resolvent/internal/terminal"
	"github.com/resolvent/resolvent/resolver"
)

// clusterOutput is an output of what is known of clusters; the only one has no name.
type clusterOutput[T any] interface {
	// Add takes in an answer, or why there is none.
	Add(ctx context.Context, cluster string, answer T, err error) error
	// Write writes what was not written as it came.
	Write(ctx context.Context, page *terminal.Page) error
}

// shared reads the catalogs that several clusters share.
func (f *questionFlags) shared(ctx context.Context, std inputs.Streams) (*cache.View, error) {
	if err := f.input.CheckNamed(); err != nil {
		return nil, err
	}
	return inputs.ReadCatalogs(ctx, &f.input, f.choice.Options.LenientHealth, std)
}

// problemOf reads one of several clusters, which share catalogs.
func (f *questionFlags) problemOf(ctx context.Context, one inputs.ClusterFlag, catalogs *cache.View, notes io.Writer) (resolver.Problem, error) {
	input := f.input.Of(one)
	known, err := inputs.ReadCluster(ctx, input, inputs.Streams{Err: notes})
	if err != nil {
		return resolver.Problem{}, err
	}
	return resolver.Problem{Cluster: f.choice.Policies.Dated(known), Catalogs: input.AsDeclared(catalogs, known), Options: f.choice.Options}, nil
}

// ofClusters asks about several clusters, against shared catalogs. The status is that of all;
// blocked reports whether an answer is one of those that change it.
func ofClusters[T any](ctx context.Context, f *questionFlags, clusters []inputs.ClusterFlag, catalogs *cache.View, std inputs.Streams,
	ask func(ctx context.Context, p resolver.Problem, by *resolver.Resolver, notes io.Writer) (T, error), blocked func(T) bool, target clusterOutput[T], page *terminal.Page) (int, error) {
	shared := resolver.New()
	status, answered := exitResolved, 0
	var err error
	if f.choice.Options.Policies, err = f.choice.Policies.Read(ctx); err != nil {
		return exitNotStarted, err
	}
	names := terminal.Mapped(clusters, func(c inputs.ClusterFlag) string { return c.Name })
	err = fleet.Each(ctx, names, besideAnswers(std, f.output), func(ctx context.Context, i int, notes io.Writer) (answer T, err error) {
		p, err := f.problemOf(ctx, clusters[i], catalogs, notes)
		if err != nil {
			return answer, err
		}
		if err := inputs.CheckExcluded(f.choice.Options.ExcludeCatalogs, catalogs, p.Cluster); err != nil {
			terminal.Printf(notes, "%s\n", err) // another cluster may declare it
		}
		return ask(ctx, p, shared, notes)
	}, func(i int, answer T, err error) error {
		if err == nil {
			answered++
		}
		if err != nil || blocked(answer) {
			status = exitUnresolved
		}
		return target.Add(ctx, clusters[i].Name, answer, err)
	})
	if err == nil || answered > 0 {
		err = cmp.Or(err, target.Write(ctx, page), page.Close())
	}
	switch {
	case answered == 0:
		return exitNotStarted, err
	case err != nil:
		return exitUnresolved, err
	}
	return status, nil
}

// besideAnswers is where to write while answers about clusters come. Lines of JSON on a
// terminal are progress enough.
func besideAnswers(std inputs.Streams, output string) fleet.Output {
	out := fleet.Output{Notes: std.Err, Progress: std.Err}
	if output == terminal.OutputJSON && terminal.IsTerminal(std.Out) {
		out.Progress = nil
	}
	return out
}
