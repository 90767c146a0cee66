package inventory

import (
	"errors"
	"fmt"
	"slices"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/policy"
	"github.com/resolvent/resolvent/resolver/result"
)

// Visibility is what one namespace sees of the catalogs.
type Visibility struct {
	// Catalogs can be used, in the order of the view.
	Catalogs []cache.Catalog
	// Unhealthy are visible as well, but cannot be read.
	Unhealthy []result.UnhealthyCatalog
	Warnings  []result.Warning
}

// Why a catalog cannot be used.
var (
	ErrNoContent = errors.New("no content was given for this catalog")
	ErrNotLoaded = errors.New("the catalog was never loaded")
	errNotReady  = errors.New("the catalog source is not ready")
)

// Visible finds the catalogs of the namespace and the global ones; also are
// those that namespaces see beside them.
func Visible(namespace string, known *Cluster, view *cache.View, options *policy.Options, also []VisibleCatalog) Visibility {
	state := known.In(namespace)
	sees := func(k catalog.Key) bool {
		if slices.Contains(also, VisibleCatalog{namespace, k}) {
			return true
		}
		if k.Namespace == "" || slices.Contains(options.ExcludeCatalogs, k) {
			return false
		}
		return k.Namespace == namespace || !state.excludesGlobal() && slices.Contains(globalNamespaces(options), k.Namespace)
	}
	var v Visibility
	for c := range view.Catalogs() {
		if !sees(c.Key) {
			continue
		}
		if err := health(c, known); err != nil {
			v.Unhealthy = append(v.Unhealthy, result.UnhealthyCatalog{Key: c.Key, Err: err})
		} else {
			v.Catalogs = append(v.Catalogs, *c)
		}
	}
	for i := range known.Objects.CatalogSources {
		key := known.Objects.CatalogSources[i].Key
		if view.Catalog(key) != nil || !sees(key) {
			continue
		}
		if slices.ContainsFunc(state.Subscriptions, func(s cluster.Subscription) bool { return s.Names(key) }) {
			v.Unhealthy = append(v.Unhealthy, result.UnhealthyCatalog{Key: key, Err: ErrNoContent})
		} else {
			v.Warn(key, result.CatalogLeftOut{Err: ErrNoContent, Unnamed: true})
		}
	}
	slices.SortFunc(v.Unhealthy, func(a, b result.UnhealthyCatalog) int { return a.Key.Compare(b.Key) })
	for _, c := range v.Unhealthy {
		// Unless health is to be judged leniently, the namespace fails for them.
		v.Warn(c.Key, result.CatalogLeftOut{Err: c.Err, Unhealthy: true})
	}
	return v
}

// Warn adds a warning about a catalog.
func (v *Visibility) Warn(k catalog.Key, d result.CatalogLeftOut) {
	v.Warnings = append(v.Warnings, result.Warning{Kind: result.WarnCatalog, Subject: k.String(), Detail: d})
}

// health returns why a catalog cannot be used, nil if it can.
func health(c *cache.Catalog, known *Cluster) error {
	if c.Err != nil {
		return c.Err
	}
	if c.Snapshot == nil {
		return ErrNotLoaded
	}
	for i := range known.Objects.CatalogSources {
		if s := &known.Objects.CatalogSources[i]; s.Key == c.Key && !s.Healthy() {
			if s.State == "" {
				return errNotReady
			}
			return fmt.Errorf("%w: last observed state %s", errNotReady, s.State)
		}
	}
	return nil
}

// excludesGlobal reports whether an OperatorGroup leaves global catalogs out.
func (n *Namespace) excludesGlobal() bool {
	return slices.ContainsFunc(n.Groups, func(g cluster.OperatorGroup) bool {
		return g.Annotations[cluster.AnnotationExcludeGlobal] == "true"
	})
}

func globalNamespaces(o *policy.Options) []string {
	if o.GlobalNamespaces == nil {
		return policy.DefaultGlobalNamespaces
	}
	return o.GlobalNamespaces
}

// VisibleCatalog states that a namespace sees a catalog.
type VisibleCatalog struct {
	Namespace string
	Catalog   catalog.Key
}
