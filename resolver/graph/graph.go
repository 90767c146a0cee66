// Package graph draws answers and failures: requests, the bundles that they lead to through
// constraints, and where that ends. A Drawing of several graphs is written as a Mermaid
// flowchart, in the language of Graphviz, or as SVG. Nodes and edges have a fixed order.
package graph

import (
	"fmt"
	"slices"

	"github.com/resolvent/resolvent/resolver/internal/picture"
	"github.com/resolvent/resolvent/resolver/internal/words"
	"github.com/resolvent/resolvent/resolver/result"
)

// The kinds of nodes, each a node without a label.
var (
	request  = picture.Node{Shape: picture.Oval}
	bundle   = picture.Node{Shape: picture.Box} // an install, or a candidate
	kept     = picture.Node{Shape: picture.Box, Style: styleKept}
	replaced = picture.Node{Shape: picture.Box, Style: styleReplaced}
	fact     = picture.Node{Shape: picture.Note}
	conflict = picture.Node{Shape: picture.Hexagon}
)

// maxLabel bounds a text in a picture, in bytes. maxNodes bounds the nodes, so that the
// picture stays readable.
const (
	maxLabel = 90
	maxNodes = 60
)

// graphBuilder numbers nodes by what they stand for.
type graphBuilder struct {
	picture.Frame
	ids   map[picture.Node]int
	edges map[picture.Edge]bool
	drawn map[drawnNode]bool
	more  bool
}

// drawnNode is a node of a derivation below one parent. A derivation shares nodes; drawing
// one again at the same place adds nothing.
type drawnNode struct {
	e     *result.Explanation
	from  int
	label string
}

func newGraphBuilder() *graphBuilder {
	return &graphBuilder{ids: map[picture.Node]int{}, edges: map[picture.Edge]bool{}, drawn: map[drawnNode]bool{}}
}

// node returns the index of a node and adds it if it is new; -1 if there is no room. core
// marks a member of a minimal set of facts that cannot hold together.
func (b *graphBuilder) node(n picture.Node, label string, core bool) int {
	n.Label = label
	id, ok := b.ids[n]
	if !ok {
		if len(b.Nodes) == maxNodes {
			b.more = true
			return -1
		}
		id = len(b.Nodes)
		b.ids[n] = id
		b.Nodes = append(b.Nodes, n)
	}
	if core {
		b.Nodes[id].Style = styleCore
	}
	return id
}

// edge adds an edge once; one without an end is left out.
func (b *graphBuilder) edge(e picture.Edge) {
	e.Label = words.Clip(e.Label, maxLabel)
	if e.From >= 0 && e.To >= 0 && e.From != e.To && !b.edges[e] {
		b.edges[e] = true
		b.Edges = append(b.Edges, e)
	}
}

// lone are the bundles of an answer that no other one requires and that require none.
type lone struct {
	names          map[string]bool
	installs, kept int
}

// maxLone is how many of them are drawn.
const maxLone = 10

func loneOf(r *result.Resolution) lone {
	l := lone{names: map[string]bool{}}
	tied := map[string]bool{}
	for _, m := range membersOf(r) {
		for _, s := range m.serves {
			if s.Request.Name == "" {
				tied[m.name], tied[s.Bundle] = true, true
			}
		}
	}
	for _, m := range membersOf(r) {
		switch {
		case tied[m.name]:
		case m.kept:
			l.names[m.name], l.kept = true, l.kept+1
		default:
			l.names[m.name], l.installs = true, l.installs+1
		}
	}
	return l
}

// member is a bundle that is installed, or kept.
type member struct {
	name   string
	serves []result.Obligation
	kept   bool
	// replaces is what an installation replaces.
	replaces string
}

// membersOf returns the members of an answer, those to install first.
func membersOf(r *result.Resolution) (list []member) {
	for i := range r.Installs {
		list = append(list, member{name: r.Installs[i].Bundle.Name, serves: r.Installs[i].For, replaces: r.Installs[i].Replaces})
	}
	for i := range r.Kept {
		list = append(list, member{name: r.Kept[i].Bundle.Name, serves: r.Kept[i].For, kept: true})
	}
	return list
}

// text says how many there are.
func (l lone) text() string {
	text := words.Count(l.installs+l.kept, "bundle") + " that depend on nothing, and on which nothing depends"
	switch {
	case l.kept == 0:
		return text + ": all to install"
	case l.installs == 0:
		return text + ": all stay"
	}
	return fmt.Sprintf("%s: %d to install, %d stay", text, l.installs, l.kept)
}

