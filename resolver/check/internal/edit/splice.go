package edit

import (
	"bytes"
	stdjson "encoding/json"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"go.yaml.in/yaml/v4"
)

// spliced returns the text of a document. Where its own style allows, all that the operations do
// not concern stays as it was, byte by byte; else the whole document is laid out anew.
func (s *Draft) spliced(doc int) []byte {
	d := s.Docs[doc]
	if !d.Changed || d.Root == nil {
		return d.Bytes()
	}
	text := d.Text
	for _, op := range s.Ops {
		if op.Doc == doc && text != nil {
			text = splice(text, d.IsJSON, op.Op)
		}
	}
	if root := parsed(text, d.IsJSON); root == nil || !same(root, d.Root) {
		return d.Bytes()
	}
	return text
}

func parsed(text []byte, isJSON bool) *yaml.Node {
	if isJSON {
		n, err := nodeOf(jsontext.NewDecoder(bytes.NewReader(text), lenient), text)
		if err != nil {
			return nil
		}
		return n
	}
	var n yaml.Node
	if len(text) == 0 || yaml.Load(text, &n, yaml.WithSingleDocument()) != nil {
		return nil
	}
	return &n
}

// same reports whether two values are equal but for the order of their keys.
func same(a, b *yaml.Node) bool {
	var values [2]any
	for i, n := range []*yaml.Node{a, b} {
		from := stdjson.NewDecoder(bytes.NewReader(asJSON(nil, n)))
		from.UseNumber()
		if from.Decode(&values[i]) != nil {
			return false
		}
	}
	return reflect.DeepEqual(values[0], values[1])
}

// splice returns the text of a document after an operation, nil if that needs more than to put in,
// exchange or take out a piece. The caller compares what it means.
func splice(text []byte, isJSON bool, op Op) []byte {
	root := parsed(text, isJSON)
	if len(tokens(op.Path)) == 0 || op.Op == "move" || root == nil {
		return nil
	}
	var out writer = &jsonText{text}
	if !isJSON {
		y := &yamlText{lines: strings.SplitAfter(string(text), "\n"), root: Top(root)}
		if last := len(y.lines) - 1; y.lines[last] == "" {
			y.lines = y.lines[:last]
		}
		if last(y.root) > len(y.lines) { // the parser counts some lines twice
			return nil
		}
		out = y
	}
	c := cursorAt(root, op.Path)
	if c.in == nil || len(c.in.Content) == 0 || c.in.Style&yaml.FlowStyle != 0 {
		return nil
	}
	done := false
	if op.Op == "remove" {
		done = c.i >= 0 && out.remove(c)
	} else if value := parsed(op.Value, true); value != nil {
		if c.i >= 0 && (c.step == 2 || op.Op == "replace") {
			done = c.value(c.i).Kind == yaml.ScalarNode && out.exchange(c.value(c.i), value)
		} else {
			done = out.insert(c, c.place(), value)
		}
	}
	if !done {
		return nil
	}
	return out.bytes()
}

// cursor is a place in a document.
type cursor struct {
	in      *yaml.Node // an object or a list, nil if there is none
	token   string
	i, step int // of the member, -1 without it; nodes a member
}

func cursorAt(root *yaml.Node, path string) cursor {
	parent, token := Cut(path)
	c := cursor{in: At(root, parent), token: token, i: -1, step: 1}
	if c.in != nil && c.in.Kind == yaml.MappingNode {
		c.step = 2
		if key := keyOf(c.in, token); key >= 0 {
			c.i = key / 2
		}
	} else if i, err := strconv.Atoi(token); c.in != nil && err == nil && i < c.count() {
		c.i = i
	}
	return c
}

func (c cursor) count() int { return len(c.in.Content) / c.step }

// key returns the key of a member of an object, or an element of a list, and value its value.
func (c cursor) key(i int) *yaml.Node   { return c.in.Content[i*c.step] }
func (c cursor) value(i int) *yaml.Node { return Top(c.in.Content[i*c.step+c.step-1]) }

// place returns the index of a new member: in an object the way to the next version stands after the
// name, all others at the end.
func (c cursor) place() int {
	if name := keyOf(c.in, "name"); c.step == 2 && name >= 0 && c.token == "replaces" {
		return name/2 + 1
	}
	if c.i >= 0 {
		return c.i
	}
	return c.count()
}

// writer edits the text of a document.
type writer interface {
	remove(c cursor) bool
	exchange(old, value *yaml.Node) bool
	insert(c cursor, i int, value *yaml.Node) bool
	bytes() []byte
}

// yamlText is a document of YAML as lines.
type yamlText struct {
	lines []string
	root  *yaml.Node
}

func (y *yamlText) bytes() []byte { return []byte(strings.Join(y.lines, "")) }

// before returns what stands before a node in its line.
func (y *yamlText) before(n *yaml.Node) string {
	line := []rune(y.lines[n.Line-1])
	return string(line[:min(len(line), n.Column-1)])
}

