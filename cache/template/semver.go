package template

import (
	"fmt"
	"slices"
	"strings"

	"github.com/blang/semver/v4"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"go.yaml.in/yaml/v4"

	"github.com/resolvent/resolvent/cache/internal/code"
	"github.com/resolvent/resolvent/cache/internal/document"
	"github.com/resolvent/resolvent/properties"
)

// Types are the types of channels of a semver template, the least stable first.
var Types = []string{"candidate", "fast", "stable"}

// The fields of a semver template beside its schema and its types of channels.
const (
	generateMajor = "generateMajorChannels"
	generateMinor = "generateMinorChannels"
	preference    = "defaultChannelTypePreference"
)

// Fields are the fields of a semver template.
var Fields = append([]string{"schema", generateMajor, generateMinor, preference}, Types...)

// semverTemplate is a semver template.
type semverTemplate struct {
	major, minor bool
	preferMajor  bool
	lists        [3]listed // by type
}

// listed are the bundles of a type.
type listed struct {
	at      *yaml.Node
	bundles []*member
}

// member is a bundle of a type, with what its blob states.
type member struct {
	at          *yaml.Node
	path, image string
	name, pkg   string
	version     semver.Version
	replaces    string
	skips       []string
}

// fields returns the members of an object that opm knows, whatever their case, nil if it is none.
func (r *reader) fields(of *yaml.Node, path, what string, known ...string) map[string]*yaml.Node {
	members, err := r.Members(of)
	if err != nil {
		r.fault(of, path, "%s: %s", what, err)
		return nil
	}
	fields := map[string]*yaml.Node{}
	for _, m := range members {
		at := slices.IndexFunc(known, func(name string) bool { return strings.EqualFold(name, m.Name) })
		path := strings.TrimPrefix(path+"."+m.Name, ".")
		switch {
		case at < 0:
			r.fault(m.Value, path, "opm knows no field %s of %s, and refuses it: correct or remove it", m.Name, what)
		case fields[known[at]] != nil:
			r.fault(m.Value, path, "%s has the field %s more than once: keep one", what, known[at])
		default:
			fields[known[at]] = m.Value
		}
	}
	return fields
}

// isNull reports whether a field is missing or null.
func isNull(n *yaml.Node) bool { return n == nil || n.ShortTag() == "!!null" }

// readSemver reads a template as opm does: strictly, but for the case of fields.
func (r *reader) readSemver() {
	t := &semverTemplate{}
	r.semver = t
	fields := r.fields(r.Root, "", "a semver template", Fields...)
	t.major, t.minor = r.bool(fields[generateMajor], generateMajor), r.bool(fields[generateMinor], generateMinor)
	t.minor = t.minor || !t.major
	t.preferMajor = !t.minor
	if n := fields[preference]; !isNull(n) {
		switch p := n.Value; {
		case p == "":
		case p == "major" && t.major, p == "minor" && t.minor:
			t.preferMajor = p == "major"
		case p == "major", p == "minor":
			r.fault(n, preference, "%s is %s, but the template generates no %[2]s channels, so that opm refuses it: remove it, or generate them", preference, p)
		default:
			r.fault(n, preference, "%s is %q, which opm refuses: want major or minor", preference, p)
		}
	}
	for i, name := range Types {
		if n := fields[name]; !isNull(n) {
			r.readType(&t.lists[i], name, n)
		}
	}
	if len(r.named) == 0 {
		r.fault(r.Root, "", "the template lists no bundle, so that opm renders nothing: list the images of bundles below candidate, fast or stable")
	}
}

func (r *reader) bool(n *yaml.Node, name string) bool {
	if isNull(n) {
		return false
	}
	text, err := r.JSON(n)
	if err != nil || string(text) != "true" && string(text) != "false" {
		r.fault(n, name, "%s must be true or false, without quotes", name)
	}
	return string(text) == "true"
}

