package properties

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
