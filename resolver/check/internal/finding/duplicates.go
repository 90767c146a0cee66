package finding

import (
	"maps"
	"slices"
	"strings"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/resolver/check/internal/edit"
)

var duplicateKinds = []Kind{
	{
		Code: "duplicatePackage", Meaning: "a package is stated twice, and differently: neither is used", cause: byPlace,
		Candidates: oneOfSeveral(edit.SchemaPackage),
	},
	{
		Code: "duplicateChannel", Meaning: "a channel is stated twice, and differently: neither is used", cause: byPlace,
		stops: stopsUnordered, Candidates: oneOfSeveral(edit.SchemaChannel),
	},
	{
		Code: "duplicateBundle", Meaning: "a bundle is stated twice, and differently: neither is used", cause: byPlace,
		Candidates: bundlesOfOneName,
	},
	{
		Code: "duplicateDeprecations", Meaning: "a package has deprecations twice: neither is used", cause: byPlace,
		Candidates: oneOfSeveral(edit.SchemaDeprecations),
	},
	{
		Code: "duplicateLifecycles", Meaning: "a package has lifecycles twice: neither is used", cause: byPlace,
		Candidates: oneOfSeveral("io.openshift.operators.lifecycles.v1alpha1"),
	},
	{
		Code: "duplicateEntry", Meaning: "a channel lists an entry twice, and differently", cause: byPlace, OfEntries: true,
		Candidates: oneEntry,
	},
}

// stopsUnordered: nothing is offered in a channel that has no order.
func stopsUnordered(c *catalog.Channel, o *Observation) ([]string, bool) {
	if c.Fault == "" {
		return nil, false
	}
	return stopsChannel(c, o)
}

// oneOfSeveral removes one of several blobs of a name.
func oneOfSeveral(schema string) func(*Wrong, *edit.Draft, Identity) []*edit.Draft {
	return func(s *Wrong, now *edit.Draft, id Identity) (list []*edit.Draft) {
		name := id.Channel + id.Bundle
		for _, b := range slices.Backward(now.Named(s.Pkg, schema, name)) {
			list = append(list, now.With(edit.Remove(b.Doc, b.At)))
		}
		return list
	}
}

// bundlesOfOneName removes one of several bundles of a name. Those of different versions are
// different releases: one gets a name of its own, and an entry above the other.
func bundlesOfOneName(s *Wrong, now *edit.Draft, id Identity) (list []*edit.Draft) {
	blobs := now.Named(s.Pkg, edit.SchemaBundle, id.Bundle)
	versions := map[string]int{}
	for i, b := range blobs {
		for _, p := range edit.Elements(b.Node, "properties") {
			if edit.Text(p, "type") == properties.TypePackage {
				versions[edit.Text(edit.Member(p, "value"), "version")] = i
			}
		}
	}
	if len(versions) < 2 {
		return oneOfSeveral(edit.SchemaBundle)(s, now, id)
	}
	version := Named(id.Bundle)
	if version == nil {
		return nil
	}
	for _, v := range slices.Sorted(maps.Keys(versions)) {
		name := strings.TrimSuffix(id.Bundle, version.String()) + v
		if v == version.String() || s.Snapshot.Find(s.Pkg, name) != nil {
			continue
		}
		next := now.With(edit.Replace(blobs[versions[v]].Doc, edit.Pointer(blobs[versions[v]].At, "name"), name))
		for _, c := range s.Snapshot.Package(s.Pkg).Channels {
			if c.Entry(id.Bundle) != nil {
				list = append(list, next.Added(s.Pkg, c.Name, edit.AddEntry.Of(name, id.Bundle)))
			}
		}
	}
	return list
}

// oneEntry removes one of several entries of a name.
func oneEntry(s *Wrong, now *edit.Draft, id Identity) (list []*edit.Draft) {
	for _, b := range now.Named(s.Pkg, edit.SchemaChannel, id.Channel) {
		times := map[string]int{}
		for _, e := range edit.Elements(b.Node, "entries") {
			times[edit.Text(e, "name")]++
		}
		for i, e := range slices.Backward(edit.Elements(b.Node, "entries")) {
			if times[edit.Text(e, "name")] > 1 {
				list = append(list, now.With(edit.Remove(b.Doc, edit.Pointer(b.At, "entries", i))))
			}
		}
	}
	return list
}
