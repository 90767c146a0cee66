package command

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/examples/resolvent/internal/findings"
	"github.com/resolvent/resolvent/examples/resolvent/internal/inputs"
	"github.com/resolvent/resolvent/examples/resolvent/internal/repairs"
	"github.com/resolvent/resolvent/examples/resolvent/internal/report"
	"github.com/resolvent/resolvent/examples/resolvent/internal/terminal"
	"github.com/resolvent/resolvent/resolver/check"
	"github.com/resolvent/resolvent/resolver/check/propose"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/policy"
)

type checkFlags struct {
	bundles []string
	catalogFlags
	kubeVersion  string
	openShift    string
	date         string
	channels     []string
	options      policy.Options
	assume       check.Assumptions
	accept       inputs.AcceptFlags
	repairs      repairs.Flags
	failOn, show catalog.Severity
	output       string
}

func (*checkFlags) describe() cobra.Command {
	return cobra.Command{
		Use: "check CATALOG|DIR... [flags]", SuggestFor: []string{"validate", "lint"}, Short: "What is wrong with catalogs and bundles",
		Long: `Finds what is wrong with catalogs before your users do: broken rules, bundles
that cannot be installed, and updates that lead nowhere. Each argument is a
file-based catalog, a registry+v1 bundle directory DIR, a tree of these, or a
basic or semver template, which is checked as what it renders to with the
bundles of --catalog; see 'help catalogs'. DIR is checked as a part of the first
catalog of --catalog that has its package, and only what it adds is reported.
All repairs and proposed entries have been tried. --index-cache is for catalogs
of --catalog only. A file .resolventignore next to CATALOG or DIR works like
--ignore: each line is CODE[:PACKAGE], with a reason after #.`,
		Example: `  resolvent check catalog.json --baseline known.jsonl
  resolvent check bundle/ --catalog olm/c=catalog.json --channel stable
  resolvent check --bundle IMAGE=bundle/ --catalog c=cat/ --channel x --in-place
  resolvent check catalog.yaml --repair all --write repaired/
  resolvent check catalog.json -o html > report.html`,
	}
}

func (f *checkFlags) register(set *pflag.FlagSet) {
	inputs.RegisterOutput(set, &f.output, terminal.OutputText, "for people (default)", terminal.OutputJSON, "everything, regardless of --show", terminal.OutputGitHub, "for GitHub workflows",
		terminal.OutputSARIF, "for code scanning", terminal.OutputHTML, "a page with update graphs")
	set.StringArrayVar(&f.bundles, "bundle", nil, "check `DIR`; as IMAGE=DIR for a template or a release")
	set.StringArrayVar(&f.channels, "channel", nil, "propose an entry for DIR in channel `NAME`; repeatable")
	inputs.RegisterCatalogs(set, "catalog", "a catalog as `NAME=FROM` whose bundles may be dependencies; it is not checked itself; repeatable", &f.flags)
	inputs.RegisterAssumptions(set, &f.assume)
	f.repairs.Register(set)
	f.accept.Register(set)
	f.failOn, f.show = catalog.Error, catalog.Warning
	registerSeverity(set, "fail-on", "the lowest severity that fails the check (default error)", &f.failOn)
	inputs.Date(set, &f.date)
	registerSeverity(set, "show", "the lowest severity to list (default warning)", &f.show)
	inputs.Group(set, inputs.GroupInput, func(set *pflag.FlagSet) { inputs.RegisterVersions(set, &f.kubeVersion, &f.openShift) })
	inputs.Group(set, inputs.GroupChoice, func(set *pflag.FlagSet) { inputs.RegisterCompound(set, &f.options) })
	f.sources.Register(set)
}

func registerSeverity(set *pflag.FlagSet, name, usage string, to *catalog.Severity) {
	inputs.Choice(set, name, usage, to, map[string]catalog.Severity{"error": catalog.Error, "warning": catalog.Warning, "note": catalog.Note})
}

func (f *checkFlags) packages() []string { return nil }

