package resolver_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/resolver"
	"github.com/resolvent/resolvent/resolver/scenario"
)

// BenchmarkIdentity identifies a problem on a catalog of the real shape.
func BenchmarkIdentity(b *testing.B) {
	in := &scenario.Question{Problem: resolver.Problem{Cluster: wanting(0), Catalogs: generatedView(b, 1)}}
	for b.Loop() {
		_, err := in.Identify(b.Context())
		require.NoError(b, err)
	}
}
