package repair

import (
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/resolvent/resolvent/resolver/check"
)

// Each code of findings has a row: what may repair it, or why nothing does.
func TestCodes(t *testing.T) {
	assert.Equal(t, slices.Sorted(maps.Keys(check.Codes())), slices.Sorted(maps.Keys(repairs)))
	for code, row := range repairs {
		assert.True(t, row.none != "" || row.candidates != nil, code)
	}
}
