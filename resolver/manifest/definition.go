package manifest

import (
	"cmp"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/resolvent/resolvent/resolver/cluster"
)

// extensionDefinition is the name of the definition of ClusterExtension.
const extensionDefinition = "clusterextensions.olm.operatorframework.io"

// definition holds the fields of a CustomResourceDefinition that tell the profile of OLM v1.
type definition struct {
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

// readDefinition reads the profile of OLM v1 from the definition of ClusterExtension: only the
// experimental one has spec.config. Other definitions state nothing.
func readDefinition(decode decoder, meta metadata) (any, func(*cluster.Objects), error) {
	nothing := func(*cluster.Objects) {}
	if meta.Name != extensionDefinition {
		return nil, nothing, nil
	}
	var f definition
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
