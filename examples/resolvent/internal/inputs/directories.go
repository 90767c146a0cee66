package inputs

import (
	"context"
	"os"
	"path/filepath"
	"slices"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver/check"
)

// AddDirectories returns the judged catalogs with bundle directories added to the first catalog
// that has a package of theirs, and the background without these catalogs: the judged ones stand
// for them.
func AddDirectories(ctx context.Context, judged []check.Catalog, background []cache.Catalog) (with []check.Catalog, rest []cache.Catalog, err error) {
	with = slices.Clone(judged)
	published := slices.Clone(background)
	for _, c := range judged {
		if len(c.Checked.Directories) == 0 {
			published = append(published, cache.Catalog{Key: c.Key, Snapshot: c.Checked.Snapshot})
		}
	}
	added := map[catalog.Key]bool{}
	for i, c := range judged {
		at := slices.IndexFunc(published, func(p cache.Catalog) bool {
			return slices.ContainsFunc(c.Checked.Directories, func(b catalog.BundleKey) bool { return p.Snapshot.Package(b.Package) != nil })
		})
		if at < 0 {
			continue
		}
		added[published[at].Key] = true
		if with[i].Checked, err = c.Checked.AddedTo(ctx, published[at].Snapshot, cache.Options{}); err != nil {
			return nil, nil, err
		}
	}
	return with, slices.DeleteFunc(slices.Clone(background), func(c cache.Catalog) bool { return added[c.Key] }), nil
}

// PartOfBundle reports whether a folder is manifests or metadata of a bundle directory,
// and returns that.
func PartOfBundle(folder string) (bundle string, part bool) {
	info, err := os.Stat(folder)
	if err != nil || !info.IsDir() {
		return "", false
	}
	if abs, err := filepath.Abs(folder); err == nil && filepath.Base(abs) != filepath.Base(folder) {
		folder = abs // it is "." or ends with ".."
	}
	name := filepath.Base(folder)
	return filepath.Dir(folder), name == "manifests" || name == "metadata"
}
