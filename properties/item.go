package properties

// item says where a Set keeps the value of a stated property. The low bits are the
// kind; above them is the index in the list of that kind.
type item uint32

const (
	dropped item = iota // not kept
	inPackage
	inMetadata
	inGVKs
	inLabels
	inRaw
	inObject // an olm.bundle.object: at 0 the metadata of a ClusterServiceVersion, then the definitions
	inOther  // another olm.bundle.object

	itemBits = 3
)

func newItem(kind item, index int) item { return item(index)<<itemBits | kind }
func (it item) kind() item              { return it & (1<<itemBits - 1) }
func (it item) index() int              { return int(it >> itemBits) }

// typeName returns the type of the property, "" if it is not kept.
func (it item) typeName(raw []Property) string {
	switch it.kind() {
	case inPackage:
		return TypePackage
	case inMetadata:
		return TypeCSVMetadata
	case inObject, inOther:
		return TypeBundleObject
	case inGVKs:
		return TypeGVK
	case inLabels:
		return TypeLabel
	case inRaw:
		return raw[it.index()].Type
	}
	return ""
}
