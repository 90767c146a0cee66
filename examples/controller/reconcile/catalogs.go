package reconcile

import (
	"context"

	"k8s.io/klog/v2"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver/cluster"
)

// served is a catalog of catalogd.
type served struct {
	base   string
	source cache.Source
}

// declareCatalogs gives the cache the catalogs that are known now, with what their
// objects declare. The caller holds mu. Catalogs that stay as they are cost nothing.
func (c *Controller) declareCatalogs(objects *cluster.Objects, bases map[catalog.Key]string) {
	c.followCatalogd(bases)
	set := func(key catalog.Key, source cache.Source) {
		priority, labels := objects.Declared(key)
		c.catalogs.Set(key, cache.CatalogConfig{Source: source, Priority: priority, Labels: labels})
	}
	for key, source := range c.options.Sources {
		set(key, source)
	}
	for key, s := range c.served {
		set(key, s.source)
	}
}

// followCatalogd keeps the sources of the catalogs that catalogd serves at the URLs. A
// catalog whose URL stays keeps its source, and what was read of it.
func (c *Controller) followCatalogd(bases map[catalog.Key]string) {
	for key, s := range c.served {
		if bases[key] != s.base {
			delete(c.served, key)
			c.catalogs.Remove(key)
		}
	}
	for key, base := range bases {
		_, isServed := c.served[key]
		_, isGiven := c.options.Sources[key]
		if isServed || isGiven || c.options.Catalogd == nil {
			continue
		}
		source, err := c.options.Catalogd(base)
		if err != nil {
			klog.ErrorS(err, "The URL of a catalog is unusable", "clusterCatalog", key.Name)
			source = unusable{err}
		}
		c.served[key] = served{base, source}
	}
}

// unusable is the source of a catalog that cannot even be opened.
type unusable struct{ err error }

func (u unusable) Load(context.Context) (*catalog.Snapshot, error) { return nil, u.err }
