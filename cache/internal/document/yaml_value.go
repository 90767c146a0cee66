package document

import (
	"encoding/base64"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"go.yaml.in/yaml/v4"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/properties"
)

// metadataFields are what resolution reads of olm.csv.metadata; the rest is the
// larger part of most catalogs.
var metadataFields = []string{"installModes", "minKubeVersion", "annotations"}

// PropertyJSON writes the value of a property as JSON.
func PropertyJSON(value *yaml.Node, propertyType string, limits catalog.Limits) ([]byte, error) {
	c := &yamlCursor{node: value, maxDepth: limits.Depth, budget: limits.DocumentBytes}
	return c.property(propertyType)
}

// property writes the value as JSON.
func (c *yamlCursor) property(propertyType string) ([]byte, error) {
	n := ResolveAlias(c.node)
	if propertyType == properties.TypeBundleObject {
		return nil, nil
	}
	if propertyType == properties.TypeCSVMetadata && n.Kind == yaml.MappingNode {
		return c.appendObject(nil, n, metadataFields)
	}
	return c.appendJSON(nil, n)
}

func (c *yamlCursor) appendJSON(b []byte, n *yaml.Node) ([]byte, error) {
	if err := c.charge(1); err != nil {
		return nil, err
	}
	if err := c.descend(); err != nil {
		return nil, err
	}
	defer func() { c.depth-- }()
	n = ResolveAlias(n)
	switch n.Kind {
	case yaml.MappingNode:
		return c.appendObject(b, n, nil)
	case yaml.SequenceNode:
		b = append(b, '[')
		for i, element := range n.Content {
			if i > 0 {
				b = append(b, ',')
			}
			var err error
			if b, err = c.appendJSON(b, element); err != nil {
				return nil, err
			}
		}
		return append(b, ']'), nil
	case yaml.ScalarNode:
		start := len(b)
		b, err := appendScalar(b, n)
		if err != nil {
			return nil, err
		}
		return b, c.charge(len(b) - start)
	}
	return nil, &shapeError{catalog.CodeField, fmt.Sprintf("line %d holds nothing that JSON can express", n.Line)}
}

// appendObject writes the members named in only, or all of them if that is nil.
func (c *yamlCursor) appendObject(b []byte, n *yaml.Node, only []string) ([]byte, error) {
	members, err := c.members(n)
	if err != nil {
		return nil, err
	}
	seen := make(map[string]bool, len(members))
	b = append(b, '{')
	first := true
	for _, m := range members {
		if only != nil && !slices.Contains(only, m.name) {
			continue
		}
		if seen[m.name] {
			return nil, &shapeError{catalog.CodeField, fmt.Sprintf("the key %q in line %d is stated more than once: keep one", m.name, m.value.Line)}
		}
		seen[m.name] = true
		if !first {
			b = append(b, ',')
		}
		first = false
		b = append(appendString(b, m.name), ':')
		if err := c.charge(len(m.name)); err != nil {
			return nil, err
		}
		if b, err = c.appendJSON(b, m.value); err != nil {
			return nil, err
		}
	}
	return append(b, '}'), nil
}

// scalarTag is the type of a scalar, by its tag or by how it is written. On top
// of YAML 1.2 it knows the booleans of YAML 1.1, with which catalogs are read
// elsewhere.
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
			return nil, &shapeError{catalog.CodeField, fmt.Sprintf("%s in line %d is a number that JSON cannot express: quote it if it is text", n.Value, n.Line)}
		}
		return append(b, number...), nil
	case "!!binary":
		text, err := base64.StdEncoding.DecodeString(strings.Join(strings.Fields(n.Value), ""))
		if err != nil {
			return nil, &shapeError{catalog.CodeField, fmt.Sprintf("the binary value in line %d is not base64", n.Line)}
		}
		return appendString(b, string(text)), nil
	}
	return appendString(b, n.Value), nil
}

// maxDigits is how long a number may be that JSON writes differently.
const maxDigits = 64

// jsonNumber returns a YAML number as JSON. The text stays as it is where JSON
// allows it, so that 4.10 does not become 4.1.
func jsonNumber(text string) (string, bool) {
	if v := jsontext.Value(text); v.Kind() == '0' && v.IsValid() {
		return text, true
	}
	plain := strings.TrimPrefix(strings.ReplaceAll(text, "_", ""), "+")
	// Converting digits takes time in proportion to their square.
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
		return sign + plain, true
	}
	return "", false
}

func appendString(b []byte, text string) []byte {
	quoted, err := jsontext.AppendQuote(b, text)
	if err != nil && quoted == nil {
		return append(b, `""`...) // cannot be: invalid UTF-8 is replaced
	}
	return quoted
}
