package walk

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"slices"
)

// ReadFile appends a file to text, which is empty; of a file that is larger
// than it may be it reads one byte too much.
func ReadFile(ctx context.Context, fsys fs.FS, name string, limit int64, text []byte) ([]byte, error) {
	file, err := fsys.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	if info, err := file.Stat(); err == nil {
		text = slices.Grow(text, int(min(max(info.Size(), 0), limit))+1)
	}
	for int64(len(text)) <= limit {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		text = slices.Grow(text, 512)
		n, err := file.Read(text[len(text):min(cap(text), len(text)+1<<20)])
		text = text[:len(text)+n]
		if errors.Is(err, io.EOF) {
			return text, nil
		}
		if err != nil {
			return nil, err
		}
	}
	return text, nil
}
