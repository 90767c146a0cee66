package main

import (
	"context"
	"errors"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	apiruntime "k8s.io/apimachinery/pkg/runtime"
	clienttesting "k8s.io/client-go/testing"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/manifest"
	"github.com/resolvent/resolvent/resolver/policy"
)

func manifestOf(t testing.TB, name string) string {
	text, err := os.ReadFile("../../testdata/cluster/" + name + ".yaml")
	require.NoError(t, err)
	return string(text)
}

func TestSeveralNamespaces(t *testing.T) {
	c := newCluster(t, manifestOf(t, "failing"), manifestOf(t, "install"))
	c.start(catalogs(t), Options{})
	c.awaitResult("harbor", "resolved")
	c.awaitResult("arctic", "notSatisfiable")
	c.awaitResult("deep-sea", "notSatisfiable")

	assert.True(t, c.installs("harbor", "ferry.v1.0.0", "lighthouse.v1.2.0", "compass.v1.1.0", "pier.v2.0.0",
		"lantern.v1.1.1", "foghorn.v2.1.0", "kerosene.v1.4.0"))
	assert.Equal(t, condition{}, c.condition("harbor", "ferry"))

	// Both Subscriptions of a namespace say why, and how to mend it.
	for _, name := range []string{"ferry", "iceberg"} {
		said := c.condition("arctic", name)
		assert.Equal(t, "ConstraintsNotSatisfiable", said.reason)
		assert.Contains(t, said.message, "iceberg")
		assert.Contains(t, said.message, "delete Subscription iceberg", "what would help")
	}
	assert.Contains(t, c.condition("deep-sea", "kraken").message, "Galleon")
	assert.NotContains(t, c.plan("arctic"), "plan.yaml")
}

func TestConflictIsResolvedByAChange(t *testing.T) {
	c := newCluster(t, manifestOf(t, "failing"))
	c.start(catalogs(t), Options{})
	c.awaitResult("arctic", "notSatisfiable")
	c.delete(subscriptionResource, "arctic", "iceberg")
	c.awaitResult("arctic", "resolved")
	assert.Equal(t, condition{}, c.condition("arctic", "ferry"))
	assert.Equal(t, "ConstraintsNotSatisfiable", c.condition("deep-sea", "kraken").reason, "of another namespace")
}

func TestNothingIsResolvedWhileNothingChanges(t *testing.T) {
	c := newCluster(t, manifestOf(t, "failing"), manifestOf(t, "install"))
	c.start(catalogs(t), Options{})
	for _, namespace := range []string{"harbor", "arctic", "deep-sea"} {
		c.await(namespace, func() bool { return c.plan(namespace) != nil })
	}
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
		ofThePlan := action.GetResource() == configMapResource && action.GetVerb() != "get" && action.GetNamespace() != "sentinel"
		assert.False(t, ofThePlan || action.GetSubresource() == "status", "written: %v", action)
	}

	// A change that matters brings all namespaces back, which is another answer
	// for one.
	c.edit(watched[2].GroupVersionResource, "olm", "island", func(u *unstructured.Unstructured) {
		require.NoError(t, unstructured.SetNestedField(u.Object, "TRANSIENT_FAILURE", "status", "connectionState", "lastObservedState"))
	})
	c.awaitResult("harbor", "catalogsUnhealthy")
	assert.Equal(t, "CatalogsUnhealthy", c.condition("harbor", "ferry").reason)
	assert.Contains(t, c.condition("harbor", "ferry").message, "TRANSIENT_FAILURE")
}

func TestCatalogIsReplaced(t *testing.T) {
	source := &publisher{}
	source.publish(t, "1.0.0")
	c := newCluster(t, subscription("harbor", "ferry", "ferry", "stable"), subscription("fjord", "ferry", "ferry", "stable"))
	c.start(map[catalog.Key]cache.Source{coast: source}, Options{})
	for _, namespace := range []string{"harbor", "fjord"} {
		c.await("ferry 1.0.0 in "+namespace, func() bool { return c.installs(namespace, "ferry.v1.0.0") })
	}
	source.publish(t, "1.0.0", "1.1.0")
	for _, namespace := range []string{"harbor", "fjord"} {
		c.await("ferry 1.1.0 in "+namespace, func() bool { return c.installs(namespace, "ferry.v1.1.0") })
	}
}

