package help

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// Commands are broken before flags, never within words, quotes or brackets.
func TestExample(t *testing.T) {
	for line, want := range map[string]string{
		"a -b": "  a -b\n",
		"resolvent status $(printf -- '--cluster %s ' clusters/*) --catalog olm/community=community.json": "" +
			"  resolvent status $(printf -- '--cluster %s ' clusters/*) \\\n    --catalog olm/community=community.json\n",
		"# " + strings.Repeat("a -", 40): "  # " + strings.Repeat("a -", 40) + "\n",
	} {
		assert.Equal(t, want, example(line))
	}
	assert.Equal(t, []string{"r {-f A|--c B ...}", "--d E[,f=G]", "[flags]"}, parts("r {-f A|--c B ...} --d E[,f=G] [flags]"))
}

func TestFolded(t *testing.T) {
	assert.Equal(t, "aa,\n  bb,\n  cc", Folded([]string{"aa", "bb", "cc"}, ", ", 5, "  "))
	assert.Equal(t, "aa, bb,\ncc", Folded([]string{"aa", "bb", "cc"}, ", ", 7, ""))
	assert.Equal(t, "aa, bb", Folded([]string{"aa", "bb"}, ", ", 6, ""))
}
