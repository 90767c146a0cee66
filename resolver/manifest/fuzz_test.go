package manifest_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/resolver/manifest"
)

// FuzzRead looks for input that panics, and for input that does not mean the
// same when it is given twice.
func FuzzRead(f *testing.F) {
	for _, seed := range []string{
		"",
		"kind: Subscription\nmetadata: {name: a, namespace: n}\nspec: {name: p, channel: c}\n---\nkind: Namespace\nmetadata: {name: n}\n",
		`{"kind":"List","items":[{"apiVersion":"operators.coreos.com/v1","kind":"OperatorGroup","metadata":{"name":"g","namespace":"n"}}]}{}`,
		"kind: ClusterServiceVersion\nmetadata: {name: a, namespace: n}\nspec: {customresourcedefinitions: {owned: [{name: a.b}]}}\n",
		"kind: ClusterExtension\nmetadata: {name: a}\nstatus: {install: {bundle: {release: ''}}}\n",
		"a: &a [0x1F, .inf, 1e3, 2001-01-01, !!binary aGk=, ~, yes]\nb: *a\n",
		"? [a]\n: b\n",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		once, err := manifest.Read(t.Context(), manifest.Input{Name: "fuzz", Reader: bytes.NewReader(data)})
		if err != nil {
			assert.NotEmpty(t, err.Error())
			return
		}
		twice, err := manifest.Read(t.Context(),
			manifest.Input{Name: "one", Reader: bytes.NewReader(data)},
			manifest.Input{Name: "two", Reader: bytes.NewReader(data)})
		require.NoError(t, err)
		assert.Equal(t, once, twice)
	})
}
