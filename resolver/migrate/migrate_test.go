package migrate_test

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/resolver"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/manifest"
	"github.com/resolvent/resolvent/resolver/migrate"
	"github.com/resolvent/resolvent/testdata/testkit"
)

type object = map[string]any

func text(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(data)
}

// world is a random cluster with its catalogs, and the plain facts that it was made of.
type world struct {
	*rand.Rand
	objects  cluster.Objects
	catalogs []cache.Catalog
	// facts of the bundles, by name.
	bundles map[string]*bundle
	// v1 are the packages that some ClusterCatalog has or is to have, and sources what the
	// CatalogSources have.
	v1      map[string]bool
	sources map[catalog.Key]map[string]bool
}

type bundle struct {
	version                                  int
	requiresPackage, requiresAPI, constraint bool
	label                                    bool
	modes                                    string // letters of the modes that it supports; "-" if it states none
	apiService                               bool
}

func (w *world) chance(p float64) bool { return w.Float64() < p }

func (b *bundle) properties(pkg string) []object {
	list := []object{{"type": "olm.package", "value": object{"packageName": pkg, "version": fmt.Sprintf("%d.0.0", b.version)}}}
	if b.requiresPackage {
		list = append(list, object{"type": "olm.package.required", "value": object{"packageName": "needed", "versionRange": ">=0.0.1"}})
	}
	if b.requiresAPI {
		list = append(list, object{"type": "olm.gvk.required", "value": object{"group": "g.io", "version": "v1", "kind": "Needed"}})
	}
	if b.constraint {
		list = append(list, object{"type": "olm.constraint", "value": object{"gvk": object{"group": "g.io", "version": "v1", "kind": "Needed"}}})
	}
	if b.label {
		list = append(list, object{"type": "olm.label", "value": object{"label": "l"}})
	}
	return list
}

// metadata is that of the catalog, and of the ClusterServiceVersion.
func (b *bundle) metadata() object {
	m := object{}
	if b.modes != "-" {
		var modes []object
		for letter, name := range map[string]string{"O": "OwnNamespace", "S": "SingleNamespace", "M": "MultiNamespace", "A": "AllNamespaces"} {
			modes = append(modes, object{"type": name, "supported": strings.Contains(b.modes, letter)})
		}
		m["installModes"] = modes
	}
	if b.apiService {
		m["apiServiceDefinitions"] = object{"owned": []object{{"group": "a.io", "version": "v1", "kind": "Served"}}}
	}
	return m
}

func (w *world) bundle(version int) *bundle {
	return &bundle{
		version: version, requiresPackage: w.chance(0.1), requiresAPI: w.chance(0.1), constraint: w.chance(0.1), label: w.chance(0.1),
		modes: []string{"-", "A", "OSMA", "OA", "O", "S", "OS", "M"}[min(w.IntN(12), 7)], apiService: w.chance(0.1),
	}
}

// newWorld makes a cluster in which every operator is of the only package of that name.
func newWorld(t *testing.T, seed uint64) *world {
	w := &world{Rand: rand.New(rand.NewPCG(seed, 21)), bundles: map[string]*bundle{}, v1: map[string]bool{}, sources: map[catalog.Key]map[string]bool{}}
	blobs := map[string][]string{}
	for _, pkg := range []string{"a", "b", "c"} {
		entries, list := []object{}, []string{text(object{"schema": "olm.package", "name": pkg, "defaultChannel": "stable"})}
		for v := 1; v <= 3; v++ {
			name := fmt.Sprintf("%s.v%d", pkg, v)
			b := w.bundle(v)
			w.bundles[name] = b
			entry := object{"name": name}
			if v > 1 {
				entry["replaces"] = fmt.Sprintf("%s.v%d", pkg, v-1)
			}
			entries = append(entries, entry)
			stated := append(b.properties(pkg), object{"type": "olm.csv.metadata", "value": b.metadata()})
			list = append(list, text(object{"schema": "olm.bundle", "package": pkg, "name": name, "image": "i", "properties": stated}))
		}
		blobs[pkg] = append(list, text(object{"schema": "olm.channel", "package": pkg, "name": "stable", "entries": entries}))
	}
	needed := []string{
		text(object{"schema": "olm.package", "name": "needed", "defaultChannel": "stable"}),
		text(object{"schema": "olm.channel", "package": "needed", "name": "stable", "entries": []object{{"name": "needed.v1"}}}),
		text(object{"schema": "olm.bundle", "package": "needed", "name": "needed.v1", "image": "i", "properties": []object{
			{"type": "olm.package", "value": object{"packageName": "needed", "version": "1.0.0"}}, {"type": "olm.gvk", "value": object{"group": "g.io", "version": "v1", "kind": "Needed"}}}}),
	}
	add := func(k catalog.Key, packages ...string) {
		lines := slices.Clone(needed)
		w.sources[k] = map[string]bool{"needed": true}
		for _, pkg := range packages {
			lines = append(lines, blobs[pkg]...)
			w.sources[k][pkg] = true
		}
		s, err := cache.LoadFS(t.Context(), fstest.MapFS{"c.json": {Data: []byte(strings.Join(lines, "\n"))}}, cache.Options{})
		require.NoError(t, err)
		w.catalogs = append(w.catalogs, cache.Catalog{Key: k, Snapshot: s})
	}
	some := func() (list []string) {
		for _, pkg := range []string{"a", "b", "c"} {
			if w.chance(0.8) {
				list = append(list, pkg)
			}
		}
		return list
	}
	first, second := catalog.Key{Namespace: "olm", Name: "first"}, catalog.Key{Namespace: "olm", Name: "second"}
	add(first, some()...)
	add(second, some()...)
	for _, k := range []catalog.Key{first, second} {
		for pkg := range w.sources[k] {
			w.v1[pkg] = true
		}
		if w.chance(0.85) {
			w.objects.CatalogSources = append(w.objects.CatalogSources, cluster.CatalogSource{
				Key: k, Type: []string{"grpc", "grpc", "grpc", "configmap"}[w.IntN(4)], Image: []string{"q.io/" + k.Name, "q.io/" + k.Name, ""}[w.IntN(3)],
				Priority: []int{0, -5, math.MaxInt32, math.MaxInt32 + 1}[w.IntN(4)], PollInterval: []string{"", "10m", "5s", "soon"}[w.IntN(4)],
			})
		}
	}
	for i := range 1 + w.IntN(3)*w.IntN(2) {
		w.namespace(fmt.Sprintf("n%d", i))
	}
	return w
}

