package catalogcheck

import (
	"slices"
	"strings"

	"github.com/resolvent/resolvent/cache/catalog"
)

// Marks are what pictures of a graph show beside what the catalog says.
type Marks struct {
	// Uninstallable holds the bundles that cannot be installed.
	Uninstallable map[catalog.ID]bool
}

// Only leaves one channel in the graph, and reports whether there is one of that
// name.
func (g *Graph) Only(channel string) bool {
	i := slices.IndexFunc(g.Channels, func(c ChannelGraph) bool { return c.Channel.Name == channel })
	if i < 0 {
		return false
	}
	g.Channels = g.Channels[i : i+1]
	return true
}

// title names a channel with what is special about it.
func (g *ChannelGraph) title() string {
	title := "channel " + g.Channel.Name
	if g.Channel.Default {
		title += " (default)"
	}
	if g.Channel.Deprecation != "" {
		title += " (deprecated)"
	}
	return title
}

// node is an entry as pictures show it.
type node struct {
	entry   *catalog.Entry
	version string
	// tags say what is special, the most important first.
	tags []string
	// class is the tag that decides how the node looks, empty for a plain one.
	class string
}

// The classes of nodes.
const (
	classUninstallable = "uninstallable"
	classVirtual       = "virtual"
	classDeprecated    = "deprecated"
	classSkipped       = "skipped"
	classHead          = "head"
)

// nodes lists the entries: the chain from the head, then the others by name.
func (g *ChannelGraph) nodes(marks Marks) []node {
	list := make([]node, 0, len(g.Channel.Entries))
	for _, i := range g.Channel.Order {
		list = append(list, g.node(int(i), marks))
	}
	for i := range g.Channel.Entries {
		if g.Channel.Entries[i].Depth < 0 {
			list = append(list, g.node(i, marks))
		}
	}
	return list
}

func (g *ChannelGraph) node(i int, marks Marks) node {
	n := node{entry: &g.Channel.Entries[i]}
	tag := func(class, text string) {
		if n.class == "" {
			n.class = class
		}
		n.tags = append(n.tags, text)
	}
	b := g.bundle(i)
	if b == nil {
		tag(classVirtual, "no bundle")
	} else {
		n.version = b.Version.String()
		if marks.Uninstallable[n.entry.Bundle] {
			tag(classUninstallable, "cannot be installed")
		}
		if b.Deprecation != "" || b.Properties.Deprecated() {
			tag(classDeprecated, "deprecated")
		}
	}
	if n.entry.Skipped {
		tag(classSkipped, "skipped")
	}
	if n.entry.Depth == 0 {
		tag(classHead, "head")
	}
	if g.Channel.Fault == "" && n.entry.Depth < 0 && !n.entry.Skipped {
		tag(classSkipped, "stranded")
	}
	return n
}

// lines are the parts of a label.
func (n node) lines() []string {
	lines := []string{n.entry.Name}
	if n.version != "" && !strings.HasSuffix(n.entry.Name, n.version) {
		lines = append(lines, n.version)
	}
	if r := n.entry.SkipRange.Text(); r != "" {
		lines = append(lines, "skipRange "+r)
	}
	if len(n.tags) > 0 {
		lines = append(lines, strings.Join(n.tags, ", "))
	}
	return lines
}
