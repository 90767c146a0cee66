package text

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// facts are arguments by name; there are several subjects.
type facts map[string]string

func (f facts) Several() bool { return true }

func (f facts) Value(name string) string { return f[name] }

func TestSay(t *testing.T) {
	table := Table{
		"asks":  {"{?held}{who} {keeps|keep} {it}", "{!it}{who} asks for nothing", "{who} {asks|ask} for {it}{~mood}[ in {channel}]{@end}"},
		"end":   {"; {more}", ""},
		"empty": {"{who} {missing}!"},
	}
	for want, f := range map[string]facts{
		"a and b keep c":         {"who": "a and b", "it": "c", "held": "yes"},
		"a asks for nothing":     {"who": "a"},
		"a ask for c":            {"who": "a", "it": "c"},
		"a ask for c in d; once": {"who": "a", "it": "c", "channel": "d", "more": "once"},
		"a ask for {it} [x]":     {"who": "a", "it": "{it} [x]"},
	} {
		assert.Equal(t, want, table.Say("asks", f))
	}
	assert.Equal(t, "a !", table.Say("empty", facts{"who": "a"}), "the last alternative fits always")
	assert.Empty(t, table.Say("unknown", facts{}))
	assert.Equal(t, []string{"held", "who", "it", "mood", "channel", "@end"}, table.Arguments("asks"))
}
