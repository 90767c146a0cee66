package repair

import (
	"cmp"
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"
	"go.yaml.in/yaml/v4"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver/check/internal/because"
	"github.com/resolvent/resolvent/resolver/check/internal/meant"
)

// asMeant returns the state in which all that is misspelt in the package is as it was meant, nil
// if nothing is: schemas and types, the names of entries without bundle and of bundles without
// entry, edges that lead nowhere, and skips of newer entries.
func (s *finder) asMeant(now *step) *state {
	next := s.renamed(now, s.typesAsMeant(now.state))
	if len(next.ops) == len(now.ops) {
		return nil
	}
	return next
}

// typesAsMeant returns the state with the schemas and property types that were meant.
func (s *finder) typesAsMeant(now *state) *state {
	next := now
	for _, b := range now.all() {
		if b.pkg != s.pkg && b.name != s.pkg {
			continue
		}
		if key := keyAsMeant(b.node, "schema"); key != "" {
			next = next.with(move(b.doc, pointer(b.at, key), pointer(b.at, "schema")))
		} else if schema := schemaAsMeant(b); schema != "" {
			next = next.with(add(b.doc, pointer(b.at, "schema"), schema))
		}
		for i, p := range elements(b.node, "properties") {
			kind := text(p, "type")
			if names := meant.Closest(kind, definedTypes); len(names) > 0 && !slices.Contains(definedTypes, kind) {
				next = next.with(replace(b.doc, pointer(b.at, "properties", i, "type"), names[0]))
			}
		}
	}
	return next
}

// keyAsMeant returns the key of an object that was meant to be another one, which it lacks.
func keyAsMeant(n *yaml.Node, key string) string {
	if n.Kind == yaml.MappingNode && member(n, key) == nil {
		for i := 0; i+1 < len(n.Content); i += 2 {
			if name := n.Content[i].Value; slices.Contains(meant.Closest(name, []string{key}), key) {
				return name
			}
		}
	}
	return ""
}

var schemas = []string{schemaPackage, schemaChannel, schemaBundle, schemaDeprecations}

// schemaAsMeant returns the schema of a blob that states none, or one that is misspelt.
func schemaAsMeant(b blob) string {
	if b.schema != "" {
		if names := meant.Closest(b.schema, schemas); len(names) > 0 && !slices.Contains(schemas, b.schema) {
			return names[0]
		}
		return ""
	}
	entries := elements(b.node, "entries")
	switch {
	case len(entries) > 0 && member(entries[0], "reference") != nil:
		return schemaDeprecations
	case len(entries) > 0:
		return schemaChannel
	case member(b.node, "properties") != nil && member(b.node, "image") != nil:
		return schemaBundle
	case member(b.node, "defaultChannel") != nil:
		return schemaPackage
	}
	return ""
}

// renamed returns a state with the names that were meant.
func (s *finder) renamed(now *step, next *state) *state {
	p := now.snapshot.Package(s.pkg)
	if p == nil {
		return next
	}
	for _, c := range p.Channels {
		for i := range c.Entries {
			e := &c.Entries[i]
			if e.Bundle != catalog.NoBundle || len(now.named(s.pkg, schemaBundle, e.Name)) > 0 || s.meant[e.Name] != "" {
				continue // it has a bundle, though perhaps one that cannot be used
			}
			unlisted := func(name string) bool { return c.Entry(name) == nil }
			name := s.closest(e.Name, slices.DeleteFunc(s.bundleNames(), func(name string) bool { return !unlisted(name) }))
			switch {
			case name == "":
			case s.uses(p, name) < s.uses(p, e.Name):
				for _, b := range now.named(s.pkg, schemaBundle, name) {
					next, s.meant[name] = next.with(replace(b.doc, pointer(b.at, "name"), e.Name)), e.Name
				}
			default:
				next, s.meant[e.Name] = next.entryRenamed(s.pkg, c.Name, e.Name, name), name
			}
		}
	}
	for _, c := range p.Channels {
		for i := range c.Entries {
			e := &c.Entries[i]
			for name := range e.Edges() {
				if c.Entry(name) != nil || s.meant[name] != "" || now.snapshot.Find(s.pkg, name) != nil {
					continue
				}
				var entries []string
				for j := range c.Entries {
					if other := c.Entries[j].Name; other != e.Name {
						entries = append(entries, cmp.Or(s.meant[other], other))
					}
				}
				if other := s.closest(name, entries); other != "" {
					next = next.renamed(s.pkg, c.Name, e.Name, name, other)
				}
			}
		}
	}
	for _, c := range p.Channels {
		g := graphOf(now.snapshot, p, c, nil)
		for i := range c.Entries {
			for _, name := range c.Entries[i].Skips {
				if c.Entry(name) != nil && g.below(c.Entries[i].Name, g.versions[name]) {
					next = cmp.Or(next.edited(s.pkg, c.Name, edit{removeSkip, c.Entries[i].Name, name}), next)
				}
			}
		}
	}
	return next
}

// closest returns the name that another one is most probably meant to be, "" if it is like none.
func (s *finder) closest(name string, names []string) string {
	names = slices.DeleteFunc(names, func(other string) bool { return !because.Alike(name, other) })
	return slices.MinFunc(append(names, ""), func(a, b string) int {
		if a == "" || b == "" {
			return cmp.Compare(len(b), len(a))
		}
		return cmp.Or(cmp.Compare(levenshtein.ComputeDistance(name, a), levenshtein.ComputeDistance(name, b)), strings.Compare(a, b))
	})
}

// uses counts where a package uses a name: its bundle, entries, and edges. Of names that are used
// as often, the one that begins as most other bundles do counts more.
func (s *finder) uses(p *catalog.Package, name string) (n int) {
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

// entryRenamed changes the name of an entry of a channel, and the edges there that lead to it.
func (s *state) entryRenamed(pkg, channel, from, to string) *state {
	f, found := s.entry(pkg, channel, from)
	if !found || f.entry == "" {
		return s
	}
	return s.with(replace(f.doc, pointer(f.entry, "name"), to)).renamed(pkg, channel, "", from, to)
}
