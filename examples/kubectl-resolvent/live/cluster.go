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
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/pager"

	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/manifest"
)

// Cluster is a running cluster. It is safe for any number of goroutines.
type Cluster struct {
	// Namespace is the one that the kubeconfig chooses.
	Namespace string

	config    *rest.Config
	client    dynamic.Interface
	inCluster bool
	warnings  io.Writer
}

// Connect returns the cluster that the flags name. It makes no request yet. What later
// ones may not read is named in the warnings.
func (f *Flags) Connect(warnings io.Writer) (*Cluster, error) {
	loader := f.config()
	config, err := loader.ClientConfig()
	if err != nil {
		return nil, err
	}
	raw, err := loader.RawConfig()
	if err != nil {
		return nil, err
	}
	namespace, _, err := loader.Namespace()
	if err != nil {
		return nil, err
	}
	config.QPS, config.Burst = 50, 100 // it makes few requests, and none in a loop
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	inCluster := len(raw.Clusters) == 0 && f.overrides.ClusterInfo.Server == ""
	return &Cluster{namespace, config, client, inCluster, warnings}, nil
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
	{GroupVersionResource: schema.GroupVersionResource{Version: "v1", Resource: "namespaces"}},
	catalogSources,
	clusterCatalogs,
	{GroupVersionResource: clusterCatalogs.GroupResource().WithVersion("v1").GroupVersion().WithResource("clusterextensions")},
}

func olm(version, name string) resource {
	return resource{GroupVersionResource: schema.GroupVersionResource{Group: "operators.coreos.com", Version: version, Resource: name}, namespaced: true}
}

// Objects returns what a resolution depends on, and the versions of the cluster. What
// may not be listed in the whole cluster is listed in the namespaces, as far as that is
// allowed.
func (c *Cluster) Objects(ctx context.Context, namespaces []string) (cluster.Objects, error) {
	objects, err := c.read(ctx, resources, namespaces)
	if err != nil {
		return objects, err
	}
	if objects.KubernetesVersion, err = c.kubernetesVersion(); err != nil {
		return objects, err
	}
	objects.OpenShiftVersion, err = c.openShiftVersion(ctx)
	return objects, err
}

// Catalogs returns only the catalogs that the cluster declares.
func (c *Cluster) Catalogs(ctx context.Context, namespaces []string) (cluster.Objects, error) {
	return c.read(ctx, []resource{catalogSources, clusterCatalogs}, namespaces)
}

func (c *Cluster) read(ctx context.Context, resources []resource, namespaces []string) (cluster.Objects, error) {
	var objects cluster.Objects
	add := func(u *unstructured.Unstructured) error {
		read, err := manifest.ReadObject(u.GetAPIVersion(), u.GetKind(), func(fields any) error {
			return runtime.DefaultUnstructuredConverter.FromUnstructured(u.Object, fields)
		})
		objects.Append(read)
		return err
	}
	for _, r := range resources {
		if err := c.list(ctx, r, namespaces, add); err != nil {
			return objects, fmt.Errorf("listing %s: %w", r.GroupResource(), err)
		}
	}
	return objects, nil
}

// list lists a resource, wherever that is allowed.
func (c *Cluster) list(ctx context.Context, r resource, namespaces []string, add func(*unstructured.Unstructured) error) error {
	err := c.listIn(ctx, r, metav1.NamespaceAll, add)
	if !apierrors.IsForbidden(err) {
		return err
	}
	if !r.namespaced {
		namespaces = nil
	}
	instead := "resolved as if there were none"
	if len(namespaces) > 0 {
		instead = "only those in " + strings.Join(namespaces, ", ") + " are read"
	}
	fmt.Fprintf(c.warnings, "%v; %s\n", err, instead)
	for _, namespace := range slices.Compact(slices.Sorted(slices.Values(namespaces))) {
		err := c.listIn(ctx, r, namespace, add)
		if apierrors.IsForbidden(err) {
			fmt.Fprintf(c.warnings, "%v; resolved as if there were none\n", err)
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
func (c *Cluster) listIn(ctx context.Context, r resource, namespace string, add func(*unstructured.Unstructured) error) error {
	pages := pager.New(func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
		return c.client.Resource(r.GroupVersionResource).Namespace(namespace).List(ctx, options)
	})
	err := pages.EachListItem(ctx, metav1.ListOptions{LabelSelector: r.selector}, func(o runtime.Object) error {
		return add(o.(*unstructured.Unstructured))
	})
	if apierrors.IsNotFound(err) {
		return nil
	}
	return err
}

func (c *Cluster) kubernetesVersion() (string, error) {
	client, err := discovery.NewDiscoveryClientForConfig(c.config)
	if err != nil {
		return "", err
	}
	version, err := client.ServerVersion()
	if err != nil {
		return "", fmt.Errorf("the version of the cluster: %w", err)
	}
	return version.GitVersion, nil
}

// openShiftVersion is empty if the cluster is no OpenShift, or does not say which.
func (c *Cluster) openShiftVersion(ctx context.Context) (string, error) {
	versions := schema.GroupVersionResource{Group: "config.openshift.io", Version: "v1", Resource: "clusterversions"}
	u, err := c.client.Resource(versions).Get(ctx, "version", metav1.GetOptions{})
	switch {
	case apierrors.IsNotFound(err):
		return "", nil
	case apierrors.IsForbidden(err):
		fmt.Fprintf(c.warnings, "%v; --openshift-version states the version\n", err)
		return "", nil
	case err != nil:
		return "", fmt.Errorf("the version of OpenShift: %w", err)
	}
	version, _, _ := unstructured.NestedString(u.Object, "status", "desired", "version")
	return version, nil
}
