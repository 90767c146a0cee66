package request

import (
	"slices"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver/internal/model"
	"github.com/resolvent/resolvent/resolver/internal/words"
	"github.com/resolvent/resolvent/resolver/result"
)

// Edits implements Object: spec.startingCSV, channel, source and name.
func (s Subscription) Edits(p *model.Part, r *Request, narrow bool) []Edit {
	o := result.Object{Kind: words.ObjectSubscription, Namespace: s.Object.Namespace, Name: s.Object.Name}
	named := s.namedCatalogs(p)
	var list []Edit
	if r.Current < 0 {
		list = s.startingEdits(p, o, named, narrow)
	}
	if s.Object.Channel != "" || r.Current >= 0 || narrow { // else a channel only narrows
		names := channelNames(p, s.Object.Package, named, func(c *catalog.Channel) bool { return c.Name != s.Object.Channel })
		for _, name := range names {
			list = append(list, set(EditChannel, o, words.FieldChannel, orNil(s.Object.Channel), name))
		}
	}
	list = append(list, s.sourceEdits(p, o, named, narrow)...)
	if r.Current < 0 {
		for _, name := range misspelt(p, named, s.Object.Name, s.Object.Package) {
			list = append(list, set(EditName, o, words.FieldPackage, orNil(s.Object.Package), name))
		}
		return list
	}
	return append(list, s.renamedEdits(p, o, named, p.Installed[r.Current].Name())...)
}

// renamedEdits name the package and the channel that update the installed bundle, whose own package is gone: its
// publisher has renamed it. OLM finds updates by the name of what is installed, whatever its package was.
func (s Subscription) renamedEdits(p *model.Part, o result.Object, named []int, installed string) (list []Edit) {
	if s.Object.Channel == "" {
		return nil // catalogs may differ in the default channel of the new package
	}
	for range p.Packages(named, s.Object.Package) {
		return nil
	}
	for _, c := range named {
		for pkg := range p.Catalogs[c].Snapshot.Packages() {
			for _, ch := range pkg.Channels {
				p.Pace.Step(1 + len(ch.Entries)/entriesAtOnce)
				leads := func(e catalog.Entry) bool {
					return e.Bundle != catalog.NoBundle && (e.Replaces == installed || slices.Contains(e.Skips, installed))
				}
				if ch.Fault != "" || !slices.ContainsFunc(ch.Entries, leads) {
					continue
				}
				edit := set(EditName, o, words.FieldPackage, orNil(s.Object.Package), pkg.Name)
				if s.Object.Channel != ch.Name {
					edit.Steps = append(edit.Steps, result.Step{Object: o, Field: words.FieldChannel, From: orNil(s.Object.Channel), To: ch.Name})
				}
				list = append(list, edit)
			}
		}
	}
	return list
}

// startingEdits remove startingCSV, or name another bundle of the channel. If the field is
// empty, only bundles that are no candidates help; narrow adds the others.
func (s Subscription) startingEdits(p *model.Part, o result.Object, named []int, narrow bool) []Edit {
	var list []Edit
	from := orNil(s.Object.StartingCSV)
	if from != nil {
		list = append(list, set(EditStart, o, words.FieldStartingCSV, from, nil))
	}
	seen := map[string]bool{s.Object.StartingCSV: true}
	for c, pkg := range p.Packages(named, s.Object.Package) {
		for _, ch := range pkg.Channels {
			if s.Object.Channel != "" && ch.Name != s.Object.Channel {
				continue
			}
			p.Pace.Step(1 + len(ch.Entries)/entriesAtOnce)
			for i := range ch.Entries {
				e := &ch.Entries[i]
				offered := e.Candidate() && ch.Fault == ""
				if seen[e.Name] || e.Bundle == catalog.NoBundle || from == nil && offered && !narrow {
					continue
				}
				seen[e.Name] = true
				edit := set(EditStart, o, words.FieldStartingCSV, from, e.Name)
				edit.Reaches, edit.Version = !offered, &p.Catalogs[c].Snapshot.Bundle(e.Bundle).Version
				list = append(list, edit)
			}
		}
	}
	return list
}

// sourceEdits name another visible catalog that has the package. A Subscription without a
// catalog takes all of them, so that naming one only narrows.
func (s Subscription) sourceEdits(p *model.Part, o result.Object, named []int, narrow bool) []Edit {
	var list []Edit
	if s.Object.Catalog == "" && !narrow {
		return nil
	}
	for i := range p.Catalogs {
		k := p.Catalogs[i].Key
		// A catalog without its namespace is ambiguous if it takes several catalogs.
		exact := s.Object.CatalogNamespace != "" || len(named) < 2
		if s.Object.Catalog != "" && s.Object.Names(k) && exact || p.Catalogs[i].Snapshot.Package(s.Object.Package) == nil {
			continue
		}
		e := Edit{Kind: EditSource, Object: o}
		if k.Name != s.Object.Catalog {
			e.Steps = append(e.Steps, result.Step{Object: o, Field: words.FieldSource, From: orNil(s.Object.Catalog), To: k.Name})
		}
		if k.Namespace != s.Object.CatalogNamespace {
			e.Steps = append(e.Steps, result.Step{Object: o, Field: words.FieldSourceNamespace, From: orNil(s.Object.CatalogNamespace), To: k.Namespace})
		}
		list = append(list, e)
	}
	return list
}
