package resolver

import (
	"errors"
	"fmt"
	"slices"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
)

// visibility is what one namespace sees of the catalogs.
type visibility struct {
	// catalogs can be used, in the order of the view.
	catalogs []cache.Catalog
	// unhealthy are visible as well, but cannot be read.
	unhealthy []UnhealthyCatalog
	warnings  []Warning
}

var (
	errNoContent = errors.New("no content was given for this catalog")
	errNotReady  = errors.New("the catalog source is not ready")
	errNotLoaded = errors.New("the catalog was never loaded")
)

// visible finds the catalogs of the namespace and the global ones.
func (r *Resolver) visible(namespace string, cluster *Cluster, view *cache.View) visibility {
	state := cluster.in(namespace)
	sees := func(k catalog.Key) bool {
		if slices.Contains(r.alsoVisible, sight{namespace, k}) {
			return true
		}
		if k.Namespace == "" || slices.Contains(r.options.ExcludeCatalogs, k) {
			return false
		}
		return k.Namespace == namespace || !state.excludesGlobal() && slices.Contains(r.globalNamespaces(), k.Namespace)
	}
	var v visibility
	for c := range view.Catalogs() {
		if !sees(c.Key) {
			continue
		}
		if err := health(c, cluster); err != nil {
			v.unhealthy = append(v.unhealthy, UnhealthyCatalog{Key: c.Key, Err: err})
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
			v.unhealthy = append(v.unhealthy, UnhealthyCatalog{Key: key, Err: errNoContent})
		} else {
			v.warnings = append(v.warnings, Warning{
				Kind: WarnCatalog, Subject: key.String(),
				Message: fmt.Sprintf("catalog %s is left out: %v, and no Subscription names it", key, errNoContent),
			})
		}
	}
	slices.SortFunc(v.unhealthy, func(a, b UnhealthyCatalog) int { return a.Key.Compare(b.Key) })
	for _, c := range v.unhealthy {
		// Unless health is to be judged leniently, the namespace fails for them.
		v.warnings = append(v.warnings, Warning{
			Kind: WarnCatalog, Subject: c.Key.String(),
			Message: fmt.Sprintf("catalog %s is left out, because it is unhealthy: %v", c.Key, c.Err),
		})
	}
	return v
}

// health returns why a catalog cannot be used, nil if it can.
func health(c *cache.Catalog, cluster *Cluster) error {
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

// names reports whether the Subscription asks this catalog by name.
func (s *Subscription) names(k catalog.Key) bool {
	return s.Catalog == k.Name && (s.CatalogNamespace == "" || s.CatalogNamespace == k.Namespace)
}

// excludesGlobal reports whether an OperatorGroup leaves global catalogs out.
func (n *namespaceState) excludesGlobal() bool {
	return slices.ContainsFunc(n.groups, func(g OperatorGroup) bool {
		return g.Annotations[AnnotationExcludeGlobal] == "true"
	})
}

func (r *Resolver) globalNamespaces() []string {
	if r.options.GlobalNamespaces == nil {
		return DefaultGlobalNamespaces
	}
	return r.options.GlobalNamespaces
}
