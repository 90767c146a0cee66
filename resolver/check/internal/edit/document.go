package edit

import (
	"bytes"
	"cmp"
	stdjson "encoding/json"
	"fmt"
	"io"
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
	"go.yaml.in/yaml/v4"
)

// Op is an operation of RFC 6902 on a document. The path "" is the whole document.
type Op struct {
	Op    string             `json:"op"` // add, remove, replace, move
	From  string             `json:"from,omitzero"`
	Path  string             `json:"path"`
	Value stdjson.RawMessage `json:"value,omitzero"`
}

// Document is one document of a file, JSON or YAML. It is immutable.
type Document struct {
	File       string
	Line       int // of the text
	Start, end int // of the text in the file
	IsJSON     bool
	Text       []byte // as it was read
	Root       *yaml.Node
	// Changed: root differs from text. A document without root was removed.
	Changed bool
	// after is text to put behind the document.
	After []byte
}

// split returns the documents of a text that wanted accepts. Documents that cannot be read
// are left out: the catalog has findings about them.
func split(file string, text []byte, wanted func(text []byte) bool) (list []*Document) {
	add := func(start, end int, isJSON bool) {
		part := text[start:end]
		if !wanted(part) || !utf8.Valid(part) {
			return
		}
		d := &Document{File: file, Line: bytes.Count(text[:start], []byte("\n")) + 1, Start: start, end: end, IsJSON: isJSON, Text: part}
		if isJSON {
			d.Root, _ = nodeOf(jsontext.NewDecoder(bytes.NewReader(part), lenient), nil) // a value that was read before
		} else {
			var n yaml.Node
			if yaml.Load(part, &n, yaml.WithSingleDocument()) != nil || size(&n, map[*yaml.Node]int{}) > maxValues {
				return
			}
			d.Root = &n
		}
		if Top(d.Root).Kind == yaml.MappingNode {
			list = append(list, d)
		}
	}
	for start := 0; start < len(text); {
		end := start + nextMarker(text[start:])
		body := start + markerLength(text[start:end])
		if trimmed := bytes.TrimSpace(text[body:end]); len(trimmed) > 0 && trimmed[0] == '{' {
			from := jsontext.NewDecoder(bytes.NewReader(text[body:end]), lenient)
			for {
				value, err := from.ReadValue()
				if err == io.EOF {
					break
				}
				if err != nil { // YAML may begin with a brace, too
					add(body+int(from.InputOffset()), end, false)
					break
				}
				at := body + int(from.InputOffset())
				add(at-len(value), at, true)
			}
		} else {
			add(body, end, false)
		}
		start = end
	}
	return list
}

// maxValues bounds the values of a document whose aliases are written out.
const maxValues = 1 << 20

// size returns how many values a value has once its aliases are written out, more than maxValues if
// they lead in a circle, or a key is no text.
func size(n *yaml.Node, known map[*yaml.Node]int) int {
	if count, is := known[n]; is {
		return count
	}
	known[n] = maxValues + 1 // until it is known, and whoever asks then is below it
	count := 1
	if n.Alias != nil {
		count += size(n.Alias, known)
	}
	for i, inner := range n.Content {
		if n.Kind == yaml.MappingNode && i%2 == 0 && inner.Kind != yaml.ScalarNode {
			count = maxValues + 1 // a key that JSON cannot have
		}
		count = min(count+size(inner, known), maxValues+1)
	}
	known[n] = min(count, maxValues+1)
	return known[n]
}

var lenient = jsontext.AllowDuplicateNames(true)

// nextMarker returns the offset of the next line that begins a document of YAML.
func nextMarker(text []byte) int {
	for at := 0; ; {
		next := bytes.Index(text[at:], []byte("\n---"))
		if next < 0 {
			return len(text)
		}
		if at += next + 1; markerLength(text[at:]) > 0 {
			return at
		}
	}
}

func markerLength(text []byte) int {
	if !bytes.HasPrefix(text, []byte("---")) || len(text) > 3 && !bytes.ContainsRune([]byte(" \t\r\n"), rune(text[3])) {
		return 0
	}
	return 3
}

