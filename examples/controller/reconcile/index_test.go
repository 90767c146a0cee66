package reconcile

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/resolver"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/resolver/text"
	"github.com/resolvent/resolvent/testdata/testkit"
)

// idle is a controller that has read a cluster of these objects, and does nothing by itself.
func idle(t testing.TB, manifests ...string) *Controller {
	c := New(nil, nil, Options{Sources: catalogs(t)})
	require.NoError(t, c.catalogs.Refresh(t.Context()))
	for _, manifest := range manifests {
		c.tell(t, manifest)
	}
	var found []*kept
	for _, k := range c.objects {
		found = append(found, k)
	}
	c.begin(found)
	t.Cleanup(c.queue.ShutDown)
	return c
}

// tell has the controller see an object as the API server has it now.
func (c *Controller) tell(t testing.TB, manifest string) {
	u := parse(t, manifest)[0]
	require.NoError(t, c.objects[resourceOfKind[u.GetKind()]].Update(u))
}

// forget has it see that an object is gone.
func (c *Controller) forget(t testing.TB, kind, namespace, name string) {
	u := &unstructured.Unstructured{}
	u.SetNamespace(namespace)
	u.SetName(name)
	require.NoError(t, c.objects[resourceOfKind[kind]].Delete(u))
}

var resourceOfKind = map[string]string{"Subscription": "subscriptions", "ClusterServiceVersion": "clusterserviceversions", "OperatorGroup": "operatorgroups",
	"OperatorCondition": "operatorconditions", "Namespace": "namespaces", "CatalogSource": "catalogsources", "ClusterCatalog": "clustercatalogs", "ClusterExtension": "clusterextensions"}

// drained are the scopes that wait to be reconciled.
func (c *Controller) drained() map[cluster.Scope]bool {
	scopes := map[cluster.Scope]bool{}
	for c.queue.Len() > 0 {
		s, _ := c.queue.Get()
		c.queue.Done(s)
		scopes[s] = true
	}
	return scopes
}

// change is a random one of a small cluster.
func change(t testing.TB, c *Controller, r *rand.Rand) string {
	namespace := func() string { return fmt.Sprintf("n%d", r.IntN(6)) }
	pkg := []string{"ferry", "lighthouse", "foghorn", "lantern", "compass", "pier", "kerosene", "kraken"}[r.IntN(8)]
	version := []string{"1.0.0", "1.1.0", "2.0.0"}[r.IntN(3)]
	n := namespace()
	var kind, name, manifest string
	switch r.IntN(8) {
	case 0, 1:
		kind, name = "Subscription", pkg
		manifest = fmt.Sprintf(`{"apiVersion": "operators.coreos.com/v1alpha1", "kind": "Subscription", "metadata": {"namespace": %q, "name": %q},
			"spec": {"name": %q, "source": "coast", "sourceNamespace": "olm"}, "status": {"installedCSV": "%s.v%s"}}`, n, name, pkg, pkg, version)
	case 2, 3, 4:
		kind, name = "ClusterServiceVersion", fmt.Sprintf("%s.v%s", pkg, version)
		manifest = fmt.Sprintf(`{"apiVersion": "operators.coreos.com/v1alpha1", "kind": "ClusterServiceVersion", "metadata": {"namespace": %q, "name": %q, "annotations": {"operatorframework.io/properties":
			"{\"properties\":[{\"type\":\"olm.package\",\"value\":{\"packageName\":\"%s\",\"version\":\"%s\"}},{\"type\":\"olm.gvk\",\"value\":{\"group\":\"light.example.com\",\"version\":\"v%d\",\"kind\":\"%s\"}}]}"}},
			"spec": {"version": %q}, "status": {"phase": %q, "reason": "R%d"}}`, n, name, pkg, version, 1+r.IntN(2), []string{"Beacon", "Lamp", "Horn"}[r.IntN(3)], version,
			[]string{"Succeeded", "Installing", "Replacing", "Deleting", "Failed"}[r.IntN(5)], r.IntN(3))
	case 5:
		kind, name = "OperatorGroup", "crew"
		spec := []string{`{}`, fmt.Sprintf(`{"targetNamespaces": [%q]}`, n), fmt.Sprintf(`{"targetNamespaces": [%q, %q]}`, n, namespace()), `{"selector": {"matchLabels": {"sea": "north"}}}`}[r.IntN(4)]
		manifest = fmt.Sprintf(`{"apiVersion": "operators.coreos.com/v1", "kind": "OperatorGroup", "metadata": {"namespace": %q, "name": "crew"}, "spec": %s}`, n, spec)
	case 6:
		kind, name = "OperatorCondition", fmt.Sprintf("%s.v%s", pkg, version)
		manifest = fmt.Sprintf(`{"apiVersion": "operators.coreos.com/v2", "kind": "OperatorCondition", "metadata": {"namespace": %q, "name": %q},
			"spec": {"conditions": [{"type": "Upgradeable", "status": %q, "reason": "R", "message": "m"}]}}`, n, name, []string{"True", "False"}[r.IntN(2)])
	default:
		kind, name, n = "Namespace", n, ""
		manifest = fmt.Sprintf(`{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": %q, "labels": {"sea": %q}}}`, name, []string{"north", "south"}[r.IntN(2)])
	}
	if r.IntN(4) == 0 {
		c.forget(t, kind, n, name)
		return "without " + kind + " " + n + "/" + name
	}
	c.tell(t, manifest)
	return manifest
}

