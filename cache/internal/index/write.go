package index

import (
	"context"
	"encoding/hex"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/properties"
)

// Format has to be raised whenever the bytes mean something else, and also
// when reading a catalog comes to another snapshot than before: an index stands
// for the catalog that it was made from.
const Format = 10

// Encode returns the payload of an index of the snapshot. It fails on faults that
// JSON cannot express.
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

// tables are the tables of an index. In a list that belongs to a row, the
// row says where it ends.
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

// writer packs a snapshot. What follows from the rest is left out: places, the
// inverted indexes, and the decoded form of properties and constraints.
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
	text, _ := json.Marshal(p.Lifecycles) // which are texts
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

// properties writes the properties of a bundle so that decoding them gives the
// same set again: each at its stated index.
func (w *writer) addProperties(set *properties.Set) {
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

func (w *writer) property(p properties.Property) {
	// What precedes the last colon is the same for the versions of a package or an API.
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

// imageDigest is what the digest of an image starts with.
const imageDigest = "@sha256:"

// splitImage splits the digest off an image, in binary form: as text, digests
// would be a third of an index. It is "" if the image ends with none.
func splitImage(image string) (rest, digest string) {
	rest, text, _ := strings.Cut(image, imageDigest)
	sum, err := hex.DecodeString(text)
	if err != nil || len(sum) == 0 || hex.EncodeToString(sum) != text {
		return image, ""
	}
	return rest, string(sum)
}

// joinImage is the reverse of splitImage.
func joinImage(rest, digest string) string {
	if digest == "" {
		return rest
	}
	return rest + imageDigest + hex.EncodeToString([]byte(digest))
}
