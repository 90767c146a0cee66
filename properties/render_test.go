package properties

import (
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What is written of typed values is canonical already, and says what rules read.
func TestTypedValuesAreCanonical(t *testing.T) {
	const odd = "\"<\x00\u2028\u00e9\\"
	s := Set{
		pkg: Package{Name: odd, Release: "1"}, gvks: []GVK{{odd, "v1", "Kind"}, {}}, labels: []string{odd},
		metadata: &Metadata{MinKubeVersion: odd, modes: []mode{{"A", true}, {odd, false}}, apiServices: []GVK{{Kind: odd}},
			annotations: []annotation{{"\U0001F600", "1"}, {"\uFFEE", "2"}, {"b", "last"}, {"b", "3"}, {odd, odd}}},
	}
	empty := Metadata{modes: []mode{}, annotations: []annotation{}, apiServices: []GVK{}}
	texts := [][]byte{empty.value(nil), (&Metadata{}).value(nil)}
	for _, it := range []item{newItem(inPackage, 0), newItem(inMetadata, 0), newItem(inGVKs, 0), newItem(inGVKs, 1), newItem(inLabels, 0)} {
		texts = append(texts, s.value(nil, it))
		assert.Equal(t, s.typed(it), decodeJSON(s.value(nil, it)))
	}
	for _, text := range texts {
		canonical := jsontext.Value(append([]byte(nil), text...))
		require.NoError(t, canonical.Canonicalize())
		assert.Equal(t, string(canonical), string(text))
	}
	assert.Equal(t, `{"annotations":{},"apiServiceDefinitions":{"owned":[]},"installModes":[]}`, string(texts[0]))
	assert.Equal(t, `{}`, string(texts[1]))
	assert.Contains(t, string(texts[3]), `"b":"3"`)
}
