package resolver_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/oracle"
	"github.com/resolvent/resolvent/resolver/internal/oracle/random"
	"github.com/resolvent/resolvent/resolver/internal/words"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/resolver/scenario"
	"github.com/resolvent/resolvent/resolver/text"
	"github.com/resolvent/resolvent/testdata/testkit"
)

// What is taken out of an input turns into no statement about it: requests that take a catalog
// that is not given are not judged, nothing is advised for it, and no cause names it or an
// object of a kind of which none is given.
func TestNotGiven(t *testing.T) {
	notJudged, others := 0, 0
	for seed := range uint64(testkit.Scale(2, 40)) {
		for _, folder := range []string{"scenarios", "explanations"} {
			for file, data := range testkit.Files(t, "testdata", folder, "*.txtar") {
				s, err := scenario.Parse(data)
				require.NoError(t, err)
				in, err := s.Question(t.Context())
				require.NoError(t, err)
				r := rand.New(rand.NewPCG(seed, uint64(len(data))))
				gone := withoutSome(&in.Problem, r)
				for i, o := range resolver.New().ResolveAll(t.Context(), in.Problem, in.Scopes) {
					named := gone.namedIn(&in.Problem, in.Scopes[i])
					unhealthy, health := errors.AsType[*result.CatalogsUnhealthy](o.Err)
					if named && !in.Problem.Options.LenientHealth && !errors.As(o.Err, new(*result.InvalidInput)) {
						notJudged++
						assert.True(t, health && len(unhealthy.Catalogs) > 0, "%s, seed %d: %v", file, seed, o.Err)
					}
					if health && unhealthy.NotGiven() {
						assert.Empty(t, unhealthy.Fixes, "%s, seed %d", file, seed)
						continue
					}
					if e, ok := errors.AsType[*result.NotSatisfiable](o.Err); ok && !in.Problem.Options.LenientHealth {
						others++
						for _, c := range e.Causes {
							gone.silent(t, c.Explanation.String(), gone.kinds, "%s, seed %d", file, seed)
						}
						assert.NotEmpty(t, text.Brief(e))
					}
				}
				rows, err := resolver.New().Status(t.Context(), in.Problem, in.Scopes, nil)
				if err != nil {
					continue // a limit of the scenario ends it
				}
				for i := range rows {
					row := &rows[i]
					if _, health := errors.AsType[*result.CatalogsUnhealthy](row.Err); !health && !in.Problem.Options.LenientHealth {
						gone.silent(t, row.Reason(), nil, "%s, seed %d: %v", file, seed, row.Request)
					}
					if row.State != result.StateNotJudged {
						continue
					}
					assert.Empty(t, row.Fixes, "%s, seed %d: %v", file, seed, row.Request)
					assert.True(t, row.Stuck())
				}
			}
		}
	}
	assert.Greater(t, notJudged, 100)
	assert.Greater(t, others, 50)
}

// Catalogs of the cluster lose their content, and their objects stay. What fails only for that is
// not judged, or names one of them. Fixes are only for packages that are known, and say so.
func TestNoContent(t *testing.T) {
	var notJudged, named, advised, rows atomic.Int64
	for name, generate := range map[string]func(uint64) *oracle.Problem{"namespace": random.Problem, "extension": random.Extension} {
		t.Run(name, func(t *testing.T) {
			eachSeed(t, *problems, func(seed uint64) error {
				in, err := asScenario(nil, generate(seed)).Question(t.Context())
				if err != nil {
					return err
				}
				if name == "extension" {
					in.Scopes = []cluster.Scope{cluster.OfExtension(random.ExtensionName)}
				}
				before := in.Problem
				before.Options.NoFixes = true
				gone := withoutContent(&in.Problem, rand.New(rand.NewPCG(seed, 7)))
				if len(gone) == 0 {
					return nil
				}
				r := resolver.New()
				if in.Problem.Options.LenientHealth {
					return nil
				}
				was, is := r.ResolveAll(t.Context(), before, in.Scopes)[0], r.ResolveAll(t.Context(), in.Problem, in.Scopes)[0]
				help := result.HelpOf(is.Err)
				unhealthy, health := errors.AsType[*result.CatalogsUnhealthy](is.Err)
				switch {
				case is.Err == nil || was.Err != nil:
				case health && unhealthy.NotGiven():
					notJudged.Add(1)
					if len(help.Fixes) > 0 {
						return fmt.Errorf("fixes of what is not judged: %v", fixTexts(help.Fixes))
					}
				case len(help.NotGiven)+len(help.Elsewhere) == 0 || slices.ContainsFunc(slices.Concat(help.NotGiven, help.Elsewhere), func(k catalog.Key) bool { return !slices.Contains(gone, k) }):
					return fmt.Errorf("without the content of %v: not given are %v, and elsewhere %v, fixes %v, %w", gone, help.NotGiven, help.Elsewhere, fixTexts(help.Fixes), is.Err)
				case len(help.Fixes) > 0:
					advised.Add(1)
					if isPackageMissing(&in.Problem, is.Err) {
						return fmt.Errorf("fixes %v for a package of which nothing was given: %w", fixTexts(help.Fixes), is.Err)
					}
				default:
					named.Add(1)
				}
				old, err := r.Status(t.Context(), before, in.Scopes, nil)
				if err != nil {
					return err
				}
				list, err := r.Status(t.Context(), in.Problem, in.Scopes, nil)
				for i := range min(len(old), len(list)) {
					row := &list[i]
					if !row.Stuck() || old[i].Stuck() || old[i].Request != row.Request || row.Err != nil && row.State != result.StateFailed {
						continue
					}
					if row.State == result.StateAtDeadEnd && namesCatalog(&in.Problem, row.Request) {
						continue // OLM seeks its updates nowhere else
					}
					rows.Add(1)
					if len(row.Fixes) > 0 && len(row.Elsewhere)+len(help.Elsewhere) == 0 {
						return fmt.Errorf("row %v is %s for %s with fixes %v", row.Request, row.State, row.Reason(), fixTexts(row.Fixes))
					}
				}
				return err
			})
		})
	}
	t.Log(notJudged.Load(), named.Load(), advised.Load(), rows.Load())
}

