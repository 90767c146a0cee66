package manifest

import (
	"cmp"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/words"
)

// extensionDefinition is the name of the definition of ClusterExtension.
const extensionDefinition = "clusterextensions.olm.operatorframework.io"

// definition holds the fields of a CustomResourceDefinition.
type definition struct {
	Spec   properties.Definition `json:"spec"`
	Status struct {
		Stored []string `json:"storedVersions"`
	} `json:"status"`
}

// labelOwnerKind and labelOwnerName are how OLM v1 marks what it installs.
const (
	labelOwnerKind = "olm.operatorframework.io/owner-kind"
	labelOwnerName = "olm.operatorframework.io/owner-name"
)

func (d definition) object(meta metadata) (cluster.Definition, error) {
	o := cluster.Definition{Name: meta.Name, Definition: d.Spec, Stored: d.Status.Stored}
	if !o.Definition.Settle() {
		o.Definition = properties.Definition{}
	}
	if meta.Labels[labelOwnerKind] == words.ObjectExtension {
		o.Owner = meta.Labels[labelOwnerName]
	}
	return o, nil
}

func (definition) of(o cluster.Definition) (d definition, meta metadata) {
	d.Spec, d.Status.Stored, meta = o.Definition, o.Stored, metadata{Name: o.Name}
	if o.Owner != "" {
		meta.Labels = map[string]string{labelOwnerKind: words.ObjectExtension, labelOwnerName: o.Owner}
	}
	return d, meta
}

// ofDefinitions is the kind of definitions. That of ClusterExtension states the profile of
// OLM v1, and nothing else is read of it.
func ofDefinitions() objectKind {
	k := of[definition](objectKind{name: "CustomResourceDefinition", apiVersion: "apiextensions.k8s.io/v1"},
		func(o *cluster.Objects) *[]cluster.Definition { return &o.Definitions })
	others := k.read
	k.read = func(decode decoder, meta metadata) (any, func(*cluster.Objects), error) {
		if meta.Name == extensionDefinition {
			return readProfile(decode)
		}
		return others(decode, meta)
	}
	return k
}

// profileDefinition holds the fields of the definition of ClusterExtension that tell the profile
// of OLM v1.
type profileDefinition struct {
	Spec struct {
		Versions []struct {
			Schema struct {
				OpenAPI struct {
					Properties struct {
						Spec struct {
							Properties map[string]jsontext.Value `json:"properties"`
						} `json:"spec"`
					} `json:"properties"`
				} `json:"openAPIV3Schema"`
			} `json:"schema"`
		} `json:"versions"`
	} `json:"spec"`
}

// readProfile reads the profile of OLM v1: only the experimental one has spec.config.
func readProfile(decode decoder) (any, func(*cluster.Objects), error) {
	var f profileDefinition
	if err := decode(&f); err != nil {
		return nil, nil, err
	}
	profile := cluster.ProfileStandard
	for _, v := range f.Spec.Versions {
		if _, ok := v.Schema.OpenAPI.Properties.Spec.Properties["config"]; ok {
			profile = cluster.ProfileExperimental
		}
	}
	return profile, func(all *cluster.Objects) { all.OLMv1 = cmp.Or(all.OLMv1, profile) }, nil
}
