package memo

import (
	"errors"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestMemoComputesOnce(t *testing.T) {
	var m Memo[int, int]
	computed := 0
	for range 3 {
		assert.Equal(t, 4, m.Value(2, func() int { computed++; return 4 }))
	}
	assert.Equal(t, 1, computed)
}

func TestMemoKeepsNoErrors(t *testing.T) {
	var m Memo[int, int]
	_, err := m.Get(1, func() (int, error) { return 0, errors.New("failed") })
	assert.Error(t, err)
	v, err := m.Get(1, func() (int, error) { return 5, nil })
	assert.NoError(t, err)
	assert.Equal(t, 5, v)
}

// What is needed again stays; what is not is dropped, by count or by weight.
func TestMemoIsBounded(t *testing.T) {
	m := Memo[int, int]{Max: 30, Weigh: func(v int) int { return v }}
	for i := range 1000 {
		m.Value(0, func() int {
			assert.Zero(t, i, "computed again")
			return 10
		})
		m.Value(i+1, func() int { return 10 })
		assert.LessOrEqual(t, len(m.young)+len(m.old), 6)
	}
}

func TestMemoDrops(t *testing.T) {
	var m Memo[int, int]
	m.Value(1, func() int { return 1 })
	m.Value(2, func() int { return 2 })
	m.Drop(func(v int) bool { return v == 1 })
	assert.Equal(t, 7, m.Value(1, func() int { return 7 }))
	assert.Equal(t, 2, m.Value(2, func() int { return 7 }))
}

// Goroutines that race all get the value that is kept.
func TestMemoRaces(t *testing.T) {
	var m Memo[int, *int]
	got := make([]*int, 8)
	var group sync.WaitGroup
	for i := range got {
		group.Go(func() { got[i] = m.Value(1, func() *int { return new(int) }) })
	}
	group.Wait()
	for _, v := range got {
		assert.Same(t, got[0], v)
	}
}
