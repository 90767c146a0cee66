package installable

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/inventory"
	"github.com/resolvent/resolvent/resolver/internal/model"
	"github.com/resolvent/resolvent/resolver/internal/oracle"
	"github.com/resolvent/resolvent/resolver/internal/oracle/random"
	"github.com/resolvent/resolvent/resolver/internal/world"
	"github.com/resolvent/resolvent/resolver/policy"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/solver"
	"github.com/resolvent/resolvent/testdata/testkit"
)

// randomCatalogs returns a random problem without requests, and its visible
// catalogs.
func randomCatalogs(t *testing.T, seed uint64) (*oracle.Problem, *cache.View) {
	t.Helper()
	p := random.Problem(seed)
	p.Subscriptions, p.Installed, p.Denied = nil, nil, nil
	p.Held, p.Group, p.Groups = nil, nil, nil
	p.Catalogs = slices.DeleteFunc(p.Catalogs, func(c oracle.Catalog) bool {
		return c.Namespace != p.Namespace && !slices.Contains(p.Globals, c.Namespace)
	})
	var catalogs []cache.Catalog
	for _, c := range p.Catalogs {
		s, err := cache.Parse(t.Context(), []byte(strings.Join(random.Blobs(c), "\n")), cache.Options{})
		require.NoError(t, err)
		catalogs = append(catalogs, cache.Catalog{Key: catalog.Key{Namespace: c.Namespace, Name: c.Name}, Priority: c.Priority, Snapshot: s})
	}
	return p, cache.NewView(catalogs)
}

func scopeOf(p *oracle.Problem) policy.Options {
	if p.BundleScope {
		return policy.Options{BundleScope: true}
	}
	return policy.Options{}
}

// of is the world of an empty cluster.
func of(view *cache.View, o policy.Options) world.World {
	return world.New(world.NewEngine(), model.NewInputs(nil, view, &o))
}

// The brute-force oracle agrees on every bundle of small random catalogs: it can
// be installed if a request for nothing but it can be met.
func TestUninstallableAgreesWithOracle(t *testing.T) {
	installable, uninstallable := 0, 0
	for seed := range testkit.Seeds(t, testkit.Scale(60, 200)) {
		p, view := randomCatalogs(t, seed)
		for i, c := range p.Catalogs {
			key := catalog.Key{Namespace: c.Namespace, Name: c.Name}
			found, err := Uninstallable(t.Context(), of(view, scopeOf(p)), key)
			require.NoError(t, err)
			snapshot := view.Catalog(key).Snapshot
			blocked := map[string]bool{}
			for _, u := range found {
				require.NotEmpty(t, u.Causes)
				blocked[snapshot.Bundle(u.Bundle).Name] = true
			}
			for _, b := range p.Catalogs[i].Bundles {
				if !inChannel(c, b) {
					continue // no request leads there
				}
				request := p.Clone()
				request.Subscriptions = []oracle.Subscription{{
					Name: "s", Package: b.Package, Source: c.Name, SourceNamespace: c.Namespace, StartingCSV: b.Name,
				}}
				want, err := oracle.Solve(request, 13)
				if errors.Is(err, oracle.ErrTooLarge) {
					continue
				}
				require.NoError(t, err)
				require.Equal(t, want.Satisfiable, !blocked[b.Name], "seed %d, catalog %s, bundle %s", seed, c.Name, b.Name)
				if want.Satisfiable {
					installable++
				} else {
					uninstallable++
				}
			}
		}
	}
	t.Logf("%d bundles can be installed, %d cannot", installable, uninstallable)
	assert.Greater(t, installable, 50)
	assert.Greater(t, uninstallable, 25)
}

func inChannel(c oracle.Catalog, b oracle.Bundle) bool {
	for _, p := range c.Packages {
		for _, channel := range p.Channels {
			if p.Name == b.Package && slices.ContainsFunc(channel.Entries, func(e oracle.Entry) bool { return e.Name == b.Name }) {
				return true
			}
		}
	}
	return false
}

// coreOnly is a problem of which only some demands are left.
type coreOnly struct {
	solver.Problem
	core []solver.Reason
}

func (c coreOnly) Roots() []solver.Rule {
	if slices.ContainsFunc(c.core, func(r solver.Reason) bool { return r.Kind == solver.KindRoot }) {
		return c.Problem.Roots()
	}
	return nil
}

func (c coreOnly) Rules(v solver.Var) []solver.Rule {
	rules := slices.Clone(c.Problem.Rules(v))
	for i := range rules {
		if !slices.ContainsFunc(c.core, func(r solver.Reason) bool { return r.Kind == solver.KindRule && r.Var == v && r.Rule == i }) {
			rules[i].Formula = &solver.And{}
		}
	}
	return rules
}

