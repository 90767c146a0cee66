package terminal

import (
	"bytes"
	"io"
	"strings"
	"sync"
)

// Later keeps what a command says beside its answer until that is printed, so that the answer
// comes first. Progress is shown at once. It is safe for several goroutines.
type Later struct {
	To   io.Writer
	mu   sync.Mutex
	kept bytes.Buffer
	last bytes.Buffer // what [Last] was given
}

func (l *Later) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.kept.Write(p)
}

// Release writes what was kept.
func (l *Later) Release() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.kept.Len()+l.last.Len() > 0 {
		l.To.Write(append(l.kept.Bytes(), l.last.Bytes()...)) // what cannot be written to standard error cannot be said
		l.kept.Reset()
		l.last.Reset()
	}
}

// Last prints a line below all others that a Later keeps, or at once to another writer.
func Last(w io.Writer, format string, args ...any) {
	if l, ok := w.(*Later); ok {
		l.mu.Lock()
		defer l.mu.Unlock()
		w = &l.last
	}
	Printf(w, format, args...)
}

// Release writes what a Later keeps. Other writers keep nothing.
func Release(w io.Writer) {
	if l, ok := w.(*Later); ok {
		l.Release()
	}
}

// Said returns the lines that a Later keeps. Other writers keep none.
func Said(w io.Writer) []string {
	l, ok := w.(*Later)
	if !ok {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.FieldsFunc(l.kept.String()+l.last.String(), func(c rune) bool { return c == '\n' })
}
