package command

import (
	"cmp"
	"context"
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/examples/resolvent/internal/inputs"
	"github.com/resolvent/resolvent/examples/resolvent/internal/listing"
	"github.com/resolvent/resolvent/examples/resolvent/internal/terminal"
)

// catalogFlags are those of a command that asks about catalogs alone.
type catalogFlags struct {
	flags   []inputs.CatalogFlag
	sources inputs.SourceFlags
}

func (f *catalogFlags) register(set *pflag.FlagSet) {
	inputs.Group(set, inputs.GroupInput, func(set *pflag.FlagSet) { inputs.RegisterInputCatalogs(set, &f.flags) })
	f.sources.Register(set)
}

func (f *catalogFlags) catalogs() ([]inputs.CatalogFlag, *inputs.SourceFlags) {
	return f.flags, &f.sources
}

func (f *catalogFlags) packages() []string { return []string{""} }

// read reads the catalogs, which are those of the running cluster if none are given.
func (f *catalogFlags) read(ctx context.Context, std inputs.Streams) (list []cache.Catalog, err error) {
	if len(f.flags) == 0 {
		if std.Live == nil {
			return nil, inputs.Usagef("no catalog: name one with --catalog NAME=FROM")
		}
		if f.flags, err = inputs.OfLive(ctx, std); err != nil {
			return nil, err
		}
	}
	return inputs.LoadBackground(ctx, f.flags, &f.sources, std)
}

// listFlags are those of the command list.
type listFlags struct {
	catalogFlags
	verbose bool
	output  string
}

func (*listFlags) describe() cobra.Command {
	return cobra.Command{
		Use: "list [PACKAGE] --catalog NAME=FROM [flags]", Short: "Which packages, channels and bundles catalogs have",
		Args: arguments(0, 1, "one package"),
		Long: `Lists the packages of catalogs, or the channels and bundles of one package.

Exit status: 0 if something is listed, 2 if the input cannot be used, or no
catalog has the package.`,
		Example: `  resolvent list --catalog community=community.json
  resolvent list etcd --catalog community=community.json`,
	}
}

func (f *listFlags) register(set *pflag.FlagSet) {
	inputs.RegisterOutput(set, "the form of the answer", &f.output, terminal.OutputText, terminal.OutputJSON)
	f.catalogFlags.register(set)
	inputs.Group(set, inputs.GroupInput, func(set *pflag.FlagSet) { inputs.RegisterVerbose(set, &f.verbose) })
}

func (f *listFlags) run(ctx context.Context, names []string, _ *pflag.FlagSet, std inputs.Streams) (int, error) {
	catalogs, err := f.read(ctx, std)
	if err != nil {
		return exitNotStarted, err
	}
	view := cache.NewView(catalogs)
	inputs.ReportFaults(std.Err, view, f.verbose)
	listed := listing.Of(view, names)
	if len(names) > 0 && len(listed.Packages) == 0 {
		return exitNotStarted, fmt.Errorf("no catalog has a package %s%s", names[0], listing.NearestPackage(names[0], view))
	}
	page := terminal.NewPage(ctx, std.Out, f.output)
	switch {
	case f.output == terminal.OutputJSON:
		err = page.JSON(listed)
	case len(names) > 0:
		listing.WriteDetails(page, listed)
	default:
		listing.WritePackages(page, listed)
	}
	return exitResolved, cmp.Or(err, page.Close())
}
