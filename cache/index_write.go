package cache

import (
	"crypto/sha256"
	"encoding/binary"
	"io"

	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/properties/pack"
)

// An index is a header and the packed snapshot. The header is the magic text, the
// format, the length of what follows, and the checksum of both with the seal.
//
// indexFormat has to be raised whenever the bytes mean something else, and also
// when reading a catalog comes to another snapshot than before: an index stands
// for the catalog that it was made from.
const (
	indexMagic  = "resolvent index\n"
	indexFormat = 1

	indexHeader = len(indexMagic) + 4 + 8 + sha256.Size
)

// WriteIndex writes the snapshot in the form that [ReadIndex] reads. Equal
// snapshots give equal bytes. What the snapshot remembers of evaluations is not
// written.
func WriteIndex(w io.Writer, s *Snapshot) error {
	_, err := w.Write(encodeIndex(s, ""))
	return err
}

// encodeIndex returns an index that can only be read with the same seal.
func encodeIndex(s *Snapshot, seal string) []byte {
	out := indexWriter{Writer: pack.NewWriter()}
	out.sets = properties.NewSetWriter(out.Writer)
	out.snapshot(s)
	payload := out.Bytes()

	index := make([]byte, 0, indexHeader+len(payload))
	index = append(index, indexMagic...)
	index = binary.BigEndian.AppendUint32(index, indexFormat)
	index = binary.BigEndian.AppendUint64(index, uint64(len(payload)))
	sum := indexSum(seal, index, payload)
	index = append(index, sum[:]...)
	return append(index, payload...)
}

// indexSum is the checksum of an index, whose header is given up to there.
func indexSum(seal string, header, payload []byte) (sum [sha256.Size]byte) {
	hash := sha256.New()
	writeFields(hash, seal)
	hash.Write(header)
	hash.Write(payload)
	hash.Sum(sum[:0])
	return sum
}

// indexWriter packs a snapshot. What follows from the rest is left out: places,
// the inverted indexes, and the parsed form of constraints.
type indexWriter struct {
	*pack.Writer
	sets *properties.SetWriter
}

func (w *indexWriter) snapshot(s *Snapshot) {
	w.Count(len(s.bundles))
	for i := range s.bundles {
		w.bundle(&s.bundles[i])
	}
	w.Count(len(s.packages))
	for _, p := range s.packages {
		w.String(p.Name)
		w.String(p.DefaultChannel)
		w.String(p.Deprecation)
		w.Count(len(p.Channels))
		for _, c := range p.Channels {
			w.channel(c)
		}
	}
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
}

func (w *indexWriter) bundle(b *Bundle) {
	w.String(b.Name)
	w.String(b.Package)
	w.String(b.Image)
	w.String(b.Deprecation)
	w.sets.Write(b.Properties)
}

func (w *indexWriter) channel(c *Channel) {
	w.String(c.Name)
	w.String(c.Fault)
	w.String(c.Deprecation)
	w.Count(len(c.Entries))
	for i := range c.Entries {
		e := &c.Entries[i]
		w.String(e.Name)
		w.String(e.Replaces)
		w.Count(len(e.Skips))
		for _, name := range e.Skips {
			w.String(name)
		}
		w.String(e.SkipRange.Text())
		w.Uint(uint64(e.Bundle + 1)) // 0 is NoBundle
		w.Bool(e.Skipped)
	}
	w.Count(len(c.Order))
	for _, i := range c.Order {
		w.Uint(uint64(i))
	}
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
