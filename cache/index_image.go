package cache

import (
	"encoding/binary"
	"encoding/hex"
	"strings"

	"github.com/resolvent/resolvent/properties/pack"
)

// Most images end with a digest. As text, digests would be almost half of an
// index, which takes time to read and memory to keep; in binary form they are
// half as long, and what stands before them is the same for many bundles.
const (
	imageDigest  = "@sha256:"
	digestBytes  = 32
	digestColumn = digestBytes / 4
)

// splitImage splits the digest off an image; nil if it ends with none.
func splitImage(image string) (rest string, digest []byte) {
	i := strings.LastIndex(image, imageDigest)
	if i < 0 || len(image) != i+len(imageDigest)+2*digestBytes {
		return image, nil
	}
	text := image[i+len(imageDigest):]
	digest, err := hex.DecodeString(text)
	if err != nil || hex.EncodeToString(digest) != text {
		return image, nil
	}
	return image[:i], digest
}

// addImage returns the text of an image without its digest, and 1 + the row of
// that, 0 if it has none.
func (w *indexWriter) addImage(image string) (text, digest uint32) {
	rest, sum := splitImage(image)
	if sum == nil {
		return w.Text(rest), 0
	}
	var row [digestColumn]uint32
	for i := range row {
		row[i] = binary.BigEndian.Uint32(sum[4*i:])
	}
	return w.Text(rest), 1 + w.tables.digests.Add(row[:]...)
}

// joinImage is the reverse of addImage.
func joinImage(rest string, digests pack.Rows, digest int) string {
	if digest == 0 {
		return rest
	}
	image := make([]byte, 0, len(rest)+len(imageDigest)+2*digestBytes)
	image = append(append(image, rest...), imageDigest...)
	for column := range digestColumn {
		part := binary.BigEndian.AppendUint32(nil, uint32(digests.At(digest-1, column)))
		image = hex.AppendEncode(image, part)
	}
	return string(image)
}
