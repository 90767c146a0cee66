package cache

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What is kept is found by what identifies the content, and by nothing else.
func TestStoreIsKeyedByContent(t *testing.T) {
	store, loads := IndexStore{Dir: t.TempDir()}, 0
	load := func(context.Context) (*Snapshot, error) {
		loads++
		return parse(t, etcd), nil
	}
	read := func(opts Options, content ...string) {
		t.Helper()
		identify := func(context.Context) (string, error) {
			if len(content) == 0 {
				return "", errors.New("not known")
			}
			next := content[0]
			content = append(content[1:], next)
			return next, nil
		}
		s, err := store.Load(t.Context(), identify, opts, load)
		require.NoError(t, err)
		require.Equal(t, 4, s.Len())
	}
	for _, step := range []struct {
		content []string
		opts    Options
		loads   int
	}{
		{content: []string{"a"}, loads: 1},
		{content: []string{"a"}, loads: 1},
		{content: []string{"b"}, loads: 2},
		{content: []string{"a"}, opts: Options{Strict: true}, loads: 3},
		{content: []string{""}, loads: 4},
		{content: nil, loads: 5},
		{content: []string{"c", "d"}, loads: 6}, // it changed meanwhile
		{content: []string{"c", "d"}, loads: 7},
	} {
		read(step.opts, step.content...)
		require.Equal(t, step.loads, loads, "%+v", step)
	}
}

// Any number of processes may share a store, and others may remove its files.
func TestStoreIsShared(t *testing.T) {
	t.Parallel()
	tree, dir := files("-- c.yaml --\n"+etcd), t.TempDir()
	store := IndexStore{Dir: dir, MaxBytes: 1, Report: func(err error) { t.Error(err) }}
	want := written(t, loadTree(t, tree))
	var readers sync.WaitGroup
	for worker := range 4 {
		readers.Go(func() {
			for round := range 30 {
				s, err := IndexedFS(tree, store, Options{}).Load(t.Context())
				if assert.NoError(t, err) {
					assert.Equal(t, want, written(t, s))
				}
				if round%5 == worker {
					list, _ := filepath.Glob(filepath.Join(dir, "*"+indexSuffix))
					for _, file := range list {
						os.Remove(file)
					}
				}
			}
		})
	}
	readers.Wait()
	left, err := filepath.Glob(filepath.Join(dir, newPrefix+"*"))
	require.NoError(t, err)
	require.Empty(t, left)
}

func TestStoreIsPruned(t *testing.T) {
	const old = 48 * time.Hour
	key := func(c string) string { return string(bytes.Repeat([]byte(c), 64)) }
	files := map[string]struct {
		age  time.Duration
		size int
	}{
		key("a") + indexSuffix: {0, 100},
		key("b") + indexSuffix: {time.Hour, 100},
		key("c") + indexSuffix: {2 * time.Hour, 50},
		key("d") + indexSuffix: {old, 100},
		newPrefix + "1":        {0, 1000},
		newPrefix + "2":        {old, 1000},
		"notes.index":          {old, 1000},
		key("a"):               {old, 1000},
	}
	for name, test := range map[string]struct {
		store IndexStore
		gone  []string
	}{
		"default":   {IndexStore{}, []string{newPrefix + "2"}},
		"unlimited": {IndexStore{MaxUnused: -1, MaxBytes: -1}, []string{newPrefix + "2"}},
		"unused":    {IndexStore{MaxUnused: 24 * time.Hour}, []string{newPrefix + "2", key("d") + indexSuffix}},
		"bytes":     {IndexStore{MaxBytes: 160}, []string{newPrefix + "2", key("d") + indexSuffix}},
		"no bytes":  {IndexStore{MaxBytes: 1}, []string{newPrefix + "2", key("d") + indexSuffix, key("b") + indexSuffix, key("c") + indexSuffix}},
	} {
		t.Run(name, func(t *testing.T) {
			test.store.Dir = t.TempDir()
			for name, f := range files {
				path, at := filepath.Join(test.store.Dir, name), time.Now().Add(-f.age)
				require.NoError(t, os.WriteFile(path, make([]byte, f.size), 0o644))
				require.NoError(t, os.Chtimes(path, at, at))
			}
			store(test.store).prune(key("a") + indexSuffix)
			for name := range files {
				_, err := os.Stat(filepath.Join(test.store.Dir, name))
				if assert.True(t, err == nil || os.IsNotExist(err)) {
					assert.Equal(t, slices.Contains(test.gone, name), err != nil, name)
				}
			}
		})
	}
}

// What is used is kept: reading notes when it was.
func TestUseIsNoted(t *testing.T) {
	catalog, dir := files("-- c.yaml --\n"+etcd), t.TempDir()
	read := func() {
		_, err := IndexedFS(catalog, IndexStore{Dir: dir}, Options{}).Load(t.Context())
		require.NoError(t, err)
	}
	read()
	list, err := filepath.Glob(filepath.Join(dir, "*"+indexSuffix))
	require.NoError(t, err)
	require.Len(t, list, 1)
	before := time.Now().Add(-3 * time.Hour)
	require.NoError(t, os.Chtimes(list[0], before, before))
	read()
	info, err := os.Stat(list[0])
	require.NoError(t, err)
	require.WithinDuration(t, time.Now(), info.ModTime(), time.Minute)
}
