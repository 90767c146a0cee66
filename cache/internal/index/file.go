package index

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"strings"
)

// An index file is a header and a payload. The header has a magic text, the format, the
// length of the payload and a checksum of all these and the key. The key is the name of
// the file. CRC-32 takes a tenth of the time of SHA-256, and indexes exist to save time.

const (
	magic       = "resolvent index\n"
	headerBytes = len(magic) + 4 + 8 + 4
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// encodeFile returns a file that can only be read with the same key.
func encodeFile(key string, payload []byte) []byte {
	file := make([]byte, 0, headerBytes+len(payload))
	file = append(file, magic...)
	file = binary.BigEndian.AppendUint32(file, Format)
	file = binary.BigEndian.AppendUint64(file, uint64(len(payload)))
	sum := crc32.Update(crc32.Checksum([]byte(key), castagnoli), castagnoli, file)
	file = binary.BigEndian.AppendUint32(file, crc32.Update(sum, castagnoli, payload))
	return append(file, payload...)
}

// decodeFile reads a file of size bytes and returns its payload.
func decodeFile(key string, file io.Reader, size int64) (string, error) {
	var header [headerBytes]byte
	if _, err := io.ReadFull(file, header[:]); err != nil || string(header[:len(magic)]) != magic {
		return "", errors.New("it is another kind of file, or not whole")
	}
	fields := header[len(magic):]
	if format := binary.BigEndian.Uint32(fields); format != Format {
		return "", fmt.Errorf("its format is %d, not %d", format, Format)
	}
	length := binary.BigEndian.Uint64(fields[4:])
	if size -= int64(headerBytes); length != uint64(size) {
		return "", fmt.Errorf("%d bytes of %d are there", size, length)
	}
	hash := crc32.New(castagnoli)
	hash.Write([]byte(key))
	hash.Write(header[:headerBytes-4])
	var payload strings.Builder
	payload.Grow(int(length))
	if _, err := io.Copy(io.MultiWriter(hash, &payload), io.LimitReader(file, size+1)); err != nil {
		return "", err
	}
	if hash.Sum32() != binary.BigEndian.Uint32(fields[12:]) || payload.Len() != int(length) {
		return "", errors.New("its checksum is wrong")
	}
	return payload.String(), nil
}
