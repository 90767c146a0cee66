package cache

import (
	"bytes"
	"context"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/cache/internal/build"
	"github.com/resolvent/resolvent/cache/internal/document"
	"github.com/resolvent/resolvent/properties"
)

// renderedBlob is a blob of a file-based catalog. Nil fields are left out.
type renderedBlob struct {
	Schema         string                `json:"schema"`
	Package        string                `json:"package,omitzero"`
	Name           string                `json:"name,omitzero"`
	DefaultChannel *string               `json:"defaultChannel,omitzero"`
	Entries        any                   `json:"entries,omitzero"` // []renderedEntry or []renderedDeprecation
	Image          *string               `json:"image,omitzero"`
	Properties     []properties.Property `json:"properties,omitzero"`
	Versions       []catalog.Lifecycle   `json:"versions,omitempty"`
	// Rest are the other members of the blob.
	Rest map[string]jsontext.Value `json:",embed"`
}

type renderedEntry struct {
	Name      string   `json:"name"`
	Replaces  string   `json:"replaces,omitzero"`
	Skips     []string `json:"skips,omitempty"`
	SkipRange string   `json:"skipRange,omitzero"`
}

type renderedDeprecation struct {
	// Reference is the schema and the name of the deprecated blob.
	Reference renderedBlob `json:"reference"`
	Message   string       `json:"message"`
}

// Render returns packages as a file-based catalog, one blob per line. It has what a Snapshot
// keeps, completed by the whole blobs if there are any. The packages need not be those of
// the snapshot, but their bundles must be. The error is that of the context.
func Render(ctx context.Context, s *catalog.Snapshot, packages []*catalog.Package, whole *Blobs) ([]byte, error) {
	return render(ctx, s, packages, whole, false)
}

// render renders as Render does. Exactly rendered properties keep their indices and all bytes
// of their values.
func render(ctx context.Context, s *catalog.Snapshot, packages []*catalog.Package, whole *Blobs, exact bool) ([]byte, error) {
	var out bytes.Buffer
	write := func(blob any) error {
		err := json.MarshalWrite(&out, blob, json.Deterministic(true), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true), jsontext.PreserveRawStrings(exact))
		out.WriteByte('\n')
		return err
	}
	for _, pkg := range packages {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		for _, blob := range renderedBlobs(s, pkg, exact) {
			if whole != nil && blob.Schema == document.SchemaLifecycles {
				continue // whole has it among the others
			}
			whole.complete(pkg.Name, &blob)
			if err := write(blob); err != nil {
				return nil, err
			}
		}
		for _, blob := range whole.others(pkg.Name) {
			if err := write(blob); err != nil {
				return nil, err
			}
		}
	}
	return out.Bytes(), nil
}

func renderedBlobs(s *catalog.Snapshot, pkg *catalog.Package, exact bool) []renderedBlob {
	list := []renderedBlob{{Schema: document.SchemaPackage, Name: pkg.Name, DefaultChannel: &pkg.DefaultChannel}}
	var deprecations []renderedDeprecation
	deprecate := func(schema, name, message string) {
		if message != "" {
			deprecations = append(deprecations, renderedDeprecation{renderedBlob{Schema: schema, Name: name}, message})
		}
	}
	has := make(map[string]bool, len(pkg.Bundles))
	for _, id := range pkg.Bundles {
		has[s.Bundle(id).Name] = true
	}
	deprecate(document.SchemaPackage, "", pkg.Deprecation)
	for _, c := range pkg.Channels {
		entries := make([]renderedEntry, 0, len(c.Entries))
		for i := range c.Entries {
			e := &c.Entries[i]
			entries = append(entries, renderedEntry{e.Name, e.Replaces, e.Skips, e.SkipRange.Text()})
			if e.Bundle == catalog.NoBundle && has[e.Name] {
				// The entry was merged from several that differ: make them differ again.
				entries = append(entries, renderedEntry{e.Name, e.Replaces, e.Skips, "<0.0.0"})
			}
		}
		if !hasFault(c) {
			entries = append(entries, renderedEntry{}) // as unreadable as those that the channel lost
		}
		list = append(list, renderedBlob{Schema: document.SchemaChannel, Package: pkg.Name, Name: c.Name, Entries: entries})
		if c.Fault == build.Differing {
			list = append(list, renderedBlob{Schema: document.SchemaChannel, Package: pkg.Name, Name: c.Name, Entries: []renderedEntry{{Name: c.Name}}})
		}
		deprecate(document.SchemaChannel, c.Name, c.Deprecation)
	}
	for _, id := range pkg.Bundles {
		b := s.Bundle(id)
		list = append(list, renderedBlob{
			Schema: document.SchemaBundle, Package: pkg.Name, Name: b.Name, Image: &b.Image, Properties: renderedProperties(b.Properties, exact),
		})
		deprecate(document.SchemaBundle, b.Name, b.Deprecation)
	}
	if len(deprecations) > 0 {
		list = append(list, renderedBlob{Schema: document.SchemaDeprecations, Package: pkg.Name, Entries: deprecations})
	}
	if len(pkg.Lifecycles) > 0 {
		list = append(list, renderedBlob{Schema: document.SchemaLifecycles, Package: pkg.Name, Versions: pkg.Lifecycles})
	}
	return list
}

// hasFault reports whether the entries of a channel have its fault, or it is none of entries that
// could not be read.
func hasFault(c *catalog.Channel) bool {
	if c.Fault == "" || c.Fault == build.Differing {
		return true
	}
	alone := catalog.Channel{Entries: slices.Clone(c.Entries)}
	alone.SetOrder()
	return alone.Fault == c.Fault
}

// renderedProperties returns the properties of a bundle. If exact, others take the places of those
// that the set dropped.
func renderedProperties(set *properties.Set, exact bool) []properties.Property {
	list := []properties.Property{}
	dropped := properties.Property{Type: properties.TypeBundleObject}
	if set.Deprecated() && !set.States(properties.TypeDeprecated) {
		dropped.Type = properties.TypeDeprecated // without a value it counts, too
	}
	for index, p := range set.All() {
		for exact && len(list) < index {
			list = append(list, dropped)
		}
		list = append(list, p)
	}
	isDeprecated := func(p properties.Property) bool { return p.Type == properties.TypeDeprecated }
	if set.Deprecated() && !slices.ContainsFunc(list, isDeprecated) {
		list = append(list, dropped)
	}
	return list
}
