package world

import (
	"cmp"
	"maps"
	"slices"

	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/inventory"
	"github.com/resolvent/resolvent/resolver/internal/request"
	"github.com/resolvent/resolvent/resolver/internal/words"
	"github.com/resolvent/resolvent/resolver/result"
)

// PhaseSucceeded is the phase of a ClusterServiceVersion that runs.
const PhaseSucceeded = "Succeeded"

// After returns the cluster once the answers have been carried out, for which what they lack has been
// granted. It implements Problem.After.
func After(c *cluster.Index, answers ...*result.Resolution) *cluster.Index {
	c = define(grant(c, answers), answers)
	resolved := map[cluster.Scope]*result.Resolution{}
	for _, r := range answers {
		resolved[r.Scope] = r
	}
	if len(c.Extensions()) > 0 {
		c = c.WithObjects(func(o *cluster.Objects) {
			o.ClusterExtensions = slices.Clone(o.ClusterExtensions)
			for i := range o.ClusterExtensions {
				e := &o.ClusterExtensions[i]
				if r := resolved[e.Key().Scope()]; r != nil {
					e.Installed, e.Conditions = extensionInstalled(r, e), nil
				}
			}
		})
	}
	changed := map[string]*result.Resolution{}
	for _, r := range answers {
		if request.KindOf(r.Scope).Namespaced && len(r.Installs)+len(r.Replaced) > 0 {
			changed[r.Scope.Name] = r
		}
	}
	if len(changed) == 0 {
		return c
	}
	return c.WithNamespaces(slices.Sorted(maps.Keys(changed)), false, func(name string, n *cluster.NamespaceObjects) { carryOut(changed[name], n) })
}

// grant adds the roles that answers lack.
func grant(c *cluster.Index, answers []*result.Resolution) *cluster.Index {
	for _, r := range answers {
		if r.LacksRights() {
			c = c.WithObjects(func(o *cluster.Objects) {
				o.Roles, o.ClusterRoles = slices.Concat(o.Roles, r.Grants.Roles), slices.Concat(o.ClusterRoles, r.Grants.ClusterRoles)
				o.RoleBindings, o.ClusterRoleBindings = slices.Concat(o.RoleBindings, r.Grants.RoleBindings), slices.Concat(o.ClusterRoleBindings, r.Grants.ClusterRoleBindings)
			})
		}
	}
	return c
}

// define changes the CustomResourceDefinitions, if those of the cluster are known, to those of what the
// answers install. Nothing is stored any more in versions that go, and the API server notes in which
// version objects are stored from now on.
func define(c *cluster.Index, answers []*result.Resolution) *cluster.Index {
	if len(c.ClusterScoped().Definitions) == 0 {
		return c
	}
	after := map[string]cluster.Definition{}
	for _, r := range answers {
		for i := range r.Installs {
			objects := r.Installs[i].Properties.Objects()
			for k := 0; objects != nil && k < len(objects.Definitions); k++ {
				d := cluster.Definition{Name: objects.Definitions[k].Name(), Definition: objects.Definitions[k], Owner: r.Scope.Extension()}
				if has := c.Definition(d.Name); has != nil {
					d.Owner, d.Stored = has.Owner, has.Stored
				}
				d.Text, d.Stored = nil, storing(&d, d.Stored)
				after[d.Name] = d
			}
		}
	}
	if len(after) == 0 {
		return c
	}
	return c.WithObjects(func(o *cluster.Objects) {
		o.Definitions = slices.DeleteFunc(slices.Clone(o.Definitions), func(d cluster.Definition) bool { _, changed := after[d.Name]; return changed })
		for _, name := range slices.Sorted(maps.Keys(after)) {
			o.Definitions = append(o.Definitions, after[name])
		}
	})
}

// storing returns status.storedVersions after a definition took the place of one.
func storing(d *cluster.Definition, before []string) []string {
	stored := slices.DeleteFunc(slices.Clone(before), func(version string) bool { return d.Find(version) == nil })
	if into := d.Stores(); into != "" && !slices.Contains(stored, into) {
		stored = append(stored, into)
	}
	return stored
}

