package document

import (
	"encoding/base64"
	"fmt"
	"maps"
	"math/big"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"go.yaml.in/yaml/v4"

	"github.com/resolvent/resolvent/cache/internal/code"
	"github.com/resolvent/resolvent/properties"
)

// shape is the part of a value that is read. Nil is all of it.
type shape struct {
	members map[string]*shape // of objects, and of objects in lists; nil if all are read
	texts   bool              // scalars become strings, as they are written
}

// metadataShape is the part of olm.csv.metadata that resolution reads. The rest is the
// larger part of most catalogs.
var metadataShape = &shape{members: map[string]*shape{
	"installModes": nil, "minKubeVersion": nil, "annotations": nil, "labels": nil,
	"apiServiceDefinitions": {members: map[string]*shape{
		"owned": {members: map[string]*shape{"group": nil, "version": nil, "kind": nil}},
	}},
}}

// objectShape is the part of olm.bundle.object that is read.
var objectShape = &shape{members: map[string]*shape{"data": {texts: true}}}

// TextFields are the fields of olm.csv.metadata that are for people.
var TextFields = []string{"displayName", "keywords", "description"}

var metadataWithTexts = func() *shape {
	members := maps.Clone(metadataShape.members)
	for _, name := range TextFields {
		members[name] = nil
	}
	return &shape{members: members}
}()

// property implements cursor: it writes the value as JSON.
func (c *yamlCursor) property(propertyType string) ([]byte, error) {
	n := resolveAlias(c.node)
	if n.Kind == yaml.MappingNode && propertyType == properties.TypeBundleObject {
		return c.appendObject(nil, n, objectShape)
	}
	if n.Kind == yaml.MappingNode && propertyType == properties.TypeCSVMetadata {
		read := metadataShape
		if c.in.Texts != nil {
			read = metadataWithTexts
		}
		return c.appendObject(nil, n, read)
	}
	return c.appendJSON(nil, n, nil)
}

func (c *yamlCursor) appendJSON(b []byte, n *yaml.Node, read *shape) (_ []byte, err error) {
	n = resolveAlias(n)
	if err := c.charge(1 + len(n.Value)); err != nil {
		return nil, err
	}
	if err := c.descend(); err != nil {
		return nil, err
	}
	defer func() { c.depth-- }()
	switch n.Kind {
	case yaml.MappingNode:
		return c.appendObject(b, n, read)
	case yaml.SequenceNode:
		b = append(b, '[')
		for i, element := range n.Content {
			if i > 0 {
				b = append(b, ',')
			}
			if b, err = c.appendJSON(b, element, read); err != nil {
				return nil, err
			}
		}
		return append(b, ']'), nil
	case yaml.ScalarNode:
		start := len(b)
		if read != nil && read.texts && scalarTag(n) != "!!null" {
			b = appendString(b, n.Value)
		} else if b, err = appendScalar(b, n); err != nil {
			return nil, err
		}
		return b, c.charge(max(0, len(b)-start-len(n.Value)))
	}
	return nil, &shapeError{code.Field, fmt.Sprintf("line %d holds nothing that JSON can express", n.Line)}
}

func (c *yamlCursor) appendObject(b []byte, n *yaml.Node, read *shape) ([]byte, error) {
	members, err := c.members(n)
	if err != nil {
		return nil, err
	}
	seen := make(map[string]bool, min(len(members), 16))
	b = append(b, '{')
	for _, m := range members {
		inner := read
		if read != nil && read.members != nil {
			var ok bool
			if inner, ok = read.members[m.name]; !ok {
				continue
			}
		}
		if err := c.charge(len(m.name)); err != nil {
			return nil, err
		}
		if seen[m.name] {
			return nil, repeatedKey(m)
		}
		if len(seen) > 0 {
			b = append(b, ',')
		}
		seen[m.name] = true
		b = append(appendString(b, m.name), ':')
		if b, err = c.appendJSON(b, m.value, inner); err != nil {
			return nil, err
		}
	}
	return append(b, '}'), nil
}

