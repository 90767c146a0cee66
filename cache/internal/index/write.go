package index

import (
	"context"
	"encoding/hex"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/properties"
)

// Format is the version of index files. Raise it whenever the meaning of the bytes
// changes, or reading a catalog has another result.
const Format = 12

// Encode returns the payload of an index of the snapshot. It fails on faults that JSON
// cannot express.
func Encode(s *catalog.Snapshot) ([]byte, error) {
	w := &writer{texts: texts{known: map[string]uint32{}}, rows: map[[3]uint32]uint32{}}
	content, err := s.Content(context.Background())
	if err != nil {
		return nil, err
	}
	for _, list := range []any{s.Faults(), s.LostProviders(), content} {
		text, err := json.Marshal(list, json.FormatNilSliceAsNull(true))
		if err != nil {
			return nil, err
		}
		w.faults.add(w.index(string(text)))
	}
	w.snapshot(s)
	payload := appendTexts(nil, &w.texts)
	w.each(func(t *table, _ int) { payload = appendTable(payload, t) })
	return payload, nil
}

// tables are the tables of an index. A row that owns a range of another table has the end
// of that range.
type tables[T any] struct {
	packages   T // name, default channel, deprecation, JSON of the lifecycles or "", end of channels
	channels   T // name, fault, deprecation, end of entries, end of order
	entries    T // name, replaces, end of skips, skipRange, 1 + ID or 0, whether skipped
	skips      T // texts
	order      T // entries, by their index in the channel
	bundles    T // name, package, image, its digest, deprecation, end of stated; by ID
	stated     T // rows of properties
	properties T // type, value up to its last colon, and from there on
	byName     T // IDs
	faults     T // texts: JSON of the faults, of the lost providers and of the digest
}

// each calls do with every table and the number of its columns.
func (t *tables[T]) each(do func(table *T, columns int)) {
	do(&t.packages, 5)
	do(&t.channels, 5)
	do(&t.entries, 6)
	do(&t.skips, 1)
	do(&t.order, 1)
	do(&t.bundles, 6)
	do(&t.stated, 1)
	do(&t.properties, 3)
	do(&t.byName, 1)
	do(&t.faults, 1)
}

// writer packs a snapshot. It leaves out what the rest determines: places, inverted
// indexes, and decoded properties and constraints.
type writer struct {
	texts
	tables[table]
	rows map[[3]uint32]uint32 // of properties
}

func (w *writer) snapshot(s *catalog.Snapshot) {
	rows := map[string]uint32{}
	for p := range s.Packages() {
		rows[p.Name] = w.packages.rows
		for _, c := range p.Channels {
			w.channel(c)
		}
		w.packages.add(w.index(p.Name), w.index(p.DefaultChannel), w.index(p.Deprecation), w.index(lifecycleText(p)), w.channels.rows)
	}
	for id := range catalog.ID(s.Len()) {
		b := s.Bundle(id)
		w.addProperties(b.Properties)
		image, digest := splitImage(b.Image)
		w.bundles.add(w.index(b.Name), rows[b.Package], w.index(image), w.index(digest), w.index(b.Deprecation), w.stated.rows)
	}
	for _, id := range s.ByName() {
		w.byName.add(uint32(id))
	}
}

func lifecycleText(p *catalog.Package) string {
	if len(p.Lifecycles) == 0 {
		return ""
	}
	text, _ := json.Marshal(p.Lifecycles) // texts cannot fail
	return string(text)
}

func (w *writer) channel(c *catalog.Channel) {
	for i := range c.Entries {
		e := &c.Entries[i]
		for _, name := range e.Skips {
			w.skips.add(w.index(name))
		}
		skipped := uint32(0)
		if e.Skipped {
			skipped = 1
		}
		w.entries.add(w.index(e.Name), w.index(e.Replaces), w.skips.rows, w.index(e.SkipRange.Text()), uint32(e.Bundle+1), skipped)
	}
	for _, i := range c.Order {
		w.order.add(uint32(i))
	}
	w.channels.add(w.index(c.Name), w.index(c.Fault), w.index(c.Deprecation), w.entries.rows, w.order.rows)
}

// addProperties writes the properties of a bundle, each at its stated index, so that
// decoding them restores the same Set.
func (w *writer) addProperties(set *properties.Set) {
	next, deprecated := 0, false
	for index, p := range set.All() {
		for ; next < index; next++ {
			w.property(properties.Property{Type: properties.TypeBundleObject}) // Decode drops it
		}
		w.property(p)
		next++
		deprecated = deprecated || p.Type == properties.TypeDeprecated
	}
	if set.Deprecated() && !deprecated {
		// olm.deprecated without a value counts, but the Set drops it.
		w.property(properties.Property{Type: properties.TypeDeprecated})
	}
}

func (w *writer) property(p properties.Property) {
	// Versions of a package or an API share the text before the last colon.
	value := string(p.Value)
	cut := strings.LastIndexByte(value, ':') + 1
	key := [3]uint32{w.index(p.Type), w.index(value[:cut]), w.index(value[cut:])}
	row, ok := w.rows[key]
	if !ok {
		row = w.properties.add(key[:]...)
		w.rows[key] = row
	}
	w.stated.add(row)
}

// imageDigest begins the digest in an image.
const imageDigest = "@sha256:"

// splitImage splits an image before its digest, which it returns in binary form or as "".
// As text, digests would be a third of an index.
func splitImage(image string) (rest, digest string) {
	rest, text, _ := strings.Cut(image, imageDigest)
	sum, err := hex.DecodeString(text)
	if err != nil || len(sum) == 0 || hex.EncodeToString(sum) != text {
		return image, ""
	}
	return rest, string(sum)
}

// joinImage reverses splitImage.
func joinImage(rest, digest string) string {
	if digest == "" {
		return rest
	}
	return rest + imageDigest + hex.EncodeToString([]byte(digest))
}
