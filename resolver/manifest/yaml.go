package manifest

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"go.yaml.in/yaml/v4"
)

// writeJSON writes a YAML document as JSON, so that one reader serves both. It expands
// aliases within the limits.
func writeJSON(ctx context.Context, limits limits, to *bytes.Buffer, document *yaml.Node, firstLine int) error {
	w := yamlWriter{ctx: ctx, limits: limits, out: jsontext.NewEncoder(to), firstLine: firstLine}
	return w.write(document, 0, nil)
}

type yamlWriter struct {
	ctx       context.Context
	limits    limits
	out       *jsontext.Encoder
	firstLine int
	// expanded is the size of expanded aliases so far, in bytes.
	expanded int
}

// write writes one node. alias is the outermost alias on the way to it, nil if there is none.
func (w *yamlWriter) write(n *yaml.Node, depth int, alias *yaml.Node) error {
	if n.Kind != yaml.ScalarNode && w.ctx.Err() != nil {
		return w.ctx.Err()
	}
	if depth > w.limits.depth {
		return w.at(n, fmt.Errorf("nested more than %d levels deep", w.limits.depth))
	}
	if err := w.charge(n, alias); err != nil {
		return err
	}
	switch n.Kind {
	case yaml.DocumentNode:
		if len(n.Content) == 0 {
			return w.out.WriteToken(jsontext.Null)
		}
		return w.write(n.Content[0], depth+1, alias)
	case yaml.AliasNode:
		return w.write(n.Alias, depth+1, cmp.Or(alias, n))
	case yaml.MappingNode:
		return w.mapping(n, depth, alias)
	case yaml.SequenceNode:
		if err := w.out.WriteToken(jsontext.BeginArray); err != nil {
			return w.at(n, err)
		}
		for _, item := range n.Content {
			if err := w.write(item, depth+1, alias); err != nil {
				return err
			}
		}
		return w.out.WriteToken(jsontext.EndArray)
	}
	return w.scalar(n)
}

// charge counts the size of a node behind an alias. Empty nodes count, too: a list of a
// million of them is a bomb as well.
func (w *yamlWriter) charge(n, alias *yaml.Node) error {
	if alias == nil {
		return nil
	}
	if w.expanded += 1 + len(n.Value); w.expanded > w.limits.aliasBytes {
		return w.at(alias, fmt.Errorf("aliases expand to more than %s", bytesText(int64(w.limits.aliasBytes))))
	}
	return nil
}

func (w *yamlWriter) mapping(n *yaml.Node, depth int, alias *yaml.Node) error {
	if err := w.out.WriteToken(jsontext.BeginObject); err != nil {
		return w.at(n, err)
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i]
		if key.ShortTag() == "!!merge" {
			return w.at(key, errors.New("merge keys (<<) are not supported"))
		}
		if key.Kind != yaml.ScalarNode {
			return w.at(key, errors.New("a field name must be a plain string"))
		}
		if err := w.charge(key, alias); err != nil {
			return err
		}
		if err := w.out.WriteToken(jsontext.String(key.Value)); err != nil {
			return w.at(key, err)
		}
		if err := w.write(n.Content[i+1], depth+1, alias); err != nil {
			return err
		}
	}
	return w.out.WriteToken(jsontext.EndObject)
}

func (w *yamlWriter) scalar(n *yaml.Node) error {
	token := jsontext.String(n.Value)
	switch n.ShortTag() {
	case "!!null":
		token = jsontext.Null
	case "!!bool":
		var b bool
		if err := n.Decode(&b); err != nil {
			return w.at(n, err)
		}
		token = jsontext.Bool(b)
	case "!!int", "!!float":
		return w.number(n)
	}
	// A time or binary value stays text: Kubernetes has no such types either.
	return w.at(n, w.out.WriteToken(token))
}

// number writes a number, which YAML can spell in many ways, as JSON. A number that JSON does
// not have, such as .inf, becomes a string.
func (w *yamlWriter) number(n *yaml.Node) error {
	var value any
	if err := n.Decode(&value); err != nil {
		return w.at(n, err)
	}
	if raw, err := json.Marshal(value); err == nil {
		return w.at(n, w.out.WriteValue(raw))
	}
	return w.at(n, w.out.WriteToken(jsontext.String(n.Value)))
}

// at adds the line to an error; nil stays nil.
func (w *yamlWriter) at(n *yaml.Node, err error) error {
	if err == nil {
		return nil
	}
	var syntax *jsontext.SyntacticError
	if errors.As(err, &syntax) {
		if errors.Is(err, jsontext.ErrDuplicateName) {
			err = fmt.Errorf("field %q is given twice", n.Value)
		} else {
			err = syntax.Err
		}
	}
	return fmt.Errorf("line %d: %w", w.firstLine+n.Line, err)
}
