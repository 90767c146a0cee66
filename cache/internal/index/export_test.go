package index

var (
	EncodeFile = encodeFile
	DecodeFile = decodeFile
)

const (
	HeaderBytes    = headerBytes
	MagicBytes     = len(magic)
	LazyProperties = lazyProperties
)

// Large returns the packages that are unpacked when the payload of an index is
// read.
func Large(payload string) []string {
	p := &packedCatalog{reader: newReader(payload)}
	p.tables.each(func(t *rows, columns int) { *t = p.table(columns) })
	return p.large(p.packages())
}
