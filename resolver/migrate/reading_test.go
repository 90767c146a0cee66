package migrate_test

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/migrate"
	"github.com/resolvent/resolvent/testdata/testkit"
)

// A second reading of what a plan says beside its checks: who depends on whom, the order, the
// names of objects, what OLM v0 installs next, and the changes that help. The clusters are
// mostly sound, so that most operators are eligible.

// group is a random cluster whose operators require each other's labels, which OLM v1 ignores.
type group struct {
	*rand.Rand
	objects cluster.Objects
	blobs   []string
	// labels and requires are of the bundles: by name, the labels that it has, and those that it
	// requires, each list of which one must be there. modes are those of a bundle.
	labels   map[string][]string
	requires map[string][][]string
	modes    map[string]string
	// tight: each of two packages requires the other one.
	tight bool
}

var (
	shopEast = catalog.Key{Namespace: "east", Name: "shop"}
	shopWest = catalog.Key{Namespace: "west", Name: "shop"}
)

const groupVersions = 3

func newGroup(seed uint64) *group {
	g := &group{Rand: rand.New(rand.NewPCG(seed, 83)), labels: map[string][]string{}, requires: map[string][][]string{}, modes: map[string]string{}}
	pick := func(from ...string) string { return from[g.IntN(len(from))] }
	packages := []string{"a", "b", "c", "d"}
	g.tight = g.IntN(3) == 0
	for _, pkg := range packages {
		g.addPackage(pkg, pick)
	}
	for _, k := range []catalog.Key{shopEast, shopWest} {
		image := pick("q.io/one", "q.io/two", "q.io/two@sha256:22")
		g.objects.CatalogSources = append(g.objects.CatalogSources, cluster.CatalogSource{
			Key: k, Type: pick("grpc", "Grpc"), Image: image, Priority: g.IntN(3) - 1, PollInterval: pick("", "10m", "20s"),
		})
	}
	for _, name := range []string{"shop", "shop-east", "other"} {
		if g.IntN(5) == 0 {
			g.objects.ClusterCatalogs = append(g.objects.ClusterCatalogs, cluster.ClusterCatalog{Name: name, Image: pick("q.io/one", "q.io/two", "q.io/three")})
		}
	}
	apart := g.IntN(4) > 0 // each package in one namespace: others cannot move
	for _, namespace := range []string{"n0", "n1"} {
		operators := cluster.OperatorGroup{Namespace: namespace, Name: "all"}
		switch g.IntN(8) {
		case 0:
			operators.TargetNamespaces = []string{namespace}
		case 1:
			operators.Selector = &cluster.Selector{MatchLabels: map[string]string{"l": "v"}}
		}
		g.objects.OperatorGroups = append(g.objects.OperatorGroups, operators)
		for _, pkg := range packages {
			has := slices.ContainsFunc(g.objects.Subscriptions, func(o cluster.Subscription) bool { return o.Package == pkg })
			if g.IntN(3) > 0 && (!apart || !has) {
				g.subscribe(namespace, pkg, pick)
			}
		}
		if g.IntN(6) == 0 { // without a Subscription
			g.install(namespace, pick(packages...)+".v1")
		}
	}
	if g.IntN(6) == 0 {
		g.objects.ClusterExtensions = append(g.objects.ClusterExtensions, cluster.ClusterExtension{Name: pick("a", "b", "b-n0", "tool"), Package: "z"})
	}
	return g
}

func (g *group) addPackage(pkg string, pick func(...string) string) {
	entries := []object{}
	g.blobs = append(g.blobs, text(object{"schema": "olm.package", "name": pkg, "defaultChannel": "stable"}))
	for v := 1; v <= groupVersions; v++ {
		name := fmt.Sprintf("%s.v%d", pkg, v)
		entry := object{"name": name}
		if v > 1 {
			entry["replaces"] = fmt.Sprintf("%s.v%d", pkg, v-1)
		}
		entries = append(entries, entry)
		g.modes[name] = pick("A", "A", "OA", "O", "S", "-")
		g.labels[name] = []string{pkg}
		if g.IntN(3) == 0 {
			g.labels[name] = append(g.labels[name], "shared")
		}
		if other := map[string]string{"a": "b", "b": "a"}[pkg]; g.tight && other != "" {
			g.requires[name] = [][]string{{other}}
			g.modes[name] = "A"
		}
		for range g.IntN(3) {
			g.requires[name] = append(g.requires[name], []string{pick("a", "b", "c", "d", "shared")})
		}
		g.blobs = append(g.blobs, text(object{"schema": "olm.bundle", "package": pkg, "name": name, "image": "i", "properties": g.properties(name)}))
	}
	g.blobs = append(g.blobs, text(object{"schema": "olm.channel", "package": pkg, "name": "stable", "entries": entries}))
}

