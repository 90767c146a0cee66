// Package command is the command line of resolvent. It is also an example of how to use
// the library: question.go and resolve.go call the resolver, package inputs reads
// manifests and catalogs, and outcomes and findings print. Each other command has a file
// of its name.
package command

import (
	"cmp"
	"context"
	"errors"
	"io"
	"log"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/resolvent/resolvent/examples/resolvent/internal/help"
	"github.com/resolvent/resolvent/examples/resolvent/internal/inputs"
	"github.com/resolvent/resolvent/examples/resolvent/internal/terminal"
	"github.com/resolvent/resolvent/resolver/check"
)

// command is a subcommand of the program.
type command interface {
	// describe says what it does, with examples.
	describe() cobra.Command
	register(set *pflag.FlagSet)
	run(ctx context.Context, args []string, set *pflag.FlagSet, std inputs.Streams) (status int, err error)
}

// commands are in the order in which help lists them, those of a program without a cluster.
func commands() []command { return Program{}.commands() }

func (p Program) commands() []command {
	list := []command{
		&resolveFlags{}, &statusFlags{}, &listFlags{}, &showFlags{}, &explainFlags{name: "why"}, &explainFlags{name: "why-not"},
		&pathFlags{}, &checkFlags{}, &graphFlags{}, &diffFlags{}, &approveFlags{live: p.Live != nil}, &policyFlags{}, &lockFlags{}, &mirrorFlags{}, &migrateFlags{}, schemaCommand{}, versionCommand{},
	}
	if p.Live != nil {
		list = append(list, &saveFlags{})
	}
	return list
}

// Live is a running cluster, with catalogs of its own.
type Live = inputs.Live

// LiveQuery says what is asked of it.
type LiveQuery = inputs.LiveQuery

// LivePrefix begins how a catalog of the running cluster is named.
const LivePrefix = inputs.LivePrefix

// Program is a command line. That of resolvent itself knows files and servers; another
// one adds the cluster that it knows.
type Program struct {
	// Name is how it is called.
	Name string
	// Live is nil if there is none, and LiveUsage what help says of it beside its flags.
	Live      Live
	LiveUsage string
	// Safety, if set, makes check judge updates of CustomResourceDefinitions as OLM v1 does.
	Safety check.Safety
	// Examples are those of commands in its help, by their names, and of the program
	// itself without one. What is missing has those of resolvent.
	Examples map[string]string
}

func Run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	return Program{Name: ownName}.Run(ctx, args, stdin, stdout, stderr)
}

// ownName is that of resolvent itself, which usages use.
const ownName = "resolvent"

// Run runs the command that args name, and returns the exit status. It ends with ctx.
// Standard input is read only where args name it.
func (p Program) Run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	process := stderr == io.Writer(os.Stderr)
	out := &terminal.Output{To: stdout}
	stderr = terminal.Legible{To: stderr}
	if process { // what net/http logs of a server goes there, too
		log.SetFlags(0)
		log.SetOutput(terminal.Notes{To: stderr})
	}
	status := -1 // until a command runs
	notes := &terminal.Later{To: stderr}
	root := p.Command(inputs.Streams{In: stdin, Out: out, Err: notes, Program: p.Name, Version: version(p.Name), Args: args, Live: p.Live, Safety: p.Safety}, &status)
	if completes(args) {
		unquote(root)
	}
	c, err := execute(ctx, root, args)
	defer notes.Release() // beside an error they come last
	if status < 0 && err != nil {
		status = exitNotStarted
	}
	switch usage := (inputs.UsageError{}); {
	case out.Err != nil:
		terminal.Printf(stderr, "%s: standard output: %v\n", p.Name, out.Err)
		return exitNotStarted
	case errors.As(err, &usage):
		terminal.Printf(stderr, "%s: %v\n%s\n", c.CommandPath(), err, help.Hint(c, p.Name))
	case err != nil:
		terminal.Printf(stderr, "%s: %v\n", c.CommandPath(), err)
	}
	return max(status, exitResolved)
}

// execute runs the command that args name, and returns it.
func execute(ctx context.Context, root *cobra.Command, args []string) (*cobra.Command, error) {
	if c, rest, err := root.Find(args); err == nil {
		c.InitDefaultHelpFlag()
		// An unknown command is the first fault to be named.
		root.FParseErrWhitelist.UnknownFlags = slices.ContainsFunc(args, func(arg string) bool { return !strings.HasPrefix(arg, "-") })
		if err := inputs.CheckDashes(c.Flags(), rest); err != nil {
			return c, err
		}
	}
	root.SetArgs(append([]string{}, args...)) // of nil, cobra makes the arguments of the process
	return root.ExecuteContextC(ctx)
}

