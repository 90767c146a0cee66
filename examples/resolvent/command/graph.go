package command

import (
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/examples/resolvent/internal/inputs"
	"github.com/resolvent/resolvent/examples/resolvent/internal/outcomes"
	"github.com/resolvent/resolvent/examples/resolvent/internal/terminal"
	"github.com/resolvent/resolvent/resolver"
	"github.com/resolvent/resolvent/resolver/catalogcheck"
)

// graphFlags are those of the command graph.
type graphFlags struct {
	catalogFlags
	pkg, channel, output string
}

func (*graphFlags) describe() cobra.Command {
	return cobra.Command{
		Use: "graph {PACKAGE --catalog NAME=FROM|CATALOG --package PACKAGE} [flags]", Short: "The update graph of a package",
		Args: arguments(0, 1, "one package, catalog or bundle directory"),
		Long: `Draws which bundle of a package is updated to which, channel by channel, with
versions, skips, skipRanges, deprecations, and bundles that cannot be
installed. CATALOG takes the forms of FROM, and bundles may take dependencies
from those of --catalog. Without it, the package is that of the first catalog
that has it.

Exit status: 0 if the graph is drawn, 2 if the input cannot be used.`,
		Example: `  resolvent graph etcd --catalog olm/community=community.json
  resolvent graph catalog.json --package etcd --channel alpha -o svg > etcd.svg`,
	}
}

func (f *graphFlags) register(set *pflag.FlagSet) {
	inputs.String(set, "package", "the package `NAME`", &f.pkg)
	inputs.String(set, "channel", "only the channel `NAME`", &f.channel)
	inputs.RegisterOutput(set, "for people (default), for other tools, or for browsers", &f.output,
		terminal.OutputText, terminal.OutputMermaid, terminal.OutputDOT, terminal.OutputSVG)
	f.catalogFlags.register(set)
}

func (f *graphFlags) packages() []string { return []string{"", "package"} }

func (f *graphFlags) run(ctx context.Context, paths []string, _ *pflag.FlagSet, std inputs.Streams) (int, error) {
	if f.pkg == "" && len(paths) == 1 && (len(f.flags) > 0 || std.Live != nil) {
		f.pkg, paths = paths[0], nil
	}
	if f.pkg == "" {
		return exitNotStarted, inputs.Usagef("no package: name it, with its catalog behind --catalog")
	}
	var catalogs []cache.Catalog
	for _, path := range paths {
		snapshot, err := inputs.LoadSnapshot(ctx, path, &f.sources, std)
		if err != nil {
			return exitNotStarted, err
		}
		catalogs = []cache.Catalog{{Key: inputs.JudgedKey(path), Snapshot: snapshot}}
	}
	all := catalogs
	if len(f.flags) > 0 || len(paths) == 0 {
		others, err := f.read(ctx, std)
		if err != nil {
			return exitNotStarted, err
		}
		// The package is to be that of the argument, whoever else has it.
		if all = append(others, catalogs...); len(catalogs) == 0 {
			catalogs = all
		}
	}
	pkg := f.pkg
	shown := slices.IndexFunc(catalogs, func(c cache.Catalog) bool { return c.Snapshot.Package(pkg) != nil })
	if shown < 0 {
		return exitNotStarted, fmt.Errorf("there is no package %s", pkg)
	}
	key, snapshot := catalogs[shown].Key, catalogs[shown].Snapshot
	g := catalogcheck.NewGraph(snapshot, snapshot.Package(pkg))
	if f.channel != "" && !g.Only(f.channel) {
		return exitNotStarted, fmt.Errorf("package %s has no channel %s", pkg, f.channel)
	}
	blocked, err := resolver.New().Uninstallable(ctx, resolver.Problem{Catalogs: cache.NewView(all)}, key)
	if err != nil {
		return exitNotStarted, err
	}
	g.Mark(blocked)
	page := terminal.NewPage(ctx, std.Out, f.output)
	if f.output == terminal.OutputText {
		page.WriteString(g.Text())
	} else if err := outcomes.WriteDrawing(page, f.output, func() outcomes.Drawable { return g }); err != nil {
		return exitNotStarted, err
	}
	return exitResolved, page.Close()
}
