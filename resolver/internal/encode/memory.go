package encode

import (
	"context"
	"errors"
	"math"

	"github.com/resolvent/resolvent/constraints"
	"github.com/resolvent/resolvent/resolver/internal/candidate"
	"github.com/resolvent/resolvent/resolver/internal/inventory"
	"github.com/resolvent/resolvent/resolver/internal/pace"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/solver"
)

// Memory is what calls share: what was derived from catalogs and annotations
// before. It is safe for any number of goroutines, and bounded.
type Memory struct {
	parser    *constraints.Parser
	universes *candidate.Universes
	// annotations are what the annotations of installed bundles say.
	annotations *candidate.Memo[string, inventory.DecodedProperties]
	verdicts    *candidate.Verdicts
}

func NewMemory() *Memory {
	return &Memory{
		universes:   &candidate.Universes{},
		annotations: &candidate.Memo[string, inventory.DecodedProperties]{Max: maxAnnotations},
		verdicts:    &candidate.Verdicts{Memo: candidate.Memo[candidate.VerdictKey, bool]{Max: candidate.MaxVerdicts}},
		parser:      constraints.NewParser(constraints.Limits{}),
	}
}

// NewModel reads the problem of the inputs.
func (mem *Memory) NewModel(ctx context.Context, stop context.CancelFunc, in Inputs) (*Model, error) {
	m := &Model{Inputs: in, Pace: pace.New(ctx, stop)}
	if in.Extension != "" {
		p, err := mem.extensionProblem(m)
		if err != nil {
			return nil, err
		}
		m.Add(p)
		return m, nil
	}
	for _, namespace := range in.Namespaces {
		base := m.size()
		if base > math.MaxInt32 {
			return nil, &result.InvalidInput{Subject: "namespaces", Err: errTooManyBundles}
		}
		p, err := mem.openNamespace(m, namespace)
		if err != nil {
			return nil, err
		}
		p.Base = solver.Var(base)
		if err := p.readNamespace(); err != nil {
			return nil, err
		}
		if len(in.Namespaces) > 1 {
			if err := m.Ended(); err != nil {
				return nil, err
			}
			if err := ctx.Err(); err != nil {
				return nil, &result.Incomplete{Phase: "reading namespaces", Err: err}
			}
		}
		m.Add(p)
	}
	if m.size() > math.MaxInt32 {
		return nil, &result.InvalidInput{Subject: "namespaces", Err: errTooManyBundles}
	}
	m.meet()
	return m, nil
}

// extensionProblem reads what a ClusterExtension asks.
func (mem *Memory) extensionProblem(m *Model) (*Part, error) {
	name := m.Extension
	extension := m.Cluster.Extension(name)
	if extension == nil {
		return nil, &result.InvalidInput{Subject: "ClusterExtension " + name, Err: errors.New("there is no such object")}
	}
	asked, err := readExtension(extension)
	if err != nil {
		return nil, &result.InvalidInput{Subject: "ClusterExtension " + name, Err: err}
	}
	seen, err := m.available(asked)
	if err != nil {
		return nil, err
	}
	p, err := mem.NewProblem(m, seen, "")
	if err != nil {
		return nil, err
	}
	p.State = inventory.EmptyNamespace
	rd := extensionReader{Part: p, asked: asked}
	if err := rd.readCluster(); err != nil {
		return nil, err
	}
	return p, rd.readRequest()
}

// openNamespace returns the problem of a namespace before it is read.
func (mem *Memory) openNamespace(m *Model, namespace string) (*Part, error) {
	seen := inventory.Visible(namespace, m.Cluster, m.View, m.Options, m.Visible)
	if len(seen.Unhealthy) > 0 && !m.Options.LenientHealth {
		return nil, &result.CatalogsUnhealthy{Namespace: namespace, Catalogs: seen.Unhealthy}
	}
	p, err := mem.NewProblem(m, seen, namespace)
	if err != nil {
		return nil, err
	}
	p.State = m.Cluster.In(namespace)
	return p, nil
}

// NewProblem returns a problem on the catalogs that can be used, without any
// request.
func (mem *Memory) NewProblem(m *Model, seen inventory.Visibility, namespace string) (*Part, error) {
	cluster := m.Cluster
	if err := cluster.Index(m.Ctx); err != nil {
		return nil, err
	}
	limits, err := readLimits(&cluster.Objects)
	if err != nil {
		return nil, err
	}
	p := &Part{
		Model:      m,
		Pace:       m.Pace,
		Options:    m.Options,
		memory:     mem,
		Namespace:  namespace,
		Cluster:    cluster,
		View:       m.View,
		Visibility: seen,
		numbers:    numbers{Universe: mem.universes.Get(seen.Catalogs, namespace)},
		limits:     limits,
		Facts: constraints.Facts{
			KubernetesVersion: cluster.Objects.KubernetesVersion,
			OpenShiftVersion:  cluster.Objects.OpenShiftVersion,
			Namespace:         namespace,
			Labels:            cluster.Objects.Labels,
		},
	}
	p.match.Part = p
	if m.Trace != nil {
		m.Trace(p)
	}
	return p, nil
}

// maxAnnotations is half of how many annotations a Resolver remembers; each is
// a few KiB.
const maxAnnotations = 1 << 12
