package check

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/resolvent/resolvent/cache/catalog"
)

// title returns the title of a channel: its name, and whether it is default or deprecated.
func (g channelGraph) title() string {
	title := "channel " + g.Name
	if g.Default {
		title += " (default)"
	}
	if g.Deprecation != "" {
		title += " (deprecated)"
	}
	return title
}

// node is an entry as pictures show it.
type node struct {
	entry   *catalog.Entry
	bundle  *catalog.Bundle // nil for a virtual entry
	version string
	// tags are texts about the entry, the most important first.
	tags []string
	// class is the tag that decides the style of the node, empty for a plain one.
	class string
}

// The classes of nodes.
const (
	classUninstallable = "uninstallable"
	classFound         = "found"
	classVirtual       = "virtual"
	classDeprecated    = "deprecated"
	classSkipped       = "skipped"
	classHead          = "head"
	classInstalled     = "installed"
)

// nodes returns the entries in the order of walk.
func (g channelGraph) nodes(m marks) []node {
	list := make([]node, 0, len(g.Entries))
	for i := range g.Walk {
		list = append(list, g.node(i, m))
	}
	return list
}

func (g channelGraph) node(i int, m marks) node {
	n := node{entry: &g.Entries[i], bundle: g.Bundle(i)}
	tag := func(class, text string) {
		n.class = cmp.Or(n.class, class)
		n.tags = append(n.tags, text)
	}
	switch requests := m.installed[n.entry.Name]; {
	case requests > 1:
		tag(classInstalled, fmt.Sprintf("installed %d times", requests))
	case requests == 1:
		tag(classInstalled, "installed")
	}
	b := n.bundle
	if b == nil {
		tag(classVirtual, "no bundle")
	} else {
		n.version = b.Version.String()
		if m.blocked[n.entry.Bundle] {
			tag(classUninstallable, "cannot be installed")
		}
		if b.Deprecation != "" || b.Properties.Deprecated() {
			tag(classDeprecated, "deprecated")
		}
	}
	for _, code := range m.found[inChannel{g.Name, n.entry.Name}] {
		tag(classFound, code)
	}
	if n.entry.Skipped {
		tag(classSkipped, "skipped")
	}
	if n.entry.Depth == 0 {
		tag(classHead, "head")
	}
	if g.Fault == "" && n.entry.Depth < 0 && !n.entry.Skipped && !slices.Contains(n.tags, "stranded") {
		tag(classSkipped, "stranded")
	}
	return n
}

// newerFirst orders nodes by descending version; those without a version come last.
func (n node) newerFirst(other node) int {
	if n.bundle == nil || other.bundle == nil {
		return strings.Compare(other.version, n.version) // one of them is empty
	}
	return other.bundle.Version.Compare(n.bundle.Version)
}

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
