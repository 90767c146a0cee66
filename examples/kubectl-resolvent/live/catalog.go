package live

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"path"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/cache/remote"
	"github.com/resolvent/resolvent/examples/kubectl-resolvent/registrypod"
)

// origin is a catalog that the cluster declares: that of a CatalogSource, or without a
// namespace, that of a ClusterCatalog. The object is looked at when the catalog is read.
// It implements [cache.Origin].
type origin struct {
	*connection
	key  catalog.Key
	opts cache.OriginOptions
}

// Load implements [cache.Source].
func (o *origin) Load(ctx context.Context) (*catalog.Snapshot, error) {
	return loadAs(ctx, o, cache.Origin.Load)
}

// LoadChecked implements [cache.Origin].
func (o *origin) LoadChecked(ctx context.Context) (*cache.Checked, error) {
	return loadAs(ctx, o, cache.Origin.LoadChecked)
}

// Blobs implements [cache.Origin].
func (o *origin) Blobs(ctx context.Context, of []catalog.BundleKey) (*cache.Blobs, error) {
	if o.key.Namespace != "" {
		return nil, fmt.Errorf("a registry pod does not state all images of its bundles; give the catalog's own image with --catalog %s=docker://IMAGE", o.key)
	}
	from, err := o.served(ctx)
	if err != nil {
		return nil, err
	}
	return from.Blobs(ctx, of)
}

// loadAs reads a catalog in one of the ways.
func loadAs[T any](ctx context.Context, o *origin, load func(cache.Origin, context.Context) (T, error)) (read T, err error) {
	var from cache.Origin
	if o.key.Namespace == "" {
		from, err = o.served(ctx)
	} else {
		from, err = o.registry(ctx)
	}
	if err != nil {
		return read, err
	}
	return load(from, ctx)
}

// served is the catalog as catalogd serves it, by the API server's proxy of its service.
func (o *origin) served(ctx context.Context) (cache.Origin, error) {
	object, err := o.client.Resource(clusterCatalogs.GroupVersionResource).Get(ctx, o.key.Name, metav1.GetOptions{})
	if err != nil {
		return nil, err
	}
	base, _, _ := unstructured.NestedString(object.Object, "status", "urls", "base")
	if base == "" {
		return nil, errors.New("its status states no URL (status.urls.base): it is not served yet")
	}
	service, err := parseService(base)
	if err != nil {
		return nil, err
	}
	if err := o.mayRead(ctx, service); err != nil {
		return nil, err
	}
	server, _, err := rest.DefaultServerUrlFor(o.config)
	if err != nil {
		return nil, err
	}
	// No other source must have this transport: it sends the user's credentials.
	transport, err := rest.TransportFor(o.config)
	if err != nil {
		return nil, err
	}
	opts := o.opts
	opts.Remote = remote.Options{Transport: transport}.Open
	return cache.Open(server.JoinPath("api/v1/namespaces", service.namespace, "services", service.name, "proxy", service.path).String(), opts)
}

// service is where the API server passes requests on to: SCHEME:NAME:PORT in a namespace,
// and a path.
type service struct{ namespace, name, path string }

// parseService reads a URL like https://SERVICE.NAMESPACE.svc/PATH.
func parseService(base string) (service, error) {
	at, err := url.Parse(base)
	if err != nil {
		return service{}, err
	}
	port := at.Port()
	if port == "" {
		port = map[string]string{"https": "443", "http": "80"}[at.Scheme]
	}
	host := strings.Split(at.Hostname(), ".")
	if len(host) < 3 || host[2] != "svc" || port == "" {
		return service{}, fmt.Errorf("%s: it is not the URL of a service of the cluster, as in https://SERVICE.NAMESPACE.svc/PATH", base)
	}
	// The path must not lead out of what the proxy serves.
	return service{host[1], at.Scheme + ":" + host[0] + ":" + port, path.Join("/", at.Path)}, nil
}

// mayRead returns what the API server says if it does not let the user use its proxy.
// Package cache could say only that somebody does not.
func (c *connection) mayRead(ctx context.Context, s service) error {
	services := schema.GroupVersionResource{Version: "v1", Resource: "services"}
	_, err := c.client.Resource(services).Namespace(s.namespace).Get(ctx, s.name, metav1.GetOptions{}, "proxy")
	if apierrors.IsForbidden(err) || apierrors.IsUnauthorized(err) {
		return err
	}
	return nil // what catalogd answers at its root does not matter
}