func (w *world) namespace(name string) {
	o := &w.objects
	for range []int{0, 1, 1, 1}[w.IntN(4)] {
		g := cluster.OperatorGroup{Namespace: name, Name: "group"}
		switch w.IntN(4) {
		case 0:
			g.TargetNamespaces = []string{name}
		case 1:
			g.Selector = []*cluster.Selector{{}, {MatchLabels: map[string]string{"a": "b"}}}[w.IntN(2)]
		}
		g.ServiceAccount = []string{"", "", "deployer"}[w.IntN(3)]
		o.OperatorGroups = append(o.OperatorGroups, g)
	}
	for _, pkg := range []string{"a", "b", "c"} {
		if !w.chance(0.5) {
			continue
		}
		s := cluster.Subscription{
			Namespace: name, Name: []string{pkg, "operator-" + pkg}[w.IntN(2)], Package: pkg, Catalog: []string{"first", "second", "third"}[min(w.IntN(5)/2, 2)],
			CatalogNamespace: "olm", Channel: []string{"", "stable"}[w.IntN(2)], Manual: w.chance(0.2), Generated: w.chance(0.1),
			Observed: cluster.Observed{State: []string{"AtLatestKnown", "UpgradePending", "UpgradeFailed", "UpgradeAvailable", ""}[w.IntN(5)]},
		}
		if w.chance(0.85) {
			w.install(&s, pkg)
		}
		o.Subscriptions = append(o.Subscriptions, s)
		if w.chance(0.1) {
			o.ClusterExtensions = append(o.ClusterExtensions, cluster.ClusterExtension{Name: fmt.Sprintf("%s-%s", name, pkg), Package: pkg, MigratedFrom: name + "/" + s.Name})
		}
	}
	if w.chance(0.1) {
		o.ClusterExtensions = append(o.ClusterExtensions, cluster.ClusterExtension{Name: name + "-gone", Package: "a", MigratedFrom: name + "/gone"})
	}
}

