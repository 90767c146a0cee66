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
	rows := table{
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
		assert.Equal(t, want, rows.Say("asks", f))
	}
	assert.Equal(t, "a !", rows.Say("empty", facts{"who": "a"}), "the last alternative fits always")
	assert.Empty(t, rows.Say("unknown", facts{}))
}
