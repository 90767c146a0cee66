package cache

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/resolvent/resolvent/testdata/testkit"
)

func TestDefaultSchedule(t *testing.T) {
	testkit.CheckDefaults(t, "schedule.go", Schedule{}.withDefaults())
	set := Schedule{1, 1, 1, 1}
	assert.Equal(t, set, set.withDefaults())
}