// properties are those of a bundle in the catalog, and of its ClusterServiceVersion.
func (g *group) properties(name string) []object {
	pkg, number, _ := strings.Cut(name, ".v")
	list := []object{
		{"type": "olm.package", "value": object{"packageName": pkg, "version": number + ".0.0"}},
		{"type": "olm.csv.metadata", "value": (&bundle{modes: g.modes[name]}).metadata()},
	}
	for _, l := range g.labels[name] {
		list = append(list, object{"type": "olm.label", "value": object{"label": l}})
	}
	for _, one := range g.requires[name] {
		list = append(list, object{"type": "olm.label.required", "value": object{"label": one[0]}})
	}
	return list
}

func (g *group) subscribe(namespace, pkg string, pick func(...string) string) {
	from := g.objects.CatalogSources[g.IntN(2)].Key
	s := cluster.Subscription{
		Namespace: namespace, Name: pick(pkg, pkg, "tool"), Package: pkg, Channel: pick("", "stable"), Catalog: from.Name, CatalogNamespace: from.Namespace,
		Manual: g.IntN(6) == 0, Generated: g.IntN(8) == 0, Observed: cluster.Observed{State: pick("AtLatestKnown", "AtLatestKnown", "UpgradePending", "UpgradeFailed")},
	}
	if slices.ContainsFunc(g.objects.Subscriptions, func(o cluster.Subscription) bool { return o.Namespace == namespace && o.Name == s.Name }) {
		return
	}
	if g.IntN(8) > 0 {
		s.InstalledCSV = fmt.Sprintf("%s.v%d", pkg, 1+g.IntN(groupVersions))
		g.install(namespace, s.InstalledCSV)
	}
	g.objects.Subscriptions = append(g.objects.Subscriptions, s)
}

func (g *group) install(namespace, name string) {
	pkg, number, _ := strings.Cut(name, ".v")
	if slices.ContainsFunc(g.objects.CSVs, func(c cluster.ClusterServiceVersion) bool {
		return c.Namespace == namespace && strings.HasPrefix(c.Name, pkg+".")
	}) {
		return
	}
	phase, condition := "Succeeded", cluster.OperatorCondition{Namespace: namespace, Name: name}
	if g.IntN(10) == 0 {
		phase = []string{"Failed", "Pending"}[g.IntN(2)]
	}
	if g.IntN(8) == 0 {
		condition.Status = []cluster.Condition{{Type: "Upgradeable", Status: "True"}}
	}
	csv := cluster.ClusterServiceVersion{Namespace: namespace, Name: name, Version: number + ".0.0", Phase: phase}
	// An installed operator may also require one label or another, or none of one.
	properties := g.properties(name)
	switch g.IntN(6) {
	case 0:
		properties = append(properties, required(object{"any": object{"constraints": []object{has("a"), has("shared")}}}))
		g.requires[namespace+"/"+name] = [][]string{{"a"}, {"shared"}}
	case 1:
		properties = append(properties, required(object{"not": object{"constraints": []object{has([]string{"nobody's", "a", "shared"}[g.IntN(3)])}}}))
	}
	csv.Annotations = map[string]string{cluster.AnnotationProperties: text(object{"properties": properties})}
	g.objects.CSVs = append(g.objects.CSVs, csv)
	g.objects.OperatorConditions = append(g.objects.OperatorConditions, condition)
}

func required(constraint object) object { return object{"type": "olm.constraint", "value": constraint} }

func has(label string) object {
	return object{"cel": object{"rule": fmt.Sprintf(`properties.exists(p, p.type == "olm.label" && p.value.label == %q)`, label)}}
}

