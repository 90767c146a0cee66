package route

import (
	"slices"

	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/request"
	"github.com/resolvent/resolvent/resolver/result"
)

// PhaseSucceeded is the phase of a ClusterServiceVersion that runs.
const PhaseSucceeded = "Succeeded"

// After returns the cluster once the answers have been carried out. It implements
// Problem.After.
func After(c *cluster.Index, answers ...*result.Resolution) *cluster.Index {
	type object struct{ namespace, name string }
	resolved := map[cluster.Scope]*result.Resolution{}
	replaced, subscriptions := map[object]bool{}, map[cluster.RequestKey]int{}
	for _, r := range answers {
		resolved[r.Scope] = r
		for _, name := range r.Replaced {
			replaced[object{r.Scope.Namespace(), name}] = true
		}
	}
	objects := c.Objects()
	objects.ClusterExtensions = slices.Clone(objects.ClusterExtensions)
	for i := range objects.ClusterExtensions {
		e := &objects.ClusterExtensions[i]
		if r := resolved[e.Key().Scope()]; r != nil {
			e.Installed, e.Conditions = extensionInstalled(r, e), nil
		}
	}
	objects.CSVs = slices.DeleteFunc(slices.Clone(objects.CSVs), func(v cluster.ClusterServiceVersion) bool {
		return replaced[object{v.Namespace, v.Name}]
	})
	objects.Subscriptions = slices.Clone(objects.Subscriptions)
	for k := range objects.Subscriptions {
		if key := objects.Subscriptions[k].Key(); resolved[key.Scope()] != nil {
			subscriptions[key] = k
		}
	}
	for _, r := range answers {
		if !request.KindOf(r.Scope).Namespaced {
			continue
		}
		namespace := r.Scope.Name
		for i := range r.Installs {
			in := &r.Installs[i]
			objects.CSVs = append(objects.CSVs, cluster.ClusterServiceVersion{
				Namespace: namespace, Name: in.Bundle.Name, Version: in.Version.String(), Replaces: in.Replaces, Stated: in.Properties, Phase: PhaseSucceeded,
			})
			requested := false
			for _, f := range in.For {
				if k, ok := subscriptions[f.Request]; ok {
					s := &objects.Subscriptions[k]
					s.InstalledCSV, s.Observed, requested = in.Bundle.Name, cluster.Observed{}, true
				}
			}
			if !requested {
				objects.Subscriptions = append(objects.Subscriptions, GeneratedSubscription(in, namespace))
			}
		}
	}
	return cluster.NewIndex(objects)
}

// GeneratedSubscription returns the object that OLM creates for a dependency.
func GeneratedSubscription(i *result.Install, namespace string) cluster.Subscription {
	return cluster.Subscription{
		Namespace:        namespace,
		Name:             i.Bundle.Package + "-" + i.Channel + "-" + i.Bundle.Catalog.Name + "-" + i.Bundle.Catalog.Namespace,
		Package:          i.Bundle.Package,
		Channel:          i.Channel,
		Catalog:          i.Bundle.Catalog.Name,
		CatalogNamespace: i.Bundle.Catalog.Namespace,
		StartingCSV:      i.Bundle.Name,
		InstalledCSV:     i.Bundle.Name,
		Generated:        true,
	}
}

// extensionInstalled returns the installed bundle of the ClusterExtension after the answer.
func extensionInstalled(r *result.Resolution, e *cluster.ClusterExtension) *cluster.InstalledExtension {
	for i := range r.Installs {
		in := &r.Installs[i]
		if slices.ContainsFunc(in.For, func(f result.Obligation) bool { return f.Request == e.Key() }) {
			return &cluster.InstalledExtension{Name: in.Bundle.Name, Version: in.Version.String(), Release: in.Release, HasRelease: in.Release != ""}
		}
	}
	return e.Installed
}
