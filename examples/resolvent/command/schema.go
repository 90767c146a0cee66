package command

import (
	"context"
	"maps"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/resolvent/resolvent/examples/resolvent/internal/approvals"
	"github.com/resolvent/resolvent/examples/resolvent/internal/differences"
	"github.com/resolvent/resolvent/examples/resolvent/internal/findings"
	"github.com/resolvent/resolvent/examples/resolvent/internal/inputs"
	"github.com/resolvent/resolvent/examples/resolvent/internal/listing"
	"github.com/resolvent/resolvent/examples/resolvent/internal/migrations"
	"github.com/resolvent/resolvent/examples/resolvent/internal/mirrors"
	"github.com/resolvent/resolvent/examples/resolvent/internal/outcomes"
	"github.com/resolvent/resolvent/examples/resolvent/internal/policies"
	"github.com/resolvent/resolvent/examples/resolvent/internal/repairs"
	"github.com/resolvent/resolvent/examples/resolvent/internal/schema"
	"github.com/resolvent/resolvent/examples/resolvent/internal/terminal"
)

type schemaCommand struct{}

func (schemaCommand) describe() cobra.Command {
	return cobra.Command{
		Use: "schema [COMMAND]", Short: "The JSON Schema of what a command writes", Args: arguments(0, 1, "one command"),
		Long:      "Prints the JSON Schema (2020-12) of what a command writes with -o json, or of\nwhat all of them write. Within resolvent/v1 keys stay as they are, and more may\nbe added.",
		Example:   "  resolvent schema resolve",
		ValidArgs: slices.Sorted(maps.Keys(documents())),
	}
}

func (schemaCommand) register(*pflag.FlagSet) {}

// documents are the types of what each command writes with -o json.
func documents() map[string][]any {
	all := map[string][]any{"list": {listing.Listing{}}, "show": {listing.Shown{}}}
	for _, of := range []map[string][]any{approvals.Documents, policies.Documents, outcomes.Documents, findings.Documents, repairs.Documents, differences.Documents, mirrors.Documents, migrations.Documents} {
		for command, types := range of {
			all[command] = slices.Concat(all[command], types)
		}
	}
	return all
}

func (schemaCommand) run(_ context.Context, args []string, _ *pflag.FlagSet, std inputs.Streams) (int, error) {
	known := documents()
	commands := slices.Sorted(maps.Keys(known))
	if len(args) > 0 && known[args[0]] == nil {
		return exitNotStarted, inputs.Usagef("%s: it is no command that writes JSON; want %s", args[0], terminal.OneOf(commands))
	}
	var types []any
	for _, name := range commands {
		if len(args) == 0 || name == args[0] {
			types = append(types, known[name]...)
		}
	}
	text, err := schema.Of(types)
	if err == nil {
		_, err = std.Out.Write(append(text, '\n'))
	}
	return exitResolved, err
}
