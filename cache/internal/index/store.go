// Package index keeps a finished snapshot on disk: as a file of tables that are
// checked when it is opened, and unpacked as far as they are needed. It knows
// catalogs only as snapshots; what identifies a file is for its caller.
package index

import (
	"cmp"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/constraints"
)

// Store is a directory of index files, which are found by keys: the hexadecimal
// form of 32 bytes. Its directory is made when it is missing.
type Store struct{ Dir string }

// indexSuffix ends the names of the files.
const indexSuffix = ".index"

// Read returns the snapshot of a key, nil if there is none that can be used, with
// the reason if there is a file. It notes that it was used.
func (s Store) Read(ctx context.Context, key string, limits constraints.Limits, evaluationCost int) (*catalog.Snapshot, error) {
	path := filepath.Join(s.Dir, key+indexSuffix)
	snapshot, err := read(ctx, path, key, limits, evaluationCost)
	if ctx.Err() != nil || errors.Is(err, fs.ErrNotExist) {
		return nil, nil // which says nothing of the index
	}
	if err != nil {
		return nil, fmt.Errorf("reading the index of the catalog: %s: %w", path, err)
	}
	return snapshot, nil
}

func read(ctx context.Context, path, key string, limits constraints.Limits, evaluationCost int) (*catalog.Snapshot, error) {
	file, err := os.OpenFile(path, openFlags, 0)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("it is no regular file")
	}
	if err := cmp.Or(checkSize(info.Size()), checkOwner(info)); err != nil {
		return nil, err
	}
	payload, err := decodeFile(key, file, info.Size())
	if err != nil {
		return nil, err
	}
	snapshot, err := Decode(ctx, payload, limits, evaluationCost)
	if now := time.Now(); err == nil && now.Sub(info.ModTime()) > usedStep {
		_ = os.Chtimes(path, now, now) // at worst it is removed too soon
	}
	return snapshot, err
}

// usedStep is how exactly it is noted when a file was used.
const usedStep = time.Hour

// Write puts a complete file in place, or none.
func (s Store) Write(key string, snapshot *catalog.Snapshot) error {
	name := key + indexSuffix
	payload, err := Encode(snapshot)
	if err == nil {
		err = s.replace(filepath.Join(s.Dir, name), encodeFile(key, payload))
	}
	if err != nil {
		return fmt.Errorf("writing the index of the catalog: %w", err)
	}
	s.prune(name, maxUnused, maxBytes)
	return nil
}

func checkSize(size int64) error {
	if size > MaxFileBytes {
		return fmt.Errorf("it has %d bytes, more than the %d allowed", size, MaxFileBytes)
	}
	return nil
}

func (s Store) replace(path string, data []byte) error {
	if err := cmp.Or(checkSize(int64(len(data))), os.MkdirAll(s.Dir, 0o700)); err != nil {
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

const (
	// MaxFileBytes is the size of a file that is written and read.
	MaxFileBytes = 256 << 20
	maxUnused    = 30 * 24 * time.Hour
	maxBytes     = 1 << 30
	// newMaxAge is far longer than writing a file takes.
	newMaxAge = time.Hour
)

// prune removes the files that were not used for too long or leave too little room
// for others, apart from the one that was just written. Whoever reads one that is
// removed meanwhile has it open or makes it anew. Files of other names are never
// touched.
func (s Store) prune(written string, maxUnused time.Duration, maxBytes int64) {
	entries, err := os.ReadDir(s.Dir)
	if err != nil {
		return
	}
	now, files := time.Now(), make([]fs.FileInfo, 0, len(entries))
	for _, entry := range entries {
		isNew := strings.HasPrefix(entry.Name(), newPrefix)
		if entry.Name() == written || !isNew && !isStored(entry.Name()) {
			continue
		}
		info, err := entry.Info()
		if err != nil || !info.Mode().IsRegular() {
			continue // another process has removed it
		}
		switch age := now.Sub(info.ModTime()); {
		case isNew && age <= newMaxAge: // it is being written
		case isNew, age > maxUnused:
			s.remove(info)
		default:
			files = append(files, info)
		}
	}
	slices.SortFunc(files, func(a, b fs.FileInfo) int {
		return cmp.Or(b.ModTime().Compare(a.ModTime()), cmp.Compare(a.Name(), b.Name()))
	})
	for _, file := range files {
		if maxBytes -= file.Size(); maxBytes < 0 {
			s.remove(file)
		}
	}
}

func (s Store) remove(file fs.FileInfo) {
	_ = os.Remove(filepath.Join(s.Dir, file.Name())) // where it cannot be, the next one who writes tries again
}

// isStored reports whether a file is named like one of a store.
func isStored(name string) bool {
	key, ok := strings.CutSuffix(name, indexSuffix)
	sum, err := hex.DecodeString(key)
	return ok && err == nil && len(sum) == 32
}
