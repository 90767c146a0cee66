package resolver

import (
	"errors"
	"fmt"
	"slices"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver/result"
)

// visibility is what one namespace sees of the catalogs.
type visibility struct {
	// catalogs can be used, in the order of the view.
	catalogs []cache.Catalog
	// unhealthy are visible as well, but cannot be read.
	unhealthy []result.UnhealthyCatalog
	warnings  []result.Warning
}

var (
	errNoContent = errors.New("no content was given for this catalog")
	errNotReady  = errors.New("the catalog source is not ready")
	errNotLoaded = errors.New("the catalog was never loaded")
)

// visible finds the catalogs of the namespace and the global ones; also are
// those that namespaces see beside them.
func visible(namespace string, cluster *inventory, view *cache.View, options *Options, also []sight) visibility {
	state := cluster.in(namespace)
	sees := func(k catalog.Key) bool {
		if slices.Contains(also, sight{namespace, k}) {
			return true
		}
		if k.Namespace == "" || slices.Contains(options.ExcludeCatalogs, k) {
			return false
		}
		return k.Namespace == namespace || !state.excludesGlobal() && slices.Contains(globalNamespaces(options), k.Namespace)
	}
	var v visibility
	for c := range view.Catalogs() {
		if !sees(c.Key) {
			continue
		}
		if err := health(c, cluster); err != nil {
			v.unhealthy = append(v.unhealthy, result.UnhealthyCatalog{Key: c.Key, Err: err})
		} else {
			v.catalogs = append(v.catalogs, *c)
		}
	}
	for i := range cluster.objects.CatalogSources {
		key := cluster.objects.CatalogSources[i].Key
		if view.Catalog(key) != nil || !sees(key) {
			continue
		}
		if slices.ContainsFunc(state.subscriptions, func(s Subscription) bool { return s.names(key) }) {
			v.unhealthy = append(v.unhealthy, result.UnhealthyCatalog{Key: key, Err: errNoContent})
		} else {
			v.warn(key, result.CatalogLeftOut{Err: errNoContent, Unnamed: true})
		}
	}
	slices.SortFunc(v.unhealthy, func(a, b result.UnhealthyCatalog) int { return a.Key.Compare(b.Key) })
	for _, c := range v.unhealthy {
		// Unless health is to be judged leniently, the namespace fails for them.
		v.warn(c.Key, result.CatalogLeftOut{Err: c.Err, Unhealthy: true})
	}
	return v
}

func (v *visibility) warn(k catalog.Key, d result.CatalogLeftOut) {
	v.warnings = append(v.warnings, result.Warning{Kind: result.WarnCatalog, Subject: k.String(), Detail: d})
}

// health returns why a catalog cannot be used, nil if it can.
func health(c *cache.Catalog, cluster *inventory) error {
	if c.Err != nil {
		return c.Err
	}
	if c.Snapshot == nil {
		return errNotLoaded
	}
	for i := range cluster.objects.CatalogSources {
		if s := &cluster.objects.CatalogSources[i]; s.Key == c.Key && !s.Healthy() {
			if s.State == "" {
				return errNotReady
			}
			return fmt.Errorf("%w: last observed state %s", errNotReady, s.State)
		}
	}
	return nil
}

// excludesGlobal reports whether an OperatorGroup leaves global catalogs out.
func (n *namespaceState) excludesGlobal() bool {
	return slices.ContainsFunc(n.groups, func(g OperatorGroup) bool {
		return g.Annotations[AnnotationExcludeGlobal] == "true"
	})
}

func globalNamespaces(o *Options) []string {
	if o.GlobalNamespaces == nil {
		return DefaultGlobalNamespaces
	}
	return o.GlobalNamespaces
}

// sight is that a namespace sees a catalog.
type sight struct {
	namespace string
	catalog   catalog.Key
}
