package request

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/constraints"
	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/reason"
	"github.com/resolvent/resolvent/resolver/internal/words"
	"github.com/resolvent/resolvent/resolver/result"
)

// Refusals returns why OLM v1 would not install a bundle for the ClusterExtension in a profile.
// These are rules of its installer, which its resolver does not check.
func Refusals(profile cluster.Profile, e *cluster.ClusterExtension, bundle string, states *properties.Set, requires []constraints.Constraint) (list []result.Reason) {
	for _, rule := range refusals {
		list = append(list, rule(profile, e, bundle, states, requires)...)
	}
	return list
}

// refusals has a rule for each kind of refusal.
var refusals = []func(profile cluster.Profile, e *cluster.ClusterExtension, bundle string, states *properties.Set, requires []constraints.Constraint) []result.Reason{
	refuseDependencies, refuseModes, refuseAPIServices,
}

// refuseDependencies refuses a bundle that requires anything: OLM v1 does not install it.
// OLM v1 ignores required labels.
func refuseDependencies(_ cluster.Profile, _ *cluster.ClusterExtension, bundle string, _ *properties.Set, requires []constraints.Constraint) []result.Reason {
	var texts []string
	for _, c := range requires {
		if text := c.Expr.String(); c.Type != properties.TypeLabelRequired && !slices.Contains(texts, text) {
			texts = append(texts, text)
		}
	}
	if texts == nil {
		return nil
	}
	return []result.Reason{reason.RefusedDependency(bundle, texts)}
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
func refuseModes(profile cluster.Profile, e *cluster.ClusterExtension, bundle string, states *properties.Set, _ []constraints.Constraint) []result.Reason {
	m := states.Metadata()
	if !m.StatesModes() {
		return nil
	}
	supported := ""
	if len(m.Supported()) > 0 {
		supported = m.SupportedText()
	}
	if !GateWatchNamespace.On(profile) {
		if m.Supports(properties.AllNamespaces) {
			return nil
		}
		return []result.Reason{reason.RefusedNamespaces(bundle, supported, properties.AllNamespaces)}
	}
	var chosen properties.InstallMode
	var ways []string
	for _, w := range watching {
		switch {
		case m.Supports(w.mode) && w.chosen(e):
			return nil
		case m.Supports(w.mode):
			ways = append(ways, w.set(e.Namespace))
		case w.chosen(e):
			chosen = w.mode
		}
	}
	watched := ""
	if e.WatchNamespace != nil {
		watched = words.Clip(strconv.Quote(*e.WatchNamespace), words.MaxQuoted)
	}
	return []result.Reason{reason.RefusedModes(bundle, supported, chosen, watched, ways)}
}

// refuseAPIServices refuses a bundle with API services: OLM v1 does not create them.
func refuseAPIServices(_ cluster.Profile, _ *cluster.ClusterExtension, bundle string, states *properties.Set, _ []constraints.Constraint) []result.Reason {
	apis := states.Metadata().APIServices()
	if len(apis) == 0 {
		return nil
	}
	return []result.Reason{reason.RefusedAPIService(bundle, apis)}
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