func repeatedKey(m yamlMember) error {
	return &shapeError{code.Field, fmt.Sprintf("the key %q in line %d is stated more than once: keep one", m.name, m.value.Line)}
}

// scalarTag returns the type of a scalar, from its tag or its text. It adds the booleans
// of YAML 1.1 to YAML 1.2, because other tools read catalogs as YAML 1.1.
func scalarTag(n *yaml.Node) string {
	tag := n.ShortTag()
	if tag == "!!str" && n.Style == 0 {
		if _, ok := oldBool(n.Value); ok {
			return "!!bool"
		}
	}
	return tag
}

func oldBool(text string) (value, ok bool) {
	switch text {
	case "yes", "Yes", "YES", "on", "On", "ON":
		return true, true
	case "no", "No", "NO", "off", "Off", "OFF":
		return false, true
	}
	return false, false
}

func appendScalar(b []byte, n *yaml.Node) ([]byte, error) {
	switch tag := scalarTag(n); tag {
	case "!!null":
		return append(b, "null"...), nil
	case "!!bool":
		value, old := oldBool(n.Value)
		if value || (!old && strings.EqualFold(n.Value, "true")) {
			return append(b, "true"...), nil
		}
		return append(b, "false"...), nil
	case "!!int", "!!float":
		number, ok := jsonNumber(n.Value)
		if !ok {
			return nil, &shapeError{code.Field, fmt.Sprintf("%s in line %d is a number that JSON cannot express: quote it if it is text", n.Value, n.Line)}
		}
		return append(b, number...), nil
	case "!!binary":
		text, err := base64.StdEncoding.DecodeString(strings.Join(strings.Fields(n.Value), ""))
		if err != nil {
			return nil, &shapeError{code.Field, fmt.Sprintf("the binary value in line %d is not base64", n.Line)}
		}
		return appendString(b, string(text)), nil
	}
	return appendString(b, n.Value), nil
}

// maxDigits is the longest number that is converted, in bytes. Converting digits takes
// time in proportion to their square.
const maxDigits = 64

// jsonNumber returns a YAML number as JSON, false if JSON cannot express it. As whoever reads
// YAML does, it takes 4.10 for 4.1.
func jsonNumber(text string) (string, bool) {
	if v := jsontext.Value(text); v.Kind() == '0' && v.IsValid() {
		return shortest(text)
	}
	plain := strings.TrimPrefix(strings.ReplaceAll(text, "_", ""), "+")
	if len(plain) <= maxDigits {
		if i, ok := new(big.Int).SetString(plain, 0); ok {
			return i.String(), true
		}
	}
	sign := ""
	if strings.HasPrefix(plain, "-") {
		sign, plain = "-", plain[1:]
	}
	if strings.HasPrefix(plain, ".") {
		plain = "0" + plain
	}
	if strings.HasSuffix(plain, ".") {
		plain += "0"
	}
	plain = strings.Replace(strings.Replace(plain, ".e", ".0e", 1), ".E", ".0E", 1)
	if v := jsontext.Value(sign + plain); v.Kind() == '0' && v.IsValid() {
		return shortest(sign + plain)
	}
	return "", false
}

// shortest returns the shortest text of a JSON number, false if it is out of range. Whole
// numbers stay as they are: they may have more digits than a float.
func shortest(text string) (string, bool) {
	if !strings.ContainsAny(text, ".eE") {
		return text, true
	}
	number, err := strconv.ParseFloat(text, 64)
	b, wrong := jsontext.AppendFormat(nil, []byte(strconv.FormatFloat(number, 'g', -1, 64)), jsontext.CanonicalizeRawFloats(true))
	return string(b), err == nil && wrong == nil
}

func appendString(b []byte, text string) []byte {
	quoted, err := jsontext.AppendQuote(b, text)
	if err != nil && quoted == nil {
		return append(b, `""`...) // impossible: invalid UTF-8 is replaced
	}
	return quoted
}
