package result

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/token"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestSharedNodes: a derivation whose parts are shared is written with its whole
// depth, and with far fewer nodes than there are ways through it.
func TestSharedNodes(t *testing.T) {
	const layers = 100
	below := &Explanation{Fact: true}
	for range layers {
		below = &Explanation{Because: []*Explanation{below, below}}
	}
	var count func(n nodeJSON) int
	count = func(n nodeJSON) int {
		sum := 1
		for _, child := range n.Because {
			sum += count(child)
		}
		return sum
	}
	written := nodeToJSON(below)
	assert.Less(t, count(written), 2*maxNodes)
	depth := 0
	for n := written; len(n.Because) > 0; n = n.Because[0] {
		depth++
	}
	assert.Equal(t, layers, depth)

	// A small one stands there in full.
	fact := &Explanation{Fact: true}
	twice := &Explanation{Because: []*Explanation{fact, fact}}
	assert.Equal(t, 7, count(nodeToJSON(&Explanation{Because: []*Explanation{twice, twice}})))
}

// TestTags: encoding/json finds a tag at each field of what shapes hold, or a method of its type; so does
// any other encoder. A list without a method may be absent, else one encoder writes null for it.
func TestTags(t *testing.T) {
	seen := map[reflect.Type]bool{}
	var walk func(of reflect.Type)
	walk = func(of reflect.Type) {
		switch kind := of.Kind(); {
		case kind == reflect.Pointer, kind == reflect.Slice, kind == reflect.Map:
			walk(of.Elem())
			return
		case kind != reflect.Struct || seen[of] || !strings.HasPrefix(of.PkgPath(), "github.com/resolvent/"):
			return
		}
		seen[of] = true
		shape := !token.IsExported(of.Name())
		if reflect.PointerTo(of).Implements(reflect.TypeFor[json.Marshaler]()) {
			assert.NotNil(t, ShapeOf(of), "the shape of %s is not among toShapes", of)
			return
		}
		for _, f := range reflect.VisibleFields(of) {
			tag, tagged := f.Tag.Lookup("json")
			if tag == "-" || f.Anonymous {
				continue
			}
			assert.True(t, tagged, "%s.%s has no json tag", of, f.Name)
			assert.True(t, shape || f.Type.Kind() != reflect.Slice || strings.Contains(tag, "omit"), "%s.%s: encoding/json writes null for an empty list", of, f.Name)
			walk(f.Type)
		}
	}
	for _, to := range toShapes {
		made := reflect.TypeOf(to)
		assert.True(t, made.In(0).Implements(reflect.TypeFor[json.Marshaler]()), made.In(0))
		walk(made.Out(0))
	}
	assert.Greater(t, len(seen), 40)
}

// TestErrorsInJSON: every error of the package is an object in JSON, as is what it wraps.
func TestErrorsInJSON(t *testing.T) {
	fault := errors.New("\xffno")
	for _, err := range []error{
		&NotSatisfiable{}, &Denied{}, &CatalogsUnhealthy{}, &InvalidInput{Err: fault}, &Ambiguous{}, &Incomplete{Err: fault}, &Internal{fault}, &UnknownBundle{},
	} {
		text, fails := json.Marshal(err)
		require.NoError(t, fails)
		outcome, fails := json.Marshal(Outcome{Err: fmt.Errorf("%w", err)})
		require.NoError(t, fails)
		assert.Contains(t, string(outcome), string(text))
		assert.Contains(t, string(text), `"constraints":[],`)
	}
}
