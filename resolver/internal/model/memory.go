package model

import (
	"context"

	"github.com/resolvent/resolvent/constraints"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/candidate"
	"github.com/resolvent/resolvent/resolver/internal/inventory"
	"github.com/resolvent/resolvent/resolver/internal/pace"
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

// New returns a Model without any Part. stop ends ctx.
func New(ctx context.Context, stop context.CancelFunc, in Inputs) *Model {
	return &Model{In: in, Pace: pace.New(ctx, stop)}
}

// NewPart returns a Part on the catalogs that can be used, without any request.
func (mem *Memory) NewPart(m *Model, seen inventory.Visibility, scope cluster.Scope) (*Part, error) {
	if err := inventory.Derive(m.Pace.Ctx, m.In.Cluster, mem.reader); err != nil {
		return nil, err
	}
	objects := m.In.Cluster.ClusterScoped()
	if m.limits == nil {
		limits, err := ReadLimits(objects)
		if err != nil {
			return nil, err
		}
		m.limits = limits
	}
	namespace := scope.Namespace()
	universe := mem.universes.Get(seen.Catalogs, namespace)
	p := &Part{
		Base:        solver.Var(m.Size()),
		Model:       m,
		In:          &m.In,
		Pace:        m.Pace,
		memory:      mem,
		Scope:       scope,
		Namespace:   namespace,
		State:       m.In.Cluster.In(namespace),
		Visibility:  seen,
		Universe:    universe,
		Catalogs:    universe.Catalogs,
		ClusterWide: universe.ClusterWide,
		Facts: constraints.Facts{
			KubernetesVersion: objects.KubernetesVersion,
			OpenShiftVersion:  objects.OpenShiftVersion,
			Namespace:         namespace,
			Labels:            objects.Labels,
		},
	}
	p.match.p, p.match.costs = p, &ruleCosts{}
	m.In.Reads.part(p)
	return p, nil
}