// isPackageMissing reports whether a failure is that no catalog given has the package of a request.
func isPackageMissing(p *resolver.Problem, err error) bool {
	e, ok := errors.AsType[*result.NotSatisfiable](err)
	return ok && slices.ContainsFunc(e.Causes, func(c result.Cause) bool {
		return len(c.Requests) > 0 && slices.ContainsFunc(p.Cluster.In(c.Requests[0].Namespace).Subscriptions, func(s cluster.Subscription) bool {
			for c := range p.Catalogs.Catalogs() {
				if c.Snapshot != nil && c.Snapshot.Package(s.Package) != nil {
					return false
				}
			}
			return s.Key() == c.Requests[0]
		})
	})
}

// namesCatalog reports whether a request names its catalog.
func namesCatalog(p *resolver.Problem, k cluster.RequestKey) bool {
	return slices.ContainsFunc(p.Cluster.In(k.Namespace).Subscriptions, func(s cluster.Subscription) bool { return s.Name == k.Name && s.Catalog != "" })
}

// withoutContent takes the content out of some catalogs, all of which the cluster declares then.
func withoutContent(p *resolver.Problem, r *rand.Rand) (gone []catalog.Key) {
	objects := p.Cluster.Objects()
	var left []cache.Catalog
	for c := range p.Catalogs.Catalogs() {
		if c.Err != nil || c.Snapshot == nil {
			left = append(left, *c)
			continue
		}
		switch {
		case c.Key.Namespace == "" && p.Cluster.ClusterCatalog(c.Key.Name) == nil:
			objects.ClusterCatalogs = append(objects.ClusterCatalogs, cluster.ClusterCatalog{Name: c.Key.Name, Labels: c.Labels, Priority: c.Priority})
		case c.Key.Namespace != "" && !slices.ContainsFunc(objects.CatalogSources, func(s cluster.CatalogSource) bool { return s.Key == c.Key }):
			objects.CatalogSources = append(objects.CatalogSources, cluster.CatalogSource{Key: c.Key, Priority: c.Priority})
		}
		if r.IntN(2) == 0 {
			gone = append(gone, c.Key)
		} else {
			left = append(left, *c)
		}
	}
	p.Catalogs, p.Cluster = cache.NewView(left), cluster.NewIndex(objects)
	return gone
}

// deleted is what was taken out of an input.
type deleted struct {
	catalogs []catalog.Key
	kinds    []string // words that speak of a kind of objects
}

