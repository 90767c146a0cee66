package manifest

import (
	"slices"

	"github.com/go-json-experiment/json"

	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/words"
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
	Rules []cluster.Right `json:"rules,omitempty"` // of a ClusterRole
	Spec  struct {
		properties.Definition         // of a CustomResourceDefinition
		Install               install `json:"install,omitzero"` // of a ClusterServiceVersion
	} `json:"spec,omitzero"`
}

// maxManifest bounds the manifests that are read, in bytes: objects are smaller.
const maxManifest = 4 << 20

// stepsOf returns the steps that state rights or versions of resources. What a manifest does not
// state, or states in another form, is not known: OLM keeps some manifests in ConfigMaps.
func stepsOf(list []planStep) []cluster.PlanStep {
	var steps []cluster.PlanStep
	for _, s := range list {
		var m stepManifest
		if len(s.Resource.Manifest) > maxManifest || json.Unmarshal([]byte(s.Resource.Manifest), &m) != nil {
			continue
		}
		step := cluster.PlanStep{CSV: s.Resolving, Kind: s.Resource.Kind, Name: s.Resource.Name}
		switch s.Resource.Kind {
		case "ClusterRole":
			step.Rights = m.Rules
		case "ClusterServiceVersion":
			step.Rights, _ = m.Spec.Install.granted()
		case "CustomResourceDefinition":
			if d := m.Spec.Definition; d.Settle() {
				step.Definition = &d
			}
		}
		if len(step.Rights) > 0 || step.Definition != nil {
			steps = append(steps, step)
		}
	}
	return steps
}

// writtenSteps is the inverse of stepsOf.
func writtenSteps(steps []cluster.PlanStep) []planStep {
	var list []planStep
	for _, step := range steps {
		var m stepManifest
		switch {
		case step.Kind == "ClusterRole":
			m.Rules = step.Rights
		case step.Kind == "ClusterServiceVersion":
			m.Spec.Install = *installOf(step.Rights, nil)
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

// install is how a ClusterServiceVersion is installed.
type install struct {
	Spec struct {
		ClusterPermissions []grant `json:"clusterPermissions,omitempty"`
		Permissions        []grant `json:"permissions,omitempty"`
	} `json:"spec"`
}

// grant is a permission of a service account.
type grant struct {
	Rules []cluster.Right `json:"rules"`
}

// granted returns the permissions in the whole cluster, and on what of OLM itself there are any.
func (i *install) granted() (rights, onOLM []cluster.Right) {
	for _, p := range i.Spec.ClusterPermissions {
		rights = append(rights, p.Rules...)
	}
	for _, p := range slices.Concat(i.Spec.ClusterPermissions, i.Spec.Permissions) {
		for _, r := range p.Rules {
			if slices.ContainsFunc(r.APIGroups, func(g string) bool { return g == "*" || g == words.GroupV0 || g == words.GroupV1 }) {
				onOLM = append(onOLM, cluster.Right{APIGroups: r.APIGroups, Resources: r.Resources})
			}
		}
	}
	return rights, onOLM
}

// installOf is the inverse of granted.
func installOf(rights, onOLM []cluster.Right) *install {
	i := &install{}
	if len(rights) > 0 {
		i.Spec.ClusterPermissions = []grant{{rights}}
	}
	_, known := i.granted()
	if rest := onOLM[min(len(known), len(onOLM)):]; len(rest) > 0 {
		i.Spec.Permissions = []grant{{rest}}
	}
	return i
}
