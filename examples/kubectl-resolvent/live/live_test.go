package live

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/pflag"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/examples/resolvent/command"
	"github.com/resolvent/resolvent/resolver/cluster"
)

// TestService: a URL of catalogd leads to its service, and to nothing beside it.
func TestService(t *testing.T) {
	for base, want := range map[string]service{
		"https://catalogd-service.olmv1-system.svc/catalogs/coast":        {"olmv1-system", "https:catalogd-service:443", "/catalogs/coast"},
		"http://catalogd.olm.svc.cluster.local:8080/catalogs/coast/":      {"olm", "http:catalogd:8080", "/catalogs/coast"},
		"https://catalogd.olm.svc":                                        {"olm", "https:catalogd:443", "/"},
		"https://catalogd.olm.svc/../../../../namespaces/olm/secrets/key": {"olm", "https:catalogd:443", "/namespaces/olm/secrets/key"},
		"https://catalogd.olm.svc/%2e%2e/%2e%2e/secrets":                  {"olm", "https:catalogd:443", "/secrets"},
	} {
		got, err := parseService(base)
		require.NoError(t, err, base)
		assert.Equal(t, want, got, base)
	}
	for _, base := range []string{"catalogd.olm.svc", "https://elsewhere.example/catalogs", "ftp://catalogd.olm.svc/", "https://a%2fb.olm.svc/", "https://[::1]/", "%"} {
		_, err := parseService(base)
		assert.Error(t, err, base)
	}
}

// asked returns the cluster of a server that answers the paths; 404 is that of all others.
func asked(t *testing.T, answers map[string]any) *Cluster {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		answer, ok := answers[r.URL.Path]
		if !ok {
			answer = cmp.Or(answers["*"], any(http.StatusNotFound))
		}
		if code, failed := answer.(int); failed {
			w.WriteHeader(code)
			reason := map[int]metav1.StatusReason{http.StatusForbidden: metav1.StatusReasonForbidden, http.StatusUnauthorized: metav1.StatusReasonUnauthorized, http.StatusNotFound: metav1.StatusReasonNotFound}
			answer = metav1.Status{TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}, Status: metav1.StatusFailure, Code: int32(code), Reason: reason[code], Message: fmt.Sprint(code, " ", r.URL.Path)}
		}
		assert.NoError(t, json.NewEncoder(w).Encode(answer))
	}))
	t.Cleanup(server.Close)
	t.Setenv("KUBECONFIG", filepath.Join(t.TempDir(), "none"))
	c := &Cluster{}
	set := pflag.NewFlagSet("", pflag.ContinueOnError)
	c.Register(set)
	require.NoError(t, set.Parse([]string{"--server", server.URL}))
	return c
}

// Paths and answers of an API server.
const (
	v0 = "/apis/operators.coreos.com/v1alpha1"
	v1 = "/apis/olm.operatorframework.io/v1"
)

func listOf(kind string, items ...any) map[string]any {
	return map[string]any{"apiVersion": "operators.coreos.com/v1alpha1", "kind": kind + "List", "items": items}
}

func subscribed(namespace, source string, status map[string]any) map[string]any {
	return map[string]any{"apiVersion": "operators.coreos.com/v1alpha1", "kind": "Subscription", "metadata": map[string]any{"name": "ferry", "namespace": namespace},
		"spec": map[string]any{"name": "ferry", "source": "coast", "sourceNamespace": source}, "status": status}
}

