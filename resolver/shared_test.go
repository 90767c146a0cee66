package resolver_test

import (
	"bytes"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/resolver"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/resolver/text"
)

// diamonds is a catalog of layers with two packages each, every one of which
// requires any of the two below; those of the last layer cannot be had. The
// number of ways from top to bottom doubles with each layer.
func diamonds(layers int) []byte {
	var b bytes.Buffer
	for i := range layers {
		for _, side := range []string{"a", "b"} {
			name := fmt.Sprintf("%s%d", side, i)
			fmt.Fprintf(&b, `{"schema":"olm.package","name":%q,"defaultChannel":"c"}{"schema":"olm.channel","package":%q,"name":"c","entries":[{"name":"%s.v1"}]}`, name, name, name)
			fmt.Fprintf(&b, `{"schema":"olm.bundle","package":%q,"name":"%s.v1","image":"i","properties":[{"type":"olm.package","value":{"packageName":%q,"version":"1.0.0"}}%s]}`, name, name, name,
				constraint(`{"any":{"constraints":[{"package":{"packageName":"a%d","versionRange":">=1.0.0"}},{"package":{"packageName":"b%d","versionRange":">=1.0.0"}}]}}`, i+1, i+1))
		}
	}
	return b.Bytes()
}

// TestSharedDerivation: what a derivation shares is walked, printed and drawn
// once, however many ways lead there.
func TestSharedDerivation(t *testing.T) {
	const layers = 40 // 2 to the power of 40 ways
	view := worstView(t, diamonds(layers))
	known := cluster.NewIndex(cluster.Objects{Subscriptions: []cluster.Subscription{{Namespace: "n", Name: "s", Package: "a0"}}})
	_, err := resolver.New().Resolve(t.Context(), resolver.Problem{Cluster: known, Catalogs: view}, cluster.InNamespace("n"))
	failure, ok := errors.AsType[*result.NotSatisfiable](err)
	require.True(t, ok, "%v", err)
	leaves := 0
	for range failure.Explanation.Leaves() {
		leaves++
	}
	assert.Greater(t, leaves, 2*layers-2)
	assert.Less(t, leaves, 10*layers)
	assert.LessOrEqual(t, len(text.All(failure)), result.MaxExplanation)
	assert.Contains(t, drawn(failure).Mermaid(), "n0")
}
