package command

import (
	"cmp"
	"context"
	"runtime/debug"

	"github.com/resolvent/resolvent/examples/resolvent/internal/inputs"
	"github.com/resolvent/resolvent/examples/resolvent/internal/terminal"
)

const versionUsage = `Usage: resolvent version

Prints the version of the program, the commit that it was built from with its date, and
the version of Go.

Examples:
  resolvent version
`

// printVersion is the command version.
func printVersion(_ context.Context, args []string, std inputs.Streams) (int, error) {
	if len(args) > 0 {
		return exitNotStarted, inputs.Usagef("unexpected argument %q", args[0])
	}
	version, commit, goVersion := "(unknown)", "", ""
	if info, ok := debug.ReadBuildInfo(); ok {
		version, goVersion = cmp.Or(info.Main.Version, version), info.GoVersion
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" || s.Key == "vcs.time" { // in this order
				commit += " " + s.Value
			}
		}
	}
	terminal.Printf(std.Out, "%s %s%s %s\n", std.Program, version, commit, goVersion)
	return exitResolved, nil
}
