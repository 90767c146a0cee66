package advice_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/resolver"
	"github.com/resolvent/resolvent/resolver/advice"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/resolver/scenario"
	"github.com/resolvent/resolvent/testdata/testkit"
)

// height is how many lines of a narrow screen a text takes.
func height(text string) (n int) {
	for line := range strings.Lines(text) {
		n += max(1, (utf8.RuneCountInString(strings.TrimSuffix(line, "\n"))+advice.Columns-1)/advice.Columns)
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
				text := advice.Text(o.Err)
				groups := 1
				if e, ok := errors.AsType[*result.NotSatisfiable](o.Err); ok {
					for _, c := range e.Causes {
						groups = max(groups, c.Group)
					}
				}
				assert.LessOrEqual(t, height(text), min(advice.MostLines, advice.LeastLines+advice.MoreLines*(groups-1)), "%s:\n%s", file, text)
				assert.NotEmpty(t, text, file)
				for _, other := range advice.Alternatives(o.Err) {
					assert.Regexp(t, `\(.+\)|: `, other, "what comes of it otherwise, in %s", file)
				}
				if e, ok := errors.AsType[*result.NotSatisfiable](o.Err); ok && e.Search != "" {
					assert.Regexp(t, `Do this|What would help|Only others can change|What is missing`, text, file)
				}
			}
		}
	}
	assert.Greater(t, failures, 150)
}

// What OLM, catalogs and manifests say cannot make a text long.
func TestLongSentences(t *testing.T) {
	text := advice.Text(errors.New(strings.Repeat("a long word, ", 5000)))
	assert.LessOrEqual(t, height(text), advice.LeastLines)
	assert.Empty(t, advice.Alternatives(context.Canceled))
}

// An alternative of three requests is shown to its end, which says what it brings.
func TestLongAlternative(t *testing.T) {
	text := "at a risk (" + strings.Repeat("strimzi-kafka-operator is removed first, ", 8) + "): downgrades it"
	assert.Equal(t, text, advice.Way(text))
}