// carryOut changes the objects of a namespace to those after an answer.
func carryOut(r *result.Resolution, n *cluster.NamespaceObjects) {
	replaced := map[string]bool{}
	for _, name := range r.Replaced {
		replaced[name] = true
		for _, before := range replacedBefore(n, r, name) {
			replaced[before] = true
		}
	}
	for i := range r.Installs {
		replaced[r.Installs[i].Bundle.Name] = true // one that does not count may have its name
	}
	n.CSVs = slices.DeleteFunc(slices.Clone(n.CSVs), func(v cluster.ClusterServiceVersion) bool { return replaced[v.Name] })
	n.Subscriptions = slices.Clone(n.Subscriptions)
	var generated []cluster.Subscription
	for i := range r.Installs {
		in := &r.Installs[i]
		n.CSVs = append(n.CSVs, cluster.ClusterServiceVersion{
			Namespace: r.Scope.Name, Name: in.Bundle.Name, Version: in.Version.String(), Replaces: in.Replaces, Stated: in.Properties, Phase: PhaseSucceeded,
		})
		requested := false
		for _, f := range in.For {
			s := inventory.Named(n.Subscriptions, f.Request.Name, func(s *cluster.Subscription) string { return s.Name })
			if s != nil && s.Key() == f.Request {
				s.InstalledCSV, s.Observed, requested = in.Bundle.Name, cluster.Observed{}, true
			}
		}
		if !requested {
			generated = append(generated, GeneratedSubscription(in, r.Scope.Name))
		}
	}
	n.Subscriptions = append(n.Subscriptions, generated...)
	slices.SortFunc(n.CSVs, func(a, b cluster.ClusterServiceVersion) int { return cmp.Compare(a.Name, b.Name) })
	slices.SortFunc(n.Subscriptions, func(a, b cluster.Subscription) int { return cmp.Compare(a.Name, b.Name) })
}

// replacedBefore returns what OLM is replacing by a ClusterServiceVersion that goes, and removes
// with it.
func replacedBefore(n *cluster.NamespaceObjects, r *result.Resolution, name string) (before []string) {
	for v := inventory.CSV(n, name); v != nil; {
		v = inventory.CSV(n, v.Replaces)
		if v == nil || v.Phase != "Replacing" || slices.Contains(before, v.Name) || slices.ContainsFunc(r.Kept, func(k result.Kept) bool { return k.Bundle.Name == v.Name }) {
			break
		}
		before = append(before, v.Name)
	}
	return before
}

// GeneratedSubscription returns the object that OLM creates for a dependency. Where no object can
// have the name that OLM makes, it has another one.
func GeneratedSubscription(i *result.Install, namespace string) cluster.Subscription {
	return cluster.Subscription{
		Namespace:        namespace,
		Name:             words.Subdomain(i.Bundle.Package + "-" + i.Channel + "-" + i.Bundle.Catalog.Name + "-" + i.Bundle.Catalog.Namespace),
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

// InChannel returns the cluster in which the request names only the channel. No other scope reads
// that.
func InChannel(c *cluster.Index, key cluster.RequestKey, channel string) *cluster.Index {
	if c.Subscription(key) == nil {
		return c.WithObjects(func(o *cluster.Objects) {
			o.ClusterExtensions = slices.Clone(o.ClusterExtensions)
			for i := range o.ClusterExtensions {
				if e := &o.ClusterExtensions[i]; e.Key() == key {
					e.Channels = []string{channel}
				}
			}
		})
	}
	return c.WithNamespace(key.Namespace, true, func(n *cluster.NamespaceObjects) {
		n.Subscriptions = slices.Clone(n.Subscriptions)
		inventory.Named(n.Subscriptions, key.Name, func(s *cluster.Subscription) string { return s.Name }).Channel = channel
	})
}