// dependents are the bundles installed beside one that require a label that it alone has.
func (g *group) dependents(namespace, installed string) []string {
	with := map[string][]string{} // by label
	var beside []string
	for _, c := range g.objects.CSVs {
		if c.Namespace == namespace {
			beside = append(beside, c.Name)
			for _, l := range g.labels[c.Name] {
				with[l] = append(with[l], c.Name)
			}
		}
	}
	list := []string{}
	slices.Sort(beside)
	for _, name := range beside {
		needs := slices.Concat(g.requires[name], g.requires[namespace+"/"+name])
		if name != installed && slices.ContainsFunc(needs, func(one []string) bool { return slices.Equal(with[one[0]], []string{installed}) }) {
			list = append(list, name)
		}
	}
	return list
}

// clusterCatalog is the ClusterCatalog that a CatalogSource becomes, and whether it is made.
func (g *group) clusterCatalog(k catalog.Key) (made cluster.ClusterCatalog, create bool) {
	at := slices.IndexFunc(g.objects.CatalogSources, func(s cluster.CatalogSource) bool { return s.Key == k })
	source, other := g.objects.CatalogSources[at], g.objects.CatalogSources[1-at]
	taken := map[string]bool{}
	for _, c := range g.objects.ClusterCatalogs {
		if c.Image == source.Image {
			return c, false
		}
		taken[c.Name] = true
	}
	if source.Image == other.Image && !taken[k.Name] {
		source = g.objects.CatalogSources[0] // they become one, as the first
	}
	made = cluster.ClusterCatalog{Name: k.Name, Image: source.Image, Priority: source.Priority}
	if taken[k.Name] || source.Image != other.Image {
		made.Name += "-" + k.Namespace
	}
	if taken[made.Name] {
		made.Name = k.Name + "-" + k.Namespace + "-2"
	}
	if !strings.Contains(source.Image, "@") {
		made.PollMinutes = map[string]int{"10m": 10, "20s": 1}[source.PollInterval]
	}
	return made, true
}

// helps are the changes that help with a check that fails, in short.
func (g *group) helps(s *cluster.Subscription, row *migrate.Row, id string) []string {
	twins := slices.ContainsFunc(g.objects.Subscriptions, func(o cluster.Subscription) bool { return o.Package == s.Package && o.Namespace != s.Namespace })
	switch id {
	case "C1":
		at := slices.IndexFunc(g.objects.OperatorGroups, func(o cluster.OperatorGroup) bool { return o.Namespace == s.Namespace })
		field := "spec.selector"
		if len(g.objects.OperatorGroups[at].TargetNamespaces) > 0 {
			field = "spec.targetNamespaces"
		}
		switch modes := g.modes[s.InstalledCSV]; {
		case row.Installed != "" && modes != "-" && !strings.Contains(modes, "A"):
			return nil
		case twins:
			return nil
		default:
			return []string{"widens OperatorGroup " + s.Namespace + "/all " + field}
		}
	case "C1a", "V1":
		installs := func(v int) bool {
			modes := g.modes[fmt.Sprintf("%s.v%d", s.Package, v)]
			return modes == "-" || strings.Contains(modes, "A")
		}
		for v := 1; v <= groupVersions; v++ {
			name := fmt.Sprintf("%s.v%d", s.Package, v)
			// OLM v1 goes on to the next version, unless it is pinned.
			if name > row.Installed && installs(v) && (s.Manual || v == groupVersions || installs(v+1)) {
				return []string{"none update it with OLM v0 to " + name}
			}
		}
		return []string{"none others: ask the publisher of " + s.Package}
	case "C8":
		at := slices.IndexFunc(g.objects.CSVs, func(c cluster.ClusterServiceVersion) bool {
			return c.Namespace == s.Namespace && c.Name == row.Installed
		})
		switch {
		case at < 0:
			return []string{"none install it with OLM v1 at once"}
		case g.objects.CSVs[at].Phase == "Failed":
			return []string{"none ClusterServiceVersion " + s.Namespace + "/" + row.Installed + " find out"}
		default:
			return []string{"none ClusterServiceVersion " + s.Namespace + "/" + row.Installed + " wait"}
		}
	case "U1":
		return []string{"removes keep one of the Subscriptions"}
	case "G1":
		return []string{"none OperatorGroup " + s.Namespace + "/" + s.Namespace + " create"}
	case "C9":
		if len(row.Dependents) > 0 {
			return []string{"none leave it with OLM v0"}
		}
		return []string{"none Subscription " + s.Namespace + "/" + s.Name + " metadata.annotations[olm.generated-by]"}
	}
	return nil
}

