package encode

import (
	"context"
	"errors"
	"math"

	"github.com/resolvent/resolvent/constraints"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/candidate"
	"github.com/resolvent/resolvent/resolver/internal/inventory"
	"github.com/resolvent/resolvent/resolver/internal/pace"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/solver"
)

// Memory is what calls share: what was derived from catalogs and annotations
// before. It is safe for any number of goroutines, and bounded.
type Memory struct {
	reader    *inventory.Reader
	universes *candidate.Universes
	verdicts  *candidate.Verdicts
}

// NewMemory returns an empty Memory.
func NewMemory() *Memory {
	return &Memory{
		reader:    inventory.NewReader(constraints.NewParser(constraints.Limits{})),
		universes: candidate.NewUniverses(),
		verdicts:  candidate.NewVerdicts(),
	}
}

// NewModel reads the inputs. stop ends ctx. Of several namespaces the error is an
// *Incomplete where ctx has ended.
func (mem *Memory) NewModel(ctx context.Context, stop context.CancelFunc, in Inputs) (*Model, error) {
	m := &Model{Inputs: in, Pace: pace.New(ctx, stop)}
	m.Step(1) // of many calls, those after the end of the context cost nothing
	for _, scope := range in.Scopes {
		read := readers[scope.Kind]
		if read == nil {
			return nil, &result.InvalidInput{Subject: scope.String(), Err: errors.New("there is no such kind of requests")}
		}
		if err := read(mem, m, scope); err != nil {
			return nil, err
		}
		if m.size() > math.MaxInt32 {
			return nil, &result.InvalidInput{Subject: "namespaces", Err: errors.New("there are too many bundles to resolve them jointly")}
		}
	}
	m.findNeighbours()
	return m, nil
}

// readers read a scope into a Model, by the kind of its requests.
var readers = map[cluster.RequestKind]func(*Memory, *Model, cluster.Scope) error{
	cluster.KindSubscription: (*Memory).addNamespace,
	cluster.KindExtension:    (*Memory).addExtension,
}

// addExtension reads a ClusterExtension.
func (mem *Memory) addExtension(m *Model, scope cluster.Scope) error {
	invalid := func(err error) error {
		return &result.InvalidInput{Subject: scope.String(), Err: err}
	}
	object := m.Cluster.Extension(scope.Name)
	if object == nil {
		return invalid(errors.New("there is no such object"))
	}
	extension, err := readExtension(object)
	if err != nil {
		return invalid(err)
	}
	seen := inventory.VisibleTo(object, m.Cluster, m.View, m.Options, m.Visible)
	if len(seen.Unhealthy) > 0 {
		return &result.CatalogsUnhealthy{Scope: scope, Catalogs: seen.Unhealthy}
	}
	p, err := mem.newPart(m, seen, scope)
	if err != nil {
		return err
	}
	rd := extensionReader{Part: p, Extension: extension}
	if err := rd.readCluster(); err != nil {
		return err
	}
	if err := rd.readRequest(); err != nil {
		return err
	}
	m.add(p)
	return nil
}

// addNamespace reads a namespace.
func (mem *Memory) addNamespace(m *Model, scope cluster.Scope) error {
	seen := inventory.Visible(scope.Name, m.Cluster, m.View, m.Options, m.Visible)
	if len(seen.Unhealthy) > 0 && !m.Options.LenientHealth {
		return &result.CatalogsUnhealthy{Scope: scope, Catalogs: seen.Unhealthy}
	}
	p, err := mem.newPart(m, seen, scope)
	if err != nil {
		return err
	}
	p.Base = solver.Var(m.size())
	if err := p.readNamespace(); err != nil {
		return err
	}
	m.add(p)
	if err := m.Ctx.Err(); m.joint() && err != nil {
		return &result.Incomplete{Phase: "reading namespaces", Err: err}
	}
	return nil
}

// NewEmpty returns the Part of a Model of a namespace that sees the catalogs and in
// which there is no request.
func (mem *Memory) NewEmpty(ctx context.Context, stop context.CancelFunc, in Inputs, seen inventory.Visibility) (*Part, error) {
	m := &Model{Inputs: in, Pace: pace.New(ctx, stop)}
	p, err := mem.newPart(m, seen, in.Scopes[0])
	if err != nil {
		return nil, err
	}
	m.add(p)
	return p, nil
}

// newPart returns a Part on the catalogs that can be used, without any request.
func (mem *Memory) newPart(m *Model, seen inventory.Visibility, scope cluster.Scope) (*Part, error) {
	if err := inventory.Derive(m.Ctx, m.Cluster, mem.reader); err != nil {
		return nil, err
	}
	objects := m.Cluster.Objects()
	limits, err := ReadLimits(&objects)
	if err != nil {
		return nil, err
	}
	namespace := scope.Namespace()
	p := &Part{
		Model:      m,
		memory:     mem,
		Scope:      scope,
		Namespace:  namespace,
		State:      m.Cluster.In(namespace),
		Visibility: seen,
		numbers:    numbers{Universe: mem.universes.Get(seen.Catalogs, namespace)},
		limits:     limits,
		Facts: constraints.Facts{
			KubernetesVersion: objects.KubernetesVersion,
			OpenShiftVersion:  objects.OpenShiftVersion,
			Namespace:         namespace,
			Labels:            objects.Labels,
		},
	}
	p.match.Part, p.match.costs = p, &ruleCosts{}
	if m.Trace != nil {
		m.Trace(p)
	}
	return p, nil
}
