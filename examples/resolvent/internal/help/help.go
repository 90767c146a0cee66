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
		fmt.Fprintf(&b, "Usage: %s\n\n", Folded(parts(c.UseLine()), " ", Width-len("Usage: "), "       "))
	}
	b.WriteString(strings.TrimSpace(c.Long) + "\n")
	if c.HasExample() {
		b.WriteString("\nExamples:\n")
		for line := range strings.Lines(strings.Trim(c.Example, "\n")) {
			b.WriteString(example(line))
		}
	}
	if !c.HasParent() {
		b.WriteString("\nCommands:\n")
		for _, sub := range c.Commands() {
			if sub.IsAvailableCommand() || sub.Name() == "help" {
				fmt.Fprintf(&b, "  %-11s %s\n", sub.Name(), sub.Short)
			}
		}
		fmt.Fprintf(&b, "\nRun '%s help COMMAND' for the flags of a command, and\n'%[1]s help catalogs' for what FROM can be.\n", c.CommandPath())
	}
	if needs := needed(c); needs.HasFlags() {
		b.WriteString("\nMain flags:\n" + usages(needs))
	}
	groups := flagGroups(c)
	if own := groups[0].flags; own.HasFlags() {
		b.WriteString("\nFlags of this command:\n" + usages(own))
	}
	if len(groups) > 1 {
		fmt.Fprintf(&b, "\nOther shared flags (explained by '%s help flags'):\n", c.Root().CommandPath())
		for _, g := range groups[1:] {
			if len(g.others()) == 0 {
				continue
			}
			fmt.Fprintf(&b, "  %-21s %s\n", g.title+":", Folded(g.others(), ", ", Width-24, strings.Repeat(" ", 24)))
		}
	}
	c.OutOrStdout().Write(b.Bytes())
}

// most are the shared flags that commands need most, each with a line.
var most = []flagUsage{
	{"filename", "manifests, as kubectl prints them: a `FILE` or folder"},
	{"catalog", "a catalog, as `NAME=FROM`; see 'help catalogs'"},
	{"package", "add a Subscription to `PACKAGE`"},
	{"namespace", "only the namespace `NAME`"},
}

type flagUsage struct{ name, usage string }

// needed are those of the shared flags of a command that it needs most.
func needed(c *cobra.Command) *pflag.FlagSet {
	set := pflag.NewFlagSet("", pflag.ContinueOnError)
	set.SortFlags = false
	for _, m := range most {
		if f := c.Flags().Lookup(m.name); f != nil && inputs.GroupOf(f) != "" && !f.Hidden {
			short := *f
			short.Usage = m.usage
			set.AddFlag(&short)
		}
	}
	return set
}

// column is where what a flag does begins, at the latest.
const column = 28

// usages explains flags. A flag that reaches into the column has its line to itself if what it
// does needs more than the rest of it.
func usages(set *pflag.FlagSet) string {
	var b strings.Builder
	longest := 0
	heads, texts := []string{}, []string{}
	set.VisitAll(func(f *pflag.Flag) {
		value, text := pflag.UnquoteUsage(f)
		head := "      --" + f.Name
		if f.Shorthand != "" {
			head = "  -" + f.Shorthand + ", --" + f.Name
		}
		head = strings.TrimRight(head+" "+value, " ")
		heads, texts = append(heads, head), append(texts, text)
		if len(head)+between <= column {
			longest = max(longest, len(head))
		}
	})
	at := longest + between
	if longest == 0 {
		at = column
	}
	for i, head := range heads {
		indent := strings.Repeat(" ", at)
		switch {
		case len(head)+between <= at:
			head += strings.Repeat(" ", at-len(head))
		case len(head)+between+len(texts[i]) <= Width:
			head += strings.Repeat(" ", between)
		default:
			head += "\n" + indent
		}
		b.WriteString(head + Folded(strings.Fields(texts[i]), " ", Width-at, indent) + "\n")
	}
	return b.String()
}

// between is the space between a flag and what it does.
const between = 2

// parts are the words of a command, those before which it can be broken each at the beginning
// of one: flags, and what stands in square brackets, outside of quotes and brackets.
func parts(command string) (list []string) {
	depth, quoted, begin := 0, false, 0
	for i, c := range command {
		if i > 0 && command[i-1] == ' ' && depth == 0 && !quoted && strings.ContainsRune("-[>", c) {
			list = append(list, strings.TrimRight(command[begin:i], " "))
			begin = i
		}
		switch {
		case c == '\'':
			quoted = !quoted
		case strings.ContainsRune("({[", c):
			depth++
		case strings.ContainsRune(")}]", c):
			depth--
		}
	}
	return append(list, command[begin:])
}

// example is a line of an example, on several if it is too wide.
func example(line string) string {
	const indent, further = "  ", "    "
	line = strings.TrimSpace(line)
	if len(indent)+len(line) <= Width || strings.HasPrefix(line, "#") {
		return indent + line + "\n"
	}
	return indent + strings.ReplaceAll(Folded(parts(line), " ", Width-len(further)-len(" \\"), further), "\n", " \\\n") + "\n"
}

