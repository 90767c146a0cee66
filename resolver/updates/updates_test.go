package updates

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/result"
)

func TestNoPath(t *testing.T) {
	const none = "no sequence of updates leads package p from a to c: "
	for want, e := range map[string]NoPath{
		"updates lead only to b":                  {Reached: []string{"a", "b"}},
		"updates lead only to b, d, e and 2 more": {Reached: []string{"a", "b", "d", "e", "f", "g"}},
		"nothing in any channel updates a":        {},
		"b cannot follow a (channel d lists it, but the catalog has no bundle of that name)": {
			Blocked: []BlockedUpdate{{From: "a", To: "b", Err: result.Unlisted{Channel: "d", NoBundle: true}}},
		},
		"b cannot follow a in channel d (held)": {Blocked: []BlockedUpdate{{From: "a", To: "b", Channel: "d", Err: errors.New("held")}}},
	} {
		e.Package, e.From, e.To = "p", "a", "c"
		assert.EqualError(t, &e, none+want)
	}
}

// What keeps one Subscription from being resolved keeps all of its namespace, but is not
// the fault of all.
func TestStatusReason(t *testing.T) {
	subscription := func(name string) result.Reason { return result.Reason{Kind: result.ReasonSubscription, Subject: name} }
	failure := &result.NotSatisfiable{
		Constraints: []result.Reason{subscription("a")},
		Explanation: &result.Explanation{Reason: result.Reason{Detail: result.Conflict{Scope: cluster.InNamespace("n"), Requests: []*result.Request{{Key: cluster.RequestKey{Name: "a"}}}}}},
	}
	s := Status{Request: cluster.RequestKey{Kind: cluster.KindSubscription, Namespace: "n", Name: "a"}, State: Failed, Err: failure}
	assert.Equal(t, "what they ask for excludes each other", s.Reason())
	failure.Constraints = append(failure.Constraints, subscription("b"))
	assert.Equal(t, "Subscription a cannot be satisfied in namespace n: what they ask for excludes each other", s.Reason())
	s.Request.Name = "c"
	assert.Contains(t, s.Reason(), "waits for the rest of its namespace: Subscription a cannot")
	assert.True(t, s.Stuck())
	assert.True(t, (&Status{State: Current, Target: &TargetStatus{}}).Stuck())
	assert.False(t, (&Status{State: UpdateAvailable, Target: &TargetStatus{OK: true}}).Stuck())
}
