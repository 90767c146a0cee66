package inputs

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Folders that kustomize or Helm renders are listed with their commands; one that only lists files is read.
func TestRenderedFolders(t *testing.T) {
	const subscription = "apiVersion: operators.coreos.com/v1alpha1\nkind: Subscription\nmetadata: {namespace: n, name: s}\nspec: {name: p}\n"
	const lists = "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources: [s.yaml]\n"
	for name, test := range map[string]struct {
		files map[string]string
		want  []string // the commands
	}{
		"lists":      {map[string]string{"base/kustomization.yaml": lists, "base/s.yaml": subscription}, nil},
		"flux":       {map[string]string{"kustomization.yaml": "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nspec: {path: x}\n", "s.yaml": subscription}, nil},
		"unreadable": {map[string]string{"kustomization.yaml": "- a: [", "s.yaml": subscription}, nil},
		"no changes": {map[string]string{"kustomization.yml": "resources: [s.yaml]\nmetadata: {name: x}\n", "s.yaml": subscription}, nil},
		"overlay":    {map[string]string{"base/kustomization.yaml": lists, "base/s.yaml": subscription, "over/kustomization.yaml": "resources: [../base]\npatches: []\n", "over/s.yaml": subscription}, []string{"kubectl kustomize DIR/over"}},
		"both":       {map[string]string{"base/Kustomization": lists + "namespace: n\n", "over/kustomization.yml": "bases: [../base]\n", "x y/kustomization.yaml": "helmCharts: []\n", "chart/Chart.yaml": "name: c\n", "chart/charts/in/Chart.yaml": "name: d\n", "chart/templates/s.yaml": "{{"}, []string{"helm template DIR/chart", "kubectl kustomize DIR/over", "kubectl kustomize --enable-helm 'DIR/x y'"}},
		"circle":     {map[string]string{"a/kustomization.yaml": "bases: [../b]\n", "b/kustomization.yaml": "bases: [../a]\n"}, []string{"kubectl kustomize DIR/a", "kubectl kustomize DIR/b"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			for file, text := range test.files {
				require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join("DIR", file)), 0o755))
				require.NoError(t, os.WriteFile(filepath.Join("DIR", file), []byte(text), 0o644))
			}
			inputs, err := readFolder(t.Context(), "DIR", io.Discard)
			if test.want == nil {
				require.NoError(t, err)
				assert.Len(t, inputs, 1)
				return
			}
			require.Error(t, err)
			var commands []string
			for _, part := range err.(interface{ Unwrap() []error }).Unwrap()[1:] {
				commands = append(commands, part.Error()[2:])
			}
			assert.Equal(t, test.want, commands)
		})
	}
}

// A folder that nests deeper than paths reach is skipped: walking it would take the time of all others.
func TestDeepFolder(t *testing.T) {
	dir := t.TempDir()
	root, err := os.OpenRoot(dir)
	require.NoError(t, err)
	defer root.Close()
	deep := strings.Repeat(strings.Repeat("d", 200)+"/", 30)
	require.NoError(t, root.MkdirAll(deep, 0o755))
	manifest := []byte("apiVersion: operators.coreos.com/v1alpha1\nkind: Subscription\nmetadata: {name: a, namespace: b}\nspec: {name: a}\n")
	require.NoError(t, root.WriteFile("a.yaml", manifest, 0o644))
	require.NoError(t, root.WriteFile(deep+"b.yaml", manifest, 0o644))
	var notes strings.Builder
	inputs, err := readFolder(t.Context(), dir, &notes)
	require.NoError(t, err)
	assert.Len(t, inputs, 1)
	assert.Contains(t, notes.String(), "...: its path has more than 4096 bytes")
}
