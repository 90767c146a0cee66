package request

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/resolvent/resolvent/resolver/cluster"
)

// TestKinds: every kind of requests has all that differs by kind, and so has the kind of scopes
// that cannot be read.
func TestKinds(t *testing.T) {
	assert.Len(t, kinds, 2)
	for _, kind := range []cluster.RequestKind{cluster.KindSubscription, cluster.KindExtension, "Wish"} {
		r := rowOf(kind)
		assert.NotNil(t, r.newReader, kind)
		of := reflect.ValueOf(*r.kind)
		for i := range of.NumField() {
			if f := of.Field(i); f.Kind() == reflect.Func {
				assert.False(t, f.IsNil(), "%s has no %s", kind, of.Type().Field(i).Name)
			}
		}
		// The key that stands for all requests of a scope leads back to it.
		scope := cluster.Scope{Kind: kind, Name: "a"}
		assert.Equal(t, scope, r.kind.All(scope).Scope())
		assert.Equal(t, kind != "Wish", Known(r.kind.All(scope)))
	}
	for kind, r := range kinds {
		assert.NotEmpty(t, r.kind.Code, kind)
	}
}
