package properties

import (
	"github.com/blang/semver/v4"

	"github.com/resolvent/resolvent/properties/pack"
)

// SetWriter writes sets as rows of tables, and what they share once.
type SetWriter struct {
	out *pack.Writer

	sets     pack.Table // one of setColumns for each set
	values   pack.Table // texts of raw properties
	labels   pack.Table // texts
	limits   pack.Table // major, minor
	versions pack.Table // major, minor, patch, end of pre, end of build
	pre      pack.Table // 1 and number, or 0 and text
	build    pack.Table // texts
	shapes   pack.Table // end of items, end of types
	items    pack.Table
	types    pack.Table // texts, of raw properties
	gvks     pack.Table // group, version, kind
	lists    pack.Table // end of members
	members  pack.Table // rows of gvks
	metadata pack.Table // minKubeVersion, end of modes, end of annotations
	modes    pack.Table // name, whether supported
	notes    pack.Table // annotations: key, value
}

// The columns of a set. What may be missing is counted from 1.
const (
	setShape = iota
	setValues
	setList
	setLabels
	setMetadata
	setVersion
	setPackage
	setRelease
	setLimit
	setDeprecated

	setColumns
)

// NewSetWriter returns a writer to out.
func NewSetWriter(out *pack.Writer) *SetWriter { return &SetWriter{out: out} }

// Add adds a set.
func (w *SetWriter) Add(s *Set) {
	var row [setColumns]uint32
	row[setShape] = w.shape(s)
	for _, p := range s.raw {
		w.values.Add(w.out.Text(string(p.Value)))
	}
	row[setValues] = w.values.Len()
	row[setList] = w.gvkList(s.gvks)
	for _, label := range s.labels {
		w.labels.Add(w.out.Text(label))
	}
	row[setLabels] = w.labels.Len()
	if s.metadata != nil {
		row[setMetadata] = 1 + w.metadataOf(s.metadata)
	}
	if s.hasPackage {
		row[setVersion] = 1 + w.version(s.pkg.Version)
	}
	row[setPackage], row[setRelease] = w.out.Text(s.pkg.Name), w.out.Text(string(s.pkg.Release))
	if s.limited {
		row[setLimit] = 1 + w.limits.Add(append(split(s.openShift.Major), split(s.openShift.Minor)...)...)
	}
	if s.deprecated {
		row[setDeprecated] = 1
	}
	w.sets.Add(row[:]...)
}

// End writes all sets that were added.
func (w *SetWriter) End() {
	for _, t := range [...]*pack.Table{
		&w.sets, &w.values, &w.labels, &w.limits, &w.versions, &w.pre, &w.build, &w.shapes, &w.items, &w.types,
		&w.gvks, &w.lists, &w.members, &w.metadata, &w.modes, &w.notes,
	} {
		w.out.Table(t)
	}
}

// split returns the halves of a number, the lower one first.
func split(n uint64) []uint32 { return []uint32{uint32(n), uint32(n >> 32)} }

// shape adds which properties a set states, and the types of the raw ones.
func (w *SetWriter) shape(s *Set) uint32 {
	items := s.stated
	key := []uint32{uint32(len(items))}
	for _, it := range items {
		key = append(key, uint32(it))
	}
	for _, p := range s.raw {
		key = append(key, w.out.Text(p.Type))
	}
	return w.shapes.Shared(key, func() {
		for _, it := range key[1 : 1+len(items)] {
			w.items.Add(it)
		}
		for _, text := range key[1+len(items):] {
			w.types.Add(text)
		}
		w.shapes.Add(w.items.Len(), w.types.Len())
	})
}

func (w *SetWriter) gvkList(list []GVK) uint32 {
	key := make([]uint32, len(list))
	for i, g := range list {
		api := []uint32{w.out.Text(g.Group), w.out.Text(g.Version), w.out.Text(g.Kind)}
		key[i] = w.gvks.Shared(api, func() { w.gvks.Add(api...) })
	}
	return w.lists.Shared(key, func() {
		for _, i := range key {
			w.members.Add(i)
		}
		w.lists.Add(w.members.Len())
	})
}

func (w *SetWriter) version(v semver.Version) uint32 {
	key := append(append(split(v.Major), split(v.Minor)...), split(v.Patch)...)
	numbers := len(key)
	var pre [][3]uint32
	for _, id := range v.Pre {
		row := [3]uint32{0, w.out.Text(id.VersionStr), 0}
		if id.IsNum {
			row = [3]uint32{1, uint32(id.VersionNum), uint32(id.VersionNum >> 32)}
		}
		pre = append(pre, row)
		key = append(key, row[:]...)
	}
	build := len(key)
	for _, id := range v.Build {
		key = append(key, w.out.Text(id))
	}
	key = append(key, uint32(len(pre)))
	return w.versions.Shared(key, func() {
		for _, row := range pre {
			w.pre.Add(row[:]...)
		}
		for _, text := range key[build : len(key)-1] {
			w.build.Add(text)
		}
		w.versions.Add(append(key[:numbers:numbers], w.pre.Len(), w.build.Len())...)
	})
}

func (w *SetWriter) metadataOf(m *Metadata) uint32 {
	key := []uint32{w.out.Text(m.MinKubeVersion), uint32(len(m.modes))}
	for _, mode := range m.modes {
		supported := uint32(0)
		if mode.supported {
			supported = 1
		}
		key = append(key, w.out.Text(string(mode.name)), supported)
	}
	for _, a := range m.annotations {
		key = append(key, w.out.Text(a.key), w.out.Text(a.value))
	}
	return w.metadata.Shared(key, func() {
		modes, notes := key[2:2+2*len(m.modes)], key[2+2*len(m.modes):]
		for i := 0; i < len(modes); i += 2 {
			w.modes.Add(modes[i], modes[i+1])
		}
		for i := 0; i < len(notes); i += 2 {
			w.notes.Add(notes[i], notes[i+1])
		}
		w.metadata.Add(key[0], w.modes.Len(), w.notes.Len())
	})
}

// Pack writes the name of an API.
func (g GVK) Pack(out *pack.Writer) {
	out.String(g.Group)
	out.String(g.Version)
	out.String(g.Kind)
}

// UnpackGVK reads what Pack wrote.
func UnpackGVK(in *pack.Reader) GVK {
	return GVK{Group: in.String(), Version: in.String(), Kind: in.String()}
}
