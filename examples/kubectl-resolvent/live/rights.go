package live

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver/cluster"
)

var errNoOLM = errors.New("this cluster has no OLM: it serves neither Subscriptions nor ClusterExtensions")

// judge notes in the objects which scopes have no answer, as what they depend on may not be
// read. The error says that there is nothing to answer at all.
func (r *reader) judge(objects *cluster.Objects) error {
	if !r.served["subscriptions"] && !r.served["clusterextensions"] {
		return errNoOLM
	}
	if err := r.refused("subscriptions", metav1.NamespaceAll); err != nil {
		return fmt.Errorf("%w; -n NAMESPACE reads less", err)
	}
	defer r.note()
	index := cluster.NewIndex(*objects)
	unread := map[cluster.Scope]error{}
	namespaces := r.query.Namespaces
	if len(namespaces) == 0 {
		for _, s := range index.Scopes() {
			if !s.Alone() {
				namespaces = append(namespaces, s.Name)
			}
		}
		if err := r.refused("clusterextensions", metav1.NamespaceAll); err != nil {
			unread[cluster.OfExtension("*")] = err
		}
	}
	for _, name := range namespaces {
		if err := r.inNamespace(name, index.In(name)); err != nil {
			unread[cluster.InNamespace(name)] = err
		}
	}
	if err := r.refused("clustercatalogs", metav1.NamespaceAll); err != nil && !r.given("") {
		for _, e := range objects.ClusterExtensions {
			unread[e.Key().Scope()] = err
		}
	}
	objects.Append(cluster.Objects{Unread: unread})
	return nil
}

// refused returns why a resource could not be listed in a namespace, nil if it could.
func (r *reader) refused(resource, namespace string) error {
	of := r.forbidden[resource]
	return cmp.Or(of[namespace], of[metav1.NamespaceAll])
}

// given reports whether the caller names a catalog of a namespace, or without one.
func (r *reader) given(namespace string) bool {
	return slices.ContainsFunc(r.query.Given, func(k catalog.Key) bool { return k.Namespace == namespace })
}

// inNamespace returns why there is no answer for a namespace.
func (r *reader) inNamespace(name string, n *cluster.NamespaceObjects) error {
	var missing []string
	var first error
	want := func(resource, namespace string) {
		if err := r.refused(resource, namespace); err != nil {
			first = cmp.Or(first, err)
			missing = append(missing, resource)
		}
	}
	for _, resource := range []string{"subscriptions", "clusterserviceversions", "operatorgroups", "operatorconditions"} {
		want(resource, name)
	}
	if slices.ContainsFunc(n.Subscriptions, func(s cluster.Subscription) bool {
		return s.Observed.InstallPlan != "" && s.Observed.State != "AtLatestKnown"
	}) {
		want("installplans", name)
	}
	if slices.ContainsFunc(n.Groups, func(g cluster.OperatorGroup) bool {
		return !g.Selector.Empty() && len(g.StatusNamespaces)+len(g.TargetNamespaces) == 0
	}) {
		want("namespaces", metav1.NamespaceAll)
	}
	if namespace, unknown := r.catalogsOf(name, n); unknown {
		want("catalogsources", namespace)
	}
	switch len(missing) {
	case 0:
		return nil
	case 1:
		return first
	}
	return fmt.Errorf("%w; nor may %s be listed", first, strings.Join(missing[1:], ", "))
}

// catalogsOf returns the namespace whose catalogs have to be known for an answer, and are
// not: one that a Subscription names, the namespace itself, or the global ones if none of
// them is known.
func (r *reader) catalogsOf(name string, n *cluster.NamespaceObjects) (string, bool) {
	unknown := func(namespace string) bool {
		return r.refused("catalogsources", namespace) != nil && !r.given(namespace)
	}
	for _, s := range n.Subscriptions {
		if s.CatalogNamespace != "" && unknown(s.CatalogNamespace) {
			return s.CatalogNamespace, true
		}
	}
	if unknown(name) {
		return name, true
	}
	if len(r.query.Global) > 0 && !slices.ContainsFunc(r.query.Global, func(g string) bool { return !unknown(g) }) {
		return r.query.Global[0], true
	}
	return "", false
}

// anyForbidden returns one of what may not be listed, nil if there is none.
func (r *reader) anyForbidden() error {
	for _, resource := range slices.Sorted(maps.Keys(r.forbidden)) {
		for _, namespace := range slices.Sorted(maps.Keys(r.forbidden[resource])) {
			return r.forbidden[resource][namespace]
		}
	}
	return nil
}

// note says in a line each what was read in some namespaces only, and what not at all.
func (r *reader) note() {
	if len(r.limited) > 0 {
		fmt.Fprintf(r.warnings, "you may not list %s in all namespaces; what others have of them is not known\n", strings.Join(r.limited, ", "))
	}
	var none []string
	for _, resource := range slices.Sorted(maps.Keys(r.forbidden)) {
		if r.forbidden[resource][metav1.NamespaceAll] != nil {
			none = append(none, resource)
		}
	}
	if len(none) > 0 {
		fmt.Fprintf(r.warnings, "you may not list %s; answers that depend on them are failures\n", strings.Join(none, ", "))
	}
}
