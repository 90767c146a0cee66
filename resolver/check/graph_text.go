package check

import (
	"fmt"
	"strings"

	"github.com/resolvent/resolvent/resolver/internal/words"
)

// Text returns the graph as an indented list: each channel from its head down along replaces,
// then the entries off that chain.
func (g *Graph) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "package %s\n", words.Unbroken(g.pkg.Name))
	line(&b, 1, "deprecated: ", g.pkg.Deprecation)
	for _, channel := range g.channels {
		channel.text(&b, g.marks)
	}
	return b.String()
}

func (g channelGraph) text(b *strings.Builder, m marks) {
	fmt.Fprintf(b, "  %s\n", words.Unbroken(g.title()))
	line(b, 2, "deprecated: ", g.Deprecation)
	line(b, 2, "without order: ", g.Fault)
	aside, told := false, map[string]bool{}
	for _, n := range g.nodes(m) {
		if n.entry.Depth < 0 && !aside && len(g.Order) > 0 {
			aside = true
			fmt.Fprintf(b, "    beside the chain:\n")
		}
		fmt.Fprintf(b, "    %s\n", words.Unbroken(strings.TrimSpace(n.entry.Name+"  "+n.version)+bracketed(n.tags)))
		if n.entry.Replaces != "" {
			text := n.entry.Replaces
			if g.Entry(text) == nil {
				text += " (not in this channel)"
			}
			line(b, 3, "replaces ", text)
		}
		line(b, 3, "skips ", skips(n.entry.Skips, told))
		line(b, 3, "skipRange ", n.entry.SkipRange.Text())
		if bundle := g.Snapshot.Bundle(n.entry.Bundle); bundle != nil {
			line(b, 3, "deprecated: ", bundle.Deprecation)
		}
	}
}

// skips names what an entry skips, and counts what an entry before it skips, too.
func skips(names []string, told map[string]bool) string {
	var list []string
	for _, name := range names {
		if !told[name] {
			list, told[name] = append(list, name), true
		}
	}
	if again := len(names) - len(list); again > 0 {
		list = append(list, fmt.Sprintf("%d that entries above skip", again))
	}
	return strings.Join(list, ", ")
}

func bracketed(tags []string) string {
	if len(tags) == 0 {
		return ""
	}
	return "  [" + strings.Join(tags, ", ") + "]"
}

// line writes a text with its label, unless it is empty.
func line(b *strings.Builder, depth int, label, text string) {
	if text != "" {
		fmt.Fprintf(b, "%s%s%s\n", strings.Repeat("  ", depth), label, words.OneLine(text))
	}
}
