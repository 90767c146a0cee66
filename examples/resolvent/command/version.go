package command

import (
	"cmp"
	"context"
	"runtime/debug"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/resolvent/resolvent/examples/resolvent/internal/inputs"
	"github.com/resolvent/resolvent/examples/resolvent/internal/terminal"
)

type versionCommand struct{}

func (versionCommand) describe() cobra.Command {
	return cobra.Command{
		Use: "version", Short: "The version of this program", Args: arguments(0, 0, "none"),
		Long:    "Prints the version of the program, the commit it was built from with its date,\nand the version of Go.",
		Example: "  resolvent version",
	}
}

func (versionCommand) register(*pflag.FlagSet) {}

func (versionCommand) run(_ context.Context, _ []string, _ *pflag.FlagSet, std inputs.Streams) (int, error) {
	terminal.Printf(std.Out, "%s\n", version(std.Program))
	return exitResolved, nil
}

// version is that of a program, with the commit that it was built from and the version of Go.
func version(program string) string {
	version, commit, goVersion := "(unknown)", "", ""
	if info, ok := debug.ReadBuildInfo(); ok {
		version, goVersion = cmp.Or(info.Main.Version, version), info.GoVersion
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" || s.Key == "vcs.time" { // in this order
				commit += " " + s.Value
			}
		}
	}
	return program + " " + version + commit + " " + goVersion
}
