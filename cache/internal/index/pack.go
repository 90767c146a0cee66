package index

import (
	"fmt"

	"github.com/klauspost/compress/zstd"
)

// signature begins every file: a frame of zstd that readers skip, which says who wrote the file.
const signature = "\x5e\x2a\x4d\x18\x10\x00\x00\x00resolvent index\n"

// pack returns the file of a text: a frame of zstd, which has a checksum of the text. Of the
// community catalog, the fastest level packs 7.6 MB into 0.4 MB, as the next two do. Unpacking
// them takes half of the time that reading 7.6 MB from a file takes.
func pack(text []byte) ([]byte, error) {
	if len(text) > maxTextBytes {
		return nil, fmt.Errorf("it would have %d bytes before it is packed, more than the %d allowed", len(text), maxTextBytes)
	}
	encoder, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1))
	if err != nil {
		return nil, err
	}
	return encoder.EncodeAll(text, []byte(signature)), nil
}

// unpack returns the text in a file, which has most bytes at most.
func unpack(file []byte, most uint64) ([]byte, error) {
	decoder, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(most))
	if err != nil {
		return nil, err
	}
	defer decoder.Close()
	text, err := decoder.DecodeAll(file, nil)
	if err != nil {
		return nil, fmt.Errorf("it is damaged: %w", err)
	}
	return text, nil
}
