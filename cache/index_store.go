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

// IndexStore is a directory of indexes. Any number of processes may share it.
//
// The name of an index is made of the contents of the catalog's files, of the
// Options, and of what the program was built from: a catalog that changes gets
// another file, and so does a program that may read it in another way. Old ones
// are removed whenever one is written; any file in the directory may be removed at
// any time. Whoever can write there can change what is resolved.
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

// The names of files in the directory end like this.
const (
	indexSuffix  = ".index"
	recordSuffix = ".record"
)

// read returns the snapshot of a key, nil if there is none that can be used.
func (s IndexStore) read(ctx context.Context, key string, opts Options) *Snapshot {
	var snapshot *Snapshot
	s.use(key+indexSuffix, indexKind, key, func(payload string) (err error) {
		snapshot, err = unpackSnapshot(ctx, payload, opts)
		if ctx.Err() != nil {
			return nil // which says nothing of the index
		}
		return err
	})
	return snapshot
}

func (s IndexStore) write(key string, snapshot *Snapshot) {
	s.put(key+indexSuffix, encodeIndex(snapshot, key))
}

// readRecord returns the record of a key, nil if there is none that can be used.
func (s IndexStore) readRecord(key string) *indexRecord {
	var record *indexRecord
	s.use(key+recordSuffix, recordKind, key, func(payload string) (err error) {
		record, err = decodeRecord(payload)
		return err
	})
	return record
}

func (s IndexStore) writeRecord(key string, r *indexRecord) { s.put(key+recordSuffix, r.encode(key)) }

// use reads a file, and notes that it was used.
func (s IndexStore) use(name string, kind sealedKind, seal string, decode func(payload string) error) {
	path := filepath.Join(s.Dir, name)
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
		payload, err := kind.decode(seal, file, info.Size())
		if err != nil {
			return err
		}
		if err := decode(payload); err != nil {
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
}

// usedStep is how exactly it is noted when a file was used.
const usedStep = time.Hour

// put puts a complete file in place, or none.
func (s IndexStore) put(name string, data []byte) {
	if err := s.replace(filepath.Join(s.Dir, name), data); err != nil {
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