// verdict is what a condition says but for what would help: that may be in any namespace,
// and is looked at again later.
func verdict(resolution *result.Resolution, err error) string {
	said := conditionFor(resolution, err)
	if e, ok := errors.AsType[*result.NotSatisfiable](err); ok {
		said.message = text.Of(e, nil).Proceed
		for i := range e.Causes {
			said.message += "\n" + e.Causes[i].Explanation.String()
		}
	} else {
		said.message, _, _ = strings.Cut(said.message, "\n\n")
	}
	return fmt.Sprint(said)
}

// After each change of a random cluster the index is that of all objects, and every namespace
// whose answer is another one waits to be reconciled.
func TestChangesReachWhomTheyMatterTo(t *testing.T) {
	for seed := range uint64(testkit.Scale(6, 200)) {
		r := rand.New(rand.NewPCG(seed, 0))
		c := idle(t)
		answer := func(namespace string) string {
			scope := cluster.InNamespace(namespace)
			resolution, err := c.resolve(t.Context(), scope)
			if errors.Is(err, cache.ErrNotLoaded) {
				t.Fatal(err)
			}
			return verdict(resolution, err)
		}
		last := map[string]string{}
		for range 60 {
			made := change(t, c, r)
			waiting := c.drained()
			var all cluster.Objects
			for _, k := range c.objects {
				for _, named := range k.byNamespace {
					for _, o := range named {
						all.Append(o.read.objects())
					}
				}
			}
			anew := cluster.NewIndex(all)
			for n := range 6 {
				namespace := fmt.Sprintf("n%d", n)
				if len(c.objects["subscriptions"].byNamespace[namespace]) == 0 {
					delete(last, namespace)
					continue
				}
				got := answer(namespace)
				resolution, err := resolver.New().Resolve(t.Context(), resolver.Problem{Cluster: anew, Catalogs: c.catalogs.View()}, cluster.InNamespace(namespace))
				require.Equal(t, verdict(resolution, err), got, "seed %d: %s", seed, made)
				if before, ok := last[namespace]; ok && before != got {
					require.True(t, waiting[cluster.InNamespace(namespace)], "seed %d: %s\nin %s: %s\nnow %s", seed, made, namespace, before, got)
				}
				last[namespace] = got
			}
		}
	}
}

