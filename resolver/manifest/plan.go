package manifest

import (
	"github.com/go-json-experiment/json"

	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/resolver/cluster"
)

// planStep is a step of an InstallPlan.
type planStep struct {
	Resolving string `json:"resolving"`
	Resource  struct {
		Kind     string `json:"kind"`
		Name     string `json:"name"`
		Manifest string `json:"manifest"`
	} `json:"resource"`
}

// stepManifest is what is read of the manifest of a step, which is JSON in a text.
type stepManifest struct {
	// Kind, Namespace and Name are set if it is only a reference to the ConfigMap that has it.
	Kind      string             `json:"kind,omitzero"`
	Namespace string             `json:"namespace,omitzero"`
	Name      string             `json:"name,omitzero"`
	Role      properties.RoleRef `json:"roleRef,omitzero"`
	Rules     []cluster.Right    `json:"rules,omitempty"`
	Spec      struct {
		properties.Definition   // of a CustomResourceDefinition
		properties.Installation // of a ClusterServiceVersion
	} `json:"spec,omitzero"`
}

const kindConfigMap = "ConfigMap"

// maxManifest bounds the manifests that are read, in bytes: objects are smaller.
const maxManifest = 4 << 20

// stepsOf returns the steps, or those that state rights or versions of resources. What a manifest does
// not state, or states in another form, is not known, or stands in a ConfigMap.
func stepsOf(list []planStep, all bool) []cluster.PlanStep {
	var steps []cluster.PlanStep
	for _, s := range list {
		var m stepManifest
		if len(s.Resource.Manifest) > maxManifest || json.Unmarshal([]byte(s.Resource.Manifest), &m) != nil {
			m = stepManifest{}
		}
		step := cluster.PlanStep{CSV: s.Resolving, Kind: s.Resource.Kind, Name: s.Resource.Name}
		if m.Kind == kindConfigMap && m.Name != "" {
			step.In = cluster.ConfigMap{Namespace: m.Namespace, Name: m.Name}
		}
		switch s.Resource.Kind {
		case "ClusterRole", "Role":
			step.Rights = m.Rules
		case "ClusterRoleBinding", "RoleBinding":
			step.Role = m.Role
		case "ClusterServiceVersion":
			if m.Spec.Install != nil {
				step.Installation = &m.Spec.Installation
			}
		case "CustomResourceDefinition":
			if d := m.Spec.Definition; d.Settle() {
				step.Definition = &d
			}
		}
		if all || len(step.Rights) > 0 || step.Role != (properties.RoleRef{}) || step.Installation != nil || step.Definition != nil {
			steps = append(steps, step)
		}
	}
	return steps
}

// writtenSteps is the inverse of stepsOf.
func writtenSteps(steps []cluster.PlanStep) []planStep {
	var list []planStep
	for _, step := range steps {
		m := stepManifest{Namespace: step.In.Namespace, Name: step.In.Name, Role: step.Role, Rules: step.Rights}
		if m.Name != "" {
			m.Kind = kindConfigMap
		}
		switch {
		case step.Installation != nil:
			m.Spec.Installation = *step.Installation
		case step.Definition != nil:
			m.Spec.Definition = *step.Definition
		}
		text, _ := json.Marshal(m)
		s := planStep{Resolving: step.CSV}
		s.Resource.Kind, s.Resource.Name, s.Resource.Manifest = step.Kind, step.Name, string(text)
		list = append(list, s)
	}
	return list
}
