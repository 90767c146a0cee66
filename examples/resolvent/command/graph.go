package command

import (
	"context"
	"flag"
	"fmt"
	"slices"
	"time"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/examples/resolvent/internal/inputs"
	"github.com/resolvent/resolvent/examples/resolvent/internal/outcomes"
	"github.com/resolvent/resolvent/examples/resolvent/internal/terminal"
	"github.com/resolvent/resolvent/resolver"
	"github.com/resolvent/resolvent/resolver/catalogcheck"
)

const graphUsage = `Usage: resolvent graph [CATALOG|DIR] --package NAME [flags]

Draws which bundle of a package is updated to which, channel by channel, with
versions, skips, skipRanges, deprecations, and bundles that cannot be installed. The
forms of CATALOG and FROM are those of 'resolvent help resolve'.

  --package NAME             the package
  --channel NAME             only this channel
  --catalog NAME=FROM        a further catalog that bundles may take dependencies
                             from; may be repeated; without CATALOG, the package is
                             that of the first one that has it
` + inputs.SourceUsage + `  --timeout DURATION         give up after this time, as in 30s; default 1m; 0: never
  -o text|mermaid|dot|svg    text: for people (default); mermaid, dot: pictures for
                             other tools; svg: a picture for browsers

Examples:
  resolvent graph catalog.json --package etcd
  resolvent graph catalog.json --package etcd --channel alpha -o svg > etcd.svg

Exit status: 0 if the graph is drawn, 2 if the input cannot be used.
`

// graph is the command of that name.
func graph(ctx context.Context, args []string, std inputs.Streams) (int, error) {
	var pkg, channel, output string
	var background []inputs.CatalogFlag
	var sources inputs.SourceFlags
	var timeout time.Duration
	set := flag.NewFlagSet("graph", flag.ContinueOnError)
	inputs.String(set, "package", &pkg)
	inputs.String(set, "channel", &channel)
	inputs.RegisterCatalogs(set, "catalog", &background)
	sources.Register(set)
	inputs.RegisterTimeout(set, &timeout)
	inputs.RegisterOutput(set, &output, terminal.OutputText, terminal.OutputMermaid, terminal.OutputDOT, terminal.OutputSVG)
	paths, err := inputs.Parse(set, args, std)
	switch {
	case err != nil:
		return exitNotStarted, err
	case len(paths) > 1, len(paths)+len(background) == 0 && std.Live == nil:
		return exitNotStarted, inputs.Usagef("want one catalog or bundle directory, not %d", len(paths))
	case pkg == "":
		return exitNotStarted, inputs.Usagef("no package: name it with --package NAME")
	}
	ctx, stop := inputs.Limited(ctx, timeout)
	defer stop()
	var catalogs []cache.Catalog
	for _, path := range paths {
		snapshot, err := inputs.LoadSnapshot(ctx, path, &sources, std)
		if err != nil {
			return exitNotStarted, err
		}
		catalogs = []cache.Catalog{{Key: inputs.JudgedKey(path), Snapshot: snapshot}}
	}
	if len(paths)+len(background) == 0 {
		if background, err = inputs.OfLive(ctx, std); err != nil {
			return exitNotStarted, err
		}
	}
	all, err := inputs.LoadBackground(ctx, background, &sources, std)
	if err != nil {
		return exitNotStarted, err
	}
	if len(catalogs) == 0 {
		catalogs = all
	} else {
		// The package is to be that of the argument, whoever else has it.
		all = append(all, catalogs...)
	}
	shown := slices.IndexFunc(catalogs, func(c cache.Catalog) bool { return c.Snapshot.Package(pkg) != nil })
	if shown < 0 {
		return exitNotStarted, fmt.Errorf("there is no package %s", pkg)
	}
	key, snapshot := catalogs[shown].Key, catalogs[shown].Snapshot
	g := catalogcheck.NewGraph(snapshot, snapshot.Package(pkg))
	if channel != "" && !g.Only(channel) {
		return exitNotStarted, fmt.Errorf("package %s has no channel %s", pkg, channel)
	}
	blocked, err := resolver.New().Uninstallable(ctx, resolver.Problem{Catalogs: cache.NewView(all)}, key)
	if err != nil {
		return exitNotStarted, err
	}
	g.Mark(blocked)
	page := terminal.NewPage(ctx, std.Out, output)
	if output == terminal.OutputText {
		page.WriteString(g.Text())
	} else if err := outcomes.WriteDrawing(page, output, func() outcomes.Drawable { return g }); err != nil {
		return exitNotStarted, err
	}
	return exitResolved, page.Close()
}
