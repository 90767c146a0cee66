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
		n, err := nodeOf(jsontext.NewDecoder(bytes.NewReader(text), lenient))
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
	if len(tokens(op.Path)) == 0 || op.Op == "move" {
		return nil
	}
	if isJSON {
		return spliceJSON(text, op)
	}
	root := parsed(text, false)
	if root == nil {
		return nil
	}
	y := &yamlText{lines: strings.SplitAfter(string(text), "\n"), root: Top(root)}
	if last := len(y.lines) - 1; y.lines[last] == "" {
		y.lines = y.lines[:last]
	}
	if last(y.root) > len(y.lines) || !y.apply(op) { // the parser counts some lines twice
		return nil
	}
	return []byte(strings.Join(y.lines, ""))
}

// yamlText is a document of YAML as lines.
type yamlText struct {
	lines []string
	root  *yaml.Node
}

func (y *yamlText) apply(op Op) bool {
	parent, token := Cut(op.Path)
	n := At(y.root, parent)
	if n == nil || n.Style&yaml.FlowStyle != 0 || len(n.Content) == 0 {
		return false
	}
	var value *yaml.Node
	if op.Op != "remove" {
		var err error
		if value, err = nodeOf(jsontext.NewDecoder(bytes.NewReader(op.Value))); err != nil {
			return false
		}
	}
	old := At(y.root, op.Path)
	switch {
	case op.Op == "remove" && old == nil:
		return false
	case op.Op == "remove" && n.Kind == yaml.SequenceNode && len(n.Content) > 1:
		return y.remove(old, y.comments(old.Line))
	case op.Op == "remove" && n.Kind == yaml.MappingNode:
		key := n.Content[keyOf(n, token)]
		return strings.TrimSpace(y.before(key)) == "" && y.remove(old, key.Line)
	case op.Op == "remove":
		return false
	case n.Kind == yaml.SequenceNode && op.Op == "add":
		i, err := strconv.Atoi(token)
		if err != nil || i > len(n.Content) {
			i = len(n.Content)
		}
		return y.insert(n, i, value)
	case old != nil:
		return y.exchange(old, value)
	case n.Kind == yaml.MappingNode:
		return y.addMember(n, token, value)
	}
	return false
}

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

