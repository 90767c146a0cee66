package constraints_test

import (
	"bytes"
	"encoding/json"
	"io"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/testdata/testkit"
)

// What operators published so far can be read.
func TestPublishedConstraints(t *testing.T) {
	p := newParser()
	read := map[string]int{}
	for file, text := range testkit.Files(t, testkit.Shared(t, "catalogs", "community"), "*", "catalog.json") {
		set, _ := properties.Decode(publishedProperties(t, text), nil)
		list, faults := p.ParseSet(set)
		require.Empty(t, faults, file)
		for _, c := range list {
			read[c.Type]++
		}
	}
	assert.Positive(t, read[properties.TypeConstraint])
	assert.Greater(t, read[properties.TypeGVKRequired], 100)
	assert.Greater(t, read[properties.TypePackageRequired], 100)
}

func publishedProperties(t *testing.T, text []byte) []properties.Property {
	t.Helper()
	var list []properties.Property
	for d := json.NewDecoder(bytes.NewReader(text)); ; {
		var blob struct{ Properties []properties.Property }
		if err := d.Decode(&blob); err == io.EOF {
			return list
		} else if err != nil {
			t.Fatal(err)
		}
		list = append(list, blob.Properties...)
	}
}