func (w *world) install(s *cluster.Subscription, pkg string) {
	version := 1 + w.IntN(3)
	s.InstalledCSV = fmt.Sprintf("%s.v%d", pkg, version)
	b := w.bundles[s.InstalledCSV]
	known := w.chance(0.8)
	csv := cluster.ClusterServiceVersion{
		Namespace: s.Namespace, Name: s.InstalledCSV, Version: fmt.Sprintf("%d.0.0", version),
		Phase:       []string{"Succeeded", "Succeeded", "Failed", "Pending", ""}[w.IntN(5)],
		Reason:      []string{"", "InstallSucceeded", "InstallSuccessful", "InstallWaiting"}[w.IntN(4)],
		Annotations: map[string]string{cluster.AnnotationProperties: text(object{"properties": b.properties(pkg)})},
	}
	set, _ := properties.Decode([]properties.Property{{Type: properties.TypeCSVMetadata, Value: []byte(text(b.metadata()))}}, nil)
	csv.Metadata = set.Metadata()
	if known {
		csv.Installation = &properties.Installation{Install: &properties.InstallStrategy{}}
	}
	if csv.Installation != nil && w.chance(0.4) {
		rule := cluster.Right{APIGroups: []string{"operators.coreos.com"}, Resources: []string{[]string{"subscriptions", "catalogsources", "operatorconditions", "*"}[w.IntN(4)]}}
		if w.chance(0.3) {
			rule = cluster.Right{APIGroups: []string{"*"}, Resources: []string{"*"}}
		}
		rules := []cluster.Right{rule}
		if w.chance(0.3) {
			rules = append(rules, cluster.Right{APIGroups: []string{"olm.operatorframework.io"}, Resources: []string{[]string{"clusterextensions", "clustercatalogs", "others"}[w.IntN(3)]}})
		}
		csv.Installation.Install.Spec.Permissions = []properties.Permission{{Rules: rules}}
	}
	w.objects.CSVs = append(w.objects.CSVs, csv)
	if w.chance(0.3) {
		from := catalog.Key{Namespace: "olm", Name: []string{s.Catalog, "second", "gone"}[w.IntN(3)]}
		w.objects.InstallPlans = append(w.objects.InstallPlans, cluster.InstallPlan{
			Namespace: s.Namespace, Name: "install-" + s.Name, From: map[string]catalog.Key{csv.Name: from},
		})
	}
	if w.chance(0.8) {
		c := cluster.OperatorCondition{Namespace: s.Namespace, Name: csv.Name}
		if w.chance(0.4) {
			c.Status = []cluster.Condition{{Type: "Upgradeable", Status: "False"}}
		}
		w.objects.OperatorConditions = append(w.objects.OperatorConditions, c)
	}
}

// expected reads the table of checks again: + passes, - fails, ? is not judged.
func (w *world) expected(s *cluster.Subscription, v1 string) map[string]string {
	pass := func(ok bool) string { return map[bool]string{true: "+", false: "-"}[ok] }
	got := map[string]string{"C1": "?", "C6": "?", "C10": "?", "C4": "?", "C5": "?", "C1a": "?", "C2": "?", "C3": "?"}
	for _, g := range w.objects.OperatorGroups {
		if g.Namespace == s.Namespace {
			got["C1"] = pass(len(g.TargetNamespaces) == 0 && (g.Selector == nil || len(g.Selector.MatchLabels) == 0))
			got["C6"] = pass(g.ServiceAccount == "")
		}
	}
	got["G1"], got["U1"] = pass(got["C1"] != "?"), pass(len(w.twins(s)) == 0)
	if len(w.objects.OperatorGroups) == 0 {
		got["G1"] = "?"
	}
	got["C7"], got["C9"] = pass(w.v1[s.Package]), pass(!s.Generated)
	var source *cluster.CatalogSource
	for i, c := range w.objects.CatalogSources {
		if got["C10"] == "?" {
			got["C10"] = "-"
		}
		if c.Key.Name == s.Catalog {
			source = &w.objects.CatalogSources[i]
		}
	}
	fits := func(source *cluster.CatalogSource) bool {
		return source != nil && source.Type == "grpc" && source.Image != "" && source.Priority <= math.MaxInt32
	}
	if source != nil {
		got["C10"] = pass(fits(source))
	}
	for _, p := range w.objects.InstallPlans {
		k, ok := p.From[s.InstalledCSV]
		if !ok || p.Namespace != s.Namespace || got["C10"] == "?" {
			continue
		}
		i := slices.IndexFunc(w.objects.CatalogSources, func(c cluster.CatalogSource) bool { return c.Key == k })
		if i < 0 || !fits(&w.objects.CatalogSources[i]) {
			got["C10"] = "-"
		}
	}
	if s.InstalledCSV == "" {
		got["C8"] = "-"
		got["V1"] = w.refused(nil, w.bundles[v1])
		return got
	}
	var csv cluster.ClusterServiceVersion
	for _, c := range w.objects.CSVs {
		if c.Namespace == s.Namespace && c.Name == s.InstalledCSV {
			csv = c
		}
	}
	b := w.bundles[s.InstalledCSV]
	if b.modes != "-" {
		got["C1a"] = pass(strings.Contains(b.modes, "A"))
	}
	got["C2"], got["C3"] = pass(!b.requiresPackage && !b.requiresAPI), pass(!b.apiService)
	for _, c := range w.objects.OperatorConditions {
		if c.Namespace == s.Namespace && c.Name == csv.Name {
			got["C4"] = pass(len(c.Status) == 0)
		}
	}
	if csv.Installation != nil {
		v0, new := false, false
		var rules []cluster.Right
		for _, p := range csv.Installation.Install.Spec.Permissions {
			rules = append(rules, p.Rules...)
		}
		for _, r := range rules {
			all := r.APIGroups[0] == "*"
			v0 = v0 || all || r.APIGroups[0] == "operators.coreos.com" && r.Resources[0] != "operatorconditions"
			new = new || all || strings.HasPrefix(r.Resources[0], "cluster")
		}
		got["C5"] = pass(!v0 || new)
	}
	switch {
	case csv.Phase == "":
		got["C8"] = "?"
	case csv.Phase != "Succeeded", csv.Reason == "InstallWaiting":
		got["C8"] = "-"
	case s.Observed.State == "":
		got["C8"] = "?"
	default:
		got["C8"] = pass(s.Observed.State == "AtLatestKnown" || s.Observed.State == "UpgradePending")
	}
	next := w.bundles[v1]
	if v1 == "" && w.offers(s) {
		next = b
	}
	got["V1"] = w.refused(b, next)
	return got
}