// ofAnswer draws an answer without some bundles, and what these replace.
func ofAnswer(r *result.Resolution, without map[string]bool) *graphBuilder {
	b := newGraphBuilder()
	at := map[string]int{}
	gone := map[string]bool{} // what is replaced by what is not drawn
	var drawn []member
	for _, m := range membersOf(r) {
		if without[m.name] {
			gone[m.replaces] = true
			continue
		}
		as := bundle
		if m.kept {
			as = kept
		}
		at[m.name] = b.node(as, m.name, false)
		drawn = append(drawn, m)
	}
	for _, m := range drawn {
		for _, s := range m.serves {
			e := picture.Edge{To: at[m.name], Label: s.Constraint}
			switch known, ok := at[s.Bundle]; {
			case s.Request.Name != "":
				e.From = b.node(request, s.Request.String(), false)
			case s.Namespace != "":
				e.From = b.node(bundle, s.Bundle+words.InNamespace(s.Namespace), false)
			case ok:
				e.From = known
			default:
				continue
			}
			b.edge(e)
		}
		if slices.Contains(r.Replaced, m.replaces) {
			b.edge(picture.Edge{From: at[m.name], To: b.node(replaced, m.replaces, false), Label: "replaces", Dashed: true})
		}
	}
	for _, name := range r.Replaced {
		if !gone[name] {
			b.node(replaced, name, false)
		}
	}
	return b
}

// derived adds a node of a derivation below another one.
func (b *graphBuilder) derived(e *result.Explanation, from int, label string) {
	place := drawnNode{e, from, label}
	if b.drawn[place] {
		return
	}
	b.drawn[place] = true
	if e.Fact {
		b.fact(e, from, label)
		return
	}
	next := ""
	if len(e.Because) > 0 && e.Because[0].Stated {
		from, next = b.stated(e, &e.Because[0].Reason, from, label)
	} else {
		next = label // a part of a constraint adds nothing to draw
	}
	for _, child := range e.Because {
		if !child.Stated {
			b.derived(child, from, next)
		}
	}
}

// stated adds the request or the rule of bundles that a node states. It returns the node
// that its children hang on, and the label of the edges to them.
func (b *graphBuilder) stated(e *result.Explanation, r *result.Reason, from int, label string) (id int, next string) {
	switch r.Kind() {
	case words.KindOfSubscription, words.KindHold:
		return b.node(request, "Subscription "+r.Args().Subject+words.InNamespace(r.Args().Namespace), true), ""
	case words.KindOfExtension:
		return b.node(request, "ClusterExtension "+r.Args().Subject, true), ""
	}
	id = b.node(bundle, e.Named(), true)
	b.edge(picture.Edge{From: from, To: id, Label: label})
	switch {
	case r.Args().Constraint != nil:
		next = r.Args().Constraint.String()
	case len(e.Because) == len(e.Bundles):
		b.edge(picture.Edge{From: id, To: b.node(conflict, r.Phrase(), true)})
	case r.Kind() == words.KindOperatorGroup, r.Kind() == words.KindOneAPI:
		next = r.Phrase() // the children are what it forbids elsewhere
	}
	return id, next
}

// fact adds a leaf.
func (b *graphBuilder) fact(e *result.Explanation, from int, label string) {
	switch r := &e.Reason; r.Kind() {
	case words.KindProvides, words.KindExcluded:
		id := b.node(bundle, e.Named(), true)
		b.edge(picture.Edge{From: from, To: id, Label: label})
		switch {
		case r.Kind() == words.KindExcluded:
		case r.API().Kind != "":
			b.edge(picture.Edge{From: id, To: b.one(r), Label: "provides"})
		default:
			b.edge(picture.Edge{From: id, To: b.one(r)})
		}
	case words.KindOneAPI, words.KindOnePackage:
		b.one(r)
	default:
		b.edge(picture.Edge{From: from, To: b.node(fact, e.Text(), e.Core), Label: label})
	}
}

// one adds the node of a group of which at most one member is selected.
func (b *graphBuilder) one(r *result.Reason) int {
	what := "bundle of package " + r.Args().Package + words.InNamespace(r.Args().Namespace)
	if r.API().Kind != "" {
		what = "provider of " + words.APIText(r.API())
	}
	return b.node(conflict, "one "+what, true)
}
