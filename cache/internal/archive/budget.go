// Package archive unpacks gzip, zstd and tar. It keeps the files of a catalog in memory,
// as a file system, and skips all others. Publishers are not trusted. So sizes, numbers
// and ratios are bounded, and an entry that leads out of the tree or is no file is a fault
// with its place.
//
// The standard library unpacks gzip and tar. It has no zstd, which is that of
// github.com/klauspost/compress: pure Go without further dependencies.
package archive

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/cache/internal/code"
)

// Fault returns the error of a place in an archive or image. It cuts very long names.
func Fault(code catalog.Code, place, format string, args ...any) error {
	const most = 2 * maxEntryName
	message := fmt.Sprintf(format, args...)
	return &catalog.FaultsError{Faults: []catalog.Fault{{
		Code: code, File: place[:min(len(place), most)], Property: -1, Message: message[:min(len(message), most)],
	}}}
}

// Budget is what is left for unpacking one catalog, from any number of archives. It is for
// one goroutine.
type Budget struct {
	limits  catalog.Limits
	bytes   int64 // to read and unpack
	kept    int64 // to keep in memory
	entries int
}

// NewBudget returns the budget of limits, which must have their defaults.
func NewBudget(limits catalog.Limits) *Budget {
	return &Budget{limits, limits.ArchiveBytes, limits.TreeBytes, limits.ArchiveEntries}
}

// keep takes memory from the budget.
func (b *Budget) keep(place string, bytes int) error {
	if b.kept -= int64(bytes); b.kept < 0 {
		return Fault(code.Limit, place, "the files of the catalog and their names take more than the %d bytes allowed", b.limits.TreeBytes)
	}
	return nil
}

// freeBytes may be unpacked at any ratio: a small file of spaces is no bomb.
const freeBytes = 16 << 20

// meter reads within a budget and until ctx ends.
type meter struct {
	ctx    context.Context
	budget *Budget
	place  string
	from   io.Reader
	// packed is the meter of the compressed stream below, nil if there is none.
	packed *meter
	read   int64
	err    error // of reading the stream, not of unpacking it
}

func (m *meter) Read(buffer []byte) (int, error) {
	if m.err = m.ctx.Err(); m.err != nil {
		return 0, m.err
	}
	n, err := m.from.Read(buffer)
	m.read += int64(n)
	m.budget.bytes -= int64(n)
	switch {
	case m.budget.bytes < 0:
		err = Fault(code.Limit, m.place, "it unpacks to more than the %d bytes allowed", m.budget.limits.ArchiveBytes)
	case m.packed != nil && m.read > freeBytes && m.read/int64(m.budget.limits.ArchiveRatio) > m.packed.read:
		err = Fault(code.Limit, m.place, "it unpacks to more than %d times its size", m.budget.limits.ArchiveRatio)
	case err == nil || err == io.EOF:
		return n, err
	case m.packed != nil:
		err = m.packed.unpackingError(err)
	}
	m.err = err
	return n, err
}

// unpackingError returns the cause of an error of unpacking the stream. The stream cannot
// be read, exceeds a limit, or is damaged.
func (m *meter) unpackingError(err error) error {
	if m.err != nil {
		return m.err
	}
	if _, ok := errors.AsType[*catalog.FaultsError](err); ok {
		return err
	}
	return Fault(code.Archive, m.place, "it cannot be unpacked: %v", reworded(err))
}

// reworded replaces the text of an unexpected end.
func reworded(err error) error {
	if err == io.ErrUnexpectedEOF {
		return errors.New("it ends in the middle")
	}
	return err
}

// IsLimit reports whether an error is that of exceeding a limit.
func IsLimit(err error) bool {
	faults, ok := errors.AsType[*catalog.FaultsError](err)
	return ok && faults.Faults[0].Code == code.Limit
}
