package resolver_test

import (
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/resolvent/resolvent/resolver"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/oracle/random"
	"github.com/resolvent/resolvent/resolver/result"
)

// TestOneOwnerInTurn: of namespaces that are resolved each by itself, no two get
// providers of one kind, and one that gets none of another's kinds gets what it
// would get alone.
func TestOneOwnerInTurn(t *testing.T) {
	var clashes atomic.Int64
	eachSeed(t, *problems/3, func(seed uint64) error {
		s := asScenario(nil, random.Joint(seed)...)
		s.Options.Jointly, s.Options.SingleOwner = false, true
		in, err := s.Question(t.Context())
		if err != nil {
			return err
		}
		objects := in.Problem.Cluster.Objects()
		objects.OperatorGroups = nil // those that intersect have turns, whatever the options say
		in.Problem.Cluster = cluster.NewIndex(objects)
		r := resolver.New()
		outcomes := r.ResolveAll(t.Context(), in.Problem, in.Scopes)
		owners := map[[2]string]string{}
		for i, o := range outcomes {
			alone, err := r.Resolve(t.Context(), in.Problem, o.Scope)
			switch {
			case i == 0 && result.Of(err) != o.Result():
				return fmt.Errorf("the first namespace: %v, alone %v", o.Err, err)
			case i > 0 && err == nil && (o.Err != nil || kinds(o.Resolution) != kinds(alone)):
				clashes.Add(1)
			}
			if o.Err != nil {
				continue
			}
			for j := range o.Resolution.Installs {
				for _, api := range o.Resolution.Installs[j].Properties.GVKs() {
					kind := [2]string{api.Group, api.Kind}
					if other, ok := owners[kind]; ok && other != o.Scope.Name {
						return fmt.Errorf("%s and %s both get %s\n%s", other, o.Scope.Name, api.Kind, jointText(random.Joint(seed)))
					}
					owners[kind] = o.Scope.Name
				}
			}
		}
		return nil
	})
	t.Logf("%d namespaces had to give way", clashes.Load())
	assert.Positive(t, clashes.Load())
}

// kinds shows what an answer installs.
func kinds(r *result.Resolution) string {
	text := ""
	for i := range r.Installs {
		text += r.Installs[i].Bundle.Name + " "
	}
	return text
}
