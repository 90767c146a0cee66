package check_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/constraints/versionrange"
	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/resolver"
	"github.com/resolvent/resolvent/resolver/check"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/testdata/testkit"
)

// A change of a catalog is reported if and only if some answer, update or row differs: for a new
// request by each channel and for each bundle, and for each bundle installed, also one that only
// an edge or a range names, with each channel and with OLM v1; or if check finds others stopped.
func TestDifferenceIsWhatUsersNotice(t *testing.T) {
	known := map[bool]int{}
	for seed := range testkit.Seeds(t, 12) {
		r := rand.New(rand.NewPCG(seed, 9))
		before := somePackage(r)
		after := cloned(t, before)
		var edits []string
		for range 1 + r.IntN(2) {
			edits = append(edits, edit(r, &after))
		}
		if r.IntN(4) == 0 {
			r.Shuffle(len(after), func(i, j int) { after[i], after[j] = after[j], after[i] })
		}
		known[noticed(t, before, after, edits)]++
	}
	t.Logf("%d edits that users notice, %d that they do not", known[true], known[false])
}

// So it is for packages of a real catalog.
func TestDifferenceOfRealPackages(t *testing.T) {
	root := testkit.Shared(t, "catalogs", "community-v4.19")
	entries, err := os.ReadDir(root)
	require.NoError(t, err)
	known := map[bool]int{}
	for seed := range testkit.Seeds(t, 4) {
		r := rand.New(rand.NewPCG(seed, 10))
		var before blobList
		for len(before) == 0 || len(before) > 14 || bytes.Contains(before.text(t), []byte("required")) { // other packages are missing
			before = readBlobs(t, filepath.Join(root, entries[r.IntN(len(entries))].Name()))
		}
		after := cloned(t, before)
		known[noticed(t, before, after, []string{edit(r, &after)})]++
	}
	t.Logf("%d edits that users notice, %d that they do not", known[true], known[false])
}

type blobList []map[string]any

func readBlobs(t *testing.T, dir string) (list blobList) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.json"))
	require.NoError(t, err)
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		for from := json.NewDecoder(bytes.NewReader(text)); from.More(); {
			var blob map[string]any
			require.NoError(t, from.Decode(&blob))
			list = append(list, blob)
		}
	}
	return list
}

func (l blobList) text(t *testing.T) []byte {
	t.Helper()
	var out []byte
	for _, blob := range l {
		text, err := json.Marshal(blob)
		require.NoError(t, err)
		out = append(append(out, text...), '\n')
	}
	return out
}

func cloned(t *testing.T, list blobList) (copies blobList) {
	t.Helper()
	for from := json.NewDecoder(bytes.NewReader(list.text(t))); from.More(); {
		var blob map[string]any
		require.NoError(t, from.Decode(&blob))
		copies = append(copies, blob)
	}
	return copies
}

// of returns the blobs with a schema.
func (l blobList) of(schema string) (list blobList) {
	for _, blob := range l {
		if blob["schema"] == schema {
			list = append(list, blob)
		}
	}
	return list
}

func (l blobList) names() (names []any) {
	for _, blob := range l {
		names = append(names, blob["name"])
	}
	return names
}

// somePackage returns a package of a few versions in one or two channels.
func somePackage(r *rand.Rand) (list blobList) {
	versions := []string{"1.0.0", "1.1.0", "1.1.1", "2.0.0"}[:2+r.IntN(3)]
	list = append(list, map[string]any{"schema": "olm.package", "name": "p", "defaultChannel": "c"})
	for i, name := range []string{"c", "d"}[:1+r.IntN(2)] {
		var entries []any
		for n, v := range versions[i:] {
			e := map[string]any{"name": "p.v" + v}
			if n > 0 {
				e["replaces"] = "p.v" + versions[i+n-1]
			}
			if r.IntN(4) == 0 {
				e["skipRange"] = ">=1.0.0 <" + v
			}
			entries = append(entries, e)
		}
		list = append(list, map[string]any{"schema": "olm.channel", "package": "p", "name": name, "entries": entries})
	}
	for _, v := range versions {
		list = append(list, map[string]any{"schema": "olm.bundle", "package": "p", "name": "p.v" + v, "image": "i:" + v, "properties": []any{
			map[string]any{"type": "olm.package", "value": map[string]any{"packageName": "p", "version": v}},
			map[string]any{"type": "olm.gvk", "value": map[string]any{"group": "g", "version": "v1", "kind": "K"}},
			map[string]any{"type": "olm.csv.metadata", "value": map[string]any{"installModes": []any{map[string]any{"type": "AllNamespaces", "supported": true}}}},
		}})
	}
	return list
}

func pick[T any](r *rand.Rand, list []T) T { return list[r.IntN(len(list))] }

