package check_test

import (
	"os"
	"regexp"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver/check"
)

// Every code of a fault has a kind of finding with a meaning. Those of archives fail the reading, and
// so are none of findings.
func TestCodes(t *testing.T) {
	known := check.Codes()
	for _, file := range []string{"../../cache/internal/code/code.go", "../../properties/fault.go"} {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		for _, m := range regexp.MustCompile(`(?m)^\t\w+\s+(?:faultCode\s+)?= "(\w+)"`).FindAllSubmatch(text, -1) {
			if c := catalog.Code(m[1]); !slices.Contains([]catalog.Code{"archive", "digest"}, c) {
				assert.NotEmpty(t, known[c], "no kind of finding has the code %s", c)
			}
		}
	}
}
