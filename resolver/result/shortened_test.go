package result_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"

	"github.com/resolvent/resolvent/resolver/internal/words"
	"github.com/resolvent/resolvent/resolver/result"
)

// Of what is too long, the cause stays, and who cannot do what.
func TestShortened(t *testing.T) {
	const who = `User "system:serviceaccount:payments:installer" cannot create resource "deployments" in API group "apps"`
	long := "install strategy failed: install strategy failed: " + strings.Repeat("some wrapping of errors: and more: ", 9) + "deployments.apps is forbidden: " + who
	for limit, text := range map[int]string{300: long, 260: long + ` in the namespace "payments", and what comes of that is said at length`} {
		got := words.Shortened(text, limit)
		assert.Contains(t, got, who)
		assert.Less(t, len(got), limit*6/5)
		assert.True(t, strings.HasPrefix(got, "install strategy failed: some"), got)
	}
	assert.Equal(t, "a: b", words.Shortened("a: b", 4))
	assert.Equal(t, "ä: b", words.Shortened("ä: ä: ä: b", 8), "repeated clauses go first")
	assert.True(t, utf8.ValidString(words.Shortened(strings.Repeat("ä", 300), 99)))
	stated := result.Condition{Type: "Failed", Message: long}.String()
	assert.Contains(t, stated, who)
}
