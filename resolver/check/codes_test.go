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

// Every code is known, and has a meaning. Those of archives fail the reading, and so are none
// of findings.
func TestCodes(t *testing.T) {
	var declared []catalog.Code
	for _, file := range []string{"codes.go", "../../cache/internal/code/code.go", "../../properties/fault.go"} {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		for _, m := range regexp.MustCompile(`(?m)^(?:\t|const )\w+\s+(?:catalog\.Code\s+|faultCode\s+)?= "(\w+)"`).FindAllSubmatch(text, -1) {
			declared = append(declared, catalog.Code(m[1]))
		}
	}
	slices.Sort(declared)
	declared = slices.Compact(declared) // "property" is said of more than one
	declared = slices.DeleteFunc(declared, func(c catalog.Code) bool { return c == "archive" || c == "digest" })
	known := check.Codes()
	for _, c := range declared {
		assert.NotEmpty(t, known[c], "codes.go does not explain %s", c)
	}
	assert.Len(t, known, len(declared), "codes.go has a code that is not declared")
}
