package manifest

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestLimits reads inputs at each limit and one beyond it.
// TestDefaults holds what the documentation of Read states.
func TestDefaults(t *testing.T) {
	assert.Equal(t, limits{bytes: 4 << 30, object: 256 << 20, documents: 100_000, depth: 1000, aliasBytes: 4 << 20, whole: 8 << 20, split: 1 << 20}, defaults)
}

func TestLimits(t *testing.T) {
	const object = "kind: Namespace\nmetadata: {name: a}\n"
	// A list in a list, and so on, in a field that nobody reads.
	nested := "kind: X\na: " + strings.Repeat("[", 8) + strings.Repeat("]", 8) + "\n"
	// An alias counts the nodes that it leads to, and their bytes.
	aliased := "kind: X\na: &a [xxxx, xxxx]\nb: *a\n"
	// So do the keys.
	keyed := "kind: X\na: &a {xxxx: xxxx}\nb: *a\n"
	aliasBytes := func(l *limits, n int) { l.aliasBytes = n }
	for name, test := range map[string]struct {
		text string
		set  func(l *limits, n int)
		fits int
		want string
	}{
		"bytes":     {object, func(l *limits, n int) { l.bytes, l.whole = int64(n), 0 }, len(object), "in: more than 35 bytes of manifests"},
		"documents": {object + "---\n" + object, func(l *limits, n int) { l.documents = n }, 2, "in: more than 1 documents"},
		"depth":     {nested, func(l *limits, n int) { l.depth = n }, 9, "in: document 1: line 2: "},
		"aliases":   {aliased, aliasBytes, 11, "in: document 1: line 3: aliases expand to more than 10 bytes"},
		"keys":      {keyed, aliasBytes, 11, "in: document 1: line 3: aliases expand to more than 10 bytes"},
	} {
		t.Run(name, func(t *testing.T) {
			read := func(n int) error {
				l := defaults
				test.set(&l, n)
				_, err := readAll(t.Context(), l, []Input{{Name: "in", Reader: strings.NewReader(test.text)}})
				return err
			}
			require.NoError(t, read(test.fits))
			err := read(test.fits - 1)
			var fault *Error
			require.ErrorAs(t, err, &fault)
			assert.True(t, strings.HasPrefix(err.Error(), test.want), err.Error())
		})
	}
}
