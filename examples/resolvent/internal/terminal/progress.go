package terminal

import "io"

// Progress shows the stages of long work.
type Progress struct {
	std  io.Writer
	done func()
}

// NewProgress returns a Progress that shows nothing yet.
func NewProgress(stderr io.Writer) *Progress {
	return &Progress{std: stderr, done: func() {}}
}

// Show ends the stage before and begins another one.
func (p *Progress) Show(doing string) {
	p.done()
	p.done = ShowProgress(p.std, doing)
}

// End removes what is shown.
func (p *Progress) End() { p.done() }
