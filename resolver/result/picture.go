package result

import (
	"fmt"
	"strings"
)

// Drawing is graphs in one document, each in a frame with a title. A single one
// needs no frame.
type Drawing []Frame

// Frame is one graph of a Drawing.
type Frame struct {
	Title string
	Graph *Graph
}

// Mermaid draws the graph as a Mermaid flowchart.
func (g *Graph) Mermaid() string { return Drawing{{Graph: g}}.Mermaid() }

// DOT draws the graph in the language of Graphviz.
func (g *Graph) DOT() string { return Drawing{{Graph: g}}.DOT() }

// draw writes each graph, with the number of its first node and the indent, and
// the frame around it.
func (d Drawing) draw(b *strings.Builder, open func(i int, title string) string, closing string, draw func(g *Graph, first int, indent string)) {
	first := 0
	for i, f := range d {
		indent := "  "
		if len(d) > 1 {
			b.WriteString("  " + open(i, f.Title) + "\n")
			indent = "    "
		}
		draw(f.Graph, first, indent)
		if len(d) > 1 {
			b.WriteString("  " + closing + "\n")
		}
		first += len(f.Graph.Nodes)
	}
}

// Mermaid draws the graphs as one Mermaid flowchart.
func (d Drawing) Mermaid() string {
	var b strings.Builder
	b.WriteString("flowchart LR\n")
	d.draw(&b, func(i int, title string) string { return fmt.Sprintf("subgraph g%d[\"%s\"]", i, mermaidText(title)) }, "end", func(g *Graph, first int, indent string) {
		for i, n := range g.Nodes {
			opening, closing := mermaidShape(n.Kind)
			fmt.Fprintf(&b, "%sn%d%s\"%s\"%s%s\n", indent, first+i, opening, mermaidText(n.Label), closing, mermaidClass(n))
		}
		for _, e := range g.Edges {
			arrow := "-->"
			if e.Replaces {
				arrow = "-.->"
			}
			if e.Label != "" {
				arrow += fmt.Sprintf("|\"%s\"|", mermaidText(e.Label))
			}
			fmt.Fprintf(&b, "%sn%d %s n%d\n", indent, first+e.From, arrow, first+e.To)
		}
	})
	b.WriteString("  classDef core fill:#fdd,stroke:#c00,stroke-width:2px,color:#000\n")
	b.WriteString("  classDef kept fill:#eee,stroke:#666,color:#000\n")
	b.WriteString("  classDef replaced fill:#fff,stroke:#999,stroke-dasharray:4,color:#666\n")
	return b.String()
}

func mermaidShape(k NodeKind) (opening, closing string) {
	switch k {
	case NodeRequest:
		return "([", "])"
	case NodeConflict:
		return "{{", "}}"
	case NodeFact:
		return ">", "]"
	}
	return "[", "]"
}

func mermaidClass(n GraphNode) string {
	switch {
	case n.Core:
		return ":::core"
	case n.Kind == NodeKept:
		return ":::kept"
	case n.Kind == NodeReplaced:
		return ":::replaced"
	}
	return ""
}

// mermaidEscapes replace what a quoted Mermaid text cannot hold, or would read
// as markup.
var mermaidEscapes = strings.NewReplacer(
	"#", "#35;", "&", "#amp;", `"`, "#quot;", "<", "#lt;", ">", "#gt;", "`", "#96;",
	"\\", "#92;", "\r", "", "\n", "<br/>",
)

func mermaidText(s string) string { return mermaidEscapes.Replace(s) }

// DOT draws the graphs as one, in the language of Graphviz.
func (d Drawing) DOT() string {
	var b strings.Builder
	b.WriteString("digraph resolution {\n  rankdir=LR;\n  node [shape=box, fontname=\"sans-serif\"];\n  edge [fontname=\"sans-serif\"];\n")
	// Graphviz draws a frame around what has "cluster" in its name.
	d.draw(&b, func(i int, title string) string {
		return fmt.Sprintf("subgraph cluster_%d {\n    label=%s;\n    fontname=\"sans-serif\";", i, dotText(title))
	}, "}", func(g *Graph, first int, indent string) {
		for i, n := range g.Nodes {
			fmt.Fprintf(&b, "%sn%d [label=%s%s];\n", indent, first+i, dotText(n.Label), dotStyle(n))
		}
		for _, e := range g.Edges {
			var attributes []string
			if e.Label != "" {
				attributes = append(attributes, "label="+dotText(e.Label))
			}
			if e.Replaces {
				attributes = append(attributes, "style=dashed")
			}
			fmt.Fprintf(&b, "%sn%d -> n%d", indent, first+e.From, first+e.To)
			if len(attributes) > 0 {
				b.WriteString(" [" + strings.Join(attributes, ", ") + "]")
			}
			b.WriteString(";\n")
		}
	})
	b.WriteString("}\n")
	return b.String()
}

func dotStyle(n GraphNode) string {
	style := ""
	switch n.Kind {
	case NodeRequest:
		style = ", shape=oval"
	case NodeConflict:
		style = ", shape=hexagon"
	case NodeFact:
		style = ", shape=note"
	case NodeReplaced:
		style = ", style=dashed, color=gray40"
	case NodeKept:
		style = ", style=filled, fillcolor=gray90"
	}
	if n.Core {
		style += ", style=filled, fillcolor=\"#ffdddd\", color=\"#cc0000\", penwidth=2"
	}
	return style
}

var dotEscapes = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\r", "", "\n", `\n`)

func dotText(s string) string { return `"` + dotEscapes.Replace(s) + `"` }
