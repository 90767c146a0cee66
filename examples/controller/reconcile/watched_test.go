package reconcile

import (
	"errors"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	apiruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clienttesting "k8s.io/client-go/testing"
	"sigs.k8s.io/yaml"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
)

// Each kind of object that a resolution reads is watched: what comes, changes and goes shows
// in the condition.
func TestEachKindIsWatched(t *testing.T) {
	groups, conditions, namespaces := olmv0("v1", "operatorgroups"), olmv0("v2", "operatorconditions"), schema.GroupVersionResource{Version: "v1", Resource: "namespaces"}
	c := newCluster(t, manifestOf(t, "update"))
	c.start(catalogs(t), Options{})
	says := func(text string) func() bool {
		return func() bool { return strings.Contains(c.condition("harbor", "lighthouse").message, text) }
	}
	const update = "install lighthouse.v1.2.0"
	c.await("there is an update", says(update))

	c.create(conditions, `{"apiVersion": "operators.coreos.com/v2", "kind": "OperatorCondition", "metadata": {"namespace": "harbor", "name": "lighthouse.v1.1.0"},
		"spec": {"conditions": [{"type": "Upgradeable", "status": "False", "reason": "Busy", "message": "ships are near"}]}}`)
	c.await("the operator refuses it", func() bool { return !says(update)() })
	c.delete(conditions, "harbor", "lighthouse.v1.1.0")
	c.await("it does not any more", says(update))

	c.create(groups, `{"apiVersion": "operators.coreos.com/v1", "kind": "OperatorGroup", "metadata": {"namespace": "harbor", "name": "crew"}, "spec": {"selector": {"matchLabels": {"sea": "north"}}}}`)
	c.await("the OperatorGroup has no targets", says("matches no known namespace"))
	without := c.condition("harbor", "lighthouse")
	c.create(namespaces, `{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "harbor", "labels": {"sea": "north"}}}`)
	c.await("the OperatorGroup has a target", func() bool { return c.condition("harbor", "lighthouse") != without })
	c.create(groups, `{"apiVersion": "operators.coreos.com/v1", "kind": "OperatorGroup", "metadata": {"namespace": "harbor", "name": "mates"}}`)
	c.await("there are two OperatorGroups", func() bool {
		return strings.Contains(c.condition("harbor", "lighthouse").message, "TooManyOperatorGroups")
	})
	c.delete(groups, "harbor", "mates")
	c.await("there is one OperatorGroup", func() bool { return !c.condition("harbor", "lighthouse").failed })
}

// A ClusterCatalog is read again and again, and goes with its object.
func TestClusterCatalogsAreFollowed(t *testing.T) {
	source := &publisher{}
	source.publish(t, "1.0.0")
	c := newCluster(t, `{"apiVersion": "olm.operatorframework.io/v1", "kind": "ClusterExtension", "metadata": {"name": "ferry"}, "spec": {"namespace": "harbor", "source": {"sourceType": "Catalog", "catalog": {"packageName": "ferry"}}}}`,
		`{"apiVersion": "olm.operatorframework.io/v1", "kind": "ClusterCatalog", "metadata": {"name": "coast"}, "status": {"urls": {"base": "https://catalogd/catalogs/coast"}}}`)
	of := func() condition {
		u, err := c.client.Resource(extensionResource).Get(t.Context(), "ferry", metav1.GetOptions{})
		require.NoError(t, err)
		return stated(u, DefaultCondition)
	}
	c.start(nil, Options{Catalogd: func(string) (cache.Source, error) { return source, nil }})
	c.await("ferry 1.0.0", func() bool { return strings.Contains(of().message, "install ferry.v1.0.0") })
	for _, generation := range []int64{7, 8} {
		at := c.client.Resource(extensionResource)
		u, err := at.Get(t.Context(), "ferry", metav1.GetOptions{})
		require.NoError(t, err)
		u.SetGeneration(generation)
		require.NoError(t, unstructured.SetNestedField(u.Object, generation, "spec", "config", "inline", "n"))
		_, err = at.Update(t.Context(), u, metav1.UpdateOptions{})
		require.NoError(t, err)
		c.await("observedGeneration", func() bool { return of().generation == generation })
	}
	source.publish(t, "1.0.0", "1.1.0")
	c.await("ferry 1.1.0", func() bool { return strings.Contains(of().message, "install ferry.v1.1.0") })
	require.NoError(t, c.client.Resource(olmv1("clustercatalogs")).Delete(t.Context(), "coast", metav1.DeleteOptions{}))
	c.await("there is no catalog", func() bool { return of().failed })
}

