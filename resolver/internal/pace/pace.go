// Package pace keeps calls cancelable: it counts steps, checks the context now and
// then, and makes errors of panics. It also spreads work over processors. It knows
// nothing of bundles.
package pace

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/resolvent/resolvent/resolver/result"
)

// Pace keeps a call cancelable while it reads and explains a Model: it counts work,
// checks the context now and then, and notes what ended the work early. It belongs to
// one goroutine.
type Pace struct {
	Ctx  context.Context
	stop context.CancelFunc
	// Doing says what the work is for.
	Doing string
	// Err is what ended the work early: the context, or an *InvalidInput for a
	// limit.
	Err error
	// steps are those since the last check of the context.
	steps int
}

// New returns the pace of a call; stop ends its context. The first step checks it.
func New(ctx context.Context, stop context.CancelFunc) *Pace {
	return &Pace{Ctx: ctx, stop: stop, Doing: "reading requests", steps: stepsPerCheck}
}

// stepsPerCheck is how many steps, of some microseconds each, are taken between two
// checks of the context.
const stepsPerCheck = 256

// PerStep is how many numbers of a list are read in one step.
const PerStep = 256

// Explaining is what Doing says while a failure is explained.
const Explaining = "explaining"

// canceled is what Step panics with: texts are put together by functions that call
// each other many levels deep, and none of them could do anything about the end of
// the context but to pass it on. Public functions recover it.
type canceled struct{ err error }

// Step counts work that is about to be done, some microseconds each. It does
// not return if the context has ended.
func (p *Pace) Step(steps int) {
	if p.steps += steps; p.steps < stepsPerCheck {
		return
	}
	p.steps = 0
	if err := p.Ctx.Err(); err != nil {
		p.Fail(err)
		panic(canceled{p.stoppedWhile(p.Doing)})
	}
}

// Stepping takes a step for each name: to compare it with another takes a while.
func (p *Pace) Stepping(names iter.Seq[string]) iter.Seq[string] {
	return func(yield func(string) bool) {
		for name := range names {
			if p.Step(1); !yield(name) {
				return
			}
		}
	}
}

// Fail notes what ends the work, and makes the solver stop soon.
func (p *Pace) Fail(err error) {
	if p.Err == nil {
		p.Err = err
		p.stop()
	}
}

// Restart lets the work go on under another context.
func (p *Pace) Restart(ctx context.Context) {
	p.Ctx, p.stop, p.Err = ctx, func() {}, nil
}

// Ended returns the typed error for what ended the work early, nil if nothing did.
func (p *Pace) Ended() error {
	if p.Err == nil {
		return nil
	}
	return p.stoppedWhile("evaluating rules")
}

func (p *Pace) stoppedWhile(phase string) error {
	if invalid, ok := errors.AsType[*result.InvalidInput](p.Err); ok {
		return invalid
	}
	return &result.Incomplete{Phase: phase, Err: p.Err}
}

// Recover is deferred by public functions. It makes an error of a panic: that of the
// context if a step has ended the work, else an *Internal, a fault of this library. The
// subject, if any, is named after what was being done.
func Recover(err *error, doing string, subject ...func() string) {
	switch fault := recover().(type) {
	case nil:
	case canceled:
		*err = fault.err
	default:
		for _, name := range subject {
			doing += " " + name()
		}
		*err = &result.Internal{Err: fmt.Errorf("%s: %v", doing, fault)}
	}
}

// Unwind is deferred by work that is given up without an error when the context ends.
func Unwind() {
	if fault := recover(); fault != nil {
		if _, ok := fault.(canceled); !ok {
			panic(fault)
		}
	}
}