// short is a change as helps has it.
func short(c migrate.Change, like []string) string {
	line := c.Risk + " "
	if c.Object != nil {
		line += c.Object.Kind + " " + c.Object.Namespace + "/" + c.Object.Name + " "
	}
	if c.Others {
		line += "others: "
	}
	if c.Field != "" {
		return line + c.Field
	}
	line += c.Text
	for _, l := range like {
		if strings.HasPrefix(line, l) {
			return l
		}
	}
	return line
}

func TestReading(t *testing.T) {
	seen := map[string]int{}
	for seed := range uint64(testkit.Scale(400, 10000)) {
		g := newGroup(seed)
		snapshot, err := cache.Parse(t.Context(), []byte(strings.Join(g.blobs, "\n")), cache.Options{})
		require.NoError(t, err)
		catalogs := []cache.Catalog{{Key: shopEast, Snapshot: snapshot}, {Key: shopWest, Snapshot: snapshot}}
		for _, c := range g.objects.ClusterCatalogs {
			if g.IntN(2) == 0 {
				catalogs = append(catalogs, cache.Catalog{Key: catalog.Key{Name: c.Name}, Snapshot: snapshot})
			}
		}
		problem := resolver.Problem{Cluster: cluster.NewIndex(g.objects), Catalogs: cache.NewView(catalogs)}
		problem.Options.GlobalNamespaces = []string{"east", "west"}
		plan, err := migrate.Judge(t.Context(), resolver.New(), problem)
		require.NoError(t, err)
		g.checkRows(t, problem, plan, seed, seen)
		g.checkOrder(t, plan, seed, seen)
		var orphans []string
		for _, c := range g.objects.CSVs {
			if !slices.ContainsFunc(g.objects.Subscriptions, func(s cluster.Subscription) bool { return s.Namespace == c.Namespace && s.InstalledCSV == c.Name }) {
				orphans = append(orphans, c.Namespace+"/"+c.Name)
			}
		}
		require.ElementsMatch(t, orphans, plan.Orphans, "seed %d", seed)
	}
	for _, what := range []string{
		"dependents", "v0 moves", "v0 stays", "v0 fails", "adopted", "created", "renamed", "eligible before what it depends on", "a cycle",
		"C1", "C1a", "C4", "C8", "C9", "V1", "acknowledged",
	} {
		assert.Positive(t, seen[what], what)
	}
	t.Log(seen)
}

func (g *group) checkRows(t *testing.T, problem resolver.Problem, plan *migrate.Plan, seed uint64, seen map[string]int) {
	require.Len(t, plan.Rows, len(g.objects.Subscriptions))
	names := map[string]int{}
	for _, s := range g.objects.Subscriptions {
		names[s.Name]++
	}
	for _, e := range g.objects.ClusterExtensions {
		names[e.Name]++
	}
	taken := map[string]bool{}
	for _, s := range g.objects.Subscriptions {
		row := &plan.Rows[slices.IndexFunc(plan.Rows, func(r migrate.Row) bool { return r.Namespace == s.Namespace && r.Subscription == s.Name })]
		about := fmt.Sprintf("seed %d: %+v\n%+v", seed, s, row)
		installed := ""
		if slices.ContainsFunc(g.objects.CSVs, func(c cluster.ClusterServiceVersion) bool {
			return c.Namespace == s.Namespace && c.Name == s.InstalledCSV
		}) {
			installed = s.InstalledCSV
		}
		require.Equal(t, installed, row.Installed, about)
		dependents := []string{}
		if installed != "" {
			dependents = g.dependents(s.Namespace, installed)
		}
		require.Equal(t, dependents, row.Dependents, about)
		seen["dependents"] += len(dependents)

		if want, create := g.clusterCatalog(catalog.Key{Namespace: s.CatalogNamespace, Name: s.Catalog}); true {
			require.Equal(t, want.Name, row.Catalog, about)
			made := slices.ContainsFunc(plan.Objects.ClusterCatalogs, func(c cluster.ClusterCatalog) bool { return reflect.DeepEqual(c, want) })
			if row.State == migrate.Eligible {
				require.Equal(t, create, made, about)
			}
			seen[map[bool]string{true: "created", false: "adopted"}[create]]++
		}
		require.False(t, taken[row.ClusterExtension], about)
		taken[row.ClusterExtension] = true
		if names[s.Name] == 1 {
			require.Equal(t, s.Name, row.ClusterExtension, about)
		} else {
			require.Regexp(t, "^"+s.Name+"-"+s.Namespace+"(-[2-9])?$", row.ClusterExtension, about)
			require.False(t, slices.ContainsFunc(g.objects.ClusterExtensions, func(e cluster.ClusterExtension) bool { return e.Name == row.ClusterExtension }), about)
			seen["renamed"]++
		}
		g.checkNext(t, problem, &s, row, about, seen)

		var changes, want []string
		var failing []migrate.Check
		hard := false
		for _, c := range row.Checks {
			if c.Result == migrate.Fails {
				failing, hard = append(failing, c), hard || c.Hard
				seen[c.ID]++
			}
		}
		require.Equal(t, len(failing) > 0, row.State == migrate.Ineligible, about)
		for _, c := range failing {
			of := g.helps(&s, row, c.ID)
			want = append(want, of...)
			for _, made := range row.Changes {
				if made.Check == c.ID && !made.Acknowledge {
					changes = append(changes, short(made, of))
				}
			}
			acknowledged := slices.ContainsFunc(row.Changes, func(made migrate.Change) bool {
				return made.Check == c.ID && made.Acknowledge && strings.HasPrefix(made.Text, "acknowledge it with --acknowledge "+c.ID+", if ") && made.Risk == "none"
			})
			require.Equal(t, !hard && (c.ID != "C8" || installed != ""), acknowledged, about)
			if acknowledged {
				seen["acknowledged"]++
			}
		}
		require.Equal(t, want, changes, about)
	}
}