// nodeOf reads a value of JSON. With its text, a node has the offsets of its start and end in place of
// a line and a column.
func nodeOf(from *jsontext.Decoder, text []byte) (*yaml.Node, error) {
	start := int(from.InputOffset())
	for start < len(text) && bytes.IndexByte([]byte(" \t\r\n,:"), text[start]) >= 0 {
		start++
	}
	token, err := from.ReadToken()
	if err != nil {
		return nil, err
	}
	n := &yaml.Node{Kind: yaml.ScalarNode, Value: token.String()}
	switch token.Kind() {
	case '"':
		n.Tag = "!!str"
	case '0':
		n.Tag = "!!float"
	case 'n':
		n.Tag = "!!null"
	case 't', 'f':
		n.Tag = "!!bool"
	case '{', '[':
		n.Kind, n.Tag, n.Value = yaml.MappingNode, "!!map", ""
		if token.Kind() == '[' {
			n.Kind, n.Tag = yaml.SequenceNode, "!!seq"
		}
		for from.PeekKind() != '}' && from.PeekKind() != ']' {
			inner, err := nodeOf(from, text)
			if err != nil {
				return nil, err
			}
			n.Content = append(n.Content, inner)
		}
		_, err = from.ReadToken()
	}
	if text != nil {
		n.Line, n.Column = start, int(from.InputOffset())
	}
	return n, err
}

// asJSON appends a value as JSON.
func asJSON(out []byte, n *yaml.Node) []byte {
	switch n = Top(n); {
	case n.Kind == yaml.MappingNode:
		out = append(out, '{')
		for i := 0; i+1 < len(n.Content); i += 2 {
			if i > 0 {
				out = append(out, ',')
			}
			out, _ = jsontext.AppendQuote(out, n.Content[i].Value)
			out = asJSON(append(out, ':'), n.Content[i+1])
		}
		return append(out, '}')
	case n.Kind == yaml.SequenceNode:
		out = append(out, '[')
		for i, element := range n.Content {
			if i > 0 {
				out = append(out, ',')
			}
			out = asJSON(out, element)
		}
		return append(out, ']')
	case n.ShortTag() == "!!null":
		return append(out, "null"...)
	case n.ShortTag() != "!!str" && jsontext.Value(n.Value).IsValid():
		return append(out, n.Value...)
	}
	out, _ = jsontext.AppendQuote(out, n.Value)
	return out
}

// cloned returns a copy of a value. Dumping takes tags away, also from what other states share:
// a number would be a text for them.
func cloned(n *yaml.Node) *yaml.Node {
	copies := map[*yaml.Node]*yaml.Node{}
	var copied func(n *yaml.Node) *yaml.Node
	copied = func(n *yaml.Node) *yaml.Node {
		if n == nil || copies[n] != nil {
			return copies[n]
		}
		next := new(*n)
		copies[n] = next
		next.Content = slices.Clone(n.Content)
		for i, inner := range next.Content {
			next.Content[i] = copied(inner)
		}
		next.Alias = copied(n.Alias)
		return next
	}
	return copied(n)
}

// Top follows documents and aliases.
func Top(n *yaml.Node) *yaml.Node {
	for n != nil {
		switch {
		case n.Kind == yaml.DocumentNode && len(n.Content) > 0:
			n = n.Content[0]
		case n.Kind == yaml.AliasNode:
			n = n.Alias
		default:
			return n
		}
	}
	return &yaml.Node{}
}

// Member returns a member of an object, nil without it.
func Member(n *yaml.Node, name string) *yaml.Node {
	if n = Top(n); n.Kind == yaml.MappingNode {
		if i := keyOf(n, name); i >= 0 {
			return Top(n.Content[i+1])
		}
	}
	return nil
}

// keyOf returns the index of the key of a member, -1 without it. A field in another case is that
// member, as operator-registry reads it; an annotation, whose name has a dot, is not.
func keyOf(n *yaml.Node, name string) int {
	folded := -1
	for i := 0; i+1 < len(n.Content); i += 2 {
		switch key := n.Content[i].Value; {
		case key == name:
			return i
		case folded < 0 && !strings.Contains(name, ".") && strings.EqualFold(key, name):
			folded = i
		}
	}
	return folded
}

