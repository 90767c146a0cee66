package resolver_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	masterminds "github.com/Masterminds/semver/v3"
	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/constraints"
	"github.com/resolvent/resolvent/constraints/rules"
	"github.com/resolvent/resolvent/resolver"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/manifest"
	"github.com/resolvent/resolvent/resolver/policy"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/resolver/scenario"
	"github.com/resolvent/resolvent/testdata/testkit"
)

// FuzzCatalog resolves on any text as a catalog: every package of it that can be
// asked for, newly and as an update from each of its bundles.
func FuzzCatalog(f *testing.F) {
	addCatalogSeeds(f)
	testkit.LookFurther(f)
	f.Fuzz(func(t *testing.T, text []byte) {
		limits := cache.Options{
			Limits:      catalog.Limits{FileBytes: 1 << 14, EvaluationCost: 100_000},
			Constraints: constraints.Limits{Limits: rules.Limits{RuleCost: 10_000}},
		}
		snapshot, err := cache.Parse(t.Context(), text, limits)
		require.NoError(t, err)
		view := cache.NewView([]cache.Catalog{
			{Key: catalog.Key{Namespace: "olm", Name: "c"}, Snapshot: snapshot},
			{Key: catalog.Key{Name: "c"}, Snapshot: snapshot},
		})
		var objects cluster.Objects
		for p := range snapshot.Packages() {
			name := fmt.Sprintf("s%d", len(objects.Subscriptions))
			objects.Subscriptions = append(objects.Subscriptions, cluster.Subscription{Namespace: "new", Name: name, Package: p.Name})
			objects.ClusterExtensions = append(objects.ClusterExtensions, cluster.ClusterExtension{Name: name, Package: p.Name})
			for _, id := range p.Bundles {
				b := snapshot.Bundle(id)
				s := cluster.Subscription{Namespace: fmt.Sprintf("at%d", len(objects.CSVs)), Name: "s", Package: p.Name, InstalledCSV: b.Name}
				objects.Subscriptions = append(objects.Subscriptions, s)
				objects.CSVs = append(objects.CSVs, cluster.ClusterServiceVersion{Namespace: s.Namespace, Name: b.Name, Version: b.Version.String()})
			}
			if len(objects.CSVs) > 8 {
				break
			}
		}
		resolveAll(t, cluster.NewIndex(objects), view)
	})
}

// FuzzManifests resolves whatever manifests ask for on a small catalog.
func FuzzManifests(f *testing.F) {
	for _, text := range testkit.Files(f, "testdata/cluster/*.yaml") {
		f.Add(text)
	}
	f.Add([]byte(`{"kind":"ClusterServiceVersion","metadata":{"name":"a.v1","namespace":"olm","annotations":{"operatorframework.io/properties":"{\"properties\":[{\"type\":\"olm.constraint\",\"value\":{\"not\":{\"constraints\":[{\"cel\":{\"rule\":\"properties.exists(p, p.type == 'x')\"}}]}}}]}"}}}{"kind":"Subscription","metadata":{"name":"s","namespace":"olm"},"spec":{"name":"ferry","channel":"stable","source":"c","sourceNamespace":"olm","startingCSV":"x"},"status":{"installedCSV":"a.v1"}}`))
	f.Add([]byte("kind: ClusterExtension\nmetadata: {name: e}\nspec: {source: {catalog: {packageName: ferry, version: '>=1, <2 || ~3.x', channels: [stable], upgradeConstraintPolicy: SelfCertified, selector: {matchExpressions: [{key: a, operator: Exists}]}}}}\nstatus: {install: {bundle: {name: ferry.v1, version: 1.0.0+1}}}\n"))
	f.Add([]byte("kind: OperatorGroup\nmetadata: {name: g, namespace: olm, annotations: {olm.providedAPIs: 'A.v1.g,.,B'}}\nspec: {staticProvidedAPIs: true, selector: {matchLabels: {a: b}}}\n---\nkind: Namespace\nmetadata: {name: olm, labels: {a: b}}\n"))
	var text bytes.Buffer
	for _, file := range testkit.Files(f, "testdata/catalogs/coast/*/catalog.yaml") {
		text.WriteString("\n---\n" + string(file))
	}
	snapshot, err := cache.Parse(context.Background(), text.Bytes(), cache.Options{})
	require.NoError(f, err)
	view := cache.NewView([]cache.Catalog{
		{Key: catalog.Key{Namespace: "olm", Name: "c"}, Snapshot: snapshot},
		{Key: catalog.Key{Name: "c"}, Snapshot: snapshot},
	})
	testkit.LookFurther(f)
	f.Fuzz(func(t *testing.T, manifests []byte) {
		objects, err := manifest.Read(t.Context(), manifest.Input{Name: "fuzz", Reader: bytes.NewReader(manifests)})
		if err != nil {
			return
		}
		resolveAll(t, cluster.NewIndex(objects), view)
	})
}

