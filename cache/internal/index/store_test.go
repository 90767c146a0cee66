package index

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestStoreIsPruned(t *testing.T) {
	const old = 48 * time.Hour
	key := func(c string) string { return string(bytes.Repeat([]byte(c), 64)) }
	files := map[string]struct {
		age   time.Duration
		size  int
		first string
	}{
		key("a") + indexSuffix: {0, 100, signature},
		key("b") + indexSuffix: {time.Hour, 100, signature},
		key("c") + indexSuffix: {2 * time.Hour, 50, signature},
		key("d") + indexSuffix: {old, 100, signature},
		newPrefix + "1":        {0, 1000, signature},
		newPrefix + "2":        {old, 1000, signature},
		"notes.index":          {old, 1000, signature},
		key("a"):               {old, 1000, signature},
		// Others wrote these.
		newPrefix + "thesis.txt": {old, 1000, "thesis"},
		newPrefix + "empty":      {old, 0, ""},
		key("e") + indexSuffix:   {old, 1000, "\x28\xb5\x2f\xfd"},
	}
	for name, test := range map[string]struct {
		maxUnused time.Duration
		maxBytes  int64
		gone      []string
	}{
		"default":  {maxUnused, maxBytes, []string{newPrefix + "2"}},
		"unused":   {24 * time.Hour, maxBytes, []string{newPrefix + "2", key("d") + indexSuffix}},
		"bytes":    {maxUnused, 160, []string{newPrefix + "2", key("d") + indexSuffix}},
		"no bytes": {maxUnused, 1, []string{newPrefix + "2", key("d") + indexSuffix, key("b") + indexSuffix, key("c") + indexSuffix}},
	} {
		t.Run(name, func(t *testing.T) {
			store := Store{Dir: t.TempDir()}
			for name, f := range files {
				path, at := filepath.Join(store.Dir, name), time.Now().Add(-f.age)
				text := append([]byte(f.first), make([]byte, f.size-len(f.first))...)
				require.NoError(t, os.WriteFile(path, text, 0o644))
				require.NoError(t, os.Chtimes(path, at, at))
			}
			store.prune(key("a")+indexSuffix, test.maxUnused, test.maxBytes)
			for name := range files {
				_, err := os.Stat(filepath.Join(store.Dir, name))
				if assert.True(t, err == nil || os.IsNotExist(err)) {
					assert.Equal(t, slices.Contains(test.gone, name), err != nil, name)
				}
			}
		})
	}
}

// What would not be read is not written.
func TestTooLargeToWrite(t *testing.T) {
	store := Store{Dir: t.TempDir()}
	path := filepath.Join(store.Dir, "large")
	require.ErrorContains(t, store.replace(path, make([]byte, MaxFileBytes+1)), "more than the")
	require.NoFileExists(t, path)
	_, err := pack(make([]byte, maxTextBytes+1))
	require.ErrorContains(t, err, "more than the")
}

// Damage is an error, or does no harm.
func TestDamagedFile(t *testing.T) {
	text := []byte(strings.Repeat("{\"schema\":\"olm.package\"}\n", 9) + "{\"name\":\"other\"}\n")
	file, err := pack(text)
	require.NoError(t, err)
	check := func(damaged []byte, what string, at int) {
		if got, err := unpack(damaged, maxTextBytes); err == nil {
			require.Equal(t, string(text), string(got), "%s %d", what, at)
		}
	}
	check(file, "whole", 0)
	for n := range file {
		_, err := unpack(file[:n], maxTextBytes)
		assert.Equal(t, n == 0 || n == len(signature), err == nil, "the first %d bytes", n) // no text
		for bit := range 8 {
			damaged := slices.Clone(file)
			damaged[n] ^= 1 << bit
			check(damaged, "byte", n)
		}
	}
	_, err = unpack(append(slices.Clone(file), 'x'), maxTextBytes)
	require.Error(t, err)
}

// A small file that unpacks to more than is allowed is refused.
func TestTooLargeToUnpack(t *testing.T) {
	const most = 1 << 20
	for _, size := range []int{most, most + 1} {
		file, err := pack(make([]byte, size))
		require.NoError(t, err)
		_, err = unpack(file, most)
		assert.Equal(t, size <= most, err == nil, "%d bytes: %v", size, err)
		_, err = unpack(slices.Concat(file, file), most)
		require.Error(t, err)
	}
}
