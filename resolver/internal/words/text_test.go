package words

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestSay(t *testing.T) {
	rows := table{
		"asks":  {"{?held}{who} {keeps|keep} {it}", "{!it}{who} asks for nothing", "{who} {asks|ask} for {it}{~mood}[ in {channel}]{@end}"},
		"end":   {"; {more}", ""},
		"empty": {"{who} {missing}!"},
	}
	say := func(row string, facts map[string]string) string { // of several subjects
		return rows.Say(row, true, func(name string) string { return facts[name] })
	}
	for want, facts := range map[string]map[string]string{
		"a and b keep c":         {"who": "a and b", "it": "c", "held": "yes"},
		"a asks for nothing":     {"who": "a"},
		"a ask for c":            {"who": "a", "it": "c"},
		"a ask for c in d; once": {"who": "a", "it": "c", "channel": "d", "more": "once"},
		"a ask for {it} [x]":     {"who": "a", "it": "{it} [x]"},
	} {
		assert.Equal(t, want, say("asks", facts))
	}
	assert.Equal(t, "a !", say("empty", map[string]string{"who": "a"}), "the last alternative fits always")
	assert.Empty(t, say("unknown", nil))
}
