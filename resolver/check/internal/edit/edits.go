package edit

import (
	"slices"

	"github.com/go-json-experiment/json"
	"go.yaml.in/yaml/v4"
)

// entryFields are the pointers of the fields of an entry.
type entryFields struct {
	Doc                        int
	entry                      string // "" if it cannot be removed
	replaces, skips, SkipRange string
	stated                     *yaml.Node // has replaces and skips
	ranged                     bool       // the entry has a skipRange
	parentOfRange              string     // to be made, "" if it is there
}

// Value returns a Go value as JSON.
func Value(v any) []byte {
	text, _ := json.Marshal(v, json.Deterministic(true)) // strings, lists and objects of these
	return text
}

// Entry returns the fields of an entry of a channel, false if no file states it.
func (s *Draft) Entry(pkg, channel, name string) (f entryFields, found bool) {
	for _, b := range s.Named(pkg, SchemaChannel, channel) {
		for i, e := range Elements(b.Node, "entries") {
			if Text(e, "name") != name {
				continue
			}
			at := Pointer(b.At, "entries", i)
			return entryFields{
				Doc: b.Doc, entry: at, replaces: Pointer(at, "replaces"), skips: Pointer(at, "skips"), SkipRange: Pointer(at, "skipRange"),
				stated: Top(e), ranged: Member(e, "skipRange") != nil,
			}, true
		}
	}
	if dirs := s.Dirs(pkg, name); len(dirs) > 0 {
		root := s.Docs[dirs[0].CSV].Root
		f = entryFields{Doc: dirs[0].CSV, replaces: "/spec/replaces", skips: "/spec/skips", SkipRange: "/metadata/annotations/olm.skipRange", stated: Member(root, "spec")}
		f.ranged = At(root, f.SkipRange) != nil
		if At(root, "/metadata/annotations") == nil {
			f.parentOfRange = "/metadata/annotations"
		}
		return f, f.stated != nil
	}
	return f, false
}

// Edited returns the draft after an edit of a channel, nil if no file can be edited so.
func (s *Draft) Edited(pkg, channel string, e EntryEdit) *Draft {
	if e.Kind == AddEntry {
		return s.Added(pkg, channel, e)
	}
	f, found := s.Entry(pkg, channel, e.Entry)
	if !found {
		return nil
	}
	set := func(path string, there bool) *Draft {
		if there {
			return s.With(Replace(f.Doc, path, e.Name))
		}
		return s.With(Add(f.Doc, path, e.Name))
	}
	skips := Elements(f.stated, "skips")
	switch {
	case e.Kind == RemoveEntry && f.entry == "":
		return nil
	case e.Kind == RemoveEntry:
		return s.With(Remove(f.Doc, f.entry))
	case e.Kind == SetReplaces && e.Name == "":
		return s.With(Remove(f.Doc, f.replaces))
	case e.Kind == SetReplaces:
		return set(f.replaces, Member(f.stated, "replaces") != nil)
	case e.Kind == AddSkip && len(skips) > 0:
		return s.With(Add(f.Doc, Pointer(f.skips, "-"), e.Name))
	case e.Kind == AddSkip:
		return s.With(Add(f.Doc, f.skips, []string{e.Name}))
	case e.Kind == RemoveSkip && len(skips) == 1:
		return s.With(Remove(f.Doc, f.skips))
	case e.Kind == RemoveSkip:
		i := slices.IndexFunc(skips, func(n *yaml.Node) bool { return Top(n).Value == e.Name })
		return s.With(Remove(f.Doc, Pointer(f.skips, i)))
	case e.Name == "":
		return s.With(Remove(f.Doc, f.SkipRange))
	case f.parentOfRange != "":
		return s.With(Add(f.Doc, f.parentOfRange, map[string]string{"olm.skipRange": e.Name}))
	}
	return set(f.SkipRange, f.ranged)
}

// Of returns the edit of an entry, with the other entry of an edge or the text of a range.
func (k editKind) Of(entry, name string) EntryEdit { return EntryEdit{k, entry, name} }

// Each returns the drafts after several lists of edits of a channel, nil for one that is impossible.
func (s *Draft) Each(pkg, channel string, lists ...[]EntryEdit) (drafts []*Draft) {
	for _, list := range lists {
		next := s
		for _, e := range list {
			if next != nil {
				next = next.Edited(pkg, channel, e)
			}
		}
		drafts = append(drafts, next)
	}
	return drafts
}

// Added returns the draft with a new entry. A bundle directory is added to the channel by its
// annotation.
func (s *Draft) Added(pkg, channel string, e EntryEdit) *Draft {
	blobs := s.Named(pkg, SchemaChannel, channel)
	if len(blobs) == 0 {
		return nil
	}
	b := blobs[0]
	var entry struct {
		Name     string `json:"name"`
		Replaces string `json:"replaces,omitempty"`
	}
	entry.Name, entry.Replaces = e.Entry, e.Name
	if Member(b.Node, "entries") == nil {
		return s.With(Add(b.Doc, Pointer(b.At, "entries"), []any{entry}))
	}
	return s.With(Add(b.Doc, Pointer(b.At, "entries", "-"), entry))
}

// EntryEdit changes one field of an entry, or adds or removes one.
type EntryEdit struct {
	Kind        editKind
	Entry, Name string // name: the other entry of an edge; the range of a setRange
}

type editKind uint8

const (
	SetReplaces editKind = iota // to no entry if name is empty
	AddSkip
	RemoveSkip
	SetRange
	RemoveEntry
	AddEntry // it replaces name
)

// Add, Replace, Remove and Move return operations on a document.
func Add(doc int, path string, v any) DocOp {
	return DocOp{doc, Op{Op: "add", Path: path, Value: Value(v)}}
}

func Replace(doc int, path string, v any) DocOp {
	return DocOp{doc, Op{Op: "replace", Path: path, Value: Value(v)}}
}

func Remove(doc int, path string) DocOp { return DocOp{doc, Op{Op: "remove", Path: path}} }

func Move(doc int, from, to string) DocOp { return DocOp{doc, Op{Op: "move", From: from, Path: to}} }

// Renamed changes the edges to a name in a channel, those of one entry unless that is empty.
func (s *Draft) Renamed(pkg, channel, of, from, to string) *Draft {
	next := s
	for _, b := range s.Named(pkg, SchemaChannel, channel) {
		for i, e := range Elements(b.Node, "entries") {
			at := Pointer(b.At, "entries", i)
			if of != "" && Text(e, "name") != of {
				continue
			}
			if Text(e, "replaces") == from {
				next = next.With(Replace(b.Doc, Pointer(at, "replaces"), to))
			}
			for j, skip := range Elements(e, "skips") {
				if Top(skip).Value == from {
					next = next.With(Replace(b.Doc, Pointer(at, "skips", j), to))
				}
			}
		}
	}
	return next
}

// EntryRenamed changes the name of an entry of a channel, and the edges there that lead to it.
func (s *Draft) EntryRenamed(pkg, channel, from, to string) *Draft {
	f, found := s.Entry(pkg, channel, from)
	if !found || f.entry == "" {
		return s
	}
	return s.With(Replace(f.Doc, Pointer(f.entry, "name"), to)).Renamed(pkg, channel, "", from, to)
}
