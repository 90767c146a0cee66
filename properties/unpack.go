package properties

import (
	"github.com/blang/semver/v4"

	"github.com/resolvent/resolvent/properties/pack"
)

// SetReader makes sets of the tables that a [SetWriter] wrote, each when it is
// asked for. It keeps the data that it reads from. It is NOT safe for concurrent
// use.
type SetReader struct {
	in *pack.Reader

	sets, values, labels, limits, versions, pre, build, shapes, items, types,
	gvks, lists, members, metadata, modes, notes pack.Rows

	needs []shapeNeeds

	// What has been made already, by row.
	madeShapes   [][]item
	madeLists    [][]GVK
	madeMetadata []*Metadata
	madeValues   map[int][]byte
}

// maxProvided bounds the APIs of all sets together: a list that they share takes
// no room in the tables, but in what [Providers] returns it does.
const maxProvided = 1 << 28

// shapeNeeds is what a set of a shape must have.
type shapeNeeds struct {
	values, gvks, labels int
	metadata, asks, rule bool
}

// NewSetReader reads the tables from in, and checks everything that they refer
// to. What is wrong shows in the Err of in; the reader may not be used then.
func NewSetReader(in *pack.Reader) *SetReader {
	r := &SetReader{in: in, madeValues: map[int][]byte{}}
	for _, t := range [...]struct {
		rows    *pack.Rows
		columns int
	}{
		{&r.sets, setColumns}, {&r.values, 1}, {&r.labels, 1}, {&r.limits, 4}, {&r.versions, 8}, {&r.pre, 3}, {&r.build, 1},
		{&r.shapes, 2}, {&r.items, 1}, {&r.types, 1}, {&r.gvks, 3}, {&r.lists, 1}, {&r.members, 1},
		{&r.metadata, 3}, {&r.modes, 2}, {&r.notes, 2},
	} {
		*t.rows = in.Table(t.columns)
	}
	if in.Err() == nil {
		r.checkTables()
	}
	if in.Err() == nil {
		r.checkShapes()
	}
	if in.Err() == nil {
		r.checkSets()
	}
	r.madeShapes = make([][]item, r.shapes.Len())
	r.madeLists = make([][]GVK, r.lists.Len())
	r.madeMetadata = make([]*Metadata, r.metadata.Len())
	return r
}

// checkTables checks what the tables refer to.
func (r *SetReader) checkTables() {
	for _, t := range [...]struct {
		rows      pack.Rows
		from, end int // columns of texts
	}{
		{r.values, 0, 1}, {r.labels, 0, 1}, {r.build, 0, 1}, {r.types, 0, 1}, {r.gvks, 0, 3}, {r.metadata, 0, 1},
		{r.modes, 0, 1}, {r.notes, 0, 2}, {r.sets, setPackage, setRelease + 1},
	} {
		for column := t.from; column < t.end; column++ {
			r.in.Below(t.rows, column, r.in.Texts())
		}
	}
	r.in.Below(r.pre, 0, 2)
	for row := range r.pre.Len() {
		if r.pre.At(row, 0) == 0 && r.pre.At(row, 1) >= r.in.Texts() {
			r.in.Fail()
			return
		}
	}
	r.in.Below(r.modes, 1, 2)
	r.in.Below(r.members, 0, r.gvks.Len())
	r.in.Ends(r.versions, 6, r.pre.Len())
	r.in.Ends(r.versions, 7, r.build.Len())
	r.in.Ends(r.shapes, 0, r.items.Len())
	r.in.Ends(r.shapes, 1, r.types.Len())
	r.in.Ends(r.lists, 0, r.members.Len())
	r.in.Ends(r.metadata, 1, r.modes.Len())
	r.in.Ends(r.metadata, 2, r.notes.Len())
	r.in.Ends(r.sets, setValues, r.values.Len())
	r.in.Ends(r.sets, setLabels, r.labels.Len())
	r.in.Below(r.sets, setShape, r.shapes.Len())
	r.in.Below(r.sets, setList, r.lists.Len())
	r.in.Below(r.sets, setMetadata, 1+r.metadata.Len())
	r.in.Below(r.sets, setVersion, 1+r.versions.Len())
	r.in.Below(r.sets, setLimit, 1+r.limits.Len())
	r.in.Below(r.sets, setDeprecated, 2)
}

func (r *SetReader) checkShapes() {
	r.needs = make([]shapeNeeds, r.shapes.Len())
	for i := range r.needs {
		n := &r.needs[i]
		from, to := r.shapes.Span(i, 1)
		n.values = to - from
		for t := from; t < to; t++ {
			name := r.in.Text(r.types.At(t, 0))
			n.asks, n.rule = n.asks || IsConstraint(name), n.rule || name == TypeConstraint
		}
		from, to = r.shapes.Span(i, 0)
		for at := from; at < to; at++ {
			it := item(r.items.At(at, 0))
			switch {
			case it.kind() > inRaw, it.kind() == inRaw && it.index() >= n.values:
				r.in.Fail()
				return
			case it.kind() == inMetadata:
				n.metadata = true
			case it.kind() == inGVKs:
				n.gvks = max(n.gvks, it.index()+1)
			case it.kind() == inLabels:
				n.labels = max(n.labels, it.index()+1)
			}
		}
	}
}

