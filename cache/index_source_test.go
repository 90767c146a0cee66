package cache

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// settledTree is a catalog on disk that is old enough for a record, and that
// counts what is opened in it.
type settledTree struct {
	dir   string
	opens atomic.Int32
}

func (f *settledTree) Open(name string) (fs.File, error) {
	f.opens.Add(1)
	return os.DirFS(f.dir).Open(name)
}

// Stat implements fs.StatFS.
func (f *settledTree) Stat(name string) (fs.FileInfo, error) { return fs.Stat(os.DirFS(f.dir), name) }

// recorded reads a tree until there is a record of it.
func (f *settledTree) recorded(t *testing.T, store IndexStore) *Snapshot {
	t.Helper()
	var s *Snapshot
	require.Eventually(t, func() bool {
		var err error
		s, err = IndexedTree(f, f.dir, store, Options{}).Load(t.Context())
		return assert.NoError(t, err) && store.readRecord(recordKey(f.dir, Options{})) != nil
	}, time.Minute, 100*time.Millisecond)
	return s
}

func newSettledTree(t *testing.T) *settledTree {
	f := &settledTree{dir: t.TempDir()}
	if info, err := os.Stat(f.dir); err == nil {
		if _, ok := statusOf(info); !ok {
			t.Skip("this system tells no time of change")
		}
	}
	require.NoError(t, os.MkdirAll(filepath.Join(f.dir, "sub"), 0o755))
	for name, text := range map[string]string{
		"catalog.yaml":  etcd,
		"sub/more.yaml": `{schema: olm.package, name: more, defaultChannel: a}`,
		"sub/out.yaml":  `{schema: olm.package, name: out, defaultChannel: a}`,
		".indexignore":  "out.yaml\n",
	} {
		require.NoError(t, os.WriteFile(filepath.Join(f.dir, name), []byte(text), 0o644))
	}
	return f
}

// A tree whose status is the same is not read; everything that changes what
// would be read is noticed.
func TestIndexedTree(t *testing.T) {
	t.Parallel()
	changes := map[string]func(dir string) error{
		"same size and modification time": func(dir string) error {
			file := filepath.Join(dir, "catalog.yaml")
			info, err := os.Stat(file)
			if err != nil {
				return err
			}
			if err := os.WriteFile(file, bytes.ReplaceAll([]byte(etcd), []byte("etcd:1"), []byte("etcd:9")), 0o644); err != nil {
				return err
			}
			return os.Chtimes(file, info.ModTime(), info.ModTime())
		},
		"replaced, the same": func(dir string) error {
			other := filepath.Join(dir, "other")
			if err := os.WriteFile(other, bytes.ReplaceAll([]byte(etcd), []byte("etcd:1"), []byte("etcd:9")), 0o644); err != nil {
				return err
			}
			return os.Rename(other, filepath.Join(dir, "catalog.yaml"))
		},
		"a new file": func(dir string) error {
			return os.WriteFile(filepath.Join(dir, "sub", "new.yaml"), []byte(`{schema: olm.package, name: new, defaultChannel: a}`), 0o644)
		},
		"a file less": func(dir string) error { return os.Remove(filepath.Join(dir, "sub", "more.yaml")) },
		"a new directory": func(dir string) error {
			return os.CopyFS(filepath.Join(dir, "copy"), os.DirFS(filepath.Join(dir, "sub")))
		},
		"other patterns": func(dir string) error {
			return os.WriteFile(filepath.Join(dir, ".indexignore"), []byte("new.yaml"), 0o644)
		},
		"more patterns": func(dir string) error {
			return os.WriteFile(filepath.Join(dir, "sub", ".indexignore"), []byte("more.yaml"), 0o644)
		},
	}
	for name, change := range changes {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tree, store := newSettledTree(t), IndexStore{Dir: t.TempDir()}
			want := written(t, tree.recorded(t, store))

			tree.opens.Store(0)
			source := IndexedTree(tree, tree.dir, store, Options{})
			s, err := source.Load(t.Context())
			require.NoError(t, err)
			require.Equal(t, want, written(t, s))
			require.Zero(t, tree.opens.Load())
			version, err := source.Version(t.Context())
			require.NoError(t, err)
			require.Zero(t, tree.opens.Load())
			plain, err := FS(tree, Options{}).Version(t.Context())
			require.NoError(t, err)
			require.Equal(t, plain, version)

			require.NoError(t, change(tree.dir))
			fresh, err := LoadFS(t.Context(), tree, Options{})
			require.NoError(t, err)
			for range 2 {
				s, err = source.Load(t.Context())
				require.NoError(t, err)
				require.Equal(t, written(t, fresh), written(t, s))
				require.Nil(t, source.(*indexedSource).known(t.Context()), "it changed only now")
			}
		})
	}
}

