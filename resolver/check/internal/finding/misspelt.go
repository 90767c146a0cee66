package finding

import (
	"cmp"
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"
	"go.yaml.in/yaml/v4"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver/check/internal/edit"
)

// AsMeant returns the draft in which all that is misspelt in the package is as it was meant, nil
// if nothing is: schemas and types, the names of entries without bundle and of bundles without
// entry, edges that lead nowhere, and skips of newer entries. The snapshot is that of the draft.
func (s *Wrong) AsMeant(snapshot *catalog.Snapshot, now *edit.Draft) *edit.Draft {
	next := s.renamed(snapshot, now, s.typesAsMeant(now))
	if len(next.Ops) == len(now.Ops) {
		return nil
	}
	return next
}

// typesAsMeant returns the state with the schemas and property types that were meant.
func (s *Wrong) typesAsMeant(now *edit.Draft) *edit.Draft {
	next := now
	for _, b := range now.All() {
		if b.Pkg != s.Pkg && b.Name != s.Pkg {
			continue
		}
		if key := keyAsMeant(b.Node, "schema"); key != "" {
			next = next.With(edit.Move(b.Doc, edit.Pointer(b.At, key), edit.Pointer(b.At, "schema")))
		} else if schema := schemaAsMeant(b); schema != "" {
			next = next.With(edit.Add(b.Doc, edit.Pointer(b.At, "schema"), schema))
		}
		for i, p := range edit.Elements(b.Node, "properties") {
			kind := edit.Text(p, "type")
			if names := Closest(kind, definedTypes); len(names) > 0 && !slices.Contains(definedTypes, kind) {
				next = next.With(edit.Replace(b.Doc, edit.Pointer(b.At, "properties", i, "type"), names[0]))
			}
		}
	}
	return next
}

// keyAsMeant returns the key of an object that was meant to be another one, which it lacks.
func keyAsMeant(n *yaml.Node, key string) string {
	if n.Kind == yaml.MappingNode && edit.Member(n, key) == nil {
		for i := 0; i+1 < len(n.Content); i += 2 {
			if name := n.Content[i].Value; slices.Contains(Closest(name, []string{key}), key) {
				return name
			}
		}
	}
	return ""
}

var schemas = []string{edit.SchemaPackage, edit.SchemaChannel, edit.SchemaBundle, edit.SchemaDeprecations}

// schemaAsMeant returns the schema of a blob that states none, or one that is misspelt.
func schemaAsMeant(b edit.Blob) string {
	if b.Schema != "" {
		if names := Closest(b.Schema, schemas); len(names) > 0 && !slices.Contains(schemas, b.Schema) {
			return names[0]
		}
		return ""
	}
	entries := edit.Elements(b.Node, "entries")
	switch {
	case len(entries) > 0 && edit.Member(entries[0], "reference") != nil:
		return edit.SchemaDeprecations
	case len(entries) > 0:
		return edit.SchemaChannel
	case edit.Member(b.Node, "properties") != nil && edit.Member(b.Node, "image") != nil:
		return edit.SchemaBundle
	case edit.Member(b.Node, "defaultChannel") != nil:
		return edit.SchemaPackage
	}
	return ""
}

// renamed returns a state with the names that were meant.
func (s *Wrong) renamed(snapshot *catalog.Snapshot, now, next *edit.Draft) *edit.Draft {
	p := snapshot.Package(s.Pkg)
	if p == nil {
		return next
	}
	for _, c := range p.Channels {
		for i := range c.Entries {
			e := &c.Entries[i]
			if e.Bundle != catalog.NoBundle || len(now.Named(s.Pkg, edit.SchemaBundle, e.Name)) > 0 || s.Meant[e.Name] != "" {
				continue // it has a bundle, though perhaps one that cannot be used
			}
			unlisted := func(name string) bool { return c.Entry(name) == nil }
			name := s.closest(e.Name, slices.DeleteFunc(s.bundleNames(), func(name string) bool { return !unlisted(name) }))
			switch {
			case name == "":
			case s.uses(p, name) < s.uses(p, e.Name):
				for _, b := range now.Named(s.Pkg, edit.SchemaBundle, name) {
					next, s.Meant[name] = next.With(edit.Replace(b.Doc, edit.Pointer(b.At, "name"), e.Name)), e.Name
				}
			default:
				next, s.Meant[e.Name] = next.EntryRenamed(s.Pkg, c.Name, e.Name, name), name
			}
		}
	}
	for _, c := range p.Channels {
		for i := range c.Entries {
			e := &c.Entries[i]
			for name := range e.Edges() {
				if c.Entry(name) != nil || s.Meant[name] != "" || snapshot.Find(s.Pkg, name) != nil {
					continue
				}
				var entries []string
				for j := range c.Entries {
					if other := c.Entries[j].Name; other != e.Name {
						entries = append(entries, cmp.Or(s.Meant[other], other))
					}
				}
				if other := s.closest(name, entries); other != "" {
					next = next.Renamed(s.Pkg, c.Name, e.Name, name, other)
				}
			}
		}
	}
	for _, c := range p.Channels {
		for i := range c.Entries {
			for _, name := range c.Entries[i].Skips {
				if own, newer := snapshot.Find(s.Pkg, c.Entries[i].Name), snapshot.Find(s.Pkg, name); c.Entry(name) != nil && own != nil && newer != nil && own.Version.LT(newer.Version) {
					next = cmp.Or(next.Edited(s.Pkg, c.Name, edit.RemoveSkip.Of(c.Entries[i].Name, name)), next)
				}
			}
		}
	}
	return next
}

// closest returns the name that another one is most probably meant to be, "" if it is like none.
func (s *Wrong) closest(name string, names []string) string {
	names = slices.DeleteFunc(names, func(other string) bool { return !Alike(name, other) })
	return slices.MinFunc(append(names, ""), func(a, b string) int {
		if a == "" || b == "" {
			return cmp.Compare(len(b), len(a))
		}
		return cmp.Or(cmp.Compare(levenshtein.ComputeDistance(name, a), levenshtein.ComputeDistance(name, b)), strings.Compare(a, b))
	})
}

// uses counts where a package uses a name: its bundle, entries, and edges. Of names that are used
// as often, the one that begins as most other bundles do counts more.
func (s *Wrong) uses(p *catalog.Package, name string) (n int) {
	begins := beginning(name)
	for _, other := range s.bundleNames() {
		if other == name {
			n += 1000
		} else if beginning(other) == begins {
			n++
		}
	}
	for _, c := range p.Channels {
		if c.Entry(name) != nil {
			n += 1000
		}
		for i := range c.Entries {
			for edge := range c.Entries[i].Edges() {
				if edge == name {
					n += 1000
				}
			}
		}
	}
	return n
}

// beginning returns what a name has before its first number.
func beginning(name string) string {
	if i := strings.IndexAny(name, "0123456789"); i >= 0 {
		return name[:i]
	}
	return name
}
