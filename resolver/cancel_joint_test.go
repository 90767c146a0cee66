package resolver_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/resolvent/resolvent/resolver"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/policy"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/testdata/testkit"
)

// TestCancelJointly cancels joint resolutions while they search, explain,
// look for fixes, and sort out what can proceed.
func TestCancelJointly(t *testing.T) {
	for _, shape := range []string{"one API for all", "each needs the next", "all absent, or none"} {
		view := worstView(t, worstCatalog(10<<10, worstProperties()[shape]))
		for request, objects := range worstRequests() {
			known := cluster.NewIndex(inTwoNamespaces(objects))
			for _, partial := range []bool{false, true} {
				name := shape + ", " + request
				if partial {
					name += ", partly"
				}
				t.Run(name, func(t *testing.T) {
					testkit.CancelAtRandom(t, func(ctx context.Context) error {
						problem := resolver.Problem{Cluster: known, Catalogs: view, Options: policy.Options{Partial: partial, Jointly: true}}
						err := resolver.New().ResolveAll(ctx, problem, known.Scopes())[0].Err
						switch result.Of(err) {
						case result.Resolved, result.ResultUnsatisfied:
						case result.ResultIncomplete:
							assert.ErrorIs(t, err, context.Canceled)
						default:
							t.Errorf("%v", err)
						}
						return err
					})
				})
			}
		}
	}
}

// inTwoNamespaces asks for the same things in a second namespace, m. The groups
// of both target both.
func inTwoNamespaces(o cluster.Objects) cluster.Objects {
	for _, s := range o.Subscriptions {
		s.Namespace = "m"
		o.Subscriptions = append(o.Subscriptions, s)
	}
	for _, v := range o.CSVs {
		v.Namespace = "m"
		o.CSVs = append(o.CSVs, v)
	}
	for _, namespace := range []string{"m", "n"} {
		o.OperatorGroups = append(o.OperatorGroups, cluster.OperatorGroup{Namespace: namespace, Name: "group", TargetNamespaces: []string{"m", "n"}})
	}
	return o
}
