package collect

import (
	"bytes"
	"cmp"
	"iter"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/resolvent/resolvent/properties"
)

// Groups sorts blobs by name and walks the groups of one name. Blobs that say the
// same count as one: alike tells whether all of a group do.
func Groups[B any](blobs []B, name func(B) string, equal func(a, b B) bool) iter.Seq2[[]B, bool] {
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

func (b *Package) Equal(other *Package) bool { return b.DefaultChannel == other.DefaultChannel }

func (b *Channel) Equal(other *Channel) bool {
	return b.Fault == other.Fault && slices.EqualFunc(
		slices.SortedStableFunc(slices.Values(b.Entries), Entry.compare),
		slices.SortedStableFunc(slices.Values(other.Entries), Entry.compare),
		Entry.Equal)
}

func (e Entry) compare(other Entry) int { return strings.Compare(e.Name, other.Name) }

func (e Entry) Equal(other Entry) bool {
	return e.Name == other.Name && e.Replaces == other.Replaces && e.SkipRange == other.SkipRange &&
		slices.Equal(e.Skips, other.Skips)
}

func (b *Bundle) Equal(other *Bundle) bool {
	if b.Unusable || other.Unusable {
		return b.Unusable == other.Unusable
	}
	return b.Image == other.Image && slices.EqualFunc(
		slices.Collect(allProperties(b.Properties)), slices.Collect(allProperties(other.Properties)),
		func(a, b properties.Property) bool {
			return a.Type == b.Type && (bytes.Equal(a.Value, b.Value) || bytes.Equal(Canonical(a.Value), Canonical(b.Value)))
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

func (b *Deprecations) Equal(other *Deprecations) bool {
	return slices.Equal(b.Entries, other.Entries)
}

func (d Deprecation) compare(other Deprecation) int {
	return cmp.Or(strings.Compare(d.Schema, other.Schema), strings.Compare(d.Name, other.Name), strings.Compare(d.Message, other.Message))
}

// Canonical writes equal JSON values as equal text.
func Canonical(value []byte) []byte {
	text := jsontext.Value(value).Clone()
	if err := text.Canonicalize(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)); err != nil {
		return value
	}
	return text
}
