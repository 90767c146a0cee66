package apiserver

import (
	"bytes"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/manifest"
	"github.com/resolvent/resolvent/resolver/migrate"
	"github.com/resolvent/resolvent/resolver/policy"
)

// TestMigrateValid: the server takes what migrate writes, as the command line prints it
// and of all operators that can move with soft checks acknowledged. The configuration of an
// operator is a field of the experimental definition only.
func TestMigrateValid(t *testing.T) {
	golden, err := os.ReadFile("../resolvent/testdata/migrate-yaml.golden")
	require.NoError(t, err)
	printed, _, _ := strings.Cut(string(golden), "\n-- ") // the exit status, and what is no output
	text, err := os.ReadFile("../../testdata/cluster/migrate.yaml")
	require.NoError(t, err)
	objects, err := manifest.Read(t.Context(), manifest.Input{Name: "migrate.yaml", Reader: bytes.NewReader(text)})
	require.NoError(t, err)
	for i := range objects.Subscriptions { // the one that has a configuration cannot move
		if s := &objects.Subscriptions[i]; s.Name == "foghorn" {
			s.Rest = `{"config":{"env":[{"name":"DEPTH","value":"7"}]}}`
		}
	}
	coast, err := cache.LoadFS(t.Context(), os.DirFS(catalogFolder("coast")), cache.Options{})
	require.NoError(t, err)
	plan, err := migrate.Judge(t.Context(), resolver.New(), resolver.Problem{
		Cluster:  cluster.NewIndex(objects),
		Catalogs: cache.NewView([]cache.Catalog{{Key: catalog.Key{Namespace: "olm", Name: "coast"}, Snapshot: coast}}),
		Options:  policy.Options{OLMv1: cluster.ProfileExperimental},
	}, "C1", "C4", "C5", "C6", "C8")
	require.NoError(t, err)
	written, err := manifest.Write(t.Context(), plan.Objects)
	require.NoError(t, err)

	server := Start(t)
	client, err := dynamic.NewForConfig(server.Config())
	require.NoError(t, err)
	resources := map[string]string{"ClusterCatalog": "clustercatalogs", "ClusterExtension": "clusterextensions"}
	create := func(u *unstructured.Unstructured) error {
		kind := u.GroupVersionKind()
		require.Contains(t, resources, kind.Kind)
		resource := client.Resource(schema.GroupVersionResource{Group: kind.Group, Version: kind.Version, Resource: resources[kind.Kind]})
		_, err := resource.Create(t.Context(), u, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}, FieldValidation: metav1.FieldValidationStrict})
		return err
	}
	seen := map[string]int{}
	var configured []*unstructured.Unstructured
	for _, u := range parse(t, printed, string(written)) {
		seen[u.GetKind()]++
		if spec := u.Object["spec"].(map[string]any); spec["config"] != nil {
			configured = append(configured, u)
			assert.ErrorContains(t, create(u), `unknown field "spec.config"`, "the server looks at every field")
			continue
		}
		assert.NoError(t, create(u), "%s %s", u.GetKind(), u.GetName())
	}
	assert.Greater(t, seen["ClusterExtension"], len(plan.Objects.ClusterExtensions))
	assert.Greater(t, seen["ClusterCatalog"], len(plan.Objects.ClusterCatalogs))

	require.NotEmpty(t, configured)
	server.Apply(t, crds(t, "experimental")...)
	for _, u := range configured {
		assert.Eventually(t, func() bool { return create(u) == nil }, startTimeout, 100*time.Millisecond, "%s %s: %v", u.GetKind(), u.GetName(), create(u))
	}
}