func (c coreOnly) Groups(v solver.Var) []solver.Group {
	return slices.DeleteFunc(slices.Clone(c.Problem.Groups(v)), func(g solver.Group) bool {
		return !slices.ContainsFunc(c.core, func(r solver.Reason) bool { return r.Kind == solver.KindGroup && r.Group == g })
	})
}

// Every cause is sufficient, and without any one of its members the bundle can
// be selected. What is derived once for alike bundles is what is derived for each.
func TestCausesAreMinimal(t *testing.T) {
	cores := 0
	for seed := range testkit.Seeds(t, testkit.Scale(50, 150)) {
		p, view := randomCatalogs(t, seed)
		var seen inventory.Visibility
		for c := range view.Catalogs() {
			seen.Catalogs = append(seen.Catalogs, c)
		}
		ctx := t.Context()
		problem, err := of(view, scopeOf(p)).Of(cluster.InNamespace(Namespace)).ReadEmpty(ctx, seen)
		require.NoError(t, err)
		shared := problem.Scopes[0].Part
		alone := map[catalog.BundleKey][]result.BundleCause{}
		for v := range shared.Universe.Size {
			at, id := shared.Locate(v)
			if int(id) >= shared.Catalogs[at].Snapshot.Candidates() {
				continue
			}
			q := SelectOne(shared.Model, v)
			for {
				_, err := solver.Solve(ctx, q, solver.Options{})
				unsatisfiable, ok := errors.AsType[*solver.Unsatisfiable](err)
				if !ok {
					require.NoError(t, err)
					break
				}
				core := unsatisfiable.Core
				assertMinimal(t, q, core)
				cause := Cause(problem, v, core)
				assert.NotEmpty(t, cause.Constraints)
				alone[cause.Bundle.Bundle] = append(alone[cause.Bundle.Bundle], cause)
				cores++
				if !LeaveOut(q, v, core) {
					break
				}
			}
		}
		for c := range view.Catalogs() {
			found, err := Uninstallable(t.Context(), of(view, scopeOf(p)), c.Key)
			require.NoError(t, err)
			for _, u := range found {
				if bundle := u.Causes[0].Bundle.Bundle; int(u.Bundle) < c.Snapshot.Candidates() {
					assert.Equal(t, alone[bundle], u.Causes, "seed %d", seed)
				}
			}
		}
	}
	assert.Greater(t, cores, 25)
}

func assertMinimal(t *testing.T, p solver.Problem, core []solver.Reason) {
	t.Helper()
	_, err := solver.Solve(t.Context(), coreOnly{p, core}, solver.Options{})
	_, ok := errors.AsType[*solver.Unsatisfiable](err)
	assert.True(t, ok, "the core can hold: %v", core)
	for i := range core {
		_, err := solver.Solve(t.Context(), coreOnly{p, slices.Delete(slices.Clone(core), i, i+1)}, solver.Options{})
		assert.NoError(t, err, "%v is not needed in %v", core[i], core)
	}
}

func sharedCatalog(t testing.TB, name string) *cache.View {
	t.Helper()
	path := testkit.Shared(t, "catalogs", name)
	s, err := cache.LoadFS(t.Context(), os.DirFS(path), cache.Options{})
	require.NoError(t, err)
	return cache.NewView([]cache.Catalog{{Key: catalog.Key{Name: name}, Snapshot: s}})
}

// The bundles of a real catalog that nothing can install, with their causes.
func TestUninstallableCommunity(t *testing.T) {
	view := sharedCatalog(t, "community")
	key := catalog.Key{Name: "community"}
	found, err := Uninstallable(t.Context(), of(view, policy.Options{}), key)
	require.NoError(t, err)
	got := map[string]int{}
	for _, u := range found {
		for _, cause := range u.Causes {
			if missing := cause.Constraints[0].Because(); len(missing) > 0 && len(cause.Constraints) == 1 {
				got[cause.Bundle.Bundle.Package+": "+missing[0].Absent()]++
			}
		}
	}
	for text, count := range map[string]int{
		"eclipse-che: no given catalog has package devworkspace-operator":                                                      80,
		"l5-operator: no given catalog has package crunchy-postgres-operator":                                                  2,
		"shipwright-operator: no given catalog provides the API TektonConfig (operator.tekton.dev/v1alpha1)":                   2,
		"special-resource-operator: no given catalog provides the API NodeFeatureDiscovery (nfd.openshift.io/v1)":              4,
		"bpfman-operator: no given catalog provides the API SelinuxProfile (security-profiles-operator.x-k8s.io/v1alpha2)":     8,
		"node-healthcheck-operator: no given catalog provides the API PoisonPillRemediation (poison-pill.medik8s.io/v1alpha1)": 1,
	} {
		assert.Equal(t, count, got[text], text)
	}
}

