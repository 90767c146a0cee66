package resolver

import (
	"context"
	"errors"
	"math"

	"github.com/resolvent/resolvent/constraints"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/solver"
)

// memory is what calls share: what was derived from catalogs and annotations
// before. It is safe for any number of goroutines, and bounded.
type memory struct {
	parser    *constraints.Parser
	universes *universes
	// annotations are what the annotations of installed bundles say.
	annotations *memo[string, decodedProperties]
	verdicts    *verdicts
}

func newMemory() *memory {
	return &memory{
		universes:   &universes{},
		annotations: &memo[string, decodedProperties]{max: maxAnnotations},
		verdicts:    &verdicts{memo[verdictKey, bool]{max: maxVerdicts}},
		parser:      constraints.NewParser(constraints.Limits{}),
	}
}

// newModel reads the problem of the inputs.
func (mem *memory) newModel(ctx context.Context, stop context.CancelFunc, in inputs) (*model, error) {
	m := &model{inputs: in, pace: newPace(ctx, stop)}
	if in.extension != "" {
		p, err := mem.extensionProblem(m)
		if err != nil {
			return nil, err
		}
		m.add(p)
		return m, nil
	}
	for _, namespace := range in.namespaces {
		base := m.size()
		if base > math.MaxInt32 {
			return nil, &result.InvalidInput{Subject: "namespaces", Err: errTooManyBundles}
		}
		p, err := mem.openNamespace(m, namespace)
		if err != nil {
			return nil, err
		}
		p.base = solver.Var(base)
		if err := p.readNamespace(); err != nil {
			return nil, err
		}
		if len(in.namespaces) > 1 {
			if err := m.ended(); err != nil {
				return nil, err
			}
			if err := ctx.Err(); err != nil {
				return nil, &result.Incomplete{Phase: "reading namespaces", Err: err}
			}
		}
		m.add(p)
	}
	if m.size() > math.MaxInt32 {
		return nil, &result.InvalidInput{Subject: "namespaces", Err: errTooManyBundles}
	}
	m.meet()
	return m, nil
}

// extensionProblem reads what a ClusterExtension asks.
func (mem *memory) extensionProblem(m *model) (*problem, error) {
	name := m.extension
	extension := m.cluster.extension(name)
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
	p, err := mem.newProblem(m, seen, "")
	if err != nil {
		return nil, err
	}
	p.extension = extension
	p.state = emptyNamespace
	if err := p.readCluster(asked); err != nil {
		return nil, err
	}
	return p, p.readExtensionRequest(asked)
}

// openNamespace returns the problem of a namespace before it is read.
func (mem *memory) openNamespace(m *model, namespace string) (*problem, error) {
	seen := visible(namespace, m.cluster, m.view, m.options, m.visible)
	if len(seen.unhealthy) > 0 && !m.options.LenientHealth {
		return nil, &result.CatalogsUnhealthy{Namespace: namespace, Catalogs: seen.unhealthy}
	}
	p, err := mem.newProblem(m, seen, namespace)
	if err != nil {
		return nil, err
	}
	p.state = m.cluster.in(namespace)
	return p, nil
}

// newProblem returns a problem on the catalogs that can be used, without any
// request.
func (mem *memory) newProblem(m *model, seen visibility, namespace string) (*problem, error) {
	cluster := m.cluster
	if err := cluster.index(m.ctx); err != nil {
		return nil, err
	}
	limits, err := readLimits(&cluster.objects)
	if err != nil {
		return nil, err
	}
	p := &problem{
		model:      m,
		pace:       m.pace,
		options:    m.options,
		memory:     mem,
		namespace:  namespace,
		cluster:    cluster,
		view:       m.view,
		visibility: seen,
		universe:   mem.universes.get(seen.catalogs, namespace),
		limits:     limits,
		facts: constraints.Facts{
			KubernetesVersion: cluster.objects.KubernetesVersion,
			OpenShiftVersion:  cluster.objects.OpenShiftVersion,
			Namespace:         namespace,
			Labels:            cluster.objects.Labels,
		},
	}
	if m.trace != nil {
		m.trace(p)
	}
	return p, nil
}

// maxAnnotations is half of how many annotations a Resolver remembers; each is
// a few KiB.
const maxAnnotations = 1 << 12
