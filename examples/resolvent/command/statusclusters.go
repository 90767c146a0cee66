package command

import (
	"cmp"
	"context"
	"errors"
	"io"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/examples/resolvent/internal/fleet"
	"github.com/resolvent/resolvent/examples/resolvent/internal/inputs"
	"github.com/resolvent/resolvent/examples/resolvent/internal/outcomes"
	"github.com/resolvent/resolvent/examples/resolvent/internal/terminal"
	"github.com/resolvent/resolvent/resolver"
	"github.com/resolvent/resolvent/resolver/updates"
)

// ofClusters is status for several clusters.
func (f *statusFlags) ofClusters(ctx context.Context, std inputs.Streams) (int, error) {
	page := terminal.NewPage(ctx, std.Out, terminal.OutputText)
	catalogs, err := inputs.ReadCatalogs(ctx, &f.input, f.choice.Options.LenientHealth, std)
	if err != nil {
		return exitNotStarted, err
	}
	target, err := f.input.ReadTargets(ctx, f.targets, std)
	if err != nil {
		return exitNotStarted, err
	}
	shared := resolver.New()
	ask := func(ctx context.Context, i int, notes io.Writer) ([]updates.Status, error) {
		return f.ofCluster(ctx, f.clusters[i], shared, catalogs, target, notes)
	}
	table := outcomes.StatusTable{Named: true, ByCluster: f.byCluster, OnlyStuck: f.onlyStuck}
	forBrowsers := f.page(catalogs)
	forBrowsers.Named = true
	exit, answered := exitResolved, 0
	use := func(i int, rows []updates.Status, err error) error {
		name := f.clusters[i].Name
		if err == nil {
			answered++
		}
		if err != nil || stuck(rows) {
			exit = exitUnresolved
		}
		switch {
		case f.output == terminal.OutputJSON:
			return outcomes.WriteStatusLine(std.Out, name, f.shown(rows), err)
		case f.output == terminal.OutputHTML && err != nil:
			forBrowsers.Fail(name, err)
		case f.output == terminal.OutputHTML:
			forBrowsers.Add(name, rows)
		case err != nil:
			table.Fail(name, err)
		default:
			table.Add(name, rows)
		}
		return nil
	}
	err = fleet.Each(ctx, inputs.ClusterNames(f.clusters), besideAnswers(std, f.output), ask, use)
	if f.output != terminal.OutputJSON && (err == nil || answered > 0) {
		if f.output == terminal.OutputHTML {
			err = cmp.Or(err, forBrowsers.Write(ctx, page))
		} else {
			table.Print(page)
		}
		err = cmp.Or(err, page.Close())
	}
	switch {
	case answered == 0:
		return exitNotStarted, err
	case err != nil:
		return exitUnresolved, err
	}
	return exit, nil
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

// ofCluster reads a cluster and returns its rows.
func (f *statusFlags) ofCluster(ctx context.Context, c inputs.ClusterFlag, by *resolver.Resolver, catalogs *cache.View, targets *inputs.Targets, notes io.Writer) ([]updates.Status, error) {
	input := f.input.Of(c)
	cluster, err := inputs.ReadCluster(ctx, input, inputs.Streams{Err: notes})
	if err != nil {
		return nil, err
	}
	if err := inputs.CheckExcluded(f.choice.Options.ExcludeCatalogs, catalogs, cluster); err != nil {
		terminal.Printf(notes, "%s\n", err) // another cluster may declare it
	}
	q, err := f.ask(ctx, resolver.Problem{Cluster: cluster, Catalogs: input.AsDeclared(catalogs, cluster), Options: f.choice.Options}, by, inputs.Streams{Err: notes})
	if errors.Is(err, errNothing) {
		terminal.Printf(notes, "%s\n", err)
		return nil, nil
	}
	if err == nil {
		err = q.checkSeparate()
	}
	if err != nil {
		return nil, err
	}
	target, err := f.target(q, targets)
	if err != nil {
		return nil, err
	}
	rows, err := f.rows(ctx, q, target)
	f.hint(notes, q, rows)
	return rows, err
}
