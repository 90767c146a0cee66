package registrypod

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/operator-framework/operator-registry/pkg/api"
)

// document is a document of a file-based catalog.
type document struct {
	Schema         string     `json:"schema"`
	Package        string     `json:"package,omitempty"`
	Name           string     `json:"name,omitempty"`
	DefaultChannel string     `json:"defaultChannel,omitempty"`
	Image          string     `json:"image,omitempty"`
	Properties     []property `json:"properties,omitempty"`
	Entries        []entry    `json:"entries,omitempty"`
}

// entry is one of a channel, or of deprecations.
type entry struct {
	Name      string     `json:"name,omitempty"`
	Replaces  string     `json:"replaces,omitempty"`
	Skips     []string   `json:"skips,omitempty"`
	SkipRange string     `json:"skipRange,omitempty"`
	Reference *reference `json:"reference,omitempty"`
	Message   string     `json:"message,omitempty"`
}

type reference struct {
	Schema string `json:"schema"`
	Name   string `json:"name,omitempty"`
}

type property struct {
	Type  string          `json:"type"`
	Value json.RawMessage `json:"value"`
}

// size is that of the value in bytes, 0 without a property.
func (p *property) size() int {
	if p == nil {
		return 0
	}
	return len(p.Value)
}

// text is the document as one line. The text of values is kept: it may be shown.
func (d document) text() ([]byte, error) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(d)
	return b.Bytes(), err
}

// properties are those of the file-based catalog. A server on files sends them as
// they were; one on a database may state a bundle's name, what it provides and what it
// requires in older fields only.
func (b *bundle) properties() []property {
	var list []property
	for _, p := range b.Properties {
		list = append(list, property{p.Type, valid(p.Value)})
	}
	stated := slices.Clone(list)
	add := func(kind string, value json.RawMessage) {
		if !slices.ContainsFunc(stated, func(p property) bool { return p.Type == kind }) {
			list = append(list, property{kind, value})
		}
	}
	add("olm.package", encoded(map[string]string{"packageName": b.PackageName, "version": b.Version}))
	for _, api := range b.ProvidedApis {
		add("olm.gvk", gvk(api))
	}
	for _, d := range b.Dependencies {
		add(required(d))
	}
	if len(b.Dependencies) == 0 {
		for _, api := range b.RequiredApis {
			add("olm.gvk.required", gvk(api))
		}
	}
	if b.metadata != nil {
		// opm sorts properties by type; where this one stood is not sent.
		at := slices.IndexFunc(list, func(p property) bool { return p.Type > b.metadata.Type })
		if at < 0 {
			at = len(list)
		}
		list = slices.Insert(list, at, *b.metadata)
	}
	return list
}

// required is the property that states a dependency.
func required(d *api.Dependency) (kind string, value json.RawMessage) {
	value = valid(d.Value)
	switch d.Type {
	case "olm.gvk":
		return "olm.gvk.required", value
	case "olm.package":
		var of struct{ PackageName, Version string }
		if err := json.Unmarshal(value, &of); err == nil {
			value = encoded(map[string]string{"packageName": of.PackageName, "versionRange": of.Version})
		}
		return "olm.package.required", value
	}
	return d.Type, value
}

func gvk(of *api.GroupVersionKind) json.RawMessage {
	return encoded(map[string]string{"group": of.Group, "kind": of.Kind, "version": of.Version})
}

// metadataOf is what resolution reads of a ClusterServiceVersion, nil if there is none.
func metadataOf(csv string) *property {
	if csv == "" {
		return nil
	}
	var of struct {
		Metadata struct {
			Annotations map[string]string `json:"annotations"`
		} `json:"metadata"`
		Spec struct {
			InstallModes   json.RawMessage `json:"installModes"`
			MinKubeVersion string          `json:"minKubeVersion"`
		} `json:"spec"`
	}
	const kind = "olm.csv.metadata"
	if err := json.Unmarshal([]byte(csv), &of); err != nil {
		return &property{kind, encoded(err.Error())}
	}
	value := map[string]any{}
	if len(of.Metadata.Annotations) > 0 {
		value["annotations"] = of.Metadata.Annotations
	}
	if of.Spec.InstallModes != nil {
		value["installModes"] = of.Spec.InstallModes
	}
	if of.Spec.MinKubeVersion != "" {
		value["minKubeVersion"] = of.Spec.MinKubeVersion
	}
	return &property{kind, encoded(value)}
}

// valid is a value as JSON. What is none becomes a string: the reader of catalogs
// finds fault with the bundle then, and not with the whole catalog.
func valid(value string) json.RawMessage {
	if json.Valid([]byte(value)) {
		return json.RawMessage(value)
	}
	return encoded(value)
}

func encoded(value any) json.RawMessage {
	text, _ := json.Marshal(value) // strings, maps of them and valid JSON always marshal
	return text
}
