package apiserver

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"

	"github.com/resolvent/resolvent/examples/kubectl-resolvent/live"
	"github.com/resolvent/resolvent/examples/resolvent/command"
	"github.com/resolvent/resolvent/testdata/testkit"
)

// ran is what a command leaves behind.
type ran struct {
	status      int
	out, errors string
}

// kubectl runs the plugin.
func kubectl(t testing.TB, kubeconfig string, args ...string) ran {
	t.Helper()
	p := command.Program{Name: "kubectl resolvent", Live: &live.Cluster{}, LiveUsage: live.Usage, Examples: live.Examples}
	var out, errs bytes.Buffer
	status := p.Run(t.Context(), append(args, "--kubeconfig", kubeconfig), nil, &out, &errs)
	return ran{status, out.String(), errs.String()}
}

// resolvent runs the command line on files.
func resolvent(t testing.TB, args ...string) ran {
	t.Helper()
	var out, errs bytes.Buffer
	status := command.Run(t.Context(), args, nil, &out, &errs)
	return ran{status, out.String(), errs.String()}
}

// dump writes all objects of the cluster into a file, as kubectl get -o json does.
func dump(t testing.TB, s *Server) string {
	t.Helper()
	client, err := dynamic.NewForConfig(s.Config())
	require.NoError(t, err)
	all := &unstructured.UnstructuredList{Object: map[string]any{"apiVersion": "v1", "kind": "List"}}
	for _, r := range []schema.GroupVersionResource{
		{Group: "operators.coreos.com", Version: "v1alpha1", Resource: "subscriptions"},
		{Group: "operators.coreos.com", Version: "v1alpha1", Resource: "clusterserviceversions"},
		{Group: "operators.coreos.com", Version: "v1alpha1", Resource: "catalogsources"},
		{Group: "operators.coreos.com", Version: "v1", Resource: "operatorgroups"},
		{Group: "operators.coreos.com", Version: "v2", Resource: "operatorconditions"},
		{Group: "olm.operatorframework.io", Version: "v1", Resource: "clusterextensions"},
		{Group: "olm.operatorframework.io", Version: "v1", Resource: "clustercatalogs"},
		{Version: "v1", Resource: "namespaces"},
		{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"},
	} {
		list, err := client.Resource(r).List(t.Context(), metav1.ListOptions{})
		require.NoError(t, err)
		all.Items = append(all.Items, list.Items...)
	}
	text, err := json.Marshal(all.UnstructuredContent())
	require.NoError(t, err)
	file := filepath.Join(t.TempDir(), "cluster.json")
	require.NoError(t, os.WriteFile(file, text, 0o600))
	return file
}

// declare declares catalogs of OLM v0 and v1 that are served.
func (f *front) declare(t testing.TB, s *Server, namespace string, names ...string) {
	t.Helper()
	for _, name := range names {
		if f.registries[name] != "" {
			s.Apply(t, fmt.Sprintf(`
apiVersion: operators.coreos.com/v1alpha1
kind: CatalogSource
metadata: {name: %s, namespace: %s}
spec: {sourceType: grpc, image: registry.example/%[1]s}
status: {connectionState: {lastObservedState: READY}, registryService: {port: "50051"}}
`, name, namespace))
		}
		s.Apply(t, fmt.Sprintf(`
apiVersion: olm.operatorframework.io/v1
kind: ClusterCatalog
metadata: {name: %s}
spec: {priority: 0}
status: {urls: {base: "https://catalogd-service.olmv1-system.svc/catalogs/%[1]s"}}
`, name))
	}
}

func TestPlugin(t *testing.T) {
	s := Start(t)
	for _, name := range []string{"status", "update"} {
		text, err := os.ReadFile("../../testdata/cluster/" + name + ".yaml")
		require.NoError(t, err)
		s.Apply(t, string(text))
	}
	f := newFront(t, s)
	for _, name := range []string{"coast", "island", "reef"} {
		f.serve(t, name, os.DirFS(catalogFolder(name)))
	}
	f.declare(t, s, "olm", "coast", "island", "reef")
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Run("commands", func(t *testing.T) { testPluginCommands(t, s, f) })
	t.Run("rights", func(t *testing.T) { testPluginRights(t, s, f) })
	t.Run("failures", func(t *testing.T) { testPluginFailures(t, s, f) })
	t.Run("community", func(t *testing.T) { testPluginCommunity(t, s, f) })
}

// testPluginCommands: every command answers on the running cluster what it answers on
// files with the same objects and catalogs.
func testPluginCommands(t *testing.T, s *Server, f *front) {
	kubeconfig := f.kubeconfig(t, s.Config())
	// reef is damaged so that operator-registry does not serve it.
	catalogs := []string{"--catalog", "coast=" + catalogFolder("coast"), "--catalog", "island=" + catalogFolder("island"), "--catalog", "reef=" + catalogFolder("reef"),
		"--catalog", "olm/coast=" + catalogFolder("coast"), "--catalog", "olm/island=" + catalogFolder("island")}
	files := append([]string{"-f", dump(t, s)}, catalogs...)
	seen := append(slices.Clone(files[:2]), catalogs[6:]...) // by harbor
	for _, c := range []struct {
		args        []string
		live, files []string
	}{
		{args: []string{"resolve", "-o", "json"}, live: []string{"-A"}, files: files},
		{args: []string{"resolve", "--why"}, live: []string{"-A"}, files: files},
		{args: []string{"resolve", "-n", "harbor", "-o", "json"}, files: seen},
		{args: []string{"resolve", "-n", "harbor", "--package", "kerosene"}, files: files},
		{args: []string{"status", "-o", "json"}, live: []string{"-A"}, files: files},
		{args: []string{"why", "lighthouse", "-n", "harbor"}, files: files},
		{args: []string{"why-not", "lighthouse@1.0.0", "-n", "harbor"}, files: files},
		{args: []string{"path", "--package", "lighthouse", "-n", "harbor"}, files: files},
		{args: []string{"mirror"}, live: []string{"-A"}, files: files},
		{args: []string{"mirror", "-o", "images", "-f", "../../testdata/cluster/extension.yaml"}, files: catalogs},
		{args: []string{"list", "-o", "json"}, files: catalogs},
		{args: []string{"list", "ferry"}, files: catalogs},
		{args: []string{"graph", "--package", "ferry"}, files: catalogs},
	} {
		t.Run(strings.Join(c.args, " "), func(t *testing.T) {
			version := []string{}
			switch c.args[0] {
			case "list", "graph":
			default:
				version = []string{"--kube-version", "1.31.0"}
			}
			want := resolvent(t, append(append(c.args, c.files...), version...)...)
			require.Less(t, want.status, 2, want.errors)
			require.NotEmpty(t, want.out, want.errors)
			for range 2 { // the second time from the index
				got := kubectl(t, kubeconfig, append(append(c.args, c.live...), version...)...)
				assert.Equal(t, want.status, got.status, got.errors)
				assert.Equal(t, want.out, got.out)
			}
		})
	}
	for _, c := range []struct{ args, files []string }{
		{[]string{"check", "cluster:olm/coast", "--show", "error"}, []string{"check", catalogFolder("coast"), "--show", "error"}},
		{[]string{"check", "cluster:reef"}, []string{"check", catalogFolder("reef")}},
		{[]string{"diff", "cluster:olm/coast", catalogFolder("coast"), "-f", "cluster:", "--catalog", "olm/island=cluster:olm/island"},
			append([]string{"diff", catalogFolder("coast"), catalogFolder("coast"), "--catalog", "olm/island=" + catalogFolder("island")}, files[:2]...)},
	} {
		t.Run(strings.Join(c.args, " "), func(t *testing.T) {
			want := resolvent(t, c.files...)
			got := kubectl(t, kubeconfig, c.args...)
			assert.Equal(t, want.status, got.status, got.errors)
			assert.Equal(t, withoutPlaces(want.out), withoutPlaces(got.out))
		})
	}
	for _, request := range f.requests {
		method, path, _ := strings.Cut(request, " ")
		assert.True(t, method == "GET" || method == "HEAD" || strings.HasSuffix(path, "/portforward"), "only reads: %s", request)
	}
}

// withoutPlaces leaves out where a catalog is, and in which of its files and lines.
func withoutPlaces(text string) []string {
	lines := strings.Split(places.ReplaceAllString(text, "PLACE"), "\n")
	slices.Sort(lines)
	return lines
}

var places = regexp.MustCompile(`(cluster:|\.\./)[a-z./]+(:\d+:\d+)?`)

// testPluginCommunity: a real catalog of OLM v0 and of v1 answers as its folder does.
func testPluginCommunity(t *testing.T, s *Server, f *front) {
	folder := testkit.Shared(t, "catalogs", "community")
	f.serve(t, "community", os.DirFS(folder))
	f.declare(t, s, "elsewhere", "community")
	kubeconfig := f.kubeconfig(t, s.Config())
	for _, c := range []string{"elsewhere/community", "community"} {
		list := []string{"list", "-o", "json", "--catalog"}
		assert.Equal(t, resolvent(t, append(list, c+"="+folder)...), kubectl(t, kubeconfig, append(list, c+"=cluster:"+c)...))
	}
	ask := []string{"resolve", "-o", "json", "-n", "operators", "--global-namespace", "elsewhere", "--kube-version", "1.31.0"}
	for _, pkg := range []string{"apicurio-api-controller", "apicurio-registry-3", "etcd", "keda", "prometheus", "strimzi-kafka-operator"} {
		ask = append(ask, "--package", pkg)
	}
	s.Apply(t, `{apiVersion: v1, kind: Namespace, metadata: {name: operators}}`)
	want := resolvent(t, append(ask, "-f", dump(t, s), "--catalog", "elsewhere/community="+folder)...)
	got := kubectl(t, kubeconfig, ask...)
	assert.Equal(t, want.status, got.status)
	// A registry pod does not say where among its properties a bundle states its metadata.
	digests := regexp.MustCompile(`"content": "sha256:[0-9a-f]+"`)
	assert.Equal(t, digests.ReplaceAllString(want.out, ""), digests.ReplaceAllString(got.out, ""))
}

// testPluginRights: what a user may not read is named, and the rest is resolved.
func testPluginRights(t *testing.T, s *Server, f *front) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir()) // what another user read is no answer
	s.Apply(t, `{apiVersion: v1, kind: ServiceAccount, metadata: {namespace: harbor, name: crew}}`, `
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {namespace: harbor, name: crew}
rules:
- {apiGroups: [operators.coreos.com], resources: ["*"], verbs: [list]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {namespace: harbor, name: crew}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: crew}
subjects: [{kind: ServiceAccount, namespace: harbor, name: crew}]
`)
	crew := f.kubeconfig(t, s.ServiceAccount(t, "harbor", "crew"))

	// Without the catalogs there is nothing to resolve with.
	got := kubectl(t, crew, "status", "-n", "harbor")
	assert.Equal(t, 2, got.status)
	assert.Contains(t, got.errors, `namespace harbor: catalogsources.operators.coreos.com is forbidden: User "system:serviceaccount:harbor:crew" cannot list resource "catalogsources" in API group "operators.coreos.com" in the namespace "olm"`)
	assert.Empty(t, got.out)
	assert.LessOrEqual(t, strings.Count(got.errors, "\n"), 3, got.errors)

	s.Apply(t, `
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {namespace: olm, name: catalogs}
rules:
- {apiGroups: [operators.coreos.com], resources: [catalogsources], verbs: [get, list]}
- {apiGroups: [""], resources: [pods], verbs: [list]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {namespace: olm, name: catalogs}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: catalogs}
subjects: [{kind: ServiceAccount, namespace: harbor, name: crew}]
`)
	got = kubectl(t, crew, "status", "-n", "harbor", "--kube-version", "1.31.0")
	assert.Equal(t, 1, got.status)
	assert.Contains(t, got.errors, "port-forward to pod olm/coast-x7k2p")
	assert.Contains(t, got.out, "cannot create pods/portforward in the namespace olm")
	assert.Contains(t, got.errors, "cannot create pods/portforward in the namespace olm")

	s.Apply(t, `
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {namespace: olm, name: catalogs}
rules:
- {apiGroups: [operators.coreos.com], resources: [catalogsources], verbs: [get, list]}
- {apiGroups: [""], resources: [pods], verbs: [list]}
- {apiGroups: [""], resources: [pods/portforward], verbs: [create]}
`)
	args := []string{"status", "-n", "harbor", "--kube-version", "1.31.0"}
	want := resolvent(t, append(args, "-f", dump(t, s), "--catalog", "olm/coast="+catalogFolder("coast"), "--catalog", "olm/island="+catalogFolder("island"))...)
	require.Less(t, want.status, 2, want.errors)
	got = kubectl(t, crew, args...)
	assert.Equal(t, want.out, got.out)
	assert.Equal(t, want.status, got.status)
	assert.Contains(t, got.errors, "you may not list subscriptions, clusterserviceversions, operatorgroups, operatorconditions, installplans, catalogsources in all namespaces; what others have of them is not known\n")
	assert.Contains(t, got.errors, "you may not list clustercatalogs, clusterextensions, namespaces; answers that depend on them are failures\n")

	// What the answer depends on is a failure where it may not be listed.
	s.Apply(t, `
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {namespace: harbor, name: crew}
rules:
- {apiGroups: [operators.coreos.com], resources: [subscriptions, operatorgroups, operatorconditions, catalogsources, installplans], verbs: [list]}
`)
	for _, output := range []string{"text", "json"} {
		blind := kubectl(t, crew, append(args, "-o", output)...)
		assert.Equal(t, 2, blind.status)
		assert.Empty(t, blind.out)
		assert.Contains(t, blind.errors, `namespace harbor: clusterserviceversions.operators.coreos.com is forbidden`)
	}
	some := kubectl(t, f.kubeconfig(t, s.Config()), append(args, "--as", "system:serviceaccount:harbor:crew", "-n", "reef")...)
	assert.Equal(t, 2, some.status)
	s.Apply(t, `
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {namespace: harbor, name: crew}
rules:
- {apiGroups: [operators.coreos.com], resources: ["*"], verbs: [list]}
`)
	unknown := kubectl(t, f.kubeconfig(t, &rest.Config{BearerToken: "nobody"}), "status", "-n", "harbor")
	assert.Equal(t, ran{2, "", "kubectl resolvent status: the API server does not know these credentials (401): log in again, or name others with --context or --token\n"}, unknown)

	// The administrator sees what the user would.
	impersonated := kubectl(t, f.kubeconfig(t, s.Config()), append(args, "--as", "system:serviceaccount:harbor:crew")...)
	assert.Equal(t, got, impersonated)

	// A ClusterCatalog needs another right, which is named, too.
	list := kubectl(t, crew, "list", "--catalog", "coast=cluster:coast")
	assert.Equal(t, 2, list.status)
	assert.Contains(t, list.errors, `cannot get resource "clustercatalogs"`)
	s.Apply(t, `
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: catalogs}
rules:
- {apiGroups: [olm.operatorframework.io], resources: [clustercatalogs], verbs: [get, list]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: catalogs}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: catalogs}
subjects: [{kind: ServiceAccount, namespace: harbor, name: crew}]
`)
	for range 100 { // the API server takes roles in a moment later
		if list = kubectl(t, crew, "list", "--catalog", "coast=cluster:coast"); !strings.Contains(list.errors, "clustercatalogs") {
			break
		}
		time.Sleep(100 * time.Millisecond)
	}
	assert.Equal(t, 2, list.status)
	assert.Contains(t, list.errors, "cannot get services/proxy in the namespace olmv1-system")
}

