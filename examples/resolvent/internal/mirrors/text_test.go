package mirrors

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestIsImage(t *testing.T) {
	for _, image := range []string{"etcd", "quay.io/a/b:1.0", "localhost:5000/A_b@sha256:0123abcd", "10.0.0.1/x:v1+2"} {
		assert.True(t, IsImage(image), image)
	}
	for _, image := range []string{"", "--all", "-f", "a b", "a;b", "$(x)", "`x`", "a\nb", "a'b", "~x", "@x", "é"} {
		assert.False(t, IsImage(image), image)
	}
}