// A record is not made of what was changed a moment ago: it could change again
// within the same tick of the clock.
func TestRecordWaits(t *testing.T) {
	tree := newSettledTree(t)
	names := []string{".", "catalog.yaml"}
	_, ok := readStatuses(t.Context(), tree, names, 1, time.Now())
	require.False(t, ok)
	_, ok = readStatuses(t.Context(), tree, names, 1, time.Now().Add(settling+time.Second))
	require.True(t, ok)
	_, ok = readStatuses(t.Context(), tree, append(names, "absent"), 1, time.Now().Add(settling+time.Second))
	require.False(t, ok)
	_, ok = readStatuses(t.Context(), files("-- c.yaml --\n"+etcd), []string{"c.yaml"}, 1, time.Now())
	require.False(t, ok, "no file of an operating system")
}

// Records that are damaged, or that name other files, lead nowhere.
func TestDamagedRecord(t *testing.T) {
	t.Parallel()
	tree, dir := newSettledTree(t), t.TempDir()
	reports := 0
	store := IndexStore{Dir: dir, Report: func(error) { reports++ }}
	want := written(t, tree.recorded(t, store))
	key := recordKey(tree.dir, Options{})
	path := filepath.Join(dir, key+recordSuffix)
	record, err := os.ReadFile(path)
	require.NoError(t, err)
	damaged := [][]byte{nil, []byte("x"), record[:20], record[:sealedHeader], record[:len(record)-1], append(bytes.Clone(record), 0)}
	for i := 0; i < len(record); i += 7 {
		flipped := bytes.Clone(record)
		flipped[i] ^= 0x10
		damaged = append(damaged, flipped)
	}
	for _, other := range []*indexRecord{
		{}, {key: "../../x"}, {key: "none", names: []string{"/", "..", "absent"}, statuses: "x"},
	} {
		damaged = append(damaged, other.encode(key))
	}
	for i, data := range damaged {
		require.NoError(t, os.WriteFile(path, data, 0o644))
		s, err := IndexedTree(tree, tree.dir, store, Options{}).Load(t.Context())
		require.NoError(t, err)
		require.Equal(t, want, written(t, s), "%d", i)
		r := store.readRecord(key)
		require.NotNil(t, r, "made anew")
		require.Equal(t, record, r.encode(key))
	}
	require.NotZero(t, reports)
}

// A Cache asks a tree with a record only once.
func TestCacheReadsIndexedTree(t *testing.T) {
	t.Parallel()
	tree, store := newSettledTree(t), IndexStore{Dir: t.TempDir()}
	tree.recorded(t, store)
	tree.opens.Store(0)
	catalogs, key := New(CacheOptions{}), Key{Name: "c"}
	catalogs.Set(key, CatalogConfig{Source: IndexedTree(tree, tree.dir, store, Options{})})
	require.NoError(t, catalogs.Refresh(t.Context()))
	first := catalogs.View().Catalog(key).Snapshot
	require.NoError(t, catalogs.Refresh(t.Context()))
	require.Same(t, first, catalogs.View().Catalog(key).Snapshot)
	require.Zero(t, tree.opens.Load())
}

// Any number of processes may share a store, and others may remove its files.
func TestStoreIsShared(t *testing.T) {
	t.Parallel()
	tree, dir := newSettledTree(t), t.TempDir()
	store := IndexStore{Dir: dir, MaxBytes: 1, Report: func(err error) { t.Error(err) }}
	want := written(t, tree.recorded(t, store))
	var readers sync.WaitGroup
	for worker := range 4 {
		readers.Go(func() {
			for round := range 30 {
				s, err := IndexedTree(&settledTree{dir: tree.dir}, tree.dir, store, Options{}).Load(t.Context())
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
		key("a") + indexSuffix:  {0, 100},
		key("b") + indexSuffix:  {time.Hour, 100},
		key("c") + recordSuffix: {2 * time.Hour, 50},
		key("d") + indexSuffix:  {old, 100},
		newPrefix + "1":         {0, 1000},
		newPrefix + "2":         {old, 1000},
		"notes.index":           {old, 1000},
		key("a"):                {old, 1000},
	}
	for name, test := range map[string]struct {
		store IndexStore
		gone  []string
	}{
		"default":   {IndexStore{}, []string{newPrefix + "2"}},
		"unlimited": {IndexStore{MaxUnused: -1, MaxBytes: -1}, []string{newPrefix + "2"}},
		"unused":    {IndexStore{MaxUnused: 24 * time.Hour}, []string{newPrefix + "2", key("d") + indexSuffix}},
		"bytes":     {IndexStore{MaxBytes: 160}, []string{newPrefix + "2", key("d") + indexSuffix}},
		"no bytes":  {IndexStore{MaxBytes: 1}, []string{newPrefix + "2", key("d") + indexSuffix, key("b") + indexSuffix, key("c") + recordSuffix}},
	} {
		t.Run(name, func(t *testing.T) {
			test.store.Dir = t.TempDir()
			for name, f := range files {
				path, at := filepath.Join(test.store.Dir, name), time.Now().Add(-f.age)
				require.NoError(t, os.WriteFile(path, make([]byte, f.size), 0o644))
				require.NoError(t, os.Chtimes(path, at, at))
			}
			test.store.prune(key("a") + indexSuffix)
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