// readType reads the bundles of a type.
func (r *reader) readType(list *listed, name string, of *yaml.Node) {
	list.at = of
	path := name + ".bundles"
	n := r.fields(of, name, name, "bundles")["bundles"]
	if !isNull(n) && n.Kind != yaml.SequenceNode {
		r.fault(n, path, "the bundles of %s must be a list", name)
	} else if n != nil {
		for i, e := range n.Content {
			path := fmt.Sprintf("%s[%d]", path, i)
			one := &member{at: e, path: path}
			fields := r.fields(e, path, "a bundle of "+name, "image")
			if image := fields["image"]; fields == nil {
				continue
			} else if isNull(image) || image.Kind != yaml.ScalarNode || image.Value == "" {
				r.fault(e, path, "a bundle of %s names no image: name it, or remove the bundle", name)
			} else {
				one.image = image.Value
				r.name(e, one.image)
				list.bundles = append(list.bundles, one)
			}
		}
	}
}

// channel is a channel that a semver template generates.
type channel struct {
	name    string
	of      int // the type
	entries []*member
}

// highest is the channel that becomes the default one.
type highest struct {
	of, kind int // kind: 0 none, 1 major, 2 minor
	version  semver.Version
	name     string
}

// above reports whether a channel is preferred to the highest one until then: that of a more
// stable type, else with the higher first version, else of the kind that is preferred.
func (h highest) above(other highest, preferMajor bool) bool {
	switch {
	case h.of != other.of:
		return h.of > other.of
	case h.version.NE(other.version):
		return h.version.GT(other.version)
	case h.kind != other.kind && preferMajor:
		return h.kind == 1 || other.kind != 1 && h.kind > other.kind
	}
	return h.kind > other.kind
}

// maxSkips bounds the names that all entries skip, in bytes: in a channel of a major version the
// last entry of each minor one skips all before it.
const maxSkips = 16 << 20

// renderSemver adds the blobs of a semver template.
func (r *reader) renderSemver(bundles Bundles) {
	t := r.semver
	pkg := ""
	var channels []*channel
	byName := map[string]*channel{}
	var top highest
	rendered := map[string]bool{}
	skips := 0
	for kindOf := range t.lists {
		list := r.usable(kindOf, &pkg, bundles)
		for _, m := range list {
			if !rendered[m.image] {
				rendered[m.image] = true
				r.blobs = append(r.blobs, blob{line: m.at.Line, column: m.at.Column, image: m.image})
			}
		}
		list = slices.DeleteFunc(list, func(m *member) bool { return m.name == "" })
		slices.SortStableFunc(list, func(a, b *member) int { return a.version.Compare(b.version) })
		if skips += link(list, maxSkips-skips); skips > maxSkips {
			r.fault(t.lists[kindOf].at, "", "the entries of %s skip too many others: they are read without their edges", Types[kindOf])
			r.faults[len(r.faults)-1].Code = code.Limit
		}
		for _, m := range list {
			for kind, name := range []string{1: fmt.Sprintf("%s-v%d", Types[kindOf], m.version.Major), 2: fmt.Sprintf("%s-v%d.%d", Types[kindOf], m.version.Major, m.version.Minor)} {
				if kind == 0 || kind == 1 && !t.major || kind == 2 && !t.minor {
					continue
				}
				if byName[name] == nil {
					byName[name] = &channel{name: name, of: kindOf}
					channels = append(channels, byName[name])
					if h := (highest{kindOf, kind, m.version, name}); h.above(top, t.preferMajor) {
						top = h
					}
				}
				byName[name].entries = append(byName[name].entries, m)
			}
		}
	}
	for i := range r.faults {
		r.faults[i].Package = pkg
	}
	if pkg == "" {
		return
	}
	r.add(r.Root, map[string]any{"schema": document.SchemaPackage, "name": pkg, "defaultChannel": top.name})
	for _, c := range channels {
		var entries []map[string]any
		for _, m := range c.entries {
			e := map[string]any{"name": m.name}
			if m.replaces != "" {
				e["replaces"] = m.replaces
			}
			if len(m.skips) > 0 {
				e["skips"] = m.skips
			}
			entries = append(entries, e)
		}
		r.add(t.lists[c.of].at, map[string]any{"schema": document.SchemaChannel, "package": pkg, "name": c.name, "entries": entries})
	}
}

