package request

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/constraints"
	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/words"
	"github.com/resolvent/resolvent/resolver/result"
)

// Refusals returns why OLM v1 would not install a bundle for the ClusterExtension in a profile.
// These are rules of its installer, which its resolver does not check.
func Refusals(profile cluster.Profile, e *cluster.ClusterExtension, bundle string, states *properties.Set, requires []constraints.Constraint) (list []result.Reason) {
	args := result.Args{Subject: bundle, Bundle: bundle}
	for _, rule := range refusals {
		list = append(list, rule(profile, e, args, states, requires)...)
	}
	return list
}

// refusals has a rule for each kind of refusal.
var refusals = []func(profile cluster.Profile, e *cluster.ClusterExtension, args result.Args, states *properties.Set, requires []constraints.Constraint) []result.Reason{
	refuseDependencies, refuseModes, refuseAPIServices,
}

// refuseDependencies refuses a bundle that requires anything: OLM v1 does not install it.
// OLM v1 ignores required labels.
func refuseDependencies(_ cluster.Profile, _ *cluster.ClusterExtension, args result.Args, _ *properties.Set, requires []constraints.Constraint) []result.Reason {
	for _, c := range requires {
		if text := c.Expr.String(); c.Type != properties.TypeLabelRequired && !slices.Contains(args.Names, text) {
			args.Names = append(args.Names, text)
		}
	}
	if args.Names == nil {
		return nil
	}
	return []result.Reason{result.New(words.RefusedDependency, args)}
}

// watching has a row for each install mode that watchNamespace can choose. What cannot be the
// name of a namespace chooses none.
var watching = []struct {
	mode properties.InstallMode
	// chosen reports whether the ClusterExtension chooses the mode; set says how to.
	chosen func(e *cluster.ClusterExtension) bool
	set    func(namespace string) string
}{
	{properties.AllNamespaces,
		func(e *cluster.ClusterExtension) bool { return e.WatchNamespace == nil },
		func(string) string { return "remove it" }},
	{properties.OwnNamespace,
		func(e *cluster.ClusterExtension) bool {
			return watches(e) && *e.WatchNamespace == e.Namespace
		},
		func(namespace string) string { return "set it to " + cmp.Or(namespace, "its namespace") }},
	{properties.SingleNamespace,
		func(e *cluster.ClusterExtension) bool {
			return watches(e) && *e.WatchNamespace != e.Namespace
		},
		func(string) string { return words.SetOtherNamespace }},
}

// watches reports whether watchNamespace can name a namespace.
func watches(e *cluster.ClusterExtension) bool {
	return e.WatchNamespace != nil && words.IsLabel(*e.WatchNamespace)
}

// refuseModes refuses a bundle that states install modes without the one that
// watchNamespace chooses or, where there is no such field, without AllNamespaces.
func refuseModes(profile cluster.Profile, e *cluster.ClusterExtension, args result.Args, states *properties.Set, _ []constraints.Constraint) []result.Reason {
	m := states.Metadata()
	if !m.StatesModes() {
		return nil
	}
	if len(m.Supported()) > 0 {
		args.Has = m.SupportedText()
	}
	if !GateWatchNamespace.On(profile) {
		if m.Supports(properties.AllNamespaces) {
			return nil
		}
		args.Limit = string(properties.AllNamespaces)
		return []result.Reason{result.New(words.RefusedNamespaces, args)}
	}
	for _, w := range watching {
		switch {
		case m.Supports(w.mode) && w.chosen(e):
			return nil
		case m.Supports(w.mode):
			args.Names = append(args.Names, w.set(e.Namespace))
		case w.chosen(e):
			args.Limit = string(w.mode)
		}
	}
	if e.WatchNamespace != nil {
		args.Said = words.Clip(strconv.Quote(*e.WatchNamespace), words.MaxQuoted)
	}
	return []result.Reason{result.New(words.RefusedModes, args)}
}

// refuseAPIServices refuses a bundle with API services: OLM v1 does not create them.
func refuseAPIServices(_ cluster.Profile, _ *cluster.ClusterExtension, args result.Args, states *properties.Set, _ []constraints.Constraint) []result.Reason {
	if args.APIs = states.Metadata().APIServices(); len(args.APIs) == 0 {
		return nil
	}
	return []result.Reason{result.New(words.RefusedAPIService, args)}
}

// rejected returns the refusals of a bundle that count as failures by the options.
func (rd *extensionReader) rejected(b *catalog.Bundle) []result.Reason {
	o := rd.p.In.Options
	if !o.RejectDependencies && !o.AsOLMv1 {
		return nil
	}
	return slices.DeleteFunc(Refusals(ProfileOf(rd.p.In.Options, rd.p.In.Cluster), rd.e.Object, b.Name, b.Properties, b.Constraints), func(r result.Reason) bool {
		return !o.AsOLMv1 && r.Kind() != words.KindDependency
	})
}
