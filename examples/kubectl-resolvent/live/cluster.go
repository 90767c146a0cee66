// Package live reads a running cluster for the command line: the objects that a resolution
// depends on, and its catalogs, those of OLM v0 by their registry pods and those of OLM v1
// by catalogd, with the credentials of a kubeconfig or, in a pod, of its account; what these
// do not allow, it names. It only reads, but for InstallPlans that it is told to approve.
package live

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"path"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/version"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/tools/clientcmd"
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
func (c *Cluster) Objects(ctx context.Context, query command.LiveQuery, warnings io.Writer) (cluster.Objects, error) {
	r, err := c.reader(query, warnings)
	if err != nil {
		return cluster.Objects{}, err
	}
	objects, err := r.read(ctx, resources)
	if err != nil {
		return objects, err
	}
	if err := c.atInstall(ctx, &objects); err != nil {
		return objects, err
	}
	objects.KubernetesVersion, err = r.kubernetesVersion(ctx)
	if err != nil {
		return objects, err
	}
	return objects, r.judge(&objects)
}

// atInstall reads what tells what OLM would refuse at install: of definitions, of what accounts may do
// and of what InstallPlans refer to, each unless some of it may not be read. Then nothing of it is known.
func (c *Cluster) atInstall(ctx context.Context, objects *cluster.Objects) error {
	more := [][]resource{{definitions}}
	if slices.ContainsFunc(objects.OperatorGroups, func(g cluster.OperatorGroup) bool { return g.ServiceAccount != "" }) {
		more = append(more, accounts)
	}
	if slices.ContainsFunc(objects.InstallPlans, func(p cluster.InstallPlan) bool {
		return slices.ContainsFunc(p.Steps, func(s cluster.PlanStep) bool { return s.In != cluster.ConfigMap{} })
	}) {
		more = append(more, []resource{unpacked})
	}
	for _, resources := range more {
		r, err := c.reader(command.LiveQuery{}, io.Discard)
		if err != nil {
			return err
		}
		read, err := r.read(ctx, resources)
		if err != nil {
			return err
		}
		if len(r.forbidden) == 0 {
			objects.Append(read)
		}
	}
	return nil
}

// Catalogs implements [command.Live].
func (c *Cluster) Catalogs(ctx context.Context, query command.LiveQuery, warnings io.Writer) (cluster.Objects, error) {
	r, err := c.reader(query, warnings)
	switch {
	case len(query.Given) > 0 && clientcmd.IsEmptyConfig(errors.Unwrap(err)):
		return cluster.Objects{}, nil // there is no cluster, and those given do without
	case err != nil:
		return cluster.Objects{}, err
	}
	objects, err := r.read(ctx, []resource{catalogSources, clusterCatalogs})
	if err == nil && len(objects.CatalogSources)+len(objects.ClusterCatalogs) == 0 {
		err = r.anyForbidden() // an empty list would be a wrong answer
	}
	r.note()
	return objects, err
}

func (c *Cluster) reader(query command.LiveQuery, warnings io.Writer) (*reader, error) {
	connection, err := c.flags.connect()
	return &reader{connection: connection, query: query, warnings: warnings, forbidden: map[string]map[string]error{}, served: map[string]bool{}}, err
}

// Open implements [command.Live].
func (c *Cluster) Open(from string, transport http.RoundTripper, options cache.OriginOptions) (cache.Origin, error) {
	if image, ok := strings.CutPrefix(from, "docker://"); ok {
		return registryimage.New(image, c.flags.mirrors, transport, options)
	}
	name, ok := strings.CutPrefix(from, command.LivePrefix)
	if !ok {
		return nil, nil
	}
	connection, err := c.flags.connect()
	if err != nil {
		return nil, err
	}
	return &origin{connection, catalog.ParseKey(name), options}, nil
}

// reader reads objects.
type reader struct {
	*connection
	query    command.LiveQuery
	warnings io.Writer
	// forbidden says what may not be listed, by resource and namespace; that of all
	// namespaces is empty, and is there only if nothing was listed instead.
	forbidden map[string]map[string]error
	// limited are the resources that were listed in some namespaces only.
	limited []string
	// served are the resources that the cluster has.
	served map[string]bool
}

