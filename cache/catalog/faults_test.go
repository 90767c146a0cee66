package catalog

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// An archive names its files itself.
func TestFaultIsOneLine(t *testing.T) {
	f := Fault{File: "a\nb.json", Line: 1, Column: 2, Property: -1, Message: "wrong"}
	assert.EqualError(t, f, `"a\nb.json":1:2: wrong`)
}
