package apiserver

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http/httptest"
	"os"
	"runtime/pprof"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	apiruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/cache/remote"
	"github.com/resolvent/resolvent/examples/controller/reconcile"
	"github.com/resolvent/resolvent/resolver"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/manifest"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/resolver/text"
	"github.com/resolvent/resolvent/testdata/testkit"
)

// world is a cluster that changes at random, with what the test knows of it.
type world struct {
	testing.TB
	server *Server
	random *rand.Rand
	client dynamic.Interface
	// isDown is true while the server is not ready.
	isDown  atomic.Bool
	sources map[catalog.Key]*publisher
	// notes are what the test wrote last into the status of requests, by UID.
	notes map[string]string
	// edits are the changes that were made, retried those that others came before.
	edits, retried int
}

var seed = flag.Uint64("seed", uint64(time.Now().UnixNano()), "what TestControllerInChaos changes, and when")

// TestControllerInChaos has a controller follow a hundred namespaces and twenty
// ClusterExtensions whose requests, operators and catalogs change at random, while the
// server is killed, watches break, and others write into the same objects. In the end
// each condition states what a resolution of the final state gives.
func TestControllerInChaos(t *testing.T) {
	t.Logf("-seed %d", *seed)
	w := newWorld(t, rand.New(rand.NewPCG(*seed, 0)))
	traffic, stop := w.startController()

	steps := testkit.Scale(1000, 5000)
	restarts, breaks := 0, 0
	for step := range steps {
		w.change()
		if step%(steps/5) == steps/10 {
			w.restart()
			restarts++
		}
		if step%25 == 0 {
			traffic.connections.CloseAll()
			breaks++
		}
	}
	w.await(traffic) // with nothing disturbed at the end
	for _, source := range w.sources {
		source.publish(t, w.random, false)
	}
	w.await(traffic) // without catalogs that fail, more can be resolved
	traffic.report(w, restarts, breaks)

	assert.Zero(t, traffic.refusals.Load(), "what the shipped RBAC does not permit")
	w.checkNotes()
	// Conditions of the last moment are looked at again after a second. Events are sent one
	// after another, and wait for a server that starts: they may be late by far.
	time.Sleep(3 * time.Second)
	conditions := traffic.conditions.Load()
	w.settle(traffic)
	assert.Equal(t, conditions, traffic.conditions.Load(), "nothing changes, so nothing is written")
	w.checkWrites(traffic)
	stop()
}

// settle waits until nothing is written any more.
func (w *world) settle(traffic *traffic) {
	require.Eventually(w, func() bool {
		writes := traffic.writes()
		time.Sleep(5 * time.Second)
		return writes == traffic.writes()
	}, 2*time.Minute, time.Second, "events come to an end")
}

// checkWrites mends and breaks a Subscription: each time each of its namespace gets one
// condition and one event.
func (w *world) checkWrites(traffic *traffic) {
	const quiet = "quiet"
	w.server.Apply(w, fmt.Sprintf(`{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": %q}}`, quiet))
	w.server.Apply(w, w.group(quiet))
	w.server.Apply(w, w.subscription(quiet, packageName(0)))
	w.server.Apply(w, strings.Replace(w.subscription(quiet, packageName(1)), "stable", "adrift", 1))
	counts := func() map[string]int64 {
		w.await(traffic)
		w.settle(traffic)
		counted := map[string]int64{}
		for _, name := range []string{packageName(0), packageName(1)} {
			counted["conditions of "+name] = traffic.conditionsOf(quiet, name)
			events, err := w.in(resource("", "v1", "events"), quiet).List(w.Context(), metav1.ListOptions{FieldSelector: "involvedObject.name=" + name})
			require.NoError(w, err)
			for _, e := range events.Items {
				counted["events of "+name] += e.Object["count"].(int64)
			}
		}
		return counted
	}
	want := counts()
	for _, channel := range []string{"stable", "adrift"} {
		for of := range want {
			want[of]++
		}
		_, err := w.in(subscriptions, quiet).Patch(w.Context(), packageName(1), types.MergePatchType, fmt.Appendf(nil, `{"spec": {"channel": %q}}`, channel), metav1.PatchOptions{})
		require.NoError(w, err)
		assert.Equal(w, want, counts(), channel)
	}
}

// A controller stops at once, even while it waits for the server.
func TestControllerStopsWithoutServer(t *testing.T) {
	w := newWorld(t, rand.New(rand.NewPCG(1, 1)))
	for range 20 {
		w.change()
	}
	traffic, stop := w.startController()
	w.await(traffic)
	w.server.Kill()
	time.Sleep(10 * time.Second) // what pauses by then pauses for long
	began := time.Now()
	stop()
	assert.Less(t, time.Since(began), 2*time.Second)
}

