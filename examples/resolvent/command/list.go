package command

import (
	"cmp"
	"context"
	"strings"

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
			return nil, inputs.Usagef("no catalogs: pass them with --catalog NAME=FROM; see 'help catalogs'")
		}
		if f.flags, err = inputs.OfLive(ctx, std); err != nil {
			return nil, err
		}
	}
	return inputs.LoadBackground(ctx, f.flags, &f.sources, std)
}

func (f *catalogFlags) view(ctx context.Context, std inputs.Streams) (*cache.View, error) {
	list, err := f.read(ctx, std)
	if err != nil {
		return nil, err
	}
	return cache.NewView(list), nil
}

type listFlags struct {
	catalogFlags
	query   listing.Query
	date    string
	verbose bool
	output  string
}

func (*listFlags) describe() cobra.Command {
	return cobra.Command{
		Use: "list [PACKAGE[@VERSION]] --catalog NAME=FROM [flags]", SuggestFor: []string{"search", "find", "packages"}, Short: "Packages, channels and bundles of catalogs; what provides an API",
		Args: arguments(0, 1, "one package, or a part of its name"),
		Long: `Lists the packages of catalogs, the channels and bundles of one package, or the
packages whose names contain PACKAGE. VERSION may be a prefix, such as 1.16.
--provides and --requires find packages by the APIs of their bundles, --search
by a word; heads of default channels come first.`,
		Example: `  resolvent list --catalog community=community.json
  resolvent list etcd --catalog community=community.json
  resolvent list --provides Kafka.v1beta2 --catalog community=community.json
  resolvent list --search backup --catalog community=community.json`,
	}
}

func (f *listFlags) register(set *pflag.FlagSet) {
	inputs.String(set, "provides", "find packages that provide the API `KIND` or KIND.VERSION.GROUP; VERSION and GROUP are optional; a part of a KIND, a GROUP, or the name of a CRD also work", &f.query.Provides)
	inputs.String(set, "requires", "find packages that require the API `KIND`, in the same forms as for --provides, or a package of this name", &f.query.Requires)
	inputs.String(set, "search", "find packages with `WORD` in the name of the package, a bundle, a label or a provided kind, or in a display name, keyword or description", &f.query.Search)
	inputs.RegisterOutput(set, &f.output, terminal.OutputText, "for people (default)", terminal.OutputJSON, "", terminal.OutputYAML, "everything")
	inputs.Date(set, &f.date)
	f.catalogFlags.register(set)
	inputs.Group(set, inputs.GroupInput, func(set *pflag.FlagSet) { inputs.RegisterVerbose(set, &f.verbose) })
}

func (f *listFlags) run(ctx context.Context, names []string, _ *pflag.FlagSet, std inputs.Streams) (int, error) {
	f.sources.Texts = f.query.Search != ""
	view, err := f.view(ctx, std)
	if err != nil {
		return exitNotStarted, err
	}
	inputs.ReportFaults(std.Err, view, f.verbose)
	matching := f.query != listing.Query{}
	name := strings.Join(names, "")
	listed := listing.Of(view, name, inputs.Day(f.date))
	detailed := name != "" && len(listed.Packages) > 0 && !matching
	if !detailed && (matching || name != "") {
		f.query.Name = name
		listed = listing.Find(view, f.query, inputs.Day(f.date))
	}
	switch {
	case len(listed.Packages) > 0:
	case matching:
		return exitNotStarted, f.query.None(view)
	case name != "":
		return exitNotStarted, unknownPackage(view, name)
	}
	page := terminal.NewPage(ctx, std.Out, f.output)
	switch {
	case f.output != terminal.OutputText:
		err = terminal.WriteJSON(page, listed)
	case detailed:
		listing.WriteDetails(page, listed)
	case matching:
		listing.WriteMatches(page, listed)
	default:
		listing.WritePackages(page, listed)
	}
	return exitResolved, cmp.Or(err, page.Close())
}