// last returns the last line of a value, from 1.
func last(n *yaml.Node) int {
	line := n.Line
	for _, inner := range n.Content {
		line = max(line, last(inner))
	}
	return line
}

// comments returns the first line of the comments right above a line.
func (y *yamlText) comments(line int) int {
	for line > 1 && strings.HasPrefix(strings.TrimSpace(y.lines[line-2]), "#") {
		line--
	}
	return line
}

func (y *yamlText) remove(c cursor) bool {
	from := c.key(c.i).Line
	if c.step == 1 {
		from = y.comments(from)
	}
	if c.step == 1 && c.count() == 1 || c.step == 2 && strings.TrimSpace(y.before(c.key(c.i))) != "" {
		return false
	}
	y.lines = slices.Delete(y.lines, from-1, last(c.value(c.i)))
	return true
}

// put inserts a text, whose lines get an indent, before a line.
func (y *yamlText) put(line int, indent, text string) {
	ending := "\n"
	if strings.HasSuffix(y.lines[0], "\r\n") {
		ending = "\r\n"
	}
	if line > 1 && !strings.HasSuffix(y.lines[line-2], "\n") {
		y.lines[line-2] += ending
	}
	var lines []string
	for part := range strings.Lines(text) {
		if part = strings.TrimSuffix(part, "\n"); part != "" {
			part = indent + part
		}
		lines = append(lines, part+ending)
	}
	y.lines = slices.Insert(y.lines, line-1, lines...)
}

var dash = regexp.MustCompile(`^([ \t]*)- +$`)

// insert puts a member into an object, or an element into a list.
func (y *yamlText) insert(c cursor, i int, value *yaml.Node) bool {
	beside := c.in.Content[max(i*c.step-1, 0)]
	line, indent := last(beside)+1, strings.Repeat(" ", c.in.Content[0].Column-1)
	member := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map", Content: []*yaml.Node{{Kind: yaml.ScalarNode, Tag: "!!str", Value: c.token}, value}}
	if c.step == 1 {
		marked := dash.FindStringSubmatch(y.before(beside))
		if marked == nil {
			return false
		}
		indent, member = marked[1], &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq", Content: []*yaml.Node{like(value, beside)}}
		if i == 0 {
			line = y.comments(beside.Line)
		}
	}
	text := y.layout().dump(member)
	y.put(line, indent, text)
	return text != ""
}

// exchange puts a scalar in the place of another one.
func (y *yamlText) exchange(old, value *yaml.Node) bool {
	if value.Kind != yaml.ScalarNode {
		return false
	}
	text := strings.TrimSuffix(y.layout().dump(like(value, old)), "\n")
	before := y.before(old)
	rest := y.lines[old.Line-1][len(before):]
	for _, raw := range []string{strconv.Quote(old.Value), "'" + old.Value + "'", old.Value} {
		if after, found := strings.CutPrefix(rest, raw); found && !strings.Contains(text, "\n") {
			y.lines[old.Line-1] = before + text + after
			return true
		}
	}
	return false
}

// yamlLayout is how a document indents.
type yamlLayout struct {
	indent  int
	compact bool // lists stand below their keys without an indent
}

func (y *yamlText) layout() yamlLayout { return layoutOf(y.root, y.lines) }

// layoutOf returns the layout that the first list and the first object of an object show.
func layoutOf(root *yaml.Node, lines []string) yamlLayout {
	l := yamlLayout{2, true}
	var listed, nested bool
	var visit func(n *yaml.Node)
	visit = func(n *yaml.Node) {
		for i := 0; n.Kind == yaml.MappingNode && i+1 < len(n.Content); i += 2 {
			key, value := n.Content[i], n.Content[i+1]
			if value.Style&yaml.FlowStyle != 0 || len(value.Content) == 0 || value.Line <= key.Line || value.Content[0].Line > len(lines) {
				continue
			}
			first := value.Content[0]
			if value.Kind == yaml.SequenceNode && !listed {
				listed = true
				l.compact = strings.IndexByte(lines[first.Line-1], '-') < key.Column
			} else if value.Kind == yaml.MappingNode && !nested && first.Column > key.Column {
				nested = true
				l.indent = first.Column - key.Column
			}
		}
		for _, inner := range n.Content {
			if !listed || !nested {
				visit(inner)
			}
		}
	}
	visit(root)
	return l
}

// dump returns a value as YAML, "" if it cannot be written.
func (l yamlLayout) dump(n *yaml.Node) string {
	text, err := yaml.Dump(cloned(n), yaml.WithIndent(min(max(l.indent, 2), 9)), yaml.WithCompactSeqIndent(l.compact), yaml.WithLineWidth(-1))
	if err != nil {
		return ""
	}
	return string(text)
}

