package command

import (
	"io"

	picture "github.com/resolvent/resolvent/resolver/graph"
	"github.com/resolvent/resolvent/resolver/result"
)

// writePictures draws all outcomes as one document.
func writePictures(w io.Writer, outcomes []result.Outcome, output string) error {
	var d picture.Drawing
	for _, o := range toShow(outcomes) {
		d = append(d, picture.Frame{Title: o.title, Graph: pictureOf(o.Outcome)})
	}
	return writeDrawing(w, d, output)
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
	return &picture.Graph{Nodes: []picture.Node{{Kind: picture.NodeFact, Label: title(o) + ": " + o.Err.Error()}}}
}

// drawable is what can be written in each language of pictures.
type drawable interface {
	Mermaid() string
	DOT() string
	SVG() (string, error)
}

func writeDrawing(w io.Writer, d drawable, output string) error {
	var text string
	var err error
	switch output {
	case outputMermaid:
		text = d.Mermaid()
	case outputDOT:
		text = d.DOT()
	case outputSVG:
		text, err = d.SVG()
	}
	if err == nil {
		_, err = io.WriteString(w, text)
	}
	return err
}
