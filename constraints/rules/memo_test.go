package rules

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestMemoIsBounded(t *testing.T) {
	m := newMemo[int](3, 10)
	computed := 0
	get := func(text string) {
		_, _ = m.get(text, func(string) (int, error) { computed++; return computed, nil })
	}
	for range 2 {
		get("a")
		get("b")
	}
	assert.Equal(t, 2, computed, "kept")
	get(strings.Repeat("x", 9))
	get(strings.Repeat("x", 9))
	assert.Equal(t, 4, computed, "too many bytes to keep")
	get("c")
	get("d")
	get("d")
	assert.Equal(t, 7, computed, "too many entries to keep")
	assert.Len(t, m.entries, 3)
	get("a")
	assert.Equal(t, 7, computed, "still kept")
}
