package result

// Graph is a picture of an answer or of a failure, as data. Nodes and edges are
// in a fixed order.
type Graph struct {
	Nodes []GraphNode
	Edges []GraphEdge
}

// GraphNode is a thing in a picture.
type GraphNode struct {
	Kind  NodeKind
	Label string
	// Core marks members of a minimal set of facts that cannot hold together.
	Core bool
}

// GraphEdge leads from one node to another, by their indices in Graph.Nodes.
type GraphEdge struct {
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
	edges map[GraphEdge]bool
	drawn map[drawnNode]bool
	more  bool
}

// drawnNode is a node of a derivation in a place: a derivation shares what it
// states more than once, and to draw it again from there adds nothing.
type drawnNode struct {
	e     *Explanation
	from  int
	label string
}

func newGraphBuilder() *graphBuilder {
	return &graphBuilder{ids: map[string]int{}, edges: map[GraphEdge]bool{}, drawn: map[drawnNode]bool{}}
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
		b.Nodes = append(b.Nodes, GraphNode{Kind: kind, Label: clip(label, maxLabel)})
	}
	b.Nodes[id].Core = b.Nodes[id].Core || core
	return id
}

// edge adds an edge once; one that lacks an end is left out.
func (b *graphBuilder) edge(e GraphEdge) {
	e.Label = clip(e.Label, maxLabel)
	if e.From >= 0 && e.To >= 0 && e.From != e.To && !b.edges[e] {
		b.edges[e] = true
		b.Edges = append(b.Edges, e)
	}
}

// finish returns the graph; one that is cut says so.
func (b *graphBuilder) finish() *Graph {
	if b.more {
		b.Nodes = append(b.Nodes, GraphNode{Kind: NodeFact, Label: "... and more"})
	}
	return &b.Graph
}

// Graph pictures who asked for what, through which constraint, and what was
// kept and replaced.
func (r *Resolution) Graph() *Graph {
	b := newGraphBuilder()
	at := map[string]int{}
	for i := range r.Installs {
		at[r.Installs[i].Bundle] = b.node(NodeInstall, r.Installs[i].Bundle, false)
	}
	for i := range r.Kept {
		at[r.Kept[i].Bundle] = b.node(NodeKept, r.Kept[i].Bundle, false)
	}
	replaced := map[string]bool{}
	for _, name := range r.Replaced {
		replaced[name] = true
	}
	serve := func(bundle string, list []Served) {
		for _, s := range list {
			switch {
			case s.Subscription != "":
				b.edge(GraphEdge{From: b.node(NodeRequest, "Subscription "+s.Subscription, false), To: at[bundle]})
			case s.Extension != "":
				b.edge(GraphEdge{From: b.node(NodeRequest, "ClusterExtension "+s.Extension, false), To: at[bundle]})
			case s.Namespace != "":
				from := b.node(NodeCandidate, s.Bundle+inNamespace(s.Namespace), false)
				b.edge(GraphEdge{From: from, To: at[bundle], Label: s.Constraint})
			default:
				if from, ok := at[s.Bundle]; ok {
					b.edge(GraphEdge{From: from, To: at[bundle], Label: s.Constraint})
				}
			}
		}
	}
	for i := range r.Installs {
		in := &r.Installs[i]
		serve(in.Bundle, in.For)
		if replaced[in.Replaces] {
			b.edge(GraphEdge{From: at[in.Bundle], To: b.node(NodeReplaced, in.Replaces, false), Label: "replaces", Replaces: true})
		}
	}
	for i := range r.Kept {
		serve(r.Kept[i].Bundle, r.Kept[i].For)
	}
	for _, name := range r.Replaced {
		b.node(NodeReplaced, name, false)
	}
	return b.finish()
}

// Graph pictures the conflict: who asks for what, and where that ends.
func (e *NotSatisfiable) Graph() *Graph { return e.Explanation.Graph() }

// Graph pictures a derivation. What belongs to the minimal set of facts is
// marked as core.
func (e *Explanation) Graph() *Graph {
	b := newGraphBuilder()
	for _, child := range e.Because {
		b.derived(child, -1, "")
	}
	return b.finish()
}

// derived adds a node of a derivation below another one.
func (b *graphBuilder) derived(e *Explanation, from int, label string) {
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
func (b *graphBuilder) stated(e *Explanation, r *Reason, from int, label string) (id int, next string) {
	switch r.Kind {
	case ReasonSubscription, ReasonHold:
		return b.node(NodeRequest, "Subscription "+r.Subject+inNamespace(r.Namespace), true), ""
	case ReasonExtension:
		return b.node(NodeRequest, "ClusterExtension "+r.Subject, true), ""
	}
	id = b.node(NodeCandidate, describe(e.Bundles, false), true)
	b.edge(GraphEdge{From: from, To: id, Label: label})
	switch {
	case r.Constraint != nil:
		next = r.Constraint.String()
	case len(e.Because) == len(e.Bundles):
		b.edge(GraphEdge{From: id, To: b.node(NodeConflict, r.phrase(), true)})
	case r.Kind == ReasonOperatorGroup, r.Kind == ReasonOneAPI:
		next = r.phrase() // what it forbids elsewhere follows
	}
	return id, next
}

// fact adds a leaf.
func (b *graphBuilder) fact(e *Explanation, from int, label string) {
	r := &e.Reason
	switch r.Kind {
	case ReasonProvides:
		id := b.node(NodeCandidate, describe(e.Bundles, false), true)
		b.edge(GraphEdge{From: from, To: id, Label: label})
		if r.API.Kind != "" {
			b.edge(GraphEdge{From: id, To: b.oneProvider(r), Label: "provides"})
		} else {
			b.edge(GraphEdge{From: id, To: b.oneBundle(r)})
		}
	case ReasonExcluded:
		b.edge(GraphEdge{From: from, To: b.node(NodeCandidate, describe(e.Bundles, false), true), Label: label})
	case ReasonOneAPI:
		b.oneProvider(r)
	case ReasonOnePackage:
		b.oneBundle(r)
	default:
		b.edge(GraphEdge{From: from, To: b.node(NodeFact, e.Text(), e.Core), Label: label})
	}
}

func (b *graphBuilder) oneProvider(r *Reason) int {
	return b.node(NodeConflict, "one provider of "+apiText(r.API), true)
}

func (b *graphBuilder) oneBundle(r *Reason) int {
	return b.node(NodeConflict, "one bundle of package "+r.Package+inNamespace(r.Namespace), true)
}
