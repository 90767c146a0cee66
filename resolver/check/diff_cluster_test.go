package check_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver/check"
	"github.com/resolvent/resolvent/resolver/cluster"
)

// What comes and goes is reported by kind.
func TestDifferenceOfOffers(t *testing.T) {
	state := func(text string) *catalog.Snapshot {
		s, err := cache.Parse(t.Context(), []byte(text), cache.Options{})
		require.NoError(t, err)
		return s
	}
	p, one := pkg("p")+channel("p", "c", "{name: p.v1}"), channel("old", "c", "{name: old.v1}")
	before := state(p + bundle("p", 1) + pkg("old") + one + bundle("old", 1))
	after := state(p + channel("p", "d", "{name: p.v1}") + bundle("p", 1, api("v1")))
	difference, err := check.Diff(t.Context(), catalog.Key{Name: "a"}, before, after, check.Options{})
	require.NoError(t, err)
	var kinds []string
	for _, c := range difference.Changes {
		kinds = append(kinds, c.Kind)
	}
	assert.Equal(t, []string{"packageRemoved", "apiAdded", "channelAdded"}, kinds)
}

// Clusters are compared side by side, each as if it were the only one. The packages of a
// cluster are those that it names and those of its answers, before and after.
func TestDifferenceOfClusters(t *testing.T) {
	read := func(text string) *catalog.Snapshot {
		s, err := cache.Parse(t.Context(), []byte(text), cache.Options{})
		require.NoError(t, err)
		return s
	}
	plain := func(names ...string) (text string) {
		for _, name := range names {
			text += pkg(name) + channel(name, "c", "{name: "+name+".v1}") + bundle(name, 1)
		}
		return text
	}
	p := pkg("p") + channel("p", "c", "{name: p.v1}")
	before := read(plain("old", "new", "other") + p + bundle("p", 1, needs("old")))
	after := read(plain("old", "new", "other") + p + bundle("p", 1, needs("new")))
	key := catalog.Key{Namespace: "olm", Name: "a"}
	difference, err := check.Diff(t.Context(), key, before, after, check.Options{})
	require.NoError(t, err)

	var running sync.WaitGroup
	for i := range 20 {
		running.Go(func() {
			subscription := cluster.Subscription{Namespace: "n", Name: "s", Package: "p", Channel: "c", Catalog: "a", CatalogNamespace: "olm"}
			want := &check.ClusterDifference{
				Requests: []check.RequestDifference{{
					Scope: cluster.InNamespace("n"), Before: "resolved", After: "resolved",
					Lines: []string{
						"new: install new.v1 from channel c; before: nothing; why: required by p.v1",
						"old: nothing; before: install old.v1 from channel c",
					},
				}},
				Uses: map[string]map[string]int{"new": {"c": 0}, "old": {"c": 0}, "p": {"c": 1}},
			}
			if i%2 == 0 {
				subscription.Package = "other"
				want = &check.ClusterDifference{Same: 1, Uses: map[string]map[string]int{"other": {"c": 1}}}
			}
			known := cluster.NewIndex(cluster.Objects{Subscriptions: []cluster.Subscription{subscription}})
			got, err := difference.Cluster(t.Context(), key, known)
			assert.NoError(t, err)
			assert.Equal(t, want, got, fmt.Sprint(i))
		})
	}
	running.Wait()
}

// A requirement in the place of another is no matter of the order.
func TestDifferentRequirements(t *testing.T) {
	of := func(required ...string) *catalog.Snapshot {
		return catalogOf(t, "a", pkg("p")+channel("p", "c", "{name: p.v1}")+bundle("p", 1, required...)).Checked.Snapshot
	}
	const other = "p.v1 requires other things than before: "
	for want, states := range map[string][2]*catalog.Snapshot{
		other + "it requires package r in range >=1.0.0; it does not require package q in range >=1.0.0 any more": {of(needs("q")), of(needs("r"))},
		other + "the order of its requirements": {of(needs("q"), needs("r")), of(needs("r"), needs("q"))},
	} {
		difference, err := check.Diff(t.Context(), catalog.Key{Name: "a"}, states[0], states[1], check.Options{})
		require.NoError(t, err)
		var got []string
		for _, c := range difference.Changes {
			if c.Kind == "requirements" {
				got = append(got, c.Message)
			}
		}
		assert.Equal(t, []string{want}, got)
	}
}
