package request

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/constraints"
	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/code"
	"github.com/resolvent/resolvent/resolver/internal/words"
	"github.com/resolvent/resolvent/resolver/result"
)

// Refusals are why OLM v1 would not install a bundle for the ClusterExtension: what its
// resolver does not look at, and its installer refuses.
func Refusals(e *cluster.ClusterExtension, bundle string, states *properties.Set, requires []constraints.Constraint) (list []result.Reason) {
	args := result.Args{Subject: bundle, Bundle: bundle}
	for _, rule := range refusals {
		list = append(list, rule(e, args, states, requires)...)
	}
	return list
}

// refusals has a rule for each kind of refusal.
var refusals = []func(e *cluster.ClusterExtension, args result.Args, states *properties.Set, requires []constraints.Constraint) []result.Reason{
	refuseDependencies, refuseModes, refuseAPIServices,
}

// refuseDependencies: what a bundle requires nobody installs. Labels are not looked at.
func refuseDependencies(_ *cluster.ClusterExtension, args result.Args, _ *properties.Set, requires []constraints.Constraint) []result.Reason {
	for _, c := range requires {
		if text := c.Expr.String(); c.Type != properties.TypeLabelRequired && !slices.Contains(args.Names, text) {
			args.Names = append(args.Names, text)
		}
	}
	if args.Names == nil {
		return nil
	}
	return []result.Reason{result.New(code.RefusedDependency, args)}
}

// watching are the values of watchNamespace, with the mode that each asks for.
var watching = []struct {
	mode properties.InstallMode
	// asked reports whether the ClusterExtension has such a value, and set says how to.
	asked func(e *cluster.ClusterExtension) bool
	set   func(namespace string) string
}{
	{properties.AllNamespaces,
		func(e *cluster.ClusterExtension) bool { return e.WatchNamespace == nil },
		func(string) string { return "remove it" }},
	{properties.OwnNamespace,
		func(e *cluster.ClusterExtension) bool {
			return e.WatchNamespace != nil && *e.WatchNamespace == e.Namespace
		},
		func(namespace string) string { return "set it to " + cmp.Or(namespace, "its namespace") }},
	{properties.SingleNamespace,
		func(e *cluster.ClusterExtension) bool {
			return e.WatchNamespace != nil && *e.WatchNamespace != e.Namespace
		},
		func(string) string { return "set it to another namespace" }},
}

// refuseModes: a bundle runs in the mode that watchNamespace asks for, if it states modes.
func refuseModes(e *cluster.ClusterExtension, args result.Args, states *properties.Set, _ []constraints.Constraint) []result.Reason {
	m := states.Metadata()
	if !m.StatesModes() {
		return nil
	}
	for _, w := range watching {
		switch {
		case m.Supports(w.mode) && w.asked(e):
			return nil
		case m.Supports(w.mode):
			args.Names = append(args.Names, w.set(e.Namespace))
		case w.asked(e):
			args.Limit = string(w.mode)
		}
	}
	if len(m.Supported()) > 0 {
		args.Has = m.SupportedText()
	}
	if e.WatchNamespace != nil {
		args.Said = words.Clip(strconv.Quote(*e.WatchNamespace), words.MaxQuoted)
	}
	return []result.Reason{result.New(code.RefusedModes, args)}
}

func refuseAPIServices(_ *cluster.ClusterExtension, args result.Args, states *properties.Set, _ []constraints.Constraint) []result.Reason {
	if args.APIs = states.Metadata().APIServices(); len(args.APIs) == 0 {
		return nil
	}
	return []result.Reason{result.New(code.RefusedAPIService, args)}
}

// rejected are the refusals of a bundle that the caller wants to count as failures.
func (rd *extensionReader) rejected(b *catalog.Bundle) []result.Reason {
	o := rd.p.In.Options
	if !o.RejectDependencies && !o.AsOLMv1 {
		return nil
	}
	return slices.DeleteFunc(Refusals(rd.e.Object, b.Name, b.Properties, b.Constraints), func(r result.Reason) bool {
		return !o.AsOLMv1 && r.Kind() != result.ReasonDependency
	})
}
