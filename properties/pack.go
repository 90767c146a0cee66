package properties

import (
	"github.com/blang/semver/v4"

	"github.com/resolvent/resolvent/properties/pack"
)

// SetWriter writes sets, and what they share once.
type SetWriter struct {
	out                    *pack.Writer
	shapes, metadata, gvks pack.Table
}

// NewSetWriter returns a writer to out.
func NewSetWriter(out *pack.Writer) *SetWriter { return &SetWriter{out: out} }

// Write writes a set.
func (w *SetWriter) Write(s *Set) {
	w.out.Shared(&w.shapes, func() { w.shape(s) })
	for _, p := range s.raw {
		w.out.String(string(p.Value))
	}
	w.out.Shared(&w.gvks, func() {
		w.out.Count(len(s.gvks))
		for _, g := range s.gvks {
			g.Pack(w.out)
		}
	})
	w.out.Count(len(s.labels))
	for _, label := range s.labels {
		w.out.String(label)
	}
	w.out.Bool(s.hasPackage)
	if s.hasPackage {
		w.packageOf(s.pkg)
	}
	w.out.Bool(s.metadata != nil)
	if s.metadata != nil {
		w.out.Shared(&w.metadata, func() { w.metadataOf(s.metadata) })
	}
	w.out.Bool(s.limited)
	if s.limited {
		w.out.Uint(s.openShift.Major)
		w.out.Uint(s.openShift.Minor)
	}
	w.out.Bool(s.deprecated)
}

// shape writes which properties a set states, and the types of the raw ones.
func (w *SetWriter) shape(s *Set) {
	var items []item
	if s.shape != nil {
		items = s.shape.items
	}
	w.out.Count(len(items))
	for _, it := range items {
		w.out.Uint(uint64(it))
	}
	w.out.Count(len(s.raw))
	for _, p := range s.raw {
		w.out.String(p.Type)
	}
}

func (w *SetWriter) packageOf(p Package) {
	w.out.String(p.Name)
	w.out.String(string(p.Release))
	v := p.Version
	w.out.Uint(v.Major)
	w.out.Uint(v.Minor)
	w.out.Uint(v.Patch)
	w.out.Count(len(v.Pre))
	for _, id := range v.Pre {
		w.out.Bool(id.IsNum)
		if id.IsNum {
			w.out.Uint(id.VersionNum)
		} else {
			w.out.String(id.VersionStr)
		}
	}
	w.out.Count(len(v.Build))
	for _, id := range v.Build {
		w.out.String(id)
	}
}

func (w *SetWriter) metadataOf(m *Metadata) {
	w.out.String(m.MinKubeVersion)
	w.out.Count(len(m.modes))
	for _, mode := range m.modes {
		w.out.String(string(mode.name))
		w.out.Bool(mode.supported)
	}
	w.out.Count(len(m.annotations))
	for _, a := range m.annotations {
		w.out.String(a.key)
		w.out.String(a.value)
	}
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

// unpackVersion reads the version that packageOf wrote.
func unpackVersion(in *pack.Reader) semver.Version {
	v := semver.Version{Major: in.Uint(), Minor: in.Uint(), Patch: in.Uint()}
	for range in.Count(2) {
		id := semver.PRVersion{IsNum: in.Bool()}
		if id.IsNum {
			id.VersionNum = in.Uint()
		} else {
			id.VersionStr = in.String()
		}
		v.Pre = append(v.Pre, id)
	}
	for range in.Count(1) {
		v.Build = append(v.Build, in.String())
	}
	return v
}