func (y *yamlText) remove(n *yaml.Node, from int) bool {
	y.lines = slices.Delete(y.lines, from-1, last(n))
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

// insert puts a value into a list.
func (y *yamlText) insert(list *yaml.Node, i int, value *yaml.Node) bool {
	beside := list.Content[max(i-1, 0)]
	indent := dash.FindStringSubmatch(y.before(beside))
	if indent == nil {
		return false
	}
	text := y.layout().dump(&yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq", Content: []*yaml.Node{like(value, beside)}})
	line := last(beside) + 1
	if i == 0 {
		line = y.comments(beside.Line)
	}
	y.put(line, indent[1], text)
	return text != ""
}

// addMember puts a member into an object: the way to the next version after the name, all others
// at the end.
func (y *yamlText) addMember(n *yaml.Node, key string, value *yaml.Node) bool {
	after := len(n.Content) - 1
	if i := keyOf(n, "name"); i >= 0 && key == "replaces" {
		after = i + 1
	}
	text := y.layout().dump(&yaml.Node{Kind: yaml.MappingNode, Tag: "!!map", Content: []*yaml.Node{{Kind: yaml.ScalarNode, Tag: "!!str", Value: key}, value}})
	y.put(last(n.Content[after])+1, strings.Repeat(" ", n.Content[0].Column-1), text)
	return text != ""
}

// exchange puts a scalar in the place of another one.
func (y *yamlText) exchange(old, value *yaml.Node) bool {
	if old.Kind != yaml.ScalarNode || value.Kind != yaml.ScalarNode {
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

// member of JSON: from key on in an object, from start on in a list.
type jsonSpan struct {
	name            string
	key, start, end int
}

// children returns the members or elements of an object or a list.
func children(text []byte, of jsonSpan) (list []jsonSpan, isObject bool) {
	from := jsontext.NewDecoder(bytes.NewReader(text[of.start:of.end]), lenient)
	open, err := from.ReadToken()
	if err != nil || open.Kind() != '{' && open.Kind() != '[' {
		return nil, false
	}
	isObject = open.Kind() == '{'
	for from.PeekKind() != '}' && from.PeekKind() != ']' {
		var one jsonSpan
		if isObject {
			at := of.start + int(from.InputOffset())
			name, err := from.ReadToken()
			if err != nil {
				return nil, false
			}
			one.name, one.key = name.String(), at+bytes.IndexByte(text[at:], '"')
		}
		value, err := from.ReadValue()
		if err != nil {
			return nil, false
		}
		one.end = of.start + int(from.InputOffset())
		one.start = one.end - len(value)
		if !isObject {
			one.key = one.start
		}
		list = append(list, one)
	}
	return list, isObject
}

func spliceJSON(text []byte, op Op) []byte {
	parent, token := Cut(op.Path)
	within := jsonSpan{start: 0, end: len(text)}
	find := func(list []jsonSpan, isObject bool, token string) int {
		if isObject {
			return slices.IndexFunc(list, func(one jsonSpan) bool { return one.name == token })
		}
		if i, err := strconv.Atoi(token); err == nil && i < len(list) {
			return i
		}
		return -1
	}
	for _, token := range tokens(parent) {
		list, isObject := children(text, within)
		i := find(list, isObject, token)
		if i < 0 {
			return nil
		}
		within = list[i]
	}
	list, isObject := children(text, within)
	if len(list) == 0 {
		return nil
	}
	put := func(from, to int, parts ...[]byte) []byte {
		return slices.Concat(text[:from], slices.Concat(parts...), text[to:])
	}
	i := find(list, isObject, token)
	switch {
	case op.Op == "remove" && i < 0 || op.Op == "remove" && len(list) == 1:
		return nil
	case op.Op == "remove" && i < len(list)-1:
		return put(list[i].key, list[i+1].key)
	case op.Op == "remove":
		return put(list[i-1].end, list[i].end)
	case i >= 0 && (isObject || op.Op == "replace"):
		if c := text[list[i].start]; c == '{' || c == '[' {
			return nil
		}
		return put(list[i].start, list[i].end, op.Value)
	case !isObject && op.Op == "add" && i < 0:
		i = len(list)
	case isObject:
		i = len(list)
		if name := find(list, true, "name"); name >= 0 && token == "replaces" {
			i = name + 1
		}
	}
	beside := list[max(i-1, 0)]
	value := op.Value
	if !isObject {
		one, err := nodeOf(jsontext.NewDecoder(bytes.NewReader(value)))
		other, failed := nodeOf(jsontext.NewDecoder(bytes.NewReader(text[beside.start:beside.end]), lenient))
		if err != nil || failed != nil {
			return nil
		}
		value = asJSON(nil, like(one, other))
	}
	style := text[beside.start:beside.end]
	if isObject {
		style = text[within.start:within.end]
	}
	value = laidOut(value, style, indentAt(text, beside.key))
	if isObject {
		key, _ := jsontext.AppendQuote(nil, token)
		colon := ":"
		if bytes.Contains(style, []byte(`": `)) {
			colon = ": "
		}
		value = slices.Concat(key, []byte(colon), value)
	}
	between := slices.Concat([]byte(","), text[within.start+1:list[0].key])
	switch {
	case i > 0 && i < len(list):
		between = text[list[i-1].end:list[i].key]
	case len(list) > 1:
		between = text[list[len(list)-2].end:list[len(list)-1].key]
	}
	if i == 0 {
		return put(list[0].key, list[0].key, value, between)
	}
	return put(list[i-1].end, list[i-1].end, between, value)
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
