package reconcile

import (
	"context"

	"k8s.io/klog/v2"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
)

// served is a catalog that catalogd or a registry pod serves.
type served struct {
	at     string
	source cache.Source
}

// declareCatalogs gives the cache the catalogs that are known now, with what their
// objects declare. The caller holds mu. Catalogs that stay as they are cost nothing.
func (c *Controller) declareCatalogs() {
	at := map[catalog.Key]string{}
	for _, o := range c.objects["clustercatalogs"].byNamespace[""] {
		if o.base != "" && c.options.Catalogd != nil {
			at[catalog.Key{Name: o.Name}] = o.base
		}
	}
	for namespace, objects := range c.objects["catalogsources"].byNamespace {
		for name, o := range objects {
			if o.address != "" && c.options.Registry != nil {
				at[catalog.Key{Namespace: namespace, Name: name}] = o.address
			}
		}
	}
	c.followServed(at)
	objects := c.index.ClusterScoped()
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

// followServed keeps the sources of the catalogs that are served. A catalog that stays where
// it is keeps its source, and what was read of it.
func (c *Controller) followServed(at map[catalog.Key]string) {
	for key, s := range c.served {
		if at[key] != s.at {
			delete(c.served, key)
			c.catalogs.Remove(key)
		}
	}
	for key, address := range at {
		_, isServed := c.served[key]
		_, isGiven := c.options.Sources[key]
		if isServed || isGiven {
			continue
		}
		source, err := c.open(key, address)
		if err != nil {
			klog.ErrorS(err, "A catalog cannot be read where its object says", "catalog", key, "at", address)
			source = unusable{err}
		}
		c.served[key] = served{address, source}
	}
}

func (c *Controller) open(key catalog.Key, at string) (cache.Source, error) {
	if key.Namespace == "" {
		return c.options.Catalogd(at)
	}
	return c.options.Registry(key, at)
}

// unusable is the source of a catalog that cannot even be opened.
type unusable struct{ err error }

func (u unusable) Load(context.Context) (*catalog.Snapshot, error) { return nil, u.err }
