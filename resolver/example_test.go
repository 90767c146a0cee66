package resolver_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/resolver/text"
	"github.com/resolvent/resolvent/testdata"
)

// exampleCatalogs is the catalog coast of testdata.
func exampleCatalogs() *cache.View {
	tree, err := fs.Sub(testdata.Catalogs, "catalogs/coast")
	if err != nil {
		panic(err)
	}
	snapshot, err := cache.LoadFS(context.Background(), tree, cache.Options{})
	if err != nil {
		panic(err)
	}
	return cache.NewView([]cache.Catalog{{Key: catalog.Key{Namespace: "olm", Name: "coast"}, Snapshot: snapshot}})
}

func ExampleResolver_Resolve() {
	known := cluster.NewIndex(cluster.Objects{Subscriptions: []cluster.Subscription{
		{Namespace: "harbor", Name: "lighthouse", Package: "lighthouse", Catalog: "coast", CatalogNamespace: "olm"},
	}})
	resolution, err := resolver.New().Resolve(context.Background(), resolver.Problem{Cluster: known, Catalogs: exampleCatalogs()}, cluster.InNamespace("harbor"))
	if err != nil {
		panic(err)
	}
	for _, install := range resolution.Installs {
		fmt.Println(install.Bundle.Name, install.Version.String(), install.Channel)
	}
	// Output:
	// lighthouse.v1.2.0 1.2.0 stable
	// lantern.v1.1.1 1.1.1 stable
	// foghorn.v2.1.0 2.1.0 stable
	// kerosene.v1.4.0 1.4.0 barrel
}

func ExampleNotSatisfiable() {
	known := cluster.NewIndex(cluster.Objects{Subscriptions: []cluster.Subscription{
		{Namespace: "harbor", Name: "kraken", Package: "kraken", Catalog: "coast", CatalogNamespace: "olm"},
	}})
	_, err := resolver.New().Resolve(context.Background(), resolver.Problem{Cluster: known, Catalogs: exampleCatalogs()}, cluster.InNamespace("harbor"))
	var failure *result.NotSatisfiable
	if errors.As(err, &failure) {
		fmt.Print(text.All(failure))
	}
	// Output:
	// Subscription kraken cannot be satisfied in namespace harbor:
	// no operator of the visible catalog olm/coast provides Galleon (ships.example.com/v1); required by both versions of kraken (1.1.0 and 1.0.0)
	//   Subscription kraken asks for package kraken of catalog olm/coast
	//     both versions of kraken (1.1.0 and 1.0.0) require an operator providing Galleon (ships.example.com/v1)
	//
	// What is missing (not in the given catalogs: pass the catalog of the cluster that has it, or add one to the cluster):
	//   - no given catalog provides the API Galleon (ships.example.com/v1)
	//
	// To give up, with nothing installed:
	//   - delete Subscription kraken: installs nothing
}

func ExampleResolver_WhyNot() {
	known := cluster.NewIndex(cluster.Objects{Subscriptions: []cluster.Subscription{
		{Namespace: "harbor", Name: "lighthouse", Package: "lighthouse", Catalog: "coast", CatalogNamespace: "olm"},
	}})
	why, err := resolver.New().WhyNot(context.Background(), resolver.Problem{Cluster: known, Catalogs: exampleCatalogs()}, cluster.InNamespace("harbor"), "lighthouse@1.0.0")
	if err != nil {
		panic(err)
	}
	fmt.Print(why.Why)
	fmt.Println(why.Help.Fixes[0].Text("harbor"))
	// Output:
	// lighthouse.v1.0.0 is not selected in namespace harbor
	//   Subscription lighthouse asks for package lighthouse of catalog olm/coast: lighthouse.v1.2.0 is preferred to lighthouse.v1.0.0, as it is nearer to the head of channel stable
	// set spec.startingCSV of Subscription lighthouse to lighthouse.v1.0.0: installs lighthouse 1.0.0, lantern 1.1.1 and kerosene 1.4.0; then 2 more steps follow, next lighthouse.v1.1.0, up to lighthouse.v1.2.0
}
