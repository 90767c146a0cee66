package inputs

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver/check"
)

// AddDirectories returns the judged catalogs with bundle directories added to the first catalog
// that has a package of theirs, and the background without these catalogs: the judged ones stand
// for them.
func AddDirectories(ctx context.Context, judged []check.Catalog, background []cache.Catalog, sources *SourceFlags) (with []check.Catalog, rest []cache.Catalog, err error) {
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
		if with[i].Checked, err = c.Checked.AddedTo(ctx, published[at].Snapshot, cache.Options{Objects: sources.Objects}); err != nil {
			return nil, nil, err
		}
	}
	return with, slices.DeleteFunc(slices.Clone(background), func(c cache.Catalog) bool { return added[c.Key] }), nil
}

// partOfBundle reports whether a folder is manifests or metadata of a bundle directory,
// and returns that.
func partOfBundle(folder string) (bundle string, part bool) {
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

// maxOtherFolders is how many folders are looked at for what they are.
const maxOtherFolders = 100

// Misplaced says of folders of manifests without a request what they are instead, empty if that is not
// known.
func Misplaced(folders []string) string {
	text := ""
	for _, folder := range folders {
		if other := OtherFormat(folder); other != nil {
			text += fmt.Sprintf("; %s: %s", folder, other)
		} else if _, err := os.Stat(filepath.Join(folder, "metadata", "annotations.yaml")); err == nil {
			text += fmt.Sprintf("; %s is a bundle directory: pass it with --catalog, or to 'check'", folder)
		}
	}
	return text
}

// OtherFormat says what a folder without a usable bundle holds, and what to do. It returns nil
// for any other folder.
func OtherFormat(folder string) error {
	if err := renderedBelow(folder); err != nil {
		return err
	}
	dirs := []string{folder}
	entries, _ := os.ReadDir(folder) // what cannot be read is no folder of another format
	for _, e := range entries {
		if e.IsDir() && len(dirs) < maxOtherFolders {
			dirs = append(dirs, filepath.Join(folder, e.Name()))
		}
	}
	var loose error
	for _, dir := range dirs {
		entries, _ := os.ReadDir(dir)
		has := func(suffixes ...string) string {
			for _, e := range entries {
				for _, suffix := range suffixes {
					if strings.HasSuffix(e.Name(), suffix) {
						return e.Name()
					}
				}
			}
			return ""
		}
		if file := has(".package.yaml", ".package.yml"); file != "" {
			return fmt.Errorf("it is in the old package manifest format (%s lists its channels), which OLM no longer reads: convert it with 'operator-sdk pkgman-to-bundle', and give the bundle directories", file)
		}
		_, err := os.Stat(filepath.Join(dir, "metadata", "annotations.yaml"))
		isManifests := has("manifests") == "manifests" || filepath.Base(dir) == "manifests"
		if file := has(".clusterserviceversion.yaml", ".clusterserviceversion.yml"); loose == nil && !isManifests && (file != "" || err == nil) {
			what := "it" // the caller names the folder
			if dir != folder {
				what = dir
			}
			loose = fmt.Errorf("%s looks like a bundle directory, but has no folder manifests: put the ClusterServiceVersion and the other manifests into %s, beside metadata", what, filepath.Join(dir, "manifests"))
		}
	}
	if bundle, part := partOfBundle(folder); loose == nil && part {
		return fmt.Errorf("this is a part of a bundle directory; pass %s", bundle)
	}
	return loose
}
