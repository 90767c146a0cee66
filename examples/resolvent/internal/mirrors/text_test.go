package mirrors

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestWriteImages(t *testing.T) {
	right := []string{"etcd", "quay.io/a/b:1.0", "localhost:5000/A_b@sha256:0123abcd", "10.0.0.1/x:v1+2"}
	wrong := []string{"", "--all", "-f", "a b", "a;b", "$(x)", "`x`", "a\nb", "a'b", "~x", "@x", "\u00e9"}
	var out, notes strings.Builder
	WriteImages(&out, &notes, append(wrong, right...))
	assert.Equal(t, strings.Join(right, "\n")+"\n", out.String())
	assert.Equal(t, len(wrong), strings.Count(notes.String(), "\n"))
	assert.Contains(t, notes.String(), "no registry can have this image: a;b\n")
}
