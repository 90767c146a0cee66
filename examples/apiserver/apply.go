package apiserver

import (
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/restmapper"
)

// applier applies objects, of which the server knows the kinds.
type applier struct {
	testing.TB
	client dynamic.Interface
	find   discovery.DiscoveryInterface
	kinds  *meta.RESTMapper
	// defined are the definitions of resources that were applied.
	defined []string
}

var options = metav1.ApplyOptions{FieldManager: "test", Force: true}

func (a *applier) apply(u *unstructured.Unstructured) {
	a.Helper()
	require.NoError(a, complete(u))
	kind := u.GroupVersionKind()
	mapping := a.mapping(kind)
	var resource dynamic.ResourceInterface = a.client.Resource(mapping.Resource)
	if mapping.Scope.Name() == meta.RESTScopeNameNamespace {
		a.namespace(u.GetNamespace())
		resource = a.client.Resource(mapping.Resource).Namespace(u.GetNamespace())
	}
	_, err := resource.Apply(a.Context(), u.GetName(), u, options)
	require.NoError(a, err, "%s %s", kind.Kind, u.GetName())
	switch {
	case kind.Kind == "CustomResourceDefinition":
		a.defined = append(a.defined, u.GetName())
	case u.Object["status"] != nil && kind.Kind != "Namespace":
		_, err = resource.ApplyStatus(a.Context(), u.GetName(), u, options)
		require.NoError(a, err, "status of %s %s", kind.Kind, u.GetName())
	}
}

// mapping finds the resource of a kind. What is established may not be listed yet: the
// server is asked again.
func (a *applier) mapping(kind schema.GroupVersionKind) (mapping *meta.RESTMapping) {
	require.Eventually(a, func() bool {
		if *a.kinds != nil {
			var err error
			if mapping, err = (*a.kinds).RESTMapping(kind.GroupKind(), kind.Version); err == nil {
				return true
			}
		}
		if groups, err := restmapper.GetAPIGroupResources(a.find); err == nil {
			*a.kinds = restmapper.NewDiscoveryRESTMapper(groups)
		}
		return false
	}, startTimeout, 20*time.Millisecond, "the server does not know %s", kind)
	return mapping
}

// namespace makes a namespace, unless it is there.
func (a *applier) namespace(name string) {
	u := &unstructured.Unstructured{}
	u.SetGroupVersionKind(schema.GroupVersionKind{Version: "v1", Kind: "Namespace"})
	u.SetName(name)
	_, err := a.client.Resource(schema.GroupVersionResource{Version: "v1", Resource: "namespaces"}).Create(a.Context(), u, metav1.CreateOptions{})
	if !apierrors.IsAlreadyExists(err) {
		require.NoError(a, err)
	}
}

// awaitKinds waits until the server serves the resources that were defined, which
// takes it five seconds.
func (a *applier) awaitKinds() {
	definitions := a.client.Resource(schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"})
	for _, name := range a.defined {
		require.Eventually(a, func() bool {
			u, err := definitions.Get(a.Context(), name, metav1.GetOptions{})
			return err == nil && established(u)
		}, startTimeout, 20*time.Millisecond, "%s is not served", name)
	}
}

func established(definition *unstructured.Unstructured) bool {
	conditions, _, _ := unstructured.NestedSlice(definition.Object, "status", "conditions")
	return slices.ContainsFunc(conditions, func(item any) bool {
		fields, _ := item.(map[string]any)
		return fields["type"] == "Established" && fields["status"] == "True"
	})
}

// parse returns the objects of manifests, those of a List one by one.
func parse(t testing.TB, manifests ...string) []*unstructured.Unstructured {
	t.Helper()
	var objects []*unstructured.Unstructured
	for _, text := range manifests {
		documents := yaml.NewYAMLOrJSONDecoder(strings.NewReader(text), 1024)
		for {
			u := &unstructured.Unstructured{}
			err := documents.Decode(&u.Object)
			if errors.Is(err, io.EOF) {
				break
			}
			require.NoError(t, err)
			if !u.IsList() {
				if len(u.Object) > 0 {
					objects = append(objects, u)
				}
				continue
			}
			list, err := u.ToList()
			require.NoError(t, err)
			for i := range list.Items {
				objects = append(objects, &list.Items[i])
			}
		}
	}
	return objects
}
