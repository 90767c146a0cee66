package main

import (
	"fmt"
	"io"

	"github.com/resolvent/resolvent/resolver"
)

// writePictures draws every outcome. Several pictures are told apart by a
// comment.
func writePictures(w io.Writer, outcomes []resolver.Outcome, output string) {
	for _, o := range outcomes {
		if len(outcomes) > 1 {
			comment := "%%"
			if output == outputDOT {
				comment = "//"
			}
			fmt.Fprintf(w, "%s %s\n", comment, title(o))
		}
		writeGraph(w, pictureOf(o), output)
	}
}

// pictureOf is the picture of an answer or of a failure. What fails for another
// reason than a conflict is a single note.
func pictureOf(o resolver.Outcome) *resolver.Graph {
	if o.Err == nil {
		return o.Resolution.Graph()
	}
	if e, ok := unsatisfied(o.Err); ok && e.Explanation != nil {
		return e.Graph()
	}
	return &resolver.Graph{Nodes: []resolver.GraphNode{{Kind: resolver.NodeFact, Label: title(o) + ": " + o.Err.Error()}}}
}

func writeGraph(w io.Writer, g *resolver.Graph, output string) {
	if output == outputDOT {
		io.WriteString(w, g.DOT())
		return
	}
	io.WriteString(w, g.Mermaid())
}
