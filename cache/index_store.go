package cache

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// IndexStore is a directory of indexes: catalogs as they were read, for processes
// that start often. Any number of processes may share it.
//
// The name of an index is made of what identifies the content of the catalog, of
// the Options, and of what the program was built from: a catalog that changes gets
// another file, and so does a program that may read it in another way. Old ones
// are removed whenever one is written; any file in the directory may be removed at
// any time. Whoever can write there can change what is resolved: a checksum guards
// against damage only.
type IndexStore struct {
	// Dir is made when it is missing.
	Dir string
	// Report, where set, is told of an index that cannot be used or written. The
	// catalog is then read from its files. It may be called from several
	// goroutines.
	Report func(error)
	// MaxUnused is how long a file is kept after it was last used, which is told
	// to the hour; default 30 days, negative: for ever.
	MaxUnused time.Duration
	// MaxBytes is how large the files may be together, beside the one that was
	// written last: those that were not used for longest are removed. Default
	// 1 GiB, negative: any size.
	MaxBytes int64
}

// indexSuffix ends the names of the files.
const indexSuffix = ".index"

// Load returns the catalog with a content from the store; if it is not there, as
// load returns it, and then keeps it. The content is a text that differs where
// load would read something else, such as the digest of an image; it is asked for
// before and after load, which may take a while. Without a content, "" or an
// error, Load is load.
//
// The snapshot of an index is unpacked as far as it is asked for, and keeps what it
// is unpacked from.
func (s IndexStore) Load(ctx context.Context, content func(context.Context) (string, error), opts Options, load func(context.Context) (*Snapshot, error)) (*Snapshot, error) {
	return await(ctx, func() (*Snapshot, error) {
		before, err := content(ctx)
		if err != nil || before == "" {
			return load(ctx)
		}
		key := indexKey(before, opts)
		if snapshot := s.read(ctx, key, opts); snapshot != nil {
			return snapshot, nil
		}
		snapshot, err := load(ctx)
		if err != nil {
			return nil, err
		}
		if after, err := content(ctx); err == nil && after == before {
			s.write(key, snapshot)
		}
		return snapshot, nil
	})
}

// read returns the snapshot of a key, nil if there is none that can be used. It
// notes that it was used.
func (s IndexStore) read(ctx context.Context, key string, opts Options) (snapshot *Snapshot) {
	path := filepath.Join(s.Dir, key+indexSuffix)
	err := func() error {
		file, err := os.Open(path)
		if err != nil {
			return err
		}
		defer file.Close()
		info, err := file.Stat()
		if err != nil {
			return err
		}
		payload, err := openFile(key, file, info.Size())
		if err != nil {
			return err
		}
		if snapshot, err = readIndex(ctx, payload, opts); ctx.Err() != nil {
			snapshot = nil
			return nil // which says nothing of the index
		}
		if err != nil {
			return err
		}
		if now := time.Now(); now.Sub(info.ModTime()) > usedStep {
			_ = os.Chtimes(path, now, now) // at worst it is removed too soon
		}
		return nil
	}()
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		s.report("reading "+path, err)
	}
	return snapshot
}

// usedStep is how exactly it is noted when a file was used.
const usedStep = time.Hour

// write puts a complete file in place, or none.
func (s IndexStore) write(key string, snapshot *Snapshot) {
	name := key + indexSuffix
	if err := s.replace(filepath.Join(s.Dir, name), encodeIndex(snapshot, key)); err != nil {
		s.report("writing", err)
		return
	}
	s.prune(name)
}

func (s IndexStore) replace(path string, data []byte) error {
	if err := os.MkdirAll(s.Dir, 0o755); err != nil {
		return err
	}
	file, err := os.CreateTemp(s.Dir, newPrefix+"*")
	if err != nil {
		return err
	}
	_, err = file.Write(data)
	if closing := file.Close(); err == nil {
		err = closing
	}
	if err == nil {
		err = os.Rename(file.Name(), path)
	}
	if err != nil {
		os.Remove(file.Name()) // what is left of it is pruned some day
	}
	return err
}

// newPrefix begins the names of files that are being written.
const newPrefix = "new-"

func (s IndexStore) report(doing string, err error) {
	if s.Report != nil {
		s.Report(fmt.Errorf("%s the index of the catalog: %w", doing, err))
	}
}
