package rules

import (
	"fmt"
	"maps"
	"slices"
)

// Facts is what the caller knows of the cluster. CEL rules read it as the variable
// cluster. An empty field is an unknown fact, which the variable does not have: a rule
// can check has(cluster.openshiftVersion).
type Facts struct {
	KubernetesVersion string
	OpenShiftVersion  string
	Namespace         string
	// Labels must not be changed while a rule is evaluated.
	Labels map[string]string
}

// Key returns a text that is equal exactly for equal Facts.
func (f Facts) Key() string {
	key := fmt.Appendf(nil, "%q %q %q ", f.KubernetesVersion, f.OpenShiftVersion, f.Namespace)
	for _, name := range slices.Sorted(maps.Keys(f.Labels)) {
		key = fmt.Appendf(key, "%q=%q ", name, f.Labels[name])
	}
	return string(key)
}

// Variable returns the value of the CEL variable cluster, a new map.
func (f Facts) Variable() map[string]any {
	m := map[string]any{"labels": f.Labels}
	if f.Labels == nil {
		m["labels"] = map[string]string{}
	}
	for name, text := range map[string]string{
		"kubernetesVersion": f.KubernetesVersion,
		"openshiftVersion":  f.OpenShiftVersion,
		"namespace":         f.Namespace,
	} {
		if text != "" {
			m[name] = text
		}
	}
	return m
}
