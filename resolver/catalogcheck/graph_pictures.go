package catalogcheck

import (
	"strings"

	"github.com/resolvent/resolvent/resolver/internal/picture"
)

// styles are the colours of the classes of nodes.
var styles = []picture.Style{
	style(classHead, "#d5f0d5", "#2d7d2d"),
	style(classSkipped, "#eeeeee", "#999999"),
	style(classDeprecated, "#fdf0c8", "#b08800"),
	style(classUninstallable, "#f8d0d0", "#b02020"),
	style(classVirtual, "#ffffff", "#999999"),
}

func style(class, fill, border string) picture.Style {
	return picture.Style{
		Name:    class,
		Mermaid: "fill:" + fill + ",stroke:" + border + ",color:#000000",
		DOT:     `style=filled, fillcolor="` + fill + `", color="` + border + `"`,
	}
}

// Mermaid draws the graph as a Mermaid flowchart. What a skipRange covers is
// written on its entry instead of drawn, since it often is everything below.
func (g *Graph) Mermaid() string { return g.picture().Mermaid() }

// DOT draws the graph in the language of Graphviz.
func (g *Graph) DOT() string { return g.picture().DOT() }

// picture has a frame per channel. Edges lead from what is updated to what it is
// updated to.
func (g *Graph) picture() *picture.Drawing {
	d := &picture.Drawing{Name: "updates", Framed: true, Styles: styles}
	for _, channel := range g.channels {
		frame := picture.Frame{Title: channel.title()}
		at := map[string]int{}
		nodes := channel.nodes(g.blocked)
		for i, n := range nodes {
			at[n.entry.Name] = i
			frame.Nodes = append(frame.Nodes, picture.Node{Label: strings.Join(n.lines(), "\n"), Style: n.class})
		}
		for i, n := range nodes {
			if from, listed := at[n.entry.Replaces]; listed {
				frame.Edges = append(frame.Edges, picture.Edge{From: from, To: i})
			}
			for _, name := range n.entry.Skips {
				if from, listed := at[name]; listed && name != n.entry.Replaces {
					frame.Edges = append(frame.Edges, picture.Edge{From: from, To: i, Label: "skips", Dashed: true})
				}
			}
		}
		d.Frames = append(d.Frames, frame)
	}
	return d
}
