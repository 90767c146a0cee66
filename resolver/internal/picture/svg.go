package picture

import (
	"encoding/xml"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// maxParts bounds the nodes, edges and bends of edges in an SVG document.
const maxParts = 10_000

var errTooLarge = errors.New("the picture is too large to be looked at: ask for a part of it, or for another output")

// Sizes in pixels. Texts are in a font whose characters all have one width.
const (
	margin     = 16
	frameGap   = 32
	wide       = 1160 // the width up to which frames stand beside each other
	lineHeight = 16
	padding    = 8  // around the text of a node
	maxLine    = 96 // the longest line of a text, in characters
)

// sheet is the style sheet of every document, before the styles of nodes. It applies only
// inside drawings, so that a page can contain several.
const sheet = `.drawing{background:#fff}
.drawing text{font:12px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;fill:#1f2328}
.drawing .title{font-weight:bold}
.drawing .more{fill:#59636e}
.drawing .node{fill:#fff;stroke:#59636e}
.drawing .line{fill:none;stroke:#59636e}
.drawing .dashed{stroke-dasharray:5 3}
.drawing .dot{stroke-width:5;stroke-linecap:round}
.drawing .tip{fill:#59636e}
@media(prefers-color-scheme:dark){
.drawing{background:#0d1117}
.drawing text{fill:#e6edf3}
.drawing .more{fill:#9198a1}
.drawing .node{fill:#0d1117;stroke:#9198a1}
.drawing .line{stroke:#9198a1}
.drawing .tip{fill:#9198a1}
}
`

// SVG returns the drawing as one document that needs no other file. Frames stand beside each
// other if they fit. The error is that the drawing is too large.
func (d *Drawing) SVG() (string, error) {
	parts := 0
	for _, f := range d.Frames {
		parts += len(f.Nodes) + len(f.Edges)
	}
	if parts > maxParts {
		return "", errTooLarge
	}
	var body strings.Builder
	x, y, right, bottom := margin, margin, 0, 0
	for _, f := range d.Frames {
		c := &canvas{}
		if d.Framed || len(d.Frames) > 1 {
			c.text("title", 0, 12, clipped(f.Title))
			c.bottom = lineHeight + padding
		}
		draw := c.layers
		if d.Chains {
			draw = c.chains
		}
		if err := draw(f); err != nil {
			return "", err
		}
		if x > margin && x+c.right > wide {
			x, y = margin, bottom+frameGap
		}
		c.moved(&body, x, y)
		right, bottom = max(right, x+c.right), max(bottom, y+c.bottom)
		x += c.right + frameGap
	}
	if legend := d.legend(); legend.right > 0 {
		legend.moved(&body, margin, bottom+frameGap)
		right, bottom = max(right, margin+legend.right), bottom+frameGap+legend.bottom
	}
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" class="drawing" role="group" aria-label="%s" width="%d" height="%[3]d" viewBox="0 0 %[2]d %[3]d">`+"\n",
		escaped(d.Name), right+margin, bottom+margin)
	b.WriteString("<style>\n" + sheet)
	for _, s := range d.Styles {
		fmt.Fprintf(&b, ".drawing .%s{%s}\n", s.Name, s.SVG)
	}
	b.WriteString("</style>\n" + body.String() + "</svg>\n")
	return b.String(), nil
}

// canvas is a frame while it is drawn, from top to bottom.
type canvas struct {
	strings.Builder
	// right and bottom are its edges so far.
	right, bottom int
}

// moved writes the frame at its place in the document. Half a pixel more makes lines cover
// whole pixels.
func (c *canvas) moved(b *strings.Builder, x, y int) {
	fmt.Fprintf(b, "<g transform=\"translate(%d.5,%d.5)\">\n%s</g>\n", x, y, c.String())
}

// legend explains the styles of the nodes that have a Meaning.
func (d *Drawing) legend() *canvas {
	used := map[string]bool{}
	for _, f := range d.Frames {
		for _, n := range f.Nodes {
			used[n.Style] = true
		}
	}
	c := &canvas{}
	for _, s := range d.Styles {
		if used[s.Name] && s.Meaning != "" {
			c.path(Node{Style: s.Name}.class(), fmt.Sprintf("M%d,0h24v14h-24z", c.right))
			c.text("more", c.right+32, 12, s.Meaning)
			c.right += frameGap
			c.bottom = lineHeight
		}
	}
	return c
}

func (n Node) class() string { return strings.TrimSuffix("node "+n.Style, " ") }

// text writes one line of text; y is its base line.
func (c *canvas) text(class string, x, y int, text string) {
	if class != "" {
		class = fmt.Sprintf(` class="%s"`, class)
	}
	fmt.Fprintf(c, `<text%s x="%d" y="%d">%s</text>`+"\n", class, x, y, escaped(text))
	c.right = max(c.right, x+textWidth(text))
}

// path writes lines, if there are any.
func (c *canvas) path(class, d string) {
	if d != "" {
		fmt.Fprintf(c, `<path class="%s" d="%s"/>`+"\n", class, d)
	}
}

// escaped returns a text for XML. It replaces characters that XML forbids.
func escaped(text string) string {
	var b strings.Builder
	xml.EscapeText(&b, []byte(text)) // a Builder does not fail
	return b.String()
}

// clipped shortens a long line.
func clipped(line string) string {
	if utf8.RuneCountInString(line) <= maxLine {
		return line
	}
	return string([]rune(line)[:maxLine-1]) + "…"
}

// textWidth returns the width of a line. Characters of East Asian scripts and symbols take
// two places.
func textWidth(line string) int {
	places := 0
	for _, r := range line {
		places++
		if r >= 0x1100 && r != '…' {
			places++
		}
	}
	return (places*73 + 9) / 10
}
