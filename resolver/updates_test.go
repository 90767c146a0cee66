package resolver_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/reason"
	"github.com/resolvent/resolvent/resolver/result"
)

func TestNoPath(t *testing.T) {
	const none = "no sequence of updates leads package p from a to c: "
	for want, e := range map[string]result.NoPath{
		"updates lead only to b":                  {Reached: []string{"a", "b"}},
		"updates lead only to b, d, e and 2 more": {Reached: []string{"a", "b", "d", "e", "f", "g"}},
		"nothing in any channel updates a":        {},
		"b cannot follow a: channel d lists it, but the catalog has no bundle of that name": {
			Blocked: []result.BlockedUpdate{{From: "a", To: "b", Err: &result.Unlisted{Channel: "d", NoBundle: true}}},
		},
		"b cannot follow a in channel d: held": {Blocked: []result.BlockedUpdate{{From: "a", To: "b", Channel: "d", Err: errors.New("held")}}},
	} {
		e.Package, e.From, e.To = "p", "a", "c"
		assert.EqualError(t, &e, none+want)
	}
}

// What keeps one Subscription from being resolved keeps all of its namespace, but is not
// the fault of all.
func TestStatusReason(t *testing.T) {
	key := func(name string) cluster.RequestKey {
		return cluster.RequestKey{Kind: cluster.KindSubscription, Namespace: "n", Name: name}
	}
	cause := func(names ...string) result.Cause {
		head := &result.Conflict{Scope: cluster.InNamespace("n")}
		for _, name := range names {
			head.Requests = append(head.Requests, &result.Request{Key: key(name)})
		}
		last := key(names[len(names)-1])
		return result.Cause{Requests: []cluster.RequestKey{last}, Explanation: &result.Explanation{Reason: reason.Conflict(head)}}
	}
	failure := &result.NotSatisfiable{Causes: []result.Cause{cause("a"), cause("b", "c"), cause("b")}}
	failure.Explanation = failure.Causes[0].Explanation
	s := result.Status{State: result.StateWaiting, Err: failure}
	for name, want := range map[string]string{
		"a": "what they ask for excludes each other",
		"b": "what they ask for excludes each other",
		"c": "Subscriptions b and c cannot be satisfied together in namespace n: what they ask for excludes each other",
		"d": "waits until Subscriptions a, c and b of its namespace can be satisfied or are deleted",
	} {
		s.Request = key(name)
		assert.Equal(t, want, s.Reason())
	}
	failure.Causes = failure.Causes[:2]
	s.Request = key("b")
	assert.Contains(t, s.Reason(), "Subscriptions b and c", "it takes part in the cause of another")
	assert.True(t, s.Stuck())
	assert.True(t, (&result.Status{State: result.StateCurrent, Target: &result.TargetStatus{Blocks: "4.20"}}).Stuck())
	assert.False(t, (&result.Status{State: result.StateUpdateAvailable, Target: &result.TargetStatus{}}).Stuck())
}
