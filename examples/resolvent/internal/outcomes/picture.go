package outcomes

import (
	"io"

	"github.com/resolvent/resolvent/examples/resolvent/internal/terminal"
	picture "github.com/resolvent/resolvent/resolver/graph"
	"github.com/resolvent/resolvent/resolver/result"
)

// WritePictures draws all outcomes as one document.
func WritePictures(w io.Writer, outcomes []result.Outcome, output string) {
	var d picture.Drawing
	for _, o := range toShow(outcomes) {
		d = append(d, picture.Frame{Title: o.title, Graph: pictureOf(o.Outcome)})
	}
	writeDrawing(w, d, output)
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
	return &picture.Graph{Nodes: []picture.Node{{Kind: picture.NodeFact, Label: Title(o) + ": " + o.Err.Error()}}}
}

func writeDrawing(w io.Writer, d picture.Drawing, output string) {
	if output == terminal.OutputDOT {
		io.WriteString(w, d.DOT())
		return
	}
	io.WriteString(w, d.Mermaid())
}
