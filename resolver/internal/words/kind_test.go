package words

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// A code has one kind.
func TestKinds(t *testing.T) {
	for kind, codes := range kinds {
		for _, c := range codes {
			assert.Equal(t, kind, c.Kind(), "%s has two kinds", c)
		}
	}
}
