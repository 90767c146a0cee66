package request

import (
	"slices"

	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/inventory"
	"github.com/resolvent/resolvent/resolver/internal/reason"
	"github.com/resolvent/resolvent/resolver/internal/words"
	"github.com/resolvent/resolvent/resolver/result"
)

// RefusedDefinitions returns why OLM, or an API server, would not take the CustomResourceDefinitions
// of a bundle in place of those that the cluster has. It is empty if either are not known. e is the
// ClusterExtension that the bundle is for, nil for OLM v0.
func RefusedDefinitions(known *cluster.Index, e *cluster.ClusterExtension, bundle string, states *properties.Set) (list []result.Reason) {
	if len(known.ClusterScoped().Definitions) == 0 {
		return nil
	}
	if objects := states.Objects(); objects != nil {
		for i := range objects.Definitions {
			d := &objects.Definitions[i]
			list = append(list, RefusedDefinition(known.Definition(d.Name()), d, bundle)...)
		}
	}
	if e == nil || e.Installed != nil || e.MigratedFrom != "" {
		return list // OLM v0 updates whatever is there
	}
	var taken []string
	for _, d := range known.ClusterScoped().Definitions {
		if d.Owner != e.Name && slices.ContainsFunc(states.GVKs(), func(api properties.GVK) bool { return api.Group == d.Group && api.Kind == d.Names.Kind }) {
			taken = append(taken, d.Name)
		}
	}
	if len(taken) > 0 {
		slices.Sort(taken)
		list = append(list, reason.RefusedOwned(bundle, taken))
	}
	return list
}

// RefusedDefinition is [RefusedDefinitions] of one: that of the cluster, nil if it has none, and that
// of a bundle.
func RefusedDefinition(has *cluster.Definition, d *properties.Definition, bundle string) (list []result.Reason) {
	if has == nil {
		return nil
	}
	var lacks []string
	for _, version := range words.Distinct(slices.Sorted(slices.Values(has.Stored))) {
		if d.Find(version) == nil {
			lacks = append(lacks, version)
		}
	}
	if len(lacks) > 0 {
		list = append(list, reason.RefusedStored(bundle, has.Name, lacks))
	}
	for _, field := range []struct{ name, has, states string }{
		{"spec.scope", has.Scope, d.Scope}, {"spec.names.kind", has.Names.Kind, d.Names.Kind},
	} {
		if field.has != "" && field.states != "" && field.has != field.states {
			list = append(list, reason.RefusedField(bundle, has.Name, field.name, field.has, field.states))
		}
	}
	return list
}

// DroppedStored returns the versions of definitions in which resources may be stored, and that a bundle
// of an InstallPlan provides no longer in place of one that provided them: its definitions may lack them,
// unless its objects are known, or a step of the InstallPlan has them.
func DroppedStored(known *cluster.Index, plan *cluster.InstallPlan, provided []properties.GVK, bundle string, states *properties.Set) (list []result.Reason) {
	if states.Objects() != nil {
		return nil
	}
	for i := range known.ClusterScoped().Definitions {
		d := &known.ClusterScoped().Definitions[i]
		planned := inventory.Brings(plan, d.Name)
		defines := func(version string) func(properties.GVK) bool {
			return func(api properties.GVK) bool {
				return api.Group == d.Group && api.Kind == d.Names.Kind && (version == "" || api.Version == version)
			}
		}
		var dropped []string
		for _, version := range words.Distinct(slices.Sorted(slices.Values(d.Stored))) {
			kept := planned != nil && planned.Find(version) != nil
			if !kept && slices.ContainsFunc(provided, defines(version)) && !slices.ContainsFunc(states.GVKs(), defines(version)) {
				dropped = append(dropped, version)
			}
		}
		if len(dropped) > 0 && slices.ContainsFunc(states.GVKs(), defines("")) { // else OLM leaves the definition as it is
			list = append(list, reason.DroppedStored(bundle, d.Name, d.Names.Kind, dropped))
		}
	}
	return list
}

// StoredRepair returns the way out if a reason is that versions go in which resources may be stored:
// nil for another one. brings is the definition without them, nil if it is not known.
func StoredRepair(r *result.Reason, has *cluster.Definition, brings *properties.Definition) *result.Repair {
	if c := r.Code(); c != words.RefusedStored && c != words.DroppedStored {
		return nil
	}
	return storedRepair(r.Args().Other, r.Args().Names, has, brings)
}

// StoredEdit returns the edit with which a cluster has no resources any more in versions that go. It
// reports whether there is one: nothing else has to change before.
func StoredEdit(known *cluster.Index, r *result.Repair) (Edit, bool) {
	if r == nil || r.Kind != words.RepairStored || r.Moves != "" || len(r.Keep) == 0 || !words.IsPlain(r.Name) {
		return Edit{}, false
	}
	e := set(EditStored, r.Object, words.FieldStored, known.Definition(r.Name).Stored, r.Keep)
	e.Reaches = true
	return e, true
}

// StoredGone is [StoredRepair] of a version that OLM says to go.
func StoredGone(known *cluster.Index, name, version string) *result.Repair {
	return storedRepair(name, []string{version}, known.Definition(name), nil)
}

func storedRepair(name string, gone []string, has *cluster.Definition, brings *properties.Definition) *result.Repair {
	repair := &result.Repair{Kind: words.RepairStored, Object: result.Object{Kind: words.ObjectDefinition, Name: name}, Name: name, Said: words.Listed(gone, len(gone))}
	if has == nil {
		return repair
	}
	goes := func(version string) bool { return slices.Contains(gone, version) }
	into := has.Stores()
	if into != "" && goes(into) {
		to := slices.IndexFunc(has.Versions, func(v properties.DefinedVersion) bool {
			return v.Served && !goes(v.Name) && (brings == nil || brings.Find(v.Name) != nil)
		})
		if to < 0 {
			repair.Kind = words.RepairStoredOnly
			return repair
		}
		from := slices.IndexFunc(has.Versions, func(v properties.DefinedVersion) bool { return v.Storage })
		into, repair.Moves = has.Versions[to].Name, words.StoreIn(name, from, to)
	}
	repair.Into = into
	if into == "" {
		return repair
	}
	for _, version := range words.Distinct(append(slices.Clone(has.Stored), into)) {
		if !goes(version) {
			repair.Keep = append(repair.Keep, version)
		}
	}
	return repair
}
