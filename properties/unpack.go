package properties

import "github.com/resolvent/resolvent/properties/pack"

// SetReader reads sets that a [SetWriter] wrote. What is wrong shows in the Err
// of its input.
type SetReader struct {
	in       *pack.Reader
	shapes   []packedShape
	metadata []*Metadata
	gvks     [][]GVK
}

// packedShape is a shape, with the types of the raw properties, and with what a
// set of this shape must have.
type packedShape struct {
	shape        *shape
	rawTypes     []string
	gvks, labels int
	metadata     bool
}

// NewSetReader returns a reader of in.
func NewSetReader(in *pack.Reader) *SetReader { return &SetReader{in: in} }

// Read reads a set.
func (r *SetReader) Read() *Set {
	s := &Set{}
	packed := pack.Shared(r.in, &r.shapes, r.shape)
	s.shape = packed.shape
	if len(packed.rawTypes) > 0 {
		s.raw = make([]Property, len(packed.rawTypes))
	}
	for i, t := range packed.rawTypes {
		s.raw[i] = Property{Type: t, Value: r.in.Value()}
	}
	s.gvks = pack.Shared(r.in, &r.gvks, r.gvkList)
	for range r.in.Count(1) {
		s.labels = append(s.labels, r.in.String())
	}
	if s.hasPackage = r.in.Bool(); s.hasPackage {
		s.pkg = Package{Name: r.in.String(), Release: Release(r.in.String())}
		s.pkg.Version = unpackVersion(r.in)
	}
	if r.in.Bool() {
		s.metadata = pack.Shared(r.in, &r.metadata, r.metadataOf)
	}
	if s.limited = r.in.Bool(); s.limited {
		s.openShift = MajorMinor{r.in.Uint(), r.in.Uint()}
	}
	s.deprecated = r.in.Bool()
	if packed.gvks > len(s.gvks) || packed.labels > len(s.labels) || packed.metadata && s.metadata == nil {
		r.in.Fail()
	}
	return s
}

func (r *SetReader) shape() packedShape {
	var p packedShape
	items := make([]item, r.in.Count(1))
	raw := 0
	for i := range items {
		n := r.in.Uint()
		it := item(n)
		if uint64(it) != n || it.kind() > inRaw {
			r.in.Fail()
			return p
		}
		switch it.kind() {
		case inMetadata:
			p.metadata = true
		case inGVKs:
			p.gvks = max(p.gvks, it.index()+1)
		case inLabels:
			p.labels = max(p.labels, it.index()+1)
		case inRaw:
			raw = max(raw, it.index()+1)
		}
		items[i] = it
	}
	typed := make([]Property, r.in.Count(1))
	for i := range typed {
		typed[i].Type = r.in.String()
		p.rawTypes = append(p.rawTypes, typed[i].Type)
	}
	if raw > len(typed) {
		r.in.Fail()
		return p
	}
	p.shape = newShape(items, typed)
	return p
}

func (r *SetReader) gvkList() []GVK {
	var list []GVK
	for range r.in.Count(3) {
		list = append(list, UnpackGVK(r.in))
	}
	return list
}

func (r *SetReader) metadataOf() *Metadata {
	m := &Metadata{MinKubeVersion: r.in.String()}
	for range r.in.Count(2) {
		m.modes = append(m.modes, mode{InstallMode(r.in.String()), r.in.Bool()})
	}
	for range r.in.Count(2) {
		m.annotations = append(m.annotations, annotation{r.in.String(), r.in.String()})
	}
	return m
}
