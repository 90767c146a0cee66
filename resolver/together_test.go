package resolver_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/resolvent/resolvent/resolver"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/resolver/text"
	"github.com/resolvent/resolvent/testdata/testkit"
)

// asked is a question with its answer.
type asked struct {
	name, verb string
	problem    grown
	answer     string
}

// ask asks a question and shows the answer.
func (a *asked) ask(ctx context.Context, r *resolver.Resolver) (string, error) {
	answer, err := growingVerbs[a.verb](ctx, r, a.problem)
	shown, wrong := json.Marshal(answer)
	if wrong != nil {
		return wrong.Error(), err
	}
	if rows, ok := answer.([]result.Status); ok {
		for i := range rows {
			shown = fmt.Append(shown, rows[i].Search, result.HelpOf(rows[i].Err).Search)
		}
	}
	if err == nil {
		return string(shown), nil
	}
	failure, _ := json.Marshal(result.Outcome{Err: err})
	return string(shown) + string(failure) + text.All(err), err
}

// askedAlone are all questions about all shapes, small, each answered by a Resolver of its own.
func askedAlone(t *testing.T, n int) (list []*asked) {
	for i, shape := range growingShapes() {
		if !testkit.Today(i, 4) {
			continue
		}
		problem := growingProblem(t, shape, n)
		for _, verb := range slices.Sorted(maps.Keys(growingVerbs)) {
			a := &asked{shape + "/" + verb, verb, problem, ""}
			var err error
			a.answer, err = a.ask(t.Context(), resolver.New())
			noPanic(t, a, err)
			list = append(list, a)
		}
	}
	return list
}

// noPanic reports an error that is a fault of the library.
func noPanic(t *testing.T, a *asked, err error) {
	_, internal := errors.AsType[*result.Internal](err)
	assert.False(t, internal, "%s: %v", a.name, err)
}

// TestTogether asks one Resolver all questions from many goroutines, of which some are canceled: the
// answers are those of a Resolver that is asked nothing else.
func TestTogether(t *testing.T) {
	list, r := askedAlone(t, 5), resolver.New()
	before := runtime.NumGoroutine()
	var workers sync.WaitGroup
	for g := range 64 {
		workers.Go(func() {
			random := rand.New(rand.NewPCG(uint64(g), 0))
			for i := range len(list) / 16 {
				a := list[random.IntN(len(list))]
				if i%3 == 0 {
					_, err := a.ask(newCountdown(t.Context(), random.Int64N(100)), r)
					noPanic(t, a, err)
				}
				got, _ := a.ask(t.Context(), r)
				assert.Equal(t, a.answer, got, a.name)
			}
		})
	}
	workers.Wait()
	assert.Eventually(t, func() bool { return runtime.NumGoroutine() <= before+2 }, 5*time.Second, 10*time.Millisecond)
}

// TestEndedAnywhere ends the context of each question at many of the places where it is asked for: what
// then is answered is the whole answer, says that the search was cut off, or is the error.
func TestEndedAnywhere(t *testing.T) {
	wrong := map[string]int{}
	for _, a := range askedAlone(t, 4) {
		all := newCountdown(t.Context(), math.MaxInt64)
		_, _ = a.ask(all, resolver.New())
		checks := math.MaxInt64 - all.left.Load()
		for left := int64(0); left < checks; left += 1 + checks/int64(testkit.Scale(6, 60)) {
			got, err := a.ask(newCountdown(t.Context(), left), resolver.New())
			noPanic(t, a, err)
			switch {
			case got == a.answer:
			case result.Of(err) == result.ResultIncomplete, err != nil && strings.Contains(err.Error(), context.Canceled.Error()):
			case strings.Contains(got, string(result.SearchCanceled)), strings.Contains(got, context.Canceled.Error()):
			default:
				wrong[a.name]++
				if wrong[a.name] == 1 {
					t.Logf("%s after %d of %d: %v\n%.1500s\nwant\n%.1500s", a.name, left, checks, err, got, a.answer)
				}
			}
		}
	}
	assert.Empty(t, wrong)
}
