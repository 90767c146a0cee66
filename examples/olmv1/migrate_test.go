package olmv1_test

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	ocv1 "github.com/operator-framework/operator-controller/api/v1"
	"github.com/operator-framework/operator-registry/alpha/declcfg"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/resolver"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/manifest"
	"github.com/resolvent/resolvent/resolver/migrate"
	"github.com/resolvent/resolvent/testdata/testkit"
)

// operators are a random cluster of OLM v0: some packages of a catalog, each in a
// namespace of its own, at any version.
func (r *random) operators(from cluster.CatalogSource, content map[string]*declcfg.DeclarativeConfig) cluster.Objects {
	o := cluster.Objects{CatalogSources: []cluster.CatalogSource{from}}
	packages := slices.Sorted(maps.Keys(content))
	for _, i := range r.Perm(len(packages))[:min(20, len(packages))] {
		pkg := content[packages[i]]
		b := pick(r, pkg.Bundles...)
		s := cluster.Subscription{
			Namespace: fmt.Sprint("n", i), Name: b.Package, Package: b.Package, Catalog: from.Key.Name, CatalogNamespace: from.Key.Namespace,
			Manual: r.chance(0.2), InstalledCSV: b.Name, Observed: cluster.Observed{State: "AtLatestKnown"},
		}
		if r.chance(0.6) {
			s.Channel = pick(r, pkg.Channels...).Name
		}
		var list []properties.Property
		for _, p := range b.Properties {
			list = append(list, properties.Property{Type: p.Type, Value: []byte(p.Value)})
		}
		set, _ := properties.Decode(list, nil)
		o.Subscriptions = append(o.Subscriptions, s)
		o.OperatorGroups = append(o.OperatorGroups, cluster.OperatorGroup{Namespace: s.Namespace, Name: "all"})
		o.CSVs = append(o.CSVs, cluster.ClusterServiceVersion{
			Namespace: s.Namespace, Name: b.Name, Version: installed(b).Version, Phase: "Succeeded", Stated: set, Metadata: set.Metadata(), Installation: &properties.Installation{Install: &properties.InstallStrategy{}},
		})
	}
	return o
}

// written reads what migrate writes, as the API server would.
func written(t *testing.T, objects cluster.Objects) (catalogs []ocv1.ClusterCatalog, extensions map[string]*ocv1.ClusterExtension) {
	lines, err := manifest.Write(t.Context(), objects)
	require.NoError(t, err)
	extensions = map[string]*ocv1.ClusterExtension{}
	for line := range strings.Lines(string(lines)) {
		var extension ocv1.ClusterExtension
		var clusterCatalog ocv1.ClusterCatalog
		if strings.Contains(line, `"kind":"ClusterCatalog"`) {
			require.NoError(t, yaml.UnmarshalStrict([]byte(line), &clusterCatalog))
			catalogs = append(catalogs, clusterCatalog)
			continue
		}
		require.NoError(t, yaml.UnmarshalStrict([]byte(line), &extension))
		extensions[extension.Name] = &extension
	}
	return catalogs, extensions
}

// TestMigrated: what OLM v1 installs next of what has moved is what migrate says.
func TestMigrated(t *testing.T) {
	names, contents := realCatalogs(t)
	process := startTheirs[*request, answer](t, "theirs")
	counts := map[string]int{}
	for i, name := range names {
		key := catalog.Key{Namespace: "olm", Name: name}
		snapshot, err := cache.LoadFS(t.Context(), os.DirFS(testkit.Shared(t, "catalogs", name)), cache.Options{})
		require.NoError(t, err)
		view := cache.NewView([]cache.Catalog{{Key: key, Snapshot: snapshot}})
		for seed := range uint64(testkit.Scale(3, 200)) {
			r := newRandom(contents, seed)
			objects := r.operators(cluster.CatalogSource{Key: key, Type: "grpc", Image: "registry.example/" + name, Priority: -3}, contents[i])
			problem := resolver.Problem{Catalogs: view}
			judged := func(objects cluster.Objects) *migrate.Plan {
				problem.Cluster = cluster.NewIndex(objects)
				plan, err := migrate.Judge(t.Context(), resolver.New(), problem)
				require.NoError(t, err)
				return plan
			}
			plan := judged(objects)
			catalogs, extensions := written(t, plan.Objects)
			for _, row := range plan.Rows {
				counts[string(row.State)]++
				if row.State != migrate.Eligible {
					continue
				}
				require.Len(t, catalogs, 1)
				catalogs[0].Labels = map[string]string{"olm.operatorframework.io/metadata.name": catalogs[0].Name} // as OLM does
				content := contents[i][row.Package]
				installed := installed(content.Bundles[slices.IndexFunc(content.Bundles, func(b declcfg.Bundle) bool { return b.Name == row.Installed })])
				theirs := process.ask(t, &request{
					Catalogs: []*theirCatalog{{Catalog: catalogs[0], Content: content}}, Extension: extensions[row.ClusterExtension], Installed: installed,
				})
				next := func(row migrate.Row) string {
					if row.Next.V1 == "" && !row.Next.Fails {
						return row.Installed
					}
					return row.Next.V1
				}
				if theirs.Bundle == nil {
					theirs.Bundle = &declcfg.Bundle{}
				}
				v1 := next(row)
				if v1 != theirs.Bundle.Name { // their resolver does not see who owns a kind already
					counts["others own a kind"]++
					alone := objects
					alone.Subscriptions = slices.DeleteFunc(slices.Clone(objects.Subscriptions), func(s cluster.Subscription) bool { return s.Namespace != row.Namespace })
					alone.CSVs = slices.DeleteFunc(slices.Clone(objects.CSVs), func(v cluster.ClusterServiceVersion) bool { return v.Namespace != row.Namespace })
					other := judged(alone).Rows[0]
					if v1 = next(other); other.State != migrate.Eligible {
						v1 = "" // OLM v1 refuses it
					}
				}
				assert.Equal(t, theirs.Bundle.Name, v1, "%s, seed %d: %+v\n%s", name, seed, row, theirs.Err)
				if row.Next.Fails {
					counts["v1 fails"]++
				} else if v1 != row.Installed {
					counts["v1 updates"]++
				}
			}
		}
	}
	t.Log(counts)
	assert.Positive(t, counts["v1 fails"])
	assert.Positive(t, counts["v1 updates"])
	assert.LessOrEqual(t, counts["others own a kind"]*100, counts[string(migrate.Eligible)], "at most one in a hundred")
}
