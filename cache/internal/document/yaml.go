package document

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/cache/internal/code"
	"github.com/resolvent/resolvent/cache/internal/task"
	"github.com/resolvent/resolvent/properties"
)

// yamlCursor walks the nodes of YAML documents, and follows aliases and merge keys. A few
// lines with these can mean any amount of work, so it counts all work.
type yamlCursor struct {
	node *yaml.Node
	// frames are the objects and lists around the node.
	frames []yamlFrame

	in       *properties.Interner
	maxDepth int
	depth    int
	// work is the work that is left: one for each node entered, for each key passed, and
	// for each byte read or written.
	work int
}

// yamlFrame is an object or a list that is being walked.
type yamlFrame struct {
	members  []yamlMember
	elements []*yaml.Node
}

type yamlMember struct {
	name  string
	value *yaml.Node
}

func newYAMLCursor(limits catalog.Limits, size int, in *properties.Interner) *yamlCursor {
	return &yamlCursor{in: in, maxDepth: limits.Depth, work: expansion(limits, size)}
}

// smallExpansion is the work that even the smallest document may take.
const smallExpansion = 16 << 10

// expansion returns the work that a document of size bytes may take.
func expansion(l catalog.Limits, size int) int {
	if size > l.DocumentBytes/l.Expansion {
		return l.DocumentBytes
	}
	return min(max(l.Expansion*size, smallExpansion), l.DocumentBytes)
}

func (c *yamlCursor) charge(n int) error {
	if c.work -= n; c.work < 0 {
		return &shapeError{code.Limit, "the document becomes too large when its aliases are followed"}
	}
	return nil
}

func (c *yamlCursor) kind() valueKind {
	n := resolveAlias(c.node)
	switch n.Kind {
	case yaml.MappingNode:
		return '{'
	case yaml.SequenceNode:
		return '['
	}
	switch scalarTag(n) {
	case "!!null":
		return 'n'
	case "!!bool":
		return 't'
	case "!!int", "!!float":
		return '0'
	}
	return '"'
}

func (c *yamlCursor) skip() error { return nil }

// text returns any scalar as it is written. A channel named 4.10 without quotes is a
// number to YAML, and must not become 4.1.
func (c *yamlCursor) text(shared bool) (string, error) {
	n := resolveAlias(c.node)
	if n.Kind != yaml.ScalarNode {
		return "", wrongKind("a string", c.kind())
	}
	if err := c.charge(len(n.Value)); err != nil {
		return "", err
	}
	if shared {
		return c.in.String(n.Value), nil
	}
	return n.Value, nil
}

func (c *yamlCursor) enter() (err error) {
	n := resolveAlias(c.node)
	frame := yamlFrame{elements: n.Content}
	if n.Kind == yaml.MappingNode {
		if frame.members, err = c.members(n); err != nil {
			return err
		}
	}
	if err := c.descend(); err != nil {
		return err
	}
	c.frames = append(c.frames, frame)
	return nil
}

func (c *yamlCursor) leave() {
	c.frames = c.frames[:len(c.frames)-1]
	c.depth--
}

func (c *yamlCursor) member() (name []byte, ok bool, err error) {
	frame := &c.frames[len(c.frames)-1]
	if len(frame.members) == 0 {
		c.leave()
		return nil, false, nil
	}
	m := frame.members[0]
	frame.members = frame.members[1:]
	c.node = m.value
	return []byte(m.name), true, c.charge(len(m.name))
}

func (c *yamlCursor) element() (ok bool, err error) {
	frame := &c.frames[len(c.frames)-1]
	if len(frame.elements) == 0 {
		c.leave()
		return false, nil
	}
	c.node = frame.elements[0]
	frame.elements = frame.elements[1:]
	return true, c.charge(1)
}

// descend counts a level of nesting.
func (c *yamlCursor) descend() error {
	if c.depth++; c.depth > c.maxDepth {
		c.depth--
		return tooDeep(c.depth+1, c.maxDepth)
	}
	return nil
}

// members returns the members of a mapping. Members from merge keys come last, and only
// if the mapping has no such member itself. A repeated key comes twice, and its reader
// finds that.
func (c *yamlCursor) members(n *yaml.Node) ([]yamlMember, error) {
	if err := c.charge(1 + len(n.Content)/2); err != nil {
		return nil, err
	}
	members := make([]yamlMember, 0, len(n.Content)/2)
	var merged []*yaml.Node
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := resolveAlias(n.Content[i]), n.Content[i+1]
		switch {
		case key.Kind != yaml.ScalarNode:
			return nil, &shapeError{code.Field, fmt.Sprintf("the key in line %d must be a string", key.Line)}
		case key.Tag == "!!merge":
			merged = append(merged, value)
		default:
			members = append(members, yamlMember{key.Value, value})
		}
	}
	if merged == nil {
		return members, nil
	}
	return c.merge(members, merged)
}

