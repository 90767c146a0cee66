package document

import (
	"bytes"
	"fmt"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/resolvent/resolvent/cache/internal/code"
	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/properties/jsonfield"
)

// jsonCursor reads concatenated JSON documents in one pass. It skips values that no
// reader needs, and returns those of properties as parts of the source.
type jsonCursor struct {
	dec      *jsontext.Decoder
	source   []byte
	in       *properties.Interner
	maxDepth int
}

func newJSONCursor(source []byte, in *properties.Interner, maxDepth int) *jsonCursor {
	return &jsonCursor{
		// Repeated names and bytes that are not UTF-8 do no harm in skipped values.
		// The decoder finds repeated names where they matter.
		dec: jsontext.NewDecoder(bytes.NewBuffer(source),
			jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)),
		source: source, in: in, maxDepth: maxDepth,
	}
}

// offset returns the length of the source that has been read.
func (c *jsonCursor) offset() int { return int(c.dec.InputOffset()) }

// next returns the offset of the next value.
func (c *jsonCursor) next() int {
	return len(c.source) - len(bytes.TrimLeft(c.source[c.offset():], " \t\r\n"))
}

func (c *jsonCursor) kind() valueKind { return valueKind(c.dec.PeekKind()) }

func (c *jsonCursor) skip() error { return c.dec.SkipValue() }

func (c *jsonCursor) text(shared bool) (string, error) {
	if kind := c.kind(); kind != '"' {
		if err := c.dec.SkipValue(); err != nil {
			return "", err
		}
		return "", wrongKind("a string", kind)
	}
	literal, err := c.dec.ReadValue()
	if err != nil {
		return "", err
	}
	text, err := unquote(literal)
	if err != nil {
		return "", err
	}
	if shared {
		return c.in.Bytes(text), nil
	}
	return string(text), nil
}

func (c *jsonCursor) enter() error {
	_, err := c.dec.ReadToken()
	return err
}

func (c *jsonCursor) member() (name []byte, ok bool, err error) {
	if c.dec.PeekKind() == '}' {
		_, err := c.dec.ReadToken()
		return nil, false, err
	}
	literal, err := c.dec.ReadValue()
	if err != nil {
		return nil, false, err
	}
	name, err = unquote(literal)
	return name, true, err
}

func (c *jsonCursor) element() (ok bool, err error) {
	if c.dec.PeekKind() != ']' {
		return true, nil
	}
	_, err = c.dec.ReadToken()
	return false, err
}

func (c *jsonCursor) property(propertyType string) ([]byte, error) {
	value, err := c.dec.ReadValue()
	if err != nil {
		return nil, err
	}
	// The slice of the decoder is valid only until its next read.
	end := c.offset()
	text := c.source[end-len(value) : end : end]
	if propertyType == properties.TypeBundleObject || len(text) <= 2*c.maxDepth {
		return text, nil // one text is read of it; or a level takes two bytes
	}
	if depth := jsonfield.Nesting(text); depth > c.maxDepth {
		return nil, tooDeep(depth, c.maxDepth)
	}
	return text, nil
}

func tooDeep(depth, limit int) error {
	return &shapeError{code.Limit, fmt.Sprintf("the value nests %d levels deep, more than the %d allowed", depth, limit)}
}

// unquote returns the text of a string literal. It copies only if it must.
func unquote(literal []byte) ([]byte, error) {
	if inner := literal[1 : len(literal)-1]; bytes.IndexByte(inner, '\\') < 0 && utf8.Valid(inner) {
		return inner, nil
	}
	text, err := jsontext.AppendUnquote(nil, literal)
	if err != nil && text != nil {
		err = nil // invalid UTF-8 or surrogates have been replaced
	}
	return text, err
}
