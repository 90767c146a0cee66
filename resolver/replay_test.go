package resolver_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/resolver"
	"github.com/resolvent/resolvent/resolver/internal/oracle"
	"github.com/resolvent/resolvent/resolver/scenario"
)

// TestReplay records random problems and resolves them again from the text.
// Record itself compares the outcomes.
func TestReplay(t *testing.T) {
	eachSeed(t, 500, func(seed uint64) error {
		s := asScenario(oracle.Generate(seed), nil)
		in, err := s.Inputs(t.Context())
		if err != nil {
			return err
		}
		recorded, err := scenario.Record(t.Context(), in, "A recorded problem.\n")
		if err != nil {
			return err
		}
		text, err := recorded.Format()
		if err != nil {
			return err
		}
		again, err := scenario.Parse(text)
		if err != nil {
			return err
		}
		got, err := again.Run(t.Context())
		if err != nil {
			return err
		}
		s.Options.Texts = true
		want, err := s.Run(t.Context())
		if err == nil && got != want {
			return fmt.Errorf("want\n%sgot\n%s", want, got)
		}
		return err
	})
}

// TestReplayReal records real problems, which come to a part of the catalog.
func TestReplayReal(t *testing.T) {
	for _, name := range []string{"one-simple", "one-deps", "ten-mixed", "upgrade-ten", "unsat-missing", "unsat-package"} {
		t.Run(name, func(t *testing.T) {
			in := &scenario.Inputs{
				Cluster: realCluster(t, name), Catalogs: realView(t), Namespaces: []string{"operators"}, Options: resolver.Options{},
			}
			recorded, err := scenario.Record(t.Context(), in, scenario.Comment(in))
			require.NoError(t, err)
			text, err := recorded.Format()
			require.NoError(t, err)
			t.Logf("%d KiB", len(text)>>10)
			assert.Less(t, len(text), 16<<20, "only what is reached")
			again, err := scenario.Parse(text)
			require.NoError(t, err)
			got, err := again.Run(t.Context())
			require.NoError(t, err)
			assert.Equal(t, recorded.Want, got)
			twice, err := again.Format()
			require.NoError(t, err)
			assert.Equal(t, string(text), string(twice))
		})
	}
}
