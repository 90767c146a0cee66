package resolver_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/resolver"
	"github.com/resolvent/resolvent/resolver/internal/random"
	"github.com/resolvent/resolvent/resolver/scenario"
)

// TestIdentity identifies random problems: files, documents and objects in another order,
// and a record, which holds only what the requests reach, have the same identity.
func TestIdentity(t *testing.T) {
	eachSeed(t, *problems/6, func(seed uint64) error {
		problem := random.Problem(seed)
		in, err := asScenario(nil, problem).Question(t.Context())
		if err != nil {
			return err
		}
		want, err := scenario.Identify(t.Context(), in)
		if err != nil {
			return err
		}
		recorded, err := scenario.Record(t.Context(), in)
		if err != nil {
			return err
		}
		for name, s := range map[string]*scenario.Scenario{
			"in another order": asScenario(rand.New(rand.NewPCG(seed, 1)), problem), "recorded": recorded,
		} {
			other, err := s.Question(t.Context())
			if err != nil {
				return err
			}
			got, err := scenario.Identify(t.Context(), other)
			if err != nil {
				return err
			}
			if !assert.ObjectsAreEqual(want, got) {
				return fmt.Errorf("%s: the identity is\n%+v, not\n%+v", name, got, want)
			}
		}
		return nil
	})
}

// BenchmarkIdentity identifies a problem on a catalog of the real shape.
func BenchmarkIdentity(b *testing.B) {
	in := &scenario.Question{Problem: resolver.Problem{Cluster: wanting(0), Catalogs: generatedView(b, 1)}}
	for b.Loop() {
		_, err := scenario.Identify(b.Context(), in)
		require.NoError(b, err)
	}
}
