package manifest_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v4"

	"github.com/resolvent/resolvent/resolver/manifest"
)

// BenchmarkRead reads a List of 10,000 Subscriptions.
func BenchmarkRead(b *testing.B) {
	var items []any
	for i := range 10_000 {
		items = append(items, map[string]any{
			"apiVersion": "operators.coreos.com/v1alpha1",
			"kind":       "Subscription",
			"metadata":   map[string]any{"name": fmt.Sprint("sub-", i), "namespace": "operators"},
			"spec":       map[string]any{"name": "lighthouse", "channel": "stable", "source": "coast", "sourceNamespace": "olm"},
			"status":     map[string]any{"installedCSV": "lighthouse.v1.0.0", "state": "AtLatestKnown"},
		})
	}
	list := map[string]any{"apiVersion": "v1", "kind": "List", "items": items}
	asJSON, err := json.MarshalIndent(list, "", "    ")
	require.NoError(b, err)
	asYAML, err := yaml.Dump(list)
	require.NoError(b, err)
	for name, data := range map[string][]byte{"json": asJSON, "yaml": asYAML} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			for b.Loop() {
				objects, err := manifest.Read(b.Context(), manifest.Input{Name: "list", Reader: bytes.NewReader(data)})
				require.NoError(b, err)
				require.Len(b, objects.Subscriptions, 10_000)
			}
		})
	}
}
