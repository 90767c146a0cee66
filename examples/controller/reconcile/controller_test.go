package reconcile

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	apiruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/discovery/fake"
	clienttesting "k8s.io/client-go/testing"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/manifest"
	"github.com/resolvent/resolvent/resolver/policy"
	"github.com/resolvent/resolvent/resolver/result"
)

func manifestOf(t testing.TB, name string) string {
	text, err := os.ReadFile("../../../testdata/cluster/" + name + ".yaml")
	require.NoError(t, err)
	return string(text)
}

func TestSeveralNamespaces(t *testing.T) {
	c := newCluster(t, manifestOf(t, "failing"), manifestOf(t, "install"))
	c.start(catalogs(t), Options{})
	c.awaitReason("harbor", "ferry", "Resolved")
	c.awaitReason("arctic", "ferry", "ConstraintsNotSatisfiable")
	c.awaitReason("arctic", "iceberg", "ConstraintsNotSatisfiable")
	c.awaitReason("deep-sea", "kraken", "ConstraintsNotSatisfiable")

	assert.True(t, c.installs("harbor", "ferry", "ferry.v1.0.0", "lighthouse.v1.2.0", "compass.v1.1.0", "pier.v2.0.0",
		"lantern.v1.1.1", "foghorn.v2.1.0", "kerosene.v1.4.0"))

	// Both Subscriptions of a namespace say why, and how to mend it.
	for _, name := range []string{"ferry", "iceberg"} {
		said := c.condition("arctic", name)
		assert.True(t, said.failed)
		assert.Contains(t, said.message, "iceberg")
		assert.Contains(t, said.message, "delete Subscription ferry", "what to do")
	}
	assert.Contains(t, c.condition("deep-sea", "kraken").message, "Galleon")
}

func TestConflictIsResolvedByAChange(t *testing.T) {
	c := newCluster(t, manifestOf(t, "failing"))
	c.start(catalogs(t), Options{})
	c.awaitReason("arctic", "ferry", "ConstraintsNotSatisfiable")
	c.awaitReason("deep-sea", "kraken", "ConstraintsNotSatisfiable")
	c.delete(subscriptionResource, "arctic", "iceberg")
	c.awaitReason("arctic", "ferry", "Resolved")
	assert.Equal(t, "ConstraintsNotSatisfiable", c.condition("deep-sea", "kraken").reason, "of another namespace")
}

func TestNothingIsResolvedWhileNothingChanges(t *testing.T) {
	c := newCluster(t, manifestOf(t, "failing"), manifestOf(t, "install"))
	c.start(catalogs(t), Options{})
	c.awaitReason("harbor", "ferry", "Resolved")
	c.awaitReason("arctic", "ferry", "ConstraintsNotSatisfiable")
	c.awaitReason("deep-sea", "kraken", "ConstraintsNotSatisfiable")
	before := c.settle()
	require.Positive(t, before)
	writes := len(c.client.Actions())

	// Heartbeats, and dozens of readings of the catalogs.
	c.edit(subscriptionResource, "arctic", "ferry", func(u *unstructured.Unstructured) {
		require.NoError(t, unstructured.SetNestedField(u.Object, "2026-01-01T00:00:00Z", "status", "lastUpdated"))
	})
	c.edit(watched[2].GroupVersionResource, "olm", "island", func(u *unstructured.Unstructured) {
		u.SetAnnotations(map[string]string{"looked": "at"})
	})
	time.Sleep(50 * time.Millisecond)
	assert.Equal(t, before+1, c.settle(), "resolutions, of which one is the sentinel's")
	for _, action := range c.client.Actions()[writes:] {
		assert.False(t, action.GetSubresource() == "status" && action.GetNamespace() != "sentinel", "written: %v", action)
	}

	// A change that matters brings all namespaces back, which is another answer
	// for one.
	c.edit(watched[2].GroupVersionResource, "olm", "island", func(u *unstructured.Unstructured) {
		require.NoError(t, unstructured.SetNestedField(u.Object, "TRANSIENT_FAILURE", "status", "connectionState", "lastObservedState"))
	})
	c.awaitReason("harbor", "ferry", "CatalogsUnhealthy")
	assert.Contains(t, c.condition("harbor", "ferry").message, "TRANSIENT_FAILURE")
}

