package outcomes

import (
	"bytes"
	"cmp"
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/examples/resolvent/internal/overview"
	"github.com/resolvent/resolvent/examples/resolvent/internal/terminal"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/result"
)

// A search for causes that was cut off says so, and how many there are beside those told.
func TestCausesCutOff(t *testing.T) {
	failure := &result.NotSatisfiable{Scopes: []cluster.Scope{cluster.InNamespace("n")}}
	write := func() string {
		var b bytes.Buffer
		page := terminal.NewPage(t.Context(), &b, terminal.OutputJSON)
		require.NoError(t, WriteJSON(page, []result.Outcome{{Scope: cluster.InNamespace("n"), Err: failure}}, nil, nil, nil))
		require.NoError(t, page.Close())
		return b.String()
	}
	assert.NotContains(t, write(), "moreCauses")
	assert.NotContains(t, write(), "causesCutOff")
	failure.MoreCauses, failure.CutOff = 7, context.DeadlineExceeded
	assert.Contains(t, write(), `"moreCauses": 7`)
	assert.Contains(t, write(), `"causesCutOff": "context deadline exceeded"`)
}

// A search for fixes that was cut off says so in every form.
func TestSearchCutOff(t *testing.T) {
	for end, text := range map[result.Search]string{
		"":         "",
		"complete": "",
		"limit":    "The search for what would help ended at its limit: there may be more",
		"canceled": "The search for what would help was cut off: there may be changes that help",
	} {
		failure := &result.NotSatisfiable{Scopes: []cluster.Scope{cluster.InNamespace("n")}, Help: result.Help{Search: end}}
		var b bytes.Buffer
		page := terminal.NewPage(t.Context(), &b, terminal.OutputJSON)
		require.NoError(t, WriteJSON(page, []result.Outcome{{Scope: cluster.InNamespace("n"), Err: failure}}, nil, nil, nil))
		require.NoError(t, page.Close())
		if text == "" {
			assert.NotContains(t, b.String(), "searchCutOff", end)
		} else {
			assert.Contains(t, b.String(), `"searchCutOff": "`+string(end)+`"`)
		}
		for _, view := range []View{{}, {All: true}} {
			var b bytes.Buffer
			view.writeFailure(&b, failure, 1, terminal.Style{})
			assert.Equal(t, text != "", strings.Contains(b.String(), cmp.Or(text, "search")), end)
		}
		assert.Equal(t, text, overview.Call{}.FixText(&result.Status{Err: failure, Help: failure.Help}), end)
	}
}