// FuzzScenario runs any scenario, writes it and runs it again.
func FuzzScenario(f *testing.F) {
	i := 0
	for _, text := range testkit.Files(f, "testdata/scenarios/*.txtar") {
		s, err := scenario.Parse(text)
		require.NoError(f, err)
		// What is only read by people makes the inputs longer.
		s.Comment, s.Want = "", ""
		text, err := s.Format()
		require.NoError(f, err)
		if i++; testkit.Fuzzing() && (len(text) > 1000 || i%4 > 0) {
			continue // to run all of them takes longer than to find others
		}
		f.Add(text)
	}
	testkit.LookFurther(f)
	f.Fuzz(func(t *testing.T, text []byte) {
		s, err := scenario.Parse(text)
		if err != nil {
			return
		}
		s.Options.Texts, s.Options.Faults = true, true
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		once, err := s.Run(ctx)
		if ctx.Err() != nil {
			return // on a busy machine
		}
		if err != nil {
			var fault *scenario.Error
			require.ErrorAs(t, err, &fault)
			return
		}
		require.NotContains(t, once, ": "+string(result.ResultInternal)+"\n")
		written, err := s.Format()
		if err != nil {
			return // it holds what the format cannot
		}
		again, err := scenario.Parse(written)
		require.NoError(t, err)
		twice, err := again.Run(ctx)
		if ctx.Err() != nil {
			return
		}
		require.NoError(t, err)
		require.Equal(t, once, twice)
	})
}

func answerJSON(t *testing.T, r *result.Resolution) string {
	text, err := json.Marshal(r)
	require.NoError(t, err)
	return string(text)
}

// resolveAll resolves every request of a cluster, twice, in all ways that there
// are, and checks what holds of any answer.
func resolveAll(t *testing.T, known *cluster.Index, view *cache.View) {
	t.Helper()
	for _, o := range []policy.Options{
		{},
		{BundleScope: true, NamedUpdates: true, Partial: true, LenientHealth: true},
	} {
		r := resolver.New()
		check := func(resolve func() (*result.Resolution, error)) {
			first, err := resolve()
			outcome := result.Of(err)
			require.NotEqual(t, result.ResultInternal, outcome, "%v", err)
			require.NotEqual(t, result.ResultIncomplete, outcome, "%v", err)
			second, again := resolve()
			require.Equal(t, fmt.Sprint(err), fmt.Sprint(again))
			// What a set of properties keeps of decoded values differs, and is no part of an answer.
			require.Equal(t, answerJSON(t, first), answerJSON(t, second))
			if e, ok := errors.AsType[*result.NotSatisfiable](err); ok {
				require.NotEmpty(t, e.Constraints)
			}
		}
		problem := resolver.Problem{Cluster: known, Catalogs: view, Options: o}
		for _, scope := range known.Scopes() {
			check(func() (*result.Resolution, error) { return r.Resolve(t.Context(), problem, scope) })
		}
		if problem.Options.Jointly = true; len(known.Scopes()) > 1 {
			check(func() (*result.Resolution, error) {
				all := r.ResolveAll(t.Context(), problem, known.Scopes()[:2])
				return all[1].Resolution, all[1].Err
			})
		}
	}
}

