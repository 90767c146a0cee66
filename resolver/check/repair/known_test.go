package repair_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/blang/semver/v4"
	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver/check"
	"github.com/resolvent/resolvent/resolver/check/repair"
	"github.com/resolvent/resolvent/testdata/testkit"
)

// good returns a package without a finding that is worse than a note: a chain of versions in one
// or two channels.
func good(r *rand.Rand) blobs {
	name := []string{"acme", "red-operator", "q"}[r.IntN(3)]
	var versions []string
	for minor := range 2 + r.IntN(4) {
		for patch := range 1 + r.IntN(2) {
			versions = append(versions, fmt.Sprintf("1.%d.%d", minor, patch))
		}
	}
	list := blobs{{"schema": "olm.package", "name": name, "defaultChannel": "stable"}}
	skips := r.IntN(3) == 0
	channels := []string{"candidate", "stable"}[r.IntN(2):]
	for _, channel := range channels {
		var entries []any
		var below []any
		for i, v := range versions {
			if len(channels) == 2 && channel == "stable" && i < len(versions)-1 && i > 0 && r.IntN(6) == 0 {
				continue
			}
			e := map[string]any{"name": name + ".v" + v}
			if len(below) > 0 {
				e["replaces"] = below[len(below)-1]
			}
			if len(below) > 1 && skips && strings.HasSuffix(v, ".1") && strings.HasSuffix(fmt.Sprint(e["replaces"]), strings.TrimSuffix(v, "1")+"0") {
				e["replaces"], e["skips"] = below[len(below)-2], []any{below[len(below)-1]}
			}
			if i > 0 && r.IntN(4) == 0 {
				e["skipRange"] = ">=1.0.0 <" + v
			}
			below = append(below, e["name"])
			entries = append(entries, e)
		}
		list = append(list, map[string]any{"schema": "olm.channel", "package": name, "name": channel, "entries": entries})
	}
	for _, v := range versions {
		list = append(list, map[string]any{"schema": "olm.bundle", "package": name, "name": name + ".v" + v, "image": "i.example/" + v, "properties": []any{
			map[string]any{"type": "olm.gvk", "value": map[string]any{"group": "g.example", "kind": "K", "version": "v1"}},
			map[string]any{"type": "olm.package", "value": map[string]any{"packageName": name, "version": v}}}})
	}
	return list
}

// slip breaks one thing of a catalog, and returns false if there is nothing to break so.
type slip func(r *rand.Rand, b blobs) bool

// ofEdges returns a slip in the replaces of an entry that names another entry of its channel.
func ofEdges(change func(r *rand.Rand, e map[string]any, low string, names []string) any) slip {
	return func(r *rand.Rand, b blobs) bool {
		var at []func() bool
		for _, c := range b.of("olm.channel") {
			var names []string
			for _, e := range entriesOf(c) {
				names = append(names, fmt.Sprint(e["name"]))
			}
			for _, e := range entriesOf(c) {
				if low, ok := e["replaces"].(string); ok && slices.Contains(names, low) {
					at = append(at, func() bool {
						next := change(r, e, low, names)
						if next == nil {
							delete(e, "replaces")
						} else {
							e["replaces"] = next
						}
						return next != low
					})
				}
			}
		}
		return len(at) > 0 && at[r.IntN(len(at))]()
	}
}

// ofText returns a slip in a text that is somewhere in blobs of a schema.
func ofText(of func(b blobs) []map[string]any, field string, change func(r *rand.Rand, text string) string) slip {
	return func(r *rand.Rand, b blobs) bool {
		list := slices.DeleteFunc(of(b), func(m map[string]any) bool { _, ok := m[field].(string); return !ok })
		if len(list) == 0 {
			return false
		}
		one := some(r, list)
		old := one[field].(string)
		one[field] = change(r, old)
		return one[field] != old
	}
}

func ofSchema(schema string) func(b blobs) []map[string]any {
	return func(b blobs) []map[string]any { return b.of(schema) }
}

