package catalog_test

import (
	"math"
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/testdata/testkit"
)

// Each limit has the default that its comment states, and keeps what is set.
func TestDefaultLimits(t *testing.T) {
	testkit.CheckDefaults(t, "limits.go", catalog.Limits{}.WithDefaults())
	for value, kept := range map[int64]bool{math.MinInt64: false, -1: false, 1: true, math.MaxInt64: true} {
		var limits catalog.Limits
		for i := range reflect.TypeFor[catalog.Limits]().NumField() {
			reflect.ValueOf(&limits).Elem().Field(i).SetInt(value)
		}
		if kept {
			assert.Equal(t, limits, limits.WithDefaults())
		} else {
			assert.Equal(t, catalog.Limits{}.WithDefaults(), limits.WithDefaults())
		}
	}
}