func TestCatalogFailsAndRecovers(t *testing.T) {
	source := &publisher{}
	source.publish(t, "1.0.0")
	c := newCluster(t, subscription("harbor", "ferry", "ferry", "stable"))
	c.start(map[catalog.Key]cache.Source{coast: source}, Options{})
	c.awaitResult("harbor", "resolved")

	source.fail(errors.New("connection refused"))
	c.awaitResult("harbor", "catalogsUnhealthy")
	assert.Equal(t, condition{"CatalogsUnhealthy", "These catalogs cannot be used:\n- olm/coast: connection refused"},
		c.condition("harbor", "ferry"))
	resolved, tried := c.settle(), c.controller.catalogs.View().Catalog(coast).Failures
	c.await("the catalog is tried again", func() bool { return c.controller.catalogs.View().Catalog(coast).Failures > tried+9 })
	assert.Equal(t, resolved, c.controller.resolutions.Load(), "the namespace waits for the catalog")

	source.publish(t, "1.0.0")
	c.awaitResult("harbor", "resolved")
	assert.Equal(t, condition{}, c.condition("harbor", "ferry"))
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
	c.await("ferry in harbor", func() bool { return c.installs("harbor", "ferry.v3.0.0") })
	c.await("ferry in fjord", func() bool { return c.installs("fjord", "ferry.v1.0.0") })
	before := c.settle()
	private.fail(errors.New("connection refused"))
	c.awaitResult("harbor", "catalogsUnhealthy")
	assert.Equal(t, before+2, c.settle(), "resolutions: of harbor, and of the sentinel")
	assert.Equal(t, "resolved", c.plan("fjord")["result"])
}

// A resolution that is cut off is tried again without any change.
func TestIncompleteIsTriedAgain(t *testing.T) {
	var asked atomic.Int64
	c := newCluster(t, subscription("harbor", "ferry", "ferry", "stable"))
	c.start(catalogs(t), Options{
		Timeout: 20 * time.Millisecond,
		Resolver: policy.Options{SystemConstraint: func(ctx context.Context, _ policy.Candidate) (bool, string) {
			if asked.Add(1) <= 2 {
				<-ctx.Done()
			}
			return true, ""
		}},
	})
	c.awaitResult("harbor", "resolved")
	assert.GreaterOrEqual(t, c.controller.resolutions.Load(), int64(2))
	assert.Equal(t, condition{}, c.condition("harbor", "ferry"))
}

