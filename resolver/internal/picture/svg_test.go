package picture

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// document reads an SVG document as XML and returns its texts.
func document(t *testing.T, svg string) []string {
	t.Helper()
	var texts []string
	inText := false
	for d := xml.NewDecoder(strings.NewReader(svg)); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return texts
		}
		require.NoError(t, err)
		switch token := token.(type) {
		case xml.StartElement:
			inText = token.Name.Local == "text"
			assert.Contains(t, []string{"svg", "style", "g", "text", "path", "rect"}, token.Name.Local)
		case xml.CharData:
			if inText {
				texts = append(texts, string(token))
			}
		case xml.EndElement:
			inText = false
		}
	}
}

func TestSVGEscapes(t *testing.T) {
	const hostile = "</text><script>alert(1)</script>&\"'\x00\x1b\xff]]>"
	for _, chains := range []bool{false, true} {
		d := &Drawing{Name: hostile, Framed: true, Chains: chains, Frames: []Frame{{
			Title: hostile,
			Nodes: []Node{{Label: hostile}, {Label: "b"}},
			Edges: []Edge{{From: 0, To: 1, Label: hostile, Dashed: true}},
		}}}
		svg, err := d.SVG()
		require.NoError(t, err)
		shown := strings.Join(document(t, svg), "")
		assert.Equal(t, 3, strings.Count(shown, "<script>alert(1)</script>"), shown)
	}
}

func TestSVGClips(t *testing.T) {
	d := &Drawing{Chains: true, Frames: []Frame{{Nodes: []Node{{Label: strings.Repeat("é", 1000)}}}}}
	svg, err := d.SVG()
	require.NoError(t, err)
	assert.Equal(t, []string{strings.Repeat("é", maxLine-1) + "…"}, document(t, svg))
}

// What is too large to be looked at is refused, and soon.
func TestSVGTooLarge(t *testing.T) {
	frame := func(nodes int, edges func(yield func(Edge))) Frame {
		f := Frame{Nodes: make([]Node, nodes)}
		edges(func(e Edge) { f.Edges = append(f.Edges, e) })
		return f
	}
	chain := func(n int) Frame {
		return frame(n, func(yield func(Edge)) {
			for i := range n - 1 {
				yield(Edge{From: i + 1, To: i})
			}
		})
	}
	labels := func(n int) Frame {
		return frame(n, func(yield func(Edge)) {
			for i := range n * n {
				yield(Edge{From: i / n, To: i % n, Label: fmt.Sprint(i)})
			}
		})
	}
	crossing := frame(2*maxLanes+2, func(yield func(Edge)) {
		for i := range maxLanes + 1 {
			yield(Edge{From: maxLanes + 1 + i, To: i})
		}
	})
	for name, test := range map[string]struct {
		drawing Drawing
		fits    bool
	}{
		"a long chain":          {Drawing{Chains: true, Frames: []Frame{chain(maxParts / 2)}}, true},
		"a longer chain":        {Drawing{Chains: true, Frames: []Frame{chain(maxParts)}}, false},
		"a chain in columns":    {Drawing{Frames: []Frame{chain(maxParts / 2)}}, true},
		"too many lanes":        {Drawing{Chains: true, Frames: []Frame{crossing}}, false},
		"everything to all":     {Drawing{Frames: []Frame{labels(10)}}, true},
		"too many bends":        {Drawing{Frames: []Frame{labels(100)}}, false},
		"too many small frames": {Drawing{Frames: make([]Frame, maxParts)}, true},
	} {
		t.Run(name, func(t *testing.T) {
			svg, err := test.drawing.SVG()
			if test.fits {
				require.NoError(t, err)
				document(t, svg)
			} else {
				require.ErrorIs(t, err, errTooLarge)
			}
		})
	}
}

// Of random graphs, with circles, no boxes touch and lines lead to the right.
func TestLayers(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 0))
		f := Frame{Nodes: make([]Node, 1+r.IntN(20))}
		for i := range f.Nodes {
			f.Nodes[i] = Node{Label: strings.Repeat("word ", 1+r.IntN(20)), Shape: Shape(r.IntN(4))}
		}
		for range r.IntN(40) {
			f.Edges = append(f.Edges, Edge{From: r.IntN(len(f.Nodes)), To: r.IntN(len(f.Nodes)), Label: strings.Repeat("x", r.IntN(2))})
		}
		boxes, links := boxesOf(f)
		boxes, links = bent(layered(boxes), links)
		columns := columnsOf(boxes)
		untangle(columns)
		level(columns)
		(&canvas{}).columns(columns)
		for _, l := range links {
			assert.Equal(t, l.from.layer+1, l.to.layer)
			assert.Less(t, l.from.x+l.from.w, l.to.x)
		}
		for i, b := range boxes {
			for _, other := range boxes[:i] {
				apart := b.x+b.w <= other.x || other.x+other.w <= b.x || b.y+b.h <= other.y || other.y+other.h <= b.y
				assert.True(t, apart, "seed %d: %+v %+v", seed, b, other)
			}
		}
		again := &Drawing{Frames: []Frame{f}}
		first, err := again.SVG()
		require.NoError(t, err)
		second, err := again.SVG()
		require.NoError(t, err)
		assert.Equal(t, first, second)
	}
}

// Of random graphs, no two lanes in one place touch.
func TestLanes(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 1))
		f := Frame{Nodes: make([]Node, 2+r.IntN(30))}
		for range r.IntN(60) {
			f.Edges = append(f.Edges, Edge{From: r.IntN(len(f.Nodes)), To: r.IntN(len(f.Nodes)), Dashed: r.IntN(2) == 0})
		}
		lanes, count := assignLanes(f)
		for i, l := range lanes {
			assert.Less(t, l.at, count)
			for _, other := range lanes[:i] {
				assert.True(t, l.at != other.at || l.last < other.first || other.last < l.first)
			}
		}
	}
}
