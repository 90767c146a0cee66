package check

import (
	"slices"
	"strings"

	"github.com/resolvent/resolvent/resolver/internal/picture"
)

// styles are the colours of the classes of nodes.
var styles = []picture.Style{
	style(classHead, "#d5f0d5", "#2d7d2d"),
	style(classSkipped, "#eeeeee", "#999999"),
	style(classDeprecated, "#fdf0c8", "#b08800"),
	style(classUninstallable, "#f8d0d0", "#b02020"),
	style(classFound, "#f8e0c8", "#c06000"),
	style(classVirtual, "#ffffff", "#999999"),
}

// installedStyle is the style of installed bundles. Only a picture with any shows it in its
// legend.
var installedStyle = func() picture.Style {
	s := style(classInstalled, "#d3e3fa", "#1f5fbf")
	s.Meaning = "installed"
	return s
}()

func style(class, fill, border string) picture.Style {
	return picture.Style{
		Name:    class,
		Mermaid: "fill:" + fill + ",stroke:" + border + ",color:#000000",
		DOT:     `style=filled, fillcolor="` + fill + `", color="` + border + `"`,
		SVG:     "fill:" + border + ";fill-opacity:.15;stroke:" + border,
	}
}

// Mermaid draws the graph as a Mermaid flowchart. A skipRange is text on its entry, not edges:
// it often covers everything below.
func (g *Graph) Mermaid() string { return g.picture(nil).Mermaid() }

// DOT draws the graph in the language of Graphviz.
func (g *Graph) DOT() string { return g.picture(nil).DOT() }

// SVG draws the graph as one document that needs no other file, with one entry per row: the
// chain from the head, then the others, the newest first. The error is that the graph is too
// large.
func (g *Graph) SVG() (string, error) {
	d := g.picture(node.newerFirst)
	d.Chains = true
	return d.SVG()
}

// picture returns a drawing with a frame per channel. Edges lead from a bundle to its update.
// aside, if given, orders the entries off the chain.
func (g *Graph) picture(aside func(a, b node) int) *picture.Drawing {
	d := &picture.Drawing{Name: "updates", Framed: true, Styles: styles}
	if len(g.marks.installed) > 0 {
		d.Styles = append(slices.Clip(styles), installedStyle)
	}
	for _, channel := range g.channels {
		frame := picture.Frame{Title: channel.title()}
		at := map[string]int{}
		nodes := channel.nodes(g.marks)
		if aside != nil {
			slices.SortStableFunc(nodes[len(channel.Order):], aside)
		}
		for i, n := range nodes {
			at[n.entry.Name] = i
			frame.Nodes = append(frame.Nodes, picture.Node{Label: strings.Join(n.lines(), "\n"), Style: n.class})
		}
		for i, n := range nodes {
			for name := range n.entry.Edges() {
				from, listed := at[name]
				switch {
				case !listed:
				case name == n.entry.Replaces:
					frame.Edges = append(frame.Edges, picture.Edge{From: from, To: i})
				default:
					frame.Edges = append(frame.Edges, picture.Edge{From: from, To: i, Label: "skips", Dashed: true})
				}
			}
		}
		d.Frames = append(d.Frames, frame)
	}
	return d
}
