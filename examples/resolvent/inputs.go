package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/manifest"
)

// stdinName stands for standard input after -f.
const stdinName = "-"

// readCluster reads the manifests.
func readCluster(ctx context.Context, f *inputFlags, stdin io.Reader) (*resolver.Cluster, error) {
	inputs := make([]manifest.Input, 0, len(f.manifests))
	for _, name := range f.manifests {
		if name == stdinName {
			inputs = append(inputs, manifest.Input{Name: "standard input", Reader: stdin})
			continue
		}
		file, err := os.Open(name)
		if err != nil {
			return nil, err
		}
		defer file.Close()
		inputs = append(inputs, manifest.Input{Name: name, Reader: file})
	}
	objects, err := manifest.Limits{}.Read(ctx, inputs...)
	if ctx.Err() != nil {
		return nil, fmt.Errorf("reading manifests: %w", context.Cause(ctx))
	}
	if err != nil {
		return nil, err
	}
	if err := setInstalled(objects.ClusterExtensions, f.installed); err != nil {
		return nil, err
	}
	objects.KubernetesVersion = f.kubeVersion
	objects.OpenShiftVersion = f.openShiftVersion
	return resolver.NewCluster(objects), nil
}

// loadCatalogs reads all catalogs at the same time. Faults inside of them are
// reported on stderr; a catalog that cannot be read at all is an error, unless
// the caller wants to go on without it.
func loadCatalogs(ctx context.Context, f *inputFlags, cluster *resolver.Cluster, goOn bool, stderr io.Writer) (*cache.View, error) {
	catalogs, source := cache.New(cache.CacheOptions{}), f.indexes.source(stderr)
	for _, c := range f.catalogs {
		tree, err := catalogFS(c.path)
		if err != nil {
			return nil, fmt.Errorf("catalog %s: %w", c.key, err)
		}
		config := catalogConfig(c, cluster.Objects())
		config.Source = source(tree, cache.Options{Strict: f.strict})
		catalogs.Set(c.key, config)
	}
	done := showProgress(stderr, "reading "+count(len(f.catalogs), "catalog"))
	err := catalogs.Refresh(ctx)
	done()
	if ctx.Err() != nil {
		return nil, fmt.Errorf("reading catalogs: %w", context.Cause(ctx))
	}
	// Strictness wins: a catalog with faults counts as one that cannot be read.
	if err != nil && (!goOn || f.strict) {
		return nil, err
	}
	if err != nil {
		fmt.Fprintln(stderr, err)
	}
	view := catalogs.View()
	reportFaults(stderr, view, f.verbose)
	return view, nil
}

// catalogConfig joins the flag of a catalog with its manifest; the flag wins.
func catalogConfig(c catalogFlag, objects cluster.Objects) cache.CatalogConfig {
	config := cache.CatalogConfig{Labels: map[string]string{}}
	priority, labels := objects.Declared(c.key)
	config.Priority = priority
	maps.Copy(config.Labels, labels)
	if c.hasPriority {
		config.Priority = c.priority
	}
	maps.Copy(config.Labels, c.labels)
	return config
}

// catalogFS opens a catalog: a folder, or a single file.
func catalogFS(path string) (fs.FS, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		return os.DirFS(path), nil
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is neither a folder nor a file", path)
	}
	if !slices.Contains(catalogExtensions, filepath.Ext(path)) {
		return nil, fmt.Errorf("%s: the name of a catalog file ends with %s", path, oneOf(catalogExtensions))
	}
	return oneFile{os.DirFS(filepath.Dir(path)), filepath.Base(path)}, nil
}

// catalogExtensions are the names of files that count as parts of a catalog.
var catalogExtensions = []string{".json", ".yaml", ".yml"}

// oneFile shows one file of a folder, as if it were alone there.
type oneFile struct {
	dir  fs.FS
	name string
}

func (f oneFile) Open(name string) (fs.File, error) {
	if name != "." && name != f.name {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return f.dir.Open(name)
}

// ReadDir implements fs.ReadDirFS.
func (f oneFile) ReadDir(name string) ([]fs.DirEntry, error) {
	if name != "." {
		return nil, &fs.PathError{Op: "readdir", Path: name, Err: fs.ErrNotExist}
	}
	info, err := fs.Stat(f.dir, f.name)
	if err != nil {
		return nil, err
	}
	return []fs.DirEntry{fs.FileInfoToDirEntry(info)}, nil
}

// reportFaults prints the faults of catalogs that are used in spite of them.
func reportFaults(stderr io.Writer, view *cache.View, verbose bool) {
	var b bytes.Buffer
	for c := range view.Catalogs() {
		if c.Snapshot == nil {
			continue
		}
		faults := c.Snapshot.Faults()
		if len(faults) == 0 {
			if c.Snapshot.Len() == 0 {
				fmt.Fprintf(&b, "catalog %s: there is no bundle in it\n", c.Key)
			}
			continue
		}
		bundles := map[string]bool{}
		for _, f := range faults {
			if f.Quarantines && f.Bundle != "" {
				bundles[f.Bundle] = true
			}
		}
		fmt.Fprintf(&b, "catalog %s: %s, %s quarantined", c.Key, count(len(faults), "fault"), count(len(bundles), "bundle"))
		if !verbose {
			b.WriteString(" (--verbose lists them)\n")
			continue
		}
		b.WriteString("\n")
		for _, f := range faults {
			fmt.Fprintf(&b, "  %s: %s\n", f.Severity, indented(f.Error(), "    "))
		}
	}
	stderr.Write(b.Bytes())
}

func count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// checkExcluded refuses to exclude catalogs that do not exist.
func checkExcluded(keys []catalog.Key, view *cache.View, known *resolver.Cluster) error {
	for _, key := range keys {
		declared := slices.ContainsFunc(known.Objects().CatalogSources, func(s cluster.CatalogSource) bool { return s.Key == key })
		if view.Catalog(key) == nil && !declared {
			return usagef("--exclude-catalog %s: there is no such catalog", key)
		}
	}
	return nil
}
