package walk

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash/fnv"
	"io"
	"io/fs"
	"sync"

	"github.com/resolvent/resolvent/cache/internal/task"
)

// Digest returns a digest of the names and contents of the files of a catalog. Of each
// file it reads one byte more than the limit.
func Digest(ctx context.Context, fsys fs.FS, limit int64, workers int) (string, error) {
	tree, err := List(ctx, fsys)
	if err != nil {
		return "", err
	}
	sums := make([][sha256.Size]byte, len(tree.Files))
	err = task.ForEach(ctx, len(tree.Files), workers, func(_ context.Context, i int) error {
		var err error
		sums[i], err = fileSum(fsys, tree.Files[i], limit)
		return err
	})
	if err != nil {
		return "", err
	}
	sum := sha256.New()
	fmt.Fprintf(sum, "%q", fmt.Sprint(tree.Faults)) // a hash never returns an error
	for i, name := range tree.Files {
		fmt.Fprintf(sum, "%q", name)
		sum.Write(sums[i][:])
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// fileSum returns the checksum of a file up to one byte more than the limit.
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

// Status returns a text that identifies the names, sizes and modification times of the
// files of a catalog. It is empty if they have no times.
func Status(ctx context.Context, fsys fs.FS) (string, error) {
	tree, err := List(ctx, fsys)
	if err != nil {
		return "", err
	}
	sum := fnv.New128a()
	for _, name := range tree.Files {
		info, err := fs.Stat(fsys, name)
		if err != nil {
			return "", err
		}
		if info.ModTime().IsZero() {
			return "", nil // embedded files have no times
		}
		if err := ctx.Err(); err != nil {
			return "", err
		}
		fmt.Fprintf(sum, "%q %d %d\n", name, info.Size(), info.ModTime().UnixNano())
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}
