package live

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/examples/kubectl-resolvent/registrypod"
)

// Catalog returns a catalog of the cluster: that of a CatalogSource, or without a
// namespace, that of a ClusterCatalog. The object is looked at when it is read.
func (c *Cluster) Catalog(key catalog.Key, opts cache.OriginOptions) cache.Origin {
	return &clusterCatalog{c, key, opts}
}

// clusterCatalog is a catalog that the cluster declares. It implements cache.Origin.
type clusterCatalog struct {
	*Cluster
	key  catalog.Key
	opts cache.OriginOptions
}

// Load implements [cache.Source].
func (c *clusterCatalog) Load(ctx context.Context) (*catalog.Snapshot, error) {
	return loadAs(ctx, c, cache.Origin.Load)
}

// LoadChecked implements [cache.Origin].
func (c *clusterCatalog) LoadChecked(ctx context.Context) (*cache.Checked, error) {
	return loadAs(ctx, c, cache.Origin.LoadChecked)
}

// loadAs reads a catalog in one of the ways.
func loadAs[T any](ctx context.Context, c *clusterCatalog, load func(cache.Origin, context.Context) (T, error)) (read T, err error) {
	var origin cache.Origin
	if c.key.Namespace == "" {
		origin, err = c.served(ctx)
	} else {
		origin, err = c.registry(ctx)
	}
	if err != nil {
		return read, err
	}
	return load(origin, ctx)
}

// served is the catalog as catalogd serves it, by the API server's proxy of its service.
func (c *clusterCatalog) served(ctx context.Context) (cache.Origin, error) {
	object, err := c.client.Resource(clusterCatalogs.GroupVersionResource).Get(ctx, c.key.Name, metav1.GetOptions{})
	if err != nil {
		return nil, err
	}
	base, _, _ := unstructured.NestedString(object.Object, "status", "urls", "base")
	if base == "" {
		return nil, errors.New("its status states no URL (status.urls.base): it is not served yet")
	}
	path, err := proxyPath(base)
	if err != nil {
		return nil, err
	}
	if err := c.mayRead(ctx, path); err != nil {
		return nil, err
	}
	server, _, err := rest.DefaultServerUrlFor(c.config)
	if err != nil {
		return nil, err
	}
	// No other source must have this transport: it sends the user's credentials.
	opts := c.opts
	if opts.HTTP.Transport, err = rest.TransportFor(c.config); err != nil {
		return nil, err
	}
	return cache.HTTP(server.JoinPath(path).String(), opts)
}

// proxyPath is where the API server passes requests on to a service, whose URL is like
// https://SERVICE.NAMESPACE.svc/PATH.
func proxyPath(base string) (string, error) {
	at, err := url.Parse(base)
	if err != nil {
		return "", err
	}
	port := at.Port()
	if port == "" {
		port = map[string]string{"https": "443", "http": "80"}[at.Scheme]
	}
	host := strings.Split(at.Hostname(), ".")
	if len(host) < 3 || host[2] != "svc" || port == "" {
		return "", fmt.Errorf("%s: it is no URL of a service of the cluster (https://SERVICE.NAMESPACE.svc/...)", base)
	}
	return fmt.Sprintf("/api/v1/namespaces/%s/services/%s:%s:%s/proxy%s", host[1], at.Scheme, host[0], port, at.EscapedPath()), nil
}

// mayRead returns what the API server says if it refuses a path to the user. Package
// cache could say only that somebody did.
func (c *Cluster) mayRead(ctx context.Context, path string) error {
	config := rest.CopyConfig(c.config)
	config.GroupVersion, config.NegotiatedSerializer = &schema.GroupVersion{Version: "v1"}, codecs
	client, err := rest.RESTClientFor(config)
	if err != nil {
		return err
	}
	err = client.Get().AbsPath(path).Do(ctx).Error()
	if apierrors.IsForbidden(err) || apierrors.IsUnauthorized(err) {
		return err
	}
	return nil
}

// defaultPort is that of registry pods.
const defaultPort = "50051"

// registry is the catalog as its registry pod serves it: at its address where the
// object states one or this process runs in the cluster, otherwise by a port-forward.
func (c *clusterCatalog) registry(ctx context.Context) (cache.Origin, error) {
	object, err := c.client.Resource(catalogSources.GroupVersionResource).Namespace(c.key.Namespace).Get(ctx, c.key.Name, metav1.GetOptions{})
	if err != nil {
		return nil, err
	}
	field := func(path ...string) string {
		text, _, _ := unstructured.NestedString(object.Object, path...)
		return text
	}
	source := &registrypod.Source{Name: "registry pod of CatalogSource " + c.key.String(), Options: c.opts}
	address := field("spec", "address")
	if address == "" && c.inCluster {
		address = field("status", "connectionState", "address")
	}
	if address != "" {
		source.Dial = func(ctx context.Context) (net.Conn, error) {
			var d net.Dialer
			return d.DialContext(ctx, "tcp", address)
		}
		return source, nil
	}
	pod, err := c.registryPod(ctx)
	if err != nil {
		return nil, err
	}
	if field("spec", "image") != "" {
		source.Content = imagesOf(pod)
	}
	port := field("status", "registryService", "port")
	if port == "" {
		port = defaultPort
	}
	source.Dial = func(ctx context.Context) (net.Conn, error) {
		return c.forward(ctx, pod.GetNamespace(), pod.GetName(), port)
	}
	return source, nil
}

// registryPod is a pod that is ready, the first one by name.
func (c *clusterCatalog) registryPod(ctx context.Context) (*unstructured.Unstructured, error) {
	pods := schema.GroupVersionResource{Version: "v1", Resource: "pods"}
	list, err := c.client.Resource(pods).Namespace(c.key.Namespace).List(ctx, metav1.ListOptions{LabelSelector: "olm.catalogSource=" + c.key.Name})
	if err != nil {
		return nil, err
	}
	slices.SortFunc(list.Items, func(a, b unstructured.Unstructured) int { return strings.Compare(a.GetName(), b.GetName()) })
	ready := func(pod unstructured.Unstructured) bool {
		conditions, _, _ := unstructured.NestedSlice(pod.Object, "status", "conditions")
		return slices.ContainsFunc(conditions, func(c any) bool {
			condition, _ := c.(map[string]any)
			return condition["type"] == "Ready" && condition["status"] == "True"
		})
	}
	i := slices.IndexFunc(list.Items, ready)
	if i < 0 {
		return nil, fmt.Errorf("none of its %d registry pods (label olm.catalogSource=%s) is ready", len(list.Items), c.key.Name)
	}
	return &list.Items[i], nil
}

// imagesOf identifies all that a pod was made of, empty if that is not known.
func imagesOf(pod *unstructured.Unstructured) string {
	var images []string
	for _, field := range []string{"initContainerStatuses", "containerStatuses"} {
		statuses, _, _ := unstructured.NestedSlice(pod.Object, "status", field)
		for _, s := range statuses {
			status, _ := s.(map[string]any)
			image, _ := status["imageID"].(string)
			if !strings.Contains(image, "@sha256:") {
				return ""
			}
			images = append(images, image)
		}
	}
	return strings.Join(images, " ")
}
