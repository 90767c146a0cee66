package index

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"hash/crc32"
	"io"
	"strings"
)

// An index file is a header and a payload. The header is a magic text, the
// format, the length of the payload, and the checksum of all of these with the
// seal, which names the content that the index stands for and is not in the file.

const indexMagic = "resolvent index\n"

const (
	sealedHeader = len(indexMagic) + 4 + 8 + sealedSum
	sealedSum    = 8
)

// sealFile returns a file that can only be read with the same seal.
func sealFile(seal string, payload []byte) []byte {
	file := make([]byte, 0, sealedHeader+len(payload))
	file = append(file, indexMagic...)
	file = binary.BigEndian.AppendUint32(file, Format)
	file = binary.BigEndian.AppendUint64(file, uint64(len(payload)))
	sum := newSealedHash(seal, file)
	sum.Write(payload)
	return append(sum.Sum(file), payload...)
}

// openFile reads a file of so many bytes, and returns its payload.
func openFile(seal string, file io.Reader, size int64) (string, error) {
	var header [sealedHeader]byte
	if _, err := io.ReadFull(file, header[:]); err != nil || string(header[:len(indexMagic)]) != indexMagic {
		return "", errors.New("it is another kind of file, or cut off")
	}
	fields := header[len(indexMagic):]
	if format := binary.BigEndian.Uint32(fields); format != Format {
		return "", fmt.Errorf("its format is %d, not %d", format, Format)
	}
	// The length is believed only as far as the file goes.
	length := binary.BigEndian.Uint64(fields[4:])
	if size -= int64(sealedHeader); length != uint64(size) {
		return "", fmt.Errorf("%d bytes of %d are there", size, length)
	}
	sum := newSealedHash(seal, header[:sealedHeader-sealedSum])
	var payload strings.Builder
	payload.Grow(int(length))
	buffer := make([]byte, 64<<10)
	for {
		n, err := file.Read(buffer)
		sum.Write(buffer[:n])
		payload.Write(buffer[:n])
		if err == io.EOF {
			break
		}
		if err != nil {
			return "", err
		}
		if payload.Len() > int(length) {
			return "", errors.New("it grows while it is read")
		}
	}
	if !bytes.Equal(sum.Sum(nil), header[sealedHeader-sealedSum:]) || payload.Len() != int(length) {
		return "", errors.New("its checksum is wrong")
	}
	return payload.String(), nil
}

// sealedHash is two checksums of 32 bits side by side, both of which processors
// compute some ten times as fast as SHA-256: the time to start is what indexes are
// there to save. Together they miss one damage in 2^64.
type sealedHash struct{ ieee, castagnoli hash.Hash32 }

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func newSealedHash(seal string, header []byte) sealedHash {
	h := sealedHash{crc32.NewIEEE(), crc32.New(castagnoli)}
	h.Write(binary.BigEndian.AppendUint64(nil, uint64(len(seal))))
	h.Write([]byte(seal))
	h.Write(header)
	return h
}

func (h sealedHash) Write(data []byte) {
	h.ieee.Write(data) // a hash never returns an error
	h.castagnoli.Write(data)
}

func (h sealedHash) Sum(to []byte) []byte { return h.castagnoli.Sum(h.ieee.Sum(to)) }
