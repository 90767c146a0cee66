package apiserver

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/examples/controller/reconcile"
	"github.com/resolvent/resolvent/resolver/policy"
	"github.com/resolvent/resolvent/testdata/testkit"
)

// TestControllerApproves: InstallPlans that change all the time are approved with the shipped
// rights, and only as what is right: the real server compares versions.
func TestControllerApproves(t *testing.T) {
	s := Start(t)
	for _, file := range []string{"../controller/rbac.yaml", "../controller/approve.yaml"} {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		s.Apply(t, string(text))
	}
	admin, err := dynamic.NewForConfig(s.Config())
	require.NoError(t, err)
	config := s.ServiceAccount(t, "resolvent", "controller")
	client, err := dynamic.NewForConfig(config)
	require.NoError(t, err)
	kube, err := kubernetes.NewForConfig(config)
	require.NoError(t, err)
	snapshot, err := cache.LoadFS(t.Context(), fstest.MapFS{"catalog.yaml": {Data: []byte(`
{schema: olm.package, name: lighthouse, defaultChannel: stable}
---
{schema: olm.channel, package: lighthouse, name: stable, entries: [{name: lighthouse.v1.1.0}, {name: lighthouse.v1.2.0, replaces: lighthouse.v1.1.0}]}
---
{schema: olm.bundle, package: lighthouse, name: lighthouse.v1.1.0, image: example.com/lighthouse:1.1.0, properties: [{type: olm.package, value: {packageName: lighthouse, version: 1.1.0}}]}
---
{schema: olm.bundle, package: lighthouse, name: lighthouse.v1.2.0, image: example.com/lighthouse:1.2.0, properties: [{type: olm.package, value: {packageName: lighthouse, version: 1.2.0}}]}
`)}}, cache.Options{Strict: true})
	require.NoError(t, err)
	rules, err := policy.Parse([]byte("apiVersion: resolvent/v1\nkind: Policy\nmetadata: {name: p}\ncandidates:\n- {name: r, deny: 'semver_compare(bundle.version, \"1.2.0\") >= 0'}\n"))
	require.NoError(t, err)
	controller := reconcile.New(client, kube, reconcile.Options{
		Sources: map[catalog.Key]cache.Source{{Namespace: "olm", Name: "coast"}: testkit.Static(snapshot)},
		Approve: true, Resolver: policy.Options{Policies: []*policy.Policy{rules}},
	})
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- controller.Run(ctx) }()
	defer func() {
		stop()
		assert.NoError(t, <-ended)
	}()

	// The rule denies 1.2.0.
	const right = "lighthouse.v1.1.0"
	plans := resource("operators.coreos.com", "v1alpha1", "installplans")
	const namespaces = 5
	for i := range namespaces {
		s.Apply(t, fmt.Sprintf(`
{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "n%[1]d"}}
---
{"apiVersion": "operators.coreos.com/v1alpha1", "kind": "Subscription", "metadata": {"namespace": "n%[1]d", "name": "lighthouse"}, "spec": {"name": "lighthouse", "source": "coast", "sourceNamespace": "olm", "installPlanApproval": "Manual"}}
---
{"apiVersion": "operators.coreos.com/v1alpha1", "kind": "InstallPlan", "metadata": {"namespace": "n%[1]d", "name": "install-1"}, "spec": {"approval": "Manual", "approved": false, "clusterServiceVersionNames": ["lighthouse.v1.2.0"]}}
`, i))
	}
	in := func(namespace string) dynamic.ResourceInterface { return admin.Resource(plans).Namespace(namespace) }
	brings := func(u *unstructured.Unstructured) []string {
		names, _, _ := unstructured.NestedStringSlice(u.Object, "spec", "clusterServiceVersionNames")
		return names
	}
	approved := func(u *unstructured.Unstructured) bool {
		is, _, _ := unstructured.NestedBool(u.Object, "spec", "approved")
		return is
	}
	// change makes the InstallPlan another one that waits, as long as it is not approved.
	change := func(namespace, bundle string) bool {
		u, err := in(namespace).Get(t.Context(), "install-1", metav1.GetOptions{})
		require.NoError(t, err)
		if approved(u) {
			assert.Equal(t, []string{right}, brings(u), "what is approved")
			return false
		}
		require.NoError(t, unstructured.SetNestedStringSlice(u.Object, []string{bundle}, "spec", "clusterServiceVersionNames"))
		u, err = in(namespace).Update(t.Context(), u, metav1.UpdateOptions{})
		if apierrors.IsConflict(err) {
			return true // it is approved just now: looked at next time
		}
		require.NoError(t, err)
		require.NoError(t, unstructured.SetNestedMap(u.Object, map[string]any{"phase": "RequiresApproval", "catalogSources": []any{}}, "status"))
		if _, err = in(namespace).UpdateStatus(t.Context(), u, metav1.UpdateOptions{}); !apierrors.IsConflict(err) {
			require.NoError(t, err)
		}
		return true
	}
	r := rand.New(rand.NewPCG(47, 0))
	done := map[string]bool{}
	for end := time.Now().Add(time.Minute); len(done) < namespaces && time.Now().Before(end); {
		namespace := fmt.Sprintf("n%d", r.IntN(namespaces))
		if !done[namespace] && !change(namespace, []string{right, "lighthouse.v1.2.0", "lighthouse.v9"}[r.IntN(3)]) {
			done[namespace] = true
		}
		time.Sleep(time.Duration(r.IntN(20)) * time.Millisecond)
	}
	assert.Len(t, done, namespaces, "all are approved in the end")
	require.Eventually(t, func() bool {
		events, err := admin.Resource(resource("", "v1", "events")).List(t.Context(), metav1.ListOptions{FieldSelector: "reason=Approved"})
		return err == nil && len(events.Items) == namespaces
	}, time.Minute, 100*time.Millisecond, "each has an event")
}
