package manifest_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/resolver/manifest"
)

// TestLimits reads inputs at each limit and one beyond it.
func TestLimits(t *testing.T) {
	const object = "kind: Namespace\nmetadata: {name: a}\n"
	// A list in a list, and so on, in a field that nobody reads.
	nested := "kind: X\na: " + strings.Repeat("[", 8) + strings.Repeat("]", 8) + "\n"
	// An alias counts the nodes that it leads to, and their bytes.
	aliased := "kind: X\na: &a [xxxx, xxxx]\nb: *a\n"
	// So do the keys.
	keyed := "kind: X\na: &a {xxxx: xxxx}\nb: *a\n"
	for name, test := range map[string]struct {
		text   string
		fits   manifest.Limits
		beyond manifest.Limits
		want   string
	}{
		"bytes":     {object, manifest.Limits{Bytes: int64(len(object))}, manifest.Limits{Bytes: int64(len(object)) - 1}, "in: more than 35 bytes of manifests"},
		"documents": {object + "---\n" + object, manifest.Limits{Documents: 2}, manifest.Limits{Documents: 1}, "in: more than 1 documents"},
		"depth":     {nested, manifest.Limits{Depth: 9}, manifest.Limits{Depth: 8}, "in: document 1: line 2: "},
		"aliases":   {aliased, manifest.Limits{AliasBytes: 11}, manifest.Limits{AliasBytes: 10}, "in: document 1: line 3: aliases expand to more than 10 bytes"},
		"keys":      {keyed, manifest.Limits{AliasBytes: 11}, manifest.Limits{AliasBytes: 10}, "in: document 1: line 3: aliases expand to more than 10 bytes"},
	} {
		t.Run(name, func(t *testing.T) {
			read := func(l manifest.Limits) error {
				_, err := l.Read(t.Context(), manifest.Input{Name: "in", Reader: strings.NewReader(test.text)})
				return err
			}
			require.NoError(t, read(test.fits))
			err := read(test.beyond)
			var fault *manifest.Error
			require.ErrorAs(t, err, &fault)
			assert.True(t, strings.HasPrefix(err.Error(), test.want), err.Error())
		})
	}
}
