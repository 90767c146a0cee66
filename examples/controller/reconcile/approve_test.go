package reconcile

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	apiruntime "k8s.io/apimachinery/pkg/runtime"
	clienttesting "k8s.io/client-go/testing"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver/lock"
	"github.com/resolvent/resolvent/resolver/policy"
)

// approving are options with which InstallPlans are approved under a rule.
func approving(t testing.TB, rule string) Options {
	p, err := policy.Parse([]byte("apiVersion: resolvent/v1\nkind: Policy\nmetadata: {name: p}\ncandidates:\n- {name: r, deny: '" + rule + "'}\n"))
	require.NoError(t, err)
	return Options{Approve: true, Resolver: policy.Options{Policies: []*policy.Policy{p}}}
}

// plan is the manifest of an InstallPlan that waits.
func plan(namespace, version string, brings ...string) string {
	names, _ := json.Marshal(brings)
	return fmt.Sprintf(`{"apiVersion": "operators.coreos.com/v1alpha1", "kind": "InstallPlan",
		"metadata": {"namespace": %q, "name": "install-1", "resourceVersion": %q},
		"spec": {"approval": "Manual", "approved": false, "clusterServiceVersionNames": %s}, "status": {"phase": "RequiresApproval"}}`, namespace, version, names)
}

func (c *testCluster) approved(namespace string) bool {
	u, err := c.client.Resource(installPlanResource).Namespace(namespace).Get(c.Context(), "install-1", metav1.GetOptions{})
	require.NoError(c, err)
	is, _, _ := unstructured.NestedBool(u.Object, "spec", "approved")
	return is
}

// planEvents are those of the InstallPlan of a namespace, each with its type.
func (c *testCluster) planEvents(namespace string) (list []string) {
	events, err := c.kube.CoreV1().Events(namespace).List(c.Context(), metav1.ListOptions{})
	require.NoError(c, err)
	for _, e := range events.Items {
		if e.InvolvedObject.Kind == "InstallPlan" && e.InvolvedObject.UID != "" {
			list = append(list, e.Type+" "+e.Reason+" "+e.Message)
		}
	}
	return list
}

// patched counts the attempts to approve something.
func (c *testCluster) patched() (n int) {
	for _, a := range c.client.Actions() {
		if a.Matches("patch", "installplans") {
			n++
		}
	}
	return n
}

// TestApprove: an InstallPlan is approved if it brings what resolving brings and no rule denies
// that; an event and a metric say what came of each, once.
func TestApprove(t *testing.T) {
	source := &publisher{}
	source.publish(t, "1.0.0", "1.1.0", "2.0.0")
	var objects []string
	for namespace, brings := range map[string]string{"right": "ferry.v1.1.0", "denied": "ferry.v2.0.0", "stale": "ferry.v1.0.0"} {
		objects = append(objects, subscription(namespace, "ferry", "ferry", "stable"), plan(namespace, "7", brings))
	}
	objects = append(objects, plan("nobody", "7", "ferry.v1.1.0"), subscription("unnumbered", "ferry", "ferry", "stable"), plan("unnumbered", "", "ferry.v1.1.0"))
	c := newCluster(t, objects...)
	c.start(map[catalog.Key]cache.Source{coast: source}, approving(t, "major(bundle.version) > 1"))
	c.await("the right one is approved", func() bool { return c.approved("right") })
	c.await("events", func() bool {
		return len(c.planEvents("right")) > 0 && len(c.planEvents("denied")) > 0 && len(c.planEvents("stale")) > 0
	})
	c.settle()
	assert.Equal(t, []string{"Normal Approved approve: it matches what OLM would resolve today"}, c.planEvents("right"))
	assert.Equal(t, []string{"Warning ApprovalWaits do not approve it now: denied: ferry.v2.0.0 is denied: rule r of policy p denies it; stale: InstallPlan install-1 brings ferry.v2.0.0, but resolving the namespace now brings ferry.v1.1.0"}, c.planEvents("denied"))
	assert.Len(t, c.planEvents("stale"), 1)
	for _, namespace := range []string{"denied", "stale", "nobody", "unnumbered"} {
		assert.False(t, c.approved(namespace), namespace)
	}
	assert.Equal(t, 1, c.patched())
	for _, line := range []string{`{result="approve"} 1`, `{result="wait"} 2`, `{result="conflict"} 0`, `{result="error"} 0`} {
		assert.Contains(t, c.metrics(), "resolvent_approvals_total"+line)
	}

	// What it waits for comes, or it becomes what is right.
	source.publish(t, "1.0.0")
	c.await("nothing newer is there", func() bool { return c.approved("stale") })
	c.edit(installPlanResource, "denied", "install-1", func(u *unstructured.Unstructured) {
		u.SetResourceVersion("8")
		require.NoError(t, unstructured.SetNestedStringSlice(u.Object, []string{"ferry.v1.0.0"}, "spec", "clusterServiceVersionNames"))
	})
	c.await("it brings what is right", func() bool { return c.approved("denied") })
}

