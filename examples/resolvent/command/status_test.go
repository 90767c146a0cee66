package command

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/testdata/testkit"
)

// Every fix that JSON has is printed by its number, the recommended ones first; and the table
// of versions fits a narrow terminal.
func TestStatusFix(t *testing.T) {
	args := append([]string{"status"}, from("status.yaml", coast...)...)
	var got struct {
		Rows []struct {
			Changes []struct {
				Number int
				Object struct{ Name string }
			}
		}
	}
	require.NoError(t, json.Unmarshal([]byte(call(t, args, "-o", "json").stdout), &got))
	most := 0
	for _, r := range got.Rows {
		for _, c := range r.Changes {
			most = max(most, c.Number)
			if c.Number%4 != 1 && testkit.Scale(0, 1) == 0 {
				continue
			}
			fix := call(t, args, "--fix", fmt.Sprint(c.Number))
			assert.Equal(t, exitResolved, fix.status)
			assert.Contains(t, fix.stdout, " -- "+c.Object.Name)
		}
	}
	text := call(t, args).stdout
	assert.Contains(t, text, "Fix 1: ")
	assert.Equal(t, strings.Count(text, "Fix "), strings.Count(text, "\n    Fix "))
	assert.Greater(t, most, strings.Count(text, "Fix "))
	unknown := call(t, args, "--fix", fmt.Sprint(most+1))
	assert.Equal(t, exitUnresolved, unknown.status)
	assert.Contains(t, unknown.stderr, fmt.Sprintf("they are numbered from 1 to %d", most))
	_, table, _ := strings.Cut(text, "\nNAME ")
	for line := range strings.Lines(table) {
		assert.LessOrEqual(t, len(line), 80, line)
	}
	assert.Contains(t, call(t, args, "-o", "wide").stdout, "  lighthouse.v1.2.0  ")
	legend := call(t, []string{"status", "--legend"})
	assert.Equal(t, exitResolved, legend.status, legend.stderr)
	assert.Contains(t, legend.stdout, "\n  notJudged ")
	refused := call(t, []string{"status", "--cluster", "testdata/cluster/status.yaml", "--fix", "1"}, coast...)
	assert.Equal(t, exitNotStarted, refused.status)
	assert.Contains(t, refused.stderr, "--fix: it prints commands for one cluster")
}