func addCatalogSeeds(f *testing.F) {
	add := func(text []byte) {
		if len(text) <= 2<<10 { // a large one takes long, and hides what is new in it
			f.Add(text)
		}
	}
	for _, text := range testkit.Files(f, "testdata/catalogs/*/*/*.yaml") {
		add(text)
	}
	for _, text := range testkit.Files(f, "testdata/catalogs/*/*.yaml") {
		add(text)
	}
	for _, properties := range worstProperties() {
		add(worstCatalog(worstRest+1, properties))
	}
	// An entry that is skipped, off the chain, or only named; edges in circles.
	f.Add([]byte(`{"schema":"olm.package","name":"p","defaultChannel":"c"}{"schema":"olm.channel","package":"p","name":"c","entries":[{"name":"b3","replaces":"b1","skips":["b2","b0"],"skipRange":">=0.0.1"},{"name":"b2","replaces":"b1"},{"name":"b1","replaces":"gone"}]}{"schema":"olm.bundle","package":"p","name":"b3","image":"i","properties":[{"type":"olm.package","value":{"packageName":"p","version":"3.0.0+1"}}]}{"schema":"olm.bundle","package":"p","name":"b2","image":"i","properties":[{"type":"olm.package","value":{"packageName":"p","version":"2.0.0"}},{"type":"olm.maxOpenShiftVersion","value":"x"}]}`))
}

// FuzzVersionRange asks for versions of a package in any range of a
// ClusterExtension: what is chosen is in the range, as Masterminds reads it, and
// the highest that is.
func FuzzVersionRange(f *testing.F) {
	for _, text := range []string{
		"", "*", "1", "1.x", ">=1.0.0 <2.0.0", ">=1, <2 || ~3.x", "^0.2.3", "~1.2.3-beta.1", "1.0.0 - 2.0.0", "!=1.2.3", "=2.0.0+1",
		">= 1.0.0-0", "1.2.3 || || 2.0.0", "||", ",", "<0.0.0", ">99999999999999999999", "v1.2", "1.2.3.4", "x.1", "1.0.0-01",
	} {
		f.Add(text)
	}
	var offered bytes.Buffer
	offered.WriteString(`{"schema":"olm.package","name":"p","defaultChannel":"c"}`)
	versions := []string{"0.0.1", "0.2.3", "0.2.9", "1.0.0", "1.0.0-rc.1", "1.2.3-beta.1", "1.2.3", "1.9.0", "2.0.0-0", "2.0.0", "2.0.0+1", "3.4.5", "10.0.0"}
	var entries []string
	for i, version := range versions {
		fmt.Fprintf(&offered, `{"schema":"olm.bundle","package":"p","name":"p.%d","image":"i","properties":[{"type":"olm.package","value":{"packageName":"p","version":%q}}]}`, i, version)
		entries = append(entries, fmt.Sprintf(`{"name":"p.%d"}`, i))
	}
	fmt.Fprintf(&offered, `{"schema":"olm.channel","package":"p","name":"c","entries":[%s]}`, strings.Join(entries, ","))
	snapshot, err := cache.Parse(context.Background(), offered.Bytes(), cache.Options{})
	require.NoError(f, err)
	require.Equal(f, len(versions), snapshot.Len())
	view := cache.NewView([]cache.Catalog{{Key: catalog.Key{Name: "c"}, Snapshot: snapshot}})
	r := resolver.New()
	f.Fuzz(func(t *testing.T, text string) {
		known := cluster.NewIndex(cluster.Objects{ClusterExtensions: []cluster.ClusterExtension{{Name: "e", Package: "p", Version: text}}})
		resolution, err := r.Resolve(t.Context(), resolver.Problem{Cluster: known, Catalogs: view, Options: policy.Options{NoFixes: true}}, cluster.OfExtension("e"))
		reference, referenceErr := masterminds.NewConstraint(text)
		if text == "" {
			reference, referenceErr = masterminds.NewConstraint(">=0.0.0-0")
		}
		if referenceErr != nil || len(text) > 64 {
			require.Equal(t, result.ResultInvalidInput, result.Of(err), "%v", err)
			return
		}
		var best *masterminds.Version
		for id := range catalog.ID(snapshot.Len()) {
			v := masterminds.MustParse(snapshot.Bundle(id).Version.String())
			if reference.Check(v) && (best == nil || best.LessThan(v)) {
				best = v
			}
		}
		if best == nil {
			require.Equal(t, result.ResultUnsatisfied, result.Of(err), "%v", err)
			return
		}
		require.NoError(t, err)
		got := masterminds.MustParse(resolution.Installs[0].Version.String())
		require.True(t, best.Equal(got), "%s, not %s", got, best) // whatever the build metadata
	})
}
