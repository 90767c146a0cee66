package manifest_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/manifest"
)

// Objects of every kind that no API server accepts are refused where they are read, from a
// text and from memory.
func TestNamesRefused(t *testing.T) {
	groups := map[string]string{"OperatorHub": "config.openshift.io/v1", "ClusterVersion": "config.openshift.io/v1", "Namespace": "v1", "CustomResourceDefinition": "apiextensions.k8s.io/v1", "ServiceAccount": "v1", "ConfigMap": "v1"}
	const rights = "rbac.authorization.k8s.io/v1"
	for _, kind := range []string{"Role", "RoleBinding", "ClusterRole", "ClusterRoleBinding"} {
		groups[kind] = rights
	}
	scoped := map[string]bool{"Namespace": true, "ClusterCatalog": true, "ClusterExtension": true, "OperatorHub": true, "ClusterVersion": true, "ClusterRole": true, "ClusterRoleBinding": true, "CustomResourceDefinition": true}
	type meta = map[string]any
	for _, kind := range manifest.Kinds() {
		group := groups[kind]
		if group == "" {
			group = "operators.coreos.com/v1"
		}
		if strings.HasPrefix(kind, "Cluster") && scoped[kind] && group == "operators.coreos.com/v1" {
			group = "olm.operatorframework.io/v1"
		}
		for name, test := range map[string]struct {
			meta meta
			want string
		}{
			"right":      {meta{"name": "x", "namespace": "n", "labels": meta{"a/b": "C"}, "annotations": meta{"a/b": "$(x);"}}, ""},
			"option":     {meta{"name": "--all", "namespace": "n"}, `: metadata.name: "--all": no API server accepts this; want`},
			"command":    {meta{"name": "x;touch y", "namespace": "n"}, `: metadata.name: "x;touch y": `},
			"path":       {meta{"name": "x/y", "namespace": "n"}, `: metadata.name: "x/y": `},
			"label":      {meta{"name": "x", "namespace": "n", "labels": meta{"a": "$(x)"}}, `x: metadata.labels: a: value "$(x)": `},
			"annotation": {meta{"name": "x", "namespace": "n", "annotations": meta{"a`b": ""}}, "x: metadata.annotations: key \"a`b\": "},
			"long":       {meta{"name": "x", "namespace": "n", "annotations": meta{"a": strings.Repeat("x", 256<<10)}}, "x: metadata.annotations: 262145 bytes"},
			"namespace":  {meta{"name": "x", "namespace": "a.b"}, `x: metadata.namespace: "a.b": `},
		} {
			if name == "namespace" && scoped[kind] {
				test.want = "" // it does not count
			}
			if (name == "option" || name == "command") && group == rights {
				test.want = "" // any segment of a path is a name
			}
			text, err := json.Marshal(map[string]any{"apiVersion": group, "kind": kind, "metadata": test.meta})
			require.NoError(t, err)
			_, read := manifest.Read(t.Context(), manifest.Input{Name: "in", Reader: strings.NewReader(string(text))})
			_, one := manifest.ReadObject(group, kind, decoding(string(text)))
			if test.want == "" {
				require.NoError(t, read, "%s %s", kind, name)
				require.NoError(t, one, "%s %s", kind, name)
				continue
			}
			for _, err := range []error{read, one} {
				var fault *manifest.Error
				require.ErrorAs(t, err, &fault, "%s %s", kind, name)
				assert.ErrorContains(t, err, kind)
				assert.ErrorContains(t, err, test.want)
			}
		}
	}
	_, err := manifest.Read(t.Context(), manifest.Input{Name: "in", Reader: strings.NewReader("{kind: Namespace, metadata: {name: a.b}}")})
	assert.ErrorContains(t, err, "in: document 1: Namespace: metadata.name: \"a.b\": no API server accepts this; want at most 63 ")
}

// A library takes objects as they are given.
func TestNamesWritten(t *testing.T) {
	text, err := manifest.Write(t.Context(), cluster.Objects{Namespaces: []cluster.Namespace{{Name: "--all"}}})
	require.NoError(t, err)
	assert.Contains(t, string(text), `"name":"--all"`)
}
