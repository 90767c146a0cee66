package inputs

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A file is there as a whole, with its mode and under its links, and nothing beside it.
func TestWriteFile(t *testing.T) {
	dir := t.TempDir()
	name, link := filepath.Join(dir, "saved"), filepath.Join(dir, "link")
	require.NoError(t, WriteFile(t.Context(), name, []byte("first")))
	require.NoError(t, os.Chmod(name, 0o600))
	require.NoError(t, os.Symlink(name, link))
	open, err := os.Open(name)
	require.NoError(t, err)
	defer open.Close()
	require.NoError(t, WriteFile(t.Context(), link, []byte("second")))
	text, err := os.ReadFile(name)
	require.NoError(t, err)
	assert.Equal(t, "second", string(text))
	before := make([]byte, 10)
	n, _ := open.Read(before)
	assert.Equal(t, "first", string(before[:n]), "who reads it meanwhile reads all of it")
	info, err := os.Lstat(name)
	require.NoError(t, err)
	assert.EqualValues(t, 0o600, info.Mode())
	assert.Error(t, WriteFile(t.Context(), dir, nil))
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	assert.Len(t, entries, 2)
	long := filepath.Join(dir, strings.Repeat("n", 300)) // longer than the name that is written first
	assert.EqualError(t, WriteFile(t.Context(), long, nil), long+": file name too long")
}

// A new folder is in none that is read, whatever links lead there, and not in use.
func TestCheckNewFolder(t *testing.T) {
	dir := t.TempDir()
	read, link := filepath.Join(dir, "read"), filepath.Join(dir, "link")
	require.NoError(t, os.MkdirAll(filepath.Join(read, "empty"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(read, "c.json"), nil, 0o644))
	require.NoError(t, os.Symlink(read, link))
	t.Chdir(read)
	for _, folder := range []string{read, ".", "out", "empty", filepath.Join(read, "a", "b"), filepath.Join(link, "out"), filepath.Join(dir, "read", "..", "read", "out")} {
		assert.Error(t, CheckNewFolder(folder, "."), folder)
		assert.Error(t, CheckNewFolder(folder, link), folder)
	}
	for _, folder := range []string{"../out", filepath.Join(dir, "read2"), filepath.Join(dir, "..read")} {
		assert.NoError(t, CheckNewFolder(folder, read), folder)
	}
	file := filepath.Join(read, "c.json")
	assert.EqualError(t, CheckNewFolder(file, dir), file+": not a directory")
}

// A folder is written as a whole, or it stays as it was.
func TestWriteFolder(t *testing.T) {
	dir := t.TempDir()
	there, fresh := filepath.Join(dir, "there"), filepath.Join(dir, "fresh")
	require.NoError(t, os.Mkdir(there, 0o755))
	for _, folder := range []string{there, fresh} {
		assert.ErrorIs(t, WriteFolder(folder, func(part string) error {
			require.NoError(t, os.WriteFile(filepath.Join(part, "a"), nil, 0o644))
			return os.ErrInvalid
		}), os.ErrInvalid)
	}
	assert.NoDirExists(t, fresh)
	entries, err := os.ReadDir(there)
	require.NoError(t, err)
	assert.Empty(t, entries)
	require.NoError(t, WriteFolder(fresh, func(part string) error { return os.WriteFile(filepath.Join(part, "a"), nil, 0o644) }))
	assert.FileExists(t, filepath.Join(fresh, "a"))
}

// Where one of several files cannot be written, none changes, and nothing is left beside them.
func TestReplaceFiles(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	write("a", "old a")
	write("b", "old b")
	require.NoError(t, ReplaceFiles(dir, map[string][]byte{"a": []byte("new a"), "c": []byte("new c")}))
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "folder", "full"), 0o700))
	require.Error(t, ReplaceFiles(dir, map[string][]byte{"a": []byte("newer a"), "b": []byte("newer b"), "d": nil, "folder": nil}))
	got := map[string]string{}
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	for _, e := range entries {
		text, _ := os.ReadFile(filepath.Join(dir, e.Name())) // that of a folder is empty
		got[e.Name()] = string(text)
	}
	assert.Equal(t, map[string]string{"a": "new a", "b": "old b", "c": "new c", "folder": ""}, got)
	info, err := os.Stat(filepath.Join(dir, "a"))
	require.NoError(t, err)
	assert.Equal(t, fs.FileMode(0o600), info.Mode())
}