func TestCatalogIsReplaced(t *testing.T) {
	source := &publisher{}
	source.publish(t, "1.0.0")
	c := newCluster(t, subscription("harbor", "ferry", "ferry", "stable"), subscription("fjord", "ferry", "ferry", "stable"))
	c.start(map[catalog.Key]cache.Source{coast: source}, Options{})
	for _, namespace := range []string{"harbor", "fjord"} {
		c.await("ferry 1.0.0 in "+namespace, func() bool { return c.installs(namespace, "ferry", "ferry.v1.0.0") })
	}
	source.publish(t, "1.0.0", "1.1.0")
	for _, namespace := range []string{"harbor", "fjord"} {
		c.await("ferry 1.1.0 in "+namespace, func() bool { return c.installs(namespace, "ferry", "ferry.v1.1.0") })
	}
}

func TestCatalogFailsAndRecovers(t *testing.T) {
	source := &publisher{}
	source.publish(t, "1.0.0")
	c := newCluster(t, subscription("harbor", "ferry", "ferry", "stable"))
	c.start(map[catalog.Key]cache.Source{coast: source}, Options{})
	c.awaitReason("harbor", "ferry", "Resolved")

	source.fail(errors.New("connection refused"))
	c.awaitReason("harbor", "ferry", "CatalogsUnhealthy")
	assert.Equal(t, condition{true, "CatalogsUnhealthy", "These catalogs cannot be used:\n- olm/coast: connection refused", 0},
		c.condition("harbor", "ferry"))
	resolved, tried := c.settle(), c.controller.catalogs.View().Catalog(coast).Failures
	c.await("the catalog is tried again", func() bool { return c.controller.catalogs.View().Catalog(coast).Failures > tried+9 })
	assert.Equal(t, resolved, c.resolutions(), "the namespace waits for the catalog")

	source.publish(t, "1.0.0")
	c.awaitReason("harbor", "ferry", "Resolved")
}

// A failure that differs from try to try only by its port or time is written once.
func TestFailureIsTheSame(t *testing.T) {
	want := func(text string, errs ...string) {
		for _, err := range errs {
			failure := &result.CatalogsUnhealthy{Catalogs: []result.UnhealthyCatalog{{Key: coast, Err: errors.New(err)}}}
			assert.Equal(t, "These catalogs cannot be used:\n- olm/coast: "+text, conditionFor(nil, failure).message)
		}
	}
	want("dial tcp: lookup catalogd on 10.96.0.10:53: read udp 10.0.0.7->10.96.0.10:53: i/o timeout",
		"dial tcp: lookup catalogd on 10.96.0.10:53: read udp 10.0.0.7:41234->10.96.0.10:53: i/o timeout",
		"dial tcp: lookup catalogd on 10.96.0.10:53: read udp 10.0.0.7:51001->10.96.0.10:53: i/o timeout")
	want("x509: certificate has expired or is not yet valid: current time is after 2026-01-01T00:00:00Z",
		"x509: certificate has expired or is not yet valid: current time 2026-01-02T03:04:05Z is after 2026-01-01T00:00:00Z",
		"x509: certificate has expired or is not yet valid: current time 2026-01-02T03:05:05Z is after 2026-01-01T00:00:00Z")
}

// The catalogs of a namespace are nothing to others.
func TestPrivateCatalog(t *testing.T) {
	private, global := &publisher{}, &publisher{}
	private.publish(t, "3.0.0")
	global.publish(t, "1.0.0")
	c := newCluster(t,
		strings.ReplaceAll(subscription("harbor", "ferry", "ferry", "stable"), `"sourceNamespace": "olm"`, `"sourceNamespace": "harbor"`),
		subscription("fjord", "ferry", "ferry", "stable"))
	c.start(map[catalog.Key]cache.Source{coast: global, {Namespace: "harbor", Name: "coast"}: private}, Options{})
	c.await("ferry in harbor", func() bool { return c.installs("harbor", "ferry", "ferry.v3.0.0") })
	c.await("ferry in fjord", func() bool { return c.installs("fjord", "ferry", "ferry.v1.0.0") })
	before := c.settle()
	private.fail(errors.New("connection refused"))
	c.awaitReason("harbor", "ferry", "CatalogsUnhealthy")
	assert.Equal(t, before+2, c.settle(), "resolutions: of harbor, and of the sentinel")
	assert.Equal(t, "Resolved", c.condition("fjord", "ferry").reason)
}