// written returns a pointer with the keys as they stand in a document.
func written(root *yaml.Node, path string) string {
	n, as := Top(root), ""
	for _, token := range tokens(path) {
		if n != nil && n.Kind == yaml.MappingNode {
			if i := keyOf(n, token); i >= 0 {
				token = n.Content[i].Value
			}
		}
		if as = Pointer(as, token); n != nil {
			n = At(n, Pointer("", token))
		}
	}
	return as
}

// Text returns a scalar that is a member of an object.
func Text(n *yaml.Node, name string) string {
	if m := Member(n, name); m != nil && m.Kind == yaml.ScalarNode && m.ShortTag() != "!!null" {
		return m.Value
	}
	return ""
}

// Elements returns the elements of a list that is a member of an object.
func Elements(n *yaml.Node, name string) []*yaml.Node {
	if m := Member(n, name); m != nil && m.Kind == yaml.SequenceNode {
		return m.Content
	}
	return nil
}

// tokens splits a pointer of RFC 6901.
func tokens(pointer string) []string {
	return slices.Collect(jsontext.Pointer(pointer).Tokens())
}

// Cut returns the pointer of what holds something, and its token there.
func Cut(pointer string) (parent, token string) {
	return string(jsontext.Pointer(pointer).Parent()), jsontext.Pointer(pointer).LastToken()
}

// Pointer joins tokens, which may be numbers, to the pointer of something in base.
func Pointer(base string, parts ...any) string {
	for _, part := range parts {
		base = string(jsontext.Pointer(base).AppendToken(fmt.Sprint(part)))
	}
	return base
}

// At returns what a pointer leads to, nil if there is nothing.
func At(n *yaml.Node, pointer string) *yaml.Node {
	n = Top(n)
	for _, token := range tokens(pointer) {
		if n.Kind == yaml.SequenceNode {
			i, err := strconv.Atoi(token)
			if err != nil || i < 0 || i >= len(n.Content) {
				return nil
			}
			n = Top(n.Content[i])
		} else if n = Member(n, token); n == nil {
			return nil
		}
	}
	return n
}

// patched returns a copy of a value with an operation applied. It shares what stays as it is.
func patched(n *yaml.Node, path []string, op Op) (*yaml.Node, error) {
	if n.Kind == yaml.DocumentNode || n.Kind == yaml.AliasNode {
		inner, err := patched(Top(n), path, op)
		if err != nil || n.Kind == yaml.AliasNode {
			return inner, err
		}
		n = new(*n)
		n.Content = []*yaml.Node{inner}
		return n, nil
	}
	n = new(*n)
	n.Content = slices.Clone(n.Content)
	i, step := -1, 1
	switch n.Kind {
	case yaml.MappingNode:
		step = 2
		for j := 0; j+1 < len(n.Content); j += 2 {
			if n.Content[j].Value == path[0] {
				i = j + 1
			}
		}
	case yaml.SequenceNode:
		if index, err := strconv.Atoi(path[0]); err == nil && index < len(n.Content) {
			i = index
		}
	}
	switch {
	case len(path) > 1 && i >= 0:
		inner, err := patched(n.Content[i], path[1:], op)
		if err == nil {
			n.Content[i] = inner
		}
		return n, err
	case op.Op == "remove" && i >= 0 && len(path) == 1:
		n.Content = slices.Delete(n.Content, i-step+1, i+1)
		return n, nil
	case op.Op == "rename" && i >= 0:
		key := new(*n.Content[i-1])
		key.Value = op.Path
		n.Content[i-1] = key
		return n, nil
	case len(path) > 1 || op.Op != "add" && i < 0:
		return nil, fmt.Errorf("there is no %s", op.Path)
	}
	value, err := nodeOf(jsontext.NewDecoder(bytes.NewReader(op.Value)), nil)
	EachScalar(value, "", func(_ string, n *yaml.Node) {
		if _, failed := strconv.ParseFloat(n.Value, 64); n.Tag == "!!float" {
			err = cmp.Or(err, failed) // YAML reads a text there
		}
	})
	switch {
	case err != nil:
		return nil, err
	case i >= 0 && (step == 2 || op.Op == "replace"):
		value.LineComment = n.Content[i].LineComment
		if old := n.Content[i]; old.Kind == yaml.ScalarNode && value.ShortTag() == "!!str" && old.ShortTag() == "!!str" {
			value.Style = old.Style
		}
		n.Content[i] = value
	case step == 2:
		n.Content = append(n.Content, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: path[0]}, value)
	case i >= 0:
		n.Content = slices.Insert(n.Content, i, value)
	default:
		n.Content = append(n.Content, value)
	}
	return n, nil
}

