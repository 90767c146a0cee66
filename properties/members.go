package properties

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/resolvent/resolvent/properties/jsonfield"
)

// member is a string that is wanted of an object.
type member struct {
	name string
	text string
	set  bool // the text is stated
	seen bool // stated, if only as null
}

// objectReader reads objects one after another with one decoder.
type objectReader struct {
	text bytes.Buffer
	json jsontext.Decoder
}

// members reads the wanted members of a JSON object. whole is true if the
// object holds nothing else, so that it can be written again from the members
// alone. A member that is null counts as absent; a repeated one is an error.
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

// eachMember calls visit for each member of an object, with the decoder in front
// of its value; visit has to consume exactly that value.
//
// Repeated names are found where they matter. In what is passed over they do no
// harm, and neither do bytes that are not UTF-8.
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
		return fmt.Errorf("must be an object, not %s", jsonfield.KindName(token.Kind()))
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
		err = fmt.Errorf("%s must be %s, not %s", name, jsonfield.KindName(want), jsonfield.KindName(token.Kind()))
	}
	return token, err
}
