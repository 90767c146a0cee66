package command_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/examples/resolvent/internal/fleet"
	"github.com/resolvent/resolvent/testdata/testkit"
)

func names(n int) []string {
	list := make([]string, n)
	for i := range list {
		list[i] = fmt.Sprintf("c%d", i)
	}
	return list
}

// Answers are used in the order of the clusters, whatever each takes. Of all clusters only
// a few, for each processor, have been begun and are not used yet.
func TestEachIsInOrderAndBounded(t *testing.T) {
	const n = 500
	most := int64(runtime.GOMAXPROCS(0) * 10)
	var open atomic.Int64
	var used []int
	var notes strings.Builder
	err := fleet.Each(t.Context(), names(n), fleet.Output{Notes: &notes}, func(_ context.Context, i int, notes io.Writer) (int, error) {
		assert.LessOrEqual(t, open.Add(1), most)
		time.Sleep(time.Duration(rand.IntN(200)) * time.Microsecond)
		fmt.Fprintln(notes, "the same everywhere")
		if i%100 == 7 {
			fmt.Fprintf(notes, "only %d\n", i)
			return 0, errors.New("broken")
		}
		return i, nil
	}, func(i, answer int, err error) error {
		open.Add(-1)
		if err == nil {
			assert.Equal(t, i, answer)
		}
		assert.Equal(t, i%100 == 7, err != nil)
		used = append(used, i)
		return nil
	})
	require.NoError(t, err)
	require.Len(t, used, n)
	assert.IsIncreasing(t, used)
	assert.Equal(t, "cluster c0: the same everywhere\ncluster c7: only 7\ncluster c107: only 107\n"+
		"cluster c207: only 207\ncluster c307: only 307\ncluster c407: only 407\n", notes.String())
}

// The end of the context, and an error of who uses the answers, end the work and all its
// goroutines.
func TestEachEnds(t *testing.T) {
	before := runtime.NumGoroutine()
	ctx, cancel := context.WithCancelCause(t.Context())
	used := 0
	wait := func(ctx context.Context, i int, _ io.Writer) (int, error) {
		if i < 100 {
			return i, nil
		}
		<-ctx.Done()
		return 0, ctx.Err()
	}
	err := fleet.Each(ctx, names(1000), fleet.Output{Notes: io.Discard}, wait, func(i, _ int, err error) error {
		assert.NoError(t, err, "no answer that was cut off")
		if used++; i == 40 {
			cancel(errors.New("no time left"))
		}
		return nil
	})
	assert.EqualError(t, err, "stopped after 41 of 1000 clusters: no time left")
	assert.Equal(t, 41, used)

	full := errors.New("disk full")
	err = fleet.Each(t.Context(), names(1000), fleet.Output{Notes: io.Discard}, wait, func(i, _ int, _ error) error {
		if i == 40 {
			return full
		}
		return nil
	})
	assert.Equal(t, full, err)
	testkit.NoGoroutines(t, before)
}

func TestNotesAreBounded(t *testing.T) {
	var notes strings.Builder
	err := fleet.Each(t.Context(), names(3000), fleet.Output{Notes: &notes}, func(_ context.Context, i int, notes io.Writer) (int, error) {
		_, err := fmt.Fprintf(notes, "note %d\n", i)
		return 0, err
	}, func(int, int, error) error { return nil })
	require.NoError(t, err)
	assert.Equal(t, 1001, strings.Count(notes.String(), "\n"))
	assert.True(t, strings.HasSuffix(notes.String(), "note 999\nno more notes are printed\n"))
}

func TestMerged(t *testing.T) {
	var m fleet.Merged[string, int]
	for _, add := range [][2]string{{"b", "1"}, {"a", "1"}, {"b", "1"}, {"b", "2"}, {"b", "3"}, {"b", "x\n4"}, {"c", "x\n4"}} {
		*m.Add(add[0], add[1])++
	}
	counts := map[string]int{}
	for what, n := range m.All() {
		counts[what] = *n
	}
	assert.Equal(t, map[string]int{"a": 1, "b": 5, "c": 1}, counts)
	assert.Nil(t, m.Of("d"))
	var lines []string
	for _, what := range m.Sorted(func(string, string) int { return 0 }) {
		lines = append(lines, what+" "+m.In(what))
	}
	assert.Equal(t, []string{
		"b in 4 clusters (1, 2, 3, ...)",
		"a in cluster 1",
		`c in cluster x\n4`,
	}, lines)
}