// testPluginFailures: what fails is named.
func testPluginFailures(t *testing.T, s *Server, f *front) {
	kubeconfig := f.kubeconfig(t, s.Config())
	list := func(name string) string {
		got := kubectl(t, kubeconfig, "list", "--catalog", "x=cluster:"+name, "--timeout", "10s", "--index-cache", "")
		assert.Equal(t, 2, got.status)
		return got.errors
	}
	address := f.registries["coast"]
	f.registries["coast"] = "127.0.0.1:1" // where nobody listens
	assert.Contains(t, list("olm/coast"), "registry pod of CatalogSource olm/coast")
	f.registries["coast"] = address
	assert.Contains(t, list("olm/lake"), `catalogsources.operators.coreos.com "lake" not found`)
	s.Apply(t, `{apiVersion: olm.operatorframework.io/v1, kind: ClusterCatalog, metadata: {name: lake}, spec: {priority: 0}}`)
	assert.Contains(t, list("lake"), "its status states no URL (status.urls.base): it is not served yet")
	s.Apply(t, `{apiVersion: olm.operatorframework.io/v1, kind: ClusterCatalog, metadata: {name: lake}, spec: {priority: 0}, status: {urls: {base: "https://elsewhere.example/catalogs/lake"}}}`)
	assert.Contains(t, list("lake"), "it is not the URL of a service of the cluster")
	s.Apply(t, `{apiVersion: operators.coreos.com/v1alpha1, kind: CatalogSource, metadata: {name: lake, namespace: olm}, spec: {sourceType: grpc, address: "127.0.0.1:1"}}`)
	assert.Contains(t, list("olm/lake"), "connection refused")

	// One catalog that nobody can read is a failure of those who see it, and of nobody else.
	s.Apply(t, `{apiVersion: operators.coreos.com/v1alpha1, kind: CatalogSource, metadata: {name: lake, namespace: reef}, spec: {sourceType: grpc, address: "127.0.0.1:1"}}`)
	for _, args := range [][]string{{"status", "-A", "--kube-version", "1.31.0"}, {"list"}, {"graph", "ferry"}} {
		got := kubectl(t, kubeconfig, args...)
		assert.Less(t, got.status, 2, got.errors)
		assert.NotEmpty(t, got.out)
		assert.Contains(t, got.errors, "catalog reef/lake: ")
	}

	got := kubectl(t, kubeconfig, "mirror", "-n", "operators", "--package", "ferry", "-o", "images", "--kube-version", "1.31.0", "--catalog", "olm/lake="+catalogFolder("island"))
	assert.Equal(t, 1, got.status)
	assert.Contains(t, got.errors, "a registry pod does not state all images of its bundles; give the catalog's own image with --catalog olm/coast=docker://IMAGE")
}
