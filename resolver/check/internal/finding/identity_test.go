package finding_test

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/resolver/check/internal/finding"
)

func TestSet(t *testing.T) {
	a, b := finding.Identity{Code: "trap", Package: "p", Bundle: "p.v1"}, finding.Identity{Code: "image", Package: "q"}
	s := finding.SetOf(map[finding.Identity]bool{a: true, b: true})
	assert.Equal(t, []finding.Identity{a, b}, s.Identities(), "by package")
	assert.True(t, s.Has(a))
	assert.False(t, s.Has(finding.Identity{Code: "trap", Package: "p"}))
	assert.Equal(t, []finding.Identity{b}, s.Without(map[finding.Identity]bool{a: true}).Identities())
	assert.Equal(t, 2, s.Len())
	assert.Zero(t, finding.Set{}.Len())
}

func TestReadCancelled(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	stop()
	_, err := finding.Read(ctx, strings.NewReader("{}"))
	assert.ErrorIs(t, err, context.Canceled)
}

func TestReadUnusable(t *testing.T) {
	for text, want := range map[string]string{
		"{\"code\":\"trap\"}\n\nnonsense":     "line 3: it is not a finding of a baseline",
		`{"code":"trap","line":7}`:            `unknown field "line"`,
		`{"code":"trap"} {"code":"trap"}`:     "want one object with a code",
		`{"package":"p"}`:                     "want one object with a code",
		strings.Repeat("x", 2<<20):            "line 1: it is longer than 1048576 bytes",
		`[{"code":"trap"}]`:                   "cannot unmarshal array",
		"{\"code\":\"trap\"}\n{\"code\":\"tr": "line 2: it is not a finding of a baseline: unexpected EOF",
	} {
		_, err := finding.Read(t.Context(), strings.NewReader(text))
		assert.ErrorContains(t, err, want)
	}
}

// Any text that can be read says the same when it is written.
func FuzzRead(f *testing.F) {
	f.Add(`{"code":"trap","package":"p","channel":"c","bundle":"p.v1","cause":"<1.0.0"}`)
	f.Add("{\"code\":\"\xff\"}\n{\"code\":\"a\\nb\"}")
	f.Fuzz(func(t *testing.T, text string) {
		b, err := finding.Read(t.Context(), strings.NewReader(text))
		if err == nil {
			var text bytes.Buffer
			require.NoError(t, b.Write(&text))
			again, err := finding.Read(t.Context(), &text)
			require.NoError(t, err)
			assert.Equal(t, b, again)
		}
	})
}
