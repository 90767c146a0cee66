package properties

import (
	"bytes"
	"encoding/binary"
	"slices"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// maxSharedText is the longest text by which a value is cached, in bytes. Longer
// values hardly ever repeat, so caching them would only hold memory.
const maxSharedText = 1 << 10

// Interner shares equal strings, lists and decoded values among bundles. It lives
// while a catalog is loaded. The zero value is empty. It is NOT safe for concurrent use: each
// goroutine needs its own.
type Interner struct {
	// Texts are the fields of olm.csv.metadata that Decode reads into Metadata.Texts.
	Texts []string
	// Objects makes Decode keep the texts of objects: see [Objects].
	Objects bool

	strings  map[string]string
	gvks     map[string]decodedGVK
	metadata map[string]*Metadata
	lists    map[string][]GVK

	json    objectReader
	decoder decoder
	scratch []byte
	object  []byte // the decoded text of an olm.bundle.object
}

type decodedGVK struct {
	gvk   GVK
	whole bool
}

// prepare makes the maps of a zero Interner.
func (in *Interner) prepare() {
	in.strings, in.gvks = map[string]string{}, map[string]decodedGVK{}
	in.metadata, in.lists = map[string]*Metadata{}, map[string][]GVK{}
}

// String returns the shared copy of s.
func (in *Interner) String(s string) string {
	if in.strings == nil {
		in.prepare()
	}
	if shared, ok := in.strings[s]; ok {
		return shared
	}
	in.strings[s] = s
	return s
}

// Bytes returns the shared string of text. It copies a new one.
func (in *Interner) Bytes(text []byte) string {
	if in.strings == nil {
		in.prepare()
	}
	if shared, ok := in.strings[string(text)]; ok {
		return shared
	}
	s := string(text)
	in.strings[s] = s
	return s
}

// readText reads a string and returns its shared copy.
func (in *Interner) readText(d *jsontext.Decoder, name string) (string, error) {
	if d.PeekKind() != '"' {
		_, err := readToken(d, name, '"')
		return "", err
	}
	literal, err := d.ReadValue()
	if err != nil {
		return "", err
	}
	if inner := literal[1 : len(literal)-1]; bytes.IndexByte(inner, '\\') < 0 && utf8.Valid(inner) {
		return in.Bytes(inner), nil
	}
	in.scratch, _ = jsontext.AppendUnquote(in.scratch[:0], literal) // invalid UTF-8 is replaced
	return in.Bytes(in.scratch), nil
}

func (in *Interner) gvkList(list []GVK) []GVK {
	if len(list) == 0 {
		return nil
	}
	key := in.scratch[:0] // with lengths, so that no two lists have the same key
	for _, g := range list {
		for _, s := range [...]string{g.Group, g.Version, g.Kind} {
			key = append(binary.AppendUvarint(key, uint64(len(s))), s...)
		}
	}
	in.scratch = key
	if shared, ok := in.lists[string(key)]; ok {
		return shared
	}
	shared := slices.Clip(slices.Clone(list))
	in.lists[string(key)] = shared
	return shared
}
