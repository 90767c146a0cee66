package resolver_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/outcome"
	"github.com/resolvent/resolvent/resolver/internal/words"
	"github.com/resolvent/resolvent/resolver/result"
)

// A message that OLM writes anywhere on the objects of a row stands in the row, unless what it
// belongs to is one of the harmless ones.
func TestNothingWrittenVanishes(t *testing.T) {
	const text = `{"schema":"olm.package","name":"a","defaultChannel":"c"}
{"schema":"olm.channel","package":"a","name":"c","entries":[{"name":"a.v1"},{"name":"a.v2","replaces":"a.v1"}]}
{"schema":"olm.bundle","package":"a","name":"a.v1","image":"i/1","properties":[{"type":"olm.package","value":{"packageName":"a","version":"1.0.0"}}]}
{"schema":"olm.bundle","package":"a","name":"a.v2","image":"i/2","properties":[{"type":"olm.package","value":{"packageName":"a","version":"2.0.0"}}]}
`
	snapshot, err := cache.LoadFS(t.Context(), fstest.MapFS{"a.json": &fstest.MapFile{Data: []byte(text)}}, cache.Options{})
	require.NoError(t, err)
	view := cache.NewView([]cache.Catalog{{Key: catalog.Key{Namespace: "olm", Name: "k"}, Snapshot: snapshot}, {Key: catalog.Key{Name: "k"}, Snapshot: snapshot}})
	g := rand.New(rand.NewPCG(1, 2))
	said, passed := map[string]int{}, map[string]int{}
	for n := range 3000 {
		token := fmt.Sprintf("token-%d-%d", n, g.Uint32())
		kind, is, reason, objects := written(g, token)
		p := resolver.Problem{Cluster: cluster.NewIndex(objects), Catalogs: view}
		p.Options.GlobalNamespaces = []string{"olm"}
		scope := cluster.InNamespace("n")
		if kind == words.ObjectExtension || kind == words.ObjectClusterCatalog {
			scope = objects.ClusterExtensions[0].Key().Scope()
		}
		rows, err := resolver.New().Status(t.Context(), p, []cluster.Scope{scope}, nil)
		require.NoError(t, err)
		require.Len(t, rows, 1)
		row := &rows[0]
		stated := row.Reason()
		if row.Repair != nil {
			stated += row.Repair.Stated
		}
		for _, r := range row.Remarks {
			stated += "\n" + r.Message()
		}
		if strings.Contains(stated, token) {
			said[kind]++
		} else {
			passed[kind]++
			assert.True(t, harmless(kind, is, reason), "%s %s %s: %s; the row says %s: %s", kind, is, reason, token, row.State, stated)
		}
		listed := slices.ContainsFunc(row.Conditions, func(c result.Condition) bool { return c.Message == token })
		assert.Equal(t, !harmless(kind, is, reason), listed, "%s %s %s", kind, is, reason)
	}
	t.Logf("said %v, harmless %v", said, passed)
	for _, kind := range []string{words.ObjectSubscription, words.ObjectCSV, words.ObjectInstallPlan, words.ObjectOperatorGroup, words.ObjectCatalogSource, words.ObjectExtension, words.ObjectClusterCatalog} {
		assert.Greater(t, said[kind], 100, kind)
	}
}

// harmless reports whether the table says that nothing is to be said of it.
func harmless(kind, is, reason string) bool {
	rest := false
	for _, w := range outcome.WrittenStates {
		if w.Kind == kind && w.Is == is {
			if w.Reason == outcome.Saying {
				return false
			} else if w.Reason == reason {
				return w.Harmless
			} else if w.Reason == "" {
				rest = w.Harmless
			}
		}
	}
	return rest
}

