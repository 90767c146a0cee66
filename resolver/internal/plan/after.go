package plan

import (
	"slices"

	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/inventory"
	"github.com/resolvent/resolvent/resolver/result"
)

// PhaseSucceeded is the phase of an installed bundle that runs.
const PhaseSucceeded = "Succeeded"

// After implements Cluster.After.
func After(c *inventory.Cluster, answers ...*result.Resolution) *inventory.Cluster {
	type object struct{ namespace, name string }
	extensions, namespaces := map[string]*result.Resolution{}, map[string]bool{}
	replaced, subscriptions := map[object]bool{}, map[object]int{}
	for _, r := range answers {
		if r.Extension != "" {
			extensions[r.Extension] = r
			continue
		}
		namespaces[r.Namespace] = true
		for _, name := range r.Replaced {
			replaced[object{r.Namespace, name}] = true
		}
	}
	objects := c.Objects
	objects.ClusterExtensions = slices.Clone(objects.ClusterExtensions)
	for i := range objects.ClusterExtensions {
		if e := &objects.ClusterExtensions[i]; extensions[e.Name] != nil {
			e.Installed = extensionInstalled(extensions[e.Name], e)
		}
	}
	objects.CSVs = slices.DeleteFunc(slices.Clone(objects.CSVs), func(v cluster.ClusterServiceVersion) bool {
		return replaced[object{v.Namespace, v.Name}]
	})
	objects.Subscriptions = slices.Clone(objects.Subscriptions)
	for k, s := range objects.Subscriptions {
		if namespaces[s.Namespace] {
			subscriptions[object{s.Namespace, s.Name}] = k
		}
	}
	for _, r := range answers {
		if r.Extension != "" {
			continue
		}
		for i := range r.Installs {
			in := &r.Installs[i]
			objects.CSVs = append(objects.CSVs, cluster.ClusterServiceVersion{
				Namespace: r.Namespace, Name: in.Bundle, Version: in.Version, Replaces: in.Replaces, Stated: in.Properties, Phase: PhaseSucceeded,
			})
			requested := false
			for _, f := range in.For {
				if k, ok := subscriptions[object{r.Namespace, f.Name}]; ok && f.Request == result.Subscription {
					objects.Subscriptions[k].InstalledCSV, requested = in.Bundle, true
				}
			}
			if !requested {
				objects.Subscriptions = append(objects.Subscriptions, generatedSubscription(in, r.Namespace))
			}
		}
	}
	return inventory.New(objects)
}

// generatedSubscription is the object that OLM makes for a dependency.
func generatedSubscription(i *result.Install, namespace string) cluster.Subscription {
	return cluster.Subscription{
		Namespace:        namespace,
		Name:             i.Package + "-" + i.Channel + "-" + i.Catalog.Name + "-" + i.Catalog.Namespace,
		Package:          i.Package,
		Channel:          i.Channel,
		Catalog:          i.Catalog.Name,
		CatalogNamespace: i.Catalog.Namespace,
		StartingCSV:      i.Bundle,
		InstalledCSV:     i.Bundle,
		Generated:        true,
	}
}

// extensionInstalled returns what the extension has installed afterwards.
func extensionInstalled(r *result.Resolution, e *cluster.ClusterExtension) *cluster.InstalledExtension {
	for i := range r.Installs {
		in := &r.Installs[i]
		if slices.ContainsFunc(in.For, func(f result.Served) bool { return f.Request == result.ClusterExtension && f.Name == e.Name }) {
			return &cluster.InstalledExtension{Name: in.Bundle, Version: in.Version, Release: in.Release, HasRelease: in.Release != ""}
		}
	}
	return e.Installed
}