func allEntries(b blobs) (list []map[string]any) {
	for _, c := range b.of("olm.channel") {
		list = append(list, entriesOf(c)...)
	}
	return list
}

func packageProperties(b blobs) (list []map[string]any) {
	for _, bundle := range b.of("olm.bundle") {
		list = append(list, packageOf(bundle))
	}
	return list
}

func allProperties(b blobs) (list []map[string]any) {
	for _, bundle := range b.of("olm.bundle") {
		properties, _ := bundle["properties"].([]any)
		for _, p := range properties {
			list = append(list, p.(map[string]any))
		}
	}
	return list
}

// letterLost and the like are what a hand does to a name. None of them changes a number.
func letterLost(r *rand.Rand, text string) string {
	letters := lettersOf(text)
	if len(letters) < 2 {
		return text
	}
	i := r.IntN(len(letters))
	return text[:i] + text[i+1:]
}

func lettersSwapped(r *rand.Rand, text string) string {
	letters := lettersOf(text)
	if len(letters) < 2 {
		return text
	}
	i := r.IntN(len(letters) - 1)
	return text[:i] + text[i+1:i+2] + text[i:i+1] + text[i+2:]
}

func letterTwice(r *rand.Rand, text string) string {
	letters := lettersOf(text)
	if len(letters) < 1 {
		return text
	}
	i := r.IntN(len(letters))
	return text[:i+1] + text[i:]
}

// lettersOf returns what stands before the version in a text.
func lettersOf(text string) string {
	if i := strings.Index(text, ".v"); i >= 0 {
		return text[:i+len(".v")]
	}
	return strings.TrimRight(text, "0123456789.")
}

// prefixLost leaves the version of a name, with its v if it has one.
func prefixLost(text string) string {
	i := strings.LastIndex(text, ".v")
	if i < 0 {
		return text
	}
	return text[i+1:]
}

