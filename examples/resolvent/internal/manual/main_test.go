package main

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/spf13/cobra/doc"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write the reference anew")

func TestReference(t *testing.T) {
	var b bytes.Buffer
	require.NoError(t, markdown(&b))
	page := filepath.Join("..", "..", "..", "..", ".github", "docs", "reference.md")
	if *update {
		require.NoError(t, os.WriteFile(page, b.Bytes(), 0o644))
	}
	want, err := os.ReadFile(page)
	require.NoError(t, err)
	assert.Equal(t, string(want), b.String(), "run go test with -update")
}

func TestMan(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, doc.GenManTree(root(), &doc.GenManHeader{Section: "1"}, dir))
	page, err := os.ReadFile(filepath.Join(dir, "resolvent-status.1"))
	require.NoError(t, err)
	assert.Contains(t, string(page), "--target-openshift")
}
