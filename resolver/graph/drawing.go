package graph

import "github.com/resolvent/resolvent/resolver/internal/picture"

// Drawing is graphs in one document, each in a frame with a title. A single one
// needs no frame.
type Drawing []Frame

// Frame is one graph of a Drawing.
type Frame struct {
	Title string
	Graph *Graph
}

// Mermaid draws the graphs as one Mermaid flowchart.
func (d Drawing) Mermaid() string { return d.picture().Mermaid() }

// DOT draws the graphs as one, in the language of Graphviz.
func (d Drawing) DOT() string { return d.picture().DOT() }

// SVG draws the graphs as one document that needs no other file. It fails if they are
// too large to be looked at.
func (d Drawing) SVG() (string, error) { return d.picture().SVG() }

// The styles of nodes; those of a core stand out.
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

func (d Drawing) picture() *picture.Drawing {
	out := &picture.Drawing{Name: "resolution", Styles: styles}
	for _, f := range d {
		frame := picture.Frame{Title: f.Title}
		for _, n := range f.Graph.Nodes {
			frame.Nodes = append(frame.Nodes, picture.Node{Label: n.Label, Shape: shapes[n.Kind], Style: n.style()})
		}
		for _, e := range f.Graph.Edges {
			frame.Edges = append(frame.Edges, picture.Edge{From: e.From, To: e.To, Label: e.Label, Dashed: e.Replaces})
		}
		out.Frames = append(out.Frames, frame)
	}
	return out
}

// shapes of all that are not boxes.
var shapes = map[NodeKind]picture.Shape{NodeRequest: picture.Oval, NodeConflict: picture.Hexagon, NodeFact: picture.Note}

func (n Node) style() string {
	if n.Core {
		return styleCore
	}
	return map[NodeKind]string{NodeKept: styleKept, NodeReplaced: styleReplaced}[n.Kind]
}
