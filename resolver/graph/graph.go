// Package graph pictures answers and failures: who requested what, through which
// constraint, and where that ends. A Graph is data; a Drawing of several is written
// as a Mermaid flowchart, in the language of Graphviz, or as SVG.
package graph

import (
	"github.com/resolvent/resolvent/resolver/internal/words"
	"github.com/resolvent/resolvent/resolver/result"
)

// Graph is a picture of an answer or of a failure, as data. Nodes and edges are
// in a fixed order.
type Graph struct {
	Nodes []Node
	Edges []Edge
}

// Node is a thing in a picture.
type Node struct {
	Kind  NodeKind
	Label string
	// Core marks members of a minimal set of facts that cannot hold together.
	Core bool
}

// Edge leads from one node to another, by their indices in Graph.Nodes.
type Edge struct {
	From, To int
	Label    string
	// Replaces marks an edge from an update to what it replaces.
	Replaces bool
}

// NodeKind says what a node stands for.
type NodeKind string

// The kinds of nodes.
const (
	NodeRequest   NodeKind = "request"
	NodeInstall   NodeKind = "install"
	NodeKept      NodeKind = "kept"
	NodeReplaced  NodeKind = "replaced"
	NodeCandidate NodeKind = "candidate"
	NodeFact      NodeKind = "fact"
	NodeConflict  NodeKind = "conflict"
)

// maxLabel bounds the texts in a picture, in bytes; maxNodes how many things it
// shows, so that it stays readable.
const (
	maxLabel = 90
	maxNodes = 60
)

// graphBuilder numbers nodes by what they stand for.
type graphBuilder struct {
	Graph
	ids   map[string]int
	edges map[Edge]bool
	drawn map[drawnNode]bool
	more  bool
}

// drawnNode is a node of a derivation in a place: a derivation shares what it
// states more than once, and to draw it again from there adds nothing.
type drawnNode struct {
	e     *result.Explanation
	from  int
	label string
}

func newGraphBuilder() *graphBuilder {
	return &graphBuilder{ids: map[string]int{}, edges: map[Edge]bool{}, drawn: map[drawnNode]bool{}}
}

// node returns the index of a node, made if it is new; -1 if there is no room.
func (b *graphBuilder) node(kind NodeKind, label string, core bool) int {
	key := string(kind) + "\x00" + label
	id, ok := b.ids[key]
	if !ok {
		if len(b.Nodes) == maxNodes {
			b.more = true
			return -1
		}
		id = len(b.Nodes)
		b.ids[key] = id
		b.Nodes = append(b.Nodes, Node{Kind: kind, Label: words.Clip(label, maxLabel)})
	}
	b.Nodes[id].Core = b.Nodes[id].Core || core
	return id
}

// edge adds an edge once; one without an end is left out.
func (b *graphBuilder) edge(e Edge) {
	e.Label = words.Clip(e.Label, maxLabel)
	if e.From >= 0 && e.To >= 0 && e.From != e.To && !b.edges[e] {
		b.edges[e] = true
		b.Edges = append(b.Edges, e)
	}
}

// finish returns the graph; one that is cut says so.
func (b *graphBuilder) finish() *Graph {
	if b.more {
		b.Nodes = append(b.Nodes, Node{Kind: NodeFact, Label: "... and more"})
	}
	return &b.Graph
}

// Of pictures an answer: who requested what, through which constraint, and what was
// kept and replaced.
func Of(r *result.Resolution) *Graph {
	b := newGraphBuilder()
	at := map[string]int{}
	for i := range r.Installs {
		at[r.Installs[i].Bundle.Name] = b.node(NodeInstall, r.Installs[i].Bundle.Name, false)
	}
	for i := range r.Kept {
		at[r.Kept[i].Bundle.Name] = b.node(NodeKept, r.Kept[i].Bundle.Name, false)
	}
	replaced := map[string]bool{}
	for _, name := range r.Replaced {
		replaced[name] = true
	}
	serve := func(bundle string, list []result.Obligation) {
		for _, s := range list {
			e := Edge{To: at[bundle], Label: s.Constraint}
			switch known, ok := at[s.Bundle]; {
			case s.Request.Name != "":
				e.From = b.node(NodeRequest, s.Request.String(), false)
			case s.Namespace != "":
				e.From = b.node(NodeCandidate, s.Bundle+words.InNamespace(s.Namespace), false)
			case ok:
				e.From = known
			default:
				continue
			}
			b.edge(e)
		}
	}
	for i := range r.Installs {
		in := &r.Installs[i]
		serve(in.Bundle.Name, in.For)
		if replaced[in.Replaces] {
			b.edge(Edge{From: at[in.Bundle.Name], To: b.node(NodeReplaced, in.Replaces, false), Label: "replaces", Replaces: true})
		}
	}
	for i := range r.Kept {
		serve(r.Kept[i].Bundle.Name, r.Kept[i].For)
	}
	for _, name := range r.Replaced {
		b.node(NodeReplaced, name, false)
	}
	return b.finish()
}

// OfExplanation pictures a derivation. What belongs to the minimal set of facts is
// marked as core.
func OfExplanation(e *result.Explanation) *Graph {
	b := newGraphBuilder()
	for _, child := range e.Because {
		b.derived(child, -1, "")
	}
	return b.finish()
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

// stated adds what a node states: a request, or a rule of bundles. It returns the
// node that the next ones hang on, and the label of the edges there.
func (b *graphBuilder) stated(e *result.Explanation, r *result.Reason, from int, label string) (id int, next string) {
	switch r.Kind() {
	case result.ReasonSubscription, result.ReasonHold:
		return b.node(NodeRequest, "Subscription "+r.Args().Subject+words.InNamespace(r.Args().Namespace), true), ""
	case result.ReasonExtension:
		return b.node(NodeRequest, "ClusterExtension "+r.Args().Subject, true), ""
	}
	id = b.node(NodeCandidate, result.DescribeBundles(e.Bundles, false), true)
	b.edge(Edge{From: from, To: id, Label: label})
	switch {
	case r.Args().Constraint != nil:
		next = r.Args().Constraint.String()
	case len(e.Because) == len(e.Bundles):
		b.edge(Edge{From: id, To: b.node(NodeConflict, r.Phrase(), true)})
	case r.Kind() == result.ReasonOperatorGroup, r.Kind() == result.ReasonOneAPI:
		next = r.Phrase() // what it forbids elsewhere follows
	}
	return id, next
}

// fact adds a leaf.
func (b *graphBuilder) fact(e *result.Explanation, from int, label string) {
	switch r := &e.Reason; r.Kind() {
	case result.ReasonProvides, result.ReasonExcluded:
		id := b.node(NodeCandidate, result.DescribeBundles(e.Bundles, false), true)
		b.edge(Edge{From: from, To: id, Label: label})
		switch {
		case r.Kind() == result.ReasonExcluded:
		case r.API().Kind != "":
			b.edge(Edge{From: id, To: b.one(r), Label: "provides"})
		default:
			b.edge(Edge{From: id, To: b.one(r)})
		}
	case result.ReasonOneAPI, result.ReasonOnePackage:
		b.one(r)
	default:
		b.edge(Edge{From: from, To: b.node(NodeFact, e.Text(), e.Core), Label: label})
	}
}

// one adds what there is at most one of.
func (b *graphBuilder) one(r *result.Reason) int {
	what := "bundle of package " + r.Args().Package + words.InNamespace(r.Args().Namespace)
	if r.API().Kind != "" {
		what = "provider of " + words.APIText(r.API())
	}
	return b.node(NodeConflict, "one "+what, true)
}
