package status

import (
	"slices"

	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/resolver/internal/inventory"
	"github.com/resolvent/resolvent/resolver/internal/model"
	"github.com/resolvent/resolvent/resolver/internal/outcome"
	"github.com/resolvent/resolvent/resolver/internal/request"
	"github.com/resolvent/resolvent/resolver/result"
)

// Forgotten adds the installed bundles of the scope without a Subscription that failed or wait: no
// request has a row that could say so. One that already has a row, as it blocks the target, gets
// the state there.
func Forgotten(in *model.Inputs, rows []result.Status, target *Target) []result.Status {
	scope := in.Scopes[0]
	if !request.KindOf(scope).Namespaced {
		return rows
	}
	n := in.Cluster.In(scope.Namespace())
	for i := range n.CSVs {
		csv := &n.CSVs[i]
		stated := outcome.Forgotten(in.Cluster, csv)
		if stated.State == "" {
			continue
		}
		at := slices.IndexFunc(rows, func(r result.Status) bool { return r.Request.Name == "" && r.Installed == csv.Name })
		if at < 0 {
			at, rows = len(rows), append(rows, result.Status{Request: request.KindOf(scope).All(scope), Installed: csv.Name})
			if list, err := inventory.PropertiesOf(n, csv, ""); err == nil {
				set, _ := properties.Decode(list, nil)
				if pkg, ok := set.Package(); ok {
					rows[at].Package = pkg.Name
				}
			}
			if target != nil {
				hops, _ := target.Hops(in.Cluster.ClusterScoped().OpenShiftVersion) // a fault has stopped the look ahead
				rows[at].Target = &result.TargetStatus{Hops: hops}
			}
			rows[at].Versions = Versions(in, &rows[at])
		}
		row := &rows[at]
		row.State, row.Why, row.Repair, row.Conditions = stated.State, stated.Why, stated.Repair, stated.Conditions
	}
	return rows
}
