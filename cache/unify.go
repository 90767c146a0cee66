package cache

import (
	"bytes"
	"cmp"
	"iter"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/resolvent/resolvent/properties"
)

// unify sorts blobs by name and walks the groups of one name. Blobs that say the
// same count as one: alike tells whether all of a group do.
func unify[B any](blobs []B, name func(B) string, equal func(a, b B) bool) iter.Seq2[[]B, bool] {
	// Blobs of one name keep their order, which is that of their places.
	slices.SortStableFunc(blobs, func(a, b B) int { return strings.Compare(name(a), name(b)) })
	return func(yield func([]B, bool) bool) {
		for len(blobs) > 0 {
			n := 1
			alike := true
			for n < len(blobs) && name(blobs[n]) == name(blobs[0]) {
				alike = alike && equal(blobs[0], blobs[n])
				n++
			}
			if !yield(blobs[:n], alike) {
				return
			}
			blobs = blobs[n:]
		}
	}
}

func (b *packageBlob) equal(other *packageBlob) bool { return b.defaultChannel == other.defaultChannel }

func (b *channelBlob) equal(other *channelBlob) bool {
	return b.fault == other.fault && slices.EqualFunc(
		slices.SortedStableFunc(slices.Values(b.entries), entryBlob.compare),
		slices.SortedStableFunc(slices.Values(other.entries), entryBlob.compare),
		entryBlob.equal)
}

func (e entryBlob) compare(other entryBlob) int { return strings.Compare(e.name, other.name) }

func (e entryBlob) equal(other entryBlob) bool {
	return e.name == other.name && e.replaces == other.replaces && e.skipRange == other.skipRange &&
		slices.Equal(e.skips, other.skips)
}

func (b *bundleBlob) equal(other *bundleBlob) bool {
	if b.unusable || other.unusable {
		return b.unusable == other.unusable
	}
	return b.image == other.image && slices.EqualFunc(
		slices.Collect(allProperties(b.properties)), slices.Collect(allProperties(other.properties)),
		func(a, b properties.Property) bool {
			return a.Type == b.Type && (bytes.Equal(a.Value, b.Value) || bytes.Equal(canonical(a.Value), canonical(b.Value)))
		})
}

func allProperties(set *properties.Set) iter.Seq[properties.Property] {
	return func(yield func(properties.Property) bool) {
		for _, p := range set.All() {
			if !yield(p) {
				return
			}
		}
	}
}

func (b *deprecationsBlob) equal(other *deprecationsBlob) bool {
	return slices.Equal(b.entries, other.entries)
}

func (d deprecation) compare(other deprecation) int {
	return cmp.Or(strings.Compare(d.schema, other.schema), strings.Compare(d.name, other.name), strings.Compare(d.message, other.message))
}

// canonical writes equal JSON values as equal text.
func canonical(value []byte) []byte {
	text := jsontext.Value(value).Clone()
	if err := text.Canonicalize(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)); err != nil {
		return value
	}
	return text
}
