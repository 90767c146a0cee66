package properties_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/properties/jsonfield"
)

func TestDecode(t *testing.T) {
	var into struct {
		Name  string `json:"name"`
		Items []struct {
			Size int `json:"size"`
		} `json:"items"`
	}
	for text, want := range map[string]string{
		`{"name": 3}`:                          "spec.name: want a string, got a number",
		`{"items": {}}`:                        "spec.items: want a list, got an object",
		`{"items": [{"size":1},{"size":"1"}]}`: "spec.items[1].size: want a whole number, got a string",
		`[]`:                                   "spec: want an object, got a list",
	} {
		err := jsonfield.Decode([]byte(text), &into, "spec")
		var field *jsonfield.Error
		require.ErrorAs(t, err, &field, text)
		assert.EqualError(t, err, want)
	}
	assert.EqualError(t, jsonfield.Decode([]byte(`[]`), &into, ""), "want an object, got a list")
	require.NoError(t, jsonfield.Decode([]byte(`{"name":"a","items":[{"size":2}]}`), &into, ""))
	assert.Equal(t, 2, into.Items[0].Size)
}