// slips are the known faults, by kind.
var slips = map[string]slip{
	"replaces: prefix lost":     ofEdges(func(_ *rand.Rand, _ map[string]any, low string, _ []string) any { return prefixLost(low) }),
	"replaces: letter lost":     ofEdges(func(r *rand.Rand, _ map[string]any, low string, _ []string) any { return letterLost(r, low) }),
	"replaces: letters swapped": ofEdges(func(r *rand.Rand, _ map[string]any, low string, _ []string) any { return lettersSwapped(r, low) }),
	"replaces: letter twice":    ofEdges(func(r *rand.Rand, _ map[string]any, low string, _ []string) any { return letterTwice(r, low) }),
	"replaces: missing":         ofEdges(func(*rand.Rand, map[string]any, string, []string) any { return nil }),
	"replaces: itself":          ofEdges(func(_ *rand.Rand, e map[string]any, _ string, _ []string) any { return e["name"] }),
	"replaces: another":         ofEdges(func(r *rand.Rand, _ map[string]any, _ string, names []string) any { return names[r.IntN(len(names))] }),
	"skips: a newer one": func(r *rand.Rand, b blobs) bool {
		versions := map[any]*semver.Version{}
		for _, bundle := range b.of("olm.bundle") {
			versions[bundle["name"]] = versionOf(bundle)
		}
		entries := entriesOf(some(r, b.of("olm.channel")))
		e, newer := some(r, entries), some(r, entries)
		if low, high := versions[e["name"]], versions[newer["name"]]; e["skips"] != nil || low == nil || high == nil || !low.LT(*high) {
			return false
		}
		e["skips"] = []any{newer["name"]}
		return true
	},
	"entry: letter lost":     ofText(allEntries, "name", letterLost),
	"entry: letters swapped": ofText(allEntries, "name", lettersSwapped),
	"entry: twice": func(r *rand.Rand, b blobs) bool {
		c := some(r, b.of("olm.channel"))
		e := maps.Clone(some(r, entriesOf(c)))
		if e["replaces"] == nil {
			return false
		}
		delete(e, "replaces")
		c["entries"] = append(c["entries"].([]any), e)
		return true
	},
	"entry: forgotten": func(r *rand.Rand, b blobs) bool {
		if len(b.of("olm.channel")) > 1 {
			return false
		}
		c := b.of("olm.channel")[0]
		entries := c["entries"].([]any)
		i := r.IntN(len(entries))
		if e := entries[i].(map[string]any); len(entries) < 2 || e["skips"] != nil || e["skipRange"] != nil {
			return false // nothing else in a catalog has those
		}
		c["entries"] = slices.Delete(slices.Clone(entries), i, i+1)
		return true
	},
	"bundle: letter lost":          ofText(ofSchema("olm.bundle"), "name", letterLost),
	"default channel: letter lost": ofText(ofSchema("olm.package"), "defaultChannel", letterLost),
	"skipRange: v":                 ofText(allEntries, "skipRange", func(_ *rand.Rand, text string) string { return strings.Replace(text, "<", "<v", 1) }),
	"skipRange: comma":             ofText(allEntries, "skipRange", func(_ *rand.Rand, text string) string { return strings.Replace(text, " <", ", <", 1) }),
	"skipRange: swapped":           ofText(allEntries, "skipRange", func(_ *rand.Rand, text string) string { return strings.Replace(text, ">=", "=>", 1) }),
	"skipRange: open":              ofText(allEntries, "skipRange", func(_ *rand.Rand, text string) string { low, _, _ := strings.Cut(text, " <"); return low }),
	"field: schema misspelt":       ofText(ofSchema("olm.channel"), "schema", lettersSwapped),
	"field: no schema": func(r *rand.Rand, b blobs) bool {
		delete(some(r, b.of("olm.channel")), "schema")
		return true
	},
	"field: version with v":   ofText(packageProperties, "version", func(_ *rand.Rand, text string) string { return "v" + text }),
	"field: package misspelt": ofText(packageProperties, "packageName", lettersSwapped),
	"field: type misspelt":    ofText(allProperties, "type", lettersSwapped),
	"field: skips are a text": func(r *rand.Rand, b blobs) bool {
		e := some(r, allEntries(b))
		list, _ := e["skips"].([]any)
		if len(list) != 1 {
			return false
		}
		e["skips"] = list[0]
		return true
	},
}

// users is what the users of a catalog have of it, read from its values alone.
type users struct {
	defaultChannel string
	bundles        map[string]string // the text of each
	channels       map[string]*channelUsers
}

type channelUsers struct {
	head    string
	offered map[string]bool   // to new users
	next    map[string]string // by bundle: what it is updated to
	leads   map[string]bool   // bundles from which updates end at the head
}

func versionOf(bundle map[string]any) *semver.Version {
	v, err := semver.Parse(fmt.Sprint(packageOf(bundle)["version"]))
	if err != nil {
		return nil
	}
	return &v
}

func (b blobs) users() *users {
	u := &users{"", map[string]string{}, map[string]*channelUsers{}}
	versions := map[string]*semver.Version{}
	for _, bundle := range b.of("olm.bundle") {
		text, _ := json.Marshal(bundle)
		name := fmt.Sprint(bundle["name"])
		u.bundles[name], versions[name] = string(text), versionOf(bundle)
	}
	for _, p := range b.of("olm.package") {
		u.defaultChannel = fmt.Sprint(p["defaultChannel"])
	}
	for _, c := range b.of("olm.channel") {
		u.channels[fmt.Sprint(c["name"])] = usersOf(entriesOf(c), versions)
	}
	return u
}

