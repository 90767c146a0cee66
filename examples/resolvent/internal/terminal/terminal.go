// Package terminal is how commands write for people: colour and progress on a terminal,
// lists, nearest names, and texts of strangers made harmless. It knows nothing of OLM.
package terminal

import (
	"crypto/rand"
	"fmt"
	"io"
	"os"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/term"
)

// The values of -o.
const (
	OutputText = "text"
	OutputWide = "wide" // text with more columns
	OutputJSON = "json"
	OutputYAML = "yaml"

	OutputHTML    = "html"
	OutputNames   = "names"
	OutputKubectl = "kubectl"
	OutputSARIF   = "sarif"
	OutputGitHub  = "github" // commands of a workflow

	OutputMermaid = "mermaid"
	OutputDOT     = "dot"
	OutputSVG     = "svg"
)

// Output remembers why something could not be written.
type Output struct {
	To    io.Writer
	Color Color
	Err   error
}

// Color says whether text is coloured. Auto: on a terminal, unless NO_COLOR is set.
type Color int

const (
	Auto Color = iota
	Always
	Never
)

func (o *Output) Write(p []byte) (int, error) {
	n, err := o.To.Write(p)
	if o.Err == nil {
		o.Err = err
	}
	return n, err
}

// IsTerminal reports whether an input or output is a terminal.
func IsTerminal(stream any) bool {
	if o, ok := stream.(*Output); ok {
		stream = o.To
	}
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// widthOf is how many characters a line of a terminal holds, 0 if the output is none.
func widthOf(w io.Writer) int {
	if o, ok := w.(*Output); ok {
		w = o.To
	}
	if f, ok := w.(*os.File); ok {
		if width, _, err := term.GetSize(int(f.Fd())); err == nil {
			return width
		}
	}
	return 0
}

// progressDelay is how long work may take before a terminal shows it.
const progressDelay = time.Second

// ShowProgress shows on a terminal what takes longer than progressDelay. The
// returned function ends it.
func ShowProgress(stderr io.Writer, what string) func() {
	return ShowChanging(stderr, func() string { return what })
}

// ShowStages is ShowProgress for work that says what it does. The functions say that and end
// it.
func ShowStages(stderr io.Writer) (show func(string), end func()) {
	var stage atomic.Value
	stage.Store("working")
	return func(doing string) { stage.Store(doing) }, ShowChanging(stderr, func() string { return stage.Load().(string) })
}

// ShowChanging is ShowProgress for a text that changes.
func ShowChanging(stderr io.Writer, what func() string) func() {
	if l, ok := stderr.(*Later); ok {
		stderr = l.To
	}
	if l, ok := stderr.(Legible); ok {
		stderr = l.To
	}
	if !IsTerminal(stderr) {
		return func() {}
	}
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		tick := time.NewTicker(progressDelay)
		defer tick.Stop()
		for shown := false; ; shown = true {
			select {
			case <-stop:
				if shown {
					fmt.Fprint(stderr, clearLine)
				}
				return
			case <-tick.C:
				fmt.Fprintf(stderr, clearLine+"%s ...", what())
			}
		}
	}()
	return func() {
		close(stop)
		<-stopped
	}
}

// clearLine removes what is shown in the line of a terminal.
const clearLine = "\r\x1b[K"

// Style colours text.
type Style struct {
	// mark begins a colour until the text is printed, and is empty if there are
	// none. It is random, so that no text of a stranger contains it.
	mark string
	// width is that of the terminal, 0 if there is none: rows of tables, and lines of words, are
	// not wider.
	width int
}

// StyleFor is the style of an output.
func StyleFor(stdout io.Writer) Style {
	s, color := Style{width: widthOf(stdout)}, Auto
	if o, ok := stdout.(*Output); ok {
		color = o.Color
	}
	if color == Always || color == Auto && IsTerminal(stdout) && os.Getenv("NO_COLOR") == "" {
		s.mark = rand.Text()
	}
	return s
}

// print writes whole lines of an output. JSON and YAML are exact; text for people
// contains nothing that controls a terminal, but the colours, or a workflow.
func (s Style) print(w io.Writer, out []byte, output string) {
	switch output {
	case OutputYAML:
	case OutputJSON, OutputSARIF:
		out = JSON(out)
	case OutputHTML, OutputGitHub:
		out = []byte(escaped(string(out)))
	default:
		text := inert(string(out))
		if s.mark != "" {
			text = strings.ReplaceAll(text, s.mark, "\x1b[")
		}
		if output == OutputText || output == OutputWide {
			text = wrapped(text, s.width)
		}
		out = []byte(text)
	}
	w.Write(out) // Output remembers an error
}

// Bold, Good, Bad and Notice mark text for print.
func (s Style) Bold(text string) string   { return s.wrap("1", text) }
func (s Style) Good(text string) string   { return s.wrap("32", text) }
func (s Style) Bad(text string) string    { return s.wrap("31", text) }
func (s Style) Notice(text string) string { return s.wrap("33", text) }

func (s Style) wrap(code, text string) string {
	if s.mark == "" {
		return text
	}
	return s.mark + code + "m" + text + s.mark + "0m"
}
