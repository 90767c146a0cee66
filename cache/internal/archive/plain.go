package archive

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"

	"github.com/klauspost/compress/zstd"

	"github.com/resolvent/resolvent/cache/internal/code"
)

// maxCompressions is how often a stream may be compressed. A server may compress a .tgz
// once more.
const maxCompressions = 2

// maxWindow bounds the memory of a zstd decoder. It is that of the zstd tool, which covers
// all of its levels without --long.
const maxWindow = 128 << 20

// startSize is how much of a stream is read to identify it.
const startSize = 64 << 10

// Plain is a stream without its compressions. Closing it frees their memory, but leaves
// the stream open.
type Plain struct {
	*bufio.Reader
	packed  io.Reader
	closers []io.Closer
}

// Rest reads the compressed stream to its end.
func (p *Plain) Rest() error {
	_, err := io.Copy(io.Discard, p.packed)
	return err
}

// Close implements io.Closer.
func (p *Plain) Close() error {
	for _, c := range p.closers {
		c.Close() // errors came from reading
	}
	return nil
}

// Plain returns a stream without its compressions, which its first bytes identify. Errors
// name the place. Even with an error, Rest can read the stream to its end.
func (b *Budget) Plain(ctx context.Context, place string, r io.Reader) (*Plain, error) {
	stream := &meter{ctx: ctx, budget: b, place: place, from: r}
	p := &Plain{Reader: bufio.NewReaderSize(stream, startSize), packed: stream}
	for range maxCompressions + 1 {
		unpacker, err := decompressor(p.Reader)
		switch {
		case err != nil:
			p.Close()
			return p, stream.unpackingError(err)
		case unpacker == nil:
			return p, nil
		}
		p.closers = append(p.closers, unpacker)
		p.Reader = bufio.NewReaderSize(&meter{ctx: ctx, budget: b, place: place, from: unpacker, packed: stream}, startSize)
	}
	p.Close()
	return p, Fault(code.Limit, place, "it is compressed more than the %d times allowed", maxCompressions)
}

// The first bytes of compressed streams.
var (
	gzipMagic = []byte{0x1f, 0x8b}
	zstdMagic = []byte{0x28, 0xb5, 0x2f, 0xfd}
)

// decompressor returns the decompressor of a stream, nil if it is not compressed.
func decompressor(r *bufio.Reader) (io.ReadCloser, error) {
	start, err := r.Peek(len(zstdMagic))
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	switch {
	case bytes.HasPrefix(start, gzipMagic):
		return gzip.NewReader(r)
	case bytes.HasPrefix(start, zstdMagic):
		d, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(maxWindow))
		if err != nil {
			return nil, err
		}
		return d.IOReadCloser(), nil
	}
	return nil, nil
}

// compressed reports whether a file starts like a compressed one.
func compressed(r io.ReaderAt) bool {
	start := make([]byte, len(zstdMagic))
	n, _ := r.ReadAt(start, 0) // the next read reports errors
	return bytes.HasPrefix(start[:n], gzipMagic) || bytes.HasPrefix(start[:n], zstdMagic)
}