// offers reports whether the catalog of the Subscription has the package.
func (w *world) offers(s *cluster.Subscription) bool {
	return w.sources[catalog.Key{Namespace: "olm", Name: s.Catalog}][s.Package]
}

// refused reads again what OLM v1 refuses of what is installed (nil if nothing is) and of
// what comes next (nil if that fails) and no other check says.
func (w *world) refused(installed, next *bundle) string {
	if installed == nil && next == nil {
		return "?"
	}
	depends := func(b *bundle) bool { return b.requiresPackage || b.requiresAPI || b.constraint }
	watches := func(b *bundle) bool { return b.modes == "-" || strings.Contains(b.modes, "A") }
	if installed != nil && installed.constraint && !installed.requiresPackage && !installed.requiresAPI {
		return "-"
	}
	if next == nil {
		return "+"
	}
	covered := func(by func(*bundle) bool) bool { return installed != nil && by(installed) }
	switch {
	case depends(next) && !covered(func(b *bundle) bool { return b.requiresPackage || b.requiresAPI }),
		!watches(next) && !covered(func(b *bundle) bool { return !watches(b) }),
		next.apiService && !covered(func(b *bundle) bool { return b.apiService }):
		return "-"
	}
	return "+"
}

// next is what OLM v1 would install, "" if nothing new, and whether it fails: the channel
// is a chain of versions, each of which replaces the one before.
func (w *world) next(s *cluster.Subscription) (v1 string, fails bool) {
	if !w.offers(s) {
		return "", true
	}
	if s.InstalledCSV == "" {
		return s.Package + ".v3", false
	}
	if b := w.bundles[s.InstalledCSV]; !s.Manual && b.version < 3 {
		return fmt.Sprintf("%s.v%d", s.Package, b.version+1), false
	}
	return "", false
}

// twins are the other requests of a Subscription's package.
func (w *world) twins(s *cluster.Subscription) (twins []string) {
	for _, other := range w.objects.Subscriptions {
		if other.Package == s.Package && (other.Namespace != s.Namespace || other.Name != s.Name) {
			twins = append(twins, other.Namespace+"/"+other.Name)
		}
	}
	for _, e := range w.objects.ClusterExtensions {
		if e.Package == s.Package && e.MigratedFrom != s.Namespace+"/"+s.Name {
			twins = append(twins, e.Name)
		}
	}
	return twins
}

// checkTwins: what else is of the package is named, and an OperatorGroup is only widened
// where the operator can watch all namespaces, and is the only one of its package.
func (w *world) checkTwins(t *testing.T, s *cluster.Subscription, row migrate.Row, all string) {
	twins := w.twins(s)
	assert.ElementsMatch(t, twins, row.SamePackage)
	widened := slices.ContainsFunc(row.Changes, func(c migrate.Change) bool {
		return c.Check == "C1" && c.Object != nil && c.Object.Kind == "OperatorGroup"
	})
	c1 := slices.ContainsFunc(row.Checks, func(c migrate.Check) bool { return c.ID == "C1" && c.Result == migrate.Fails })
	assert.Equal(t, c1 && all != "-" && len(twins) == 0, widened, "%+v", row)
}

