package command

import "io"

// progress shows the stages of long work.
type progress struct {
	std  io.Writer
	done func()
}

func newProgress(stderr io.Writer) *progress {
	return &progress{std: stderr, done: func() {}}
}

// show ends the stage before and begins another one.
func (p *progress) show(doing string) {
	p.done()
	p.done = showProgress(p.std, doing)
}

func (p *progress) end() { p.done() }
