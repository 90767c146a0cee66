package command

import (
	"context"
	"slices"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/examples/resolvent/internal/inputs"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/policy"
)

// Live is a running cluster, with catalogs of its own.
type Live = inputs.Live

// LivePrefix begins how a catalog of the running cluster is named.
const LivePrefix = inputs.LivePrefix

// chooseNamespaces has the running cluster choose the namespaces, if the requests are its
// own.
func chooseNamespaces(input *inputs.Flags, choice *inputs.ChoiceFlags, live Live) (err error) {
	if live != nil && input.ReadsLive() {
		choice.Namespaces, err = live.Namespaces(choice.Namespaces)
	}
	input.Namespaces = slices.Concat(choice.Namespaces, globalNamespaces(choice))
	return err
}

// addDeclared adds the catalogs of the running cluster that the namespaces see.
func addDeclared(ctx context.Context, input *inputs.Flags, choice *inputs.ChoiceFlags, objects cluster.Objects, std inputs.Streams) (err error) {
	if std.Live == nil {
		return nil
	}
	if !input.ReadsLive() {
		if objects, err = std.Live.Catalogs(ctx, std.Err); err != nil {
			return err
		}
	}
	seen := func(key catalog.Key) bool {
		excluded := slices.Contains(choice.Options.ExcludeCatalogs, key)
		return !excluded && (len(choice.Namespaces) == 0 || slices.Contains(input.Namespaces, key.Namespace))
	}
	input.Catalogs = append(input.Catalogs, inputs.Declared(objects, input.Catalogs, seen)...)
	return nil
}

func globalNamespaces(choice *inputs.ChoiceFlags) []string {
	if choice.Options.GlobalNamespaces == nil {
		return policy.DefaultGlobalNamespaces
	}
	return choice.Options.GlobalNamespaces
}
