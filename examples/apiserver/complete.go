package apiserver

import (
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

const someTime = "2026-01-01T00:00:00Z"

// required are fields that the server requires and no resolution reads, by kind.
var required = map[string]map[string]any{
	"CatalogSource": {"spec.sourceType": "grpc"},
	"Subscription":  {"status.lastUpdated": someTime},
	"ClusterServiceVersion": {
		"spec.displayName": "an operator",
		"spec.install":     map[string]any{"strategy": "deployment"},
	},
	"ClusterCatalog": {"spec.source": map[string]any{
		"type":  "Image",
		"image": map[string]any{"ref": "registry.example.com/catalog@sha256:" + strings.Repeat("0", 64)},
	}},
	"ClusterExtension": {"spec.serviceAccount": map[string]any{"name": "installer"}},
}

// complete adds the fields, so that manifests need only state what matters.
func complete(u *unstructured.Unstructured) error {
	for path, value := range required[u.GetKind()] {
		fields := strings.Split(path, ".")
		section, stated := u.Object[fields[0]].(map[string]any)
		if !stated || section[fields[1]] != nil {
			continue
		}
		section[fields[1]] = value
	}
	conditions, _, err := unstructured.NestedSlice(u.Object, "spec", "conditions")
	if err != nil || u.GetKind() != "OperatorCondition" {
		return err
	}
	for _, item := range conditions {
		if fields := item.(map[string]any); fields["lastTransitionTime"] == nil {
			fields["lastTransitionTime"] = someTime
		}
	}
	return unstructured.SetNestedSlice(u.Object, conditions, "spec", "conditions")
}