// What others need not know of has only its own namespace reconciled.
func TestChangesElsewhere(t *testing.T) {
	c := idle(t)
	for i := range 20 {
		n := fmt.Sprintf("n%d", i)
		c.tell(t, subscription(n, "ferry", "ferry", "stable"))
		c.tell(t, fmt.Sprintf(`{"apiVersion": "operators.coreos.com/v1", "kind": "OperatorGroup", "metadata": {"namespace": %q, "name": "crew"}, "spec": {"targetNamespaces": [%[1]q]}}`, n))
	}
	c.drained()
	csv := func(phase string) string {
		return fmt.Sprintf(`{"apiVersion": "operators.coreos.com/v1alpha1", "kind": "ClusterServiceVersion", "metadata": {"namespace": "n3", "name": "raft.v1"}, "spec": {"version": "1.0.0"}, "status": {"phase": %q}}`, phase)
	}
	only := map[cluster.Scope]bool{cluster.InNamespace("n3"): true}
	for _, manifest := range []string{
		csv("Installing"), csv("Succeeded"), subscription("n3", "pier", "pier", "stable"),
		`{"apiVersion": "operators.coreos.com/v2", "kind": "OperatorCondition", "metadata": {"namespace": "n3", "name": "raft.v1"}, "spec": {"conditions": [{"type": "Upgradeable", "status": "False"}]}}`,
		`{"apiVersion": "operators.coreos.com/v1alpha1", "kind": "CatalogSource", "metadata": {"namespace": "n3", "name": "own"}, "spec": {"priority": 3}}`,
	} {
		c.tell(t, manifest)
		assert.Equal(t, only, c.drained(), manifest)
		c.tell(t, manifest)
		assert.Empty(t, c.drained(), "the same again")
	}
	c.tell(t, `{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "n3", "labels": {"sea": "north"}}}`)
	assert.Empty(t, c.drained(), "no OperatorGroup selects by labels")
	c.tell(t, `{"apiVersion": "operators.coreos.com/v1alpha1", "kind": "CatalogSource", "metadata": {"namespace": "olm", "name": "coast"}, "spec": {"priority": 3}}`)
	assert.Len(t, c.drained(), 20, "all see a global catalog")
}

// What the API server has not told of yet is not written twice.
func TestWhatIsSentIsNotWrittenAgain(t *testing.T) {
	c := idle(t, subscription("n1", "ferry", "ferry", ""))
	n1, want := cluster.InNamespace("n1"), []typed{{DefaultCondition, condition{reason: "Resolved"}}}
	request := c.requests(n1)[0]
	assert.True(t, c.toWrite(request, want))
	assert.False(t, c.toWrite(request, want))
	c.tell(t, subscription("n1", "ferry", "ferry", "stable"))
	assert.False(t, c.toWrite(request, want), "it is another one by now")
	assert.True(t, c.toWrite(c.requests(n1)[0], want))
}

// A condition that another removes before the controller has seen it is written again.
func TestWhatIsSentAndRemovedIsLookedAtAgain(t *testing.T) {
	c := idle(t, subscription("n1", "ferry", "ferry", ""))
	c.drained()
	require.True(t, c.toWrite(c.requests(cluster.InNamespace("n1"))[0], []typed{{DefaultCondition, condition{reason: "Resolved"}}}))
	c.tell(t, subscription("n1", "ferry", "ferry", ""))
	require.Eventually(t, func() bool { return c.queue.Len() == 1 }, 10*undoPause, undoPause/10)
}

// What a condition states is not quoted in the next one.
func TestAnswersDoNotQuoteConditions(t *testing.T) {
	const status = `"status": {"conditions": [{"type": "resolvent/ResolutionFailed", "status": "True", "reason": "ConstraintsNotSatisfiable", "message": "as it was"}]}`
	c := idle(t,
		`{"apiVersion": "operators.coreos.com/v1alpha1", "kind": "Subscription", "metadata": {"namespace": "n1", "name": "none"}, "spec": {"name": "none", "source": "coast", "sourceNamespace": "olm"}, `+status+`}`,
		`{"apiVersion": "olm.operatorframework.io/v1", "kind": "ClusterExtension", "metadata": {"name": "none"}, "spec": {"namespace": "n1", "source": {"sourceType": "Catalog", "catalog": {"packageName": "none"}}}, `+status+`}`)
	for scope := range c.drained() {
		resolution, err := c.resolve(t.Context(), scope)
		require.Error(t, err)
		assert.NotContains(t, conditionFor(resolution, err).message, "as it was")
	}
}

