// Command quickstart resolves one Subscription against the catalogs of package
// testdata.
package main

import (
	"context"
	"fmt"
	"io/fs"
	"log"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/testdata"
)

func main() {
	if err := quickstart(context.Background()); err != nil {
		log.Fatal(err)
	}
}

func quickstart(ctx context.Context) error {
	// Catalogs: any fs.FS with file-based catalogs in it.
	var catalogs []cache.Catalog
	for priority, name := range []string{"coast", "island"} {
		files, err := fs.Sub(testdata.Catalogs, "catalogs/"+name)
		if err != nil {
			return err
		}
		snapshot, err := cache.LoadFS(ctx, files, cache.Options{})
		if err != nil {
			return err
		}
		catalogs = append(catalogs, cache.Catalog{
			Key:      catalog.Key{Namespace: "olm", Name: name},
			Priority: priority,
			Snapshot: snapshot,
		})
	}

	// The cluster: plain data, from any source.
	objects := cluster.Objects{Subscriptions: []cluster.Subscription{{
		Namespace: "harbor", Name: "ferry",
		Package: "ferry", Channel: "stable", Catalog: "coast", CatalogNamespace: "olm",
	}}}

	// The answer.
	problem := resolver.Problem{Cluster: cluster.NewIndex(objects), Catalogs: cache.NewView(catalogs)}
	resolution, err := resolver.New().Resolve(ctx, problem, cluster.InNamespace("harbor"))
	if err != nil {
		return err // its text explains why there is no answer
	}
	for _, install := range resolution.Installs {
		fmt.Printf("install %s from %s, channel %s\n", install.Bundle.Name, install.Bundle.Catalog, install.Channel)
	}
	return nil
}