// edit changes something, or only how it is written, and says what.
func edit(r *rand.Rand, list *blobList) string {
	channels, bundles := list.of("olm.channel"), list.of("olm.bundle")
	if len(channels) == 0 || len(bundles) == 0 {
		return "nothing"
	}
	channel, bundle := pick(r, channels), pick(r, bundles)
	entries, _ := channel["entries"].([]any)
	if len(entries) == 0 {
		return "nothing"
	}
	entry := pick(r, entries).(map[string]any)
	anyName := pick(r, append(bundles.names(), "p.v0.9.0"))
	at := fmt.Sprint(" ", channel["name"], " ", entry["name"])
	of := fmt.Sprint(" ", bundle["name"])
	props, _ := bundle["properties"].([]any)
	add := func(propertyType string, value any) {
		bundle["properties"] = append(props, map[string]any{"type": propertyType, "value": value})
	}
	metadata := map[string]any{}
	for _, p := range props {
		if p := p.(map[string]any); p["type"] == "olm.csv.metadata" {
			metadata = p["value"].(map[string]any)
		}
	}
	switch r.IntN(24) {
	case 0:
		delete(entry, "replaces")
		return "no replaces" + at
	case 1:
		entry["replaces"] = anyName
		return fmt.Sprint("replaces ", anyName, at)
	case 2:
		skips, _ := entry["skips"].([]any)
		entry["skips"] = append(skips, anyName)
		return fmt.Sprint("skips ", anyName, at)
	case 3:
		delete(entry, "skips")
		return "no skips" + at
	case 4:
		entry["skipRange"] = pick(r, []string{">=1.0.0 <1.1.0", "<1.1.1", ">=1.0.0  <1.1.0", "<2.0.0-0"})
		return fmt.Sprint("skipRange ", entry["skipRange"], at)
	case 5:
		delete(entry, "skipRange")
		return "no skipRange" + at
	case 6:
		slices.Reverse(entries)
		return "order of entries" + at
	case 7:
		channel["entries"] = slices.DeleteFunc(entries, func(e any) bool { return e.(map[string]any)["name"] == entry["name"] })
		return "no entry" + at
	case 8:
		channel["entries"] = append(entries, map[string]any{"name": anyName, "replaces": entry["name"]})
		return fmt.Sprint("entry ", anyName, at)
	case 9:
		*list = slices.DeleteFunc(*list, func(b map[string]any) bool { return b["schema"] == "olm.bundle" && b["name"] == bundle["name"] })
		return "no bundle" + of
	case 10:
		bundle["image"] = "other"
		return "image" + of
	case 11:
		metadata["installModes"] = []any{map[string]any{"type": "OwnNamespace", "supported": true}}
		return "modes" + of
	case 12:
		metadata["minKubeVersion"] = pick(r, []string{"1.20.0", "1.28.0"})
		return "minKubeVersion" + of
	case 13:
		add("olm.maxOpenShiftVersion", pick(r, []string{"4.12", "4.18"}))
		return "maxOpenShiftVersion" + of
	case 14:
		add("olm.gvk", map[string]any{"group": "g", "version": pick(r, []string{"v1", "v2"}), "kind": "K"})
		return "gvk" + of
	case 15:
		add("olm.package.required", map[string]any{"packageName": pick(r, []string{"p", "q"}), "versionRange": ">=1.0.0"})
		return "requirement" + of
	case 16:
		add(pick(r, []string{"custom", "olm.deprecated", "olm.bundle.object"}), map[string]any{"data": ""})
		return "property" + of
	case 17:
		metadata["description"], bundle["relatedImages"], channel["note"] = "x", []any{}, "y"
		return "what nobody reads" + of
	case 18:
		metadata["annotations"] = map[string]any{"a": "b"}
		return "annotation" + of
	case 19:
		*list = append(*list, map[string]any{"schema": "olm.deprecations", "package": bundle["package"], "entries": []any{map[string]any{
			"reference": pick(r, []map[string]any{{"schema": "olm.package"}, {"schema": "olm.channel", "name": channel["name"]}, {"schema": "olm.bundle", "name": bundle["name"]}}), "message": "old"}}})
		return "deprecation" + of + at
	case 20:
		(*list)[slices.IndexFunc(*list, func(b map[string]any) bool { return b["schema"] == "olm.package" })]["defaultChannel"] = pick(r, channels.names())
		return "default channel"
	case 21:
		if len(channels) > 1 {
			*list = slices.DeleteFunc(*list, func(b map[string]any) bool { return b["schema"] == "olm.channel" && b["name"] == channel["name"] })
		}
		return "no channel" + at
	case 22:
		bundle["properties"] = slices.DeleteFunc(slices.Clone(props), func(p any) bool { return p.(map[string]any)["type"] == "olm.gvk" })
		return "no gvk" + of
	}
	slices.Reverse(props)
	return "order of properties" + of
}

