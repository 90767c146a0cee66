package repair

import (
	"slices"

	"github.com/go-json-experiment/json"
	"go.yaml.in/yaml/v4"
)

// entryFields are the pointers of the fields of an entry.
type entryFields struct {
	doc                        int
	entry                      string // "" if it cannot be removed
	replaces, skips, skipRange string
	stated                     *yaml.Node // has replaces and skips
	ranged                     bool       // the entry has a skipRange
	parentOfRange              string     // to be made, "" if it is there
}

// value returns a Go value as JSON.
func value(v any) []byte {
	text, _ := json.Marshal(v, json.Deterministic(true)) // strings, lists and objects of these
	return text
}

// entry returns the fields of an entry of a channel, false if no file states it.
func (s *state) entry(pkg, channel, name string) (f entryFields, found bool) {
	for _, b := range s.named(pkg, schemaChannel, channel) {
		for i, e := range elements(b.node, "entries") {
			if text(e, "name") != name {
				continue
			}
			at := pointer(b.at, "entries", i)
			return entryFields{
				doc: b.doc, entry: at, replaces: pointer(at, "replaces"), skips: pointer(at, "skips"), skipRange: pointer(at, "skipRange"),
				stated: top(e), ranged: member(e, "skipRange") != nil,
			}, true
		}
	}
	if dirs := s.dirs(pkg, name); len(dirs) > 0 {
		root := s.docs[dirs[0].csv].root
		f = entryFields{doc: dirs[0].csv, replaces: "/spec/replaces", skips: "/spec/skips", skipRange: "/metadata/annotations/olm.skipRange", stated: member(root, "spec")}
		f.ranged = at(root, f.skipRange) != nil
		if at(root, "/metadata/annotations") == nil {
			f.parentOfRange = "/metadata/annotations"
		}
		return f, f.stated != nil
	}
	return f, false
}

// edited returns the state after an edit of a channel, nil if no file can be edited so.
func (s *state) edited(pkg, channel string, e edit) *state {
	if e.kind == addEntry {
		return s.added(pkg, channel, e)
	}
	f, found := s.entry(pkg, channel, e.entry)
	if !found {
		return nil
	}
	set := func(path string, there bool) *state {
		if there {
			return s.with(replace(f.doc, path, e.name))
		}
		return s.with(add(f.doc, path, e.name))
	}
	skips := elements(f.stated, "skips")
	switch {
	case e.kind == removeEntry && f.entry == "":
		return nil
	case e.kind == removeEntry:
		return s.with(remove(f.doc, f.entry))
	case e.kind == setReplaces && e.name == "":
		return s.with(remove(f.doc, f.replaces))
	case e.kind == setReplaces:
		return set(f.replaces, member(f.stated, "replaces") != nil)
	case e.kind == addSkip && len(skips) > 0:
		return s.with(add(f.doc, pointer(f.skips, "-"), e.name))
	case e.kind == addSkip:
		return s.with(add(f.doc, f.skips, []string{e.name}))
	case e.kind == removeSkip && len(skips) == 1:
		return s.with(remove(f.doc, f.skips))
	case e.kind == removeSkip:
		i := slices.IndexFunc(skips, func(n *yaml.Node) bool { return top(n).Value == e.name })
		return s.with(remove(f.doc, pointer(f.skips, i)))
	case e.name == "":
		return s.with(remove(f.doc, f.skipRange))
	case f.parentOfRange != "":
		return s.with(add(f.doc, f.parentOfRange, map[string]string{"olm.skipRange": e.name}))
	}
	return set(f.skipRange, f.ranged)
}

// added returns the state with a new entry. A bundle directory is added to the channel by its
// annotation.
func (s *state) added(pkg, channel string, e edit) *state {
	blobs := s.named(pkg, schemaChannel, channel)
	if len(blobs) == 0 {
		return nil
	}
	b := blobs[0]
	var entry struct {
		Name     string `json:"name"`
		Replaces string `json:"replaces,omitempty"`
	}
	entry.Name, entry.Replaces = e.entry, e.name
	if member(b.node, "entries") == nil {
		return s.with(add(b.doc, pointer(b.at, "entries"), []any{entry}))
	}
	return s.with(add(b.doc, pointer(b.at, "entries", "-"), entry))
}
