package constraints

import (
	"strconv"
	"strings"
)

// path leads to a place inside a JSON value.
type path []step

// step is a key of an object, or the index of an element of a list.
type step struct {
	key   string
	index int // -1 with a key
}

func keyStep(key string) step  { return step{key: key, index: -1} }
func indexStep(index int) step { return step{index: index} }

// String returns the form "any.constraints[2].package". Keys that are no plain
// words, which only faulty values have, are quoted: any["odd key"].
func (p path) String() string {
	var b strings.Builder
	for _, s := range p {
		switch {
		case s.index >= 0:
			b.WriteString("[" + strconv.Itoa(s.index) + "]")
		case !isWord(s.key):
			b.WriteString("[" + strconv.Quote(cut(s.key, maxKeyShown)) + "]")
		default:
			if b.Len() > 0 {
				b.WriteByte('.')
			}
			b.WriteString(s.key)
		}
	}
	return b.String()
}

// maxKeyShown is how much of a key a path shows, in bytes.
const maxKeyShown = 64

const wordChars = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_"

func isWord(key string) bool {
	return key != "" && len(key) <= maxKeyShown && strings.Trim(key, wordChars) == ""
}
