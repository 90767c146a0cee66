// Package pace keeps calls cancelable. It counts steps, checks the context every so many
// steps and turns panics into errors. It spreads work over processors. It knows nothing of
// bundles.
package pace

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/resolvent/resolvent/resolver/result"
)

// Pace keeps a call cancelable while it reads and explains a Model. It counts steps,
// checks the context and notes what ended the work early. It belongs to one goroutine.
type Pace struct {
	// Ctx is the context of the call. Its Err is set once Err is.
	Ctx context.Context
	// Doing is the phase that the error of an ended context names.
	Doing string
	// Err is what ended the work early: the error of the context, or an *InvalidInput for
	// a limit.
	Err error
	// steps counts steps since the last check of the context.
	steps int
}

// New returns the pace of a call. The first step checks the context.
func New(ctx context.Context) *Pace {
	p := &Pace{Doing: "reading requests", steps: stepsPerCheck}
	p.Ctx = ended{ctx, p}
	return p
}

// ended is the context of a call that a [Pace.Fail] ends as well, for those that ask its
// Err: all work until then is done by the goroutine of the Pace. Nothing has to be released.
type ended struct {
	context.Context
	pace *Pace
}

// Err implements context.Context. What a caller's function reads once its own context has
// ended does not depend on the Pace.
func (e ended) Err() error {
	if err := e.Context.Err(); err != nil || e.pace.Err == nil {
		return err
	}
	return context.Canceled
}

// stepsPerCheck is the number of steps, of some microseconds each, between two checks of
// the context.
const stepsPerCheck = 256

// PerStep is the number of list members that count as one step.
const PerStep = 256

// Explaining is what Doing says while a failure is explained.
const Explaining = "explaining"

// canceled is the value that Step panics with; public functions recover it. Explanations
// are built many calls deep, and no level could do more with an error than return it.
type canceled struct{ err error }

// Step counts steps of some microseconds each before they are done. It panics if the
// context has ended; see [Recover] and [Unwind].
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

// Stepping yields the names and counts a step for each: the caller compares each with
// another name, which takes some microseconds.
func (p *Pace) Stepping(names iter.Seq[string]) iter.Seq[string] {
	return func(yield func(string) bool) {
		for name := range names {
			if p.Step(1); !yield(name) {
				return
			}
		}
	}
}

// Fail notes the first error that ends the work. The solver stops then.
func (p *Pace) Fail(err error) { p.Err = cmp.Or(p.Err, err) }

// Restart continues as if no limit had ended the work.
func (p *Pace) Restart() { p.Err = nil }

// Ended returns the *InvalidInput or *Incomplete that ended the work early, nil if nothing
// did.
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

// Recover turns a panic into *err; public functions defer it. A panic of [Pace.Step]
// becomes the *Incomplete or *InvalidInput of the call. Any other is a fault of this
// library and becomes an *Internal, whose text names doing and then the subject, if any.
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

// Unwind swallows a panic of [Pace.Step]. Work that ends without an error when the context
// ends defers it.
func Unwind() {
	if fault := recover(); fault != nil {
		if _, ok := fault.(canceled); !ok {
			panic(fault)
		}
	}
}
