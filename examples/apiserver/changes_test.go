package apiserver

import (
	"fmt"
	"strings"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/examples/controller/reconcile"
)

const (
	namespaces = 100
	extensions = 20
)

// note is a condition that the test writes, to see whether it stays.
const note = "example.com/Note"

func resource(group, version, name string) schema.GroupVersionResource {
	return schema.GroupVersionResource{Group: group, Version: version, Resource: name}
}

var (
	subscriptions      = resource("operators.coreos.com", "v1alpha1", "subscriptions")
	csvs               = resource("operators.coreos.com", "v1alpha1", "clusterserviceversions")
	catalogSources     = resource("operators.coreos.com", "v1alpha1", "catalogsources")
	clusterExt         = resource("olm.operatorframework.io", "v1", "clusterextensions")
	clusterCatalogs    = resource("olm.operatorframework.io", "v1", "clustercatalogs")
	operatorGroups     = resource("operators.coreos.com", "v1", "operatorgroups")
	operatorConditions = resource("operators.coreos.com", "v2", "operatorconditions")
	namespaceKind      = resource("", "v1", "namespaces")

	watchedResources = []schema.GroupVersionResource{subscriptions, csvs, catalogSources, clusterExt, clusterCatalogs, operatorGroups, operatorConditions, namespaceKind}
)

// change makes one change at random.
func (w *world) change() {
	w.edits++
	namespace := fmt.Sprintf("namespace-%d", w.random.IntN(namespaces))
	pkg := packageName(w.random.IntN(packages))
	switch n := w.random.IntN(100); {
	case n < 30:
		w.server.Apply(w, w.subscription(namespace, pkg))
		// The controller is about to write into the same object.
		for range 4 {
			w.writeNote(namespace, pkg)
		}
	case n < 38:
		w.delete(subscriptions, namespace, pkg)
	case n < 48:
		w.install(namespace, pkg)
	case n < 52:
		w.delete(csvs, namespace, bundleName(pkg, 1+w.random.IntN(2)))
	case n < 60:
		w.server.Apply(w, w.extension())
	case n < 63:
		w.delete(clusterExt, "", fmt.Sprintf("extension-%d", w.random.IntN(extensions)))
	case n < 68:
		w.publish()
	case n < 71:
		w.declare()
	case n < 75:
		w.server.Apply(w, w.group(namespace))
	case n < 77:
		w.delete(operatorGroups, namespace, "crew")
	case n < 81:
		w.server.Apply(w, w.refusal(namespace, pkg))
	case n < 83:
		w.delete(operatorConditions, namespace, bundleName(pkg, 1+w.random.IntN(2)))
	case n < 86:
		w.edit(namespaceKind, "", namespace, func(u *unstructured.Unstructured) {
			w.set(u, []string{"north", "south"}[w.random.IntN(2)], "metadata", "labels", "sea")
		})
	case n < 95:
		w.writeNote(namespace, pkg)
	default:
		w.removeCondition(namespace, pkg)
	}
}

func (w *world) subscription(namespace, pkg string) string {
	source := []string{"coast", "island"}[w.random.IntN(2)]
	return fmt.Sprintf(`{"apiVersion": "operators.coreos.com/v1alpha1", "kind": "Subscription",
		"metadata": {"namespace": %q, "name": %q},
		"spec": {"name": %q, "channel": "stable", "source": %q, "sourceNamespace": "olm"}}`, namespace, pkg, pkg, source)
}

// extension wants the package that its name says, which must not change.
func (w *world) extension() string {
	i := w.random.IntN(extensions)
	return fmt.Sprintf(`{"apiVersion": "olm.operatorframework.io/v1", "kind": "ClusterExtension",
		"metadata": {"name": "extension-%d"},
		"spec": {"namespace": "default", "source": {"sourceType": "Catalog", "catalog": {"packageName": %q, "version": ">=%d.0.0"}}}}`,
		i, packageName(i%packages), 1+w.random.IntN(3))
}

// install does what OLM does, as far as the Subscription states it.
func (w *world) install(namespace, pkg string) {
	version := 1 + w.random.IntN(2)
	bundle := bundleName(pkg, version)
	w.server.Apply(w, fmt.Sprintf(`{"apiVersion": "operators.coreos.com/v1alpha1", "kind": "ClusterServiceVersion",
		"metadata": {"namespace": %q, "name": %q, "annotations": {"operatorframework.io/properties":
			"{\"properties\":[{\"type\":\"olm.package\",\"value\":{\"packageName\":\"%s\",\"version\":\"%d.0.0\"}}]}"}},
		"spec": {"version": "%d.0.0"}, "status": {"phase": "Succeeded"}}`, namespace, bundle, pkg, version, version))
	w.edit(subscriptions, namespace, pkg, func(u *unstructured.Unstructured) {
		w.set(u, bundle, "status", "installedCSV")
	})
}

