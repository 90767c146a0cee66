package scenario

import (
	"bytes"
	"context"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/resolvent/resolvent/cache/catalog"
)

// document is one of a file-based catalog. Fields that are nil are left out.
type document struct {
	Schema         string     `json:"schema"`
	Package        string     `json:"package,omitzero"`
	Name           string     `json:"name,omitzero"`
	DefaultChannel *string    `json:"defaultChannel,omitzero"`
	Entries        any        `json:"entries,omitzero"` // []entry or []deprecation
	Image          *string    `json:"image,omitzero"`
	Properties     []property `json:"properties,omitzero"`
}

type entry struct {
	Name      string   `json:"name"`
	Replaces  string   `json:"replaces,omitzero"`
	Skips     []string `json:"skips,omitempty"`
	SkipRange string   `json:"skipRange,omitzero"`
}

type property struct {
	Type  string         `json:"type"`
	Value jsontext.Value `json:"value"`
}

type deprecation struct {
	// Reference has the schema and the name of what is deprecated.
	Reference document `json:"reference"`
	Message   string   `json:"message"`
}

// render writes packages of a catalog as documents of a file-based catalog, one
// per line. The error is that of the context.
func render(ctx context.Context, s *catalog.Snapshot, packages []string) ([]byte, error) {
	var out bytes.Buffer
	for _, name := range packages {
		pkg := s.Package(name)
		if pkg == nil {
			continue
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		for _, d := range documents(s, pkg) {
			if err := json.MarshalWrite(&out, d); err != nil {
				return nil, err
			}
			out.WriteByte('\n')
		}
	}
	return out.Bytes(), nil
}

func documents(s *catalog.Snapshot, pkg *catalog.Package) []document {
	list := []document{{Schema: "olm.package", Name: pkg.Name, DefaultChannel: &pkg.DefaultChannel}}
	var deprecations []deprecation
	deprecate := func(schema, name, message string) {
		if message != "" {
			deprecations = append(deprecations, deprecation{document{Schema: schema, Name: name}, message})
		}
	}
	deprecate("olm.package", "", pkg.Deprecation)
	for _, c := range pkg.Channels {
		entries := make([]entry, len(c.Entries))
		for i := range c.Entries {
			e := &c.Entries[i]
			entries[i] = entry{e.Name, e.Replaces, e.Skips, e.SkipRange.Text()}
		}
		list = append(list, document{Schema: "olm.channel", Package: pkg.Name, Name: c.Name, Entries: entries})
		deprecate("olm.channel", c.Name, c.Deprecation)
	}
	for _, id := range pkg.Bundles {
		b := s.Bundle(id)
		properties := []property{}
		for _, p := range b.Properties.All() {
			properties = append(properties, property{p.Type, p.Value})
		}
		list = append(list, document{Schema: "olm.bundle", Package: pkg.Name, Name: b.Name, Image: &b.Image, Properties: properties})
		deprecate("olm.bundle", b.Name, b.Deprecation)
	}
	if len(deprecations) > 0 {
		list = append(list, document{Schema: "olm.deprecations", Package: pkg.Name, Entries: deprecations})
	}
	return list
}