// TestObjects: what may not be read is a failure of those whose answer depends on it, and
// one sentence says why nobody has one.
func TestObjects(t *testing.T) {
	harbor := command.LiveQuery{Namespaces: []string{"harbor"}, Global: []string{"olm"}}
	version := map[string]any{"gitVersion": "v1.31.0"}
	served := map[string]any{"resources": []any{map[string]any{"name": "clusterextensions"}, map[string]any{"name": "clustercatalogs"}}}
	groups := func(spec map[string]any) map[string]any {
		return map[string]any{"apiVersion": "operators.coreos.com/v1", "kind": "OperatorGroupList", "items": []any{
			map[string]any{"apiVersion": "operators.coreos.com/v1", "kind": "OperatorGroup", "metadata": map[string]any{"name": "crew", "namespace": "harbor"}, "spec": spec}}}
	}
	for name, c := range map[string]struct {
		answers map[string]any
		query   command.LiveQuery
		err     string // of everything
		unread  map[cluster.Scope]string
		notes   string
	}{
		"no CRD":       {answers: map[string]any{"/version": version}, query: harbor, err: errNoOLM.Error()},
		"401":          {answers: map[string]any{"*": http.StatusUnauthorized}, query: harbor, err: errUnauthorized.Error()},
		"all is there": {answers: map[string]any{"/version": version, v0 + "/subscriptions": listOf("Subscription", subscribed("harbor", "olm", nil))}, query: harbor},
		"no right to list all": {
			answers: map[string]any{"/version": version, v0 + "/subscriptions": http.StatusForbidden, v0: map[string]any{"resources": []any{map[string]any{"name": "subscriptions"}}}},
			err:     "403 " + v0 + "/subscriptions; -n NAMESPACE reads less",
		},
		"no right to anything of OLM v0": {
			answers: map[string]any{"*": http.StatusForbidden}, query: harbor,
			unread: map[cluster.Scope]string{cluster.InNamespace("harbor"): "403 " + v0 + "/namespaces/harbor/subscriptions; nor may clusterserviceversions, operatorgroups, operatorconditions, catalogsources be listed"},
			notes:  "you may not read /version; --kube-version states the version\n",
		},
		"CSVs": {
			answers: map[string]any{"/version": version, v0 + "/subscriptions": listOf("Subscription", subscribed("harbor", "olm", nil), subscribed("reef", "olm", nil)),
				v0 + "/clusterserviceversions": http.StatusForbidden, v0: map[string]any{"resources": []any{map[string]any{"name": "clusterserviceversions"}}}},
			unread: map[cluster.Scope]string{cluster.InNamespace("harbor"): "403 " + v0 + "/clusterserviceversions", cluster.InNamespace("reef"): "403 " + v0 + "/clusterserviceversions"},
			notes:  "you may not list clusterserviceversions; answers that depend on them are failures\n",
		},
		"resources that the cluster does not have": {
			answers: map[string]any{"/version": version, v0 + "/subscriptions": listOf("Subscription", subscribed("harbor", "olm", nil)), v1 + "/clusterextensions": http.StatusForbidden},
		},
		"ClusterExtensions": {
			answers: map[string]any{"/version": version, v0 + "/subscriptions": listOf("Subscription", subscribed("harbor", "olm", nil)), v1 + "/clusterextensions": http.StatusForbidden, v1: served},
			unread:  map[cluster.Scope]string{cluster.OfExtension("*"): "403 " + v1 + "/clusterextensions"},
			notes:   "you may not list clusterextensions; answers that depend on them are failures\n",
		},
		"an InstallPlan that may wait": {
			answers: map[string]any{"/version": version, v0 + "/subscriptions": listOf("Subscription", subscribed("harbor", "olm", map[string]any{"state": "UpgradePending", "installPlanRef": map[string]any{"name": "install-x"}})),
				v0 + "/installplans": http.StatusForbidden, v0 + "/namespaces/harbor/installplans": http.StatusForbidden, v0: map[string]any{"resources": []any{map[string]any{"name": "installplans"}}}},
			query:  harbor,
			unread: map[cluster.Scope]string{cluster.InNamespace("harbor"): "403 " + v0 + "/namespaces/harbor/installplans"},
			notes:  "you may not list installplans in all namespaces; what others have of them is not known\n",
		},
		"labels of namespaces": {
			answers: map[string]any{"/version": version, v0 + "/subscriptions": listOf("Subscription"), "/apis/operators.coreos.com/v1/operatorgroups": groups(map[string]any{"selector": map[string]any{"matchLabels": map[string]any{"sea": "north"}}}),
				"/api/v1/namespaces": http.StatusForbidden},
			query:  harbor,
			unread: map[cluster.Scope]string{cluster.InNamespace("harbor"): "403 /api/v1/namespaces"},
			notes:  "you may not list namespaces; answers that depend on them are failures\n",
		},
		"labels that nobody needs": {
			answers: map[string]any{"/version": version, v0 + "/subscriptions": listOf("Subscription"), "/apis/operators.coreos.com/v1/operatorgroups": groups(map[string]any{"targetNamespaces": []any{"harbor"}}),
				"/api/v1/namespaces": http.StatusForbidden},
			query: harbor,
			notes: "you may not list namespaces; answers that depend on them are failures\n",
		},
		"catalogs of another namespace": {
			answers: map[string]any{"/version": version, v0 + "/subscriptions": listOf("Subscription", subscribed("harbor", "lake", nil)), v0 + "/catalogsources": http.StatusForbidden,
				v0 + "/namespaces/lake/catalogsources": http.StatusForbidden, v0 + "/namespaces/sea/catalogsources": http.StatusForbidden, v0: map[string]any{"resources": []any{map[string]any{"name": "catalogsources"}}}},
			query:  command.LiveQuery{Namespaces: []string{"harbor"}, Global: []string{"lake", "sea"}},
			unread: map[cluster.Scope]string{cluster.InNamespace("harbor"): "403 " + v0 + "/namespaces/lake/catalogsources"},
			notes:  "you may not list catalogsources in all namespaces; what others have of them is not known\n",
		},
		"catalogs that are given": {
			answers: map[string]any{"/version": version, v0 + "/subscriptions": listOf("Subscription", subscribed("harbor", "lake", nil)), v0 + "/catalogsources": http.StatusForbidden,
				v0 + "/namespaces/lake/catalogsources": http.StatusForbidden, v0: map[string]any{"resources": []any{map[string]any{"name": "catalogsources"}}}},
			query: command.LiveQuery{Namespaces: []string{"harbor"}, Global: []string{"lake"}, Given: []catalog.Key{{Namespace: "lake", Name: "coast"}}},
			notes: "you may not list catalogsources in all namespaces; what others have of them is not known\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			var notes bytes.Buffer
			objects, err := asked(t, c.answers).Objects(t.Context(), c.query, &notes)
			if c.err != "" {
				require.EqualError(t, err, c.err)
				return
			}
			require.NoError(t, err)
			unread := map[cluster.Scope]string{}
			for scope, err := range objects.Unread {
				unread[scope] = err.Error()
			}
			if c.unread == nil {
				c.unread = map[cluster.Scope]string{}
			}
			assert.Equal(t, c.unread, unread)
			if c.notes == "" {
				assert.Empty(t, notes.String())
			}
			assert.Contains(t, notes.String(), c.notes)
			assert.LessOrEqual(t, strings.Count(notes.String(), "\n"), 3)
		})
	}
}