// group has the operators of a namespace watch some.
func (w *world) group(namespace string) string {
	targets := fmt.Sprintf(`"targetNamespaces": [%q]`, namespace)
	switch w.random.IntN(6) {
	case 0:
		targets = fmt.Sprintf(`"targetNamespaces": ["namespace-%d"]`, w.random.IntN(namespaces))
	case 1:
		targets = `"selector": {"matchLabels": {"sea": "north"}}`
	case 2:
		targets = ""
	}
	return fmt.Sprintf(`{"apiVersion": "operators.coreos.com/v1", "kind": "OperatorGroup", "metadata": {"namespace": %q, "name": "crew"}, "spec": {%s}}`, namespace, targets)
}

// refusal is what an operator says of updates.
func (w *world) refusal(namespace, pkg string) string {
	return fmt.Sprintf(`{"apiVersion": "operators.coreos.com/v2", "kind": "OperatorCondition", "metadata": {"namespace": %q, "name": %q},
		"spec": {"conditions": [{"type": "Upgradeable", "status": %q, "reason": "Busy", "message": "it works", "lastTransitionTime": "2024-01-01T00:00:00Z"}]}}`,
		namespace, bundleName(pkg, 1+w.random.IntN(2)), []string{"True", "False"}[w.random.IntN(2)])
}

// publish changes a catalog; every fourth time it fails until the next.
func (w *world) publish() {
	keys := []catalog.Key{{Namespace: "olm", Name: "coast"}, {Namespace: "olm", Name: "island"}, {Name: "reef"}}
	key := keys[w.random.IntN(len(keys))]
	w.sources[key].publish(w, w.random, key.Namespace != "" && w.random.IntN(4) == 0)
}

// declare changes what an object says of its catalog.
func (w *world) declare() {
	prefer := func(u *unstructured.Unstructured) { w.set(u, int64(w.random.IntN(3)), "spec", "priority") }
	if w.random.IntN(3) == 0 {
		w.edit(clusterCatalogs, "", "reef", prefer)
		return
	}
	w.edit(catalogSources, "olm", []string{"coast", "island"}[w.random.IntN(2)], prefer)
}

// writeNote writes another condition, as OLM's controllers do beside this one.
func (w *world) writeNote(namespace, name string) {
	text := fmt.Sprint("change ", w.edits)
	w.edit(subscriptions, namespace, name, func(u *unstructured.Unstructured) {
		w.setConditions(u, note, map[string]any{"type": note, "status": "True", "message": text})
		w.notes[string(u.GetUID())] = text
	})
}

// removeCondition removes the controller's condition.
func (w *world) removeCondition(namespace, name string) {
	w.edit(subscriptions, namespace, name, func(u *unstructured.Unstructured) {
		w.setConditions(u, reconcile.DefaultCondition)
	})
}

// checkNotes checks that what the test wrote last is still there.
func (w *world) checkNotes() {
	_, _, requests := w.final()
	for _, u := range requests {
		if want, ok := w.notes[string(u.GetUID())]; ok {
			assert.Equal(w, want, conditionOf(u, note)["message"], "a lost update of %s/%s", u.GetNamespace(), u.GetName())
		}
	}
}

func (w *world) set(u *unstructured.Unstructured, value any, path ...string) {
	require.NoError(w, unstructured.SetNestedField(u.Object, value, path...))
}

// setConditions puts conditions in the place of that of one type.
func (w *world) setConditions(u *unstructured.Unstructured, of string, conditions ...any) {
	all, _, err := unstructured.NestedSlice(u.Object, "status", "conditions")
	require.NoError(w, err)
	for _, item := range all {
		if item.(map[string]any)["type"] != of {
			conditions = append(conditions, item)
		}
	}
	w.set(u, conditions, "status", "conditions")
	w.set(u, someTime, "status", "lastUpdated")
}

func (w *world) in(r schema.GroupVersionResource, namespace string) dynamic.ResourceInterface {
	if namespace == "" {
		return w.client.Resource(r)
	}
	return w.client.Resource(r).Namespace(namespace)
}

func (w *world) delete(r schema.GroupVersionResource, namespace, name string) {
	if err := w.in(r, namespace).Delete(w.Context(), name, metav1.DeleteOptions{}); !apierrors.IsNotFound(err) {
		require.NoError(w, err)
	}
}

// edit changes an object and its status, if it is there, until nobody comes before.
func (w *world) edit(r schema.GroupVersionResource, namespace, name string, change func(*unstructured.Unstructured)) {
	for {
		u, err := w.in(r, namespace).Get(w.Context(), name, metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			return
		}
		require.NoError(w, err)
		change(u)
		if r == subscriptions {
			w.set(u, someTime, "status", "lastUpdated")
			_, err = w.in(r, namespace).UpdateStatus(w.Context(), u, metav1.UpdateOptions{})
		} else {
			_, err = w.in(r, namespace).Update(w.Context(), u, metav1.UpdateOptions{})
		}
		if !apierrors.IsConflict(err) {
			require.NoError(w, err, strings.Join([]string{r.Resource, namespace, name}, " "))
			return
		}
		w.retried++
	}
}
