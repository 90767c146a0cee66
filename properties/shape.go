package properties

import "slices"

// shape is what many bundles have in common: which properties they state, and in
// which order.
type shape struct {
	// items has one element for each stated property, so that an index into it
	// is the index that faults and constraints speak of.
	items []item
	types []string // of what is kept, distinct and sorted
}

func newShape(items []item, raw []Property) *shape {
	s := &shape{items: items}
	var known listIndex[string]
	for _, it := range items {
		if it.kind() == dropped {
			continue
		}
		if name := it.typeName(raw); known.of(s.types, name) == len(s.types) {
			s.types = append(s.types, name)
		}
	}
	slices.Sort(s.types)
	s.types = slices.Clip(s.types)
	return s
}

// item says where the value of a stated property is kept: the kind in the low
// bits, above it the index in the list of that kind.
type item uint32

const (
	dropped item = iota // not kept
	inPackage
	inMetadata
	inGVKs
	inLabels
	inRaw

	itemBits = 3
)

func newItem(kind item, index int) item { return item(index)<<itemBits | kind }
func (it item) kind() item              { return it & (1<<itemBits - 1) }
func (it item) index() int              { return int(it >> itemBits) }

// typeName is the type of the property, "" if it is not kept.
func (it item) typeName(raw []Property) string {
	switch it.kind() {
	case inPackage:
		return TypePackage
	case inMetadata:
		return TypeCSVMetadata
	case inGVKs:
		return TypeGVK
	case inLabels:
		return TypeLabel
	case inRaw:
		return raw[it.index()].Type
	}
	return ""
}
