package resolver

import (
	"fmt"
	"iter"
)

// stepsPerLook is how many steps, of some microseconds each, are taken between
// two looks at the context.
const stepsPerLook = 256

// lookedAtOnce is how many numbers of a list are looked at in one step.
const lookedAtOnce = 256

// explaining is what is being done when texts of failures are put together.
const explaining = "explaining"

// cutOff is what step panics with: texts are put together by functions that call
// each other many levels deep, and none of them could do anything about the end
// of the context but to pass it on. It never leaves the package, see recovered.
type cutOff struct{ err error }

// step counts work that is about to be done, some microseconds each. It does
// not return if the context has ended.
func (p *problem) step(steps int) {
	if p.steps += steps; p.steps < stepsPerLook {
		return
	}
	p.steps = 0
	if err := p.ctx.Err(); err != nil {
		p.fail(err)
		panic(cutOff{p.stoppedWhile(p.doing)})
	}
}

// begin notes what is being done.
func begin(m *model, doing string) {
	for _, p := range m.parts {
		p.doing = doing
	}
}

// stepping takes a step for each name: to compare it with another takes a while.
func (p *problem) stepping(names iter.Seq[string]) iter.Seq[string] {
	return func(yield func(string) bool) {
		for name := range names {
			if p.step(1); !yield(name) {
				return
			}
		}
	}
}

// recovered returns the error for what a public function has recovered from:
// that of a step if the context ended, else a fault of this library.
func recovered(value any, doing string) error {
	if cut, ok := value.(cutOff); ok {
		return cut.err
	}
	return &Internal{Err: fmt.Errorf("%s: %v", doing, value)}
}
