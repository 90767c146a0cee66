package index

import (
	"strings"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/cache/internal/pack"
	"github.com/resolvent/resolvent/properties"
)

// Format has to be raised whenever the bytes mean something else, and also
// when reading a catalog comes to another snapshot than before: an index stands
// for the catalog that it was made from.
const Format = 5

// encodeIndex returns an index that can only be read with the same seal.
func encodeIndex(s *catalog.Snapshot, seal string) []byte {
	w := &indexWriter{Writer: pack.NewWriter()}
	w.snapshot(s)
	return sealFile(seal, w.Bytes())
}

// indexTables are the tables of an index. In a list that belongs to a row, the
// row says where it ends.
type indexTables[T any] struct {
	packages   T // name, default channel, deprecation, end of channels
	channels   T // name, fault, deprecation, end of entries, end of order
	entries    T // name, replaces, end of skips, skipRange, 1 + ID or 0, whether skipped
	skips      T // texts
	order      T // entries, by their index in the channel
	bundles    T // name, package, image before and from its digest, deprecation, end of stated; by ID
	stated     T // rows of properties
	properties T // type, value
	byName     T // IDs
}

// each calls do with every table and the number of its columns.
func (t *indexTables[T]) each(do func(table *T, columns int)) {
	do(&t.packages, 4)
	do(&t.channels, 5)
	do(&t.entries, 6)
	do(&t.skips, 1)
	do(&t.order, 1)
	do(&t.bundles, 6)
	do(&t.stated, 1)
	do(&t.properties, 2)
	do(&t.byName, 1)
}

// indexWriter packs a snapshot. What follows from the rest is left out: places,
// the inverted indexes, and the decoded form of properties and constraints.
type indexWriter struct {
	*pack.Writer
	tables indexTables[pack.Table]
}

func (w *indexWriter) snapshot(s *catalog.Snapshot) {
	w.Count(len(s.Faults()))
	for i := range s.Faults() {
		w.fault(&s.Faults()[i])
	}
	w.Count(len(s.LostProviders()))
	for _, l := range s.LostProviders() {
		for _, text := range [...]string{l.API.Group, l.API.Version, l.API.Kind, l.Package, l.Bundle} {
			w.String(text)
		}
	}
	rows := map[string]uint32{}
	for p := range s.Packages() {
		rows[p.Name] = w.tables.packages.Len()
		for _, c := range p.Channels {
			w.channel(c)
		}
		w.tables.packages.Add(w.Text(p.Name), w.Text(p.DefaultChannel), w.Text(p.Deprecation), w.tables.channels.Len())
	}
	for id := range catalog.ID(s.Len()) {
		b := s.Bundle(id)
		w.properties(b.Properties)
		// What precedes the digest is the same for many bundles.
		image, _, _ := strings.Cut(b.Image, "@")
		digest := b.Image[len(image):]
		w.tables.bundles.Add(w.Text(b.Name), rows[b.Package], w.Text(image), w.Text(digest), w.Text(b.Deprecation), w.tables.stated.Len())
	}
	for _, id := range s.ByName() {
		w.tables.byName.Add(uint32(id))
	}
	w.tables.each(func(t *pack.Table, _ int) { w.Table(t) })
}

func (w *indexWriter) channel(c *catalog.Channel) {
	for i := range c.Entries {
		e := &c.Entries[i]
		for _, name := range e.Skips {
			w.tables.skips.Add(w.Text(name))
		}
		skipped := uint32(0)
		if e.Skipped {
			skipped = 1
		}
		w.tables.entries.Add(w.Text(e.Name), w.Text(e.Replaces), w.tables.skips.Len(), w.Text(e.SkipRange.Text()), uint32(e.Bundle+1), skipped)
	}
	for _, i := range c.Order {
		w.tables.order.Add(uint32(i))
	}
	w.tables.channels.Add(w.Text(c.Name), w.Text(c.Fault), w.Text(c.Deprecation), w.tables.entries.Len(), w.tables.order.Len())
}

// properties writes the properties of a bundle so that decoding them gives the
// same set again: each at its stated index.
func (w *indexWriter) properties(set *properties.Set) {
	next, deprecated := 0, false
	for index, p := range set.All() {
		for ; next < index; next++ {
			w.property(properties.Property{Type: properties.TypeBundleObject}) // which is not kept, either
		}
		w.property(p)
		next++
		deprecated = deprecated || p.Type == properties.TypeDeprecated
	}
	if set.Deprecated() && !deprecated {
		// Without a value olm.deprecated counts and is not kept.
		w.property(properties.Property{Type: properties.TypeDeprecated})
	}
}

func (w *indexWriter) property(p properties.Property) {
	row := []uint32{w.Text(p.Type), w.Text(string(p.Value))}
	w.tables.stated.Add(w.tables.properties.Shared(row, func() { w.tables.properties.Add(row...) }))
}

func (w *indexWriter) fault(f *catalog.Fault) {
	for _, text := range [...]string{string(f.Code), f.File, f.Package, f.Channel, f.Bundle, f.Path, f.Message} {
		w.String(text)
	}
	w.Uint(uint64(f.Severity))
	w.Int(f.Line)
	w.Int(f.Column)
	w.Int(f.Property)
	w.Bool(f.Quarantines)
}
