package request

import (
	"slices"
	"strings"

	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/inventory"
	"github.com/resolvent/resolvent/resolver/internal/model"
	"github.com/resolvent/resolvent/resolver/internal/words"
	"github.com/resolvent/resolvent/resolver/result"
)

// Scoped is a Part of a Model with its requests.
type Scoped struct {
	Part     *model.Part
	Requests []Request
	// First is the index of the first request among the Demands of the Model.
	First int
}

// scopeReader reads the scopes of one kind of requests.
type scopeReader interface {
	// visible finds the catalogs that the scope sees. refused, if set, is why the scope is
	// not resolved with them.
	visible(scope cluster.Scope, in *model.Inputs) (seen inventory.Visibility, refused error)
	// read fills in the installed bundles of the Part and returns its requests.
	read(p *model.Part) ([]Request, error)
}

// Read adds the Part of a scope to a Model, and returns it with its requests. The error is
// an *InvalidInput or an *Incomplete.
func Read(memory *model.Memory, m *model.Model, scope cluster.Scope) (Scoped, error) {
	row := rowOf(scope.Kind)
	if scope.Name == "" {
		return Scoped{}, &result.InvalidInput{Subject: "scope", Err: words.ErrNoScope}
	}
	if err := terminating(m.In.Cluster, scope); err != nil {
		return Scoped{}, err
	}
	if err := twice(m.In.Cluster, scope); err != nil {
		return Scoped{}, err
	}
	if err := m.In.Cluster.ClusterScoped().Unread[scope]; err != nil {
		return Scoped{}, &result.InvalidInput{Subject: scope.String(), Err: err}
	}
	rd, err := row.newReader(scope, &m.In)
	if err != nil {
		return Scoped{}, &result.InvalidInput{Subject: scope.String(), Err: err}
	}
	seen, refused := rd.visible(scope, &m.In)
	p, err := memory.NewPart(m, seen, scope, row.kind)
	if err != nil {
		return Scoped{}, err
	}
	p.Refused = refused
	requests, err := rd.read(p)
	if err != nil {
		return Scoped{}, err
	}
	m.Add(p)
	return Scoped{Part: p, Requests: requests}, nil
}

// terminating returns an error if the namespace of the scope is being deleted.
func terminating(known *cluster.Index, scope cluster.Scope) error {
	namespace := scope.Namespace()
	if e := known.Extension(scope.Extension()); e != nil {
		namespace = e.Namespace
	}
	n := known.Terminating(namespace)
	if n == nil {
		return nil
	}
	var waits []string
	for _, c := range n.Conditions {
		if c.Status == "True" && c.Message != "" {
			waits = append(waits, words.Shortened(words.OneLine(c.Message), words.MaxQuoted))
		}
	}
	return &result.InvalidInput{Subject: "namespace " + namespace, Err: words.Terminating(waits)}
}

// twice returns an error if two objects have the key of one request. A cluster has one of them, and
// which one is not known.
func twice(known *cluster.Index, scope cluster.Scope) error {
	subscriptions, extensions := known.In(scope.Namespace()).Subscriptions, known.Extensions()
	for i := 1; i < len(subscriptions); i++ {
		if s := &subscriptions[i]; s.Name == subscriptions[i-1].Name {
			return givenTwice(s.Key())
		}
	}
	at, found := slices.BinarySearchFunc(extensions, scope.Extension(), func(e *cluster.ClusterExtension, name string) int { return strings.Compare(e.Name, name) })
	if found && at+1 < len(extensions) && extensions[at+1].Name == scope.Extension() {
		return givenTwice(extensions[at].Key())
	}
	return nil
}

func givenTwice(k cluster.RequestKey) error {
	return &result.InvalidInput{Subject: k.String(), Err: words.GivenTwice(k.Namespace)}
}

// namespaceReader reads the Subscriptions of a namespace.
type namespaceReader struct{}

func (namespaceReader) visible(scope cluster.Scope, in *model.Inputs) (inventory.Visibility, error) {
	seen := subscriptions.Visible(scope, in)
	if len(seen.Unhealthy) > 0 && !in.Options.LenientHealth {
		return seen, &result.CatalogsUnhealthy{Scope: scope, Catalogs: seen.Unhealthy}
	}
	return seen, nil
}

func (namespaceReader) read(p *model.Part) ([]Request, error) {
	rule, warnings, err := inventory.GroupRuleOf(p.In.Cluster, p.Namespace)
	if p.Refused == nil {
		p.Refused = err
	}
	p.OperatorGroup = rule
	p.Visibility.Warnings = append(p.Visibility.Warnings, warnings...)
	if err := readInstalled(p); err != nil {
		return nil, err
	}
	requests := make([]Request, len(p.State.Subscriptions))
	for i := range requests {
		requests[i] = readSubscription(p, i)
	}
	return requests, nil
}
