// Package index keeps texts on disk, each in a compressed file. The caller chooses the key of a
// text, which is the name of its file.
package index

import (
	"cmp"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Store is a directory of index files. Their keys are 32 bytes in hexadecimal form. Write
// makes the directory if it is missing.
type Store struct{ Dir string }

// indexSuffix is the extension of index files.
const indexSuffix = ".index"

// Path returns the path of the file of a key.
func (s Store) Path(key string) string { return filepath.Join(s.Dir, key+indexSuffix) }

// Read returns the text of a key, and renews the time of its file. Without a file, the error
// is fs.ErrNotExist.
func (s Store) Read(key string) ([]byte, error) {
	file, err := os.OpenFile(s.Path(key), openFlags, 0)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("it is not a regular file")
	}
	if err := cmp.Or(checkSize(info.Size()), checkOwner(info)); err != nil {
		return nil, err
	}
	packed := make([]byte, info.Size())
	if _, err := io.ReadFull(file, packed); err != nil {
		return nil, err
	}
	text, err := unpack(packed, maxTextBytes)
	if now := time.Now(); err == nil && now.Sub(info.ModTime()) > usedStep {
		_ = os.Chtimes(file.Name(), now, now) // on an error it is only removed too soon
	}
	return text, err
}

// usedStep is the precision of the time when a file was last used.
const usedStep = time.Hour

// Write writes the file of a key, completely or not at all.
func (s Store) Write(key string, text []byte) error {
	packed, err := pack(text)
	if err != nil {
		return err
	}
	if err := s.replace(s.Path(key), packed); err != nil {
		return err
	}
	s.prune(key+indexSuffix, maxUnused, maxBytes)
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
		os.Remove(file.Name()) // prune removes what is left of it
	}
	return err
}

// newPrefix is the prefix of files that are being written.
const newPrefix = "new-"

const (
	// MaxFileBytes is the size of the largest file that is written and read.
	MaxFileBytes = 256 << 20
	// maxTextBytes is the size of the largest text.
	maxTextBytes = 1 << 30
	maxUnused    = 30 * 24 * time.Hour
	maxBytes     = 1 << 30
	// newMaxAge is far longer than writing a file takes.
	newMaxAge = time.Hour
)

// prune removes files that were not used for maxUnused, and beyond maxBytes those that
// were not used for longest. It keeps the file that was just written, and all files that no
// Store wrote: their names or their first bytes are others. A process that reads a removed file has it open, or writes it again.
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

// remove removes a file that a Store wrote, as its first bytes say. One that is empty stays: nobody
// knows who made it.
func (s Store) remove(file fs.FileInfo) {
	path := filepath.Join(s.Dir, file.Name())
	if isSigned(path) {
		_ = os.Remove(path) // after an error the next Write tries again
	}
}

func isSigned(path string) bool {
	file, err := os.OpenFile(path, openFlags, 0)
	if err != nil {
		return false
	}
	defer file.Close()
	first := make([]byte, len(signature))
	_, err = io.ReadFull(file, first)
	return err == nil && string(first) == signature
}

// isStored reports whether a file has a name of a Store.
func isStored(name string) bool {
	key, ok := strings.CutSuffix(name, indexSuffix)
	sum, err := hex.DecodeString(key)
	return ok && err == nil && len(sum) == 32
}
