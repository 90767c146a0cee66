// Package picture writes graphs in the languages of Mermaid and Graphviz, and draws them as
// SVG. It knows shapes and styles, but not what they stand for.
package picture

import (
	"fmt"
	"strings"
)

// Drawing is a document of graphs, each in a frame with its title.
type Drawing struct {
	// Name is one word that Graphviz shows as the title of a window.
	Name   string
	Frames []Frame
	// Framed draws a frame around a single graph, too.
	Framed bool
	// Chains draws one node per row in SVG, which suits long chains; otherwise nodes stand
	// in columns. Mermaid and Graphviz place nodes by themselves.
	Chains bool
	// Styles are the styles that nodes name.
	Styles []Style
}

// Frame is one graph of a Drawing.
type Frame struct {
	Title string
	Nodes []Node
	Edges []Edge
}

// Node is a labeled box.
type Node struct {
	Label string
	Shape Shape
	// Style is the name of one of Drawing.Styles, or empty.
	Style string
}

// Edge leads from one node of a frame to another, by their indices.
type Edge struct {
	From, To int
	Label    string
	Dashed   bool
}

// Style is the look of some nodes: declarations of Mermaid's classDef, attributes of Graphviz,
// and declarations of CSS that suit a light page and a dark one. Meaning, if given, explains
// the style in the legend of an SVG document.
type Style struct{ Name, Mermaid, DOT, SVG, Meaning string }

// Shape is the outline of a node.
type Shape int

// The shapes of nodes.
const (
	Box Shape = iota
	Oval
	Hexagon
	Note
)

// The outlines in Mermaid and Graphviz, by Shape.
var (
	mermaidShapes = [...][2]string{Box: {"[", "]"}, Oval: {"([", "])"}, Hexagon: {"{{", "}}"}, Note: {">", "]"}}
	dotShapes     = [...]string{Box: "", Oval: ", shape=oval", Hexagon: ", shape=hexagon", Note: ", shape=note"}
)

// write writes each frame between its opening and closing lines. Nodes are numbered across
// frames.
func (d *Drawing) write(b *strings.Builder, open func(i int, title string) string, closing string,
	node func(indent string, id int, n Node), edge func(indent string, from, to int, e Edge),
) {
	first := 0
	framed := d.Framed || len(d.Frames) > 1
	for i, f := range d.Frames {
		indent := "  "
		if framed {
			b.WriteString("  " + open(i, f.Title) + "\n")
			indent = "    "
		}
		for k, n := range f.Nodes {
			node(indent, first+k, n)
		}
		for _, e := range f.Edges {
			edge(indent, first+e.From, first+e.To, e)
		}
		if framed {
			b.WriteString("  " + closing + "\n")
		}
		first += len(f.Nodes)
	}
}

// Mermaid returns the drawing as a Mermaid flowchart.
func (d *Drawing) Mermaid() string {
	var b strings.Builder
	b.WriteString("flowchart LR\n")
	d.write(&b,
		func(i int, title string) string { return fmt.Sprintf("subgraph g%d[\"%s\"]", i, mermaidText(title)) }, "end",
		func(indent string, id int, n Node) {
			shape, class := mermaidShapes[n.Shape], ""
			if n.Style != "" {
				class = ":::" + n.Style
			}
			fmt.Fprintf(&b, "%sn%d%s\"%s\"%s%s\n", indent, id, shape[0], mermaidText(n.Label), shape[1], class)
		},
		func(indent string, from, to int, e Edge) {
			arrow := "-->"
			if e.Dashed {
				arrow = "-.->"
			}
			if e.Label != "" {
				arrow += fmt.Sprintf("|\"%s\"|", mermaidText(e.Label))
			}
			fmt.Fprintf(&b, "%sn%d %s n%d\n", indent, from, arrow, to)
		})
	for _, s := range d.Styles {
		fmt.Fprintf(&b, "  classDef %s %s\n", s.Name, s.Mermaid)
	}
	return b.String()
}

// mermaidEscapes replaces characters that a quoted Mermaid text cannot hold, or reads as
// markup.
var mermaidEscapes = strings.NewReplacer(
	"#", "#35;", "&", "#amp;", `"`, "#quot;", "<", "#lt;", ">", "#gt;", "`", "#96;",
	"\\", "#92;", "\r", "", "\n", "<br/>",
)

func mermaidText(s string) string { return mermaidEscapes.Replace(s) }

// DOT returns the drawing in the language of Graphviz.
func (d *Drawing) DOT() string {
	var b strings.Builder
	b.WriteString("digraph " + d.Name + " {\n  rankdir=LR;\n  node [shape=box, fontname=\"sans-serif\"];\n  edge [fontname=\"sans-serif\"];\n")
	styles := map[string]string{}
	for _, s := range d.Styles {
		styles[s.Name] = ", " + s.DOT
	}
	// Graphviz draws a frame around a subgraph whose name begins with "cluster".
	d.write(&b,
		func(i int, title string) string {
			return fmt.Sprintf("subgraph cluster_%d {\n    label=%s;\n    fontname=\"sans-serif\";", i, dotText(title))
		}, "}",
		func(indent string, id int, n Node) {
			fmt.Fprintf(&b, "%sn%d [label=%s%s%s];\n", indent, id, dotText(n.Label), dotShapes[n.Shape], styles[n.Style])
		},
		func(indent string, from, to int, e Edge) {
			var attributes []string
			if e.Label != "" {
				attributes = append(attributes, "label="+dotText(e.Label))
			}
			if e.Dashed {
				attributes = append(attributes, "style=dashed")
			}
			fmt.Fprintf(&b, "%sn%d -> n%d", indent, from, to)
			if len(attributes) > 0 {
				b.WriteString(" [" + strings.Join(attributes, ", ") + "]")
			}
			b.WriteString(";\n")
		})
	b.WriteString("}\n")
	return b.String()
}

var dotEscapes = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\r", "", "\n", `\n`)

func dotText(s string) string { return `"` + dotEscapes.Replace(s) + `"` }
