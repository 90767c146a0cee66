package outcomes

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/updates"
)

// TestIdleHops: where clusters take different ways to a version, none is said to have
// nothing to do before one.
func TestIdleHops(t *testing.T) {
	row := func(hops ...string) []updates.Status {
		return []updates.Status{{Request: cluster.RequestKey{Kind: cluster.KindSubscription, Namespace: "n", Name: "a"}, Target: &updates.TargetStatus{Hops: hops}}}
	}
	var alike, other StatusTable
	for range 2 {
		alike.add("", row("4.19", "4.20"))
	}
	assert.Equal(t, []string{"4.19", "4.20"}, alike.hops)
	for _, hops := range [][]string{{"4.19", "4.20"}, {"4.20"}, {"4.20"}} {
		other.add("", row(hops...))
	}
	assert.Empty(t, other.hops)
}
