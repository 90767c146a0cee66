package mirror_test

import (
	"context"
	"fmt"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/mirror"
	"github.com/resolvent/resolvent/resolver/scenario"
)

// exampleCatalog has four versions, each an update of the one before it; the last two
// also of all older ones.
const exampleCatalog = `{"schema":"olm.package","name":"a","defaultChannel":"stable"}
{"schema":"olm.channel","package":"a","name":"stable","entries":[{"name":"a.v1"},{"name":"a.v2","replaces":"a.v1"},{"name":"a.v3","replaces":"a.v2","skipRange":"<3.0.0"},{"name":"a.v4","replaces":"a.v3"}]}
{"schema":"olm.bundle","package":"a","name":"a.v1","image":"i/a1","properties":[{"type":"olm.package","value":{"packageName":"a","version":"1.0.0"}}]}
{"schema":"olm.bundle","package":"a","name":"a.v2","image":"i/a2","properties":[{"type":"olm.package","value":{"packageName":"a","version":"2.0.0"}}]}
{"schema":"olm.bundle","package":"a","name":"a.v3","image":"i/a3","properties":[{"type":"olm.package","value":{"packageName":"a","version":"3.0.0"}},{"type":"olm.package.required","value":{"packageName":"b","versionRange":"<2.0.0"}}]}
{"schema":"olm.bundle","package":"a","name":"a.v4","image":"i/a4","properties":[{"type":"olm.package","value":{"packageName":"a","version":"4.0.0"}}]}
{"schema":"olm.package","name":"b","defaultChannel":"stable"}
{"schema":"olm.channel","package":"b","name":"stable","entries":[{"name":"b.v1"},{"name":"b.v2","replaces":"b.v1"}]}
{"schema":"olm.bundle","package":"b","name":"b.v1","image":"i/b1","properties":[{"type":"olm.package","value":{"packageName":"b","version":"1.0.0"}}]}
{"schema":"olm.bundle","package":"b","name":"b.v2","image":"i/b2","properties":[{"type":"olm.package","value":{"packageName":"b","version":"2.0.0"}}]}
`

// exampleInputs ask for package a, of which version 1.0.0 is installed.
func exampleInputs(ctx context.Context) (*scenario.Question, error) {
	snapshot, err := cache.Parse(ctx, []byte(exampleCatalog), cache.Options{})
	if err != nil {
		return nil, err
	}
	known := cluster.NewIndex(cluster.Objects{
		Subscriptions: []cluster.Subscription{{Namespace: "n", Name: "a", Package: "a", InstalledCSV: "a.v1"}},
		CSVs:          []cluster.ClusterServiceVersion{{Namespace: "n", Name: "a.v1", Version: "1.0.0"}},
	})
	catalogs := cache.NewView([]cache.Catalog{{Key: catalog.Key{Namespace: "n", Name: "small"}, Snapshot: snapshot}})
	return &scenario.Question{Problem: resolver.Problem{Cluster: known, Catalogs: catalogs}, Scopes: known.Scopes()}, nil
}

func ExampleFind() {
	ctx := context.Background()
	in, err := exampleInputs(ctx)
	if err != nil {
		fmt.Println(err)
		return
	}
	m, err := mirror.Find(ctx, in.Problem, in.Scopes, mirror.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, c := range m.Catalogs {
		for _, p := range c.Packages {
			for _, channel := range p.Channels {
				fmt.Println(c.Key, p.Name, channel)
			}
		}
	}
	// Output:
	// n/small a {stable 1.0.0 4.0.0 [a.v1 a.v3 a.v4]}
	// n/small b {stable 1.0.0 2.0.0 [b.v1 b.v2]}
}
