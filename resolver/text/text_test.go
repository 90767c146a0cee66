package text_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/resolver"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/resolver/scenario"
	"github.com/resolvent/resolvent/resolver/text"
	"github.com/resolvent/resolvent/testdata/testkit"
)

// height is how many lines of a narrow screen a text takes.
func height(s string) (n int) {
	for line := range strings.Lines(s) {
		n += max(1, (utf8.RuneCountInString(strings.TrimSuffix(line, "\n"))+text.Columns-1)/text.Columns)
	}
	return n
}

// The text of every failure of testdata keeps to the limits, and says what to do, whom to ask,
// or that nothing helps.
func TestLimits(t *testing.T) {
	failures := 0
	for _, folder := range []string{"scenarios", "explanations"} {
		for file, data := range testkit.Files(t, "testdata", folder, "*.txtar") {
			s, err := scenario.Parse(data)
			require.NoError(t, err)
			in, err := s.Question(t.Context())
			require.NoError(t, err)
			for _, o := range resolver.New().ResolveAll(t.Context(), in.Problem, in.Scopes) {
				if o.Err == nil {
					continue
				}
				failures++
				brief := text.Brief(o.Err)
				groups := 1
				if e, ok := errors.AsType[*result.NotSatisfiable](o.Err); ok {
					for _, c := range e.Causes {
						groups = max(groups, c.Group)
					}
				}
				assert.LessOrEqual(t, height(brief), min(text.MostLines, text.LeastLines+text.MoreLines*(groups-1)), "%s:\n%s", file, brief)
				assert.NotEmpty(t, brief, file)
				for _, other := range text.Alternatives(o.Err) {
					assert.Regexp(t, `\(.+\)|: `, other, "what comes of it otherwise, in %s", file)
				}
				if e, ok := errors.AsType[*result.NotSatisfiable](o.Err); ok && e.Search != "" {
					assert.Regexp(t, `Do this|What would help|Needs a change by others|What is missing`, brief, file)
				}
			}
		}
	}
	assert.Greater(t, failures, 150)
}

// What OLM, catalogs and manifests say cannot make a text long.
func TestLongSentences(t *testing.T) {
	brief := text.Brief(errors.New(strings.Repeat("a long word, ", 5000)))
	assert.LessOrEqual(t, height(brief), text.LeastLines)
	assert.Empty(t, text.Alternatives(context.Canceled))
}

// An alternative of three requests is shown to its end, which says what it brings.
func TestLongAlternative(t *testing.T) {
	long := "at a risk (" + strings.Repeat("strimzi-kafka-operator is removed first, ", 8) + "): downgrades it"
	assert.Equal(t, long, text.Way(long))
}

// Without an error, a fix or a wait there is nothing to say.
func TestNothingToSay(t *testing.T) {
	for _, a := range []*text.Advice{text.Of(nil, nil), text.OfHelp(&result.Help{}), text.OfHelp(nil), text.OfRow(&result.Help{}, nil, nil, nil), text.OfRow(nil, nil, nil, nil), {}} {
		a.NumberFrom(2)
		assert.Empty(t, a.Label(true))
		for _, limits := range []text.Limits{{}, {Lines: text.Screen}} {
			assert.NotPanics(t, func() { a.Text(limits) })
		}
	}
}
