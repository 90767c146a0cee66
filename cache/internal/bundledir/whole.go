package bundledir

import (
	"encoding/json"
	"slices"

	"github.com/resolvent/resolvent/cache/internal/build"
	"github.com/resolvent/resolvent/cache/internal/document"
	"github.com/resolvent/resolvent/properties"
)

// relatedImage is an image that the bundle needs.
type relatedImage struct {
	Name  string `json:"name"`
	Image string `json:"image"`
}

// whole is what only the whole blob of a bundle states, as opm renders it.
type whole struct {
	metadata map[string]json.RawMessage // the value of olm.csv.metadata
	images   []relatedImage
}

// metadataFields are the fields of a ClusterServiceVersion's spec in olm.csv.metadata, by the
// names that they have there.
var metadataFields = map[string]string{
	"apiServiceDefinitions": "apiservicedefinitions", "crdDescriptions": "customresourcedefinitions", "description": "description",
	"displayName": "displayName", "installModes": "installModes", "keywords": "keywords", "links": "links", "maintainers": "maintainers",
	"maturity": "maturity", "minKubeVersion": "minKubeVersion", "nativeAPIs": "nativeAPIs", "provider": "provider",
}

// wholeOf reads a ClusterServiceVersion. What cannot be read is left out.
func wholeOf(t *document.Tree) *whole {
	var csv struct {
		Metadata map[string]json.RawMessage `json:"metadata"`
		Spec     map[string]json.RawMessage `json:"spec"`
	}
	text, err := t.JSON(t.Root)
	if err != nil || json.Unmarshal(text, &csv) != nil {
		return &whole{} // reading the bundle finds the error, too
	}
	w := &whole{metadata: map[string]json.RawMessage{}}
	put := func(name string, value json.RawMessage) {
		if len(value) > 0 && !slices.Contains([]string{"null", `""`, "[]", "{}"}, string(value)) {
			w.metadata[name] = value
		}
	}
	put("annotations", csv.Metadata["annotations"])
	put("labels", csv.Metadata["labels"])
	for name, field := range metadataFields {
		put(name, csv.Spec[field])
	}
	type container struct {
		Image string `json:"image"`
	}
	var images struct {
		Spec struct {
			RelatedImages []relatedImage `json:"relatedImages"`
			Install       struct {
				Spec struct {
					Deployments []struct {
						Spec struct {
							Template struct {
								Spec struct {
									Containers     []container `json:"containers"`
									InitContainers []container `json:"initContainers"`
								} `json:"spec"`
							} `json:"template"`
						} `json:"spec"`
					} `json:"deployments"`
				} `json:"spec"`
			} `json:"install"`
		} `json:"spec"`
	}
	_ = json.Unmarshal(text, &images) // what has another form is no image
	w.images = images.Spec.RelatedImages
	for _, d := range images.Spec.Install.Spec.Deployments {
		for _, c := range slices.Concat(d.Spec.Template.Spec.Containers, d.Spec.Template.Spec.InitContainers) {
			if c.Image != "" && !slices.ContainsFunc(w.images, func(known relatedImage) bool { return known.Image == c.Image }) {
				w.images = append(w.images, relatedImage{Image: c.Image})
			}
		}
	}
	return w
}

// blob returns the properties and related images as a JSON object. opm leaves the objects out where
// olm.csv.metadata is stated.
func (w *whole) blob(stated []properties.Property, objects bool) []byte {
	all := slices.DeleteFunc(slices.Clone(stated), func(p properties.Property) bool { return !objects && p.Type == properties.TypeBundleObject })
	for i, p := range all {
		if p.Type == properties.TypeCSVMetadata {
			text, _ := json.Marshal(w.metadata) // valid JSON
			all[i].Value = build.Canonical(text)
		}
	}
	text, _ := json.Marshal(struct {
		Properties    []properties.Property `json:"properties"`
		RelatedImages []relatedImage        `json:"relatedImages,omitempty"`
	}{all, w.images}) // strings, and values that were read
	return text
}
