package picture

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Sizes of a frame of layers, in pixels, and of its texts, in characters.
const (
	columnGap = 36
	boxGap    = 14
	nodeLine  = 40
	labelLine = 28
	longWord  = 48 // a longer one is broken
)

// sweeps is the number of times that layers are ordered, and that boxes move towards their
// neighbors. More do not change real pictures.
const sweeps = 8

// box is something with a place: a node, a label of edges, or a bend of an edge.
type box struct {
	kind       boxKind
	node       Node
	lines      []string
	out        []*link
	seen, done bool // while layers are found

	layer, at   int // at is the place in the layer
	left, right []*box
	x, y, w, h  int
}

type boxKind int

const (
	boxNode boxKind = iota
	boxLabel
	boxBend
)

// link is a line between boxes, from left to right once the layers are known.
type link struct {
	from, to *box
	dashed   bool
	// back is true if the edge leads from right to left, in a cycle.
	back bool
}

// layers draws a frame by the method of Sugiyama, Tagawa and Toda (1981): nodes stand in
// columns, each to the right of those that lead to it. Labels of edges have places like nodes,
// so that nothing overlaps.
func (c *canvas) layers(f Frame) error {
	boxes, links := boxesOf(f)
	boxes = layered(boxes)
	boxes, links = bent(boxes, links)
	if len(boxes) > maxParts {
		return errTooLarge
	}
	columns := columnsOf(boxes)
	untangle(columns)
	level(columns)
	c.columns(columns)
	for _, l := range links {
		c.link(l)
	}
	for _, b := range boxes {
		c.box(b)
	}
	return nil
}

// boxesOf returns the boxes of nodes and labels. Edges from one node with the same label share
// its box.
func boxesOf(f Frame) (boxes []*box, links []*link) {
	for _, n := range f.Nodes {
		boxes = append(boxes, newBox(boxNode, n, nodeLine))
	}
	join := func(from, to *box, dashed bool) {
		l := &link{from: from, to: to, dashed: dashed}
		from.out = append(from.out, l)
		links = append(links, l)
	}
	type labelOf struct {
		from   int
		text   string
		dashed bool
	}
	labels := map[labelOf]*box{}
	for _, e := range f.Edges {
		if e.From == e.To {
			continue
		}
		from := boxes[e.From]
		if e.Label != "" {
			key := labelOf{e.From, e.Label, e.Dashed}
			label := labels[key]
			if label == nil {
				label = newBox(boxLabel, Node{Label: e.Label}, labelLine)
				labels[key] = label
				boxes = append(boxes, label)
				join(from, label, e.Dashed)
			}
			from = label
		}
		join(from, boxes[e.To], e.Dashed)
	}
	return boxes, links
}

func newBox(kind boxKind, n Node, length int) *box {
	b := &box{kind: kind, node: n, lines: wrapped(n.Label, length)}
	for _, line := range b.lines {
		b.w = max(b.w, textWidth(line))
	}
	b.w += 2 * padding
	b.h = len(b.lines) * lineHeight
	if kind == boxNode {
		b.h += padding
	}
	if n.Shape != Box {
		b.w += 2 * padding
	}
	return b
}

// layered gives each box the first layer to the right of all that lead to it. It returns the
// boxes in the topological order of a depth-first search, and turns links that close a cycle.
func layered(boxes []*box) []*box {
	var order []*box
	var visit func(b *box)
	visit = func(b *box) {
		b.seen = true
		for _, l := range slices.Backward(b.out) {
			if !l.to.seen {
				visit(l.to)
			}
			l.back = !l.to.done
		}
		b.done = true
		order = append(order, b)
	}
	for _, b := range slices.Backward(boxes) {
		if !b.seen {
			visit(b)
		}
	}
	slices.Reverse(order)
	for _, b := range order {
		for _, l := range b.out {
			if l.back {
				l.from, l.to = l.to, l.from
			}
		}
	}
	out := map[*box][]*box{}
	for _, b := range order {
		for _, l := range b.out {
			out[l.from] = append(out[l.from], l.to)
		}
	}
	for _, b := range order {
		for _, to := range out[b] {
			to.layer = max(to.layer, b.layer+1)
		}
	}
	return order
}

