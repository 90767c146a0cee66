package outcomes

import (
	"errors"
	"github.com/resolvent/resolvent/examples/resolvent/internal/terminal"
	"github.com/resolvent/resolvent/resolver/graph"
	"github.com/resolvent/resolvent/resolver/result"
)

// WritePictures draws all outcomes as one document.
func WritePictures(p *terminal.Page, outcomes []result.Outcome, output string) error {
	d := &graph.Drawing{}
	for _, o := range toShow(outcomes) {
		addPicture(d, o.title, o.Outcome)
		if e, ok := errors.AsType[*result.NotSatisfiable](o.Err); ok {
			for _, c := range e.Causes[min(1, len(e.Causes)):] {
				d.AddExplanation(o.title, c.Explanation)
			}
		}
	}
	return WriteDrawing(p, output, d)
}

// addPicture adds the picture of an answer or of a failure. What fails for another
// reason than a conflict is a single note.
func addPicture(d *graph.Drawing, title string, o result.Outcome) {
	e, ok := errors.AsType[*result.NotSatisfiable](o.Err)
	switch {
	case o.Err == nil:
		d.AddAnswer(title, o.Resolution)
	case ok && e.Explanation != nil:
		d.AddExplanation(title, e.Explanation)
	default:
		d.AddNote(title, Title(o.Scope)+": "+o.Err.Error())
	}
}

// Drawable is what can be written in each language of pictures.
type Drawable interface {
	Mermaid() string
	DOT() string
	SVG() (string, error)
}

// WriteDrawing writes a picture in the language of an output.
func WriteDrawing(p *terminal.Page, output string, d Drawable) error {
	return p.Whole("picture", func() (string, error) {
		switch output {
		case terminal.OutputMermaid:
			return d.Mermaid(), nil
		case terminal.OutputDOT:
			return d.DOT(), nil
		default:
			return d.SVG()
		}
	})
}
