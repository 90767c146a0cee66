package properties

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/go-json-experiment/json/jsontext"
)

// member is a string that an object is asked for.
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
			token, err := d.ReadToken()
			if err != nil {
				return err
			}
			switch token.Kind() {
			case '"':
				m.text, m.set = token.String(), true
			case 'n':
				whole = false
			default:
				return fmt.Errorf("%s must be a string, not %s", name, KindName(token.Kind()))
			}
			return nil
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
	return expectEnd(d)
}

func readObject(d *jsontext.Decoder, visit func(d *jsontext.Decoder, name string) error) error {
	token, err := d.ReadToken()
	if err != nil {
		return err
	}
	if token.Kind() != '{' {
		return fmt.Errorf("must be an object, not %s", KindName(token.Kind()))
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

// expectEnd makes sure that nothing follows the one value that was read.
func expectEnd(d *jsontext.Decoder) error {
	if _, err := d.ReadToken(); err != io.EOF {
		if err == nil {
			return errors.New("a second value follows the first")
		}
		return err
	}
	return nil
}

// expect reads the token that opens a list or an object.
func expect(d *jsontext.Decoder, kind jsontext.Kind, name string) error {
	token, err := d.ReadToken()
	if err != nil {
		return err
	}
	if token.Kind() != kind {
		return fmt.Errorf("%s must be %s, not %s", name, KindName(kind), KindName(token.Kind()))
	}
	return nil
}

func readString(d *jsontext.Decoder, name string) (string, error) {
	token, err := d.ReadToken()
	if err != nil {
		return "", err
	}
	if token.Kind() != '"' {
		return "", fmt.Errorf("%s must be a string, not %s", name, KindName(token.Kind()))
	}
	return token.String(), nil
}
