package inputs

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"

	"github.com/spf13/pflag"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/examples/resolvent/internal/terminal"
	"github.com/resolvent/resolvent/resolver/cluster"
)

// Live is a running cluster. A program that knows one reads it where no manifests are
// given, and its catalogs beside those that are given. The warnings take what it may not
// read.
type Live interface {
	// Register adds the flags that say which cluster is meant to those of a command.
	Register(set *pflag.FlagSet)
	// Namespaces returns which namespaces to resolve where some are named, or none;
	// empty means everything.
	Namespaces(named []string) ([]string, error)
	// Objects returns all that a resolution depends on. Scopes of which it cannot know
	// enough are in Unread.
	Objects(ctx context.Context, query LiveQuery, warnings io.Writer) (cluster.Objects, error)
	// Catalogs returns only the catalogs that the cluster declares.
	Catalogs(ctx context.Context, query LiveQuery, warnings io.Writer) (cluster.Objects, error)
	// Open returns the catalog that a text names, nil if package cache has to know it.
	// Requests to other servers take the transport, nil for the usual one.
	Open(from string, transport http.RoundTripper, options cache.OriginOptions) (cache.Origin, error)
	// Approve approves an InstallPlan as it was judged. The error is that it is another one
	// by now, is gone, or may not be changed.
	Approve(ctx context.Context, namespace, name, resourceVersion string) error
}

// LiveQuery says what is asked of a running cluster. What may not be listed everywhere is
// listed in its namespaces.
type LiveQuery struct {
	// Namespaces are those to resolve; empty means all. Global are those whose catalogs
	// all of them see.
	Namespaces, Global []string
	// Given are the catalogs that the cluster need not declare.
	Given []catalog.Key
}

// LivePrefix begins how a catalog of the running cluster is named, as in
// cluster:olm/community. Alone, among manifests, it stands for the cluster.
const LivePrefix = "cluster:"

// ReadsLive reports whether the running cluster is among the manifests.
func (f *Flags) ReadsLive() bool { return slices.Contains(f.Manifests, LivePrefix) }

// ReadsLiveOnly reports whether there are no other manifests.
func (f *Flags) ReadsLiveOnly() bool { return f.ReadsLive() && len(f.Manifests) == 1 && f.Load == "" }

func readLive(ctx context.Context, query LiveQuery, std Streams) (cluster.Objects, error) {
	done := terminal.ShowProgress(std.Err, "reading the cluster")
	objects, err := std.Live.Objects(ctx, query, terminal.Notes{To: std.Err})
	done()
	if ctx.Err() != nil {
		return objects, fmt.Errorf("reading the cluster: %w", context.Cause(ctx))
	}
	return objects, err
}

// declared returns the catalogs that a cluster declares, of those that are wanted. What a
// flag names already is left out.
func declared(objects cluster.Objects, given []CatalogFlag, wanted func(catalog.Key) bool) []CatalogFlag {
	var list []CatalogFlag
	add := func(key catalog.Key) {
		if flagOf(given, key) == nil && wanted(key) {
			priority, labels := objects.Declared(key)
			list = append(list, CatalogFlag{Key: key, from: LivePrefix + key.String(), declared: true, priority: priority, hasPriority: true, labels: labels})
		}
	}
	for _, s := range objects.CatalogSources {
		add(s.Key)
	}
	for _, c := range objects.ClusterCatalogs {
		if !c.Unavailable {
			add(catalog.Key{Name: c.Name})
		}
	}
	return list
}

// OfLive returns all catalogs that the running cluster declares.
func OfLive(ctx context.Context, std Streams) ([]CatalogFlag, error) {
	objects, err := std.Live.Catalogs(ctx, LiveQuery{}, terminal.Notes{To: std.Err})
	if err != nil {
		return nil, err
	}
	return declared(objects, nil, func(catalog.Key) bool { return true }), nil
}

// ChooseNamespaces has the running cluster choose the namespaces, if the requests are its
// own.
func (f *Flags) ChooseNamespaces(choice *ChoiceFlags, live Live) (err error) {
	if live != nil && f.ReadsLive() {
		choice.Namespaces, err = live.Namespaces(choice.Namespaces)
	}
	f.query = LiveQuery{Namespaces: choice.Namespaces, Global: choice.Options.Globals()}
	for _, c := range f.Catalogs {
		f.query.Given = append(f.query.Given, c.Key)
	}
	return err
}

// AddDeclared adds the catalogs of the running cluster that the chosen namespaces see. The
// objects are those of the cluster, if the requests are its own.
func (f *Flags) AddDeclared(ctx context.Context, choice *ChoiceFlags, objects cluster.Objects, std Streams) (err error) {
	if std.Live == nil {
		return nil
	}
	if !f.ReadsLive() {
		if objects, err = std.Live.Catalogs(ctx, f.query, terminal.Notes{To: std.Err}); err != nil {
			return err
		}
	}
	f.Catalogs = append(f.Catalogs, declared(objects, f.Catalogs, func(key catalog.Key) bool {
		excluded := slices.Contains(choice.Options.ExcludeCatalogs, key)
		return !excluded && (len(choice.Namespaces) == 0 || slices.Contains(slices.Concat(choice.Namespaces, f.query.Global), key.Namespace))
	})...)
	return nil
}
