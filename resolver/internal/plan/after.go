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
func After(c *inventory.Cluster, r *result.Resolution) *inventory.Cluster {
	objects := c.Objects
	if r.Extension != "" {
		objects.ClusterExtensions = slices.Clone(objects.ClusterExtensions)
		for i := range objects.ClusterExtensions {
			if e := &objects.ClusterExtensions[i]; e.Name == r.Extension {
				e.Installed = extensionInstalled(r, e)
			}
		}
		return inventory.New(objects)
	}
	replaced := make(map[string]bool, len(r.Replaced))
	for _, name := range r.Replaced {
		replaced[name] = true
	}
	objects.CSVs = slices.DeleteFunc(slices.Clone(objects.CSVs), func(v cluster.ClusterServiceVersion) bool {
		return v.Namespace == r.Namespace && replaced[v.Name]
	})
	objects.Subscriptions = slices.Clone(objects.Subscriptions)
	subscriptions := map[string]int{} // of the namespace, by name
	for k, s := range objects.Subscriptions {
		if s.Namespace == r.Namespace {
			subscriptions[s.Name] = k
		}
	}
	for i := range r.Installs {
		in := &r.Installs[i]
		objects.CSVs = append(objects.CSVs, cluster.ClusterServiceVersion{
			Namespace: r.Namespace, Name: in.Bundle, Version: in.Version, Replaces: in.Replaces, Stated: in.Properties, Phase: PhaseSucceeded,
		})
		requested := false
		for _, f := range in.For {
			if k, ok := subscriptions[f.Name]; ok && f.Request == result.Subscription {
				objects.Subscriptions[k].InstalledCSV, requested = in.Bundle, true
			}
		}
		if !requested {
			objects.Subscriptions = append(objects.Subscriptions, generatedSubscription(in, r.Namespace))
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
