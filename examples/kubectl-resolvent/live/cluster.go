// Package live reads a running cluster for the command line: the objects that a resolution
// depends on, and its catalogs, those of OLM v0 by their registry pods and those of OLM v1
// by catalogd. It only reads, with the credentials of a kubeconfig or, in a pod, of its
// account; what these do not allow, it names.
package live

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/tools/pager"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/examples/kubectl-resolvent/registryimage"
	"github.com/resolvent/resolvent/examples/resolvent/command"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/manifest"
)

// Cluster is the running cluster that flags choose. It implements [command.Live], and
// is safe for any number of goroutines once the flags are read.
type Cluster struct {
	flags flags
}

// Objects implements [command.Live].
func (c *Cluster) Objects(ctx context.Context, namespaces []string, warnings io.Writer) (cluster.Objects, error) {
	connection, err := c.flags.connect()
	if err != nil {
		return cluster.Objects{}, err
	}
	r := reader{connection, namespaces, warnings}
	objects, err := r.read(ctx, resources)
	if err != nil {
		return objects, err
	}
	objects.KubernetesVersion, err = r.kubernetesVersion()
	return objects, err
}

// Catalogs implements [command.Live].
func (c *Cluster) Catalogs(ctx context.Context, warnings io.Writer) (cluster.Objects, error) {
	connection, err := c.flags.connect()
	if err != nil {
		return cluster.Objects{}, err
	}
	r := reader{connection, nil, warnings}
	return r.read(ctx, []resource{catalogSources, clusterCatalogs})
}

// Open implements [command.Live].
func (c *Cluster) Open(from string, options cache.OriginOptions) (cache.Origin, error) {
	if image, ok := strings.CutPrefix(from, "docker://"); ok {
		return registryimage.New(image, options)
	}
	name, ok := strings.CutPrefix(from, command.LivePrefix)
	if !ok {
		return nil, nil
	}
	connection, err := c.flags.connect()
	if err != nil {
		return nil, err
	}
	key := catalog.Key{Name: name}
	if namespace, rest, ok := strings.Cut(name, "/"); ok {
		key = catalog.Key{Namespace: namespace, Name: rest}
	}
	return &origin{connection, key, options}, nil
}

// reader reads objects.
type reader struct {
	*connection
	// namespaces are read one by one where not all of them may be.
	namespaces []string
	warnings   io.Writer
}

// resource is a kind of object that is read.
type resource struct {
	schema.GroupVersionResource
	// selector is of labels; empty means all objects.
	selector   string
	namespaced bool
}

var (
	catalogSources  = olm("v1alpha1", "catalogsources")
	clusterCatalogs = resource{GroupVersionResource: schema.GroupVersionResource{Group: "olm.operatorframework.io", Version: "v1", Resource: "clustercatalogs"}}
)

// resources are those that a resolution depends on.
var resources = []resource{
	olm("v1alpha1", "subscriptions"),
	// OLM copies each operator into every namespace that it watches; resolution leaves
	// copies out.
	{olm("v1alpha1", "clusterserviceversions").GroupVersionResource, "!" + cluster.LabelCopiedFrom, true},
	olm("v1", "operatorgroups"),
	olm("v2", "operatorconditions"),
	olm("v1alpha1", "installplans"),
	{GroupVersionResource: schema.GroupVersionResource{Version: "v1", Resource: "namespaces"}},
	catalogSources,
	clusterCatalogs,
	{GroupVersionResource: clusterCatalogs.GroupResource().WithVersion("v1").GroupVersion().WithResource("clusterextensions")},
	openShift("operatorhubs"),
	openShift("clusterversions"),
}

func olm(version, name string) resource {
	return resource{GroupVersionResource: schema.GroupVersionResource{Group: "operators.coreos.com", Version: version, Resource: name}, namespaced: true}
}

func openShift(name string) resource {
	return resource{GroupVersionResource: schema.GroupVersionResource{Group: "config.openshift.io", Version: "v1", Resource: name}}
}

func (r *reader) read(ctx context.Context, resources []resource) (cluster.Objects, error) {
	var objects cluster.Objects
	add := func(u *unstructured.Unstructured) error {
		read, err := manifest.ReadObject(u.GetAPIVersion(), u.GetKind(), func(fields any) error {
			return runtime.DefaultUnstructuredConverter.FromUnstructured(u.Object, fields)
		})
		objects.Append(read)
		return err
	}
	for _, of := range resources {
		if err := r.list(ctx, of, add); err != nil {
			return objects, fmt.Errorf("listing %s: %w", of.GroupResource(), err)
		}
	}
	return objects, nil
}

// list lists a resource, wherever that is allowed.
func (r *reader) list(ctx context.Context, of resource, add func(*unstructured.Unstructured) error) error {
	err := r.listIn(ctx, of, metav1.NamespaceAll, add)
	if !apierrors.IsForbidden(err) {
		return err
	}
	var namespaces []string
	instead := "resolved as if there were none"
	if of.namespaced && len(r.namespaces) > 0 {
		namespaces = slices.Compact(slices.Sorted(slices.Values(r.namespaces)))
		instead = "only those in " + strings.Join(namespaces, ", ") + " are read"
	}
	fmt.Fprintf(r.warnings, "%v; %s\n", err, instead)
	for _, namespace := range namespaces {
		err := r.listIn(ctx, of, namespace, add)
		if apierrors.IsForbidden(err) {
			fmt.Fprintf(r.warnings, "%v; resolved as if there were none\n", err)
			err = nil
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// listIn lists a resource page by page. One that the cluster does not serve has no
// objects: few clusters have both OLM v0 and v1.
func (r *reader) listIn(ctx context.Context, of resource, namespace string, add func(*unstructured.Unstructured) error) error {
	pages := pager.New(func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
		return r.client.Resource(of.GroupVersionResource).Namespace(namespace).List(ctx, options)
	})
	err := pages.EachListItem(ctx, metav1.ListOptions{LabelSelector: of.selector}, func(o runtime.Object) error {
		return add(o.(*unstructured.Unstructured))
	})
	if apierrors.IsNotFound(err) {
		return nil
	}
	return err
}

func (r *reader) kubernetesVersion() (string, error) {
	client, err := discovery.NewDiscoveryClientForConfig(r.config)
	if err != nil {
		return "", err
	}
	version, err := client.ServerVersion()
	if apierrors.IsForbidden(err) {
		fmt.Fprintf(r.warnings, "%v; --kube-version states the version\n", err)
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("the version of the cluster: %w", err)
	}
	return version.GitVersion, nil
}