func usersOf(entries []map[string]any, versions map[string]*semver.Version) *channelUsers {
	u := &channelUsers{"", map[string]bool{}, map[string]string{}, map[string]bool{}}
	byName, superseded, skipped := map[string]map[string]any{}, map[string]bool{}, map[string]bool{}
	for _, e := range entries {
		name := fmt.Sprint(e["name"])
		byName[name] = e
		if low, ok := e["replaces"].(string); ok && low != name {
			superseded[low] = true
		}
		for _, s := range texts(e["skips"]) {
			superseded[s], skipped[s] = true, true
		}
	}
	for name := range byName {
		if !superseded[name] && u.head != "" {
			return u // several heads: no order
		} else if !superseded[name] {
			u.head = name
		}
	}
	var chain []string // from the head
	for at := u.head; byName[at] != nil && !slices.Contains(chain, at); at, _ = byName[at]["replaces"].(string) {
		chain = append(chain, at)
	}
	for from, version := range versions {
		below := slices.Index(chain, from)
		if below < 0 {
			below = len(chain)
		}
		for _, name := range chain[:below] {
			e, own := byName[name], versions[name]
			if own == nil || skipped[name] || name == from {
				continue
			}
			if below == len(chain) && version != nil && version.GT(*own) && e["replaces"] != from && !slices.Contains(texts(e["skips"]), from) {
				continue // a range does not lead down
			}
			covers, err := semver.ParseRange(fmt.Sprint(e["skipRange"]))
			if e["replaces"] == from || slices.Contains(texts(e["skips"]), from) || version != nil && err == nil && covers(*version) {
				u.next[from] = name
				break
			}
		}
	}
	for _, name := range chain {
		if versions[name] != nil && !skipped[name] {
			u.offered[name] = true
		}
	}
	for from := range versions {
		at := from
		for range len(chain) {
			if u.next[at] != "" {
				at = u.next[at]
			}
		}
		u.leads[from] = at == u.head
	}
	return u
}

// worse returns what users lose if they get another catalog instead, "" if they lose nothing.
func (u *users) worse(other *users) string {
	if other.defaultChannel != u.defaultChannel {
		return "default channel " + other.defaultChannel
	}
	for name, text := range u.bundles {
		if other.bundles[name] != text {
			return "bundle " + name
		}
	}
	for name, was := range u.channels {
		is := other.channels[name]
		if is == nil {
			return "no channel " + name
		}
		if was.head != is.head || !maps.Equal(was.offered, is.offered) {
			return fmt.Sprintf("channel %s: head %s, not %s; offered %v, not %v", name, is.head, was.head, slices.Sorted(maps.Keys(is.offered)), slices.Sorted(maps.Keys(was.offered)))
		}
		for from := range u.bundles {
			if was.leads[from] && !is.leads[from] {
				return fmt.Sprintf("channel %s: no way from %s", name, from)
			}
			if was.leads[from] && is.next[from] != was.next[from] {
				return fmt.Sprintf("channel %s: %s is updated to %s, not %s", name, from, is.next[from], was.next[from])
			}
		}
	}
	return ""
}

