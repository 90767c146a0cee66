package outcomes

import (
	"bytes"
	"os"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/examples/resolvent/internal/terminal"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/result"
)

// JSON has the outcomes of every kind of request.
func TestKindsOfRequests(t *testing.T) {
	declared, err := os.ReadFile("../../../../resolver/cluster/key.go")
	require.NoError(t, err)
	for _, m := range regexp.MustCompile(`RequestKind = "(\w+)"`).FindAllSubmatch(declared, -1) {
		var b bytes.Buffer
		page := terminal.NewPage(t.Context(), &b, terminal.OutputJSON)
		scope := cluster.Scope{Kind: cluster.RequestKind(m[1]), Name: "lone"}
		require.NoError(t, WriteJSON(page, []result.Outcome{{Scope: scope, Resolution: &result.Resolution{}}}, nil, nil, nil))
		require.NoError(t, page.Close())
		assert.Contains(t, b.String(), "lone", "WriteJSON drops what is of kind %s", m[1])
	}
}
