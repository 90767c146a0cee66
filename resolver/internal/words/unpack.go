package words

import (
	"crypto/sha256"
	"encoding/hex"
)

// UnpackedAs returns the name after which OLM v0 calls the Job and the ConfigMap that unpack a bundle image
// (operator-lifecycle-manager v0.46.0, bundle_unpacker.go).
func UnpackedAs(image string) string {
	sum := sha256.Sum256([]byte(image))
	return hex.EncodeToString(sum[:])[:63] // the longest value of a label
}
