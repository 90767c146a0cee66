package inputs

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/examples/resolvent/internal/terminal"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/manifest"
	"github.com/resolvent/resolvent/resolver/policy"
)

// stdinName stands for standard input, as manifests or as a catalog.
const stdinName = "-"

var errStdinTwice = errors.New("standard input can be read only once; pass the other as a file")

var errNoCatalogs = Usagef("no catalogs: pass them with --catalog [NAMESPACE/]NAME=FROM; see 'help catalogs'")

func readingEnded(ctx context.Context) error {
	return fmt.Errorf("reading manifests: %w", context.Cause(ctx))
}

// ReadCluster reads the manifests, of which one may be the running cluster.
func ReadCluster(ctx context.Context, f *Flags, std Streams) (*cluster.Index, error) {
	inputs := make([]manifest.Input, 0, len(f.Manifests))
	for _, name := range f.Manifests {
		if name == LivePrefix && std.Live != nil {
			continue
		}
		if name == stdinName {
			inputs = append(inputs, manifest.Input{Name: "standard input", Reader: std.In})
			continue
		}
		if info, err := os.Stat(name); err == nil && info.IsDir() {
			folder, err := readFolder(ctx, name, std.Err)
			if err != nil {
				return nil, err
			}
			inputs = append(inputs, folder...)
			continue
		}
		file, err := OpenFile(ctx, name)
		if ctx.Err() != nil {
			return nil, readingEnded(ctx)
		}
		if err != nil {
			return nil, err
		}
		defer file.Close()
		inputs = append(inputs, manifest.Input{Name: name, Reader: file})
	}
	done := terminal.ShowProgress(std.Err, "reading manifests")
	objects, err := manifest.Read(ctx, inputs...)
	done()
	if ctx.Err() != nil {
		return nil, readingEnded(ctx)
	}
	if err != nil {
		for _, name := range f.Manifests {
			err = cmp.Or(renderer(name), err)
		}
		return nil, err
	}
	if std.Live == nil || !f.ReadsLive() {
		HintNotGiven(std.Err, &objects)
	} else {
		running, err := readLive(ctx, f.query, std)
		if err != nil {
			return nil, err
		}
		running.Append(objects)
		objects = running
	}
	if err := cmp.Or(setInstalled(objects.ClusterExtensions, f.installed), f.nameCatalogs(&objects)); err != nil {
		return nil, err
	}
	objects.KubernetesVersion = cmp.Or(f.kubeVersion, objects.KubernetesVersion)
	objects.OpenShiftVersion = cmp.Or(f.openShiftVersion, objects.OpenShiftVersion)
	index := cluster.NewIndex(objects)
	if ctx.Err() != nil {
		return nil, readingEnded(ctx)
	}
	return index, nil
}

// ReadCatalogs reads all catalogs at the same time. Faults inside of them are
// reported on stderr; a catalog that cannot be read at all is an error, unless
// the caller wants to go on without it.
func ReadCatalogs(ctx context.Context, f *Flags, goOn bool, std Streams) (*cache.View, error) {
	if len(f.Catalogs) == 0 && !(std.Live != nil && f.ReadsLive()) {
		return nil, errNoCatalogs
	}
	open, err := f.sources.Opener(ctx, std)
	if err != nil {
		return nil, err
	}
	catalogs := cache.New(cache.CacheOptions{})
	for _, c := range f.Catalogs {
		var config cache.CatalogConfig
		if config.Source, err = open(c.from, cache.Options{Strict: f.strict}); err != nil {
			return nil, fmt.Errorf("catalog %s: %w", c.Key, err)
		}
		catalogs.Set(c.Key, config)
	}
	done := terminal.ShowProgress(std.Err, "reading "+terminal.Count(len(f.Catalogs), "catalog"))
	err = catalogs.Refresh(ctx)
	done()
	if ctx.Err() != nil {
		return nil, fmt.Errorf("reading catalogs: %w", context.Cause(ctx))
	}
	view := catalogs.View()
	// What nobody named is a failure of those who see it, and no reason to answer nobody.
	declared := func(key catalog.Key) bool { return flagOf(f.Catalogs, key).declared }
	for c := range view.Catalogs() {
		// Strictness wins: a catalog with faults counts as one that cannot be read.
		if c.Err != nil && !declared(c.Key) && (!goOn || f.strict) {
			return nil, err
		}
	}
	if err != nil {
		terminal.Printf(std.Err, "%s\n", err)
	}
	ReportFaults(std.Err, view, f.verbose)
	for c := range view.Catalogs() {
		if c.Snapshot != nil && c.Snapshot.Len() == 0 && !declared(c.Key) && !slices.ContainsFunc(c.Snapshot.Faults(), takesBundles) {
			return nil, fmt.Errorf("catalog %s: %w", c.Key, cmp.Or(OtherFormat(flagOf(f.Catalogs, c.Key).from), errNoBundle))
		}
	}
	return view, nil
}

// takesBundles reports whether a fault quarantines a bundle, or a package with its
// bundles: the catalog is no wrong folder then.
func takesBundles(f catalog.Fault) bool {
	return f.Quarantines && (f.Bundle != "" || f.Package != "" && f.Channel == "")
}

var errNoBundle = errors.New("it has no bundle; to save a catalog: opm render IMAGE -o json > catalog.json")

