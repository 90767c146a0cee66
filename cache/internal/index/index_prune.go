package index

import (
	"cmp"
	"encoding/hex"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

const (
	defaultMaxUnused = 30 * 24 * time.Hour
	defaultMaxBytes  = 1 << 30
	// newMaxAge is far longer than writing a file takes.
	newMaxAge = time.Hour
)

// prune removes the files that the limits leave no room for, apart from the one
// that was just written. Whoever reads one that is removed meanwhile has it open
// or makes it anew. Files of other names are never touched.
func (s Store) prune(written string) {
	if s.MaxUnused == 0 {
		s.MaxUnused = defaultMaxUnused
	}
	if s.MaxBytes == 0 {
		s.MaxBytes = defaultMaxBytes
	}
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
		case isNew, s.MaxUnused > 0 && age > s.MaxUnused:
			s.remove(info)
		default:
			files = append(files, info)
		}
	}
	if s.MaxBytes < 0 {
		return
	}
	slices.SortFunc(files, func(a, b fs.FileInfo) int {
		return cmp.Or(b.ModTime().Compare(a.ModTime()), cmp.Compare(a.Name(), b.Name()))
	})
	left := s.MaxBytes
	for _, file := range files {
		if left -= file.Size(); left < 0 {
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
