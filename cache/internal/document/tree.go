package document

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/cache/internal/code"
	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/properties/jsonfield"
)

// Tree is a document, JSON or YAML, of a bundle directory. Its root is an object. All
// documents of a file share one budget for reading nodes.
type Tree struct {
	Origin
	Root   *yaml.Node
	cursor *yamlCursor
}

// Trees visits the documents of a file whose roots are objects. Its error is that of
// ctx. An error of the file as a whole is a fault.
func Trees(ctx context.Context, name string, text []byte, limits catalog.Limits, visit func(*Tree)) (*catalog.Fault, error) {
	var err error
	if limit := min(limits.FileBytes, int64(limits.DocumentBytes)); int64(len(text)) > limit {
		err = &syntaxFault{code: code.Limit, message: fmt.Sprintf("the file is larger than the %d bytes allowed", limit)}
	} else {
		cursor := newYAMLCursor(limits, len(text), nil)
		err = eachYAML(ctx, limits, text, func(root *yaml.Node) error {
			if root.Kind == yaml.MappingNode {
				visit(&Tree{Origin{name, root.Line, root.Column}, root, cursor})
			}
			return nil
		})
	}
	if syntax, ok := errors.AsType[*syntaxFault](err); ok {
		f := Origin{name, syntax.line, syntax.column}.Fault(syntax.code, syntax.message)
		return &f, nil
	}
	return nil, err
}

// Decode fills a Go value from the members of the root that it has fields for. Any
// scalar can become a string, as it is written.
func (t *Tree) Decode(into any) error {
	text, err := t.cursor.appendJSON(nil, t.Root, shapeOf(reflect.TypeOf(into)))
	if err != nil {
		return err
	}
	return jsonfield.Decode(text, into, "")
}

// shapeOf returns the shape that a Go type has fields for. Every scalar but a bool is a
// string.
func shapeOf(t reflect.Type) *shape {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice:
		return shapeOf(t.Elem())
	case reflect.Bool:
		return nil
	case reflect.Struct:
		s := &shape{members: map[string]*shape{}}
		for _, field := range reflect.VisibleFields(t) {
			name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
			s.members[name] = shapeOf(field.Type)
		}
		return s
	}
	return &shape{texts: true}
}

// Member is a member of an object.
type Member struct {
	Name  string
	Value *yaml.Node
}

// Members returns the members of an object, with repeats.
func (t *Tree) Members(node *yaml.Node) (list []Member, err error) {
	if node = resolveAlias(node); node.Kind != yaml.MappingNode {
		return nil, errors.New("it must be an object")
	}
	members, err := t.cursor.members(node)
	for _, m := range members {
		list = append(list, Member{m.name, resolveAlias(m.value)})
	}
	return list, err
}

// JSON returns a value as JSON text.
func (t *Tree) JSON(of *yaml.Node) ([]byte, error) { return t.cursor.appendJSON(nil, of, nil) }

// Elements returns the elements of a list that is a member of the root, in any case, nil
// without it.
func (t *Tree) Elements(name string) ([]*yaml.Node, error) {
	members, err := t.cursor.members(t.Root)
	if err != nil {
		return nil, err
	}
	var list *yaml.Node
	for _, m := range members {
		switch {
		case !strings.EqualFold(m.name, name):
		case list != nil:
			return nil, repeatedKey(m)
		default:
			list = resolveAlias(m.value)
		}
	}
	if list == nil {
		return nil, nil
	}
	if list.Kind != yaml.SequenceNode {
		return nil, errors.New("it must be a list")
	}
	return list.Content, t.cursor.charge(len(list.Content))
}

// Property reads a property. The node is the property or has it as its member property.
func (t *Tree) Property(stated *yaml.Node) (p properties.Property, err error) {
	c := t.cursor
	found, err := c.fields(stated, "type", "value", "property")
	if err == nil && found[2] != nil && found[2].ShortTag() != "!!null" {
		found, err = c.fields(found[2], "type", "value")
	}
	if err != nil {
		return p, err
	}
	if c.node = found[0]; c.node != nil && c.kind() != 'n' {
		if p.Type, err = c.text(false); err != nil {
			return p, err
		}
	}
	if c.node = found[1]; c.node != nil { // properties.Decode reports a missing value
		p.Value, err = c.property(p.Type)
	}
	return p, err
}

// fields returns the values of some members of an object, nil for missing ones.
func (c *yamlCursor) fields(n *yaml.Node, names ...string) ([]*yaml.Node, error) {
	if n = resolveAlias(n); n.Kind != yaml.MappingNode {
		return nil, errors.New("it must be an object")
	}
	members, err := c.members(n)
	if err != nil {
		return nil, err
	}
	found := make([]*yaml.Node, len(names))
	for _, m := range members {
		i := slices.Index(names, m.name)
		if i < 0 {
			continue
		}
		if found[i] != nil {
			return nil, repeatedKey(m)
		}
		found[i] = resolveAlias(m.value)
	}
	return found, nil
}