// AsDeclared returns the catalogs with the priorities and labels that the flags and the
// manifests of a cluster state.
func (f *Flags) AsDeclared(view *cache.View, known *cluster.Index) *cache.View {
	var all []cache.Catalog
	for c := range view.Catalogs() {
		config := catalogConfig(flagOf(f.Catalogs, c.Key), known.Objects())
		declared := *c
		declared.Priority, declared.Labels = config.Priority, config.Labels
		all = append(all, declared)
	}
	return cache.NewView(all)
}

// catalogConfig joins the flag of a catalog with its manifest; the flag wins.
func catalogConfig(c *CatalogFlag, objects cluster.Objects) cache.CatalogConfig {
	config := cache.CatalogConfig{Labels: map[string]string{}}
	priority, labels := objects.Declared(c.Key)
	config.Priority = priority
	maps.Copy(config.Labels, labels)
	if c.hasPriority {
		config.Priority = c.priority
	}
	maps.Copy(config.Labels, c.labels)
	return config
}

// ReportFaults prints the faults of catalogs that are used in spite of them.
func ReportFaults(stderr io.Writer, view *cache.View, verbose bool) {
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
		terminal.Printf(&b, "catalog %s: %s, %s quarantined", c.Key, terminal.Count(len(faults), "fault"), terminal.Count(len(bundles), "bundle"))
		if !verbose {
			b.WriteString(" (--verbose lists them)\n")
			continue
		}
		b.WriteString("\n")
		for _, f := range faults {
			terminal.Printf(&b, "  %s: %s\n", f.Severity, terminal.Indented(f.Error(), "    "))
		}
	}
	stderr.Write(b.Bytes())
}

// CheckExcluded refuses to exclude catalogs that do not exist.
func CheckExcluded(keys []catalog.Key, view *cache.View, known *cluster.Index) error {
	var names []string
	for c := range view.Catalogs() {
		names = append(names, c.Key.String())
	}
	for _, s := range known.Objects().CatalogSources {
		names = append(names, s.Key.String())
	}
	for _, c := range known.Objects().ClusterCatalogs {
		names = append(names, c.Name)
	}
	for _, key := range keys {
		if name := key.String(); !slices.Contains(names, name) {
			return Usagef("--exclude-catalog %s: unknown catalog%s", name, terminal.Suggestion(name, names))
		}
	}
	return nil
}

// CheckNamespaces refuses namespaces that nothing in the cluster names. It is the running
// one, or what was given.
func CheckNamespaces(asked []string, known *cluster.Index, live bool) error {
	where := "nothing in the manifests has this namespace"
	if live {
		where = "this namespace has nothing of OLM"
	}
	objects := known.Objects()
	names := namespaces(&objects)
	for _, c := range objects.OperatorConditions {
		names = append(names, c.Namespace)
	}
	for _, s := range objects.CatalogSources {
		names = append(names, s.Key.Namespace)
	}
	for _, n := range objects.Namespaces {
		names = append(names, n.Name)
	}
	for scope := range objects.Unread {
		names = append(names, scope.Namespace())
	}
	for _, name := range asked {
		if !slices.Contains(names, name) {
			others := slices.DeleteFunc(slices.Compact(slices.Sorted(slices.Values(names))), func(name string) bool { return name == "" })
			near := terminal.Suggestion(name, others)
			if near == "" && len(others) > 0 {
				near = "; there are " + terminal.Few(others)
			}
			return Usagef("--namespace %s: %s%s", name, where, near)
		}
	}
	return nil
}

// BegunNamespaces are those of the files of -f that begin with a text, for a shell that
// completes: what cannot be read has none.
func BegunNamespaces(ctx context.Context, f *Flags, begun string) []string {
	files := Flags{Manifests: slices.DeleteFunc(slices.Clone(f.Manifests), func(name string) bool { return name == stdinName || name == LivePrefix })}
	known, err := ReadCluster(ctx, &files, Streams{Err: io.Discard})
	if err != nil {
		return nil
	}
	objects := known.Objects()
	names := slices.Compact(slices.Sorted(slices.Values(namespaces(&objects))))
	return slices.DeleteFunc(names, func(name string) bool { return !strings.HasPrefix(name, begun) })
}

// CheckPins refuses pins of packages that neither a catalog nor a request names.
func CheckPins(pins []policy.Pin, view *cache.View, known *cluster.Index) error {
	var packages []string
	for c := range view.Catalogs() {
		if c.Snapshot == nil {
			return nil // it may have what is pinned
		}
		for p := range c.Snapshot.Packages() {
			packages = append(packages, p.Name)
		}
	}
	packages = append(packages, terminal.Mapped(known.Objects().Subscriptions, func(s cluster.Subscription) string { return s.Package })...)
	for _, e := range known.Extensions() {
		packages = append(packages, e.Package)
	}
	for _, pin := range pins {
		if !slices.Contains(packages, pin.Package) {
			return Usagef("--pin %s: no catalog has this package%s", pin.Package, terminal.Suggestion(pin.Package, packages))
		}
	}
	return nil
}

// CheckRead refuses to answer where nothing could be read that an answer depends on.
func CheckRead(asked []string, known *cluster.Index) error {
	scopes := terminal.Mapped(asked, cluster.InNamespace)
	if len(asked) == 0 {
		scopes = known.Scopes()
	}
	var all []error
	for _, scope := range scopes {
		err := known.ClusterScoped().Unread[scope]
		if err == nil {
			return nil
		}
		all = append(all, fmt.Errorf("%s: %w", scope, err))
	}
	return errors.Join(all...)
}