// merge adds the members of the mappings that merge keys point to. The first mapping
// with a member counts.
func (c *yamlCursor) merge(members []yamlMember, merged []*yaml.Node) ([]yamlMember, error) {
	have := make(map[string]bool, len(members))
	for _, m := range members {
		have[m.name] = true
	}
	for _, value := range merged {
		value = resolveAlias(value)
		sources := []*yaml.Node{value}
		if value.Kind == yaml.SequenceNode {
			sources = value.Content
		}
		for _, source := range sources {
			source = resolveAlias(source)
			if source.Kind != yaml.MappingNode {
				return nil, &shapeError{code.Field, fmt.Sprintf("the merge key in line %d must point to mappings", value.Line)}
			}
			if err := c.descend(); err != nil {
				return nil, err
			}
			more, err := c.members(source)
			c.depth--
			if err != nil {
				return nil, err
			}
			for _, m := range more {
				if err := c.charge(1 + len(m.name)); err != nil {
					return nil, err
				}
				if !have[m.name] {
					have[m.name] = true
					members = append(members, m)
				}
			}
		}
	}
	return members, nil
}

// resolveAlias follows an alias. Once is enough, because an alias never points to another
// one directly.
func resolveAlias(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.AliasNode && n.Alias != nil {
		return n.Alias
	}
	return n
}

// nodesAtMost returns an upper bound of the nodes of a YAML text: one of these bytes
// follows every node but the last.
func nodesAtMost(text []byte) int {
	n := 1
	for _, b := range text {
		switch b {
		case '\n', ',', ':', '[', '{', '-', '?', '&', '!':
			n++
		}
	}
	return n
}

// maxDirectives is more than real texts have. The parser compares each directive with all
// others.
const maxDirectives = 1000

// syntaxFault is the error of a text that cannot be read from some place on.
type syntaxFault struct {
	code         catalog.Code
	line, column int
	message      string
}

func (f *syntaxFault) Error() string { return f.message }

// eachYAML visits the root of every document of a text, except empty ones. Its error is a
// *syntaxFault, or that of ctx or visit.
func eachYAML(ctx context.Context, limits catalog.Limits, text []byte, visit func(root *yaml.Node) error) error {
	if nodesAtMost(text) > limits.Nodes {
		return &syntaxFault{code.Limit, 1, 1, fmt.Sprintf("the document has more than the %d nodes allowed", limits.Nodes)}
	}
	if n := bytes.Count(text, []byte("\n%")); n > maxDirectives {
		return &syntaxFault{code.Limit, 1, 1, fmt.Sprintf("the document has more than the %d directives allowed", maxDirectives)}
	}
	loader, err := yaml.NewLoader(task.Reader{Ctx: ctx, From: bytes.NewReader(text)})
	if err != nil {
		return err
	}
	for {
		var n yaml.Node
		err := loader.Load(&n)
		switch {
		case err == io.EOF:
			return nil
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			return yamlFault(err, text)
		case len(n.Content) == 0 || resolveAlias(n.Content[0]).ShortTag() == "!!null":
			continue
		}
		if err := visit(n.Content[0]); err != nil {
			return err
		}
	}
}

func yamlFault(err error, text []byte) *syntaxFault {
	load, ok := errors.AsType[*yaml.LoadError](err)
	if !ok {
		return &syntaxFault{code.Syntax, 1, 1, strings.TrimPrefix(err.Error(), "yaml: ")}
	}
	message := load.Message
	if load.ContextMsg != "" && isTab(text, load.Mark.Line, load.Mark.Column) {
		message, load.ContextMsg = "found a tab; YAML is indented with spaces", "" // the parser does not name it
	}
	if load.ContextMsg != "" {
		message = load.ContextMsg + ": " + message
	}
	return &syntaxFault{code.Syntax, max(load.Mark.Line, 1), max(load.Mark.Column, 1), message}
}

// isTab reports whether the character at a line and a column of a text, both from 1, is a tab.
func isTab(text []byte, line, column int) bool {
	for found := range bytes.Lines(text) {
		if line--; line == 0 {
			characters := []rune(string(found))
			return column > 0 && column <= len(characters) && characters[column-1] == '\t'
		}
	}
	return false
}
