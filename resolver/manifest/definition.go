package manifest

import (
	"cmp"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/resolvent/resolvent/resolver/cluster"
)

// extensionDefinition is the name of the definition of ClusterExtension.
const extensionDefinition = "clusterextensions.olm.operatorframework.io"

// definition holds the fields of a CustomResourceDefinition that say which versions it has.
type definition struct {
	Spec struct {
		Versions []definedVersion `json:"versions"`
	} `json:"spec"`
	Status struct {
		Stored []string `json:"storedVersions"`
	} `json:"status"`
}

// definedVersion is a version of a CustomResourceDefinition.
type definedVersion struct {
	Name   string `json:"name"`
	Served bool   `json:"served"`
}

func (d definition) object(meta metadata) (cluster.Definition, error) {
	o := cluster.Definition{Name: meta.Name, Stored: d.Status.Stored}
	for _, v := range d.Spec.Versions {
		if v.Served {
			o.Served = append(o.Served, v.Name)
		}
	}
	return o, nil
}

func (definition) of(o cluster.Definition) (d definition, meta metadata) {
	d.Status.Stored = o.Stored
	for _, version := range o.Served {
		d.Spec.Versions = append(d.Spec.Versions, definedVersion{version, true})
	}
	return d, metadata{Name: o.Name}
}

// ofDefinitions is the kind of definitions. That of ClusterExtension states the profile of
// OLM v1, and nothing else is read of it.
func ofDefinitions() kind {
	k := of[definition](kind{name: "CustomResourceDefinition", apiVersion: "apiextensions.k8s.io/v1"},
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
