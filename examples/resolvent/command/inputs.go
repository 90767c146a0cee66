package command

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/examples/resolvent/internal/terminal"
	"github.com/resolvent/resolvent/resolver"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/manifest"
)

// stdinName stands for standard input, as manifests or as a catalog.
const stdinName = "-"

var errStdinTwice = errors.New("standard input can be read only once")

// readCluster reads the manifests.
func readCluster(ctx context.Context, f *inputFlags, std streams) (*resolver.Cluster, error) {
	inputs := make([]manifest.Input, 0, len(f.manifests))
	for _, name := range f.manifests {
		if name == stdinName {
			inputs = append(inputs, manifest.Input{Name: "standard input", Reader: std.in})
			continue
		}
		if info, err := os.Stat(name); err == nil && info.IsDir() {
			folder, err := readFolder(ctx, name, std.err)
			if err != nil {
				return nil, err
			}
			inputs = append(inputs, folder...)
			continue
		}
		file, err := os.Open(name)
		if err != nil {
			return nil, err
		}
		defer file.Close()
		inputs = append(inputs, manifest.Input{Name: name, Reader: file})
	}
	done := terminal.ShowProgress(std.err, "reading manifests")
	objects, err := manifest.Limits{}.Read(ctx, inputs...)
	done()
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
func loadCatalogs(ctx context.Context, f *inputFlags, cluster *resolver.Cluster, goOn bool, std streams) (*cache.View, error) {
	open, err := f.sources.opener(std)
	if err != nil {
		return nil, err
	}
	catalogs := cache.New(cache.CacheOptions{})
	for _, c := range f.catalogs {
		config := catalogConfig(c, cluster.Objects())
		if config.Source, err = open(c.from, cache.Options{Strict: f.strict}); err != nil {
			return nil, fmt.Errorf("catalog %s: %w", c.key, err)
		}
		catalogs.Set(c.key, config)
	}
	done := terminal.ShowProgress(std.err, "reading "+terminal.Count(len(f.catalogs), "catalog"))
	err = catalogs.Refresh(ctx)
	done()
	if ctx.Err() != nil {
		return nil, fmt.Errorf("reading catalogs: %w", context.Cause(ctx))
	}
	// Strictness wins: a catalog with faults counts as one that cannot be read.
	if err != nil && (!goOn || f.strict) {
		return nil, err
	}
	if err != nil {
		fmt.Fprintln(std.err, err)
	}
	view := catalogs.View()
	reportFaults(std.err, view, f.verbose)
	for c := range view.Catalogs() {
		if c.Snapshot != nil && c.Snapshot.Len() == 0 {
			return nil, fmt.Errorf("catalog %s: %w", c.Key, errNoBundle)
		}
	}
	return view, nil
}

var errNoBundle = errors.New("there is no bundle in it; 'opm render IMAGE -o json > catalog.json' writes a catalog")

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

// reportFaults prints the faults of catalogs that are used in spite of them.
func reportFaults(stderr io.Writer, view *cache.View, verbose bool) {
	var b bytes.Buffer
	for c := range view.Catalogs() {
		if c.Snapshot == nil {
			continue
		}
		faults := c.Snapshot.Faults()
		if len(faults) == 0 {
			continue
		}
		bundles := map[string]bool{}
		for _, f := range faults {
			if f.Quarantines && f.Bundle != "" {
				bundles[f.Bundle] = true
			}
		}
		fmt.Fprintf(&b, "catalog %s: %s, %s quarantined", c.Key, terminal.Count(len(faults), "fault"), terminal.Count(len(bundles), "bundle"))
		if !verbose {
			b.WriteString(" (--verbose lists them)\n")
			continue
		}
		b.WriteString("\n")
		for _, f := range faults {
			fmt.Fprintf(&b, "  %s: %s\n", f.Severity, terminal.Indented(f.Error(), "    "))
		}
	}
	stderr.Write(b.Bytes())
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
