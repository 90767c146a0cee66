package cache

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/testdata/testkit"
)

func TestDefaultSchedule(t *testing.T) {
	testkit.CheckDefaults(t, "schedule.go", Schedule{}.withDefaults())
	set := Schedule{1, 1, 1, 1}
	assert.Equal(t, set, set.withDefaults())
}

// slow is a source that takes a second.
type slow struct{}

func (slow) Load(context.Context) (*catalog.Snapshot, error) {
	time.Sleep(time.Second)
	return &catalog.Snapshot{}, nil
}

// Without options, four catalogs are read at the same time.
func TestDefaultWorkers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := New(CacheOptions{})
		for i := range 10 {
			c.Set(catalog.Key{Name: fmt.Sprint(i)}, CatalogConfig{Source: slow{}})
		}
		start := time.Now()
		require.NoError(t, c.Refresh(t.Context()))
		assert.Equal(t, 3*time.Second, time.Since(start))
	})
}
