package random

import (
	"context"
	"slices"
	"strings"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/oracle"
	"github.com/resolvent/resolvent/resolver/manifest"
	"github.com/resolvent/resolvent/resolver/policy"
)

// BlobsOf returns the blobs of each catalog of a problem.
func BlobsOf(p *oracle.Problem) map[catalog.Key][]string {
	blobs := map[catalog.Key][]string{}
	for _, c := range p.Catalogs {
		blobs[catalog.Key{Namespace: c.Namespace, Name: c.Name}] = Blobs(c)
	}
	return blobs
}

// Inputs reads the manifests of problems, which share their catalogs, and the blobs of these.
func Inputs(ctx context.Context, j oracle.Joint, blobs map[catalog.Key][]string) (cluster.Objects, *cache.View, policy.Options, error) {
	p := j[0]
	objects, err := manifest.Read(ctx, manifest.Input{Name: "cluster.yaml", Reader: strings.NewReader(strings.Join(Manifests(j...), "\n---\n"))})
	if err != nil {
		return objects, nil, policy.Options{}, err
	}
	var list []cache.Catalog
	for _, c := range p.Catalogs {
		key := catalog.Key{Namespace: c.Namespace, Name: c.Name}
		snapshot, err := cache.Parse(ctx, []byte(strings.Join(blobs[key], "\n")), cache.Options{})
		if err != nil {
			return objects, nil, policy.Options{}, err
		}
		list = append(list, cache.Catalog{Key: key, Priority: c.Priority, Snapshot: snapshot})
	}
	return objects, cache.NewView(list), policy.Options{
		GlobalNamespaces: p.Globals, BundleScope: p.BundleScope, NamedUpdates: p.NamedUpdates,
		SystemConstraint: func(_ context.Context, c policy.Candidate) (bool, string) {
			return !slices.Contains(p.Denied, c.Bundle.Name), "denied"
		},
	}, nil
}