// bent splits links that pass layers, with a bend in each layer.
func bent(boxes []*box, links []*link) ([]*box, []*link) {
	var split []*link
	for _, l := range links {
		from := l.from
		for layer := from.layer + 1; layer < l.to.layer && len(boxes) <= maxParts; layer++ {
			bend := &box{kind: boxBend, layer: layer}
			boxes = append(boxes, bend)
			split = append(split, &link{from, bend, l.dashed, l.back})
			from = bend
		}
		split = append(split, &link{from, l.to, l.dashed, l.back})
	}
	for _, l := range split {
		l.from.right = append(l.from.right, l.to)
		l.to.left = append(l.to.left, l.from)
	}
	return boxes, split
}

func columnsOf(boxes []*box) [][]*box {
	var columns [][]*box
	for _, b := range boxes {
		for len(columns) <= b.layer {
			columns = append(columns, nil)
		}
		b.at = len(columns[b.layer])
		columns[b.layer] = append(columns[b.layer], b)
	}
	return columns
}

// untangle sorts each column by the mean places of its boxes' neighbors.
func untangle(columns [][]*box) {
	for sweep := range sweeps {
		eachColumn(columns, sweep, func(column []*box, neighbors func(*box) []*box) {
			mean := map[*box]int{}
			for _, b := range column {
				mean[b] = meanOf(neighbors(b), b.at*1000, func(n *box) int { return n.at * 1000 })
			}
			slices.SortStableFunc(column, func(a, b *box) int { return cmp.Compare(mean[a], mean[b]) })
			for i, b := range column {
				b.at = i
			}
		})
	}
}

// eachColumn visits the columns from left to right with their left neighbors, and in every
// second sweep from right to left with the right ones.
func eachColumn(columns [][]*box, sweep int, do func([]*box, func(*box) []*box)) {
	if sweep%2 == 0 {
		for _, column := range columns {
			do(column, func(b *box) []*box { return b.left })
		}
		return
	}
	for _, column := range slices.Backward(columns) {
		do(column, func(b *box) []*box { return b.right })
	}
}

func meanOf(neighbors []*box, none int, value func(*box) int) int {
	if len(neighbors) == 0 {
		return none
	}
	sum := 0
	for _, n := range neighbors {
		sum += value(n)
	}
	return sum / len(neighbors)
}

// level moves boxes up and down: as close to the middle of their neighbors as the order of
// the column and the gaps allow.
func level(columns [][]*box) {
	for _, column := range columns {
		place(column, func(*box) int { return 0 })
	}
	for sweep := range sweeps {
		eachColumn(columns, sweep, func(column []*box, neighbors func(*box) []*box) {
			place(column, func(b *box) int {
				return meanOf(neighbors(b), b.middle(), (*box).middle) - b.h/2
			})
		})
	}
	top := 0
	for _, column := range columns {
		top = min(top, column[0].y)
	}
	for _, column := range columns {
		for _, b := range column {
			b.y -= top
		}
	}
}

func (b *box) middle() int { return b.y + b.h/2 }

// place places the boxes of a column so that the sum of the squared distances from the wanted
// places is least. Boxes that would overlap move as one block (isotonic regression).
func place(column []*box, wanted func(*box) int) {
	type block struct{ sum, boxes int }
	var blocks []block
	offset := 0
	for _, b := range column {
		blocks = append(blocks, block{wanted(b) - offset, 1})
		offset += b.h + boxGap
		for n := len(blocks); n > 1 && blocks[n-2].sum*blocks[n-1].boxes > blocks[n-1].sum*blocks[n-2].boxes; n-- {
			blocks[n-2].sum += blocks[n-1].sum
			blocks[n-2].boxes += blocks[n-1].boxes
			blocks = blocks[:n-1]
		}
	}
	i := 0
	offset = 0
	for _, bl := range blocks {
		for range bl.boxes {
			column[i].y = bl.sum/bl.boxes + offset
			offset += column[i].h + boxGap
			i++
		}
	}
}

