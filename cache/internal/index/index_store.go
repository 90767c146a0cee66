package index

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/constraints"
)

// Store is a directory of index files, which are found by keys: the hexadecimal
// form of 32 bytes.
type Store struct {
	// Dir is made when it is missing.
	Dir string
	// Report, where set, is told of a file that cannot be used or written.
	Report func(error)
	// MaxUnused is how long a file is kept after it was last used; default 30 days,
	// negative: for ever.
	MaxUnused time.Duration
	// MaxBytes is how large the files may be together, beside the one that was
	// written last; default 1 GiB, negative: any size.
	MaxBytes int64
}

// indexSuffix ends the names of the files.
const indexSuffix = ".index"

// Read returns the snapshot of a key, nil if there is none that can be used. It
// notes that it was used.
func (s Store) Read(ctx context.Context, key string, limits constraints.Limits, evaluationCost int) (snapshot *catalog.Snapshot) {
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
		if snapshot, err = readIndex(ctx, payload, limits, evaluationCost); ctx.Err() != nil {
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

// Write puts a complete file in place, or none.
func (s Store) Write(key string, snapshot *catalog.Snapshot) {
	name := key + indexSuffix
	if err := s.replace(filepath.Join(s.Dir, name), encodeIndex(snapshot, key)); err != nil {
		s.report("writing", err)
		return
	}
	s.prune(name)
}

func (s Store) replace(path string, data []byte) error {
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

func (s Store) report(doing string, err error) {
	if s.Report != nil {
		s.Report(fmt.Errorf("%s the index of the catalog: %w", doing, err))
	}
}
