package inputs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/cache/remote"
	"github.com/resolvent/resolvent/cache/template"
	"github.com/resolvent/resolvent/resolver/check"
)

// Judged are catalogs to judge, with what they are judged beside.
type Judged struct {
	Catalogs   []check.Catalog
	Background []cache.Catalog
	// Bundles are those of templates, by their key.
	Bundles map[catalog.Key]template.Bundles
}

// judge reads the catalogs to judge.
type judge struct {
	Judged
	flags []CatalogFlag
	open  Opener
	// dirs are the bundle directories of images that templates name.
	dirs map[string]string
	// adds: the template need not name the images yet.
	adds bool
	std  Streams
	// objects: the texts of what bundles install are kept.
	objects bool
}

// newJudge reads the catalogs of flags, beside which others are judged.
func newJudge(ctx context.Context, dirs map[string]string, flags []CatalogFlag, sources *SourceFlags, std Streams) (j *judge, err error) {
	j = &judge{Judged: Judged{Bundles: map[catalog.Key]template.Bundles{}}, flags: flags, dirs: dirs, std: std, objects: sources.Objects}
	if j.open, err = sources.Opener(ctx, std); err == nil {
		j.Background, err = LoadBackground(ctx, flags, sources, std)
	}
	return j, err
}

// LoadJudged reads the catalogs to judge, whose names are their paths, and those of the flags
// beside them. Of several of a cluster some may be missing. dirs are
// bundle directories, by the images that templates name.
func LoadJudged(ctx context.Context, paths []string, dirs map[string]string, ofCluster bool, flags []CatalogFlag, sources *SourceFlags, std Streams) (*Judged, error) {
	j, err := newJudge(ctx, dirs, flags, sources, std)
	if err != nil {
		return nil, err
	}
	var unread []error
	for _, path := range paths {
		key := JudgedKey(path)
		if slices.ContainsFunc(j.Catalogs, func(c check.Catalog) bool { return c.Key == key }) {
			return nil, Usagef("%s: it is passed twice; leave one out", path)
		}
		checked, err := j.load(ctx, key, path)
		if err != nil && ofCluster && ctx.Err() == nil {
			unread = append(unread, err)
			continue
		}
		if err != nil {
			return nil, err
		}
		j.Catalogs = append(j.Catalogs, check.Catalog{Key: key, Checked: checked})
	}
	if err := cmp.Or(noteUnread(unread, len(j.Catalogs), std), j.leaveOut(ctx)); err != nil {
		return nil, err
	}
	j.Catalogs, j.Background, err = AddDirectories(ctx, j.Catalogs, j.Background, sources)
	return &j.Judged, err
}

// SplitBundles returns the paths among the values of --bundle, and the bundle directories of
// images, which are IMAGE=DIR, by image.
func SplitBundles(values []string) (paths []string, dirs map[string]string) {
	dirs = map[string]string{}
	for _, v := range values {
		image, dir, found := strings.Cut(v, "=")
		if _, err := os.Stat(v); err != nil && found {
			dirs[image] = dir
		} else {
			paths = append(paths, v)
		}
	}
	return paths, dirs
}

func (j *judge) load(ctx context.Context, key catalog.Key, from string) (*cache.Checked, error) {
	if info, err := os.Stat(from); err == nil && info.Mode().IsRegular() {
		text, err := ReadFile(ctx, from, catalog.Limits{}.WithDefaults().FileBytes)
		if err != nil {
			return nil, err
		}
		if template.Is(ctx, text) {
			return j.loadTemplate(ctx, key, from, text)
		}
		if other := template.Other(ctx, text); other != "" {
			return nil, fmt.Errorf("%s: a template of type %s is not read; render it, and check the output: opm alpha render-template %s --help", from, other, other)
		}
	}
	origin, err := j.open(from, cache.Options{})
	if err != nil {
		return nil, err
	}
	checked, err := Loaded(ctx, from, j.std, origin.LoadChecked)
	if err != nil || checked.Snapshot.Len() > 0 {
		return checked, err
	}
	if other := OtherFormat(from); other != nil && !slices.ContainsFunc(checked.Faults, takesBundles) {
		return nil, fmt.Errorf("%s: %w", from, other)
	}
	if len(checked.Faults) == 0 {
		return nil, fmt.Errorf("%s: %w", remote.Public(from), errEmpty)
	}
	return checked, nil
}

var errEmpty = errors.New("it has neither a catalog nor a bundle directory; " +
	"want files named .json, .yaml or .yml, as 'opm render' writes them, or folders with manifests/ and metadata/; pass a template as a file")

// loadTemplate reads a template, with its bundles from the catalogs of the background and from
// bundle directories.
func (j *judge) loadTemplate(ctx context.Context, key catalog.Key, from string, text []byte) (*cache.Checked, error) {
	name := filepath.Base(from)
	images, err := template.Images(ctx, name, text, cache.Options{})
	if err != nil {
		return nil, err
	}
	bundles := template.Bundles{}
	for _, image := range slices.Sorted(maps.Keys(j.dirs)) {
		dir := j.dirs[image]
		if !j.adds && !slices.Contains(images, image) {
			return nil, Usagef("--bundle %s=%s: %s does not name this image", image, dir, from)
		}
		origin, err := j.open(dir, cache.Options{})
		if err != nil {
			return nil, err
		}
		s, err := origin.Load(ctx)
		if err == nil {
			err = bundles.AddDirectory(ctx, image, s, origin.Blobs)
		}
		if err != nil {
			return nil, fmt.Errorf("--bundle %s=%s: %w", image, dir, err)
		}
	}
	for i, c := range j.Background {
		flag := flagOf(j.flags, c.Key)
		whole := func(ctx context.Context, wanted []catalog.BundleKey) (*cache.Blobs, error) {
			if flag.from == stdinName {
				return nil, nil // it cannot be read again
			}
			origin, err := j.open(flag.from, cache.Options{})
			if err != nil {
				return nil, err
			}
			return origin.Blobs(ctx, wanted)
		}
		if err := bundles.Add(ctx, j.Background[i].Snapshot, images, whole); err != nil {
			return nil, fmt.Errorf("catalog %s: %w", c.Key, err)
		}
	}
	j.Bundles[key] = bundles
	checked, err := template.Load(ctx, name, text, bundles, cache.Options{Objects: j.objects})
	if _, missing := errors.AsType[*template.NotGiven](err); missing {
		return nil, fmt.Errorf("%s: %w; pass a catalog that has them, such as the last one that opm rendered (--catalog NAME=FROM), or bundle directories (--bundle IMAGE=DIR)", from, err)
	}
	return checked, err
}

// leaveOut leaves out of the background the packages that templates render.
func (j *judge) leaveOut(ctx context.Context) error {
	for i, c := range j.Background {
		rendered := func(p *catalog.Package) bool {
			return slices.ContainsFunc(j.Catalogs, func(t check.Catalog) bool {
				return j.Bundles[t.Key] != nil && t.Checked.Snapshot.Package(p.Name) != nil
			})
		}
		rest := slices.Collect(c.Snapshot.Packages())
		n := len(rest)
		if rest = slices.DeleteFunc(rest, rendered); len(rest) == n {
			continue
		}
		text, err := cache.Render(ctx, c.Snapshot, rest, nil)
		if err != nil {
			return err
		}
		if j.Background[i].Snapshot, err = cache.Parse(ctx, text, cache.Options{}); err != nil {
			return err
		}
	}
	return nil
}
