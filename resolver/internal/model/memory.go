package model

import (
	"github.com/resolvent/resolvent/constraints"
	"github.com/resolvent/resolvent/constraints/rules"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/inventory"
	"github.com/resolvent/resolvent/solver"
)

// Memory is the cache that calls share: values derived from catalogs and annotations. It is
// bounded, and safe for any number of goroutines.
type Memory struct {
	reader    *inventory.Reader
	universes *Universes
	verdicts  *Verdicts
}

// NewMemory returns an empty Memory.
func NewMemory() *Memory {
	return &Memory{
		reader:    inventory.NewReader(constraints.NewParser(constraints.Limits{})),
		universes: NewUniverses(),
		verdicts:  NewVerdicts(),
	}
}

// NewPart returns a Part on the visible catalogs, without installed bundles and requests.
// It does not add the Part to the Model. The error is an *InvalidInput or *Incomplete.
func (mem *Memory) NewPart(m *Model, seen inventory.Visibility, scope cluster.Scope, kind *Kind) (*Part, error) {
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
	universe := mem.universes.Get(seen.Catalogs, namespace, kind.Span)
	p := &Part{
		Base:       solver.Var(m.Size()),
		Model:      m,
		In:         &m.In,
		Pace:       m.Pace,
		memory:     mem,
		Scope:      scope,
		Kind:       kind,
		Namespace:  namespace,
		State:      m.In.Cluster.In(namespace),
		Visibility: seen,
		Universe:   universe,
		Catalogs:   universe.Catalogs,
		Facts: rules.Facts{
			KubernetesVersion: objects.KubernetesVersion,
			OpenShiftVersion:  objects.OpenShiftVersion,
			Namespace:         namespace,
			Labels:            objects.Labels,
		},
	}
	p.match.p, p.match.costs, p.Judge.p = p, &ruleCosts{}, p
	m.In.Reads.part(p)
	return p, nil
}
