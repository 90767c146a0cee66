package terminal

import "io"

// progress shows the stages of long work.
type progress struct {
	std  io.Writer
	done func()
}

func NewProgress(stderr io.Writer) *progress {
	return &progress{std: stderr, done: func() {}}
}

// Show ends the stage before and begins another one.
func (p *progress) Show(doing string) {
	p.done()
	p.done = ShowProgress(p.std, doing)
}

func (p *progress) End() { p.done() }
