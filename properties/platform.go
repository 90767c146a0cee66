package properties

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
)

// Labels and annotations that say where an operator runs.
const (
	labelArch              = "operatorframework.io/arch."
	labelOS                = "operatorframework.io/os."
	annotationFeature      = "features.operators.openshift.io/"
	annotationFeatures     = "operators.openshift.io/infrastructure-features"
	annotationNamespace    = "operatorframework.io/suggested-namespace"
	featureDisconnected    = "disconnected"
	supported, defaultArch = "supported", "amd64"
)

// Architectures returns the processor architectures that labels state as supported, sorted.
// Without any it is amd64, as OLM reads it.
func (m *Metadata) Architectures() []string {
	if list := m.labeled(labelArch); len(list) > 0 {
		return list
	}
	return []string{defaultArch}
}

// OperatingSystems returns those that labels state as supported, sorted.
func (m *Metadata) OperatingSystems() []string { return m.labeled(labelOS) }

func (m *Metadata) labeled(prefix string) (list []string) {
	for key, value := range m.Labels() {
		if name, ok := strings.CutPrefix(key, prefix); ok && value == supported {
			list = append(list, name)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// Features returns the infrastructure features that annotations state, of OpenShift's newer and
// older form, in lower case and sorted. What the newer form denies is none.
func (m *Metadata) Features() (list []string) {
	denied := map[string]bool{}
	for key, value := range m.Annotations() {
		if name, ok := strings.CutPrefix(key, annotationFeature); ok {
			name = strings.ToLower(name)
			if denied[name] = value != "true"; !denied[name] {
				list = append(list, name)
			}
		}
		var names []string
		if key == annotationFeatures && json.Unmarshal([]byte(value), &names) == nil {
			for _, name := range names {
				list = append(list, strings.ToLower(name))
			}
		}
	}
	slices.Sort(list)
	return slices.DeleteFunc(slices.Compact(list), func(name string) bool { return denied[name] })
}

// Disconnected reports whether the operator states that it runs in a disconnected cluster, and
// whether it states that at all.
func (m *Metadata) Disconnected() (runs, stated bool) {
	for key := range m.Annotations() {
		stated = stated || key == annotationFeature+featureDisconnected
	}
	runs = slices.Contains(m.Features(), featureDisconnected)
	return runs, stated || runs
}

// SuggestedNamespace returns the namespace that an annotation suggests, "" if there is none.
func (m *Metadata) SuggestedNamespace() (name string) {
	for key, value := range m.Annotations() {
		if key == annotationNamespace {
			name = value
		}
	}
	return name
}

// MeantAsLabel reports whether an annotation has a key that only counts as a label.
func MeantAsLabel(annotation string) bool {
	return strings.HasPrefix(annotation, labelArch) || strings.HasPrefix(annotation, labelOS)
}
