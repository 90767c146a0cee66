package olmv1

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"

	ocv1 "github.com/operator-framework/operator-controller/api/v1"
	"github.com/operator-framework/operator-registry/alpha/declcfg"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/result"
)

// Catalogs is where content comes from: the two functions that operator-controller
// gives its own resolver.
type Catalogs struct {
	// List returns the ClusterCatalogs of the cluster, in any order.
	List func(context.Context) ([]ocv1.ClusterCatalog, error)
	// Package returns what a catalog has of a package, nil or empty if that is nothing.
	Package func(context.Context, *ocv1.ClusterCatalog, string) (*declcfg.DeclarativeConfig, error)
}

// read reads a package from every catalog that is available, also from those that a
// selector leaves out: a failure says which of them would help. A catalog that cannot be
// read is unhealthy in the view, and matters only where it is selected. known are all
// catalogs of the cluster.
func (c Catalogs) read(ctx context.Context, pkg string) (packages map[catalog.Key]*declcfg.DeclarativeConfig, view *cache.View, known []cluster.ClusterCatalog, err error) {
	listed, err := c.List(ctx)
	if err != nil {
		return nil, nil, nil, fmt.Errorf("ClusterCatalogs: they cannot be listed: %w", err)
	}
	packages = map[catalog.Key]*declcfg.DeclarativeConfig{}
	var catalogs []cache.Catalog
	for i := range listed {
		from := &listed[i]
		unavailable := from.Spec.AvailabilityMode == ocv1.AvailabilityModeUnavailable
		known = append(known, cluster.ClusterCatalog{Name: from.Name, Priority: int(from.Spec.Priority), Labels: from.Labels, Unavailable: unavailable})
		if unavailable {
			continue
		}
		content := cache.Catalog{Key: catalog.Key{Name: from.Name}, Priority: int(from.Spec.Priority), Labels: from.Labels}
		packages[content.Key], content.Snapshot, content.Err = c.readPackage(ctx, from, pkg)
		if err := ctx.Err(); err != nil {
			return nil, nil, nil, &result.Incomplete{Phase: "reading package " + pkg, Err: err}
		}
		catalogs = append(catalogs, content)
	}
	return packages, cache.NewView(catalogs), known, nil
}

func (c Catalogs) readPackage(ctx context.Context, from *ocv1.ClusterCatalog, pkg string) (*declcfg.DeclarativeConfig, *catalog.Snapshot, error) {
	content, err := c.Package(ctx, from, pkg)
	if err != nil {
		return nil, nil, err
	}
	if content == nil {
		content = &declcfg.DeclarativeConfig{}
	}
	text, err := textOf(ctx, content)
	if err != nil {
		return nil, nil, err
	}
	snapshot, err := cache.Parse(ctx, text, cache.Options{})
	return content, snapshot, err
}

// textOf writes the documents that a resolution reads.
func textOf(ctx context.Context, content *declcfg.DeclarativeConfig) ([]byte, error) {
	var documents []any
	for _, p := range content.Packages {
		p.Icon, p.Description = nil, ""
		documents = append(documents, p)
	}
	for i := range content.Channels {
		documents = append(documents, &content.Channels[i])
	}
	for i := range content.Bundles {
		documents = append(documents, &content.Bundles[i])
	}
	for i := range content.Deprecations {
		documents = append(documents, &content.Deprecations[i])
	}
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	for _, d := range documents {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := encoder.Encode(d); err != nil {
			return nil, err
		}
	}
	return text.Bytes(), nil
}
