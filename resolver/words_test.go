package resolver_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/resolvent/resolvent/resolver/internal/words"
)

func TestLists(t *testing.T) {
	names := []string{"a", "b", "c", "d", "e"}
	assert.Equal(t, "a", words.Listed(names[:1], 4))
	assert.Equal(t, "a, b and c", words.Listed(names[:3], 4))
	assert.Equal(t, "a, b, c and 2 more", words.Listed(names, 4))
	assert.Equal(t, "a, b, c or one of 2 more", words.Either(names))
	assert.Equal(t, "1 reason", words.Count(1, "reason"))
	assert.Equal(t, "2 reasons", words.Count(2, "reason"))
}

// A name or a message with line breaks does not begin a line of its own.
func TestOneLine(t *testing.T) {
	assert.Equal(t, "a  b", words.Unbroken("a  b"))
	assert.Equal(t, "a b c d", words.Unbroken("a\r\nb\u2028c\u0085\v\f\nd"))
	assert.Equal(t, "no rule\n  | x ++\n  |    ^\n  | another\n  | y", words.Unbroken("no\nrule\n  | x ++\n  |    ^\nanother\n  | y"))
	assert.Equal(t, "a b", words.OneLine(" a\n\t b\r\n"))
}

func TestVersionSpan(t *testing.T) {
	assert.Equal(t, "no bundle of p", words.VersionSpan("p", nil))
}
