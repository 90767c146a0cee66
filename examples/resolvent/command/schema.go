package command

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/resolvent/resolvent/examples/resolvent/internal/inputs"
	"github.com/resolvent/resolvent/examples/resolvent/internal/schema"
	"github.com/resolvent/resolvent/examples/resolvent/internal/terminal"
)

type schemaCommand struct{}

func (schemaCommand) describe() cobra.Command {
	return cobra.Command{
		Use: "schema [COMMAND]", Short: "The JSON Schema of what a command writes", Args: arguments(0, 1, "one command"),
		Long:      "Prints the JSON Schema (2020-12) of the output of a command with -o json, or of\nall commands. Within resolvent/v1, existing keys never change; new ones may be\nadded.",
		Example:   "  resolvent schema resolve",
		ValidArgs: schema.Commands(),
	}
}

func (schemaCommand) register(*pflag.FlagSet) {}

func (schemaCommand) run(_ context.Context, args []string, _ *pflag.FlagSet, std inputs.Streams) (int, error) {
	command := strings.Join(args, "")
	if commands := schema.Commands(); len(args) > 0 && !slices.Contains(commands, command) {
		return exitNotStarted, inputs.Usagef("%s: this command does not write JSON; want %s", command, terminal.OneOf(commands))
	}
	text, err := schema.Of(command)
	if err == nil {
		_, err = std.Out.Write(text)
	}
	return exitResolved, err
}