func TestRefusedWritesAreTriedAgain(t *testing.T) {
	c := newCluster(t, manifestOf(t, "failing"))
	var refused atomic.Int64
	refuse := func(action clienttesting.Action) (bool, apiruntime.Object, error) {
		if refused.Add(1) <= 4 {
			return true, nil, apierrors.NewConflict(action.GetResource().GroupResource(), "it", errors.New("it was changed"))
		}
		return false, nil, nil
	}
	c.client.PrependReactor("update", "subscriptions", refuse)
	c.client.PrependReactor("create", "configmaps", refuse)
	c.start(catalogs(t), Options{})
	c.awaitResult("arctic", "notSatisfiable")
	c.awaitResult("deep-sea", "notSatisfiable")
	assert.Greater(t, refused.Load(), int64(4))
	for _, name := range []string{"ferry", "iceberg"} {
		assert.Equal(t, "ConstraintsNotSatisfiable", c.condition("arctic", name).reason)
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
	c.awaitResult("harbor", "invalidInput")
	c.awaitResult("fjord", "resolved")
	said := c.condition("harbor", "ferry")
	assert.Equal(t, "InvalidInput", said.reason)
	assert.Contains(t, said.message, "ClusterServiceVersion harbor/driftwood")
	assert.Contains(t, said.message, `want PLURAL.GROUP`)
	c.delete(watched[1].GroupVersionResource, "harbor", "driftwood")
	c.awaitResult("harbor", "resolved")
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
  - {type: ResolutionFailed, status: "True", reason: Old, message: old, lastTransitionTime: "2020-01-01T00:00:00Z"}
---
apiVersion: operators.coreos.com/v1alpha1
kind: Subscription
metadata: {namespace: harbor, name: ferry}
spec: {name: ferry, channel: stable, source: coast, sourceNamespace: olm}
---
apiVersion: v1
kind: ConfigMap
metadata: {namespace: harbor, name: resolution}
data: {owner: somebody else}
`)
	c.start(catalogs(t), Options{})
	c.awaitResult("deep-sea", "notSatisfiable")
	c.edit(subscriptionResource, "deep-sea", "kraken", func(u *unstructured.Unstructured) {
		conditions, _, err := unstructured.NestedSlice(u.Object, "status", "conditions")
		require.NoError(t, err)
		require.Len(t, conditions, 2)
		assert.Equal(t, "CatalogSourcesUnhealthy", conditions[0].(map[string]any)["type"])
		assert.Equal(t, "2020-01-01T00:00:00Z", conditions[1].(map[string]any)["lastTransitionTime"], "it was true before")
		assert.Equal(t, "ConstraintsNotSatisfiable", conditions[1].(map[string]any)["reason"])
		state, _, _ := unstructured.NestedString(u.Object, "status", "state")
		assert.Equal(t, "UpgradePending", state)
	})
	c.await("a second try", func() bool { return c.controller.queue.NumRequeues("harbor") > 1 })
	assert.Equal(t, map[string]string{"owner": "somebody else"}, c.plan("harbor"))
}

// A ConfigMap goes with the Subscriptions that it is about.
func TestOwners(t *testing.T) {
	c := newCluster(t, manifestOf(t, "failing"))
	owners := func() (names []string) {
		for _, action := range c.client.Actions() {
			if write, ok := action.(clienttesting.CreateAction); ok && action.GetNamespace() == "arctic" && action.GetResource() == configMapResource {
				names = nil
				for _, o := range write.GetObject().(*unstructured.Unstructured).GetOwnerReferences() {
					names = append(names, o.Kind+" "+o.Name+" "+string(o.UID))
				}
			}
		}
		return names
	}
	c.start(catalogs(t), Options{})
	c.awaitResult("arctic", "notSatisfiable")
	assert.Equal(t, []string{"Subscription ferry uid-of-ferry", "Subscription iceberg uid-of-iceberg"}, owners())
}

// Objects of the cluster are read as those of kubectl's texts.
func TestConversion(t *testing.T) {
	c := &Controller{}
	for _, name := range []string{"update", "extension", "failing", "install"} {
		text := manifestOf(t, name)
		want, err := manifest.Read(t.Context(), strings.NewReader(text), name)
		require.NoError(t, err)
		var got cluster.Objects
		for _, u := range parse(t, text) {
			converted, err := c.convert(u)
			require.NoError(t, err)
			require.NoError(t, converted.(*object).fault)
			got.Append(converted.(*object).read)
		}
		assert.Equal(t, want, got)
	}
}

func TestFlags(t *testing.T) {
	sources := catalogFlags{}
	require.NoError(t, sources.Set("olm/coast=../../testdata/catalogs/coast"))
	snapshot, err := sources[coast].Load(t.Context())
	require.NoError(t, err)
	assert.NotNil(t, snapshot.Package("ferry"))
	assert.EqualError(t, sources.Set("olm/coast=elsewhere"), "catalog olm/coast is given twice")
	for _, wrong := range []string{"", "coast=x", "olm/coast", "/coast=x", "olm/=x", "olm/coast="} {
		assert.Error(t, sources.Set(wrong), wrong)
	}
	assert.Error(t, run(t.Context(), []string{"--kubeconfig", "missing"}))
}
