// Package help writes the help of commands: what each does with its own flags, the flags that
// several share, and what catalogs can be.
package help

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/resolvent/resolvent/examples/resolvent/internal/inputs"
)

// Width is that of the texts that explain flags.
const Width = 80

// Print prints what a command does, with examples, its own flags, and the names of those
// that it shares.
func Print(c *cobra.Command, _ []string) {
	var b bytes.Buffer
	if c.Runnable() {
		fmt.Fprintf(&b, "Usage: %s\n\n", c.UseLine())
	}
	b.WriteString(strings.TrimSpace(c.Long) + "\n")
	if c.HasExample() {
		fmt.Fprintf(&b, "\nExamples:\n%s\n", strings.Trim(c.Example, "\n"))
	}
	if !c.HasParent() {
		b.WriteString("\nCommands:\n")
		for _, sub := range c.Commands() {
			if sub.IsAvailableCommand() || sub.Name() == "help" {
				fmt.Fprintf(&b, "  %-11s %s\n", sub.Name(), sub.Short)
			}
		}
		fmt.Fprintf(&b, "\nRun '%s help COMMAND' for the flags of a command, and '%[1]s help catalogs'\nfor what FROM can be.\n", c.CommandPath())
	}
	groups := flagGroups(c)
	if own := groups[0].flags; own.HasFlags() {
		fmt.Fprintf(&b, "\nFlags:\n%s", own.FlagUsagesWrapped(Width))
	}
	if len(groups) > 1 {
		fmt.Fprintf(&b, "\nShared flags ('%s help flags' explains them):\n", c.Root().CommandPath())
		for _, g := range groups[1:] {
			fmt.Fprintf(&b, "  %-21s %s\n", g.title+":", Folded(g.names(), ", ", Width-24, strings.Repeat(" ", 24)))
		}
	}
	c.OutOrStdout().Write(b.Bytes())
}

// flagGroup are flags that belong together; those of the command itself have no title.
type flagGroup struct {
	title string
	flags *pflag.FlagSet
}

func (g flagGroup) names() (names []string) {
	g.flags.VisitAll(func(f *pflag.Flag) { names = append(names, inputs.Spelled(f)) })
	return names
}

// flagGroups are the flags of commands, their own first.
func flagGroups(of ...*cobra.Command) []flagGroup {
	groups := []flagGroup{{"", pflag.NewFlagSet("", pflag.ContinueOnError)}}
	for _, c := range of {
		c.Flags().VisitAll(func(f *pflag.Flag) {
			title := inputs.GroupOf(f)
			at := slices.IndexFunc(groups, func(g flagGroup) bool { return g.title == title })
			if at < 0 {
				at = len(groups)
				groups = append(groups, flagGroup{title, pflag.NewFlagSet("", pflag.ContinueOnError)})
			}
			groups[at].flags.SortFlags = false
			if f.Name != "help" && groups[at].flags.Lookup(f.Name) == nil {
				groups[at].flags.AddFlag(f)
			}
		})
	}
	return groups
}

// FlagsTopic is the name of the topic on the flags that commands share.
const FlagsTopic = "flags"

// Topic is a text of help that is about no command.
func Topic(name, short string, text func() string) *cobra.Command {
	c := &cobra.Command{Use: name, Short: short}
	c.SetHelpFunc(func(c *cobra.Command, _ []string) { io.WriteString(c.OutOrStdout(), text()) })
	return c
}

// Catalogs is the topic on catalogs.
const Catalogs = `Catalogs, and how commands take them.

FROM, CATALOG, OLD and NEW are each one of:
  FOLDER         a file-based catalog, or a tree of registry+v1 bundle directories
  FILE           JSON or YAML of a catalog, or a tar of a FOLDER; each also
                 compressed with gzip or zstd
  -              standard input, JSON or YAML
  https://...    a catalogd server, as status.urls.base of a ClusterCatalog names
                 it, or a FILE on a server; also http://
  oci:DIR        an image on disk, perhaps with :TAG or :DIGEST behind it; also
                 oci-archive:FILE and docker-archive:FILE

--catalog NAME=FROM names a catalog. NAME is, in commands about requests:
  NAMESPACE/NAME  that of a CatalogSource; Subscriptions see only such catalogs
  NAME            that of a ClusterCatalog, for ClusterExtensions
--catalog FROM is the only catalog that the manifests name; where they name none,
olm/catalog for Subscriptions, and catalog for ClusterExtensions.

Behind FROM may follow, with commas:
  priority=N, label=KEY:VALUE  instead of what the CatalogSource or ClusterCatalog
                               among the manifests states
  image=REF                    the image of the catalog, for mirror -o imageset

Either of these brings the catalog of an image here:
  opm render IMAGE -o json > catalog.json
  skopeo copy docker://IMAGE oci:DIR
`

// SharedFlags explains the flags that commands share. The usage is what a program adds.
func SharedFlags(root *cobra.Command, usage string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Flags that several commands share.\n\nThis writes what -f reads; leave out kinds that\nkubectl api-resources does not list:\n  %s\n", inputs.KubectlGet())
	for _, g := range flagGroups(root.Commands()...)[1:] {
		fmt.Fprintf(&b, "\n%s:\n%s", g.title, g.flags.FlagUsagesWrapped(Width))
	}
	return b.String() + usage
}

// Folded joins words to lines of a width, each but the first behind an indent.
func Folded(words []string, between string, width int, indent string) string {
	var b strings.Builder
	at := 0
	for i, word := range words {
		switch {
		case i > 0 && at+len(between)+len(word) > width:
			b.WriteString(strings.TrimRight(between, " ") + "\n" + indent)
			at = 0
		case i > 0:
			b.WriteString(between)
			at += len(between)
		}
		b.WriteString(word)
		at += len(word)
	}
	return b.String()
}