// A second reading of the table of checks, on random clusters.
func TestChecks(t *testing.T) {
	seen, states := map[string]int{}, map[migrate.State]int{}
	for seed := range testkit.Seeds(t, testkit.Scale(200, 20000)) {
		w := newWorld(t, seed)
		problem := resolver.Problem{Cluster: cluster.NewIndex(w.objects), Catalogs: cache.NewView(w.catalogs)}
		plan, err := migrate.Judge(t.Context(), resolver.New(), problem)
		require.NoError(t, err)
		names := map[string]bool{}
		for _, row := range plan.Rows {
			states[row.State]++
			i := slices.IndexFunc(w.objects.Subscriptions, func(s cluster.Subscription) bool { return s.Namespace == row.Namespace && s.Name == row.Subscription })
			if i < 0 {
				assert.Equal(t, migrate.Migrated, row.State)
				continue
			}
			s := &w.objects.Subscriptions[i]
			v1, fails := w.next(s)
			got, want := map[string]string{}, w.expected(s, v1)
			var hard, soft bool
			for _, c := range row.Checks {
				got[c.ID] = map[migrate.Result]string{migrate.Passes: "+", migrate.Fails: "-", migrate.NotJudged: "?"}[c.Result]
				assert.Equal(t, c.Result != migrate.Passes || c.ID == "C7" && c.Message != "", c.Message != "")
				isSoft := slices.Contains([]string{"C1", "C4", "C5", "C6", "C8"}, c.ID)
				assert.Equal(t, !isSoft, c.Hard)
				hard, soft = hard || !isSoft && c.Result == migrate.Fails, soft || isSoft && c.Result == migrate.Fails
				seen[c.ID+got[c.ID]]++
			}
			require.Equal(t, want, got, "seed %d: %+v\n%+v", seed, *s, row)
			require.Equal(t, v1, row.Next.V1, "seed %d: %+v\n%+v", seed, *s, row)
			assert.Equal(t, fails || row.Next.V0 != row.Next.V1, row.Next.Why != "", "seed %d: %+v", seed, row)
			if row.State == migrate.Conflict {
				assert.True(t, slices.ContainsFunc(w.objects.ClusterExtensions, func(e cluster.ClusterExtension) bool { return e.MigratedFrom == s.Namespace+"/"+s.Name }))
				continue
			}
			assert.Equal(t, hard || soft, row.State == migrate.Ineligible, "seed %d: %+v", seed, row)
			assert.Equal(t, soft && !hard, row.OnlySoft())
			assert.Equal(t, row.State == migrate.Ineligible, len(row.Changes) > 0, "seed %d: %+v", seed, row)
			assert.False(t, names[row.ClusterExtension], "seed %d: %s twice", seed, row.ClusterExtension)
			names[row.ClusterExtension] = true
			checkExtension(t, s, row)
			w.checkTwins(t, s, row, got["C1a"])
		}
		again, err := migrate.Judge(t.Context(), resolver.New(), problem)
		require.NoError(t, err)
		require.Equal(t, text(plan), text(again), "the same input")
		acknowledge(t, problem, plan)
		written(t, w, problem, plan)
	}
	for _, id := range []string{"C1", "C1a", "C2", "C3", "C4", "C5", "C6", "C7", "C8", "C9", "C10", "U1", "G1", "V1"} {
		assert.Positive(t, seen[id+"+"], id)
		assert.Positive(t, seen[id+"-"], id)
	}
	for _, state := range []migrate.State{migrate.Conflict, migrate.Ineligible, migrate.Migrated, migrate.Eligible} {
		assert.Positive(t, states[state], state)
	}
}

func checkExtension(t *testing.T, s *cluster.Subscription, row migrate.Row) {
	e := row.Object
	assert.Equal(t, row.ClusterExtension, e.Name)
	assert.Equal(t, s.Namespace, e.Namespace)
	assert.Equal(t, s.Package, e.Package)
	assert.Equal(t, s.Namespace+"/"+s.Name, e.MigratedFrom)
	assert.False(t, e.SelfCertified)
	if s.Channel != "" {
		assert.Equal(t, []string{s.Channel}, e.Channels)
	}
	assert.Equal(t, s.Manual && s.InstalledCSV != "", e.Version != "")
}

// acknowledge: with all soft checks acknowledged what remains has hard ones.
func acknowledge(t *testing.T, problem resolver.Problem, plan *migrate.Plan) {
	all, err := migrate.Judge(t.Context(), resolver.New(), problem, "C1", "C4", "C5", "C6", "C8")
	require.NoError(t, err)
	for i := range all.Rows {
		assert.Equal(t, plan.Rows[i].State == migrate.Eligible || plan.Rows[i].OnlySoft(), all.Rows[i].State == migrate.Eligible)
	}
}