// Command is the program for cobra, which makes pages of a manual of it as well. The status
// is set by the command that runs.
func (p Program) Command(std inputs.Streams, status *int) *cobra.Command {
	reads := "It\nreads catalogs (--catalog) and what kubectl prints of a cluster (-f). It is\nread-only."
	if p.Live != nil {
		reads = "It\nreads the running cluster and its catalogs, or what you pass with -f and\n--catalog. It is read-only, except that approve approves InstallPlans: it asks\nfirst, unless you pass --yes."
	}
	root := &cobra.Command{
		Use:   strings.ReplaceAll(p.Name, " ", "-") + " COMMAND [flags]",
		Short: "Shows which operators OLM will install on a cluster, and why",
		Long:  "resolvent tells you which operators OLM will install on a cluster, and why. " + reads,
		Example: cmp.Or(p.Examples[""], `  resolvent list --provides Kafka --catalog olm/community=community.json
  resolvent resolve --package etcd --catalog olm/community=community.json
  # leave out kinds that kubectl api-resources does not list
  `+inputs.KubectlGet()+`
  resolvent status -f cluster.yaml --catalog olm/community=community.json`),
		Annotations:                map[string]string{cobra.CommandDisplayNameAnnotation: p.Name},
		SilenceErrors:              true,
		SilenceUsage:               true,
		DisableFlagsInUseLine:      true,
		Version:                    version(p.Name),
		SuggestionsMinimumDistance: 2,
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) > 0 {
				return unknownCommand(c, args[0])
			}
			c.SetOut(std.Err)
			*status = exitNotStarted
			return c.Help()
		},
	}
	root.Args = cobra.ArbitraryArgs
	root.SetOut(std.Out)
	root.SetErr(std.Err)
	root.SetIn(std.In)
	root.SetHelpFunc(help.Print)
	root.SetVersionTemplate("{{.Version}}\n")
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error { return inputs.FlagError(c.Flags(), err) })
	root.SetHelpCommand(helpCommand())
	for _, each := range p.commands() {
		root.AddCommand(p.subcommand(each, std, status))
	}
	root.AddCommand(help.Topic(help.FlagsTopic, "The flags that several commands share", func() string { return help.SharedFlags(root, p.LiveUsage) }))
	root.AddCommand(help.Topic("catalogs", "What catalogs can be, and how commands take them", func() string { return help.Catalogs }))
	root.AddCommand(help.Topic("exit", "The exit statuses of all commands", exitTable))
	help.AddCompletion(root, p.Name)
	return root
}

func (p Program) subcommand(made command, std inputs.Streams, status *int) *cobra.Command {
	c := made.describe()
	if first := strings.Join(std.Args[:min(len(std.Args), 1)], ""); first != c.Name() && exits[first] != [2]string{} {
		return &c // another one runs: the flags of all take longer than many an answer
	}
	c.Long = strings.TrimSpace(p.renamed(c.Long)) + "\n\n" + exitText(c.Name())
	c.Example = cmp.Or(p.Examples[c.Name()], p.renamed(c.Example))
	c.DisableFlagsInUseLine = true
	set := c.Flags()
	set.SortFlags = false
	made.register(set)
	if completes(std.Args) {
		complete(&c, made, std)
	}
	var timeout time.Duration
	var color terminal.Color
	if set.HasFlags() {
		inputs.Group(set, inputs.GroupReading, func(set *pflag.FlagSet) {
			inputs.RegisterTimeout(set, &timeout)
			inputs.RegisterColor(set, &color)
		})
		if std.Live != nil {
			inputs.Group(set, inputs.GroupLive, std.Live.Register)
		}
	}
	c.RunE = func(c *cobra.Command, args []string) (err error) {
		ctx, stop := inputs.Limited(c.Context(), timeout)
		defer stop()
		if out, ok := std.Out.(*terminal.Output); ok {
			out.Color = color
		}
		*status, err = made.run(ctx, args, set, std)
		return ended(ctx, err)
	}
	return &c
}

// ended returns an error that says what ended ctx, in place of the words of package context.
func ended(ctx context.Context, err error) error {
	if ctx.Err() == nil || !errors.Is(err, ctx.Err()) {
		return err
	}
	return errors.New(strings.Replace(err.Error(), ctx.Err().Error(), context.Cause(ctx).Error(), 1))
}

// renamed is a text on resolvent, of this program.
func (p Program) renamed(text string) string {
	return strings.ReplaceAll(text, ownName+" ", p.Name+" ")
}

// Help lists commands as they are added.
func init() { cobra.EnableCommandSorting = false }

// unknownCommand is the error of a command or topic that does not exist, with those that it may be.
func unknownCommand(root *cobra.Command, name string) error {
	names := root.SuggestionsFor(name)
	if len(names) == 0 {
		if near := terminal.Nearest(name, terminal.Mapped(root.Commands(), (*cobra.Command).Name)); near != "" {
			names = []string{near}
		}
	}
	near := ""
	if len(names) > 0 {
		near = "; did you mean " + terminal.OneOf(names) + "?"
	}
	return inputs.Usagef("%s: unknown command%s", name, near)
}

// arguments refuses fewer or more of them than what is wanted.
func arguments(least, most int, what string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		switch {
		case len(args) < least:
			return inputs.Usagef("missing argument; want %s", what)
		case len(args) > most:
			return inputs.Usagef("%s: too many arguments; want %s", args[most], what)
		}
		return nil
	}
}

// requests refuses arguments: what is asked about stands behind flags.
func requests(_ *cobra.Command, args []string) error {
	if len(args) > 0 {
		return inputs.Usagef("%s: this command takes no arguments; write --package %[1]s", args[0])
	}
	return nil
}