func (r *SetReader) checkSets() {
	provided := 0
	for i := range r.sets.Len() {
		n := &r.needs[r.sets.At(i, setShape)]
		valuesFrom, valuesTo := r.sets.Span(i, setValues)
		labelsFrom, labelsTo := r.sets.Span(i, setLabels)
		listFrom, listTo := r.lists.Span(r.sets.At(i, setList), 0)
		provided += listTo - listFrom
		if valuesTo-valuesFrom != n.values || labelsTo-labelsFrom < n.labels || listTo-listFrom < n.gvks || provided > maxProvided ||
			n.metadata && r.sets.At(i, setMetadata) == 0 {
			r.in.Fail()
			return
		}
	}
}

// Len is the number of sets.
func (r *SetReader) Len() int { return r.sets.Len() }

// Untyped is how many properties of a set are kept as they are stated, constraints
// among them.
func (r *SetReader) Untyped(i int) int { return r.needs[r.sets.At(i, setShape)].values }

// Asks reports whether a set has constraints.
func (r *SetReader) Asks(i int) bool { return r.needs[r.sets.At(i, setShape)].asks }

// MayRule reports whether a set has constraints of which some may be rules, which
// take long to compile.
func (r *SetReader) MayRule(i int) bool { return r.needs[r.sets.At(i, setShape)].rule }

// Set makes a set.
func (r *SetReader) Set(i int) *Set {
	shapeRow := r.sets.At(i, setShape)
	s := &Set{stated: r.shape(shapeRow), gvks: r.gvkList(r.sets.At(i, setList))}
	if from, to := r.sets.Span(i, setValues); from < to {
		s.raw = make([]Property, to-from)
		types, _ := r.shapes.Span(shapeRow, 1)
		for j := range s.raw {
			s.raw[j] = Property{Type: r.in.Text(r.types.At(types+j, 0)), Value: r.value(r.values.At(from+j, 0))}
		}
	}
	if from, to := r.sets.Span(i, setLabels); from < to {
		s.labels = make([]string, to-from)
		for j := range s.labels {
			s.labels[j] = r.in.Text(r.labels.At(from+j, 0))
		}
	}
	if row := r.sets.At(i, setMetadata); row > 0 {
		s.metadata = r.metadataOf(row - 1)
	}
	if row := r.sets.At(i, setVersion); row > 0 {
		s.hasPackage = true
		s.pkg = Package{
			Name: r.in.Text(r.sets.At(i, setPackage)), Release: Release(r.in.Text(r.sets.At(i, setRelease))),
			Version: r.version(row - 1),
		}
	}
	if row := r.sets.At(i, setLimit); row > 0 {
		s.limited, s.openShift = true, MajorMinor{join(r.limits, row-1, 0), join(r.limits, row-1, 2)}
	}
	s.deprecated = r.sets.At(i, setDeprecated) == 1
	return s
}

// join returns the number that split halved.
func join(t pack.Rows, row, column int) uint64 {
	return uint64(t.At(row, column)) | uint64(t.At(row, column+1))<<32
}

func (r *SetReader) shape(row int) []item {
	if made := r.madeShapes[row]; made != nil {
		return made
	}
	from, to := r.shapes.Span(row, 0)
	items := make([]item, to-from)
	for i := range items {
		items[i] = item(r.items.At(from+i, 0))
	}
	r.madeShapes[row] = items
	return items
}

func (r *SetReader) gvkList(row int) []GVK {
	from, to := r.lists.Span(row, 0)
	if made := r.madeLists[row]; made != nil || from == to {
		return made
	}
	list := make([]GVK, to-from)
	for i := range list {
		list[i] = r.gvk(r.members.At(from+i, 0))
	}
	r.madeLists[row] = list
	return list
}

func (r *SetReader) gvk(row int) GVK {
	return GVK{
		Group: r.in.Text(r.gvks.At(row, 0)), Version: r.in.Text(r.gvks.At(row, 1)), Kind: r.in.Text(r.gvks.At(row, 2)),
	}
}

func (r *SetReader) value(text int) []byte {
	made, ok := r.madeValues[text]
	if !ok {
		made = []byte(r.in.Text(text))
		r.madeValues[text] = made
	}
	return made
}

func (r *SetReader) version(row int) semver.Version {
	v := semver.Version{Major: join(r.versions, row, 0), Minor: join(r.versions, row, 2), Patch: join(r.versions, row, 4)}
	from, to := r.versions.Span(row, 6)
	for i := from; i < to; i++ {
		id := semver.PRVersion{IsNum: r.pre.At(i, 0) == 1}
		if id.IsNum {
			id.VersionNum = join(r.pre, i, 1)
		} else {
			id.VersionStr = r.in.Text(r.pre.At(i, 1))
		}
		v.Pre = append(v.Pre, id)
	}
	from, to = r.versions.Span(row, 7)
	for i := from; i < to; i++ {
		v.Build = append(v.Build, r.in.Text(r.build.At(i, 0)))
	}
	return v
}

func (r *SetReader) metadataOf(row int) *Metadata {
	if made := r.madeMetadata[row]; made != nil {
		return made
	}
	m := &Metadata{MinKubeVersion: r.in.Text(r.metadata.At(row, 0))}
	from, to := r.metadata.Span(row, 1)
	for i := from; i < to; i++ {
		m.modes = append(m.modes, mode{InstallMode(r.in.Text(r.modes.At(i, 0))), r.modes.At(i, 1) == 1})
	}
	from, to = r.metadata.Span(row, 2)
	for i := from; i < to; i++ {
		m.annotations = append(m.annotations, annotation{r.in.Text(r.notes.At(i, 0)), r.in.Text(r.notes.At(i, 1))})
	}
	r.madeMetadata[row] = m
	return m
}