// flagGroup are flags that belong together; those of the command itself have no title.
type flagGroup struct {
	title string
	flags *pflag.FlagSet
}

// others are the names of those that are not among the ones that commands need most.
func (g flagGroup) others() (names []string) {
	g.flags.VisitAll(func(f *pflag.Flag) {
		if !slices.ContainsFunc(most, func(m flagUsage) bool { return m.name == f.Name }) {
			names = append(names, inputs.Spelled(f))
		}
	})
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
			if f.Name != "help" && !f.Hidden && groups[at].flags.Lookup(f.Name) == nil {
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

// Hint names the help of a command that was used wrongly, in the program of a name.
func Hint(c *cobra.Command, program string) string {
	topic, has := strings.TrimSuffix(strings.TrimPrefix(c.CommandPath(), program), " help"), "flags"
	if topic == "" {
		has = "commands"
	}
	return fmt.Sprintf("Run '%s help%s' for its %s.", program, topic, has)
}

// AddCompletion adds the command that writes scripts for shells, to the program of a name.
func AddCompletion(root *cobra.Command, program string) {
	root.InitDefaultCompletionCmd()
	c, _, err := root.Find([]string{"completion"})
	if err != nil {
		return // nothing is there to be completed
	}
	c.Use = "completion {bash|zsh|fish|powershell}"
	c.Short = "A script that completes commands, flags and names in your shell"
	c.Long = fmt.Sprintf(`Prints a script that completes commands, flags, namespaces from -f and packages
from --catalog in your shell. Run this line, or add it to the startup file of
your shell:
  bash        source <(%[1]s completion bash)
  zsh         source <(%[1]s completion zsh)
  fish        %[1]s completion fish | source
  powershell  %[1]s completion powershell | Out-String | Invoke-Expression

bash needs the package bash-completion, and zsh needs compinit before this line.`, program)
	c.Args = cobra.ArbitraryArgs
	c.RunE = func(_ *cobra.Command, args []string) error {
		if len(args) == 0 {
			return inputs.Usagef("missing argument; want bash, zsh, fish or powershell")
		}
		return inputs.Usagef("%s: unknown shell; want bash, zsh, fish or powershell", args[0])
	}
}

const Catalogs = `Catalogs, and how to pass them.

FROM, CATALOG, OLD and NEW can be:
  FOLDER         a file-based catalog, or a tree of registry+v1 bundle
                 directories
  FILE           JSON or YAML of a catalog, or a tar of a FOLDER; each also
                 compressed with gzip or zstd
  -              standard input, JSON or YAML
  https://...    a catalogd server, as status.urls.base of a ClusterCatalog
                 names it, or a FILE on a server; also http://
  oci:DIR        an image on disk, optionally followed by :TAG or :DIGEST; also
                 oci-archive:FILE and docker-archive:FILE

'check' also takes a template, by its FILE: olm.template.basic or olm.semver.
It takes its bundles from --catalog, by their images, or from the bundle
directory DIR of --bundle IMAGE=DIR. No registry is contacted: if a bundle is
missing, the template is not checked.

--catalog NAME=FROM names a catalog. In commands about requests, NAME is:
  NAMESPACE/NAME  of a CatalogSource; Subscriptions see only such catalogs
  NAME            of a ClusterCatalog, for ClusterExtensions
Without NAME, --catalog FROM is the only catalog that the manifests name. If
they name none, it is olm/catalog for Subscriptions and catalog for
ClusterExtensions.

Options can follow FROM, after commas:
  priority=N, label=KEY:VALUE  override those of the CatalogSource or
                               ClusterCatalog in the manifests
  image=REF                    the image of the catalog, for mirror -o imageset

To save the catalog of an image, use either of:
  opm render IMAGE -o json > catalog.json
  skopeo copy docker://IMAGE oci:DIR
`

// SharedFlags explains the flags that commands share. The usage is what a program adds.
func SharedFlags(root *cobra.Command, usage string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Flags that several commands share.\n\nThis command saves what -f reads. Leave out kinds that\nkubectl api-resources does not list:\n  %s\n\nThis one saves what shows whether OLM would refuse an install; pass it with\nanother -f:\n  %s\n", inputs.KubectlGet(), inputs.KubectlGetAtInstall())
	for _, g := range flagGroups(root.Commands()...)[1:] {
		fmt.Fprintf(&b, "\n%s:\n%s", g.title, usages(g.flags))
	}
	return b.String() + usage
}

// Folded joins words to lines of a width, each but the first behind an indent.
func Folded(words []string, between string, width int, indent string) string {
	var b strings.Builder
	at, end := 0, strings.TrimRight(between, " ")
	for i, word := range words {
		more := 0
		if i < len(words)-1 {
			more = len(end)
		}
		switch {
		case i > 0 && at+len(between)+len(word)+more > width:
			b.WriteString(end + "\n" + indent)
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