// restored reports whether two catalogs have the same values, in any order.
func restored(a, b blobs) bool {
	sorted := func(list blobs) (texts []string) {
		for _, blob := range list {
			if entries, ok := blob["entries"].([]any); ok {
				blob = maps.Clone(blob)
				entries = slices.Clone(entries)
				slices.SortFunc(entries, func(a, b any) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
				blob["entries"] = entries
			}
			text, _ := json.Marshal(blob)
			texts = append(texts, string(text))
		}
		slices.Sort(texts)
		return texts
	}
	return reflect.DeepEqual(sorted(a), sorted(b))
}

// outcome is what became of a fault.
type outcome struct{ unseen, harmless, restored, asGood, none, worse int }

func (o outcome) String() string {
	return fmt.Sprintf("%5d restored %5d as good %5d no repair %5d worse %5d no finding %5d harmless", o.restored, o.asGood, o.none, o.worse, o.unseen, o.harmless)
}

// mend breaks a good catalog, repairs it, and counts what came of it.
func mend(t *testing.T, o *outcome, b blobs, kind string, r *rand.Rand) {
	broken := b.clone()
	if !slips[kind](r, broken) {
		return
	}
	_, before := checked(t, fstest.MapFS{"c.json": {Data: []byte(b.text())}}, "")
	text := []byte(broken.text())
	judged, report := checked(t, fstest.MapFS{"c.json": {Data: text}}, "")
	var list []*check.Finding
	for i := range report.Findings {
		f := &report.Findings[i]
		if (f.Severity <= catalog.Warning || f.Code == "danglingEdge") && slices.ContainsFunc(f.Identities, func(id check.Identity) bool { return !before.All.Has(id) }) {
			list = append(list, f)
		}
	}
	if len(list) == 0 {
		if worse := b.users().worse(broken.users()); worse == "" || kind == "skipRange: open" { // it covers nothing above yet
			o.harmless++
		} else {
			o.unseen++
			t.Logf("%s: no finding: %s\n%s", kind, worse, broken.text())
		}
		return
	}
	c := repair.Read(judged, map[string][]byte{"c.json": text}, nil, report.Findings, check.Options{})
	repairs, err := c.Apply(t.Context(), list...)
	require.NoError(t, err)
	after := readBlobs(c.Changed()["c.json"])
	if len(c.Changed()) == 0 {
		after = broken
	}
	worse := b.users().worse(after.users())
	switch {
	case restored(b, after):
		o.restored++
	case worse == "":
		o.asGood++
	case slices.ContainsFunc(repairs, func(r *repair.Repair) bool { return r.None != "" }):
		o.none++
	default:
		o.worse++
		t.Logf("%s: %s: %s\n%s", kind, worse, lines(list, repairs), broken.text())
	}
}

// lines says what repairs do.
func lines(list []*check.Finding, repairs []*repair.Repair) (text string) {
	for i, r := range repairs {
		text += fmt.Sprintf("\n%s %s: %s", list[i].Code, list[i].Message, r.None)
		for _, p := range r.Patches {
			text += "\n  " + strings.Join(p.Lines, "\n  ")
		}
	}
	return text
}

// Faults that are known are repaired as whoever knows them would, or so that no user sees a
// difference.
func TestKnownFaults(t *testing.T) {
	kinds := slices.Sorted(maps.Keys(slips))
	var packages []blobs
	count := testkit.Scale(2, 50)
	for _, name := range []string{"community", "community-v4.14", "community-v4.19"} {
		for _, text := range testkit.Files(t, testkit.Shared(t, "catalogs", name), "*", "catalog.json") {
			if b := readBlobs(text); 2 <= b.entries() && b.entries() <= 60 {
				packages = append(packages, b)
			}
		}
	}
	clean := map[int]bool{}
	real := func(r *rand.Rand) blobs {
		for {
			i := r.IntN(len(packages))
			if is, known := clean[i]; known && !is {
				continue
			}
			_, report := checked(t, fstest.MapFS{"c.json": {Data: []byte(packages[i].text())}}, "")
			clean[i] = !slices.ContainsFunc(report.Findings, func(f check.Finding) bool { return f.Severity < catalog.Note })
			if clean[i] {
				return packages[i].clone()
			}
		}
	}
	for of, pick := range map[string]func(r *rand.Rand) blobs{
		"random": good, "real": real,
	} {
		t.Run(of, func(t *testing.T) {
			var all outcome
			for _, kind := range kinds {
				var o outcome
				for seed := range count {
					r := rand.New(rand.NewPCG(uint64(seed), 61))
					mend(t, &o, pick(r), kind, r)
				}
				t.Logf("%-30s %v", kind, o)
				all = outcome{all.unseen + o.unseen, all.harmless + o.harmless, all.restored + o.restored, all.asGood + o.asGood, all.none + o.none, all.worse + o.worse}
			}
			t.Logf("%-30s %v", "all", all)
			require.Zero(t, all.worse)
			require.Greater(t, 10*(all.restored+all.asGood), 9*(all.restored+all.asGood+all.none))
		})
	}
}
