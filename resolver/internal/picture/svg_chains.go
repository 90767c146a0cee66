package picture

import (
	"fmt"
	"slices"
	"strings"
)

// Sizes of a frame of chains, in pixels.
const (
	rowHeight  = 30
	chainBox   = 22 // the height of a node
	chainInset = 14 // the distance of the line between two rows from the left
	laneWidth  = 12
	maxLanes   = 100
)

// chains draws a frame with one node per row, in their order. An edge from a row to the one
// above is a line between the two. Other edges run in lanes beside the rows: all that lead to
// one node share a lane, with a dot where each begins.
func (c *canvas) chains(f Frame) error {
	lanes, count := assignLanes(f)
	if count > maxLanes {
		return errTooLarge
	}
	p := strokes{left: count * laneWidth, top: c.bottom}
	meaning := ""
	for _, e := range f.Edges {
		if e.Dashed && e.Label != "" {
			meaning = "dashed: " + e.Label
		}
		if e.between() {
			p.between(e)
		}
	}
	for _, l := range lanes {
		p.lane(l)
	}
	c.path("line", p.lines.String())
	c.path("line dashed", p.dashes.String())
	c.path("line dot", p.dots.String())
	c.path("tip", p.tips.String())

	width := 0
	for _, n := range f.Nodes {
		width = max(width, textWidth(chainName(n))+2*padding)
	}
	for row, n := range f.Nodes {
		y := p.row(row)
		fmt.Fprintf(c, `<rect class="%s" x="%d" y="%d" width="%d" height="%d" rx="5"/>`+"\n", n.class(), p.left, y, width, chainBox)
		c.text("", p.left+padding, y+15, chainName(n))
		if _, more, ok := strings.Cut(n.Label, "\n"); ok {
			c.text("more", p.left+width+padding, y+15, clipped(strings.ReplaceAll(more, "\n", " · ")))
		}
	}
	c.right = max(c.right, p.left+width)
	c.bottom = p.row(len(f.Nodes)) + chainBox - rowHeight
	if meaning != "" {
		c.bottom += 2 * lineHeight
		c.text("more", 0, c.bottom, meaning)
	}
	return nil
}

// chainName returns the first line of a label; the others stand beside the node.
func chainName(n Node) string {
	name, _, _ := strings.Cut(n.Label, "\n")
	return clipped(name)
}

// between reports whether an edge is drawn between two rows.
func (e Edge) between() bool { return e.From == e.To+1 && !e.Dashed }

// strokes has the lines of a frame of chains, whose nodes begin at left and top.
type strokes struct {
	left, top                 int
	lines, dashes, tips, dots strings.Builder
}

func (p *strokes) row(i int) int { return p.top + i*rowHeight }

func (p *strokes) between(e Edge) {
	x, y := p.left+chainInset, p.row(e.To)+chainBox
	fmt.Fprintf(&p.lines, "M%d,%dV%d", x, p.row(e.From), y+6)
	fmt.Fprintf(&p.tips, "M%d,%dl-4,7h8z", x, y)
}

func (p *strokes) lane(l *lane) {
	line, enter := &p.lines, p.row(l.to)+chainBox/2-2
	if l.dashed { // one node may have a lane of both kinds
		line, enter = &p.dashes, enter-6
	}
	x, first, last := p.left-(l.at+1)*laneWidth, enter, enter
	for _, from := range l.from {
		leave := p.row(from) + chainBox - 5
		first, last = min(first, leave), max(last, leave)
		fmt.Fprintf(line, "M%d,%dH%d", p.left, leave, x)
		fmt.Fprintf(&p.dots, "M%d,%dh0", x, leave)
	}
	fmt.Fprintf(line, "M%d,%dV%dM%d,%dH%d", x, first, last, x, enter, p.left-6)
	fmt.Fprintf(&p.tips, "M%d,%dl-7,-4v8z", p.left, enter)
}

// lane is the line that edges of one kind to one node share.
type lane struct {
	to     int
	dashed bool
	from   []int
	// at is its place, counted from the nodes; first and last are the rows that it spans.
	at, first, last int
}

// assignLanes gives each lane a place so that no two in one place touch, and returns the
// number of places. Short lanes are close to the nodes.
func assignLanes(f Frame) (lanes []*lane, count int) {
	type target struct {
		to     int
		dashed bool
	}
	laneOf := map[target]*lane{}
	for _, e := range f.Edges {
		if e.between() || e.From == e.To {
			continue
		}
		t := target{e.To, e.Dashed}
		l := laneOf[t]
		if l == nil {
			l = &lane{to: e.To, dashed: e.Dashed, first: e.To, last: e.To}
			laneOf[t] = l
			lanes = append(lanes, l)
		}
		l.from = append(l.from, e.From)
		l.first, l.last = min(l.first, e.From), max(l.last, e.From)
	}
	slices.SortStableFunc(lanes, func(a, b *lane) int { return (a.last - a.first) - (b.last - b.first) })
	var taken [][]*lane
	for _, l := range lanes {
		touches := func(other *lane) bool { return other.first <= l.last && l.first <= other.last }
		l.at = slices.IndexFunc(taken, func(there []*lane) bool { return !slices.ContainsFunc(there, touches) })
		if l.at < 0 {
			l.at = len(taken)
			taken = append(taken, nil)
		}
		taken[l.at] = append(taken[l.at], l)
		if len(taken) > maxLanes {
			break
		}
	}
	return lanes, len(taken)
}
