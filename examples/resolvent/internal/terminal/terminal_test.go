package terminal

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Colours are the program's own; JSON and YAML say exactly what is so.
func TestPrint(t *testing.T) {
	colours := Style{"MARK"}
	text := colours.Bold("a\x1b[31m") + "\tb\xff\n"
	for output, want := range map[string]string{
		OutputText: "\x1b[1ma\\x1b[31m\x1b[0m\tb\\xff\n",
		OutputJSON: text,
		OutputYAML: text,
	} {
		var out strings.Builder
		require.NoError(t, colours.Print(&out, []byte(text), output))
		assert.Equal(t, want, out.String(), output)
	}
	assert.Equal(t, `a\n\tb`, Plain("a\n\tb"))
	assert.Equal(t, "grün \u200b", Plain("grün \u200b"), "nothing but what controls is escaped")
}