// withoutSome takes out catalogs with the objects that declare any, and kinds of objects.
func withoutSome(p *resolver.Problem, r *rand.Rand) (gone deleted) {
	var left []cache.Catalog
	for c := range p.Catalogs.Catalogs() {
		if r.IntN(2) == 0 {
			gone.catalogs = append(gone.catalogs, c.Key)
		} else {
			left = append(left, *c)
		}
	}
	p.Catalogs = cache.NewView(left)
	objects := p.Cluster.Objects()
	objects.CatalogSources, objects.ClusterCatalogs, objects.OperatorHubs = nil, nil, nil
	if r.IntN(2) == 0 {
		objects.OperatorConditions = nil
		gone.kinds = append(gone.kinds, "OperatorCondition", "pgradeable")
	}
	if r.IntN(2) == 0 {
		objects.OperatorGroups = nil
		gone.kinds = append(gone.kinds, "OperatorGroup")
	}
	p.Cluster = cluster.NewIndex(objects)
	return gone
}

// namedIn reports whether a request of a scope takes a catalog that is gone.
func (d *deleted) namedIn(p *resolver.Problem, scope cluster.Scope) bool {
	if scope.Kind != cluster.KindSubscription {
		return false
	}
	n := p.Cluster.In(scope.Name)
	excludes := slices.ContainsFunc(n.Groups, func(g cluster.OperatorGroup) bool { return g.Annotations[words.AnnotationExcludeGlobal] == "true" })
	return slices.ContainsFunc(n.Subscriptions, func(s cluster.Subscription) bool {
		key := catalog.Key{Namespace: s.CatalogNamespace, Name: s.Catalog}
		visible := key.Namespace == scope.Name || slices.Contains(p.Options.Globals(), key.Namespace) && !excludes
		return visible && slices.Contains(d.catalogs, key) && !slices.Contains(p.Options.ExcludeCatalogs, key)
	})
}

// silent requires of a text about a cause that it says nothing of what is gone.
func (d *deleted) silent(t *testing.T, text string, kinds []string, about string, args ...any) {
	t.Helper()
	for _, kind := range kinds {
		assert.NotContains(t, text, kind, append([]any{about}, args...)...)
	}
	for _, k := range d.catalogs {
		for _, word := range strings.FieldsFunc(text, func(c rune) bool { return strings.ContainsRune(" ,;:()\n", c) }) {
			if strings.Contains(text, "does not see catalog "+k.String()) || strings.Contains(text, "catalog "+k.String()+" cannot be used, as ") || strings.Contains(text, "catalog "+k.String()+" is excluded") {
				continue // so its name alone says
			}
			assert.NotEqual(t, k.String(), word, append([]any{about + ": " + text}, args...)...)
		}
	}
}

// What is installed states its own limit, whatever its catalog has.
func TestNotGivenLimits(t *testing.T) {
	csv := func(name, limit string) string {
		return fmt.Sprintf(`{kind: Subscription, metadata: {name: %[1]s, namespace: n}, spec: {name: %[1]s, source: gone, sourceNamespace: olm}, status: {installedCSV: %[1]s.v1}}
---
{kind: ClusterServiceVersion, metadata: {name: %[1]s.v1, namespace: n, annotations: {operatorframework.io/properties: '{"properties":[{"type":"olm.maxOpenShiftVersion","value":%[2]q}]}'}}, spec: {version: 1.0.0}, status: {phase: Succeeded}}
---
`, name, limit)
	}
	s, err := scenario.Parse([]byte("Limits of what is installed.\n-- cluster.yaml --\n" + csv("a", "4.11") + csv("b", "4.12") + csv("c", "4.13.1") +
		"{kind: CatalogSource, metadata: {name: gone, namespace: olm}, spec: {}, status: {connectionState: {lastObservedState: READY}}}\n---\n" +
		"{kind: ClusterVersion, metadata: {name: version}, status: {history: [{state: Completed, version: 4.11.0}]}}\n" +
		"-- catalogs/olm/other/catalog.yaml --\n{schema: olm.package, name: x}\n-- want --\n"))
	require.NoError(t, err)
	q, err := s.Question(t.Context())
	require.NoError(t, err)
	rows, err := resolver.New().Status(t.Context(), q.Problem, q.Scopes, &resolver.Target{OpenShiftVersion: "4.13"})
	require.NoError(t, err)
	require.Len(t, rows, 3)
	for i, blocks := range []string{"4.12", "4.13", "4.12"} {
		target := rows[i].Target
		assert.Equal(t, result.StateNotJudged, rows[i].State)
		assert.Equal(t, blocks, target.Blocks)
		assert.False(t, target.NotJudged)
		assert.Contains(t, target.Reason(), "whether a newer version may run there is not known")
		assert.Empty(t, target.Updates)
		assert.Empty(t, result.HelpOf(target.Err).Fixes)
	}
}

func fixTexts(list []result.Fix) []string {
	return words.Mapped(list, func(f result.Fix) string { return f.Text("") })
}
