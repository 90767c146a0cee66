package cache

import (
	"io"

	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/properties/pack"
)

// indexFormat has to be raised whenever the bytes mean something else, and also
// when reading a catalog comes to another snapshot than before: an index stands
// for the catalog that it was made from.
const indexFormat = 4

var indexKind = sealedKind{"resolvent index\n", indexFormat}

// WriteIndex writes the snapshot in the form that [ReadIndex] reads. Equal
// snapshots give equal bytes. What the snapshot remembers of evaluations is not
// written.
func WriteIndex(w io.Writer, s *Snapshot) error {
	_, err := w.Write(encodeIndex(s, ""))
	return err
}

// encodeIndex returns an index that can only be read with the same seal.
func encodeIndex(s *Snapshot, seal string) []byte {
	w := &indexWriter{Writer: pack.NewWriter()}
	w.sets = properties.NewSetWriter(w.Writer)
	w.snapshot(s)
	return indexKind.encode(seal, w.Bytes())
}

// indexTables are the tables of packages and bundles, apart from the sets. In a
// list that belongs to a row, the row says where it ends.
type indexTables[T any] struct {
	packages T // name, default channel, deprecation, end of channels
	channels T // name, fault, deprecation, end of entries, end of order
	entries  T // name, replaces, end of skips, skipRange, 1 + ID or 0, whether skipped
	skips    T // texts
	order    T // entries, by their index in the channel
	bundles  T // name, package, image, its digest, deprecation; by ID
	digests  T // of images
	byName   T // IDs
}

// each calls do with every table and the number of its columns.
func (t *indexTables[T]) each(do func(table *T, columns int)) {
	do(&t.packages, 4)
	do(&t.channels, 5)
	do(&t.entries, 6)
	do(&t.skips, 1)
	do(&t.order, 1)
	do(&t.bundles, 5)
	do(&t.digests, digestColumn)
	do(&t.byName, 1)
}

// indexWriter packs a snapshot. What follows from the rest is left out: places,
// the inverted indexes, and the parsed form of constraints.
type indexWriter struct {
	*pack.Writer
	sets   *properties.SetWriter
	tables indexTables[pack.Table]
}

func (w *indexWriter) snapshot(s *Snapshot) {
	w.Count(len(s.faults))
	for i := range s.faults {
		w.fault(&s.faults[i])
	}
	w.Count(len(s.lost))
	for _, l := range s.lost {
		l.API.Pack(w.Writer)
		w.String(l.Package)
		w.String(l.Bundle)
	}
	rows := make(map[string]uint32, len(s.packages))
	for p := range s.Packages() {
		rows[p.Name] = w.tables.packages.Len()
		for _, c := range p.Channels {
			w.channel(c)
		}
		w.tables.packages.Add(w.Text(p.Name), w.Text(p.DefaultChannel), w.Text(p.Deprecation), w.tables.channels.Len())
	}
	for id := range ID(s.Len()) {
		b := s.Bundle(id)
		image, digest := w.addImage(b.Image)
		w.tables.bundles.Add(w.Text(b.Name), rows[b.Package], image, digest, w.Text(b.Deprecation))
		w.sets.Add(b.Properties)
	}
	for _, id := range s.sortedNames() {
		w.tables.byName.Add(uint32(id))
	}
	w.tables.each(func(t *pack.Table, _ int) { w.Table(t) })
	w.sets.End()
}

func (w *indexWriter) channel(c *Channel) {
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

func (w *indexWriter) fault(f *Fault) {
	for _, text := range [...]string{string(f.Code), f.File, f.Package, f.Channel, f.Bundle, f.Path, f.Message} {
		w.String(text)
	}
	w.Uint(uint64(f.Severity))
	w.Int(f.Line)
	w.Int(f.Column)
	w.Int(f.Property)
	w.Bool(f.Quarantines)
}