func (r *reader) add(at *yaml.Node, v map[string]any) {
	text, _ := json.Marshal(v, json.Deterministic(true), jsontext.AllowInvalidUTF8(true)) // texts and lists of these
	r.blobs = append(r.blobs, blob{line: at.Line, column: at.Column, text: text})
}

// usable returns the bundles of a type without those that opm refuses. Those without a name have
// a version that cannot be read.
func (r *reader) usable(typ int, pkg *string, bundles Bundles) (list []*member) {
	images, names, versions := map[string]bool{}, map[string]bool{}, map[string]string{}
	for _, m := range r.semver.lists[typ].bundles {
		if images[m.image] {
			r.fault(m.at, m.path, "%s lists the image %s more than once: keep one", Types[typ], m.image)
			continue
		}
		images[m.image] = true
		m.read(bundles[m.image])
		if m.name == "" {
			list = append(list, m)
			continue
		}
		if *pkg == "" {
			*pkg = m.pkg
		}
		plain := m.version
		plain.Build = nil
		switch {
		case m.pkg != *pkg:
			r.fault(m.at, m.path, "the bundle of %s is of package %s, but a semver template has those of one package, which is %s here: remove it", m.image, m.pkg, *pkg)
			continue
		case names[m.name]:
			r.fault(m.at, m.path, "%s lists the bundle %s more than once, as %s, too: keep one of its images", Types[typ], m.name, m.image)
			continue
		case versions[plain.String()] != "":
			r.fault(m.at, m.path, "%s lists %s of the version %s, which cannot be ordered beside %s: keep one of them", Types[typ], m.name, m.version, versions[plain.String()])
			continue
		}
		names[m.name], versions[plain.String()] = true, m.name
		list = append(list, m)
	}
	return list
}

// read reads what the blob of a bundle states.
func (m *member) read(text []byte) {
	var b struct {
		Name       string `json:"name"`
		Properties []struct {
			Type  string         `json:"type"`
			Value jsontext.Value `json:"value"`
		} `json:"properties"`
	}
	_ = json.Unmarshal(text, &b, lenient...) // what cannot be read is found when the bundle is
	var stated struct {
		PackageName string `json:"packageName"`
		Version     string `json:"version"`
	}
	n := 0
	for _, p := range b.Properties {
		if p.Type == properties.TypePackage {
			n++
			_ = json.Unmarshal(p.Value, &stated, lenient...)
		}
	}
	if v, err := semver.Parse(stated.Version); err == nil && n == 1 && b.Name != "" {
		m.name, m.pkg, m.version = b.Name, stated.PackageName, v
	}
}

// link sets the edges of bundles in the order of their versions. In each major version the last
// one of a minor version replaces the last one of the minor version before, and skips all others
// below. It returns the length of all skips, and sets none beyond most.
func link(list []*member, most int) (length int) {
	first, before := 0, "" // of the major version; the last of the minor version before
	below := 0             // the length of the names below
	for i, m := range list {
		if i > 0 && m.version.Major != list[i-1].version.Major {
			first, before, below = i, "", 0
		}
		last := i+1 == len(list) || list[i+1].version.Major != m.version.Major || list[i+1].version.Minor != m.version.Minor
		if last {
			if length += below; length > most {
				return length
			}
			m.replaces = before
			for _, b := range list[first:i] {
				if b.name != before {
					m.skips = append(m.skips, b.name)
				}
			}
			before = m.name
		}
		below += len(m.name)
	}
	return length
}
