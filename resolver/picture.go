package resolver

import (
	"fmt"
	"strings"
)

// Mermaid draws the graph as a Mermaid flowchart.
func (g *Graph) Mermaid() string {
	var b strings.Builder
	b.WriteString("flowchart LR\n")
	for i, n := range g.Nodes {
		opening, closing := mermaidShape(n.Kind)
		fmt.Fprintf(&b, "  n%d%s\"%s\"%s%s\n", i, opening, mermaidText(n.Label), closing, mermaidClass(n))
	}
	for _, e := range g.Edges {
		arrow := "-->"
		if e.Replaces {
			arrow = "-.->"
		}
		if e.Label != "" {
			arrow += fmt.Sprintf("|\"%s\"|", mermaidText(e.Label))
		}
		fmt.Fprintf(&b, "  n%d %s n%d\n", e.From, arrow, e.To)
	}
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

// DOT draws the graph in the language of Graphviz.
func (g *Graph) DOT() string {
	var b strings.Builder
	b.WriteString("digraph resolution {\n  rankdir=LR;\n  node [shape=box, fontname=\"sans-serif\"];\n  edge [fontname=\"sans-serif\"];\n")
	for i, n := range g.Nodes {
		fmt.Fprintf(&b, "  n%d [label=%s%s];\n", i, dotText(n.Label), dotStyle(n))
	}
	for _, e := range g.Edges {
		var attributes []string
		if e.Label != "" {
			attributes = append(attributes, "label="+dotText(e.Label))
		}
		if e.Replaces {
			attributes = append(attributes, "style=dashed")
		}
		fmt.Fprintf(&b, "  n%d -> n%d", e.From, e.To)
		if len(attributes) > 0 {
			b.WriteString(" [" + strings.Join(attributes, ", ") + "]")
		}
		b.WriteString(";\n")
	}
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