// written puts a message somewhere on the objects of a row.
func written(g *rand.Rand, token string) (kind, is, reason string, o cluster.Objects) {
	pick := func(list ...string) string { return list[g.IntN(len(list))] }
	kind = pick(words.ObjectSubscription, words.ObjectCSV, words.ObjectInstallPlan, words.ObjectOperatorGroup, words.ObjectCatalogSource, words.ObjectExtension, words.ObjectClusterCatalog)
	var rows []outcome.Written
	for _, w := range outcome.WrittenStates {
		if _, _, condition := strings.Cut(w.Is, "="); w.Kind == kind && w.Is != "" && (condition || kind != words.ObjectSubscription) {
			rows = append(rows, w)
		}
	}
	row := rows[g.IntN(len(rows))]
	if is, reason = row.Is, row.Reason; reason == outcome.Saying || reason == "Copied" || g.IntN(4) == 0 { // a copy is no object of the row
		reason = pick("", "Unheard", "Succeeded", "Failed")
	}
	of, status, condition := strings.Cut(is, "=")
	if condition && g.IntN(4) == 0 {
		of, status = pick("Unheard", of), pick("True", "False", "Unknown")
		is = of + "=" + status
	} else if !condition && g.IntN(6) == 0 {
		is = "Unheard"
	}
	s := cluster.Subscription{Namespace: "n", Name: "s", Package: "a", Channel: "c", Catalog: "k", CatalogNamespace: "olm"}
	if g.IntN(4) == 0 {
		s.Channel = "gone"
	}
	plan := cluster.InstallPlan{Namespace: "n", Name: "p", CSVs: []string{"a.v2"}, Phase: pick("", "Planning", "RequiresApproval", "Complete", "Failed"), Approved: g.IntN(2) == 0}
	v := cluster.ClusterServiceVersion{Namespace: "n", Name: pick("a.v1", "a.v2"), Version: "1.0.0", Phase: pick("Succeeded", "Succeeded", "Failed", "Pending")}
	group := cluster.OperatorGroup{Namespace: "n", Name: "g"}
	source := cluster.CatalogSource{Key: catalog.Key{Namespace: "olm", Name: "k"}, HasStatus: true, State: "READY"}
	e := cluster.ClusterExtension{Name: "e", Namespace: "n", Package: "a"}
	c := cluster.ClusterCatalog{Name: "k"}
	if g.IntN(2) == 0 || kind == words.ObjectCSV {
		s.InstalledCSV, s.Observed.CurrentCSV = v.Name, v.Name
		e.Installed = &cluster.InstalledExtension{Name: "a.v1", Version: "1.0.0"}
		o.CSVs = []cluster.ClusterServiceVersion{v}
	}
	if g.IntN(2) == 0 || kind == words.ObjectInstallPlan {
		s.Observed.InstallPlan = "p"
		o.InstallPlans = []cluster.InstallPlan{plan}
	}
	list := []cluster.Condition{{Type: of, Status: status, Reason: reason, Message: token}}
	switch {
	case kind == words.ObjectSubscription:
		s.Observed.Conditions = list
	case kind == words.ObjectCSV:
		o.CSVs[0].Phase, o.CSVs[0].Reason, o.CSVs[0].Message = is, reason, token
	case kind == words.ObjectInstallPlan && condition:
		o.InstallPlans[0].Conditions = list
	case kind == words.ObjectInstallPlan:
		o.InstallPlans[0].Approved = false
		o.InstallPlans[0].Phase, o.InstallPlans[0].Message, reason = is, token, ""
	case kind == words.ObjectOperatorGroup:
		group.Conditions = list
	case kind == words.ObjectCatalogSource && condition:
		source.Conditions = list
	case kind == words.ObjectCatalogSource:
		source.State, source.Reason, source.Message = is, reason, token
	case kind == words.ObjectExtension:
		e.Conditions = list
	case kind == words.ObjectClusterCatalog:
		c.Conditions = list
	}
	o.Subscriptions, o.OperatorGroups, o.CatalogSources = []cluster.Subscription{s}, []cluster.OperatorGroup{group}, []cluster.CatalogSource{source}
	o.ClusterExtensions, o.ClusterCatalogs = []cluster.ClusterExtension{e}, []cluster.ClusterCatalog{c}
	return kind, is, reason, o
}
