package manifest

import (
	"cmp"
	"maps"
	"slices"

	"github.com/resolvent/resolvent/resolver/cluster"
)

// operatorHub holds the fields of an OperatorHub.
type operatorHub struct {
	Spec struct {
		DisableAll bool            `json:"disableAllDefaultSources,omitzero"`
		Sources    []defaultSource `json:"sources,omitempty"`
	} `json:"spec"`
}

type defaultSource struct {
	Disabled bool   `json:"disabled"`
	Name     string `json:"name"`
}

func (h operatorHub) object(meta metadata) (cluster.OperatorHub, error) {
	o := cluster.OperatorHub{Name: meta.Name, DisableAll: h.Spec.DisableAll, Disabled: map[string]bool{}}
	for _, s := range h.Spec.Sources {
		o.Disabled[s.Name] = s.Disabled
	}
	return o, nil
}

func (operatorHub) of(h cluster.OperatorHub) (f operatorHub, meta metadata) {
	f.Spec.DisableAll = h.DisableAll
	for _, name := range slices.Sorted(maps.Keys(h.Disabled)) {
		f.Spec.Sources = append(f.Spec.Sources, defaultSource{h.Disabled[name], name})
	}
	return f, metadata{Name: h.Name}
}

// clusterVersion holds the fields of a ClusterVersion.
type clusterVersion struct {
	Status struct {
		Desired openShiftUpdate   `json:"desired"`
		History []openShiftUpdate `json:"history"`
	} `json:"status"`
}

type openShiftUpdate struct {
	State   string `json:"state"`
	Version string `json:"version"`
}

// readClusterVersion reads the version that the cluster runs: while it is being updated, the
// last completed one.
func readClusterVersion(decode decoder, _ metadata) (any, func(*cluster.Objects), error) {
	var f clusterVersion
	if err := decode(&f); err != nil {
		return nil, nil, err
	}
	runs := f.Status.Desired.Version
	if i := slices.IndexFunc(f.Status.History, func(u openShiftUpdate) bool { return u.State == "Completed" }); i >= 0 {
		runs = f.Status.History[i].Version
	}
	return runs, func(all *cluster.Objects) { all.OpenShiftVersion = cmp.Or(runs, all.OpenShiftVersion) }, nil
}
