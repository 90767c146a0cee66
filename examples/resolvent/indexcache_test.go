package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The answer is the same with and without indexes, and with damaged ones.
func TestIndexCache(t *testing.T) {
	dir := t.TempDir()
	answer := func(name string, flags ...string) (o outcome) {
		t.Run(name, func(t *testing.T) {
			o = invoke(t, t.Context(), "", resolveArgs(from("failing.yaml", flags...), coast, island)...)
		})
		return o
	}
	cache := []string{"--index-cache", dir}

	want := answer("without")
	assert.Equal(t, want, answer("absent", cache...))
	assert.Equal(t, want, answer("present", cache...))
	indexes, err := filepath.Glob(filepath.Join(dir, "*.index"))
	require.NoError(t, err)
	require.Len(t, indexes, 2)
	for _, index := range indexes {
		require.NoError(t, os.Truncate(index, 100))
	}
	damaged := answer("damaged", cache...)
	assert.Equal(t, want.stdout, damaged.stdout)
	assert.Contains(t, damaged.stderr, "--index-cache: reading ")
	assert.Equal(t, want, answer("made anew", cache...))
}