// A resolution that is cut off is tried again without any change.
func TestIncompleteIsTriedAgain(t *testing.T) {
	var asked atomic.Int64
	c := newCluster(t, subscription("harbor", "ferry", "ferry", "stable"))
	c.start(catalogs(t), Options{
		Timeout: 200 * time.Millisecond, // a resolution takes some, on a busy machine more
		Resolver: policy.Options{SystemConstraint: func(ctx context.Context, _ policy.Candidate) (bool, string) {
			if asked.Add(1) <= 2 {
				<-ctx.Done()
			}
			return true, ""
		}},
	})
	c.awaitReason("harbor", "ferry", "Resolved")
	assert.GreaterOrEqual(t, c.resolutions(), 2)
}

// However many writes are refused at a time, and then again, each is tried again soon.
func TestRefusedWritesAreTriedAgain(t *testing.T) {
	const namespaces = 600
	for _, refusal := range []error{
		apierrors.NewConflict(subscriptionResource.GroupResource(), "it", errors.New("it was changed")),
		apierrors.NewServiceUnavailable("it starts"),
	} {
		var all []string
		for i := range namespaces {
			all = append(all, subscription(fmt.Sprint("harbor-", i), "ferry", "ferry", "stable"))
		}
		c := newCluster(t, all...)
		var refused sync.Map
		c.client.PrependReactor("patch", "subscriptions", func(action clienttesting.Action) (bool, apiruntime.Object, error) {
			times, _ := refused.LoadOrStore(action.GetNamespace(), new(atomic.Int64))
			return times.(*atomic.Int64).Add(1) <= 2, nil, refusal
		})
		c.start(catalogs(t), Options{})
		for i := range namespaces {
			c.awaitReason(fmt.Sprint("harbor-", i), "ferry", "Resolved")
		}
	}
}

// An object that cannot be read fails its own namespace, as long as it is there;
// its copies in others are not read at all.
func TestUnreadableObject(t *testing.T) {
	c := newCluster(t, subscription("harbor", "ferry", "ferry", "stable"), subscription("fjord", "ferry", "ferry", "stable"), `
apiVersion: operators.coreos.com/v1alpha1
kind: ClusterServiceVersion
metadata: {namespace: harbor, name: driftwood}
spec: {version: 1.0.0, customresourcedefinitions: {owned: [{name: driftwood, kind: Driftwood, version: v1}]}}
---
apiVersion: operators.coreos.com/v1alpha1
kind: ClusterServiceVersion
metadata: {namespace: fjord, name: driftwood, labels: {olm.copiedFrom: harbor}}
spec: {version: 1.0.0, customresourcedefinitions: {owned: [{name: driftwood, kind: Driftwood, version: v1}]}}
`)
	c.start(catalogs(t), Options{})
	c.awaitReason("harbor", "ferry", "InvalidInput")
	c.awaitReason("fjord", "ferry", "Resolved")
	said := c.condition("harbor", "ferry")
	assert.Contains(t, said.message, "ClusterServiceVersion harbor/driftwood")
	assert.Contains(t, said.message, `want PLURAL.GROUP`)
	c.delete(watched[1].GroupVersionResource, "harbor", "driftwood")
	c.awaitReason("harbor", "ferry", "Resolved")
}

