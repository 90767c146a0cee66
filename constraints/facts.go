package constraints

import (
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Facts is what the caller tells of the cluster. CEL rules read it as the
// variable cluster. An empty field is a fact that is not known: the rule does
// not find it there, and can ask so with has(cluster.openshiftVersion).
type Facts struct {
	KubernetesVersion string
	OpenShiftVersion  string
	Namespace         string
	// Labels must not be changed while a rule is evaluated.
	Labels map[string]string
}

// Key returns a text that two Facts share exactly if they are equal.
func (f Facts) Key() string {
	var b strings.Builder
	for _, text := range []string{f.KubernetesVersion, f.OpenShiftVersion, f.Namespace} {
		b.WriteString(strconv.Quote(text))
		b.WriteByte(' ')
	}
	for _, name := range slices.Sorted(maps.Keys(f.Labels)) {
		b.WriteString(strconv.Quote(name))
		b.WriteByte('=')
		b.WriteString(strconv.Quote(f.Labels[name]))
		b.WriteByte(' ')
	}
	return b.String()
}

// variable returns the value of the CEL variable cluster.
func (f Facts) variable() map[string]any {
	labels := f.Labels
	if labels == nil {
		labels = map[string]string{}
	}
	m := map[string]any{"labels": labels}
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
