package migrations

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/migrate"
)

// A part of a plan has the rows of its namespaces, and of what is to apply only what is
// theirs and is applied.
func TestOf(t *testing.T) {
	row := func(namespace, name, catalog string, state migrate.State) migrate.Row {
		return migrate.Row{Namespace: namespace, Subscription: name, ClusterExtension: name, Catalog: catalog, State: state}
	}
	ferry, pier, tug := row("harbor", "ferry", "coast", migrate.Eligible), row("harbor", "pier", "reef", migrate.Ineligible), row("sea", "tug", "reef", migrate.Eligible)
	plan := &migrate.Plan{
		Rows:    []migrate.Row{ferry, pier, tug},
		Orphans: []string{"harbor/buoy.v1", "sea/net.v1"},
		Objects: cluster.Objects{
			ClusterCatalogs:   []cluster.ClusterCatalog{{Name: "coast"}, {Name: "reef"}},
			ClusterExtensions: []cluster.ClusterExtension{{Name: "tug"}, {Name: "ferry"}},
		},
	}
	assert.Equal(t, &migrate.Plan{
		Rows:    []migrate.Row{ferry, pier},
		Orphans: []string{"harbor/buoy.v1"},
		Objects: cluster.Objects{
			ClusterCatalogs:   []cluster.ClusterCatalog{{Name: "coast"}},
			ClusterExtensions: []cluster.ClusterExtension{{Name: "ferry"}},
		},
	}, Of(plan, []string{"harbor"}))
	assert.Equal(t, plan, Of(plan, []string{"sea", "harbor"}))
	assert.Equal(t, plan, Of(plan, nil))
	assert.Nil(t, Of(nil, []string{"sea"}))
}
