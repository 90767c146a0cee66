package outcomes

import (
	"github.com/resolvent/resolvent/examples/resolvent/internal/terminal"
	picture "github.com/resolvent/resolvent/resolver/graph"
	"github.com/resolvent/resolvent/resolver/result"
)

// WritePictures draws all outcomes as one document.
func WritePictures(p *terminal.Page, outcomes []result.Outcome, output string) error {
	return WriteDrawing(p, output, func() Drawable {
		var d picture.Drawing
		for _, o := range toShow(outcomes) {
			d = append(d, picture.Frame{Title: o.title, Graph: pictureOf(o.Outcome)})
			if e, ok := unsatisfied(o.Err); ok {
				for _, c := range e.Causes[min(1, len(e.Causes)):] {
					d = append(d, picture.Frame{Title: o.title, Graph: picture.OfExplanation(c.Explanation)})
				}
			}
		}
		return d
	})
}

// pictureOf is the picture of an answer or of a failure. What fails for another
// reason than a conflict is a single note.
func pictureOf(o result.Outcome) *picture.Graph {
	if o.Err == nil {
		return picture.Of(o.Resolution)
	}
	if e, ok := unsatisfied(o.Err); ok && e.Explanation != nil {
		return picture.OfExplanation(e.Explanation)
	}
	return &picture.Graph{Nodes: []picture.Node{{Kind: picture.NodeFact, Label: Title(o.Scope) + ": " + o.Err.Error()}}}
}

// Drawable is what can be written in each language of pictures.
type Drawable interface {
	Mermaid() string
	DOT() string
	SVG() (string, error)
}

// WriteDrawing writes a picture in the language of an output.
func WriteDrawing(p *terminal.Page, output string, draw func() Drawable) error {
	return p.Whole("picture", func() (string, error) {
		switch d := draw(); output {
		case terminal.OutputMermaid:
			return d.Mermaid(), nil
		case terminal.OutputDOT:
			return d.DOT(), nil
		default:
			return d.SVG()
		}
	})
}