// noticed reports whether an answer differs, and requires that the changes say the same.
func noticed(t *testing.T, before, after blobList, edits []string) bool {
	t.Helper()
	read := func(list blobList) *catalog.Snapshot {
		s, err := cache.Parse(t.Context(), list.text(t), cache.Options{})
		require.NoError(t, err)
		return s
	}
	was, is := read(before), read(after)
	d, err := check.Diff(t.Context(), catalog.Key{Namespace: "olm", Name: "a"}, was, is, check.Options{})
	require.NoError(t, err)
	problems := questions(was, is)
	var targets []string // each is a goal of paths
	for _, s := range []*catalog.Snapshot{was, is} {
		for id := range catalog.ID(s.Len()) {
			targets = append(targets, s.Bundle(id).Name)
		}
	}
	slices.Sort(targets)
	targets = slices.Compact(targets)
	beside := dependents(was, is)
	then, now := answers(t, was, beside, problems, targets), answers(t, is, beside, problems, targets)
	difference := ""
	for i := range then {
		if then[i] != now[i] {
			difference = fmt.Sprintf("%+v\nbefore: %s\nafter:  %s", problems[i], then[i], now[i])
			break
		}
	}
	if a, b := stoppedBy(t, before), stoppedBy(t, after); difference == "" && !slices.Equal(a, b) {
		difference = fmt.Sprintf("check says that there are stopped\nbefore: %s\nafter:  %s", a, b)
	}
	require.Equal(t, difference != "", len(d.Changes) > 0, "%s\n%s\n%+v\n%s----\n%s", strings.Join(edits, ", "), difference, d.Changes, before.text(t), after.text(t))
	return difference != ""
}

// stoppedBy returns whom check finds stopped.
func stoppedBy(t *testing.T, list blobList) []string {
	t.Helper()
	report, err := check.Run(t.Context(), []check.Catalog{catalogOf(t, "a", string(list.text(t)))}, check.Options{})
	require.NoError(t, err)
	all := map[string]bool{}
	for _, f := range report.Findings {
		for _, s := range f.Stops {
			for _, name := range s.Installed {
				all[s.Channel+" "+name] = true
			}
			all[fmt.Sprint(s.Channel, " new ", s.New)] = true
		}
	}
	return slices.Sorted(maps.Keys(all))
}

// questions are clusters with one request each.
func questions(states ...*catalog.Snapshot) (list []cluster.Objects) {
	var pkg string
	channels, names := map[string]bool{"": true}, map[string]string{}
	bundles := map[string]bool{}
	ghosts := map[string]bool{}
	for _, s := range states {
		for p := range s.Packages() {
			pkg = p.Name
			for _, c := range p.Channels {
				channels[c.Name] = true
				for i := range c.Entries {
					e := &c.Entries[i]
					names[e.Name] += ""
					for name := range e.Edges() {
						names[name] += ""
					}
					for _, v := range samples(e.SkipRange) {
						ghosts[v] = true
					}
				}
			}
			for _, id := range p.Bundles {
				b := s.Bundle(id)
				names[b.Name], bundles[b.Name] = b.Version.String(), true
			}
		}
	}
	add := func(channel, starting, installed, version string) {
		o := cluster.Objects{
			Subscriptions: []cluster.Subscription{{Namespace: "n", Name: "s", Package: pkg, Channel: channel, Catalog: "a", CatalogNamespace: "olm", StartingCSV: starting, InstalledCSV: installed}},
		}
		if installed != "" {
			set, _ := properties.Decode([]properties.Property{properties.NewProperty(properties.TypePackage, map[string]any{"packageName": pkg, "version": version})}, nil)
			o.CSVs = []cluster.ClusterServiceVersion{{Namespace: "n", Name: installed, Version: version, Stated: set, Phase: "Succeeded"}}
		}
		for _, target := range []string{"", "n"} {
			o.OperatorGroups = []cluster.OperatorGroup{{Namespace: "n", Name: "g", HasStatus: true, StatusNamespaces: []string{target}}}
			list = append(list, o)
		}
	}
	extension := func(installed, version, wanted string, any bool) {
		e := cluster.ClusterExtension{Name: "e", Namespace: "n", Package: pkg, Version: wanted, SelfCertified: any}
		if installed != "" {
			e.Installed = &cluster.InstalledExtension{Name: installed, Version: version}
		}
		list = append(list, cluster.Objects{ClusterExtensions: []cluster.ClusterExtension{e}})
	}
	sorted := slices.Sorted(maps.Keys(names))
	for _, channel := range slices.Sorted(maps.Keys(channels)) {
		add(channel, "", "", "")
		for _, name := range sorted {
			version := names[name]
			if version == "" {
				version = "0.0.1"
			}
			add(channel, "", name, version)
			if channel != "" && bundles[name] {
				add(channel, name, "", "")
			}
		}
		for _, v := range slices.Sorted(maps.Keys(ghosts)) {
			add(channel, "", "ghost.v", v)
		}
	}
	for p := range dependents(states...).Packages() {
		o := cluster.Objects{Subscriptions: []cluster.Subscription{{Namespace: "n", Name: "s", Package: p.Name, Channel: "c", Catalog: "b", CatalogNamespace: "olm"}}}
		list = append(list, o)
	}
	extension("", "", "", false)
	for _, name := range sorted {
		version := names[name]
		if version == "" {
			version = "0.0.1"
		}
		extension(name, version, "", false)
		for _, wanted := range sorted { // its range may lead down
			if bundles[name] && bundles[wanted] && wanted < name {
				extension(name, version, names[wanted], false)
			}
		}
		extension("", "", version, true)
	}
	return list
}