// apply returns the document with an operation applied.
func (d *Document) apply(op Op) (*Document, error) {
	next := new(*d)
	next.Changed = true
	if op.Path == "" { // the whole document goes
		next.Root = nil
		return next, nil
	}
	var err error
	root := d.Root
	if op.Op == "move" {
		moved := At(root, op.From)
		if moved == nil {
			return nil, fmt.Errorf("there is no %s", op.From)
		}
		parent, name := Cut(op.From)
		if to, as := Cut(op.Path); to == parent && At(root, parent).Kind == yaml.MappingNode && At(root, op.Path) == nil { // it keeps its place
			next.Root, err = patched(root, tokens(op.From), Op{Op: "rename", From: name, Path: as})
			return next, err
		}
		op = Op{Op: "add", From: op.From, Path: op.Path, Value: asJSON(nil, moved)}
		if root, err = patched(root, tokens(op.From), Op{Op: "remove", Path: op.From}); err != nil {
			return nil, err
		}
	}
	next.Root, err = patched(root, tokens(op.Path), op)
	return next, err
}

// Bytes returns the text of the document, laid out as it was.
func (d *Document) Bytes() []byte {
	switch {
	case !d.Changed:
		return d.Text
	case d.Root == nil:
		return nil
	case d.IsJSON:
		return d.likeJSON()
	}
	return d.likeYAML()
}

func (d *Document) likeJSON() []byte { return laidOut(asJSON(nil, d.Root), d.Text, "") }

// likeYAML writes the document with the indents with which it keeps most of its lines.
func (d *Document) likeYAML() []byte {
	known := map[string]bool{}
	for line := range strings.Lines(string(d.Text)) {
		known[strings.TrimRight(line, "\r\n")] = true
	}
	var best []byte
	most := -1
	for _, layout := range []struct {
		indent  int
		compact bool
	}{{2, true}, {2, false}, {4, false}, {4, true}} {
		written, err := yaml.Dump(cloned(d.Root), yaml.WithIndent(layout.indent), yaml.WithCompactSeqIndent(layout.compact), yaml.WithLineWidth(-1))
		kept := 0
		for line := range strings.Lines(string(written)) {
			if known[strings.TrimRight(line, "\n")] {
				kept++
			}
		}
		if err == nil && kept > most {
			best, most = written, kept
		}
	}
	if root := parsed(best, false); root == nil || !same(root, d.Root) { // an alias has lost its anchor
		if plain, err := nodeOf(jsontext.NewDecoder(bytes.NewReader(asJSON(nil, d.Root))), nil); err == nil {
			best = []byte(yamlLayout{2, true}.dump(plain))
		}
	}
	if len(d.Text) > 0 && bytes.IndexByte([]byte(" \t\r\n"), d.Text[0]) >= 0 { // behind its marker
		best = append([]byte("\n"), best...)
	}
	if bytes.Contains(d.Text, []byte("\r\n")) {
		best = bytes.ReplaceAll(best, []byte("\n"), []byte("\r\n"))
	}
	return best
}