func newWorld(t testing.TB, r *rand.Rand) *world {
	w := &world{TB: t, server: Start(t), random: r, sources: map[catalog.Key]*publisher{}, notes: map[string]string{}}
	var err error
	w.client, err = dynamic.NewForConfig(w.server.Config())
	require.NoError(t, err)
	rbac, err := os.ReadFile("../controller/rbac.yaml")
	require.NoError(t, err)
	w.server.Apply(t, string(rbac))
	for _, key := range []catalog.Key{{Namespace: "olm", Name: "coast"}, {Namespace: "olm", Name: "island"}, {Name: "reef"}} {
		w.sources[key] = &publisher{}
		w.sources[key].publish(t, r, false)
	}
	catalogd := httptest.NewServer(w.sources[catalog.Key{Name: "reef"}])
	t.Cleanup(catalogd.Close)
	w.server.Apply(t, fmt.Sprintf(`
apiVersion: operators.coreos.com/v1alpha1
kind: CatalogSource
metadata: {namespace: olm, name: coast}
spec: {priority: 1}
---
apiVersion: operators.coreos.com/v1alpha1
kind: CatalogSource
metadata: {namespace: olm, name: island}
spec: {priority: 2}
---
apiVersion: olm.operatorframework.io/v1
kind: ClusterCatalog
metadata: {name: reef}
spec: {priority: 0}
status: {urls: {base: %q}}
`, catalogd.URL+"/catalogs/reef"))
	return w
}

// startController starts one with the rights of the shipped RBAC. The function that is
// returned stops it, and looks for what it leaves behind.
func (w *world) startController() (*traffic, func()) {
	config := w.server.ServiceAccount(w, "resolvent", "controller")
	traffic := watchTraffic(w, config, &w.isDown)
	client, err := dynamic.NewForConfig(config)
	require.NoError(w, err)
	kube, err := kubernetes.NewForConfig(config)
	require.NoError(w, err)
	sources := map[catalog.Key]cache.Source{}
	for key, source := range w.sources {
		if key.Namespace != "" {
			sources[key] = source
		}
	}
	controller := reconcile.New(client, kube, reconcile.Options{
		Sources: sources,
		Catalogd: func(base string) (cache.Source, error) {
			return cache.Open(base, cache.OriginOptions{Remote: remote.Options{}.Open})
		},
		Advice:   time.Second,
		Schedule: cache.Schedule{Interval: 100 * time.Millisecond, RetryMin: 50 * time.Millisecond, RetryMax: 100 * time.Millisecond},
	})
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- controller.Run(ctx) }()
	stop := sync.OnceFunc(func() {
		cancel()
		select {
		case err := <-ended:
			require.NoError(w, err)
		case <-time.After(10 * time.Second):
			w.Fatal("the controller does not stop")
		}
		require.Eventually(w, func() bool { return !strings.Contains(goroutines(), "reconcile") }, 10*time.Second, 50*time.Millisecond)
	})
	w.Cleanup(stop)
	return traffic, stop
}

// goroutines are the stacks of those that a controller starts: its own, and those of
// the informers, queues and events that it uses.
func goroutines() string {
	var all, found strings.Builder
	_ = pprof.Lookup("goroutine").WriteTo(&all, 2)
	for stack := range strings.SplitSeq(all.String(), "\n\n") {
		for _, of := range []string{"controller/reconcile.", "client-go/tools/", "client-go/util/workqueue", "resolvent/cache."} {
			if strings.Contains(stack, of) {
				found.WriteString("reconcile: " + stack + "\n\n")
				break
			}
		}
	}
	return found.String()
}

// restart kills the server and starts it again.
func (w *world) restart() {
	w.isDown.Store(true)
	w.server.Kill()
	w.server.Restart(w)
	// The server is ready, but a request that came before may still be refused.
	time.Sleep(100 * time.Millisecond)
	w.isDown.Store(false)
}

// report logs figures.
func (tr *traffic) report(w *world, restarts, breaks int) {
	events, err := w.client.Resource(resource("", "v1", "events")).List(w.Context(), metav1.ListOptions{})
	require.NoError(w, err)
	objects := 0
	for _, r := range watchedResources {
		list, err := w.client.Resource(r).List(w.Context(), metav1.ListOptions{})
		require.NoError(w, err)
		objects += len(list.Items)
	}
	w.Logf("%d objects, %d changes (%d retried), %d restarts, connections broken %d times, %d events in the end",
		objects, w.edits, w.retried, restarts, breaks, len(events.Items))
	w.Logf("controller: %v", tr)
}