// TestObjectsAtInstall: what tells what OLM would refuse is read where something asks for it. What may
// not be read is not known, and nobody is told: no answer fails for it.
func TestObjectsAtInstall(t *testing.T) {
	object := func(apiVersion, kind string, metadata map[string]any, more string) (o map[string]any) {
		require.NoError(t, json.Unmarshal([]byte(more), &o))
		o["apiVersion"], o["kind"], o["metadata"] = apiVersion, kind, metadata
		return o
	}
	named := func(name string) map[string]any { return map[string]any{"namespace": "harbor", "name": name} }
	const core, extensions = "/api/v1", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
	for name, forbidden := range map[string]bool{"all may be read": false, "nothing of it may be read": true} {
		t.Run(name, func(t *testing.T) {
			answers := map[string]any{
				"/version":            map[string]any{"gitVersion": "v1.31.0"},
				v0 + "/subscriptions": listOf("Subscription", subscribed("harbor", "olm", nil)),
				v0 + "/installplans": listOf("InstallPlan", object("operators.coreos.com/v1alpha1", "InstallPlan", named("install-a"),
					`{"spec":{"approved":false},"status":{"phase":"RequiresApproval","plan":[{"resolving":"a.v1","resource":{"kind":"Role","name":"keeper","manifest":"{\"kind\":\"ConfigMap\",\"name\":\"hash\",\"namespace\":\"harbor\"}"}}]}}`)),
				extensions: listOf("CustomResourceDefinition", object("apiextensions.k8s.io/v1", "CustomResourceDefinition", map[string]any{"name": "boats.sea.io"},
					`{"spec":{"group":"sea.io","names":{"plural":"boats","kind":"Boat"},"versions":[{"name":"v1","served":true,"storage":true}]},"status":{"storedVersions":["v1"]}}`)),
				core + "/configmaps": listOf("ConfigMap", object("v1", "ConfigMap", map[string]any{"namespace": "harbor", "name": "hash", "labels": map[string]any{"olm.managed": "true"}},
					`{"data":{"a":"{\"kind\":\"Role\",\"metadata\":{\"name\":\"keeper\"},\"rules\":[{\"verbs\":[\"get\"],\"apiGroups\":[\"\"],\"resources\":[\"pods\"]}]}"}}`)),
			}
			if forbidden {
				answers[extensions], answers[core+"/configmaps"] = http.StatusForbidden, http.StatusForbidden
				answers[core] = map[string]any{"resources": []any{map[string]any{"name": "configmaps"}}}
				answers["/apis/apiextensions.k8s.io/v1"] = map[string]any{"resources": []any{map[string]any{"name": "customresourcedefinitions"}}}
			}
			var notes bytes.Buffer
			objects, err := asked(t, answers).Objects(t.Context(), command.LiveQuery{Namespaces: []string{"harbor"}}, &notes)
			require.NoError(t, err)
			assert.Empty(t, notes.String())
			assert.Empty(t, objects.Unread)
			step := cluster.NewIndex(objects).In("harbor").InstallPlans[0].Steps[0]
			if forbidden {
				assert.Empty(t, objects.Definitions)
				assert.Empty(t, step.Rights)
				return
			}
			require.Len(t, objects.Definitions, 1)
			assert.Equal(t, []string{"v1"}, objects.Definitions[0].Stored)
			assert.Len(t, step.Rights, 1)
		})
	}
}

