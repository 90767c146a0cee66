package catalogcheck

import (
	"fmt"
	"strings"

	"github.com/resolvent/resolvent/cache/catalog"
)

// looks are the colours of the classes of nodes: fill and border.
var looks = []struct{ class, fill, border string }{
	{classHead, "#d5f0d5", "#2d7d2d"},
	{classSkipped, "#eeeeee", "#999999"},
	{classDeprecated, "#fdf0c8", "#b08800"},
	{classUninstallable, "#f8d0d0", "#b02020"},
	{classVirtual, "#ffffff", "#999999"},
}

// picture walks the nodes and edges of a graph. Nodes have identifiers that
// every picture language accepts.
type picture struct {
	channel func(id, title string)
	node    func(id string, n node)
	// edge leads from what is updated to what it is updated to.
	edge func(from, to string, kind EdgeKind)
	end  func()
}

func (g *Graph) draw(marks Marks, p picture) {
	for c := range g.Channels {
		channel := &g.Channels[c]
		p.channel(fmt.Sprintf("c%d", c), channel.title())
		ids := map[string]string{}
		nodes := channel.nodes(marks)
		for i, n := range nodes {
			ids[n.entry.Name] = fmt.Sprintf("c%dn%d", c, i)
			p.node(ids[n.entry.Name], n)
		}
		for _, n := range nodes {
			if from, listed := ids[n.entry.Replaces]; listed {
				p.edge(from, ids[n.entry.Name], Replaces)
			}
			for _, name := range n.entry.Skips {
				if from, listed := ids[name]; listed && name != n.entry.Replaces {
					p.edge(from, ids[n.entry.Name], Skips)
				}
			}
		}
		p.end()
	}
}

// Mermaid draws the graph as a Mermaid flowchart. What a skipRange covers is
// written on its entry instead of drawn, since it often is everything below.
func (g *Graph) Mermaid(marks Marks) string {
	var b strings.Builder
	b.WriteString("flowchart LR\n")
	g.draw(marks, picture{
		channel: func(id, title string) { fmt.Fprintf(&b, "  subgraph %s[\"%s\"]\n", id, mermaidText(title)) },
		node: func(id string, n node) {
			parts := n.lines()
			for i := range parts {
				parts[i] = mermaidText(parts[i])
			}
			fmt.Fprintf(&b, "    %s[\"%s\"]", id, strings.Join(parts, "<br/>"))
			if n.class != "" {
				b.WriteString(":::" + n.class)
			}
			b.WriteString("\n")
		},
		edge: func(from, to string, kind EdgeKind) {
			arrow := "-->"
			if kind == Skips {
				arrow = "-. skips .->"
			}
			fmt.Fprintf(&b, "    %s %s %s\n", from, arrow, to)
		},
		end: func() { b.WriteString("  end\n") },
	})
	for _, look := range looks {
		fmt.Fprintf(&b, "  classDef %s fill:%s,stroke:%s,color:#000000\n", look.class, look.fill, look.border)
	}
	return b.String()
}

// mermaidText writes what would end a label, or be read as markup, as entities.
func mermaidText(s string) string {
	return strings.NewReplacer("#", "#35;", `"`, "#quot;", "<", "#lt;", ">", "#gt;", "&", "#amp;", "`", "#96;", "\n", " ").Replace(s)
}

// DOT draws the graph in the language of Graphviz.
func (g *Graph) DOT(marks Marks) string {
	var b strings.Builder
	fmt.Fprintf(&b, "digraph %s {\n  rankdir=LR;\n  node [shape=box, style=filled, fillcolor=\"#ffffff\"];\n", dotText(g.Package.Name))
	g.draw(marks, picture{
		channel: func(id, title string) {
			fmt.Fprintf(&b, "  subgraph cluster_%s {\n    label=%s;\n", id, dotText(title))
		},
		node: func(id string, n node) {
			fmt.Fprintf(&b, "    %s [label=%s%s];\n", id, dotText(strings.Join(n.lines(), "\n")), dotLook(n.class))
		},
		edge: func(from, to string, kind EdgeKind) {
			look := ""
			if kind == Skips {
				look = " [style=dashed, label=\"skips\"]"
			}
			fmt.Fprintf(&b, "    %s -> %s%s;\n", from, to, look)
		},
		end: func() { b.WriteString("  }\n") },
	})
	b.WriteString("}\n")
	return b.String()
}

func dotLook(class string) string {
	for _, look := range looks {
		if look.class == class {
			return fmt.Sprintf(", fillcolor=%q, color=%q", look.fill, look.border)
		}
	}
	return ""
}

// dotText quotes a string; line ends become those of labels.
func dotText(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(s) + `"`
}

// Blocked returns the marks of the bundles of a catalog that cannot be
// installed.
func Blocked(ids ...catalog.ID) Marks {
	marks := Marks{Uninstallable: make(map[catalog.ID]bool, len(ids))}
	for _, id := range ids {
		marks.Uninstallable[id] = true
	}
	return marks
}
