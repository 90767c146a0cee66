package resolver

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/resolvent/resolvent/resolver/result"
)

// A name or a message with line breaks does not begin a line of its own.
func TestOneLine(t *testing.T) {
	assert.Equal(t, "a  b", result.Unbroken("a  b"))
	assert.Equal(t, "a b c d", result.Unbroken("a\r\nb\u2028c\u0085\v\f\nd"))
	assert.Equal(t, "no rule\n  | x ++\n  |    ^\n  | another\n  | y", result.Unbroken("no\nrule\n  | x ++\n  |    ^\nanother\n  | y"))
	assert.Equal(t, "a b", result.OneLine(" a\n\t b\r\n"))
}