// checkNext compares what is installed next with what resolving gives: the namespace as it is
// for OLM v0, and the channel for OLM v1.
func (g *group) checkNext(t *testing.T, problem resolver.Problem, s *cluster.Subscription, row *migrate.Row, about string, seen map[string]int) {
	problem.Options.NoFixes = true
	resolution, err := resolver.New().Resolve(t.Context(), problem, cluster.InNamespace(s.Namespace))
	switch {
	case err != nil:
		seen["v0 fails"]++
	default:
		v0 := ""
		for _, i := range resolution.Installs {
			if i.Bundle.Package == s.Package {
				v0 = i.Bundle.Name
			}
		}
		require.Equal(t, v0, row.Next.V0, about)
		seen[map[bool]string{true: "v0 moves", false: "v0 stays"}[v0 != ""]]++
	}
	if row.Next.Fails {
		seen["v1 fails"]++
		require.Contains(t, row.Next.Why, "OLM v1 would fail: ", about)
	}
	require.Equal(t, row.Next.V0 != row.Next.V1 || row.Next.Fails, row.Next.Why != "", about)
}

// checkOrder takes the eligible operators one after another: the first by namespace and name
// on which no other one depends that is still there, or else the first.
func (g *group) checkOrder(t *testing.T, plan *migrate.Plan, seed uint64, seen map[string]int) {
	var left []*migrate.Row
	for i := range plan.Rows {
		if row := &plan.Rows[i]; row.State == migrate.Eligible {
			left = append(left, row)
		} else {
			require.Zero(t, row.Order, "seed %d: %+v", seed, row)
		}
	}
	require.Len(t, plan.Objects.ClusterExtensions, len(left))
	for n := 1; len(left) > 0; n++ {
		at := -1
		for i, row := range left {
			waits := slices.ContainsFunc(left, func(o *migrate.Row) bool {
				return o.Namespace == row.Namespace && o.Installed != row.Installed && slices.Contains(row.Dependents, o.Installed)
			})
			if !waits && at < 0 {
				at = i
			}
		}
		if at < 0 {
			at = 0
			seen["a cycle"]++
		} else if at > 0 {
			seen["eligible before what it depends on"]++
		}
		require.Equal(t, n, left[at].Order, "seed %d: %+v", seed, plan.Rows)
		made := plan.Objects.ClusterExtensions[n-1]
		require.Equal(t, left[at].ClusterExtension, made.Name, "seed %d", seed)
		require.Nil(t, made.Installed, "seed %d: its status is OLM's", seed)
		left = slices.Delete(left, at, at+1)
	}
}