// resource is a kind of object that is read.
type resource struct {
	schema.GroupVersionResource
	// selector is of labels; empty means all objects.
	selector   string
	namespaced bool
}

var (
	installPlans   = olm("v1alpha1", "installplans")
	catalogSources = olm("v1alpha1", "catalogsources")
	definitions    = resource{GroupVersionResource: schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}}
	// unpacked are the ConfigMaps with the objects of bundles.
	unpacked        = resource{schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}, "olm.managed=true", true}
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
	installPlans,
	{GroupVersionResource: schema.GroupVersionResource{Version: "v1", Resource: "namespaces"}},
	catalogSources,
	clusterCatalogs,
	{GroupVersionResource: clusterCatalogs.GroupResource().WithVersion("v1").GroupVersion().WithResource("clusterextensions")},
	openShift("operatorhubs"),
	openShift("clusterversions"),
}

// accounts are those that say what ServiceAccounts may do.
var accounts = []resource{
	{GroupVersionResource: schema.GroupVersionResource{Version: "v1", Resource: "serviceaccounts"}},
	rbac("roles"), rbac("rolebindings"), rbac("clusterroles"), rbac("clusterrolebindings"),
}

func rbac(name string) resource {
	return resource{GroupVersionResource: schema.GroupVersionResource{Group: "rbac.authorization.k8s.io", Version: "v1", Resource: name}}
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
		if err := r.list(ctx, of, add); apierrors.IsUnauthorized(err) {
			return objects, errUnauthorized
		} else if err != nil {
			return objects, fmt.Errorf("listing %s: %w", of.GroupResource(), err)
		}
	}
	return objects, nil
}

var errUnauthorized = errors.New("the API server does not know these credentials (401): log in again, or name others with --context or --token")

// list lists a resource, wherever that is allowed.
func (r *reader) list(ctx context.Context, of resource, add func(*unstructured.Unstructured) error) error {
	everywhere := r.listIn(ctx, of, metav1.NamespaceAll, add)
	if !apierrors.IsForbidden(everywhere) {
		return everywhere
	}
	// Who may not list what the cluster does not have is refused all the same.
	if served, err := r.serves(ctx, of.GroupVersionResource); err != nil || !served {
		return err
	}
	r.served[of.Resource] = true
	forbidden := map[string]error{}
	r.forbidden[of.Resource] = forbidden
	if !of.namespaced || len(r.query.Namespaces) == 0 {
		forbidden[metav1.NamespaceAll] = everywhere
		return nil
	}
	r.limited = append(r.limited, of.Resource)
	for _, namespace := range slices.Compact(slices.Sorted(slices.Values(slices.Concat(r.query.Namespaces, r.query.Global)))) {
		err := r.listIn(ctx, of, namespace, add)
		if apierrors.IsForbidden(err) {
			forbidden[namespace] = err
		} else if err != nil {
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
	r.served[of.Resource] = r.served[of.Resource] || err == nil
	return err
}

// serves reports whether the cluster has a resource; it may if that cannot be asked.
func (r *reader) serves(ctx context.Context, of schema.GroupVersionResource) (bool, error) {
	var list metav1.APIResourceList
	err := r.get(ctx, path.Join("/apis", of.Group, of.Version), &list)
	switch {
	case of.Group == "" || apierrors.IsForbidden(err):
		return true, nil
	case apierrors.IsNotFound(err):
		return false, nil
	}
	return slices.ContainsFunc(list.APIResources, func(s metav1.APIResource) bool { return s.Name == of.Resource }), err
}

func (r *reader) kubernetesVersion(ctx context.Context) (string, error) {
	var info version.Info
	err := r.get(ctx, "/version", &info)
	if apierrors.IsForbidden(err) {
		fmt.Fprintln(r.warnings, "you may not read /version; --kube-version states the version")
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("the version of the cluster: %w", err)
	}
	return info.GitVersion, nil
}

// get reads a document of the API server.
func (c *connection) get(ctx context.Context, path string, to any) error {
	client, err := discovery.NewDiscoveryClientForConfig(c.config)
	if err != nil {
		return err
	}
	text, err := client.RESTClient().Get().AbsPath(path).Do(ctx).Raw()
	if err != nil {
		return err
	}
	return json.Unmarshal(text, to)
}
