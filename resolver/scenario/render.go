package scenario

import (
	"bytes"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/resolvent/resolvent/cache/catalog"
)

// The types of this file are the documents of a file-based catalog.

type packageDocument struct {
	Schema         string `json:"schema"`
	Name           string `json:"name"`
	DefaultChannel string `json:"defaultChannel"`
}

type channelDocument struct {
	Schema  string          `json:"schema"`
	Package string          `json:"package"`
	Name    string          `json:"name"`
	Entries []entryDocument `json:"entries"`
}

type entryDocument struct {
	Name      string   `json:"name"`
	Replaces  string   `json:"replaces,omitzero"`
	Skips     []string `json:"skips,omitempty"`
	SkipRange string   `json:"skipRange,omitzero"`
}

type bundleDocument struct {
	Schema     string             `json:"schema"`
	Package    string             `json:"package"`
	Name       string             `json:"name"`
	Image      string             `json:"image"`
	Properties []propertyDocument `json:"properties"`
}

type propertyDocument struct {
	Type  string         `json:"type"`
	Value jsontext.Value `json:"value"`
}

type deprecationsDocument struct {
	Schema  string                `json:"schema"`
	Package string                `json:"package"`
	Entries []deprecationDocument `json:"entries"`
}

type deprecationDocument struct {
	Reference struct {
		Schema string `json:"schema"`
		Name   string `json:"name,omitzero"`
	} `json:"reference"`
	Message string `json:"message"`
}

// render writes packages of a catalog as documents of a file-based catalog, one
// a line.
func render(s *catalog.Snapshot, packages []string) ([]byte, error) {
	r := renderer{snapshot: s}
	for _, name := range packages {
		if pkg := s.Package(name); pkg != nil {
			r.pkg(pkg)
		}
	}
	return r.out.Bytes(), r.err
}

type renderer struct {
	snapshot *catalog.Snapshot
	out      bytes.Buffer
	err      error
}

func (r *renderer) add(document any) {
	if r.err != nil {
		return
	}
	data, err := json.Marshal(document, json.Deterministic(true))
	r.err = err
	r.out.Write(data)
	r.out.WriteByte('\n')
}

func (r *renderer) pkg(pkg *catalog.Package) {
	deprecations := deprecationsDocument{Schema: "olm.deprecations", Package: pkg.Name}
	deprecate := func(schema, name, message string) {
		if message == "" {
			return
		}
		d := deprecationDocument{Message: message}
		d.Reference.Schema, d.Reference.Name = schema, name
		deprecations.Entries = append(deprecations.Entries, d)
	}
	r.add(packageDocument{"olm.package", pkg.Name, pkg.DefaultChannel})
	deprecate("olm.package", "", pkg.Deprecation)
	for _, c := range pkg.Channels {
		channel := channelDocument{Schema: "olm.channel", Package: pkg.Name, Name: c.Name, Entries: []entryDocument{}}
		for i := range c.Entries {
			e := &c.Entries[i]
			channel.Entries = append(channel.Entries, entryDocument{e.Name, e.Replaces, e.Skips, e.SkipRange.Text()})
		}
		r.add(channel)
		deprecate("olm.channel", c.Name, c.Deprecation)
	}
	for _, id := range pkg.Bundles {
		b := r.snapshot.Bundle(id)
		document := bundleDocument{Schema: "olm.bundle", Package: pkg.Name, Name: b.Name, Image: b.Image, Properties: []propertyDocument{}}
		for _, p := range b.Properties.All() {
			document.Properties = append(document.Properties, propertyDocument{p.Type, jsontext.Value(p.Value)})
		}
		r.add(document)
		deprecate("olm.bundle", b.Name, b.Deprecation)
	}
	if len(deprecations.Entries) > 0 {
		r.add(deprecations)
	}
}