// written: what is to be applied can be read, is for the eligible operators alone, and
// resolving it comes to what was said.
func written(t *testing.T, w *world, problem resolver.Problem, plan *migrate.Plan) {
	lines, err := manifest.Write(t.Context(), plan.Objects)
	require.NoError(t, err)
	read, err := manifest.Read(t.Context(), manifest.Input{Name: "plan", Reader: strings.NewReader(string(lines))})
	require.NoError(t, err)
	catalogs := slices.Clone(w.catalogs)
	for _, c := range read.ClusterCatalogs {
		i := slices.IndexFunc(w.objects.CatalogSources, func(s cluster.CatalogSource) bool { return s.Image == c.Image })
		require.GreaterOrEqual(t, i, 0)
		content := catalogs[slices.IndexFunc(catalogs, func(given cache.Catalog) bool { return given.Key == w.objects.CatalogSources[i].Key })]
		content.Key = catalog.Key{Name: c.Name}
		catalogs = append(catalogs, content)
		assert.Equal(t, map[string]int{"10m": 10, "5s": 1}[w.objects.CatalogSources[i].PollInterval], c.PollMinutes)
	}
	order := 0
	for _, e := range read.ClusterExtensions {
		i := slices.IndexFunc(plan.Rows, func(r migrate.Row) bool { return r.ClusterExtension == e.Name && r.State == migrate.Eligible })
		row := plan.Rows[i]
		order++
		assert.Equal(t, order, row.Order)
		e.Installed = row.Object.Installed
		r, err := resolver.New().Resolve(t.Context(), resolver.Problem{
			Cluster: cluster.NewIndex(cluster.Objects{ClusterExtensions: []cluster.ClusterExtension{e}}), Catalogs: cache.NewView(catalogs),
		}, cluster.OfExtension(e.Name))
		if row.Next.V1 == "" && row.Next.Why != "" && err != nil {
			continue // as was said
		}
		if len(read.ClusterCatalogs) == 0 {
			continue // the input has no CatalogSource to become one
		}
		require.NoError(t, err)
		got := ""
		if len(r.Installs) > 0 {
			got = r.Installs[0].Bundle.Name
		}
		assert.Equal(t, row.Next.V1, got)
	}
	assert.Equal(t, order, len(slices.DeleteFunc(slices.Clone(plan.Rows), func(r migrate.Row) bool { return r.State != migrate.Eligible })))
}

func TestAcknowledgeUnknown(t *testing.T) {
	_, err := migrate.Judge(t.Context(), resolver.New(), resolver.Problem{}, "C2")
	require.EqualError(t, err, "check C2: it is hard: it must pass")
	_, err = migrate.Judge(t.Context(), resolver.New(), resolver.Problem{}, "C77")
	require.EqualError(t, err, "check C77: there is no such check; those that can be acknowledged are C1, C4, C5, C6, C8")
}

// Whatever kind of object the input lacks, what needs it is not judged, and what the catalog
// states is taken from there.
func TestNotGiven(t *testing.T) {
	lacks := map[string]func(o *cluster.Objects){
		"CSVs":       func(o *cluster.Objects) { o.CSVs = nil },
		"groups":     func(o *cluster.Objects) { o.OperatorGroups = nil },
		"sources":    func(o *cluster.Objects) { o.CatalogSources = nil },
		"plans":      func(o *cluster.Objects) { o.InstallPlans = nil },
		"conditions": func(o *cluster.Objects) { o.OperatorConditions = nil },
		"all but Subscriptions": func(o *cluster.Objects) {
			*o = cluster.Objects{Subscriptions: o.Subscriptions}
		},
	}
	taken := map[migrate.Result]int{}
	for seed := range uint64(testkit.Scale(60, 2000)) {
		for kind, lack := range lacks {
			w := newWorld(t, seed)
			lack(&w.objects)
			plan, err := migrate.Judge(t.Context(), resolver.New(), resolver.Problem{Cluster: cluster.NewIndex(w.objects), Catalogs: cache.NewView(w.catalogs)})
			require.NoError(t, err, "seed %d without %s", seed, kind)
			for _, row := range plan.Rows {
				i := slices.IndexFunc(w.objects.Subscriptions, func(s cluster.Subscription) bool { return s.Namespace == row.Namespace && s.Name == row.Subscription })
				if i < 0 || kind != "CSVs" || w.objects.Subscriptions[i].InstalledCSV == "" {
					continue
				}
				b := w.bundles[w.objects.Subscriptions[i].InstalledCSV]
				for _, c := range row.Checks {
					switch c.ID {
					case "C8":
						assert.Equal(t, migrate.NotJudged, c.Result)
					case "C1a":
						taken[c.Result]++
						assert.Equal(t, w.offers(&w.objects.Subscriptions[i]) && b.modes != "-", c.Result != migrate.NotJudged, "seed %d: %+v", seed, row)
					case "C2":
						assert.Equal(t, w.offers(&w.objects.Subscriptions[i]) && (b.requiresPackage || b.requiresAPI), c.Result == migrate.Fails, "seed %d: %+v", seed, row)
					}
				}
			}
		}
	}
	assert.Len(t, taken, 3)
}