func TestWhatOthersWroteStays(t *testing.T) {
	c := newCluster(t, `
apiVersion: operators.coreos.com/v1alpha1
kind: Subscription
metadata: {namespace: deep-sea, name: kraken}
spec: {name: kraken, channel: deep, source: coast, sourceNamespace: olm}
status:
  state: UpgradePending
  conditions:
  - {type: CatalogSourcesUnhealthy, status: "False"}
  - {type: resolvent/ResolutionFailed, status: "True", reason: Old, message: old, lastTransitionTime: "2020-01-01T00:00:00Z"}
  - {type: ResolutionFailed, status: "True", reason: OLM, message: olm}
`)
	c.start(catalogs(t), Options{})
	c.awaitReason("deep-sea", "kraken", "ConstraintsNotSatisfiable")
	c.edit(subscriptionResource, "deep-sea", "kraken", func(u *unstructured.Unstructured) {
		conditions, _, err := unstructured.NestedSlice(u.Object, "status", "conditions")
		require.NoError(t, err)
		require.Len(t, conditions, 3)
		assert.Equal(t, "CatalogSourcesUnhealthy", conditions[0].(map[string]any)["type"])
		assert.Equal(t, "2020-01-01T00:00:00Z", conditions[1].(map[string]any)["lastTransitionTime"], "it was true before")
		assert.Equal(t, "ConstraintsNotSatisfiable", conditions[1].(map[string]any)["reason"])
		assert.Equal(t, "OLM", conditions[2].(map[string]any)["reason"])
		state, _, _ := unstructured.NestedString(u.Object, "status", "state")
		assert.Equal(t, "UpgradePending", state)
	})
}

// A condition that somebody else changes is put right.
func TestConditionIsPutRight(t *testing.T) {
	c := newCluster(t, manifestOf(t, "install"))
	c.start(catalogs(t), Options{})
	c.awaitReason("harbor", "ferry", "Resolved")
	right := c.condition("harbor", "ferry")
	c.edit(subscriptionResource, "harbor", "ferry", func(u *unstructured.Unstructured) {
		unstructured.RemoveNestedField(u.Object, "status")
	})
	c.await("the condition is back", func() bool { return c.condition("harbor", "ferry") == right })
}

// A ClusterExtension is resolved from the catalogs of ClusterCatalogs.
func TestClusterExtension(t *testing.T) {
	c := newCluster(t, manifestOf(t, "extension"))
	of := func() condition {
		u, err := c.client.Resource(extensionResource).Get(t.Context(), "light", metav1.GetOptions{})
		require.NoError(t, err)
		return stated(u, DefaultCondition)
	}
	published := catalogs(t)[coast]
	base := "https://catalogd.example.com/catalogs/coast"
	c.start(nil, Options{Catalogd: func(from string) (cache.Source, error) {
		if from != base {
			return nil, errors.New("no such URL: " + from)
		}
		return published, nil
	}})
	c.await("there is no catalog", func() bool { return of().failed })
	serve := func(base string) {
		at := c.client.Resource(olmv1("clustercatalogs"))
		u, err := at.Get(t.Context(), "coast", metav1.GetOptions{})
		require.NoError(t, err)
		require.NoError(t, unstructured.SetNestedField(u.Object, base, "status", "urls", "base"))
		_, err = at.Update(t.Context(), u, metav1.UpdateOptions{})
		require.NoError(t, err)
	}
	serve(base)
	c.await("it is resolved", func() bool { return of().reason == "Resolved" })
	assert.Contains(t, of().message, "install lighthouse.v1.2.0 from catalog coast")
	serve("elsewhere")
	c.await("the catalog is gone", func() bool { return strings.Contains(of().message, "no such URL: elsewhere") })
}

// A cluster may have OLM v0, v1, both, or neither.
func TestResourcesOfTheCluster(t *testing.T) {
	c := newCluster(t, manifestOf(t, "install"))
	discovery := c.kube.Discovery().(*fake.FakeDiscovery)
	all := discovery.Resources
	without := func(group string) []*metav1.APIResourceList {
		return slices.DeleteFunc(slices.Clone(all), func(l *metav1.APIResourceList) bool { return strings.HasPrefix(l.GroupVersion, group) })
	}
	discovery.Resources = without("olm.operatorframework.io/")
	starting := true // the API server, too
	discovery.PrependReactor("get", "resource", func(clienttesting.Action) (bool, apiruntime.Object, error) {
		defer func() { starting = false }()
		if starting {
			return true, nil, syscall.ECONNREFUSED
		}
		return false, nil, nil
	})
	c.start(catalogs(t), Options{})
	c.awaitReason("harbor", "ferry", "Resolved")

	c = newCluster(t, manifestOf(t, "install"), manifestOf(t, "extension"))
	discovery = c.kube.Discovery().(*fake.FakeDiscovery)
	var mu sync.Mutex
	served := map[string]bool{}
	discovery.PrependReactor("get", "resource", func(clienttesting.Action) (bool, apiruntime.Object, error) {
		mu.Lock()
		defer mu.Unlock()
		discovery.Resources = slices.DeleteFunc(slices.Clone(all), func(l *metav1.APIResourceList) bool { return !served[strings.Split(l.GroupVersion, "/")[0]] })
		return false, nil, nil
	})
	appear := func(groups ...string) {
		mu.Lock()
		defer mu.Unlock()
		for _, g := range groups {
			served[g] = true
		}
	}
	c.start(catalogs(t), Options{Catalogd: func(string) (cache.Source, error) { return catalogs(t)[coast], nil }})
	c.await("a cluster without OLM is read", c.controller.Synced)
	assert.Equal(t, condition{}, c.condition("harbor", "ferry"))
	appear("v1", "operators.coreos.com")
	c.awaitReason("harbor", "ferry", "Resolved")
	appear("olm.operatorframework.io")
	c.await("the ClusterExtension is looked at", func() bool {
		u, err := c.client.Resource(extensionResource).Get(t.Context(), "light", metav1.GetOptions{})
		require.NoError(t, err)
		return stated(u, DefaultCondition) != condition{}
	})
}