func TestUninstallableCancelled(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	stop()
	_, view := randomCatalogs(t, 1)
	for c := range view.Catalogs() {
		_, err := Uninstallable(ctx, of(view, policy.Options{}), c.Key)
		assert.ErrorIs(t, err, context.Canceled)
	}
}

func TestUninstallableUnknownCatalog(t *testing.T) {
	_, view := randomCatalogs(t, 1)
	_, err := Uninstallable(t.Context(), of(view, policy.Options{}), catalog.Key{Name: "missing"})
	var invalid *result.InvalidInput
	assert.ErrorAs(t, err, &invalid)
}

// BenchmarkUninstallable judges every bundle of a real catalog, each time with an
// engine that has cached nothing.
func BenchmarkUninstallable(b *testing.B) {
	view := sharedCatalog(b, "community")
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Uninstallable(b.Context(), of(view, policy.Options{}), catalog.Key{Name: "community"}); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkUninstallableChain judges 200 packages of ten bundles, each of which requires the
// next package; the last one is missing.
func BenchmarkUninstallableChain(b *testing.B) {
	const packages, versions = 200, 10
	var text strings.Builder
	for p := range packages {
		var entries []string
		for v := range versions {
			entries = append(entries, fmt.Sprintf(`{"name": "p%d.v%d"}`, p, v))
			if v > 0 {
				entries[v] = fmt.Sprintf(`{"name": "p%d.v%d", "replaces": "p%d.v%d"}`, p, v, p, v-1)
			}
			fmt.Fprintf(&text, `{"schema": "olm.bundle", "package": "p%d", "name": "p%d.v%d", "image": "i", "properties": [`+
				`{"type": "olm.package", "value": {"packageName": "p%d", "version": "1.0.%d"}},`+
				`{"type": "olm.package.required", "value": {"packageName": "p%d", "versionRange": ">=1.0.0"}}]}`+"\n", p, p, v, p, v, p+1)
		}
		fmt.Fprintf(&text, `{"schema": "olm.package", "name": "p%d", "defaultChannel": "c"}`+"\n", p)
		fmt.Fprintf(&text, `{"schema": "olm.channel", "package": "p%d", "name": "c", "entries": [%s]}`+"\n", p, strings.Join(entries, ","))
	}
	key := catalog.Key{Name: "chain"}
	s, err := cache.Stream("chain", strings.NewReader(text.String()), cache.OriginOptions{}).Load(b.Context())
	require.NoError(b, err)
	view := cache.NewView([]cache.Catalog{{Key: key, Snapshot: s}})
	b.ReportAllocs()
	for b.Loop() {
		found, err := Uninstallable(b.Context(), of(view, policy.Options{}), key)
		require.NoError(b, err)
		require.Len(b, found, packages*versions)
	}
}

// All rules that judging a catalog evaluates have one limit, also those of skipped
// bundles, and however many goroutines judge.
func TestRuleCostOfJudging(t *testing.T) {
	const rules = 20
	var bundles, skips, entries []string
	for i := range rules {
		bundles = append(bundles, fmt.Sprintf(`{"schema":"olm.bundle","package":"p","name":"b%d","image":"i","properties":[{"type":"olm.package","value":{"packageName":"p","version":"1.0.%[1]d"}}%s]}`,
			i, fmt.Sprintf(`,{"type":"olm.constraint","value":{"cel":{"rule":"properties.all(p, %d >= 0)"}}}`, i)))
		skips = append(skips, fmt.Sprintf(`"b%d"`, i))
		entries = append(entries, fmt.Sprintf(`{"name":"b%d"}`, i))
	}
	snapshot, err := cache.Parse(t.Context(), fmt.Appendf(nil, `%s{"schema":"olm.bundle","package":"p","name":"head","image":"i","properties":[{"type":"olm.package","value":{"packageName":"p","version":"2.0.0"}}]}
		{"schema":"olm.package","name":"p","defaultChannel":"c"}{"schema":"olm.channel","package":"p","name":"c","entries":[{"name":"head","skips":[%s]},%s]}`,
		strings.Join(bundles, ""), strings.Join(skips, ","), strings.Join(entries, ",")), cache.Options{})
	require.NoError(t, err)
	key := catalog.Key{Namespace: "olm", Name: "worst"}
	view := cache.NewView([]cache.Catalog{{Key: key, Snapshot: snapshot}})
	judge := func(limit int) error {
		_, err := Uninstallable(t.Context(), of(view, policy.Options{MaxRuleCost: limit}), key)
		return err
	}
	const cost = rules * 1_700 // of all rules, each on all bundles
	require.NoError(t, judge(2*cost))
	for range 20 {
		require.EqualError(t, judge(cost/2), fmt.Sprintf("namespace operators: the problem is too large: it reaches more than the %d units of rule cost allowed", cost/2))
	}
}
