package cache

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/cache/internal/index"
)

// plant replaces an index by that of another catalog.
func plant(path string, s *catalog.Snapshot) error {
	key := strings.TrimSuffix(filepath.Base(path), ".index")
	text, err := renderIndex(context.Background(), key, s)
	if err != nil {
		return err
	}
	return index.Store{Dir: filepath.Dir(path)}.Write(key, text)
}

// What is kept is found by what identifies the content, and by nothing else.
func TestStoreIsKeyedByContent(t *testing.T) {
	store, loads := IndexStore{Dir: t.TempDir()}, 0
	load := func(context.Context) (*catalog.Snapshot, error) {
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
		{content: []string{"a"}, opts: Options{Texts: true}, loads: 8},
		{content: []string{"a"}, opts: Options{Texts: true}, loads: 9},
		{content: []string{"a"}, opts: Options{Objects: true}, loads: 10},
		{content: []string{"a"}, opts: Options{Objects: true}, loads: 11},
	} {
		read(step.opts, step.content...)
		require.Equal(t, step.loads, loads, "%+v", step)
	}
}

// Any number of processes may share a store, and others may remove its files.
func TestStoreIsShared(t *testing.T) {
	t.Parallel()
	tree, dir := files("-- c.yaml --\n"+etcd), t.TempDir()
	store := IndexStore{Dir: dir, Report: func(err error) { t.Error(err) }}
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
					list, _ := filepath.Glob(filepath.Join(dir, "*.index"))
					for _, file := range list {
						os.Remove(file)
					}
				}
			}
		})
	}
	readers.Wait()
	left, err := filepath.Glob(filepath.Join(dir, "new-*"))
	require.NoError(t, err)
	require.Empty(t, left)
}

// What is used is kept: reading notes when it was.
func TestUseIsNoted(t *testing.T) {
	catalog, dir := files("-- c.yaml --\n"+etcd), t.TempDir()
	read := func() {
		_, err := IndexedFS(catalog, IndexStore{Dir: dir}, Options{}).Load(t.Context())
		require.NoError(t, err)
	}
	read()
	list, err := filepath.Glob(filepath.Join(dir, "*.index"))
	require.NoError(t, err)
	require.Len(t, list, 1)
	before := time.Now().Add(-3 * time.Hour)
	require.NoError(t, os.Chtimes(list[0], before, before))
	read()
	info, err := os.Stat(list[0])
	require.NoError(t, err)
	require.WithinDuration(t, time.Now(), info.ModTime(), time.Minute)
}

func TestIndexedFS(t *testing.T) {
	tree, dir := t.TempDir(), filepath.Join(t.TempDir(), "made", "here")
	file := filepath.Join(tree, "catalog.yaml")
	require.NoError(t, os.WriteFile(file, []byte(etcd), 0o644))
	var reports []string
	store := IndexStore{Dir: dir, Report: func(err error) { reports = append(reports, err.Error()) }}
	read := func(opts Options) *catalog.Snapshot {
		t.Helper()
		s, err := IndexedFS(os.DirFS(tree), store, opts).Load(t.Context())
		require.NoError(t, err)
		return s
	}
	indexes := func() []string {
		list, err := filepath.Glob(filepath.Join(dir, "*"))
		require.NoError(t, err)
		return list
	}

	want := written(t, read(Options{}))
	require.Len(t, indexes(), 1)
	whole, err := os.ReadFile(indexes()[0])
	require.NoError(t, err)
	require.Equal(t, want, written(t, read(Options{})))
	require.Empty(t, reports)

	// It is really read from there.
	stored := indexes()[0]
	other := load(t, "")
	require.NoError(t, plant(stored, other))
	require.Equal(t, written(t, other), written(t, read(Options{})))

	// Damaged, or that of another catalog: it is made anew.
	for _, damaged := range [][]byte{nil, []byte("x"), whole[:len(whole)/2], append(whole, 'x'), want} {
		reports = nil
		require.NoError(t, os.WriteFile(stored, damaged, 0o644))
		require.Equal(t, want, written(t, read(Options{})))
		require.Len(t, reports, 1)
		require.Equal(t, want, written(t, read(Options{})))
		require.Len(t, reports, 1)
	}

	// Other options and other contents have their own.
	read(Options{Strict: true})
	require.Len(t, indexes(), 2)
	info, err := os.Stat(file)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(file, bytes.ReplaceAll([]byte(etcd), []byte("etcd:1"), []byte("etcd:9")), 0o644))
	require.NoError(t, os.Chtimes(file, info.ModTime(), info.ModTime()))
	s := read(Options{})
	require.Equal(t, "registry.example/etcd:9", s.Bundle(s.Named("etcd.v1")[0]).Image)
	require.Len(t, indexes(), 3)
}

func TestIndexedFSWithoutStore(t *testing.T) {
	tree := files("-- c.yaml --\n" + etcd)
	inTheWay := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(inTheWay, nil, 0o644))
	s, err := IndexedFS(tree, IndexStore{Dir: inTheWay}, Options{}).Load(t.Context())
	require.NoError(t, err)
	require.Equal(t, 4, s.Len())

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = IndexedFS(tree, IndexStore{Dir: t.TempDir()}, Options{}).Load(ctx)
	require.ErrorIs(t, err, context.Canceled)
}

// BenchmarkReadIndex reads the index of the catalog that BenchmarkLoadCommunity
// loads and asks it for a package.
func BenchmarkReadIndex(b *testing.B) {
	tree, store := realFiles(b, "community"), IndexStore{Dir: b.TempDir()}
	source := IndexedFS(tree, store, Options{})
	_, err := source.Load(b.Context()) // which writes it
	require.NoError(b, err)
	b.Run("contents", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			s, err := source.Load(b.Context())
			require.NoError(b, err)
			require.NotNil(b, s.Package("grafana-operator"))
		}
	})
}
