package command

import (
	"crypto/rand"
	"fmt"
	"io"
	"os"
	"strings"
	"time"
)

// isTerminal reports whether the output is a terminal.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// progressDelay is how long work may take before a terminal shows it.
const progressDelay = time.Second

// showProgress shows on a terminal what takes longer than progressDelay. The
// returned function ends it.
func showProgress(stderr io.Writer, what string) func() {
	if l, ok := stderr.(legible); ok {
		stderr = l.to
	}
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
type style struct {
	// mark begins a colour until the text is printed, and is empty if there are
	// none. It is random, so that no text of a stranger contains it.
	mark string
}

func styleFor(stdout io.Writer) style {
	if !isTerminal(stdout) || os.Getenv("NO_COLOR") != "" {
		return style{}
	}
	return style{rand.Text()}
}

// print writes a finished output. JSON and YAML are exact; text for people
// contains nothing that controls a terminal but the colours.
func (s style) print(w io.Writer, out []byte, output string) error {
	if output != outputJSON && output != outputYAML {
		text := escaped(string(out))
		if s.mark != "" {
			text = strings.ReplaceAll(text, s.mark, "\x1b[")
		}
		out = []byte(text)
	}
	_, err := w.Write(out)
	return err
}

func (s style) bold(text string) string   { return s.wrap("1", text) }
func (s style) good(text string) string   { return s.wrap("32", text) }
func (s style) bad(text string) string    { return s.wrap("31", text) }
func (s style) notice(text string) string { return s.wrap("33", text) }

func (s style) wrap(code, text string) string {
	if s.mark == "" {
		return text
	}
	return s.mark + code + "m" + text + s.mark + "0m"
}