// dependents returns a catalog of packages that each require a version of a package.
func dependents(states ...*catalog.Snapshot) *catalog.Snapshot {
	var text strings.Builder
	seen := map[string]bool{}
	for _, s := range states {
		for id := range catalog.ID(s.Len()) {
			b := s.Bundle(id)
			name := fmt.Sprintf("%s-%s-needed", b.Package, b.Version)
			if !seen[name] {
				seen[name] = true
				text.WriteString(pkg(name) + channel(name, "c", "{name: "+name+".v1}") + bundle(name, 1, needsRange(b.Package, "="+b.Version.String())))
			}
		}
	}
	s, err := cache.Parse(context.Background(), []byte(text.String()), cache.Options{})
	if err != nil {
		panic(err)
	}
	return s
}

func samples(r versionrange.Range) (texts []string) {
	if r.IsZero() {
		return nil
	}
	for _, v := range r.Samples() {
		texts = append(texts, v.String())
	}
	return texts
}

// answers returns all that the answers to questions say.
func answers(t *testing.T, s, beside *catalog.Snapshot, problems []cluster.Objects, targets []string) []string {
	t.Helper()
	r := resolver.New()
	view := cache.NewView([]cache.Catalog{{Key: catalog.Key{Namespace: "olm", Name: "a"}, Snapshot: s}, {Key: catalog.Key{Name: "a"}, Snapshot: s}, {Key: catalog.Key{Namespace: "olm", Name: "b"}, Snapshot: beside}})
	list := make([]string, len(problems))
	for i, objects := range problems {
		known := cluster.NewIndex(objects)
		p := resolver.Problem{Cluster: known, Catalogs: view}
		var text strings.Builder
		for _, o := range r.ResolveAll(t.Context(), p, known.Scopes()) {
			fmt.Fprintln(&text, o.Result(), o.Messages())
			if o.Resolution == nil {
				continue
			}
			for _, install := range o.Resolution.Installs {
				fmt.Fprintln(&text, install.Bundle, install.Version, install.Channel, install.Image, install.Replaces)
				stated := map[string]bool{} // nobody notices their order or repeats
				for _, p := range install.Properties.Canonical() {
					if p.Type != properties.TypeBundleObject && p.Type != properties.TypeCSVMetadata {
						stated[fmt.Sprintf("%s %s", p.Type, p.Value)] = true
					}
				}
				fmt.Fprintln(&text, slices.Sorted(maps.Keys(stated)))
				if m := install.Properties.Metadata(); m != nil {
					fmt.Fprintln(&text, m.StatesModes(), m.SupportedText(), m.MinKubeVersion, maps.Collect(m.Annotations()), maps.Collect(m.Labels()))
				}
			}
			fmt.Fprintln(&text, o.Resolution.Operations())
			for _, w := range slices.Concat(o.Resolution.Warnings, o.Resolution.Refusals) {
				fmt.Fprintln(&text, w.Message())
			}
		}
		rows, err := r.Status(t.Context(), p, known.Scopes(), nil)
		require.NoError(t, err)
		for _, row := range rows {
			fmt.Fprintln(&text, row.State, row.Next, row.Head, row.Steps, result.Of(row.Err))
			for _, remark := range row.Remarks {
				fmt.Fprintln(&text, remark.Message())
			}
		}
		for _, request := range objects.Subscriptions {
			if request.InstalledCSV == "" {
				continue
			}
			for _, to := range targets {
				path, err := r.Path(t.Context(), p, request.Key(), to)
				fmt.Fprintln(&text, to, err)
				if err == nil {
					for _, step := range path.Steps {
						fmt.Fprintln(&text, step.Channel, step.Bundle)
					}
				}
			}
		}
		list[i] = text.String()
	}
	return list
}
