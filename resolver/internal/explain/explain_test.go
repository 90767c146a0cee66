package explain

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/model"
	"github.com/resolvent/resolvent/resolver/internal/world"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/solver"
)

// Where a call has reached a limit, the solver only sees that its context has ended.
func TestFailureNamesTheLimit(t *testing.T) {
	m := model.New(t.Context(), model.Inputs{})
	stopped := &solver.Incomplete{Phase: "searching", Err: context.Canceled}
	assert.Equal(t, result.ResultIncomplete, result.Of(Failure(&world.Problem{Model: m}, stopped)))
	m.Pace.Fail(model.TooLarge(cluster.InNamespace("n").String(), "candidates", 1))
	err := Failure(&world.Problem{Model: m}, stopped)
	assert.Equal(t, result.ResultInvalidInput, result.Of(err))
	assert.ErrorContains(t, err, "candidates")
}
