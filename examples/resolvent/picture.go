package main

import (
	"io"

	"github.com/resolvent/resolvent/resolver/result"
)

// writePictures draws all outcomes as one document.
func writePictures(w io.Writer, outcomes []result.Outcome, output string) {
	var d result.Drawing
	for _, o := range toShow(outcomes) {
		d = append(d, result.Frame{Title: o.title, Graph: pictureOf(o.Outcome)})
	}
	writeDrawing(w, d, output)
}

// pictureOf is the picture of an answer or of a failure. What fails for another
// reason than a conflict is a single note.
func pictureOf(o result.Outcome) *result.Graph {
	if o.Err == nil {
		return o.Resolution.Graph()
	}
	if e, ok := unsatisfied(o.Err); ok && e.Explanation != nil {
		return e.Graph()
	}
	return &result.Graph{Nodes: []result.GraphNode{{Kind: result.NodeFact, Label: title(o) + ": " + o.Err.Error()}}}
}

func writeDrawing(w io.Writer, d result.Drawing, output string) {
	if output == outputDOT {
		io.WriteString(w, d.DOT())
		return
	}
	io.WriteString(w, d.Mermaid())
}
