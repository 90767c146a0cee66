package build

import (
	"math/rand/v2"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
)

// Names are judged as the regular expressions of Kubernetes judge them.
func TestValidNames(t *testing.T) {
	grammars := []struct {
		valid   func(string) bool
		grammar *regexp.Regexp
	}{
		{validLabel, regexp.MustCompile(`^[a-z0-9]([-a-z0-9]*[a-z0-9])?$`)},
		{validGroup, regexp.MustCompile(`^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$`)},
		{validVersion, regexp.MustCompile(`^[a-z]([-a-z0-9]*[a-z0-9])?$`)},
	}
	r := rand.New(rand.NewPCG(1, 2))
	const letters = "az09-.-.AZ_é\n{`"
	for range 20000 {
		name := ""
		for range r.IntN(7) {
			at := r.IntN(8)
			if r.IntN(8) == 0 {
				at = r.IntN(len(letters))
			}
			name += letters[at : at+1]
		}
		for i, of := range grammars {
			require.Equal(t, of.grammar.MatchString(name), of.valid(name), "%d: %q", i, name)
		}
	}
}
