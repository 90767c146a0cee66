package graph

import (
	"github.com/resolvent/resolvent/resolver/internal/picture"
	"github.com/resolvent/resolvent/resolver/internal/words"
	"github.com/resolvent/resolvent/resolver/result"
)

// Drawing is a document of graphs, each in a frame with a title. A single graph has no frame.
// The zero Drawing is empty.
type Drawing struct{ frames []picture.Frame }

// AddAnswer adds the bundles of an answer: installed, kept and replaced ones, and the
// requests and constraints that lead to them.
func (d *Drawing) AddAnswer(title string, r *result.Resolution) { d.add(title, ofAnswer(r)) }

// AddExplanation adds a derivation. Members of the minimal set of facts are marked as core.
func (d *Drawing) AddExplanation(title string, e *result.Explanation) {
	b := newGraphBuilder()
	for _, child := range e.Because {
		b.derived(child, -1, "")
	}
	d.add(title, b)
}

// AddNote adds a graph of one text.
func (d *Drawing) AddNote(title, text string) {
	b := newGraphBuilder()
	b.node(fact, text, false)
	d.add(title, b)
}

// add completes a graph. If nodes were left out, a last node says so.
func (d *Drawing) add(title string, b *graphBuilder) {
	b.Title = title
	for i := range b.Nodes {
		b.Nodes[i].Label = words.Clip(b.Nodes[i].Label, maxLabel)
	}
	if b.more {
		b.Nodes = append(b.Nodes, picture.Node{Shape: fact.Shape, Label: "... and more"})
	}
	d.frames = append(d.frames, b.Frame)
}

// Mermaid draws the graphs as one Mermaid flowchart.
func (d *Drawing) Mermaid() string { return d.picture().Mermaid() }

// DOT draws the graphs as one graph in the language of Graphviz.
func (d *Drawing) DOT() string { return d.picture().DOT() }

// SVG draws the graphs as one document that needs no other file. The error is that they are
// too large.
func (d *Drawing) SVG() (string, error) { return d.picture().SVG() }

func (d *Drawing) picture() *picture.Drawing {
	return &picture.Drawing{Name: "resolution", Styles: styles, Frames: d.frames}
}

// The styles of nodes; members of a core stand out.
const (
	styleCore     = "core"
	styleKept     = "kept"
	styleReplaced = "replaced"
)

var styles = []picture.Style{
	{
		Name:    styleCore,
		Mermaid: "fill:#fdd,stroke:#c00,stroke-width:2px,color:#000",
		DOT:     `style=filled, fillcolor="#ffdddd", color="#cc0000", penwidth=2`,
		SVG:     "fill:#d33;fill-opacity:.15;stroke:#d33;stroke-width:2",
		Meaning: "part of the conflict",
	},
	{
		Name:    styleKept,
		Mermaid: "fill:#eee,stroke:#666,color:#000",
		DOT:     "style=filled, fillcolor=gray90",
		SVG:     "fill:#888;fill-opacity:.2;stroke:#888;stroke-dasharray:1 2",
		Meaning: "installed, and stays",
	},
	{
		Name:    styleReplaced,
		Mermaid: "fill:#fff,stroke:#999,stroke-dasharray:4,color:#666",
		DOT:     "style=dashed, color=gray40",
		SVG:     "fill:none;stroke:#888;stroke-dasharray:5 3",
		Meaning: "is replaced",
	},
}