// A failure is an event, of limited length; a first answer that resolves is none.
func TestEvents(t *testing.T) {
	source := &publisher{}
	source.publish(t, "1.0.0")
	c := newCluster(t, subscription("harbor", "ferry", "ferry", "stable"))
	c.start(map[catalog.Key]cache.Source{coast: source}, Options{})
	c.awaitReason("harbor", "ferry", "Resolved")
	source.fail(errors.New(strings.Repeat("connection refused ", maxEvent)))
	var events []corev1.Event
	c.await("an event", func() bool { // they come in the order of the answers
		list, err := c.kube.CoreV1().Events("harbor").List(t.Context(), metav1.ListOptions{})
		require.NoError(t, err)
		events = list.Items
		return len(events) > 0
	})
	require.Len(t, events, 1)
	assert.Equal(t, "ferry", events[0].InvolvedObject.Name)
	assert.Equal(t, corev1.EventTypeWarning, events[0].Type)
	assert.Equal(t, "CatalogsUnhealthy", events[0].Reason)
	assert.LessOrEqual(t, len(events[0].Message), maxEvent)
}

func TestMetrics(t *testing.T) {
	source := &publisher{}
	source.publish(t, "1.0.0")
	c := newCluster(t, subscription("harbor", "ferry", "ferry", "stable"))
	c.start(map[catalog.Key]cache.Source{coast: source}, Options{})
	c.awaitReason("harbor", "ferry", "Resolved")
	source.fail(errors.New("connection refused"))
	c.awaitReason("harbor", "ferry", "CatalogsUnhealthy")
	text := c.metrics()
	for _, line := range []string{
		`resolvent_resolutions_total{result="catalogsUnhealthy"} [1-9]`,
		`resolvent_resolutions_total{result="ambiguous"} 0`,
		`resolvent_resolution_duration_seconds_count [1-9]`,
		`resolvent_catalog_age_seconds{catalog="olm/coast"} [0-9.e-]+`,
		`resolvent_catalog_failures{catalog="olm/coast"} [1-9]`,
		`resolvent_failing{result="catalogsUnhealthy"} 1`,
	} {
		assert.Regexp(t, strings.NewReplacer("{", `\{`, "}", `\}`).Replace(line), text)
	}
	source.publish(t, "1.0.0")
	c.awaitReason("harbor", "ferry", "Resolved")
	assert.Contains(t, c.metrics(), `resolvent_failing{result="catalogsUnhealthy"} 0`)
}

// Objects of the cluster are read as those of kubectl's texts.
func TestConversion(t *testing.T) {
	c := New(nil, nil, Options{})
	for _, name := range []string{"update", "extension", "failing", "install"} {
		text := manifestOf(t, name)
		want, err := manifest.Read(t.Context(), manifest.Input{Name: name, Reader: strings.NewReader(text)})
		require.NoError(t, err)
		var got cluster.Objects
		for _, u := range parse(t, text) {
			converted, err := c.convert(u)
			require.NoError(t, err)
			require.NoError(t, converted.(*object).fault)
			got.Append(converted.(*object).read.objects())
		}
		assert.Equal(t, want, got)
	}
}