// like returns a value with its keys in the order of those of another one, and quoted alike.
func like(n, other *yaml.Node) *yaml.Node {
	n, other = new(*n), Top(other)
	if n.Tag == "!!float" && !strings.ContainsAny(n.Value, ".eE") {
		n.Tag = "!!int"
	}
	if n.Kind != other.Kind {
		other = &yaml.Node{}
	}
	n.Content = slices.Clone(n.Content)
	n.Style = other.Style & (yaml.FlowStyle | yaml.SingleQuotedStyle | yaml.DoubleQuotedStyle)
	if n.Kind == yaml.ScalarNode && (n.Tag != "!!str" || strings.Contains(n.Value, "\n")) {
		n.Style = 0
	}
	switch n.Kind {
	case yaml.MappingNode:
		place := func(key string) int {
			if i := slices.IndexFunc(order, func(name string) bool { return name == key }); len(other.Content) == 0 && i >= 0 {
				return i
			}
			if i := keyOf(other, key); i >= 0 {
				return i
			}
			return len(other.Content) + len(order)
		}
		type pair struct{ key, value *yaml.Node }
		var pairs []pair
		for i := 0; i+1 < len(n.Content); i += 2 {
			beside := &yaml.Node{}
			if j := keyOf(other, n.Content[i].Value); j >= 0 {
				beside = other.Content[j+1]
			}
			key := new(*n.Content[i])
			if len(other.Content) > 0 {
				key.Style = other.Content[0].Style & (yaml.SingleQuotedStyle | yaml.DoubleQuotedStyle)
			}
			pairs = append(pairs, pair{key, like(n.Content[i+1], beside)})
		}
		slices.SortStableFunc(pairs, func(a, b pair) int { return place(a.key.Value) - place(b.key.Value) })
		n.Content = n.Content[:0]
		for _, p := range pairs {
			n.Content = append(n.Content, p.key, p.value)
		}
	case yaml.SequenceNode:
		for i, element := range n.Content {
			beside := &yaml.Node{}
			for j, one := range other.Content {
				if j == 0 || Text(element, "type") != "" && Text(one, "type") == Text(element, "type") {
					beside = one
				}
			}
			n.Content[i] = like(element, beside)
		}
	}
	return n
}

// order is that of the fields of blobs that stand beside no other.
var order = []string{"schema", "name", "package", "image", "type", "value", "replaces", "skips", "skipRange", "entries", "properties", "relatedImages"}

// jsonText is a document of JSON. Its nodes have the offsets of their starts and ends as lines and columns.
type jsonText struct{ text []byte }

func (j *jsonText) bytes() []byte { return j.text }

func (j *jsonText) put(from, to int, parts ...[]byte) bool {
	j.text = slices.Concat(j.text[:from], slices.Concat(parts...), j.text[to:])
	return true
}

func (j *jsonText) remove(c cursor) bool {
	switch {
	case c.count() == 1:
		return false
	case c.i < c.count()-1:
		return j.put(c.key(c.i).Line, c.key(c.i+1).Line)
	}
	return j.put(c.value(c.i-1).Column, c.value(c.i).Column)
}

func (j *jsonText) exchange(old, value *yaml.Node) bool {
	return j.put(old.Line, old.Column, asJSON(nil, value))
}

func (j *jsonText) insert(c cursor, i int, value *yaml.Node) bool {
	beside, styled := max(i-1, 0), c.in
	if c.step == 1 {
		styled = c.value(beside)
		value = like(value, styled)
	}
	style := j.text[styled.Line:styled.Column]
	text := laidOut(asJSON(nil, value), style, indentAt(j.text, c.key(beside).Line))
	if c.step == 2 {
		key, _ := jsontext.AppendQuote(nil, c.token)
		colon := ":"
		if bytes.Contains(style, []byte(`": `)) {
			colon = ": "
		}
		text = slices.Concat(key, []byte(colon), text)
	}
	between := slices.Concat([]byte(","), j.text[c.in.Line+1:c.key(0).Line])
	if n := c.count(); i > 0 && i < n {
		between = j.text[c.value(i-1).Column:c.key(i).Line]
	} else if n > 1 {
		between = j.text[c.value(n-2).Column:c.key(n-1).Line]
	}
	if i == 0 {
		return j.put(c.key(0).Line, c.key(0).Line, text, between)
	}
	return j.put(c.value(i-1).Column, c.value(i-1).Column, between, text)
}

// indentAt returns the indent of the line that has an offset.
func indentAt(text []byte, offset int) string {
	line := text[bytes.LastIndexByte(text[:offset], '\n')+1:]
	return string(line[:len(line)-len(bytes.TrimLeft(line, " \t"))])
}

// laidOut lays out a value of JSON as another one is.
func laidOut(value, as []byte, prefix string) []byte {
	options := []jsontext.Options{lenient}
	if _, rest, found := bytes.Cut(as, []byte("\n")); found {
		unit := strings.TrimPrefix(indentAt(rest, 0), prefix)
		options = append(options, jsontext.WithIndentPrefix(prefix), jsontext.WithIndent(unit))
	} else {
		options = append(options, jsontext.SpaceAfterColon(bytes.Contains(as, []byte(`": `))), jsontext.SpaceAfterComma(bytes.Contains(as, []byte(`, "`))))
	}
	if text, err := jsontext.AppendFormat(nil, value, options...); err == nil {
		return text
	}
	return value
}
