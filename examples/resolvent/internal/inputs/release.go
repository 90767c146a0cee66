package inputs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/cache/template"
	"github.com/resolvent/resolvent/resolver/check"
)

// Release is a catalog that gets new bundles.
type Release struct {
	// Path is that of the catalog or template.
	Path string
	// Template: the catalog is a template.
	Template bool
	// Bundles are those of the template and the new ones, by image.
	Bundles    template.Bundles
	Background []cache.Catalog
	// Added are the new bundles, the lowest version first.
	Added []AddedBundle
}

// AddedBundle is a bundle directory of an image.
type AddedBundle struct {
	Image, Path string
	*catalog.Bundle
	Checked *cache.Checked
}

// LoadRelease reads what a release needs. The catalog is a path, or the one of the flags that has
// the packages of the bundles, which are directories by image.
func LoadRelease(ctx context.Context, paths []string, dirs map[string]string, flags []CatalogFlag, sources *SourceFlags, std Streams) (*Release, error) {
	j, err := newJudge(ctx, dirs, flags, sources, std)
	if err != nil {
		return nil, err
	}
	j.adds = true
	r := &Release{}
	for _, path := range paths {
		r.Path = path
		checked, err := j.load(ctx, r.Key(), path)
		if err != nil {
			return nil, err
		}
		j.Catalogs = []check.Catalog{{Key: r.Key(), Checked: checked}}
		r.Bundles = j.Bundles[r.Key()]
	}
	r.Template = r.Bundles != nil
	if !r.Template {
		r.Bundles = template.Bundles{}
	}
	if err := j.leaveOut(ctx); err != nil {
		return nil, err
	}
	var target catalog.Key // of a flag
	for _, image := range slices.Sorted(maps.Keys(dirs)) {
		one, err := r.read(ctx, j.open, image, dirs[image], std)
		if err != nil {
			return nil, err
		}
		r.Added = append(r.Added, *one)
		if len(paths) > 0 {
			continue
		}
		at := slices.IndexFunc(j.Background, func(c cache.Catalog) bool { return c.Snapshot.Package(one.Package) != nil })
		if at < 0 {
			return nil, Usagef("--bundle %s: no --catalog has package %s; pass the one that gets the bundle", one.Path, one.Package)
		}
		flag := flagOf(flags, j.Background[at].Key)
		if r.Path != "" && r.Path != flag.from {
			return nil, Usagef("the bundles belong to several catalogs, %s and %s; release into one at a time", r.Path, flag.from)
		}
		r.Path, target = flag.from, flag.Key
	}
	r.Background = slices.DeleteFunc(j.Background, func(c cache.Catalog) bool { return c.Key == target })
	slices.SortStableFunc(r.Added, func(a, b AddedBundle) int {
		return cmp.Or(cmp.Compare(a.Package, b.Package), a.Version.Compare(b.Version))
	})
	return r, nil
}

// Key names the catalog by its path.
func (r *Release) Key() catalog.Key { return JudgedKey(r.Path) }

func (r *Release) read(ctx context.Context, open Opener, image, dir string, std Streams) (*AddedBundle, error) {
	origin, err := open(dir, cache.Options{})
	if err != nil {
		return nil, err
	}
	checked, err := Loaded(ctx, dir, std, origin.LoadChecked)
	if err == nil {
		err = r.Bundles.AddDirectory(ctx, image, checked.Snapshot, origin.Blobs)
	}
	if err == nil && len(checked.Directories) != 1 {
		err = errors.New("it is not a bundle directory: want manifests/ beside metadata/")
	}
	if err != nil {
		return nil, fmt.Errorf("--bundle %s=%s: %w", image, dir, err)
	}
	return &AddedBundle{image, dir, checked.Snapshot.Bundle(0), checked}, nil
}