// TestCatalogs: a list of catalogs that may not be read is not empty.
func TestCatalogs(t *testing.T) {
	_, err := asked(t, map[string]any{"*": http.StatusForbidden}).Catalogs(t.Context(), command.LiveQuery{}, io.Discard)
	assert.ErrorContains(t, err, "403 "+v0+"/catalogsources")
	objects, err := asked(t, nil).Catalogs(t.Context(), command.LiveQuery{}, io.Discard)
	assert.NoError(t, err)
	assert.Empty(t, objects.CatalogSources)
}

// TestPodOfCatalog: why a catalog has no pod that serves it is said as the cluster says it.
func TestPodOfCatalog(t *testing.T) {
	source := map[string]any{"apiVersion": "operators.coreos.com/v1alpha1", "kind": "CatalogSource", "metadata": map[string]any{"name": "coast", "namespace": "olm"}, "spec": map[string]any{"image": "x"}}
	pod := map[string]any{"apiVersion": "v1", "kind": "Pod", "metadata": map[string]any{"name": "coast-x7k2p", "namespace": "olm"}, "status": map[string]any{"phase": "Pending",
		"containerStatuses": []any{map[string]any{"name": "registry", "state": map[string]any{"waiting": map[string]any{"reason": "ImagePullBackOff", "message": "no such image"}}}}}}
	event := func(at, message string) map[string]any {
		return map[string]any{"apiVersion": "v1", "kind": "Event", "metadata": map[string]any{"name": at, "namespace": "olm"}, "reason": "Failed", "message": message, "lastTimestamp": at}
	}
	answers := map[string]any{
		v0 + "/namespaces/olm/catalogsources/coast": source,
		"/api/v1/namespaces/olm/pods":               map[string]any{"apiVersion": "v1", "kind": "PodList", "items": []any{pod}},
		"/api/v1/namespaces/olm/events":             map[string]any{"apiVersion": "v1", "kind": "EventList", "items": []any{event("2026-01-02T00:00:00Z", "pull denied"), event("2026-01-01T00:00:00Z", "older")}},
	}
	load := func() error {
		from, err := asked(t, answers).Open("cluster:olm/coast", nil, cache.OriginOptions{})
		require.NoError(t, err)
		_, err = from.Load(t.Context())
		return err
	}
	const waits = "none of its 1 registry pods (label olm.catalogSource=coast) is ready; pod coast-x7k2p is Pending, container registry waits: ImagePullBackOff no such image"
	assert.EqualError(t, load(), waits+", last event: Failed pull denied")
	answers["/api/v1/namespaces/olm/events"] = http.StatusForbidden
	assert.EqualError(t, load(), waits)
	answers["/api/v1/namespaces/olm/pods"] = map[string]any{"apiVersion": "v1", "kind": "PodList", "items": []any{}}
	assert.EqualError(t, load(), "none of its 0 registry pods (label olm.catalogSource=coast) is ready")
	source["spec"] = map[string]any{"address": "127.0.0.1:1"}
	source["status"] = map[string]any{"connectionState": map[string]any{"lastObservedState": "TRANSIENT_FAILURE"}}
	assert.EqualError(t, load(), "OLM does not reach it at 127.0.0.1:1: its last state is TRANSIENT_FAILURE")
}

// TestVersionIsForbidden: the version is one of the things that are named and done without.
func TestVersionIsForbidden(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "no", http.StatusForbidden)
	}))
	defer server.Close()
	var warnings bytes.Buffer
	r := reader{connection: &connection{config: &rest.Config{Host: server.URL}}, warnings: &warnings}
	version, err := r.kubernetesVersion(t.Context())
	require.NoError(t, err)
	assert.Empty(t, version)
	assert.Contains(t, warnings.String(), "; --kube-version states the version")
}
