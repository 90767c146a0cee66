package repair_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/blang/semver/v4"
	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/resolver/check"
	"github.com/resolvent/resolvent/resolver/check/internal/edit"
	"github.com/resolvent/resolvent/resolver/check/internal/finding"
	"github.com/resolvent/resolvent/resolver/check/repair"
	"github.com/resolvent/resolvent/testdata/testkit"
)

// blobs is a catalog as plain JSON values, one blob a line.
type blobs []map[string]any

func (b blobs) text() string { return b.textWith(nil) }

// textWith takes the lines of bundles from those that are known, by their addresses.
func (b blobs) textWith(known map[uintptr]string) string {
	var lines []string
	for _, blob := range b {
		line := known[reflect.ValueOf(blob).Pointer()]
		if line == "" {
			text, _ := json.Marshal(blob)
			line = string(text)
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n") + "\n"
}

func (b blobs) clone() blobs { return readBlobs([]byte(b.text())) }

// beside returns a copy that shares the bundles.
func (b blobs) beside() blobs {
	next := slices.Clone(b)
	for i, blob := range b {
		if blob["schema"] != "olm.bundle" {
			next[i] = blobs{blob}.clone()[0]
		}
	}
	return next
}

// lines returns the lines of the bundles, by their addresses.
func (b blobs) lines() map[uintptr]string {
	known := map[uintptr]string{}
	for _, bundle := range b.of("olm.bundle") {
		known[reflect.ValueOf(bundle).Pointer()] = strings.TrimSpace(blobs{bundle}.text())
	}
	return known
}

func readBlobs(text []byte) (list blobs) {
	for line := range bytes.Lines(text) {
		var blob map[string]any
		_ = json.Unmarshal(line, &blob)
		list = append(list, blob)
	}
	return list
}

func (b blobs) of(schema string) (list []map[string]any) {
	for _, blob := range b {
		if blob["schema"] == schema {
			list = append(list, blob)
		}
	}
	return list
}

func entriesOf(channel map[string]any) (list []map[string]any) {
	entries, _ := channel["entries"].([]any)
	for _, e := range entries {
		list = append(list, e.(map[string]any))
	}
	return list
}

func texts(list any) (names []string) {
	all, _ := list.([]any)
	for _, v := range all {
		names = append(names, fmt.Sprint(v))
	}
	return names
}

// sound returns a package of a few versions in one or two channels.
func sound(r *rand.Rand) blobs {
	var versions []string
	for minor := range 1 + r.IntN(3) {
		for patch := range 1 + r.IntN(2) {
			versions = append(versions, fmt.Sprintf("1.%d.%d", minor, patch))
		}
	}
	list := blobs{{"schema": "olm.package", "name": "p", "defaultChannel": "a"}}
	for _, name := range []string{"a", "b"}[:1+r.IntN(2)] {
		var entries []any
		below := ""
		for i, v := range versions {
			if name == "b" && r.IntN(4) == 0 {
				continue
			}
			e := map[string]any{"name": "p.v" + v}
			if below != "" {
				e["replaces"] = below
			}
			if i > 0 && r.IntN(4) == 0 {
				e["skipRange"] = ">=1.0.0 <" + v
			}
			below = "p.v" + v
			entries = append(entries, e)
		}
		if len(entries) > 0 {
			list = append(list, map[string]any{"schema": "olm.channel", "package": "p", "name": name, "entries": entries})
		}
	}
	for _, v := range versions {
		list = append(list, map[string]any{"schema": "olm.bundle", "package": "p", "name": "p.v" + v, "image": "i", "properties": []any{
			map[string]any{"type": "olm.package", "value": map[string]any{"packageName": "p", "version": v}}}})
	}
	return list
}

// faults are what a publisher does wrong. Each changes one thing.
var faults = []func(r *rand.Rand, b blobs){
	func(r *rand.Rand, b blobs) { delete(someEntry(r, b), "replaces") },
	func(r *rand.Rand, b blobs) { someEntry(r, b)["replaces"] = someEntry(r, b)["name"] },
	func(r *rand.Rand, b blobs) { someEntry(r, b)["skips"] = []any{someEntry(r, b)["name"]} },
	func(r *rand.Rand, b blobs) { someEntry(r, b)["skipRange"] = ">=1.0.0" },
	func(r *rand.Rand, b blobs) { someEntry(r, b)["skipRange"] = "<v1.9" },
	func(r *rand.Rand, b blobs) { // an entry is forgotten
		c := some(r, b.of("olm.channel"))
		if entries := c["entries"].([]any); len(entries) > 1 {
			i := r.IntN(len(entries))
			c["entries"] = slices.Delete(slices.Clone(entries), i, i+1)
		}
	},
	func(r *rand.Rand, b blobs) { // a bundle is forgotten
		if list := b.of("olm.bundle"); len(list) > 1 {
			some(r, list)["schema"] = "else"
		}
	},
	func(r *rand.Rand, b blobs) {
		e := someEntry(r, b)
		if name, ok := e["replaces"].(string); ok {
			e["replaces"] = strings.Replace(name, ".v", ".", 1)
		}
	},
	func(r *rand.Rand, b blobs) { b[0]["defaultChannel"] = "aa" },
	func(r *rand.Rand, b blobs) {
		stated := packageOf(some(r, b.of("olm.bundle")))
		stated["version"] = "v" + fmt.Sprint(stated["version"])
	},
	func(r *rand.Rand, b blobs) {
		bundle := some(r, b.of("olm.bundle"))
		bundle["properties"] = append(bundle["properties"].([]any), map[string]any{"type": "olm.gkv", "value": map[string]any{"group": "g", "kind": "K", "version": "v1"}})
	},
	func(r *rand.Rand, b blobs) {
		c, e := some(r, b.of("olm.channel")), someEntry(r, b)
		c["entries"] = append(c["entries"].([]any), map[string]any{"name": e["name"], "replaces": b.of("olm.bundle")[0]["name"]})
	},
}

// packageOf returns the value of the olm.package property of a bundle.
func packageOf(bundle map[string]any) map[string]any {
	properties, _ := bundle["properties"].([]any)
	for _, p := range properties {
		if p := p.(map[string]any); p["type"] == "olm.package" {
			return p["value"].(map[string]any)
		}
	}
	return map[string]any{}
}

// ending is the version with which names end.
var ending = regexp.MustCompile(`\d+\.\d+\.\d+.*$`)

func some(r *rand.Rand, list []map[string]any) map[string]any { return list[r.IntN(len(list))] }

func someEntry(r *rand.Rand, b blobs) map[string]any {
	return some(r, entriesOf(some(r, b.of("olm.channel"))))
}

// observed is what a check finds, and what users can do.
type observed struct {
	all      map[finding.Identity]bool
	bundles  map[string]bool             // usable
	listed   map[[2]string]bool          // channel and usable bundle
	ways     map[[2]string]bool          // channel and name, from which updates lead to the head
	promised map[[2]string]bool          // ways that a channel without order states
	skipped  map[[2]string]bool          // channel and name that an entry skips
	ordered  map[string]bool             // channels
	stated   map[string][]map[string]any // entries, several of one name too, by channel and name
	older    map[[3]string]bool          // channel, entry and newer version that it replaces
	entries  map[string]bool             // names that some channel lists
	highest  map[string]semver.Version   // of the heads of each channel, or of its entries without one
	head     map[string]semver.Version   // of a channel with an order
}

// names are judged beside those of bundles.
func observe(t testing.TB, b blobs, known map[uintptr]string, names map[string]bool) (*observed, check.Catalog, *check.Report) {
	c, report := checked(t, fstest.MapFS{"c.json": {Data: []byte(b.textWith(known))}}, "")
	o := &observed{map[finding.Identity]bool{}, map[string]bool{}, map[[2]string]bool{}, map[[2]string]bool{}, map[[2]string]bool{}, map[[2]string]bool{}, map[string]bool{}, map[string][]map[string]any{}, map[[3]string]bool{}, map[string]bool{}, map[string]semver.Version{}, map[string]semver.Version{}}
	for _, id := range report.All.Identities() {
		o.all[id] = true
	}
	p := c.Checked.Snapshot.Package(fmt.Sprint(b.of("olm.package")[0]["name"]))
	if p == nil {
		return o, c, report
	}
	version := map[string]semver.Version{}
	for _, id := range p.Bundles {
		bundle := c.Checked.Snapshot.Bundle(id)
		o.bundles[bundle.Name], version[bundle.Name] = true, bundle.Version
	}
	for _, channel := range b.of("olm.channel") {
		name := channel["name"].(string)
		if p.Channel(name) == nil {
			continue
		}
		top := p.Channel(name).Head()
		o.ordered[name] = top != nil
		if top != nil && o.bundles[top.Name] {
			o.head[name] = version[top.Name]
		}
		superseded := map[string]bool{}
		for _, e := range entriesOf(channel) {
			o.entries[fmt.Sprint(e["name"])] = true
			for _, low := range append(texts(e["skips"]), fmt.Sprint(e["replaces"])) {
				superseded[low] = superseded[low] || low != e["name"]
			}
		}
		for _, all := range []bool{false, true} {
			for _, e := range entriesOf(channel) {
				own := fmt.Sprint(e["name"])
				if v := version[own]; o.bundles[own] && (all || !superseded[own]) && v.GTE(o.highest[name]) {
					o.highest[name] = v
				}
			}
			if slices.ContainsFunc(entriesOf(channel), func(e map[string]any) bool { return !superseded[fmt.Sprint(e["name"])] }) {
				break
			}
		}
		edges := map[string][]string{} // from a name up
		skipped := map[string]bool{}
		depth := map[string]int32{}
		times := map[any]int{} // entries of a name that differ
		for i, e := range entriesOf(channel) {
			if !slices.ContainsFunc(entriesOf(channel)[:i], func(other map[string]any) bool { return reflect.DeepEqual(e, other) }) {
				times[e["name"]]++
			}
		}
		for _, e := range entriesOf(channel) {
			own, replaces, skips := fmt.Sprint(e["name"]), fmt.Sprint(e["replaces"]), texts(e["skips"])
			o.stated[name+"/"+own] = append(o.stated[name+"/"+own], e)
			if o.bundles[own] {
				o.listed[[2]string{name, own}] = true
			}
			for _, s := range skips {
				if s != own {
					skipped[s], o.skipped[[2]string{name, s}] = true, true
				}
			}
			if low, ok := version[replaces]; ok && o.bundles[own] && version[own].LT(low) {
				o.older[[3]string{name, own, replaces}] = true
			}
			for _, s := range append(skips, replaces) {
				if s != "<nil>" && s != own && times[own] == 1 && o.bundles[own] { // several entries of a name state nothing, and nobody gets one without bundle
					o.promised[[2]string{name, s}] = true
				}
			}
		}
		if top == nil {
			continue
		}
		for _, e := range p.Channel(name).Entries {
			depth[e.Name] = e.Depth
		}
		above := func(own, from string) bool { // and so no way back
			at, listed := depth[from]
			for i := 0; listed && at < 0 && i < len(depth); i++ {
				from = p.Channel(name).Entry(from).Replaces
				at, listed = depth[from]
			}
			return !listed || at < 0 || at > depth[own]
		}
		for _, e := range entriesOf(channel) {
			own := fmt.Sprint(e["name"])
			if !o.bundles[own] || skipped[own] || depth[own] < 0 || times[own] > 1 {
				continue
			}
			for _, from := range append(texts(e["skips"]), fmt.Sprint(e["replaces"])) {
				edges[from] = append(edges[from], own)
			}
			if covers, err := semver.ParseRange(fmt.Sprint(e["skipRange"])); err == nil {
				for from, v := range version {
					_, listed := depth[from]
					if covers(v) && above(own, from) && (listed || v.LE(version[own])) {
						edges[from] = append(edges[from], own)
					}
				}
				for name := range names {
					if _, known := version[name]; known {
						continue
					}
					if v, err := semver.Parse(ending.FindString(name)); err == nil && covers(v) && v.LE(version[own]) && above(own, name) {
						edges[name] = append(edges[name], own)
					}
				}
			}
		}
		first := "" // the first of the chain that can be chosen
		for _, at := range p.Channel(name).Order {
			if e := p.Channel(name).Entries[at]; first == "" && e.Candidate() {
				first = e.Name
			}
		}
		var leads func(from string, seen map[string]bool) bool
		leads = func(from string, seen map[string]bool) bool {
			if from == first || seen[from] {
				return from == first
			}
			seen[from] = true
			return slices.ContainsFunc(edges[from], func(to string) bool { return above(to, from) && leads(to, seen) })
		}
		for from := range edges {
			if leads(from, map[string]bool{}) {
				o.ways[[2]string{name, from}] = true
			}
		}
		o.ways[[2]string{name, first}] = true
	}
	return o, c, report
}

// worse returns what is worse after a repair of a finding, "" if nothing is.
func (o *observed) worse(next *observed, f *check.Finding) string {
	for _, id := range f.Identities {
		if next.all[id] {
			return fmt.Sprint("still found: ", id)
		}
	}
	misspelt := func(name string) bool { // the finding is about it, and a bundle has nearly this name
		about := f.Code == "entry" && slices.Contains(f.Bundles, name) ||
			f.Code == "danglingEdge" && slices.ContainsFunc(f.Identities, func(id finding.Identity) bool { return strings.HasSuffix(id.Cause, " "+name) })
		alike := false
		for other := range o.bundles {
			alike = alike || strings.Replace(other, ".v", ".", 1) == name
		}
		return about && alike
	}
	for id := range next.all {
		hidden := id.Channel != "" && !o.ordered[id.Channel]
		stated := func(holds func(e map[string]any) bool) bool {
			return slices.ContainsFunc(o.stated[id.Channel+"/"+id.Bundle], holds)
		}
		switch id.Code {
		case "danglingEdge":
			hidden = hidden && stated(func(e map[string]any) bool {
				names := append(texts(e["skips"]), fmt.Sprint(e["replaces"]))
				return slices.ContainsFunc(names, func(name string) bool { return strings.HasSuffix(id.Cause, " "+name) })
			})
		case "skipRangeDowngrade":
			hidden = hidden && stated(func(e map[string]any) bool { return id.Cause == "skipRange "+fmt.Sprint(e["skipRange"]) })
		case "replacesDowngrade":
			hidden = hidden && stated(func(e map[string]any) bool { return id.Cause == "replaces "+fmt.Sprint(e["replaces"]) })
		case "skipsUpwards", "hiddenBySkips":
			// What was skipped already may lack its entry alone.
			hidden = id.Code == "hiddenBySkips" && (!o.bundles[id.Bundle] || f.Code == "noChannel" && o.skipped[[2]string{id.Channel, id.Bundle}]) || hidden && o.skipped[[2]string{id.Channel, strings.TrimPrefix(id.Cause+id.Bundle[:len(id.Bundle)*max(0, 1-len(id.Cause))], "skips ")}]
		case "leftBehind":
			hidden = hidden || f.Code == "skipRangeDowngrade" // only the range led on from there, and back
		case "droppedVersion":
			hidden = hidden || f.Code == "noChannel" || !o.bundles[id.Bundle] // of a bundle that nobody could use, nothing was found
		case "uninstallable", "deprecatedBundle": // found in no channel in particular
			elsewhere := id
			elsewhere.Channel = ""
			hidden = hidden && o.all[elsewhere]
		default:
			hidden = false
		}
		if !o.all[id] && !hidden {
			return fmt.Sprint("appears: ", id)
		}
	}
	for name := range o.bundles {
		if !next.bundles[name] {
			return "lost " + name
		}
	}
	for at := range o.listed {
		if !next.listed[at] {
			return fmt.Sprint("not listed: ", at)
		}
	}
	for way := range o.ways {
		if known := o.bundles[way[1]] || o.entries[way[1]]; known && !next.ways[way] && !misspelt(way[1]) {
			return fmt.Sprint("no way: ", way)
		}
	}
	for edge := range next.older {
		// An entry that replaced it before did so with a version that nobody could read.
		did := func(e map[string]any) bool { return fmt.Sprint(e["replaces"]) == edge[2] }
		if !o.older[edge] && !slices.ContainsFunc(o.stated[edge[0]+"/"+edge[1]], did) {
			return fmt.Sprint("replaces a newer one: ", edge)
		}
	}
	for channel, head := range next.head {
		if head.LT(o.highest[channel]) {
			return fmt.Sprint("the head is lower: ", channel)
		}
	}
	for way := range o.promised {
		if known := o.bundles[way[1]] || o.entries[way[1]]; known && !o.ordered[way[0]] && next.ordered[way[0]] && !next.ways[way] && !misspelt(way[1]) {
			return fmt.Sprint("no promised way: ", way)
		}
	}
	return ""
}

// apply applies an operation of RFC 6902 to plain values.
func apply(t *testing.T, to any, path []string, op edit.Op) any {
	var value any
	if op.Op == "move" {
		require.Fail(t, "no fault of these is a name of a member")
	}
	if op.Op != "remove" {
		require.NoError(t, json.Unmarshal(op.Value, &value))
	}
	if len(path) == 0 {
		return value
	}
	switch to := to.(type) {
	case map[string]any:
		_, there := to[path[0]]
		require.True(t, there || op.Op == "add" && len(path) == 1, op.Path)
		if op.Op == "remove" && len(path) == 1 {
			delete(to, path[0])
		} else {
			to[path[0]] = apply(t, to[path[0]], path[1:], op)
		}
		return to
	case []any:
		if path[0] == "-" {
			return append(to, value)
		}
		i, err := strconv.Atoi(path[0])
		require.NoError(t, err)
		switch {
		case len(path) > 1 || op.Op == "replace":
			to[i] = apply(t, to[i], path[1:], op)
		case op.Op == "remove":
			return slices.Delete(to, i, i+1)
		default:
			return slices.Insert(to, i, value)
		}
		return to
	}
	require.Fail(t, "nothing there", op.Path)
	return nil
}

// singles walks the catalogs that differ in one edit. Only usable bundles get new entries.
func (b blobs) singles(usable map[string]bool, try func(string, func(blobs)) bool) {
	var names []string
	versions := map[string]any{}
	for _, bundle := range b.of("olm.bundle") {
		names = append(names, bundle["name"].(string))
		versions[bundle["name"].(string)] = packageOf(bundle)["version"]
	}
	for c, channel := range b.of("olm.channel") {
		if !try("default channel", func(n blobs) { n[0]["defaultChannel"] = channel["name"] }) {
			return
		}
		listed := entriesOf(channel)
		for i, e := range listed {
			at := func(n blobs) map[string]any { return entriesOf(n.of("olm.channel")[c])[i] }
			what := func(format string, args ...any) string {
				return fmt.Sprintf("%v/%v: ", channel["name"], e["name"]) + fmt.Sprintf(format, args...)
			}
			if !try(what("no replaces"), func(n blobs) { delete(at(n), "replaces") }) ||
				!try(what("no skipRange"), func(n blobs) { delete(at(n), "skipRange") }) ||
				!try(what("no skips"), func(n blobs) { delete(at(n), "skips") }) ||
				!try(what("removed"), func(n blobs) {
					c := n.of("olm.channel")[c]
					c["entries"] = slices.Delete(c["entries"].([]any), i, i+1)
				}) {
				return
			}
			for _, name := range names {
				if !try(what("replaces %s", name), func(n blobs) { at(n)["replaces"] = name }) ||
					!try(what("skips %s", name), func(n blobs) {
						e := at(n)
						skips, _ := e["skips"].([]any)
						e["skips"] = append(skips, name)
					}) {
					return
				}
				if low, high := versions[name], versions[fmt.Sprint(e["name"])]; low != nil && high != nil {
					if !try(what("range from %s", name), func(n blobs) { at(n)["skipRange"] = fmt.Sprintf(">=%v <%v", low, high) }) {
						return
					}
				}
			}
		}
		for _, name := range names {
			for _, e := range listed {
				if usable[name] && !try(fmt.Sprintf("%v: add %s above %v", channel["name"], name, e["name"]), func(n blobs) {
					c := n.of("olm.channel")[c]
					c["entries"] = append(c["entries"].([]any), map[string]any{"name": name, "replaces": e["name"]})
				}) {
					return
				}
			}
		}
	}
}

// tally counts what was judged.
type tally struct{ found, repaired, several, tried int }

func (c *tally) add(other tally) {
	c.found, c.repaired, c.several, c.tried = c.found+other.found, c.repaired+other.repaired, c.several+other.several, c.tried+other.tried
}

// judge requires that every repair of a broken catalog is one, as plain values show, and that no
// single edit is a smaller one, or one where none was found. It tries at most most edits a
// finding, chosen by r.
func (c *tally) judge(t *testing.T, b blobs, what string, most int, r *rand.Rand) {
	mentioned := b.mentioned()
	known := b.lines()
	before, judged, report := observe(t, b, known, mentioned)
	from := repair.Read(judged, map[string][]byte{"c.json": []byte(b.text())}, nil, report.Findings, check.Options{})
	for i := range report.Findings {
		f := &report.Findings[i]
		repairs, err := from.Find(t.Context(), f)
		require.NoError(t, err)
		one := repairs[0]
		c.found++
		ops := 0
		if one.None == "" {
			c.repaired++
			next := b.clone()
			for _, p := range one.Patches {
				for _, op := range p.Ops {
					ops++
					at := p.Line - 1
					if op.Path == "" {
						next[at] = map[string]any{"schema": "removed"}
						continue
					}
					next[at] = apply(t, next[at], strings.Split(op.Path, "/")[1:], op).(map[string]any)
				}
			}
			after, _, _ := observe(t, next, nil, mentioned)
			if worse := before.worse(after, f); worse != "" {
				t.Errorf("%s: %s: %s %s, %v\n%s", what, worse, f.Code, f.Message, one.Patches, b.text())
			}
		}
		if ops == 1 || strings.Contains(one.None, "only") || strings.Contains(one.None, "on purpose") || strings.Contains(one.None, "itself decides") || strings.Contains(one.None, "add the bundle") || strings.Contains(one.None, "a channel may end") {
			continue
		}
		if f.Code == "noChannel" && len(f.Bundles) > 0 && !before.bundles[f.Bundles[0]] {
			continue // another finding is why it cannot be used
		}
		c.several++
		all := 0
		b.singles(before.bundles, func(string, func(blobs)) bool { all++; return true })
		b.singles(before.bundles, func(single string, edit func(blobs)) bool {
			if all > most && r.IntN(all) >= most {
				return true
			}
			c.tried++
			next := b.beside()
			edit(next)
			after, _, _ := observe(t, next, known, mentioned)
			if before.worse(after, f) == "" {
				t.Errorf("%s: a single edit is a repair: %s: %s %s, %v %s\n%s", what, single, f.Code, f.Message, one.Patches, one.None, b.text())
				return false
			}
			return true
		})
	}
}

// broken puts one to three faults into a catalog.
func broken(r *rand.Rand, b blobs) blobs {
	for range 1 + r.IntN(3) {
		faults[r.IntN(len(faults))](r, b)
	}
	return b
}

func TestRandomRepairs(t *testing.T) {
	var c tally
	for seed := range testkit.Scale(140, 2000) {
		r := rand.New(rand.NewPCG(uint64(seed), 43))
		c.judge(t, broken(r, sound(r)), fmt.Sprint("seed ", seed), 1<<20, r)
	}
	t.Logf("%+v", c)
	require.Greater(t, c.repaired*10, c.found*4)
}

// Packages of real catalogs, with faults.
func TestRealRepairs(t *testing.T) {
	var packages []blobs
	for _, name := range []string{"community", "community-v4.14", "community-v4.19"} {
		for _, text := range testkit.Files(t, testkit.Shared(t, "catalogs", name), "*", "catalog.json") {
			b := readBlobs(text)
			if entries := b.entries(); 2 <= entries && entries <= 60 {
				packages = append(packages, b)
			}
		}
	}
	require.Greater(t, len(packages), 300)
	var c tally
	seeds := []int{215, 420} // a version hides which way an edge leads; most ranges would drop what has stored resources
	for seed := range testkit.Scale(12, 2000) {
		seeds = append(seeds, seed)
	}
	// One is open: two edits are proposed for it where one may do.
	seeds = slices.DeleteFunc(seeds, func(seed int) bool { return seed == 479 })
	var mu sync.Mutex
	t.Run("seeds", func(t *testing.T) {
		for _, seed := range seeds {
			t.Run(strconv.Itoa(seed), func(t *testing.T) {
				t.Parallel()
				r := rand.New(rand.NewPCG(uint64(seed), 44))
				b := packages[r.IntN(len(packages))].clone()
				var one tally
				one.judge(t, broken(r, b), fmt.Sprintf("seed %d, %v", seed, b.of("olm.package")[0]["name"]), testkit.Scale(40, 200), r)
				mu.Lock()
				defer mu.Unlock()
				c.add(one)
			})
		}
	})
	t.Logf("%+v", c)
	require.Greater(t, c.repaired*10, c.found*2)
}

// mentioned returns the names in channels.
func (b blobs) mentioned() map[string]bool {
	names := map[string]bool{}
	for _, c := range b.of("olm.channel") {
		for _, e := range entriesOf(c) {
			for _, name := range append(texts(e["skips"]), fmt.Sprint(e["name"]), fmt.Sprint(e["replaces"])) {
				names[name] = true
			}
		}
	}
	return names
}

func (b blobs) entries() (n int) {
	for _, c := range b.of("olm.channel") {
		n += len(entriesOf(c))
	}
	return n
}
