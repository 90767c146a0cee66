package reconcile

import (
	"context"
	"fmt"
	"io/fs"
	"maps"
	"net/http/httptest"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	apiruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/discovery/fake"
	dynamicfake "k8s.io/client-go/dynamic/fake"
	kubefake "k8s.io/client-go/kubernetes/fake"
	"sigs.k8s.io/yaml"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/testdata"
	"github.com/resolvent/resolvent/testdata/testkit"
)

// The fake server panics where nobody has read that many events, as on a busy machine.
func init() { watch.DefaultChanSize = 10_000 }

// testCluster is a cluster without a cluster: an API server in memory, and a
// controller that runs on it.
type testCluster struct {
	testing.TB
	client     *dynamicfake.FakeDynamicClient
	kube       *kubefake.Clientset
	controller *Controller
}

// newCluster returns a cluster of OLM v0 and v1 with the objects of the manifests.
func newCluster(t testing.TB, manifests ...string) *testCluster {
	kinds := map[schema.GroupVersionResource]string{}
	served := map[string]*metav1.APIResourceList{}
	for _, w := range append(slices.Clip(watched), resource{installPlanResource, ""}) {
		kinds[w.GroupVersionResource] = "List"
		version := w.GroupVersion().String()
		if served[version] == nil {
			served[version] = &metav1.APIResourceList{GroupVersion: version}
		}
		served[version].APIResources = append(served[version].APIResources, metav1.APIResource{Name: w.Resource})
	}
	kube := kubefake.NewClientset()
	kube.Discovery().(*fake.FakeDiscovery).Resources = slices.Collect(maps.Values(served))
	var objects []apiruntime.Object
	for _, o := range parse(t, manifests...) {
		objects = append(objects, o)
	}
	client := dynamicfake.NewSimpleDynamicClientWithCustomListKinds(apiruntime.NewScheme(), kinds, objects...)
	return &testCluster{TB: t, client: client, kube: kube}
}

// start runs a controller until the test ends. It must end with it, and so must
// all of its goroutines.
func (c *testCluster) start(sources map[catalog.Key]cache.Source, options Options) {
	before := runtime.NumGoroutine()
	// Catalogs are read all the time: what has not changed must not show.
	options.Schedule = cache.Schedule{Interval: 2 * time.Millisecond, RetryMin: time.Millisecond, RetryMax: time.Millisecond}
	options.Sources = sources
	options.NewResources = 10 * time.Millisecond
	c.controller = New(c.client, c.kube, options)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error)
	go func() { ended <- c.controller.Run(ctx) }()
	c.Cleanup(func() {
		cancel()
		require.NoError(c, <-ended)
		testkit.NoGoroutines(c, before)
	})
}

func parse(t testing.TB, manifests ...string) []*unstructured.Unstructured {
	var objects []*unstructured.Unstructured
	for _, text := range manifests {
		for document := range strings.SplitSeq(text, "\n---\n") {
			u := &unstructured.Unstructured{}
			require.NoError(t, yaml.Unmarshal([]byte(document), &u.Object))
			if u.IsList() {
				list, err := u.ToList()
				require.NoError(t, err)
				for i := range list.Items {
					objects = append(objects, &list.Items[i])
				}
				continue
			}
			objects = append(objects, u)
		}
	}
	for _, u := range objects {
		u.SetUID(types.UID("uid-of-" + u.GetNamespace() + "/" + u.GetName()))
	}
	return objects
}

// subscription is a manifest; it wants a package of the catalog olm/coast.
func subscription(namespace, name, pkg, channel string) string {
	return fmt.Sprintf(`{"apiVersion": "operators.coreos.com/v1alpha1", "kind": "Subscription",
		"metadata": {"namespace": %q, "name": %q},
		"spec": {"name": %q, "channel": %q, "source": "coast", "sourceNamespace": "olm"}}`, namespace, name, pkg, channel)
}

func (c *testCluster) create(resource schema.GroupVersionResource, manifest string) {
	u := parse(c, manifest)[0]
	_, err := c.client.Resource(resource).Namespace(u.GetNamespace()).Create(c.Context(), u, metav1.CreateOptions{})
	require.NoError(c, err)
}

func (c *testCluster) delete(resource schema.GroupVersionResource, namespace, name string) {
	require.NoError(c, c.client.Resource(resource).Namespace(namespace).Delete(c.Context(), name, metav1.DeleteOptions{}))
}

// edit changes an object until the API server takes it.
func (c *testCluster) edit(resource schema.GroupVersionResource, namespace, name string, change func(*unstructured.Unstructured)) {
	at := c.client.Resource(resource).Namespace(namespace)
	u, err := at.Get(c.Context(), name, metav1.GetOptions{})
	require.NoError(c, err)
	change(u)
	_, err = at.Update(c.Context(), u, metav1.UpdateOptions{})
	require.NoError(c, err)
}

// condition returns what a Subscription states.
func (c *testCluster) condition(namespace, name string) condition {
	u, err := c.client.Resource(subscriptionResource).Namespace(namespace).Get(c.Context(), name, metav1.GetOptions{})
	require.NoError(c, err)
	return stated(u, DefaultCondition)
}