// final is what the server has in the end, and what catalogs have.
func (w *world) final() (cluster.Objects, *cache.View, []*unstructured.Unstructured) {
	var objects cluster.Objects
	var requests []*unstructured.Unstructured
	for _, r := range watchedResources {
		list, err := w.client.Resource(r).List(w.Context(), metav1.ListOptions{})
		require.NoError(w, err)
		for i := range list.Items {
			u := &list.Items[i]
			read, err := manifest.ReadObject(u.GetAPIVersion(), u.GetKind(), func(fields any) error {
				return apiruntime.DefaultUnstructuredConverter.FromUnstructured(u.Object, fields)
			})
			require.NoError(w, err)
			for i := range read.Subscriptions {
				read.Subscriptions[i].Observed = cluster.Observed{} // as the controller, which would quote itself
			}
			for i := range read.ClusterExtensions {
				read.ClusterExtensions[i].Conditions = nil
			}
			objects.Append(read)
			if u.GetKind() == "Subscription" || u.GetKind() == "ClusterExtension" {
				requests = append(requests, u)
			}
		}
	}
	var catalogs []cache.Catalog
	for key, source := range w.sources {
		c := source.state(key)
		c.Priority, c.Labels = objects.Declared(key)
		catalogs = append(catalogs, c)
	}
	return objects, cache.NewView(catalogs), requests
}

// await waits until every condition states what a resolution of the final state gives.
func (w *world) await(traffic *traffic) {
	objects, catalogs, _ := w.final()
	engine, problem := resolver.New(), resolver.Problem{Cluster: cluster.NewIndex(objects), Catalogs: catalogs}
	wanted := map[string]string{}
	want := func(u *unstructured.Unstructured) string {
		id := u.GetNamespace()
		if id == "" {
			id = "/" + u.GetName()
		}
		if _, ok := wanted[id]; !ok {
			scope := cluster.InNamespace(u.GetNamespace())
			if u.GetNamespace() == "" {
				scope = cluster.OfExtension(u.GetName())
			}
			wanted[id] = summary(engine.Resolve(w.Context(), problem, scope))
		}
		return wanted[id]
	}
	var wrong []string
	for end := time.Now().Add(time.Minute); ; time.Sleep(200 * time.Millisecond) {
		wrong = nil
		_, _, requests := w.final()
		require.NotEmpty(w, requests)
		for _, u := range requests {
			if got := stated(u); got != want(u) {
				wrong = append(wrong, fmt.Sprintf("%s %s/%s\nstates: %s\nwant:   %s", u.GetKind(), u.GetNamespace(), u.GetName(), got, want(u)))
			}
		}
		if len(wrong) == 0 {
			failed := 0
			for _, s := range wanted {
				if strings.HasPrefix(s, "True") {
					failed++
				}
			}
			w.Logf("%d requests state the right thing, of %d namespaces and extensions of which %d cannot be resolved", len(requests), len(wanted), failed)
			return
		}
		if time.Now().After(end) {
			w.Fatalf("%d conditions are wrong: %s\n%v", len(wrong), wrong[0], traffic)
		}
	}
}

// summary is what a condition has to say of an answer: status, reason and message.
func summary(r *result.Resolution, err error) string {
	if e, ok := errors.AsType[*result.NotSatisfiable](err); ok {
		return "True ConstraintsNotSatisfiable " + text.Brief(e)
	}
	if e, ok := errors.AsType[*result.CatalogsUnhealthy](err); ok {
		text := "True CatalogsUnhealthy These catalogs cannot be used:"
		for _, c := range e.Catalogs {
			text += fmt.Sprintf("\n- %s: %v", c.Key, c.Err)
		}
		return text
	}
	if result.Of(err) == result.ResultAmbiguous {
		return "True AmbiguousCatalogs " + err.Error()
	}
	if err != nil {
		return "True InvalidInput " + err.Error()
	}
	text := "False Resolved"
	for _, i := range r.Installs {
		text += "\ninstall " + i.Bundle.Name + " from catalog " + i.Bundle.Catalog.String()
		if i.Replaces != "" {
			text += ", which replaces " + i.Replaces
		}
	}
	if len(r.Installs) == 0 {
		text += "\nnothing to install"
	}
	for _, name := range r.Unneeded {
		text += "\n" + name + " is not needed any more"
	}
	for _, warning := range r.Warnings {
		text += "\nwarning: " + warning.Message()
	}
	return strings.Replace(text, "\n", " ", 1)
}

// stated is the same of a condition, if it is about the object as it is.
func stated(u *unstructured.Unstructured) string {
	c := conditionOf(u, reconcile.DefaultCondition)
	if seen, ok := c["observedGeneration"]; u.GetKind() == "ClusterExtension" && (!ok || seen != u.GetGeneration()) {
		return fmt.Sprintf("of generation %v, not %d", seen, u.GetGeneration())
	}
	return fmt.Sprint(c["status"], " ", c["reason"], " ", c["message"])
}

func conditionOf(u *unstructured.Unstructured, of string) map[string]any {
	conditions, _, _ := unstructured.NestedSlice(u.Object, "status", "conditions")
	for _, item := range conditions {
		if c := item.(map[string]any); c["type"] == of {
			return c
		}
	}
	return nil
}