// TestApproveLock: what the lock has may come, and nothing beyond it, although resolving brings that.
func TestApproveLock(t *testing.T) {
	source := &publisher{}
	source.publish(t, "1.0.0", "1.1.0", "2.0.0")
	c := newCluster(t, subscription("held", "ferry", "ferry", "stable"), plan("held", "7", "ferry.v2.0.0"), subscription("right", "ferry", "ferry", "stable"), plan("right", "7", "ferry.v1.1.0"))
	o := approving(t, "false")
	o.Cluster = "prod"
	o.Lock = &lock.Lock{Scopes: []lock.Scope{
		{Cluster: "prod", Namespace: "held", Bundles: []lock.Bundle{{Package: "ferry", Name: "ferry.v1.1.0", Catalog: coast.String()}}},
		{Cluster: "prod", Namespace: "right", Bundles: []lock.Bundle{{Package: "ferry", Name: "ferry.v1.1.0", Catalog: coast.String()}}},
	}}
	c.start(map[catalog.Key]cache.Source{coast: source}, o)
	c.await("the locked one is approved", func() bool { return c.approved("right") })
	c.await("the other waits", func() bool { return len(c.planEvents("held")) > 0 })
	assert.Equal(t, []string{"Warning ApprovalWaits do not approve it now: stale: the lock holds ferry at ferry.v1.1.0, and ferry.v2.0.0 does not lead there"}, c.planEvents("held"))
	assert.False(t, c.approved("held"))
}

// TestApproveIsOff: nothing is read or written of InstallPlans unless that is asked for.
func TestApproveIsOff(t *testing.T) {
	c := newCluster(t, subscription("harbor", "ferry", "ferry", "stable"), plan("harbor", "7", "ferry.v1.0.0"))
	source := &publisher{}
	source.publish(t, "1.0.0")
	options := approving(t, "false")
	options.Approve = false
	c.start(map[catalog.Key]cache.Source{coast: source}, options)
	c.awaitReason("harbor", "ferry", "Resolved")
	c.settle()
	for _, a := range c.client.Actions() {
		assert.NotEqual(t, "installplans", a.GetResource().Resource, a.GetVerb())
	}
	assert.False(t, c.approved("harbor"))
}

// TestApproveRefused: what cannot be approved is tried again, and others do not wait for it.
func TestApproveRefused(t *testing.T) {
	c := newCluster(t, subscription("harbor", "ferry", "ferry", "stable"), plan("harbor", "7", "ferry.v1.0.0"), subscription("fjord", "ferry", "ferry", "stable"), plan("fjord", "7", "ferry.v1.0.0"))
	var mu sync.Mutex
	refusals := 3
	c.client.PrependReactor("patch", "installplans", func(a clienttesting.Action) (bool, apiruntime.Object, error) {
		mu.Lock()
		defer mu.Unlock()
		if a.GetNamespace() != "harbor" || refusals == 0 {
			return false, nil, nil
		}
		refusals--
		return true, nil, apierrors.NewForbidden(a.GetResource().GroupResource(), "install-1", errors.New("a webhook denies it"))
	})
	source := &publisher{}
	source.publish(t, "1.0.0")
	c.start(map[catalog.Key]cache.Source{coast: source}, approving(t, "false"))
	c.await("both are approved", func() bool { return c.approved("harbor") && c.approved("fjord") })
	assert.Contains(t, c.metrics(), `resolvent_approvals_total{result="error"} 3`)
}