// stated returns the condition of that type, zero if there is none.
func stated(u *unstructured.Unstructured, of string) condition {
	conditions, _, _ := unstructured.NestedSlice(u.Object, "status", "conditions")
	for _, item := range conditions {
		if fields, _ := item.(map[string]any); fields["type"] == of {
			return conditionOf(fields)
		}
	}
	return condition{}
}

// installs reports whether a Subscription says that the bundles are to be installed, in
// their order.
func (c *testCluster) installs(namespace, name string, bundles ...string) bool {
	said := c.condition(namespace, name)
	var names []string
	for line := range strings.Lines(said.message) {
		if bundle, ok := strings.CutPrefix(line, "install "); ok {
			names = append(names, strings.Fields(bundle)[0])
		}
	}
	return !said.failed && slices.Equal(names, bundles)
}

// await waits until it is so.
func (c *testCluster) await(what string, isSo func() bool) {
	c.Helper()
	for end := time.Now().Add(30 * time.Second); !isSo(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			c.Fatalf("not within 30 s: %s", what)
		}
	}
}

// awaitReason waits for the reason of a Subscription's condition.
func (c *testCluster) awaitReason(namespace, name, reason string) {
	c.Helper()
	c.await(namespace+"/"+name+" states "+reason, func() bool { return c.condition(namespace, name).reason == reason })
}

// metrics returns what Prometheus is told.
func (c *testCluster) metrics() string {
	registry := prometheus.NewRegistry()
	require.NoError(c, registry.Register(c.controller))
	answer := httptest.NewRecorder()
	promhttp.HandlerFor(registry, promhttp.HandlerOpts{}).ServeHTTP(answer, httptest.NewRequest("GET", "/metrics", nil))
	return answer.Body.String()
}

// resolutions is how often something was resolved since the controller started.
func (c *testCluster) resolutions() int {
	_, after, _ := strings.Cut(c.metrics(), "\nresolvent_resolution_duration_seconds_count ")
	n, err := strconv.Atoi(strings.Fields(after)[0])
	require.NoError(c, err)
	return n
}

// settle lets all that happened so far take effect, and returns how often something has
// been resolved since the controller started: a Subscription of its own comes last, and
// then comes nothing for longer than a condition may be looked at again.
func (c *testCluster) settle() int {
	c.Helper()
	const namespace = "sentinel"
	c.create(subscriptionResource, subscription(namespace, "ferry", "ferry", "stable"))
	c.await("the sentinel is resolved", func() bool { return c.condition(namespace, "ferry") != condition{} })
	c.delete(subscriptionResource, namespace, "ferry")
	for last := -1; ; time.Sleep(undoPause + 100*time.Millisecond) {
		n := c.resolutions()
		if n == last && c.controller.queue.Len() == 0 {
			return n
		}
		last = n
	}
}

var (
	coast  = catalog.Key{Namespace: "olm", Name: "coast"}
	island = catalog.Key{Namespace: "olm", Name: "island"}
)

// catalogs are those of the repository.
func catalogs(t testing.TB) map[catalog.Key]cache.Source {
	sources := map[catalog.Key]cache.Source{}
	for _, key := range []catalog.Key{coast, island} {
		files, err := fs.Sub(testdata.Catalogs, "catalogs/"+key.Name)
		require.NoError(t, err)
		snapshot, err := cache.LoadFS(t.Context(), files, cache.Options{})
		require.NoError(t, err)
		sources[key] = testkit.Static(snapshot)
	}
	return sources
}

// publisher is a source whose catalog has one package, ferry, in versions that
// change.
type publisher struct {
	mu       sync.Mutex
	snapshot *catalog.Snapshot
	err      error
	// deprecated: so are the package, the channel and the first version.
	deprecated bool
}

func (p *publisher) Load(context.Context) (*catalog.Snapshot, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.snapshot, p.err
}

func (p *publisher) fail(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.err = err
}

// publish puts versions into the channel stable, the head last.
func (p *publisher) publish(t testing.TB, versions ...string) {
	text := "schema: olm.package\nname: ferry\ndefaultChannel: stable\n---\nschema: olm.channel\npackage: ferry\nname: stable\nentries:\n"
	for i, v := range versions {
		text += "- name: ferry.v" + v + "\n"
		if i > 0 {
			text += "  replaces: ferry.v" + versions[i-1] + "\n"
		}
	}
	for _, v := range versions {
		text += fmt.Sprintf(`---
schema: olm.bundle
package: ferry
name: ferry.v%[1]s
image: registry.example.com/ferry:%[1]s
properties:
- {type: olm.package, value: {packageName: ferry, version: %[1]s}}
`, v)
	}
	if p.deprecated {
		text += fmt.Sprintf(`---
schema: olm.deprecations
package: ferry
entries:
- {reference: {schema: olm.package}, message: no PackageDeprecated}
- {reference: {schema: olm.channel, name: stable}, message: no ChannelDeprecated}
- {reference: {schema: olm.bundle, name: ferry.v%s}, message: no BundleDeprecated}
`, versions[0])
	}
	snapshot, err := cache.LoadFS(t.Context(), fstest.MapFS{"catalog.yaml": {Data: []byte(text)}}, cache.Options{Strict: true})
	require.NoError(t, err)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.snapshot, p.err = snapshot, nil
}
