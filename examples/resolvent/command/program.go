// Package command is the command line of resolvent. It is also an example of how to use
// the library: question.go and resolve.go call the resolver, package inputs reads
// manifests and catalogs, and outcomes and findings print. Each other command has a file
// of its name.
package command

import (
	"context"
	"errors"
	"flag"
	"io"
	"log"
	"os"
	"slices"
	"strings"

	"github.com/resolvent/resolvent/examples/resolvent/internal/inputs"
	"github.com/resolvent/resolvent/examples/resolvent/internal/terminal"
)

// The exit statuses.
const (
	exitResolved = 0
	// exitUnresolved: there are results, and not all of them are resolved.
	exitUnresolved = 1
	// exitNotStarted: nothing was resolved, because the command line or an input
	// cannot be used.
	exitNotStarted = 2
)

// exit is the status of a command that has answers.
func exit(unresolved bool) (status int, err error) {
	if unresolved {
		return exitUnresolved, nil
	}
	return exitResolved, nil
}

// command is a subcommand of the program.
type command struct {
	name, summary, usage string
	run                  func(ctx context.Context, args []string, std inputs.Streams) (status int, err error)
}

// commands are in the order in which help lists them.
func commands() []command {
	return []command{
		{"resolve", "what to install, keep and replace", resolveUsage, resolve},
		{"status", "how each request stands, and what blocks the cluster's update", statusUsage, status},
		{"list", "which packages, channels and bundles catalogs have", listUsage, list},
		{"why", "why a bundle is chosen", whyUsage, explainCommand("why")},
		{"why-not", "why a bundle is not chosen", whyNotUsage, explainCommand("why-not")},
		{"check", "what is wrong with catalogs and bundles", checkUsage, check},
		{"graph", "the update graph of a package", graphUsage, graph},
		{"diff", "what a change of a catalog means to its users", diffUsage, diff},
		{"path", "which updates lead a package to a version", pathUsage, path},
		{"mirror", "what a disconnected cluster needs", mirrorUsage, runMirror},
		{"version", "the version of this program", versionUsage, printVersion},
		{"completion", "a script with which a shell completes commands and flags", completionUsage, completion},
	}
}

// Live is a running cluster, with catalogs of its own.
type Live = inputs.Live

// LivePrefix begins how a catalog of the running cluster is named.
const LivePrefix = inputs.LivePrefix

// Program is a command line. That of resolvent itself knows files and servers; another
// one adds the cluster that it knows.
type Program struct {
	// Name is how it is called.
	Name string
	// Live is nil if there is none, and LiveUsage what help says of it, with its flags
	// and what it opens.
	Live      Live
	LiveUsage string
}

// Run runs resolvent itself.
func Run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	return Program{Name: ownName}.Run(ctx, args, stdin, stdout, stderr)
}

// ownName is that of resolvent itself, which usages use.
const ownName = "resolvent"

// named is a text on resolvent, of this program.
func (p Program) named(text string) string { return strings.ReplaceAll(text, ownName+" ", p.Name+" ") }

// Run runs the command that args name, and returns the exit status. It ends with ctx.
// Standard input is read only where args name it.
func (p Program) Run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	process := stderr == io.Writer(os.Stderr)
	out := &terminal.Output{To: stdout}
	stdout, stderr = out, terminal.Legible{To: stderr}
	if process { // what net/http logs of a server goes there, too
		log.SetFlags(0)
		log.SetOutput(terminal.Notes{To: stderr})
	}
	status := p.command(ctx, args, stdin, stdout, stderr)
	if out.Err != nil {
		terminal.Printf(stderr, "%s: standard output: %v\n", p.Name, out.Err)
		return exitNotStarted
	}
	return status
}

// command runs the command that args name.
func (p Program) command(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	if len(args) == 0 {
		io.WriteString(stderr, p.overview())
		return exitNotStarted
	}
	name, rest := args[0], args[1:]
	switch name {
	case "help", "-h", "-help", "--help":
		return p.help(rest, stdout, stderr)
	case "__complete": // what the scripts of completion call
		for _, word := range complete(rest) {
			terminal.Printf(stdout, "%s\n", word)
		}
		return exitResolved
	}
	c, ok := find(name)
	if !ok {
		terminal.Printf(stderr, "%s: unknown command %q%s\n\n%s", p.Name, name, terminal.Suggestion(name, commandNames()), terminal.Lines(p.overview()))
		return exitNotStarted
	}
	if len(rest) > 0 && slices.Contains([]string{"-h", "-help", "--help"}, rest[0]) {
		return p.help(args[:1], stdout, stderr)
	}
	status, err := c.run(ctx, rest, inputs.Streams{In: stdin, Out: stdout, Err: stderr, Program: p.Name, Live: p.Live})
	var usage inputs.UsageError
	switch {
	case errors.Is(err, flag.ErrHelp):
		return p.help(args[:1], stdout, stderr)
	case errors.As(err, &usage):
		terminal.Printf(stderr, "%s %s: %v\nRun '%[1]s help %[2]s' for its flags.\n", p.Name, name, err)
	case err != nil && stdout.(*terminal.Output).Err == nil:
		terminal.Printf(stderr, "%s %s: %v\n", p.Name, name, err)
	}
	return status
}

func find(name string) (command, bool) {
	for _, c := range commands() {
		if c.name == name {
			return c, true
		}
	}
	return command{}, false
}

func commandNames() []string {
	return terminal.Mapped(commands(), func(c command) string { return c.name })
}

func (p Program) help(args []string, stdout, stderr io.Writer) int {
	if len(args) == 0 {
		io.WriteString(stdout, p.overview())
		return exitResolved
	}
	c, ok := find(args[0])
	if !ok {
		terminal.Printf(stderr, "%s help: unknown command %q%s\n", p.Name, args[0], terminal.Suggestion(args[0], commandNames()))
		return exitNotStarted
	}
	io.WriteString(stdout, p.named(c.usage)+p.LiveUsage)
	return exitResolved
}

func (p Program) overview() string {
	var b strings.Builder
	b.WriteString("resolvent answers what a cluster's requests for operators come to.\n\nCommands:\n")
	for _, c := range commands() {
		terminal.Printf(&b, "  %-10s %s\n", c.name, c.summary)
	}
	b.WriteString("\nRun 'resolvent help COMMAND' for the flags of a command.\n")
	return p.named(b.String())
}
