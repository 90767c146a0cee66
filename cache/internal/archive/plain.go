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

// maxCompressions is how often a stream may be compressed: a .tgz that a server
// compresses once more is so twice.
const maxCompressions = 2

// maxWindow bounds the memory of a zstd decoder, as the tool of that name does: it
// unpacks what any of its levels makes, unless that was told to use --long.
const maxWindow = 128 << 20

// startSize is how much of a stream is looked at to tell what it is.
const startSize = 64 << 10

// Plain is a stream without its compressions. Closing it frees what they need; the
// stream itself stays open.
type Plain struct {
	*bufio.Reader
	packed  io.Reader
	closers []io.Closer
}

// Rest reads what is left of the stream as it is packed.
func (p *Plain) Rest() error {
	_, err := io.Copy(io.Discard, p.packed)
	return err
}

// Close implements io.Closer.
func (p *Plain) Close() error {
	for _, c := range p.closers {
		c.Close() // there is nothing left to fail
	}
	return nil
}

// Plain returns a stream without its compressions, which its first bytes tell. The
// place stands in errors. Of a stream that cannot be unpacked, the rest can still be
// read.
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

// decompressor returns what unpacks a stream, nil if it is not compressed.
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

// compressed reports whether a file starts as a compressed one does.
func compressed(r io.ReaderAt) bool {
	start := make([]byte, len(zstdMagic))
	n, _ := r.ReadAt(start, 0) // what cannot be read is reported by the one who reads on
	return bytes.HasPrefix(start[:n], gzipMagic) || bytes.HasPrefix(start[:n], zstdMagic)
}