// The catalog of a CatalogSource is read where its registry pod is; one that cannot be read is
// named.
func TestRegistriesAreRead(t *testing.T) {
	source := &publisher{}
	source.publish(t, "1.0.0")
	c := newCluster(t, subscription("harbor", "ferry", "ferry", "stable"),
		`{"apiVersion": "operators.coreos.com/v1alpha1", "kind": "CatalogSource", "metadata": {"namespace": "olm", "name": "coast"}, "spec": {"sourceType": "grpc"}, "status": {"connectionState": {"address": "coast.olm.svc:50051", "lastObservedState": "READY"}}}`)
	c.start(nil, Options{Registry: func(key catalog.Key, address string) (cache.Source, error) {
		if key == coast && address == "coast.olm.svc:50051" {
			return source, nil
		}
		return nil, errors.New("nobody is at " + address)
	}})
	c.awaitReason("harbor", "ferry", "Resolved")
	c.edit(olmv0("v1alpha1", "catalogsources"), "olm", "coast", func(u *unstructured.Unstructured) {
		require.NoError(t, unstructured.SetNestedField(u.Object, "elsewhere:50051", "spec", "address"))
	})
	c.await("it is not there", func() bool {
		return strings.Contains(c.condition("harbor", "ferry").message, "nobody is at elsewhere:50051")
	})
	c.await("metrics say so", func() bool {
		_, count, _ := strings.Cut(c.metrics(), `resolvent_catalog_failures{catalog="olm/coast"} `)
		return count != "" && count[0] != '0'
	})
	assert.Contains(t, c.metrics(), `resolvent_failing{result="catalogsUnhealthy"} 1`)
}

// One Subscription whose status cannot be written keeps no other from being told.
func TestOneRefusedWrite(t *testing.T) {
	c := newCluster(t, subscription("harbor", "a", "ferry", "stable"), subscription("harbor", "b", "lighthouse", "stable"))
	c.client.PrependReactor("patch", "subscriptions", func(action clienttesting.Action) (bool, apiruntime.Object, error) {
		if action.(clienttesting.PatchAction).GetName() == "a" {
			return true, nil, apierrors.NewForbidden(action.GetResource().GroupResource(), "a", errors.New("a webhook denies it"))
		}
		return false, nil, nil
	})
	c.start(catalogs(t), Options{})
	c.awaitReason("harbor", "b", "Resolved")
	assert.Equal(t, condition{}, c.condition("harbor", "a"))
	c.await("it is counted", func() bool {
		_, count, _ := strings.Cut(c.metrics(), `resolvent_writes_total{result="error"} `)
		return count != "" && count[0] != '0'
	})
}

// What changes no answer writes nothing; a recovery is an event as a failure is.
func TestWritesAndEvents(t *testing.T) {
	c := newCluster(t, manifestOf(t, "failing"))
	c.start(catalogs(t), Options{})
	for _, name := range []string{"ferry", "iceberg"} {
		c.awaitReason("arctic", name, "ConstraintsNotSatisfiable")
	}
	c.awaitReason("deep-sea", "kraken", "ConstraintsNotSatisfiable")
	resolved := c.settle()
	patches := func() int {
		return len(slices.DeleteFunc(c.client.Actions(), func(a clienttesting.Action) bool { return a.GetVerb() != "patch" || a.GetNamespace() == "sentinel" }))
	}
	before := patches()
	assert.Equal(t, 3, before, "one for each Subscription")
	c.edit(subscriptionResource, "arctic", "ferry", func(u *unstructured.Unstructured) {
		require.NoError(t, unstructured.SetNestedField(u.Object, "Manual", "spec", "installPlanApproval"))
	})
	assert.Greater(t, c.settle(), resolved+1, "resolutions: of arctic, and of the sentinel")
	assert.Equal(t, before, patches(), "the answer is the same")
	c.delete(subscriptionResource, "arctic", "iceberg")
	c.awaitReason("arctic", "ferry", "Resolved")
	c.await("an event says so", func() bool {
		list, err := c.kube.CoreV1().Events("arctic").List(t.Context(), metav1.ListOptions{})
		require.NoError(t, err)
		return slices.ContainsFunc(list.Items, func(e corev1.Event) bool {
			return e.InvolvedObject.Name == "ferry" && e.Type == corev1.EventTypeNormal && e.Reason == "Resolved"
		})
	})
}

// Nothing is resolved, and Synced says so, until all objects are read.
func TestNothingBeforeAllIsRead(t *testing.T) {
	c := newCluster(t, manifestOf(t, "install"))
	slow := make(chan struct{})
	c.client.PrependReactor("list", "operatorgroups", func(clienttesting.Action) (bool, apiruntime.Object, error) {
		select {
		case <-slow:
			return false, nil, nil
		default:
			return true, nil, apierrors.NewGenericServerResponse(http.StatusServiceUnavailable, "list", schema.GroupResource{}, "", "busy", 0, false)
		}
	})
	c.start(catalogs(t), Options{})
	time.Sleep(100 * time.Millisecond)
	assert.False(t, c.controller.Synced())
	assert.Equal(t, condition{}, c.condition("harbor", "ferry"))
	close(slow)
	c.awaitReason("harbor", "ferry", "Resolved")
	assert.True(t, c.controller.Synced())
}

