package command

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"time"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/examples/resolvent/internal/inputs"
	"github.com/resolvent/resolvent/examples/resolvent/internal/listing"
	"github.com/resolvent/resolvent/examples/resolvent/internal/terminal"
)

const listUsage = `Usage: resolvent list [PACKAGE] --catalog [NAMESPACE/]NAME=FROM [flags]

Lists the packages of catalogs, or the channels and bundles of one package.

  --catalog [NAMESPACE/]NAME=FROM
                             a catalog; may be repeated
` + inputs.CatalogUsage + inputs.SourceUsage + `  --verbose                  list the faults of catalogs, not only their number
  --timeout DURATION         give up after this time, as in 30s; default 1m; 0: never
  -o text|json

Examples:
  resolvent list --catalog community=community.json
  resolvent list etcd --catalog community=community.json

Exit status: 0 if something is listed, 2 if the input cannot be used, or no catalog
has the package.
`

// list is the command of that name.
func list(ctx context.Context, args []string, std inputs.Streams) (int, error) {
	var flags []inputs.CatalogFlag
	var sources inputs.SourceFlags
	var timeout time.Duration
	var output string
	set := flag.NewFlagSet("list", flag.ContinueOnError)
	inputs.RegisterCatalogs(set, "catalog", &flags)
	sources.Register(set)
	verbose := set.Bool("verbose", false, "")
	inputs.RegisterTimeout(set, &timeout)
	inputs.RegisterOutput(set, &output, terminal.OutputText, terminal.OutputJSON)
	names, err := inputs.Parse(set, args, std)
	switch {
	case err != nil:
		return exitNotStarted, err
	case len(names) > 1:
		return exitNotStarted, inputs.Usagef("want one package, not %d", len(names))
	case len(flags) == 0 && std.Live == nil:
		return exitNotStarted, inputs.Usagef("no catalog: name one with --catalog NAME=FROM")
	}
	ctx, stop := inputs.Limited(ctx, timeout)
	defer stop()
	if len(flags) == 0 {
		if flags, err = inputs.OfLive(ctx, std); err != nil {
			return exitNotStarted, err
		}
	}
	catalogs, err := inputs.LoadBackground(ctx, flags, &sources, std)
	if err != nil {
		return exitNotStarted, err
	}
	view := cache.NewView(catalogs)
	inputs.ReportFaults(std.Err, view, *verbose)
	listed := listing.Of(view, names)
	if len(names) > 0 && len(listed.Packages) == 0 {
		return exitNotStarted, fmt.Errorf("no catalog has a package %s%s", names[0], listing.NearestPackage(names[0], view))
	}
	page := terminal.NewPage(ctx, std.Out, output)
	switch {
	case output == terminal.OutputJSON:
		err = page.JSON(listed)
	case len(names) > 0:
		listing.WriteDetails(page, listed)
	default:
		listing.WritePackages(page, listed)
	}
	return exitResolved, cmp.Or(err, page.Close())
}