// only returns the plan of a Subscription to package a, of which version 1 is installed.
func only(t *testing.T, source cluster.CatalogSource, entries string, requires ...string) migrate.Row {
	blobs := `{"schema":"olm.package","name":"a","defaultChannel":"s"}{"schema":"olm.channel","package":"a","name":"s","entries":` + entries + `}`
	for _, v := range []string{"1", "2", "3"} {
		needs := ""
		if slices.Contains(requires, v) {
			needs = `,{"type":"olm.package.required","value":{"packageName":"q","versionRange":">=1.0.0"}}`
		}
		blobs += `{"schema":"olm.bundle","package":"a","name":"a.v` + v + `","image":"i","properties":[{"type":"olm.package","value":{"packageName":"a","version":"` + v + `.0.0"}}` + needs + `]}`
	}
	snapshot, err := cache.LoadFS(t.Context(), fstest.MapFS{"c.json": {Data: []byte(blobs)}}, cache.Options{})
	require.NoError(t, err)
	source.Key = catalog.Key{Namespace: "olm", Name: "c"}
	objects := cluster.Objects{
		CatalogSources:  []cluster.CatalogSource{source},
		ClusterCatalogs: []cluster.ClusterCatalog{{Name: "c", Image: source.Image}},
		CSVs:            []cluster.ClusterServiceVersion{{Namespace: "n", Name: "a.v1", Version: "1.0.0", Phase: "Succeeded"}},
		Subscriptions:   []cluster.Subscription{{Namespace: "n", Name: "a", Package: "a", Channel: "s", Catalog: "c", CatalogNamespace: "olm", InstalledCSV: "a.v1"}},
	}
	plan, err := migrate.Judge(t.Context(), resolver.New(), resolver.Problem{
		Cluster: cluster.NewIndex(objects), Catalogs: cache.NewView([]cache.Catalog{{Key: source.Key, Snapshot: snapshot}, {Key: catalog.Key{Name: "c"}, Snapshot: snapshot}}),
	})
	require.NoError(t, err)
	require.Len(t, plan.Rows, 1)
	return plan.Rows[0]
}

func check(row migrate.Row, id string) migrate.Check {
	return row.Checks[slices.IndexFunc(row.Checks, func(c migrate.Check) bool { return c.ID == id })]
}

// Names that become too long with a namespace are cut.
func TestLongNames(t *testing.T) {
	long, objects := strings.Repeat("x", 253), cluster.Objects{}
	for _, namespace := range []string{"n", "o"} {
		objects.Subscriptions = append(objects.Subscriptions, cluster.Subscription{Namespace: namespace, Name: long, Package: "a", Catalog: long, CatalogNamespace: namespace})
		key := catalog.Key{Namespace: namespace, Name: long}
		objects.CatalogSources = append(objects.CatalogSources, cluster.CatalogSource{Key: key, Type: "grpc", Image: "q.io/" + namespace})
	}
	plan, err := migrate.Judge(t.Context(), resolver.New(), resolver.Problem{Cluster: cluster.NewIndex(objects)})
	require.NoError(t, err)
	found := map[string]bool{}
	for _, row := range plan.Rows {
		found[row.ClusterExtension], found[row.Catalog] = true, true
	}
	assert.Len(t, found, 2, "one a namespace: the catalogs have the names of the Subscriptions")
	for name := range found {
		assert.Len(t, name, 253)
	}
}

// OLM v1 chooses the best bundle, and does not fall back to one that it would install.
func TestNextRefused(t *testing.T) {
	grpc := cluster.CatalogSource{Type: "grpc", Image: "x.io/c:1"}
	const skips = `[{"name":"a.v1"},{"name":"a.v2","replaces":"a.v1"},{"name":"a.v3","replaces":"a.v2","skipRange":"<3.0.0"}]`
	row := only(t, grpc, skips, "3")
	assert.Equal(t, "a.v3", row.Next.V1)
	assert.Equal(t, migrate.Fails, check(row, "V1").Result)
	assert.Equal(t, "OLM v1 would refuse it: a.v3 requires package q in range >=1.0.0, and OLM v1 resolves no dependencies", row.Next.Why)
	require.Len(t, row.Changes, 1)
	assert.Equal(t, "ask the publisher of a for a head that OLM v1 installs: from a.v2 it would go on to a.v3, which it refuses", row.Changes[0].Text)

	row = only(t, grpc, skips, "2")
	assert.Equal(t, migrate.Passes, check(row, "V1").Result)
	assert.Equal(t, "a.v3", row.Next.V1)

	row = only(t, grpc, `[{"name":"a.v1"},{"name":"a.v2","replaces":"a.v1"},{"name":"a.v3","replaces":"a.v2"}]`, "2")
	assert.Equal(t, migrate.Fails, check(row, "V1").Result)
	require.Len(t, row.Changes, 1)
	assert.Equal(t, "update it with OLM v0 to a.v3, which OLM v1 would install, and judge again", row.Changes[0].Text)
}

// A ClusterCatalog of the same image is of no help to a CatalogSource that does not use its
// image.
func TestSourceOfOtherType(t *testing.T) {
	const entries = `[{"name":"a.v1"},{"name":"a.v2","replaces":"a.v1"},{"name":"a.v3","replaces":"a.v2"}]`
	assert.Equal(t, migrate.Passes, check(only(t, cluster.CatalogSource{Type: "grpc", Image: "x.io/c:1"}, entries), "C10").Result)
	c10 := check(only(t, cluster.CatalogSource{Type: "configmap", Image: "x.io/c:1"}, entries), "C10")
	assert.Equal(t, migrate.Fails, c10.Result)
	assert.Equal(t, `CatalogSource olm/c is of type "configmap", and only grpc can become a ClusterCatalog`, c10.Message)
	assert.Equal(t, migrate.Fails, check(only(t, cluster.CatalogSource{Type: "grpc"}, entries), "C10").Result, "neither has an image")
}