// describe returns an operation as a sentence.
func describe(d *Document, op Op) string {
	what := strings.Join([]string{Text(d.Root, "schema"), Text(d.Root, "name")}, " ")
	if kind := Text(d.Root, "kind"); kind != "" {
		what = kind + " " + Text(Member(d.Root, "metadata"), "name")
	}
	if op.Path == "" {
		return "remove the whole document, " + strings.TrimSpace(what)
	}
	where := ""
	n := Top(d.Root)
	path := op.Path
	if parent, _ := Cut(path); op.Op == "add" && At(n, parent) != nil && At(n, parent).Kind == yaml.SequenceNode {
		path = Pointer(parent, "-") // wherever it stands in the list
	}
	for _, token := range tokens(path) {
		next := At(n, Pointer("", token))
		switch {
		case n.Kind != yaml.SequenceNode:
			where += "." + token
		case next != nil && Text(next, "name") != "":
			where += "[" + Text(next, "name") + "]"
		case token != "-":
			where += "[" + token + "]"
		}
		if n = next; n == nil {
			n = Top(nil)
		}
	}
	where = strings.TrimPrefix(where, ".")
	old := ""
	if n = At(d.Root, path); n != nil && (n.Kind == yaml.ScalarNode || n.Kind == yaml.SequenceNode && op.Op == "remove") {
		if old = string(asJSON(nil, n)); len(old) > 200 && n.Kind == yaml.SequenceNode {
			old = fmt.Sprintf("a list of %d", len(n.Content))
		}
	}
	value := string(op.Value)
	switch {
	case op.Op == "move":
		return fmt.Sprintf("rename %s to %s", tokens(op.From)[len(tokens(op.From))-1], where)
	case op.Op == "remove" && old == "":
		return "remove " + where
	case op.Op == "remove":
		return fmt.Sprintf("remove %s, which is %s", where, old)
	case old != "":
		return fmt.Sprintf("set %s to %s; it is %s", where, value, old)
	case strings.HasSuffix(path, "/-"):
		return fmt.Sprintf("add %s to %s", value, where)
	}
	return fmt.Sprintf("set %s to %s", where, value)
}

// PointerOf returns the pointer of a path with dots and brackets.
func PointerOf(path string) (node string) {
	for _, part := range strings.FieldsFunc(path, func(r rune) bool { return r == '.' || r == '[' || r == ']' }) {
		node = Pointer(node, part)
	}
	return node
}

// EachScalar visits the scalars in a value, each with its pointer.
func EachScalar(n *yaml.Node, path string, visit func(path string, n *yaml.Node)) {
	if n = Top(n); n.Kind == yaml.ScalarNode {
		visit(path, n)
	}
	for i, inner := range n.Content {
		if n.Kind == yaml.SequenceNode {
			EachScalar(inner, Pointer(path, i), visit)
		} else if i%2 == 1 {
			EachScalar(inner, Pointer(path, n.Content[i-1].Value), visit)
		}
	}
}

// BlobLike writes a blob as another document is written.
func BlobLike(text []byte, d *Document) []byte {
	n := like(parsed(text, true), d.Root)
	if d.IsJSON {
		return laidOut(asJSON(nil, n), d.Text, "")
	}
	layout := layoutOf(Top(parsed(d.Text, false)), strings.SplitAfter(string(d.Text), "\n"))
	out := []byte(layout.dump(n))
	if bytes.Contains(d.Text, []byte("\r\n")) {
		out = bytes.ReplaceAll(out, []byte("\n"), []byte("\r\n"))
	}
	return out
}

// behind returns the text of a document as it stands behind another one.
func behind(d *Document, written []byte) []byte {
	if d.IsJSON {
		return append([]byte("\n"), written...)
	}
	ending := "\n"
	if bytes.Contains(d.Text, []byte("\r\n")) {
		ending = "\r\n"
	}
	marker := "---" + ending
	if text := cmp.Or(string(d.After), string(d.Text)); !strings.HasSuffix(text, "\n") {
		marker = ending + marker
	}
	return append([]byte(marker), written...)
}

// FileLike returns the name of the file of a blob where those of others have files of their own.
func FileLike(file string, other Blob, name, version string) string {
	dir, base := path.Split(file)
	ext := path.Ext(base)
	stem := strings.TrimSuffix(base, ext)
	wanted := ""
	for _, p := range Elements(other.Node, "properties") {
		if Text(p, "type") == "olm.package" {
			wanted = Text(Member(p, "value"), "version")
		}
	}
	switch {
	case strings.Contains(stem, other.Name):
		stem = strings.Replace(stem, other.Name, name, 1)
	case wanted != "" && version != "" && strings.Contains(stem, wanted):
		stem = strings.Replace(stem, wanted, version, 1)
	default:
		stem = name
	}
	return dir + path.Base(path.Clean("/"+stem)) + ext
}