// defaultPort is that of registry pods.
const defaultPort = "50051"

// registry is the catalog as its registry pod serves it: at its address where the
// object states one or this process runs in the cluster, otherwise by a port-forward.
func (o *origin) registry(ctx context.Context) (cache.Origin, error) {
	object, err := o.client.Resource(catalogSources.GroupVersionResource).Namespace(o.key.Namespace).Get(ctx, o.key.Name, metav1.GetOptions{})
	if err != nil {
		return nil, err
	}
	field := func(path ...string) string {
		text, _, _ := unstructured.NestedString(object.Object, path...)
		return text
	}
	name := "registry pod of CatalogSource " + o.key.String()
	address := field("spec", "address")
	if address == "" && o.inCluster {
		address = field("status", "connectionState", "address")
	}
	if state := field("status", "connectionState", "lastObservedState"); address != "" && state != "" && state != "READY" {
		return nil, fmt.Errorf("OLM does not reach it at %s: its last state is %s", address, state)
	}
	if address != "" {
		return registrypod.At(name, address, o.opts), nil
	}
	pod, err := o.registryPod(ctx)
	if err != nil {
		return nil, err
	}
	source := &registrypod.Source{Name: name, Options: o.opts}
	if field("spec", "image") != "" {
		source.Content = imagesOf(pod)
	}
	port := field("status", "registryService", "port")
	if port == "" {
		port = defaultPort
	}
	source.Dial = func(context.Context) (net.Conn, error) {
		return o.forward(pod.GetNamespace(), pod.GetName(), port)
	}
	return source, nil
}

// registryPod is a pod that is ready, the first one by name.
func (o *origin) registryPod(ctx context.Context) (*unstructured.Unstructured, error) {
	pods := schema.GroupVersionResource{Version: "v1", Resource: "pods"}
	list, err := o.client.Resource(pods).Namespace(o.key.Namespace).List(ctx, metav1.ListOptions{LabelSelector: "olm.catalogSource=" + o.key.Name})
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
		return nil, fmt.Errorf("none of its %d registry pods (label olm.catalogSource=%s) is ready%s", len(list.Items), o.key.Name, o.whyNotReady(ctx, list.Items))
	}
	return &list.Items[i], nil
}

// whyNotReady says what keeps the first of the pods, as far as the user may read that.
func (o *origin) whyNotReady(ctx context.Context, pods []unstructured.Unstructured) string {
	if len(pods) == 0 {
		return ""
	}
	var pod corev1.Pod
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(pods[0].Object, &pod); err != nil {
		return ""
	}
	why := fmt.Sprintf("; pod %s is %s", pod.Name, cmp.Or(pod.Status.Phase, corev1.PodUnknown))
	for _, s := range slices.Concat(pod.Status.InitContainerStatuses, pod.Status.ContainerStatuses) {
		switch {
		case s.State.Waiting != nil:
			why += fmt.Sprintf(", container %s waits: %s %s", s.Name, s.State.Waiting.Reason, s.State.Waiting.Message)
		case s.State.Terminated != nil:
			why += fmt.Sprintf(", container %s ended: %s (status %d) %s", s.Name, s.State.Terminated.Reason, s.State.Terminated.ExitCode, s.State.Terminated.Message)
		}
	}
	resource := schema.GroupVersionResource{Version: "v1", Resource: "events"}
	events, err := o.client.Resource(resource).Namespace(pod.Namespace).List(ctx, metav1.ListOptions{FieldSelector: "involvedObject.name=" + pod.Name + ",type=Warning"})
	if err != nil || len(events.Items) == 0 {
		return strings.TrimSpace(why)
	}
	time := func(u unstructured.Unstructured) string {
		last, _, _ := unstructured.NestedString(u.Object, "lastTimestamp")
		return last
	}
	last := slices.MaxFunc(events.Items, func(a, b unstructured.Unstructured) int { return cmp.Compare(time(a), time(b)) })
	message, _, _ := unstructured.NestedString(last.Object, "message")
	reason, _, _ := unstructured.NestedString(last.Object, "reason")
	return strings.TrimSpace(why) + ", last event: " + reason + " " + message
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
