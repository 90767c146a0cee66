package main

import (
	"fmt"
	"io"
	"os"
	"time"
)

// isTerminal reports whether somebody watches the output.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// progressDelay is how long work may take before a terminal tells of it.
const progressDelay = time.Second

// showProgress says on a terminal what takes so long, if it does. The returned
// function ends it.
func showProgress(stderr io.Writer, what string) func() {
	if !isTerminal(stderr) {
		return func() {}
	}
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		select {
		case <-stop:
		case <-time.After(progressDelay):
			fmt.Fprintf(stderr, "%s ...", what)
			<-stop
			fmt.Fprint(stderr, "\r\x1b[K")
		}
	}()
	return func() {
		close(stop)
		<-stopped
	}
}

// style colours text on terminals, unless the environment forbids it.
type style struct{ colour bool }

func styleFor(stdout io.Writer) style {
	return style{isTerminal(stdout) && os.Getenv("NO_COLOR") == ""}
}

func (s style) bold(text string) string   { return s.wrap("1", text) }
func (s style) good(text string) string   { return s.wrap("32", text) }
func (s style) bad(text string) string    { return s.wrap("31", text) }
func (s style) notice(text string) string { return s.wrap("33", text) }

func (s style) wrap(code, text string) string {
	if !s.colour {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}
