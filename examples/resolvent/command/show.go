package command

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/examples/resolvent/internal/inputs"
	"github.com/resolvent/resolvent/examples/resolvent/internal/listing"
	"github.com/resolvent/resolvent/examples/resolvent/internal/terminal"
)

type showFlags struct {
	catalogFlags
	date, output string
}

func (*showFlags) describe() cobra.Command {
	return cobra.Command{
		Use: "show PACKAGE[@VERSION] --catalog NAME=FROM [flags]", SuggestFor: []string{"info", "describe"}, Short: "What a bundle provides, requires and updates",
		Args: arguments(1, 1, "one package or bundle"),
		Long: `Shows what catalogs state about a bundle: its APIs, what it requires, install
modes, version limits, deprecation, support, channels, what it updates and what
updates it, and its image. Without VERSION it is the head of the default
channel. VERSION may be a prefix, such as 1.16. You can also give the bundle by
its name. Each catalog that has it is listed, by priority.`,
		Example: `  resolvent show etcd --catalog community=community.json
  resolvent show etcd@0.9.4 -o json --catalog community=community.json`,
	}
}

func (f *showFlags) register(set *pflag.FlagSet) {
	inputs.RegisterOutput(set, &f.output, terminal.OutputText, "for people (default)", terminal.OutputJSON, "", terminal.OutputYAML, "everything")
	inputs.Date(set, &f.date)
	f.catalogFlags.register(set)
}

// unknownPackage is the error of a package, one with a version, or a bundle that no catalog has.
func unknownPackage(view *cache.View, asked string) error {
	pkg, version, _ := strings.Cut(asked, "@")
	if known := listing.Of(view, pkg, "").Packages; pkg != "" && len(known) > 0 {
		if !slices.ContainsFunc(known, func(p listing.Package) bool { return len(p.Bundles) > 0 }) {
			return fmt.Errorf("%s: package %s has no usable bundle; 'check' says why", asked, pkg)
		}
		return fmt.Errorf("%s: package %s has no version %s; to see its versions, run 'list %[2]s' with the same --catalog", asked, pkg, version)
	}
	near := listing.NearestPackage(pkg, view)
	if parts := listing.Find(view, listing.Query{Name: pkg}, "").Packages; len(parts) > 0 {
		near = "; similar names: " + terminal.Few(terminal.Mapped(parts, func(p listing.Package) string { return p.Package }))
	}
	return fmt.Errorf("%s: no catalog has a package or bundle of this name%s", asked, near)
}

func (f *showFlags) run(ctx context.Context, args []string, _ *pflag.FlagSet, std inputs.Streams) (int, error) {
	view, err := f.view(ctx, std)
	if err != nil {
		return exitNotStarted, err
	}
	shown := listing.Show(view, args[0], inputs.Day(f.date))
	if len(shown.Bundles) == 0 {
		return exitNotStarted, unknownPackage(view, args[0])
	}
	page := terminal.NewPage(ctx, std.Out, f.output)
	if f.output == terminal.OutputText {
		listing.WriteShown(page, shown)
	} else {
		err = terminal.WriteJSON(page, shown)
	}
	return exitResolved, cmp.Or(err, page.Close())
}
