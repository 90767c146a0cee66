package command

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// writeFiles makes a folder with the files.
func writeFiles(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	}
	return dir
}

const pierSubscription = `{apiVersion: operators.coreos.com/v1alpha1, kind: Subscription, metadata: {name: pier, namespace: harbor},
  spec: {name: pier, channel: stone, source: coast, sourceNamespace: olm}}
`

// A folder is a GitOps repository or a must-gather: manifests among much else.
func TestFolder(t *testing.T) {
	dir := writeFiles(t, map[string]string{
		"apps/harbor/subscription.yaml":       pierSubscription,
		"apps/harbor/again.yml":               pierSubscription, // in a must-gather, too, one object stands in several files
		"apps/harbor/values.yaml":             "replicas: 1\n",
		"apps/harbor/kustomization.yaml":      "kind: Kustomization\nresources: [subscription.yaml]\n",
		"charts/pier/templates/sub.yaml":      "kind: Subscription\nmetadata: {{ .Values.meta }\n",
		"apps/README.md":                      "kind: Subscription",
		".git/objects/subscription.yaml":      "kind: Subscription",
		"cluster-scoped/namespaces/list.json": `{"kind": "NamespaceList", "apiVersion": "v1", "items": [{"metadata": {"name": "harbor"}}]}`,
	})
	outside := writeFiles(t, map[string]string{"sub.yaml": "kind: Subscription"})
	require.NoError(t, os.Symlink(filepath.Join(outside, "sub.yaml"), filepath.Join(dir, "outside.yaml")))
	require.NoError(t, os.Symlink(outside, filepath.Join(dir, "outside")))
	require.NoError(t, os.Symlink("subscription.yaml", filepath.Join(dir, "apps/harbor/link.yaml")))

	got := invoke(t, t.Context(), "", resolveArgs([]string{"-f", dir}, coast)...)
	assert.Equal(t, exitResolved, got.status, got.stderr)
	assert.Contains(t, got.stdout, "pier.v2.0.0")
	assert.Contains(t, got.stderr, "charts/pier/templates/sub.yaml: document 1")
	assert.Contains(t, got.stderr, "skipped: statat outside.yaml: path escapes from parent")
	assert.NotContains(t, got.stderr, "values.yaml")
	assert.NotContains(t, got.stderr, ".git")
}

func TestFolderWithoutManifests(t *testing.T) {
	got := invoke(t, t.Context(), "", resolveArgs([]string{"-f", writeFiles(t, map[string]string{"a.yaml": "a: b"})}, coast)...)
	assert.Equal(t, exitNotStarted, got.status)
	assert.Contains(t, got.stderr, "this folder has no Subscription or other manifest that is read")
}