// columns gives boxes their final places, below the part that is drawn already.
func (c *canvas) columns(columns [][]*box) {
	x, top := 0, c.bottom
	for _, column := range columns {
		width := 0
		for _, b := range column {
			width = max(width, b.w)
		}
		for _, b := range column {
			b.x, b.y = x, b.y+top
			c.bottom = max(c.bottom, b.y+b.h)
			if b.kind == boxBend {
				b.w = width
			}
		}
		// Lines bend only between columns.
		x += width
		c.right = max(c.right, x)
		x += columnGap
	}
}

// link draws a line, with a tip at the end of an edge.
func (c *canvas) link(l *link) {
	x1, y1, x2, y2 := l.from.x+l.from.w, l.from.middle(), l.to.x, l.to.middle()
	bend := x2 - columnGap
	class := "line"
	if l.dashed {
		class += " dashed"
	}
	if l.from.kind == boxBend {
		x1 = l.from.x
	}
	c.path(class, fmt.Sprintf("M%d,%dH%dC%d,%d %d,%d %d,%d", x1, y1, bend, bend+columnGap/2, y1, bend+columnGap/2, y2, x2, y2))
	switch {
	case l.back && l.from.kind == boxNode:
		c.path("tip", fmt.Sprintf("M%d,%dl7,-4v8z", x1, y1))
	case !l.back && l.to.kind == boxNode:
		c.path("tip", fmt.Sprintf("M%d,%dl-7,-4v8z", x2, y2))
	}
}

func (c *canvas) box(b *box) {
	if b.kind == boxBend {
		return
	}
	class, x, y := "more", b.x+padding, b.y+12
	if b.kind == boxNode {
		class, y = "", y+padding/2
		c.path(b.node.class(), b.outline())
	}
	if b.node.Shape != Box {
		x += padding
	}
	for _, line := range b.lines {
		c.text(class, x, y, line)
		y += lineHeight
	}
}

// outline returns the shape of a node as a path.
func (b *box) outline() string {
	x, y, w, h, p := b.x, b.y, b.w, b.h, padding
	switch b.node.Shape {
	case Oval:
		r := h / 2
		return fmt.Sprintf("M%d,%dh%da%d,%d 0 0 1 0,%dh%da%d,%d 0 0 1 0,%dz", x+r, y, w-2*r, r, r, h, 2*r-w, r, r, -h)
	case Hexagon:
		return fmt.Sprintf("M%d,%dl%d,%dh%dl%d,%dl%d,%dh%dz", x, y+h/2, p, -h/2, w-2*p, p, h/2, -p, h-h/2, 2*p-w)
	case Note:
		return fmt.Sprintf("M%d,%dh%dl%d,%dv%dh%dz", x, y, w-p, p, p, h-p, -w)
	}
	return fmt.Sprintf("M%d,%dh%dv%dh%dz", x, y, w, h, -w)
}

// wrapped breaks a text into lines at spaces. It breaks only very long words.
func wrapped(text string, length int) []string {
	var lines []string
	for _, paragraph := range strings.Split(text, "\n") {
		line := []rune{}
		for _, word := range strings.Fields(paragraph) {
			if len(line) > 0 && len(line)+1+len([]rune(word)) > length {
				lines = append(lines, string(line))
				line = nil
			}
			if len(line) > 0 {
				line = append(line, ' ')
			}
			line = append(line, []rune(word)...)
			for len(line) > longWord {
				lines = append(lines, string(line[:longWord]))
				line = line[longWord:]
			}
		}
		lines = append(lines, string(line))
	}
	return lines
}
