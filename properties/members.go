package properties

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/resolvent/resolvent/properties/jsonfield"
)

// member is a member of an object whose value is a string.
type member struct {
	name string
	text string
	set  bool // stated with a text
	seen bool // stated, perhaps as null
}

// objectReader reads one object after another with the same decoder.
type objectReader struct {
	text bytes.Buffer
	json jsontext.Decoder
}

// members reads the wanted members of a JSON object. whole means that the object has
// no others, so that the members alone can restore it. A member that is null counts
// as absent. A repeated member is an error.
func (r *objectReader) members(value []byte, wanted ...*member) (whole bool, err error) {
	whole = true
	err = r.eachMember(value, func(d *jsontext.Decoder, name string) error {
		for _, m := range wanted {
			if m.name != name {
				continue
			}
			if m.seen {
				return fmt.Errorf("%s is stated more than once: keep one", name)
			}
			m.seen = true
			if d.PeekKind() == 'n' {
				break
			}
			token, err := readToken(d, name, '"')
			m.text, m.set = token.String(), err == nil
			return err
		}
		whole = false
		return d.SkipValue()
	})
	return whole, err
}

// eachMember calls visit for each member of an object, with the decoder in front of
// its value. visit must consume exactly that value.
//
// Repeated names and bytes that are not UTF-8 do no harm in skipped values. Callers
// find repeated names where they matter.
func (r *objectReader) eachMember(value []byte, visit func(d *jsontext.Decoder, name string) error) error {
	r.text = *bytes.NewBuffer(value)
	d := &r.json
	d.Reset(&r.text, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	if err := readObject(d, visit); err != nil {
		return err
	}
	_, err := d.ReadToken()
	switch err {
	case io.EOF:
		return nil
	case nil:
		return errors.New("a second value follows the first")
	}
	return err
}

func readObject(d *jsontext.Decoder, visit func(d *jsontext.Decoder, name string) error) error {
	token, err := d.ReadToken()
	if err != nil {
		return err
	}
	if token.Kind() != '{' {
		return fmt.Errorf("must be an object, not %s", jsonfield.KindName(byte(token.Kind())))
	}
	for d.PeekKind() != '}' {
		token, err := d.ReadToken()
		if err != nil {
			return err
		}
		if err := visit(d, token.String()); err != nil {
			return err
		}
	}
	_, err = d.ReadToken()
	return err
}

// readToken reads a token of the wanted kind.
func readToken(d *jsontext.Decoder, name string, want jsontext.Kind) (jsontext.Token, error) {
	token, err := d.ReadToken()
	if err == nil && token.Kind() != want {
		err = fmt.Errorf("%s must be %s, not %s", name, jsonfield.KindName(byte(want)), jsonfield.KindName(byte(token.Kind())))
	}
	return token, err
}
