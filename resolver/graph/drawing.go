package graph

import (
	"github.com/resolvent/resolvent/resolver/internal/picture"
	"github.com/resolvent/resolvent/resolver/internal/words"
	"github.com/resolvent/resolvent/resolver/result"
)

// Drawing is a document of graphs, each in a frame with a title. A single graph has no frame.
// The zero Drawing is empty.
type Drawing struct{ parts []panel }

// panel is an answer, or a frame that is drawn already.
type panel struct {
	title  string
	answer *result.Resolution
	frame  picture.Frame
}

// AddAnswer adds the bundles of an answer: installed, kept and replaced ones, and the
// requests and constraints that lead to them. Of many bundles of all answers that no other one
// requires and that require none, only the number is drawn. The answer must not change.
func (d *Drawing) AddAnswer(title string, r *result.Resolution) {
	d.parts = append(d.parts, panel{title: title, answer: r})
}

// AddExplanation adds a derivation. Members of the minimal set of facts are marked as core.
func (d *Drawing) AddExplanation(title string, e *result.Explanation) {
	b := newGraphBuilder()
	for _, child := range e.Because {
		b.derived(child, -1, "")
	}
	d.parts = append(d.parts, panel{frame: b.titled(title)})
}

// AddNote adds a graph of one text.
func (d *Drawing) AddNote(title, text string) {
	b := newGraphBuilder()
	b.node(fact, text, false)
	d.parts = append(d.parts, panel{frame: b.titled(title)})
}

// titled returns the graph. If nodes were left out, a last node says so.
func (b *graphBuilder) titled(title string) picture.Frame {
	b.Title = title
	for i := range b.Nodes {
		b.Nodes[i].Label = words.Clip(b.Nodes[i].Label, maxLabel)
	}
	if b.more {
		b.Nodes = append(b.Nodes, picture.Node{Shape: fact.Shape, Label: "... and more"})
	}
	return b.Frame
}

// Mermaid draws the graphs as one Mermaid flowchart.
func (d *Drawing) Mermaid() string { return d.picture().Mermaid() }

// DOT draws the graphs as one graph in the language of Graphviz.
func (d *Drawing) DOT() string { return d.picture().DOT() }

// SVG draws the graphs as one document that needs no other file. The error is that they are
// too large.
func (d *Drawing) SVG() (string, error) { return d.picture().SVG() }

func (d *Drawing) picture() *picture.Drawing {
	p := &picture.Drawing{Name: "resolution", Styles: styles}
	var all lone
	for _, part := range d.parts {
		if part.answer != nil {
			of := loneOf(part.answer)
			all.installs, all.kept = all.installs+of.installs, all.kept+of.kept
		}
	}
	fold := all.installs+all.kept > maxLone
	for _, part := range d.parts {
		if part.answer == nil {
			p.Frames = append(p.Frames, part.frame)
			continue
		}
		without := lone{}
		if fold {
			without = loneOf(part.answer)
		}
		b := ofAnswer(part.answer, without.names)
		if len(b.Nodes) > 0 || len(without.names) == 0 {
			p.Frames = append(p.Frames, b.titled(part.title))
		}
	}
	if fold {
		b := newGraphBuilder()
		b.node(fact, all.text(), false)
		p.Frames = append(p.Frames, b.titled("not drawn"))
	}
	return p
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
