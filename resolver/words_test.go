package resolver

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// A name or a message with line breaks does not begin a line of its own.
func TestOneLine(t *testing.T) {
	assert.Equal(t, "a  b", unbroken("a  b"))
	assert.Equal(t, "a b c d", unbroken("a\r\nb\u2028c\u0085\v\f\nd"))
	assert.Equal(t, "no rule\n  | x ++\n  |    ^\n  | another\n  | y", unbroken("no\nrule\n  | x ++\n  |    ^\nanother\n  | y"))
	assert.Equal(t, "a b", oneLine(" a\n\t b\r\n"))
}
