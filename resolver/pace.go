package resolver

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/resolvent/resolvent/resolver/result"
)

// Pace keeps a call cancelable while it reads and explains a problem: it counts
// work, looks at the context now and then, and notes what ended the work early.
// It belongs to one goroutine.
type pace struct {
	ctx  context.Context
	stop context.CancelFunc
	// doing says what the work is for.
	doing string
	// err is what ended the work early: the context, or an *InvalidInput for a
	// limit.
	err error
	// steps are those since the last look at the context.
	steps int
}

// newPace returns the pace of a call; stop ends its context.
func newPace(ctx context.Context, stop context.CancelFunc) *pace {
	return &pace{ctx: ctx, stop: stop, doing: "reading requests"}
}

// stepsPerLook is how many steps, of some microseconds each, are taken between
// two looks at the context.
const stepsPerLook = 256

// lookedAtOnce is how many numbers of a list are looked at in one step.
const lookedAtOnce = 256

// explaining is what is being done when texts of failures are put together.
const explaining = "explaining"

// canceled is what step panics with: texts are put together by functions that
// call each other many levels deep, and none of them could do anything about the
// end of the context but to pass it on. Public functions recover it.
type canceled struct{ err error }

// step counts work that is about to be done, some microseconds each. It does
// not return if the context has ended.
func (p *pace) step(steps int) {
	if p.steps += steps; p.steps < stepsPerLook {
		return
	}
	p.steps = 0
	if err := p.ctx.Err(); err != nil {
		p.fail(err)
		panic(canceled{p.stoppedWhile(p.doing)})
	}
}

// stepping takes a step for each name: to compare it with another takes a while.
func (p *pace) stepping(names iter.Seq[string]) iter.Seq[string] {
	return func(yield func(string) bool) {
		for name := range names {
			if p.step(1); !yield(name) {
				return
			}
		}
	}
}

// fail notes what ends the work, and makes the solver stop soon.
func (p *pace) fail(err error) {
	if p.err == nil {
		p.err = err
		p.stop()
	}
}

// restart lets the work go on under another context.
func (p *pace) restart(ctx context.Context) {
	p.ctx, p.stop, p.err = ctx, func() {}, nil
}

// ended returns the typed error for what ended the reading of a problem, nil if
// nothing did.
func (p *pace) ended() error {
	if p.err == nil {
		return nil
	}
	return p.stoppedWhile("evaluating rules")
}

func (p *pace) stoppedWhile(phase string) error {
	if invalid, ok := errors.AsType[*result.InvalidInput](p.err); ok {
		return invalid
	}
	return &result.Incomplete{Phase: phase, Err: p.err}
}

// recovered returns the error for what a public function has recovered from:
// that of a step if the context ended, else a fault of this library.
func recovered(value any, doing string) error {
	if c, ok := value.(canceled); ok {
		return c.err
	}
	return &result.Internal{Err: fmt.Errorf("%s: %v", doing, value)}
}