func (f *checkFlags) run(ctx context.Context, paths []string, _ *pflag.FlagSet, std inputs.Streams) (int, error) {
	files, dirs := inputs.SplitBundles(f.bundles)
	if f.repairs.Releases() {
		return f.release(ctx, paths, files, dirs, std)
	}
	page := terminal.NewPage(ctx, std.Out, f.output)
	paths, loaded, err := f.judged(ctx, append(files, paths...), dirs, std)
	if err != nil {
		return exitNotStarted, err
	}
	judged := loaded.Catalogs
	show, end := terminal.ShowStages(std.Err)
	options := f.checked(loaded.Background, show)
	if f.sources.Objects {
		options.Safety = std.Safety
	}
	found, err := check.Run(ctx, judged, options)
	end()
	if err != nil {
		return exitNotStarted, err
	}
	if f.repairs.Wanted() {
		stays, err := f.repairs.Write(ctx, page, f.output, repairs.Judged{Path: paths[0], Catalog: judged[0], Bundles: loaded.Bundles[judged[0].Key], Report: found, Options: options}, f.show, f.failOn)
		if err = cmp.Or(err, page.Close()); err != nil {
			return exitNotStarted, err
		}
		return exit(stays)
	}
	proposed, err := findings.Proposed(ctx, f.channels, f.output, judged, options)
	if err == nil {
		err = f.print(ctx, page, found, judged, proposed, std)
	}
	if err != nil {
		return exitNotStarted, err
	}
	if f.accept.WriteTo != "" {
		if err := f.accept.Write(ctx, found, std); err != nil {
			return exitNotStarted, err
		}
		return exitResolved, nil
	}
	return exit(slices.ContainsFunc(found.Findings, func(one check.Finding) bool { return one.Severity <= f.failOn }))
}

// judged reads what is to be checked, and returns its paths: those given, else the bundle directories of
// images, else the catalogs of the running cluster.
func (f *checkFlags) judged(ctx context.Context, paths []string, dirs map[string]string, std inputs.Streams) ([]string, *inputs.Judged, error) {
	if len(paths) == 0 { // the directories belong to no template
		paths, dirs = slices.Sorted(maps.Values(dirs)), nil
	}
	ofCluster := len(paths) == 0 && std.Live != nil
	if ofCluster {
		declared, err := inputs.OfLive(ctx, std)
		if err != nil {
			return nil, nil, err
		}
		for _, c := range declared {
			paths = append(paths, inputs.LivePrefix+c.Key.String())
		}
	}
	if len(paths) == 0 {
		return nil, nil, inputs.Usagef("nothing to check: pass a catalog or a bundle directory")
	}
	if err := f.repairs.Check(paths, f.output); err != nil {
		return nil, nil, err
	}
	if err := f.accept.Read(ctx, paths, std); err != nil {
		return nil, nil, err
	}
	if !f.repairs.Wanted() { // what repairs try has no whole objects
		f.sources.Objects = std.Safety != nil
	}
	loaded, err := inputs.LoadJudged(ctx, paths, dirs, ofCluster, f.flags, &f.sources, std)
	return paths, loaded, err
}

// checked are the options of checking beside a background.
func (f *checkFlags) checked(background []cache.Catalog, progress func(string)) check.Options {
	return check.Options{
		Background: background,
		Assume:     f.assume,
		Baseline:   f.accept.Known,
		Ignore:     f.accept.Ignored,
		Cluster:    cluster.NewIndex(cluster.Objects{KubernetesVersion: f.kubeVersion, OpenShiftVersion: f.openShift, Date: inputs.Day(f.date)}),
		Resolver:   f.options,
		Progress:   progress,
	}
}

// release writes new bundles into a catalog or a template.
func (f *checkFlags) release(ctx context.Context, paths, noImage []string, dirs map[string]string, std inputs.Streams) (int, error) {
	if err := f.repairs.CheckRelease(paths, noImage, len(dirs), len(f.channels), f.output); err != nil {
		return exitNotStarted, err
	}
	page := terminal.NewPage(ctx, std.Out, f.output)
	if err := f.accept.Read(ctx, paths, std); err != nil {
		return exitNotStarted, err
	}
	read, err := inputs.LoadRelease(ctx, paths, dirs, f.flags, &f.sources, std)
	if err != nil {
		return exitNotStarted, err
	}
	show, end := terminal.ShowStages(std.Err)
	well, err := f.repairs.Release(ctx, page, f.output, read, f.channels, f.checked(nil, show), f.show, f.failOn)
	end()
	if err = cmp.Or(err, page.Close()); err != nil {
		return exitNotStarted, err
	}
	return exit(!well)
}

// print prints what was found in the form that was chosen.
func (f *checkFlags) print(ctx context.Context, page *terminal.Page, found *check.Report, judged []check.Catalog, proposed []propose.Entry, std inputs.Streams) error {
	var err error
	switch f.output {
	case terminal.OutputText:
		findings.WriteFindings(page, found, f.show, proposed)
	case terminal.OutputJSON:
		err = findings.WriteFindingsJSON(page, found, proposed)
	case terminal.OutputGitHub:
		findings.WriteAnnotations(&page.Buffer, found, f.show)
	case terminal.OutputSARIF:
		err = findings.WriteSARIF(page, found, f.show)
	case terminal.OutputHTML:
		read := terminal.Mapped(judged, func(c check.Catalog) cache.Catalog { return cache.Catalog{Key: c.Key, Snapshot: c.Checked.Snapshot} })
		err = report.Write(ctx, page, report.Input{Source: report.NewSource(std, f.date, cache.NewView(read)), Report: found, Catalogs: judged, Show: f.show})
	}
	return cmp.Or(err, page.Close())
}
