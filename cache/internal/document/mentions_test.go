package document

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestMentions(t *testing.T) {
	for text, want := range map[string][]string{
		`{"schema": "olm.bundle", "package": "a", "name": "a.v1"`:            {"a"},
		`{"schema": "olm.package", "icon": "", "name": "b"`:                  {"b"},
		`{"name": "c", "schema": "olm.package"`:                              {"c"},
		"{package: 'd', 'package' : 'e', \"package\":\"f\"\"package\":\"g\"": {"d", "e", "f", "g"},
		"schema: olm.package\nname: h\n: [":                                  {"h"},
		"--- schema: olm.package # x\n--- name: i\n: [":                      {"i"},
		"package: j\n--- package: k\n package: l\n: [":                       {"j", "k"},
		"name: m\n: [": nil,
	} {
		assert.Equal(t, want, mentions([]byte(text)), text)
	}
}

// BenchmarkMentions: a file of another kind that is larger than allowed must not use up the time.
func BenchmarkMentions(b *testing.B) {
	for name, text := range map[string][]byte{
		"zeros": make([]byte, 8<<20),
		"json":  bytes.Repeat([]byte(`{"schema": "olm.bundle", "package": "a", "name": "a.v1", "properties": [{"type": "olm.package", "value": {"a": "b"}}]}`+"\n"), 64<<10),
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				mentions(text)
			}
		})
	}
}
