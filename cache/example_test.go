package cache_test

import (
	"context"
	"errors"
	"fmt"
	"testing/fstest"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
)

func ExampleLoadFS() {
	files := fstest.MapFS{"etcd/catalog.yaml": {Data: []byte(`
schema: olm.package
name: etcd
defaultChannel: stable
---
schema: olm.channel
package: etcd
name: stable
entries:
- {name: etcd.v2, replaces: etcd.v1}
- {name: etcd.v1}
---
schema: olm.bundle
package: etcd
name: etcd.v2
image: registry.example/etcd:2
properties:
- {type: olm.package, value: {packageName: etcd, version: 2.0.0}}
---
schema: olm.bundle
package: etcd
name: etcd.v1
image: registry.example/etcd:1
properties:
- {type: olm.package, value: {packageName: etcd, version: v1}}
`)}}
	snapshot, err := cache.LoadFS(context.Background(), files, cache.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for id := range catalog.ID(snapshot.Candidates()) {
		fmt.Println(snapshot.Bundle(id).Name)
	}
	// A bundle with a fault is left out; the rest of its package can be used.
	for _, fault := range snapshot.Quarantined("etcd") {
		fmt.Println(fault.Bundle, fault.Code)
	}
	// Output:
	// etcd.v2
	// etcd.v1 version
}

// refused is a source that cannot be reached.
type refused struct{}

func (refused) Load(context.Context) (*catalog.Snapshot, error) {
	return nil, errors.New("connection refused")
}

func ExampleOpen() {
	origin, err := cache.Open("../testdata/catalogs/coast", cache.OriginOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	snapshot, err := origin.Load(context.Background())
	fmt.Println(snapshot.Len(), "bundles", err)
	_, err = cache.Open("docker://registry.example/catalog:v1", cache.OriginOptions{})
	fmt.Println(err)
	// Output:
	// 20 bundles <nil>
	// docker://registry.example/catalog:v1: registries are not read; 'opm render IMAGE -o json > catalog.json' or 'skopeo copy docker://IMAGE oci:DIR' saves the catalog of an image here
}

func ExampleCache() {
	files := fstest.MapFS{}
	c := cache.New(cache.CacheOptions{})
	c.Set(catalog.Key{Namespace: "olm", Name: "community"}, cache.CatalogConfig{Source: cache.FS(files, cache.Options{})})
	c.Set(catalog.Key{Namespace: "olm", Name: "broken"}, cache.CatalogConfig{Source: refused{}})
	fmt.Println(c.Refresh(context.Background()))
	for files := range c.View().Catalogs() {
		fmt.Println(files.Key, files.Healthy())
	}
	// Output:
	// catalog olm/broken: connection refused
	// olm/broken false
	// olm/community true
}
