package constraints

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/resolvent/resolvent/properties/jsonfield"
)

// reader decodes one property, and knows its own place in the value.
type reader struct {
	parser *Parser
	json   *jsontext.Decoder
	path   path
}

// placedError is an error with its place.
type placedError struct {
	path string
	err  error
}

func (e *placedError) Unwrap() error { return e.err }
func (e *placedError) Error() string {
	if e.path == "" {
		return e.err.Error()
	}
	return e.path + ": " + e.err.Error()
}

// form is how strictly an object is read.
type form bool

const (
	strict  form = true
	lenient form = false
)

// texts reads an object whose members are strings. The required members must be there
// and not empty. In the lenient form a member that is null counts as absent.
func (r *reader) texts(form form, required []string, keys ...string) (map[string]string, error) {
	texts := make(map[string]string, len(keys))
	err := r.object(form, keys, func(key string) error {
		if form == lenient && r.json.PeekKind() == 'n' {
			return r.invalid(r.json.SkipValue())
		}
		text, err := r.text()
		texts[key] = text
		return err
	})
	for _, key := range required {
		if err == nil && texts[key] == "" {
			err = r.missing(key)
		}
	}
	return texts, err
}

// object reads an object. It calls visit in front of the value of each member with one
// of the keys. Other members are skipped in the lenient form, and errors in the strict
// one.
func (r *reader) object(form form, keys []string, visit func(key string) error) error {
	if _, err := r.token('{'); err != nil {
		return err
	}
	seen := make([]bool, len(keys))
	for r.json.PeekKind() != '}' {
		token, err := r.json.ReadToken()
		if err != nil {
			return r.invalid(err)
		}
		key := token.String()
		r.path = append(r.path, step{key, -1})
		switch i := slices.Index(keys, key); {
		case i >= 0 && seen[i]:
			return r.fail("is stated twice")
		case i >= 0:
			seen[i] = true
			err = visit(key)
		case form == strict:
			return r.fail("is unknown: the keys here are %s", strings.Join(keys, ", "))
		default:
			err = r.invalid(r.json.SkipValue())
		}
		if err != nil {
			return err
		}
		r.path = r.path[:len(r.path)-1]
	}
	_, err := r.json.ReadToken()
	return r.invalid(err)
}

// list reads a list. It calls visit in front of each element.
func (r *reader) list(visit func() error) error {
	if _, err := r.token('['); err != nil {
		return err
	}
	for i := 0; r.json.PeekKind() != ']'; i++ {
		r.path = append(r.path, step{index: i})
		if err := visit(); err != nil {
			return err
		}
		r.path = r.path[:len(r.path)-1]
	}
	_, err := r.json.ReadToken()
	return r.invalid(err)
}

func (r *reader) text() (string, error) {
	token, err := r.token('"')
	return token.String(), err
}

func (r *reader) token(want jsontext.Kind) (jsontext.Token, error) {
	token, err := r.json.ReadToken()
	if err == nil && token.Kind() != want {
		return token, r.fail("must be %s, not %s", jsonfield.KindName(byte(want)), jsonfield.KindName(byte(token.Kind())))
	}
	return token, r.invalid(err)
}

func (r *reader) fail(format string, args ...any) error {
	return &placedError{r.path.String(), fmt.Errorf(format, args...)}
}

// invalid adds the place to an error of the decoder, if there is one.
func (r *reader) invalid(err error) error {
	if err == nil {
		return nil
	}
	return r.fail("invalid JSON: %w", err)
}

func (r *reader) missing(key string) error { return r.at(key, errors.New("is missing or empty")) }

func (r *reader) at(key string, err error) error {
	return &placedError{append(slices.Clip(r.path), step{key, -1}).String(), err}
}

// path is the way to a place inside a JSON value. Each step is a key of an object or an
// index of a list.
type path []step

type step struct {
	key   string
	index int // -1 with a key
}

// String returns the form "any.constraints[2].package". It quotes odd keys, which only
// faulty values have: any["odd key"].
func (p path) String() string {
	var b strings.Builder
	for _, s := range p {
		switch {
		case s.index >= 0:
			b.WriteString("[" + strconv.Itoa(s.index) + "]")
		case !isWord(s.key):
			key := s.key
			if len(key) > maxKeyShown {
				key = strings.ToValidUTF8(key[:maxKeyShown], "") + "..."
			}
			b.WriteString("[" + strconv.Quote(key) + "]")
		default:
			if b.Len() > 0 {
				b.WriteByte('.')
			}
			b.WriteString(s.key)
		}
	}
	return b.String()
}

// maxKeyShown is the length to which a path cuts a key, in bytes.
const maxKeyShown = 64

const wordChars = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_"

func isWord(key string) bool {
	return key != "" && len(key) <= maxKeyShown && strings.Trim(key, wordChars) == ""
}