// What the catalog deprecates is a condition of its own as long as it does.
func TestDeprecations(t *testing.T) {
	c := newCluster(t)
	c.controller = New(nil, nil, Options{Condition: "example.com/Failed"})
	assert.Equal(t, []string{"example.com/Failed", "example.com/PackageDeprecated", "example.com/ChannelDeprecated", "example.com/BundleDeprecated"}, c.controller.types())
	request := func(conditions string) *object {
		o, err := c.controller.convert(parse(t, `{"apiVersion": "operators.coreos.com/v1alpha1", "kind": "Subscription", "metadata": {"namespace": "n", "name": "s", "resourceVersion": "5"}, "spec": {"name": "ferry"}, "status": {"conditions": [`+conditions+`]}}`)[0])
		require.NoError(t, err)
		return o.(*object)
	}
	old := `{"type": "example.com/BundleDeprecated", "status": "True", "reason": "Deprecated", "message": "old", "lastTransitionTime": "then"}`
	list := patch(request(`{"type": "Other"}, `+old+`, {"type": "example.com/Failed", "status": "True", "reason": "R", "message": "m", "lastTransitionTime": "then"}, `+old),
		[]typed{{"example.com/Failed", condition{false, "Resolved", "done", 0}}, {"example.com/PackageDeprecated", condition{true, "Deprecated", "gone", 0}}}, time.Unix(0, 0))
	var paths []string
	for _, o := range list {
		paths = append(paths, o.Op+" "+o.Path)
	}
	assert.Equal(t, []string{"add /metadata/resourceVersion", "test /status/conditions/2/type", "replace /status/conditions/2",
		"test /status/conditions/3/type", "remove /status/conditions/3", "test /status/conditions/1/type", "remove /status/conditions/1",
		"add /status/conditions/-", "add /status/lastUpdated"}, paths)
	assert.Equal(t, "1970-01-01T00:00:00Z", list[2].Value.(map[string]any)["lastTransitionTime"], "it was true")

	d := newCluster(t, subscription("harbor", "ferry", "ferry", "stable"))
	source := &publisher{deprecated: true}
	source.publish(t, "1.0.0")
	d.start(map[catalog.Key]cache.Source{coast: source}, Options{})
	of := func(kind string) condition {
		u, err := d.client.Resource(subscriptionResource).Namespace("harbor").Get(t.Context(), "ferry", metav1.GetOptions{})
		require.NoError(t, err)
		return stated(u, "resolvent/"+kind)
	}
	for _, kind := range []string{"PackageDeprecated", "ChannelDeprecated", "BundleDeprecated"} {
		d.await(kind, func() bool { return of(kind) == condition{true, "Deprecated", "no " + kind, 0} })
	}
	source.deprecated = false
	source.publish(t, "1.0.0", "1.1.0")
	d.await("nothing is deprecated", func() bool {
		return of("PackageDeprecated") == condition{} && of("ChannelDeprecated") == condition{} && of("BundleDeprecated") == condition{}
	})
}

// The rights that the shipped role grants are those that are used, no more and no fewer.
func TestRights(t *testing.T) {
	c := newCluster(t, manifestOf(t, "failing"), manifestOf(t, "install"), manifestOf(t, "extension"))
	c.start(catalogs(t), Options{})
	c.awaitReason("harbor", "ferry", "Resolved")
	c.awaitReason("arctic", "ferry", "ConstraintsNotSatisfiable")
	for range 2 { // the same event again is a change of it
		c.edit(subscriptionResource, "arctic", "ferry", func(u *unstructured.Unstructured) { unstructured.RemoveNestedField(u.Object, "status") })
		c.await("it is back", func() bool { return c.condition("arctic", "ferry").failed })
	}
	granted := rightsOf(t, "rbac.yaml")
	c.await("all rights are used", func() bool { return len(rightsUsed(c)) >= len(granted) })
	assert.Equal(t, granted, rightsUsed(c))
}

// rightsUsed are those that requests to the API server needed.
func rightsUsed(c *testCluster) map[string]bool {
	all := map[string]bool{}
	for _, a := range slices.Concat(c.client.Actions(), c.kube.Actions()) {
		r := a.GetResource()
		name := strings.TrimSuffix(r.Resource+"/"+a.GetSubresource(), "/")
		if r.Resource != "resource" && r.Resource != "group" && r.Resource != "version" { // of discovery, which everybody has
			all[a.GetVerb()+" "+r.Group+" "+name] = true
		}
	}
	// The tests themselves get and update, and list events.
	delete(all, "get operators.coreos.com subscriptions")
	delete(all, "update operators.coreos.com subscriptions")
	delete(all, "list  events")
	return all
}

// rightsOf are those that the cluster roles of a shipped file grant.
func rightsOf(t *testing.T, file string) map[string]bool {
	text, err := os.ReadFile("../" + file)
	require.NoError(t, err)
	granted := map[string]bool{}
	for document := range strings.SplitSeq(string(text), "\n---\n") {
		var role rbacv1.ClusterRole
		require.NoError(t, yaml.Unmarshal([]byte(document), &role))
		if role.Kind != "ClusterRole" {
			continue
		}
		for _, rule := range role.Rules {
			for _, group := range rule.APIGroups {
				for _, r := range rule.Resources {
					for _, verb := range rule.Verbs {
						granted[verb+" "+group+" "+r] = true
					}
				}
			}
		}
	}
	return granted
}
