package inputs

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A file is there as a whole, with its mode and under its links, and nothing beside it.
func TestWriteFile(t *testing.T) {
	dir := t.TempDir()
	name, link := filepath.Join(dir, "saved"), filepath.Join(dir, "link")
	require.NoError(t, WriteFile(name, []byte("first")))
	require.NoError(t, os.Chmod(name, 0o600))
	require.NoError(t, os.Symlink(name, link))
	open, err := os.Open(name)
	require.NoError(t, err)
	defer open.Close()
	require.NoError(t, WriteFile(link, []byte("second")))
	text, err := os.ReadFile(name)
	require.NoError(t, err)
	assert.Equal(t, "second", string(text))
	before := make([]byte, 10)
	n, _ := open.Read(before)
	assert.Equal(t, "first", string(before[:n]), "who reads it meanwhile reads all of it")
	info, err := os.Lstat(name)
	require.NoError(t, err)
	assert.EqualValues(t, 0o600, info.Mode())
	assert.Error(t, WriteFile(dir, nil))
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	assert.Len(t, entries, 2)
}
