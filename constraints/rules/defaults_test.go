package rules

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/resolvent/resolvent/testdata/testkit"
)

func TestDefaultLimits(t *testing.T) {
	testkit.CheckDefaults(t, "limits.go", Limits{}.withDefaults())
	set := Limits{1, 1, 1, 1, 1, 1, 1, 1}
	assert.Equal(t, set, set.withDefaults())
}
