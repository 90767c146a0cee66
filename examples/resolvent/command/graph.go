package command

import (
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/examples/resolvent/internal/findings"
	"github.com/resolvent/resolvent/examples/resolvent/internal/inputs"
	"github.com/resolvent/resolvent/examples/resolvent/internal/outcomes"
	"github.com/resolvent/resolvent/examples/resolvent/internal/terminal"
	"github.com/resolvent/resolvent/resolver/check"
)

type graphFlags struct {
	catalogFlags
	bundles              []string
	pkg, channel, output string
}

func (*graphFlags) describe() cobra.Command {
	return cobra.Command{
		Use: "graph {PACKAGE --catalog NAME=FROM|CATALOG --package PACKAGE} [flags]", Short: "The update graph of a package",
		Args: arguments(0, 1, "one package, catalog or bundle directory"),
		Long: `Draws the updates of a package, channel by channel, with versions, skips,
skipRanges and deprecations, the default channel first. It marks bundles that
cannot be installed, and those with findings of check, by their codes. PACKAGE
is taken from the first catalog of --catalog that has it. CATALOG is checked as
by check, with bundles of --catalog as dependencies, or as those of a template;
see 'help catalogs'.`,
		Example: `  resolvent graph etcd --catalog olm/community=community.json
  resolvent graph catalog.json --package etcd --channel alpha -o svg > etcd.svg`,
	}
}

func (f *graphFlags) register(set *pflag.FlagSet) {
	inputs.String(set, "package", "the package `NAME`", &f.pkg)
	inputs.String(set, "channel", "only channel `NAME`", &f.channel)
	set.StringArrayVar(&f.bundles, "bundle", nil, "for a template, the bundle directory of an image, as `IMAGE=DIR`")
	inputs.RegisterOutput(set, &f.output, terminal.OutputText, "for people (default)", terminal.OutputJSON, "everything, with all findings about the package",
		terminal.OutputMermaid, "", terminal.OutputDOT, "", terminal.OutputSVG, "pictures, svg for browsers")
	f.catalogFlags.register(set)
}

func (f *graphFlags) packages() []string { return []string{"", "package"} }

func (f *graphFlags) run(ctx context.Context, paths []string, _ *pflag.FlagSet, std inputs.Streams) (int, error) {
	if f.pkg == "" && len(paths) == 1 && (len(f.flags) > 0 || std.Live != nil) {
		f.pkg, paths = paths[0], nil
	}
	if f.pkg == "" {
		return exitNotStarted, inputs.Usagef("no package: write 'graph PACKAGE --catalog NAME=FROM', or 'graph CATALOG --package PACKAGE'")
	}
	more, dirs := inputs.SplitBundles(f.bundles)
	if len(more) > 0 || len(paths) == 0 && len(dirs) > 0 {
		return exitNotStarted, inputs.Usagef("--bundle %s: it is for templates; write 'graph TEMPLATE --package PACKAGE --bundle IMAGE=DIR'", f.bundles[0])
	}
	judged, others, err := f.judged(ctx, paths, dirs, std)
	if err != nil {
		return exitNotStarted, err
	}
	if len(judged) == 0 || judged[0].Checked.Snapshot.Package(f.pkg) == nil {
		if len(paths) > 0 {
			others = nil
		}
		for _, c := range judged {
			others = append(others, cache.Catalog{Key: c.Key, Snapshot: c.Checked.Snapshot})
		}
		return exitNotStarted, unknownPackage(cache.NewView(others), f.pkg)
	}
	snapshot := judged[0].Checked.Snapshot
	g := check.NewGraph(snapshot, snapshot.Package(f.pkg))
	if f.channel != "" && !g.Only(f.channel) {
		channels := terminal.Mapped(snapshot.Package(f.pkg).Channels, func(c *catalog.Channel) string { return c.Name })
		return exitNotStarted, fmt.Errorf("--channel %s: package %s has no such channel; its %s %s", f.channel, f.pkg, terminal.Verb(len(channels), "channel is", "channels are"), terminal.Few(channels))
	}
	found, err := check.Run(ctx, judged, check.Options{Background: others})
	if err != nil {
		return exitNotStarted, err
	}
	g.Mark(found.Uninstallable, found.Findings)
	page := terminal.NewPage(ctx, std.Out, f.output)
	switch f.output {
	case terminal.OutputText:
		page.WriteString(g.Text())
	case terminal.OutputJSON:
		err = findings.WriteGraphJSON(page, snapshot, snapshot.Package(f.pkg), f.channel, found)
	default:
		err = outcomes.WriteDrawing(page, f.output, g)
	}
	if err != nil {
		return exitNotStarted, err
	}
	return exitResolved, page.Close()
}

// judged reads the catalogs to judge, and those beside them. Without a path it is the first one that has the
// package.
func (f *graphFlags) judged(ctx context.Context, paths []string, dirs map[string]string, std inputs.Streams) (judged []check.Catalog, others []cache.Catalog, err error) {
	if len(paths) > 0 {
		loaded, err := inputs.LoadJudged(ctx, paths, dirs, false, f.flags, &f.sources, std)
		if err != nil {
			return nil, nil, err
		}
		return loaded.Catalogs, loaded.Background, nil
	}
	if others, err = f.read(ctx, std); err != nil {
		return nil, nil, err
	}
	if at := slices.IndexFunc(others, func(c cache.Catalog) bool { return c.Snapshot.Package(f.pkg) != nil }); at >= 0 {
		c := others[at]
		judged = []check.Catalog{{Key: c.Key, Checked: &cache.Checked{Snapshot: c.Snapshot, Faults: c.Snapshot.Faults()}}}
		others = slices.Delete(others, at, at+1)
	}
	return judged, others, nil
}
