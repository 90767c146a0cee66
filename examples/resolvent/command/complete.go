package command

import (
	"context"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/examples/resolvent/internal/inputs"
)

// named is a command that takes names of packages or bundles of its catalogs: as arguments,
// or as values of flags.
type named interface {
	command
	// catalogs are those that a command line gives.
	catalogs() ([]inputs.CatalogFlag, *inputs.SourceFlags)
	// packages are the flags whose values begin with a package, "" for the arguments.
	packages() []string
}

// completionTime is how long catalogs may take to be read while a shell waits.
const completionTime = 3 * time.Second

// completes is whether a shell asks for words. Only then are they registered: cobra keeps each
// of them, with its whole tree of commands, until the process ends.
func completes(args []string) bool {
	return len(args) > 0 && strings.HasPrefix(args[0], cobra.ShellCompRequestCmd)
}

// complete has a shell complete the words of flags, and names in catalogs.
func complete(c *cobra.Command, of command, std inputs.Streams) {
	c.Flags().VisitAll(func(f *pflag.Flag) {
		if words := inputs.WordsOf(f); words != nil {
			_ = c.RegisterFlagCompletionFunc(f.Name, cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp))
		}
	})
	if of, ok := of.(interface{ manifests() *inputs.Flags }); ok && c.Flags().Lookup("namespace") != nil {
		_ = c.RegisterFlagCompletionFunc("namespace", func(c *cobra.Command, _ []string, begun string) ([]string, cobra.ShellCompDirective) {
			ctx, stop := context.WithTimeout(c.Context(), completionTime)
			defer stop()
			return inputs.BegunNamespaces(ctx, of.manifests(), begun), cobra.ShellCompDirectiveNoFileComp
		})
	}
	user, ok := of.(named)
	if !ok {
		return
	}
	names := func(c *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
		ctx, stop := context.WithTimeout(c.Context(), completionTime)
		defer stop()
		flags, sources := user.catalogs()
		list, err := inputs.LoadBackground(ctx, flags, sources, inputs.Streams{Err: std.Err, Live: std.Live})
		if err != nil {
			cobra.CompDebugln(err.Error(), false)
			return nil, cobra.ShellCompDirectiveError
		}
		var found []string
		for _, c := range list {
			found = append(found, begunNames(c.Snapshot, begun)...)
		}
		return found, cobra.ShellCompDirectiveNoFileComp
	}
	for _, name := range user.packages() {
		if name == "" {
			c.ValidArgsFunction = names
		} else {
			_ = c.RegisterFlagCompletionFunc(name, names)
		}
	}
}

// begunNames are the packages that begin with a text, the versions of one behind @, and
// bundles where no package begins so.
func begunNames(s *catalog.Snapshot, begun string) (names []string) {
	pkg, _, versions := strings.Cut(begun, "@")
	for p := range s.Packages() {
		if versions && p.Name == pkg {
			for _, id := range p.Bundles {
				if name := pkg + "@" + s.Bundle(id).Version.String(); strings.HasPrefix(name, begun) {
					names = append(names, name)
				}
			}
		} else if !versions && strings.HasPrefix(p.Name, begun) {
			names = append(names, p.Name)
		}
	}
	if len(names) == 0 && begun != "" {
		for _, id := range s.ByName() {
			if name := s.Bundle(id).Name; strings.HasPrefix(name, begun) {
				names = append(names, name)
			}
		}
	}
	return names
}

// unquote has shells show usages without the marks with which help finds the names of values.
func unquote(root *cobra.Command) {
	for _, c := range root.Commands() {
		c.Flags().VisitAll(func(f *pflag.Flag) { _, f.Usage = pflag.UnquoteUsage(f) })
	}
}
