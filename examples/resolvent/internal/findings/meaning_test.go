package findings

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver/catalogcheck"
)

// Every code and severity has a meaning, and nothing else has.
func TestMeanings(t *testing.T) {
	codes := catalogcheck.Codes()
	for _, code := range codes {
		assert.NotEmpty(t, Meaning(code), code)
	}
	assert.Len(t, meanings, len(codes))
	assert.Len(t, Severities, int(catalog.Note)+1)
}
