package cache

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"sync"
)

// IndexStore is a directory of indexes. Any number of processes may share it.
//
// The name of a file is made of the contents of the catalog's files, of the
// Options, and of what the program was built from: a catalog that changes gets
// another file, and so does a program that may read it in another way. Nothing removes the old ones: any file in the
// directory may be removed at any time. Whoever can write there can change what
// is resolved.
type IndexStore struct {
	// Dir is made when it is missing.
	Dir string
	// Report, where set, is told of an index that cannot be used or written. The
	// catalog is then read from its files. It may be called from several
	// goroutines.
	Report func(error)
}

// IndexedFS returns the catalog in a tree of files, as [FS] does. What was read
// once is read from the store the next time, as long as every file that counts
// has the same name and the same contents. An index that is damaged is made anew.
func IndexedFS(fsys fs.FS, store IndexStore, opts Options) Versioned {
	return &indexedSource{fsSource{fsys, opts}, store}
}

type indexedSource struct {
	fsSource
	store IndexStore
}

func (s *indexedSource) Load(ctx context.Context) (*Snapshot, error) {
	return await(ctx, func() (*Snapshot, error) {
		key, err := contentKey(ctx, s.fsys, s.opts)
		if err != nil {
			return s.fsSource.Load(ctx) // which knows best how to say it
		}
		if snapshot := s.store.read(ctx, key, s.opts); snapshot != nil {
			return snapshot, nil
		}
		snapshot, err := s.fsSource.Load(ctx)
		if err != nil {
			return nil, err
		}
		// Files that changed meanwhile are not those of the key.
		if again, err := contentKey(ctx, s.fsys, s.opts); err == nil && again == key {
			s.store.write(key, snapshot)
		}
		return snapshot, nil
	})
}

// read returns the snapshot of a key, nil if there is none that can be used.
func (s IndexStore) read(ctx context.Context, key string, opts Options) *Snapshot {
	index, err := os.ReadFile(s.path(key))
	if err != nil {
		if !os.IsNotExist(err) {
			s.report("reading", err)
		}
		return nil
	}
	snapshot, err := decodeIndex(ctx, index, key, opts)
	if ctx.Err() != nil {
		return nil
	}
	if err != nil {
		s.report("reading "+s.path(key), err)
		return nil
	}
	return snapshot
}

// write puts a complete file in place, or none.
func (s IndexStore) write(key string, snapshot *Snapshot) {
	if err := s.replace(s.path(key), encodeIndex(snapshot, key)); err != nil {
		s.report("writing", err)
	}
}

func (s IndexStore) replace(path string, index []byte) error {
	if err := os.MkdirAll(s.Dir, 0o755); err != nil {
		return err
	}
	file, err := os.CreateTemp(s.Dir, "new-*")
	if err != nil {
		return err
	}
	_, err = file.Write(index)
	if closing := file.Close(); err == nil {
		err = closing
	}
	if err == nil {
		err = os.Rename(file.Name(), path)
	}
	if err != nil {
		os.Remove(file.Name()) // what is left of it harms nobody
	}
	return err
}

func (s IndexStore) path(key string) string { return filepath.Join(s.Dir, key+".index") }

func (s IndexStore) report(doing string, err error) {
	if s.Report != nil {
		s.Report(fmt.Errorf("%s the index of the catalog: %w", doing, err))
	}
}

// contentKey identifies everything that reading a tree depends on: the program,
// the options, and the names and contents of the files that count. Sizes and times
// of files would be found sooner, but images of catalogs are often made with one
// time for all files, and a digest that changes has the length of the old one.
func contentKey(ctx context.Context, fsys fs.FS, opts Options) (string, error) {
	files, faults, err := listFiles(ctx, fsys)
	if err != nil {
		return "", err
	}
	limits := opts.Limits.withDefaults()
	sums := make([][sha256.Size]byte, len(files))
	err = forEach(ctx, len(files), opts.Workers, func(_ context.Context, i int) error {
		var err error
		sums[i], err = fileSum(fsys, files[i], limits.FileBytes)
		return err
	})
	if err != nil {
		return "", err
	}
	sum := sha256.New()
	if build, ok := debug.ReadBuildInfo(); ok {
		writeFields(sum, build.String())
	}
	writeFields(sum, fmt.Sprint(indexFormat, opts.Strict), fmt.Sprintf("%+v %+v", limits, opts.Constraints), fmt.Sprintf("%+v", faults))
	for i, name := range files {
		writeFields(sum, name, string(sums[i][:]))
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// fileSum is the checksum of as much of a file as is read.
func fileSum(fsys fs.FS, name string, limit int64) (sum [sha256.Size]byte, err error) {
	file, err := fsys.Open(name)
	if err != nil {
		return sum, err
	}
	defer file.Close()
	hash, buffer := sha256.New(), sumBuffers.Get().(*[sumBuffer]byte)
	defer sumBuffers.Put(buffer)
	if _, err := io.CopyBuffer(hash, io.LimitReader(file, limit+1), buffer[:]); err != nil {
		return sum, err
	}
	hash.Sum(sum[:0])
	return sum, nil
}

const sumBuffer = 64 << 10

// sumBuffers spare one for each of the many small files of a catalog.
var sumBuffers = sync.Pool{New: func() any { return new([sumBuffer]byte) }}