// BenchmarkChange is one change of a cluster of 5,000 namespaces with 20,000 Subscriptions
// and what they have installed, with the resolutions that it causes.
func BenchmarkChange(b *testing.B) {
	const namespaces = 5000
	var manifests []string
	for i := range namespaces {
		n := fmt.Sprintf("n%d", i)
		for pkg, kind := range map[string]string{"lighthouse": "Beacon", "foghorn": "Blast", "pier": "Pier", "lantern": "Lamp"} {
			manifests = append(manifests, fmt.Sprintf(`{"apiVersion": "operators.coreos.com/v1alpha1", "kind": "Subscription", "metadata": {"namespace": %q, "name": %q},
				"spec": {"name": %[2]q, "source": "coast", "sourceNamespace": "olm"}, "status": {"installedCSV": "%[2]s.v1.0.0"}}`, n, pkg),
				fmt.Sprintf(`{"apiVersion": "operators.coreos.com/v1alpha1", "kind": "ClusterServiceVersion", "metadata": {"namespace": %q, "name": "%s.v1.0.0", "annotations": {"operatorframework.io/properties":
				"{\"properties\":[{\"type\":\"olm.package\",\"value\":{\"packageName\":\"%[2]s\",\"version\":\"1.0.0\"}},{\"type\":\"olm.gvk\",\"value\":{\"group\":\"light.example.com\",\"version\":\"v1\",\"kind\":\"%s\"}}]}"}},
				"spec": {"version": "1.0.0"}, "status": {"phase": "Succeeded"}}`, n, pkg, kind))
		}
		manifests = append(manifests, fmt.Sprintf(`{"apiVersion": "operators.coreos.com/v1", "kind": "OperatorGroup", "metadata": {"namespace": %q, "name": "crew"}, "spec": {"targetNamespaces": [%[1]q]}}`, n))
	}
	c := idle(b, manifests...)
	settle := func() {
		for s := range c.drained() {
			_, _ = c.resolve(b.Context(), s)
		}
	}
	settle()
	manifests = nil
	runtime.GC()
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	for _, row := range [][2]string{
		{"subscription", `{"apiVersion": "operators.coreos.com/v1alpha1", "kind": "Subscription", "metadata": {"namespace": "n7", "name": "pier"}, "spec": {"name": "pier", "startingCSV": "pier.v%d", "source": "coast", "sourceNamespace": "olm"}, "status": {"installedCSV": "pier.v1.0.0"}}`},
		{"csv phase", `{"apiVersion": "operators.coreos.com/v1alpha1", "kind": "ClusterServiceVersion", "metadata": {"namespace": "n7", "name": "raft.v1"}, "spec": {"version": "1.0.0"}, "status": {"reason": "R%d"}}`},
		{"csv", `{"apiVersion": "operators.coreos.com/v1alpha1", "kind": "ClusterServiceVersion", "metadata": {"namespace": "n7", "name": "raft.v1"}, "spec": {"version": "1.0.%d"}}`},
		{"group", `{"apiVersion": "operators.coreos.com/v1", "kind": "OperatorGroup", "metadata": {"namespace": "n7", "name": "crew", "annotations": {"olm.providedAPIs": "Raft.v%d.example.com"}}, "spec": {"targetNamespaces": ["n7"]}}`},
		{"failing", `{"apiVersion": "operators.coreos.com/v1alpha1", "kind": "Subscription", "metadata": {"namespace": "n7", "name": "ferry", "uid": "%d"}, "spec": {"name": "ferry", "source": "coast", "sourceNamespace": "olm"}}`},
	} {
		b.Run(row[0], func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				c.tell(b, fmt.Sprintf(row[1], i))
				settle()
			}
			b.ReportMetric(float64(memory.HeapAlloc)/(1<<20), "heap-MiB")
		})
	}
	b.Run("all", func(b *testing.B) {
		began := time.Now()
		for i := 0; b.Loop(); i++ {
			c.tell(b, fmt.Sprintf(`{"apiVersion": "operators.coreos.com/v1alpha1", "kind": "CatalogSource", "metadata": {"namespace": "olm", "name": "coast"}, "spec": {"priority": %d}}`, i))
			settle()
		}
		b.ReportMetric(float64(time.Since(began).Microseconds())/float64(b.N)/namespaces, "µs/namespace")
	})
}

// Annotations that no resolution reads, such as examples of 100 KB, are not kept, and no change.
func TestOtherAnnotationsAreNotKept(t *testing.T) {
	const csv = `{"apiVersion": "operators.coreos.com/v1alpha1", "kind": "ClusterServiceVersion", "metadata": {"namespace": "n1", "name": "raft.v1", "annotations":
		{"alm-examples": "%s", "olm.operatorNamespace": %q}}, "spec": {"version": "1.0.0"}, "status": {"phase": "Succeeded"}}`
	c := idle(t, subscription("n1", "ferry", "ferry", ""), fmt.Sprintf(csv, "", "n1"))
	c.drained()
	c.tell(t, fmt.Sprintf(csv, "more", "n1"))
	assert.Empty(t, c.drained())
	c.tell(t, fmt.Sprintf(csv, "more", "n2"))
	assert.NotEmpty(t, c.drained())
}
