package outcomes

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/examples/resolvent/internal/terminal"
	"github.com/resolvent/resolvent/resolver"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/resolver/scenario"
	"github.com/resolvent/resolvent/testdata/testkit"
)

// added are the members that this program adds to the results of the library, and replaced those of which it
// knows more.
var added, replaced = []string{"command", "lifts", "lock", "options", "passedOver", "why"}, []string{"fix", "number", "options"}

// sameJSON holds what the program writes against what encoding/json makes of the same result.
func sameJSON(t *testing.T, at string, written, standard any) {
	t.Helper()
	switch standard := standard.(type) {
	case map[string]any:
		object, _ := written.(map[string]any)
		for _, key := range slices.Sorted(maps.Keys(standard)) {
			if !slices.Contains(replaced, key) {
				sameJSON(t, at+"."+key, object[key], standard[key])
			}
		}
		for _, key := range slices.Sorted(maps.Keys(object)) {
			_, known := standard[key]
			assert.True(t, known || slices.Contains(added, key), "%s.%s is not in the JSON of the library", at, key)
		}
	case []any:
		list, _ := written.([]any)
		require.Len(t, list, len(standard), at)
		for i := range standard {
			sameJSON(t, at, list[i], standard[i])
		}
	default:
		assert.Equal(t, standard, written, at)
	}
}

// parts are results that the program writes as they are.
type parts struct {
	Why   []result.Justification `json:"why,omitempty"`
	Lifts []result.Lift          `json:"lifts,omitempty"`
	Fixes []result.Fix           `json:"fixes,omitempty"`
}

// TestStandardJSON: encoding/json makes of each result what the program writes of it, but for what only that
// knows.
func TestStandardJSON(t *testing.T) {
	kinds := map[string]int{}
	for file, data := range testkit.Files(t, "testdata", "scenarios", "*.txtar") {
		s, err := scenario.Parse(data)
		require.NoError(t, err)
		in, err := s.Question(t.Context())
		require.NoError(t, err)
		r := resolver.New()
		compare := func(write func(p *terminal.Page) error, list string, results ...any) {
			var b bytes.Buffer
			page := terminal.NewPage(t.Context(), &b, terminal.OutputJSON)
			require.NoError(t, write(page), file)
			require.NoError(t, page.Close())
			var document map[string]any
			require.NoError(t, json.Unmarshal(b.Bytes(), &document), file)
			written := []any{document}
			if list != "" {
				written = document[list].([]any)
			} else {
				delete(document, "schema")
			}
			require.Len(t, written, len(results))
			for i, of := range results {
				kinds[reflect.TypeOf(of).String()]++
				sameJSON(t, file+" "+list, written[i], roundTrip(t, of))
			}
		}
		outcomes := r.ResolveAll(t.Context(), in.Problem, in.Scopes)
		for list, alone := range map[string]bool{"namespaces": false, "clusterExtensions": true} {
			var of []any
			for _, o := range outcomes {
				if o.Scope.Alone() == alone {
					of = append(of, o)
				}
			}
			compare(func(p *terminal.Page) error { return WriteJSON(p, outcomes, nil, nil, nil) }, list, of...)
		}
		for _, o := range outcomes {
			why, _ := r.Justify(t.Context(), in.Problem, o.Scope)
			lifts, _ := r.Lifts(t.Context(), in.Problem, o.Scope)
			compare(func(p *terminal.Page) error {
				return terminal.WriteJSON(p, parts{why, lifts, result.HelpOf(o.Err).Fixes})
			}, "", parts{why, lifts, result.HelpOf(o.Err).Fixes})
		}
		rows, err := r.Status(t.Context(), in.Problem, in.Scopes, nil)
		if err != nil {
			continue
		}
		status := &StatusJSON{}
		require.NoError(t, status.Add(context.Background(), "", rows, nil))
		compare(func(p *terminal.Page) error { return status.Write(t.Context(), p) }, "rows", terminal.Mapped(rows, func(r result.Status) any { return r })...)
		for _, row := range rows {
			path, err := r.Path(t.Context(), in.Problem, row.Request, "")
			if none, failed := err.(*result.NoPath); failed {
				compare(func(p *terminal.Page) error {
					return WritePathJSON(p, in.Problem.Catalogs, row.Request.Scope(), row.Package, path, err)
				}, "", none)
			} else if err == nil {
				compare(func(p *terminal.Page) error {
					return WritePathJSON(p, in.Problem.Catalogs, row.Request.Scope(), row.Package, path, err)
				}, "", path)
			}
		}
	}
	for _, kind := range []string{"result.Outcome", "result.Status", "*result.Path", "*result.NoPath"} {
		assert.Greater(t, kinds[kind], 20, kind)
	}
}
