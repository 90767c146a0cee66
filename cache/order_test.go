package cache

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v4"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/testdata/testkit"
)

// TestChannelOrderConformance compares with what OLM makes of channels.
func TestChannelOrderConformance(t *testing.T) {
	paths, err := filepath.Glob(filepath.Join(testkit.Shared(t, "conformance", "sort-channel"), "*.yaml"))
	require.NoError(t, err)
	require.NotEmpty(t, paths)
	for _, path := range paths {
		t.Run(filepath.Base(path), func(t *testing.T) {
			text, err := os.ReadFile(path)
			require.NoError(t, err)
			var test struct {
				Channel struct{ Entries []struct{ Name string } }
				Expect  struct {
					Order []string
					Error *struct{ Kind string }
				}
			}
			require.NoError(t, yaml.Unmarshal(text, &test))
			var document struct{ Channel yaml.Node }
			require.NoError(t, yaml.Unmarshal(text, &document))
			given, err := yaml.Marshal(&document.Channel)
			require.NoError(t, err)
			for _, e := range test.Channel.Entries {
				given = append(given, "\n---\n{schema: olm.bundle, package: package, name: "+e.Name+
					", properties: [{type: olm.package, value: {packageName: package, version: 1.0.0}}]}"...)
			}

			s, err := Parse(t.Context(), given, Options{})
			require.NoError(t, err)
			c := s.Package("package").Channel("channel")
			if test.Expect.Error != nil {
				assert.NotEmpty(t, c.Fault)
				assert.Zero(t, s.Candidates())
				return
			}
			assert.Equal(t, len(test.Expect.Order) == 0, c.Fault != "", "only an empty channel has no order")
			candidates := make([]catalog.ID, s.Candidates())
			for i := range candidates {
				candidates[i] = catalog.ID(i)
			}
			assert.Equal(t, test.Expect.Order, names(s, candidates))
		})
	}
}
