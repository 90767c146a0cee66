package properties

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// However a value is written, the bytes are the same.
func TestRender(t *testing.T) {
	s := Set{gvks: []GVK{{Group: "g.example.com", Version: "v1", Kind: "Kind"}, {Group: "\"<\x00\u2028\xff", Version: "", Kind: "é\\"}}}
	for i := range s.gvks {
		it := newItem(inGVKs, i)
		assert.Equal(t, string(renderJSON(s.typed(it))), string(s.render(it)))
	}
}
