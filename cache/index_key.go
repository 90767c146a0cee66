package cache

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"runtime/debug"
	"sync"
)

// contentOf identifies the names and the contents of the files of a catalog.
func contentOf(ctx context.Context, fsys fs.FS, opts Options) (string, error) {
	tree, err := listTree(ctx, fsys)
	if err != nil {
		return "", err
	}
	limit := opts.Limits.withDefaults().FileBytes
	sums := make([][sha256.Size]byte, len(tree.files))
	err = forEach(ctx, len(tree.files), opts.Workers, func(_ context.Context, i int) error {
		var err error
		sums[i], err = fileSum(fsys, tree.files[i], limit)
		return err
	})
	if err != nil {
		return "", err
	}
	sum := sha256.New()
	writeFields(sum, fmt.Sprintf("%+v", tree.faults))
	for i, name := range tree.files {
		writeFields(sum, name, string(sums[i][:]))
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// indexKey identifies everything that a snapshot depends on: the content, the
// options, and what the program was built from.
func indexKey(content string, opts Options) string {
	sum := sha256.New()
	writeFields(sum, buildText(), fmt.Sprint(indexFormat, opts.Strict), fmt.Sprintf("%+v %+v", opts.Limits.withDefaults(), opts.Constraints), content)
	return hex.EncodeToString(sum.Sum(nil))
}

var buildText = sync.OnceValue(func() string {
	build, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	return build.String()
})

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