// TestApproveRace: an InstallPlan that changes all the time is approved only as what is right.
// The API server compares versions, as the real one does; what it refuses is not tried again
// before the InstallPlan has changed.
func TestApproveRace(t *testing.T) {
	source := &publisher{}
	source.publish(t, "1.0.0", "1.1.0")
	c := newCluster(t, subscription("harbor", "ferry", "ferry", "stable"), plan("harbor", "0", "ferry.v1.0.0"))
	const right = "ferry.v1.1.0"
	r := rand.New(rand.NewPCG(47, 0))
	version, refused, granted := 0, 0, 0
	tried := map[string]int{}
	tracker := c.client.Tracker()
	// write is called with the lock of the client held: by the reactors below only.
	write := func(brings string) error {
		version++
		return tracker.Update(installPlanResource, parse(t, plan("harbor", fmt.Sprint(version), brings))[0], "harbor")
	}
	c.client.PrependReactor("patch", "installplans", func(a clienttesting.Action) (bool, apiruntime.Object, error) {
		var patch struct {
			Metadata struct{ ResourceVersion string }
			Spec     map[string]any
		}
		assert.NoError(t, json.Unmarshal(a.(clienttesting.PatchAction).GetPatch(), &patch))
		assert.Equal(t, map[string]any{"approved": true}, patch.Spec)
		tried[patch.Metadata.ResourceVersion]++
		if r.IntN(2) == 0 { // it changes between judging and approving
			assert.NoError(t, write([]string{right, "ferry.v1.0.0"}[r.IntN(2)]))
		}
		o, err := tracker.Get(installPlanResource, "harbor", "install-1")
		assert.NoError(t, err)
		u := o.(*unstructured.Unstructured)
		if u.GetResourceVersion() != patch.Metadata.ResourceVersion {
			refused++
			return true, nil, apierrors.NewConflict(a.GetResource().GroupResource(), "install-1", errors.New("it has changed"))
		}
		names, _, _ := unstructured.NestedStringSlice(u.Object, "spec", "clusterServiceVersionNames")
		assert.Equal(t, []string{right}, names, "what is approved")
		granted++
		return false, nil, nil
	})
	// The test changes it by a verb that nobody else uses, so under the same lock.
	c.client.PrependReactor("update", "installplans", func(a clienttesting.Action) (bool, apiruntime.Object, error) {
		names, _, _ := unstructured.NestedStringSlice(a.(clienttesting.UpdateAction).GetObject().(*unstructured.Unstructured).Object, "spec", "clusterServiceVersionNames")
		return true, a.(clienttesting.UpdateAction).GetObject(), write(names[0])
	})
	change := func(brings string) {
		_, err := c.client.Resource(installPlanResource).Namespace("harbor").Update(t.Context(), parse(t, plan("harbor", "", brings))[0], metav1.UpdateOptions{})
		require.NoError(t, err)
	}
	c.start(map[catalog.Key]cache.Source{coast: source}, approving(t, "false"))
	c.awaitReason("harbor", "ferry", "Resolved")
	random := rand.New(rand.NewPCG(48, 0))
	for range 300 {
		change([]string{right, "ferry.v1.0.0", "ferry.v2.0.0"}[random.IntN(3)])
		time.Sleep(time.Duration(random.IntN(4)) * time.Millisecond)
	}
	c.await("it is approved in the end", func() bool {
		if !c.approved("harbor") {
			change(right) // or the last change made it another one
			time.Sleep(20 * time.Millisecond)
		}
		return c.approved("harbor")
	})
	before := c.patched()
	c.settle()
	assert.Equal(t, before, c.patched(), "nothing is tried again")
	said := c.metrics()
	c.client.Lock()
	defer c.client.Unlock()
	assert.Contains(t, said, fmt.Sprintf(`resolvent_approvals_total{result="conflict"} %d`, refused))
	assert.Contains(t, said, fmt.Sprintf(`resolvent_approvals_total{result="approve"} %d`, granted))
	assert.Positive(t, refused)
	assert.Positive(t, granted)
	for version, n := range tried {
		assert.Equal(t, 1, n, "attempts at version %s", version)
	}
	t.Logf("%d approved, %d refused", granted, refused)
}

// TestApproveRules: what rules read beside the requests, labels and the day, is followed.
func TestApproveRules(t *testing.T) {
	source := &publisher{}
	source.publish(t, "1.0.0")
	c := newCluster(t, subscription("harbor", "ferry", "ferry", "stable"), plan("harbor", "7", "ferry.v1.0.0"),
		`{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "harbor"}}`)
	options := approving(t, `!("open" in namespace.labels) || cluster.today != "2026-01-02"`)
	var mu sync.Mutex
	now := time.Date(2026, 1, 1, 23, 59, 59, 0, time.UTC)
	options.Now = func() time.Time {
		mu.Lock()
		defer mu.Unlock()
		return now
	}
	c.start(map[catalog.Key]cache.Source{coast: source}, options)
	c.await("it waits", func() bool { return len(c.planEvents("harbor")) > 0 })
	c.edit(watched[5].GroupVersionResource, "", "harbor", func(u *unstructured.Unstructured) { u.SetLabels(map[string]string{"open": ""}) })
	mu.Lock()
	now = now.Add(time.Second)
	mu.Unlock()
	c.await("the day has come", func() bool { return c.approved("harbor") })
}

// TestApproveRights: the role for it grants what is used besides, no more and no fewer.
func TestApproveRights(t *testing.T) {
	source := &publisher{}
	source.publish(t, "1.0.0")
	c := newCluster(t, subscription("harbor", "ferry", "ferry", "stable"), plan("harbor", "7", "ferry.v1.0.0"))
	c.start(map[catalog.Key]cache.Source{coast: source}, approving(t, "false"))
	c.await("an event", func() bool {
		return slices.ContainsFunc(c.planEvents("harbor"), func(said string) bool { return strings.HasPrefix(said, corev1.EventTypeNormal) })
	})
	used := rightsUsed(c)
	for right := range rightsOf(t, "rbac.yaml") {
		delete(used, right)
	}
	delete(used, "get operators.coreos.com installplans") // by the test
	assert.Equal(t, rightsOf(t, "approve.yaml"), used)
}
