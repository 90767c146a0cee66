package check

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"

	"github.com/blang/semver/v4"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/constraints"
	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/resolver/result"
)

// Assumptions are the packages and APIs that clusters have from catalogs that are not given.
// Each stands for an operator that can be installed and requires nothing.
type Assumptions struct {
	// Packages has the versions of each package. Nil stands for one in every range that the
	// bundles of the given catalogs require.
	Packages map[string][]*semver.Version
	APIs     []properties.GVK
}

// assumedKey is the key of the catalog of all assumptions.
var assumedKey = catalog.Key{Name: "of what is assumed"}

// catalog returns a catalog of the assumptions, nil if there are none.
func (a Assumptions) catalog(ctx context.Context, known []cache.Catalog) (*cache.Catalog, error) {
	if len(a.Packages)+len(a.APIs) == 0 {
		return nil, nil
	}
	var w assumptionWriter
	versions := map[string][]semver.Version{}
	for name, stated := range a.Packages {
		for _, v := range stated {
			if v != nil {
				versions[name] = append(versions[name], *v)
			} else {
				versions[name] = append(versions[name], requiredVersions(name, known)...)
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(versions)) {
		slices.SortFunc(versions[name], semver.Version.Compare)
		w.add(name, slices.CompactFunc(versions[name], semver.Version.EQ))
	}
	for _, api := range a.APIs {
		w.add(api.String(), []semver.Version{{}}, properties.NewProperty(properties.TypeGVK, api))
	}
	snapshot, err := cache.Parse(ctx, w.text.Bytes(), cache.Options{})
	switch {
	case ctx.Err() != nil:
		return nil, &result.Incomplete{Phase: "judging catalogs", Err: ctx.Err()}
	case w.err == nil && err == nil && len(snapshot.Faults()) > 0:
		err = &catalog.FaultsError{Faults: snapshot.Faults()}
	}
	if err = errors.Join(w.err, err); err != nil {
		return nil, &result.InvalidInput{Subject: "what is assumed", Err: err}
	}
	return &cache.Catalog{Key: assumedKey, Snapshot: snapshot}, nil
}

// requiredVersions returns versions of a package in every range that bundles of the catalogs
// require, and one more.
func requiredVersions(pkg string, catalogs []cache.Catalog) []semver.Version {
	versions := []semver.Version{{}} // for constraints without a range
	for _, c := range catalogs {
		if c.Snapshot == nil {
			continue // Uninstallable refuses it later
		}
		for id := range catalog.ID(c.Snapshot.Len()) {
			for _, required := range c.Snapshot.Bundle(id).Constraints {
				for _, part := range constraints.Parts(required.Expr) {
					if p, ok := part.(constraints.Package); ok && p.Name == pkg {
						versions = append(versions, p.Range.Samples()...)
					}
				}
			}
		}
	}
	return versions
}

// assumptionWriter writes the blobs of the assumed catalog.
type assumptionWriter struct {
	text bytes.Buffer
	err  error
}

// add writes a package with a channel of bundles, from the lowest version to the head.
func (w *assumptionWriter) add(pkg string, versions []semver.Version, provided ...properties.Property) {
	type entry struct {
		Name     string `json:"name"`
		Replaces string `json:"replaces,omitempty"`
	}
	var entries []entry
	below := ""
	for _, v := range versions {
		name := pkg + ".v" + v.String()
		entries = append(entries, entry{name, below})
		below = name
		w.write(map[string]any{"schema": "olm.bundle", "package": pkg, "name": name, "image": "assumed", "properties": append(
			provided, properties.NewProperty(properties.TypePackage, map[string]string{"packageName": pkg, "version": v.String()}))})
	}
	w.write(map[string]any{"schema": "olm.package", "name": pkg, "defaultChannel": "assumed"})
	w.write(map[string]any{"schema": "olm.channel", "package": pkg, "name": "assumed", "entries": entries})
}

func (w *assumptionWriter) write(blob map[string]any) {
	w.err = errors.Join(w.err, json.NewEncoder(&w.text).Encode(blob))
}