// One ClusterCatalog that is served has to have the package, the installed version and the
// channel.
func TestOneCatalog(t *testing.T) {
	content := func(versions string, channels ...string) *catalog.Snapshot {
		blobs := `{"schema":"olm.package","name":"a","defaultChannel":"s"}`
		for _, c := range channels {
			blobs += `{"schema":"olm.channel","package":"a","name":"` + c + `","entries":[{"name":"a.v` + versions[:1] + `"}]}`
		}
		for _, v := range strings.Split(versions, "") {
			blobs += `{"schema":"olm.bundle","package":"a","name":"a.v` + v + `","image":"i","properties":[{"type":"olm.package","value":{"packageName":"a","version":"` + v + `.0.0"}}]}`
		}
		s, err := cache.LoadFS(t.Context(), fstest.MapFS{"c.json": {Data: []byte(blobs)}}, cache.Options{})
		require.NoError(t, err)
		return s
	}
	none, err := cache.Parse(t.Context(), []byte(chain("b", "A")), cache.Options{})
	require.NoError(t, err)
	full, old, other := content("12", "s", "t"), content("1", "s", "t"), content("12", "s")
	for _, c := range []struct {
		first, second  *catalog.Snapshot
		served         cluster.ClusterCatalog
		message, helps string // helps begins with the field that it sets
	}{
		{full, nil, cluster.ClusterCatalog{}, "", ""},
		{full, nil, cluster.ClusterCatalog{NotServing: true}, "ClusterCatalog one has package a, and its condition Serving is not True", ": wait until ClusterCatalog one is Serving"},
		{full, nil, cluster.ClusterCatalog{Unavailable: true}, "ClusterCatalog one has package a, and is Unavailable", "spec.availabilityMode: set spec.availabilityMode of ClusterCatalog one to Available"},
		{old, nil, cluster.ClusterCatalog{}, "ClusterCatalog one has package a, but not the installed version 2.0.0", ": update it with OLM v0"},
		{other, nil, cluster.ClusterCatalog{}, "ClusterCatalog one has package a, but no channel t", "spec.channel: set spec.channel of Subscription a"},
		{old, other, cluster.ClusterCatalog{}, "ClusterCatalog two has package a, but no channel t", "spec.channel: set spec.channel of Subscription a"},
		{old, full, cluster.ClusterCatalog{}, "", ""},
		// A CatalogSource that has the package is no ClusterCatalog, and may become one.
		{none, nil, cluster.ClusterCatalog{}, "no ClusterCatalog has package a", ": create ClusterCatalog one-olm for CatalogSource olm/one"},
	} {
		c.served.Name = "one"
		catalogs := []cache.Catalog{{Key: catalog.Key{Name: "one"}, Snapshot: c.first}}
		var sources []cluster.CatalogSource
		if c.first == none {
			sources = []cluster.CatalogSource{{Key: catalog.Key{Namespace: "olm", Name: "one"}, Type: "grpc", Image: "q.io/one"}}
			catalogs = append(catalogs, cache.Catalog{Key: sources[0].Key, Snapshot: full}, cache.Catalog{Key: catalog.Key{Name: "one-olm"}, Snapshot: none})
		}
		if c.second != nil {
			catalogs = append(catalogs, cache.Catalog{Key: catalog.Key{Name: "two"}, Snapshot: c.second})
		}
		plan, err := migrate.Judge(t.Context(), resolver.New(), resolver.Problem{
			Cluster: cluster.NewIndex(cluster.Objects{
				CatalogSources:  sources,
				ClusterCatalogs: []cluster.ClusterCatalog{c.served, {Name: "two"}},
				CSVs:            []cluster.ClusterServiceVersion{{Namespace: "n", Name: "a.v2", Version: "2.0.0", Phase: "Succeeded"}},
				Subscriptions:   []cluster.Subscription{{Namespace: "n", Name: "a", Package: "a", Channel: "t", Catalog: "gone", CatalogNamespace: "olm", InstalledCSV: "a.v2"}},
			}), Catalogs: cache.NewView(catalogs),
		})
		require.NoError(t, err)
		c7 := check(plan.Rows[0], "C7")
		assert.Equal(t, c.message, c7.Message)
		assert.Equal(t, c.message != "", c7.Result == migrate.Fails)
		helps := ""
		for _, change := range plan.Rows[0].Changes {
			if change.Check == "C7" {
				helps = change.Field + ": " + change.Text
			}
		}
		assert.Truef(t, strings.HasPrefix(helps, c.helps) && (helps == "") == (c.helps == ""), "%q", helps)
	}
}
