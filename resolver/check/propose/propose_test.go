package propose_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/blang/semver/v4"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver/check"
	"github.com/resolvent/resolvent/resolver/check/propose"
	"github.com/resolvent/resolvent/testdata/testkit"
)

type entry struct{ name, replaces, skips, skipRange string }

func (e entry) String() string {
	text := "{name: " + e.name
	if e.replaces != "" {
		text += ", replaces: " + e.replaces
	}
	if e.skips != "" {
		text += ", skips: [" + e.skips + "]"
	}
	if e.skipRange != "" {
		text += ", skipRange: '" + e.skipRange + "'"
	}
	return text + "}"
}

// published is a catalog of package p with channel s.
func published(entries []entry, versions ...string) string {
	text := "---\nschema: olm.package\nname: p\ndefaultChannel: s\n---\nschema: olm.channel\npackage: p\nname: s\nentries:\n"
	for _, e := range entries {
		text += "- " + e.String() + "\n"
	}
	for _, v := range versions {
		text += fmt.Sprintf("---\nschema: olm.bundle\npackage: p\nname: p.v%s\nimage: i\nproperties:\n- type: olm.package\n  value: {packageName: p, version: %s}\n", v, v)
	}
	return text
}

// added judges a catalog with a new bundle directory.
func added(t testing.TB, text, version, spec string) check.Catalog {
	t.Helper()
	s, err := cache.Parse(t.Context(), []byte(text), cache.Options{})
	require.NoError(t, err)
	files := fstest.MapFS{
		"manifests/csv.yaml": {Data: []byte(fmt.Sprintf("apiVersion: operators.coreos.com/v1alpha1\nkind: ClusterServiceVersion\nmetadata: {name: p.v%s}\nspec: {version: %s, installModes: [{type: AllNamespaces, supported: true}]%s}\n", version, version, spec))},
		"metadata/annotations.yaml": {Data: []byte("annotations:\n  operators.operatorframework.io.bundle.mediatype.v1: registry+v1\n  operators.operatorframework.io.bundle.manifests.v1: manifests/\n" +
			"  operators.operatorframework.io.bundle.metadata.v1: metadata/\n  operators.operatorframework.io.bundle.package.v1: p\n  operators.operatorframework.io.bundle.channels.v1: s\n")},
	}
	read, err := cache.FS(files, cache.Options{}).LoadChecked(t.Context())
	require.NoError(t, err)
	read, err = read.AddedTo(t.Context(), s, cache.Options{})
	require.NoError(t, err)
	return check.Catalog{Key: catalog.Key{Name: "c"}, Checked: read}
}

func propose1(t testing.TB, c check.Catalog) propose.Entry {
	t.Helper()
	list, err := propose.Entries(t.Context(), c, "s", check.Options{})
	require.NoError(t, err)
	require.Len(t, list, 1)
	return list[0]
}

func TestEntries(t *testing.T) {
	two := []entry{{name: "p.v1.0.0"}, {name: "p.v2.0.0", replaces: "p.v1.0.0"}}
	for name, test := range map[string]struct {
		entries       []entry
		published     []string
		version, spec string
		want          propose.Entry
	}{
		"the next release": {
			two, []string{"1.0.0", "2.0.0"}, "3.0.0", "",
			propose.Entry{Replaces: "p.v2.0.0", From: []string{"p.v1.0.0", "p.v2.0.0", "p.v3.0.0"}},
		},
		"stated already": {
			two, []string{"1.0.0", "2.0.0"}, "3.0.0", ", replaces: p.v2.0.0",
			propose.Entry{Replaces: "p.v2.0.0", From: []string{"p.v1.0.0", "p.v2.0.0", "p.v3.0.0"}, Stated: true},
		},
		"the way from the lowest one is broken": {
			[]entry{{name: "p.v1.0.0"}, {name: "p.v1.5.0", replaces: "p.v1.0.0"}, {name: "p.v2.0.0", replaces: "p.v1.5.0"}}, []string{"1.0.0", "2.0.0"}, "3.0.0", "",
			propose.Entry{Replaces: "p.v2.0.0", SkipRange: ">=1.0.0 <3.0.0", From: []string{"p.v1.0.0", "p.v2.0.0", "p.v3.0.0"}},
		},
		"a prerelease of the head": {
			two, []string{"1.0.0", "2.0.0"}, "2.0.0-1", "",
			propose.Entry{Replaces: "p.v2.0.0", Lower: "p.v2.0.0", From: []string{"p.v1.0.0", "p.v2.0.0-1", "p.v2.0.0"}},
		},
		"a patch below the head": {
			two, []string{"1.0.0", "2.0.0"}, "1.0.1", "",
			propose.Entry{Replaces: "p.v1.0.0", Above: "p.v2.0.0", From: []string{"p.v1.0.0", "p.v1.0.1", "p.v2.0.0"}},
		},
		"the lowest of all": {
			two, []string{"1.0.0", "2.0.0"}, "0.9.0", "",
			propose.Entry{Above: "p.v1.0.0", From: []string{"p.v0.9.0", "p.v1.0.0", "p.v2.0.0"}},
		},
		"the first of a channel": {
			nil, []string{"1.0.0"}, "3.0.0", "",
			propose.Entry{From: []string{"p.v3.0.0"}, NewChannel: true, Stated: true},
		},
		"a channel without order": {
			[]entry{{name: "p.v1.0.0"}, {name: "p.v2.0.0"}}, []string{"1.0.0", "2.0.0"}, "3.0.0", "",
			propose.Entry{From: []string{}, None: "the channel has no order: fix it first, as 'check' of the catalog says"},
		},
		"a channel that is a cycle": {
			[]entry{{name: "p.v1.0.0", replaces: "p.v1.0.0"}}, []string{"1.0.0"}, "3.0.0", "",
			propose.Entry{From: []string{}, None: "the channel has no order: fix it first, as 'check' of the catalog says"},
		},
		// Only skips would give p.v3.0.0+1 a way, and take p.v1.0.0 off the chain.
		"a way would strand another": {
			[]entry{{name: "p.v1.0.0"}, {name: "p.v3.0.0+1", replaces: "p.v1.0.0"}, {name: "p.v1.5.0", replaces: "p.v3.0.0+1"}, {name: "p.v2.0.0", replaces: "p.v1.5.0", skipRange: "<1.5.0"}},
			[]string{"1.0.0", "3.0.0+1", "2.0.0"}, "3.0.0+2", "",
			propose.Entry{Replaces: "p.v2.0.0", From: []string{"p.v1.0.0", "p.v2.0.0", "p.v3.0.0+2"}, Left: []string{"p.v3.0.0+1"}},
		},
		"published already": {
			two, []string{"1.0.0", "2.0.0"}, "2.0.0", "",
			propose.Entry{From: []string{}, None: "the channel lists the bundle already"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			test.want.Package, test.want.Channel, test.want.Name = "p", "s", "p.v"+test.version
			test.want.Left = append([]string{}, test.want.Left...)
			assert.Equal(t, test.want, propose1(t, added(t, published(test.entries, test.published...), test.version, test.spec)))
		})
	}
	one := propose.Entry{Name: "p.v3.0.0", Replaces: "no", Skips: []string{"it's"}, SkipRange: ">=1.0.0 <3.0.0"}
	assert.Equal(t, "- name: p.v3.0.0\n  replaces: 'no'\n  skips:\n  - it's\n  skipRange: '>=1.0.0 <3.0.0'\n", one.YAML())
}

// reaching returns the bundles from which updates lead to the head, in a channel that is a
// plain list; nil without a single head.
func reaching(list []entry, bundles map[string]string) map[string]bool {
	by := map[string]entry{}
	below, skipped := map[string]bool{}, map[string]bool{}
	for _, e := range list {
		by[e.name] = e
	}
	for _, e := range list {
		for _, s := range strings.Fields(strings.ReplaceAll(e.skips, ",", " ")) {
			skipped[s], below[s] = true, true
		}
		below[e.replaces] = true
	}
	var chain []string
	heads := 0
	for _, e := range list {
		if below[e.name] {
			continue
		}
		heads++
		for at, there := e, true; there; at, there = by[at.replaces] {
			if slices.Contains(chain, at.name) {
				return nil
			}
			chain = append(chain, at.name)
		}
	}
	if heads != 1 {
		return nil
	}
	place := func(name string) int { // where its replaces meet the chain
		for i := 0; i <= len(list); i++ {
			if at := slices.Index(chain, name); at >= 0 {
				return at
			}
			name = by[name].replaces
		}
		return len(chain)
	}
	reach := map[string]bool{}
	first := true
	for range list { // until nothing changes
		for _, e := range list {
			if bundles[e.name] == "" || reach[e.name] {
				continue
			}
			for i, name := range chain {
				up := by[name]
				if bundles[name] == "" || skipped[name] {
					continue
				}
				if first {
					reach[name], first = true, false
				}
				covers := func(semver.Version) bool { return false }
				if up.skipRange != "" {
					covers = semver.MustParseRange(up.skipRange)
				}
				states := up.replaces == e.name || slices.Contains(strings.Fields(strings.ReplaceAll(up.skips, ",", " ")), e.name) || covers(semver.MustParse(bundles[e.name]))
				if states && reach[name] && i < place(e.name) {
					reach[e.name] = true
				}
			}
		}
	}
	return reach
}

// No other entry gives more bundles a way to the head, and none with fewer fields as many.
func TestRandomEntries(t *testing.T) {
	proposed, mended := 0, 0
	for seed := range testkit.Scale(60, 2000) {
		r := rand.New(rand.NewPCG(uint64(seed), 7))
		var list []entry
		bundles := map[string]string{}
		var versions []string
		below := ""
		for i := range 2 + r.IntN(4) {
			v := fmt.Sprintf("1.%d.0", i)
			e := entry{name: "p.v" + v, replaces: below}
			if i > 0 && r.IntN(4) == 0 {
				e.skipRange = fmt.Sprintf(">=1.%d.0 <%s", r.IntN(i), v)
			}
			if i > 1 && r.IntN(4) == 0 {
				e.skips = fmt.Sprintf("p.v1.%d.0", r.IntN(i))
			}
			if r.IntN(4) > 0 {
				bundles[e.name] = v
				versions = append(versions, v)
			}
			if r.IntN(5) > 0 {
				below = e.name
			} else {
				e.replaces = below
			}
			list = append(list, e)
		}
		before := reaching(list, bundles)
		text := published(list, versions...)
		version := []string{"2.0.0", "2.0.0", "1.1.5"}[r.IntN(3)]
		one := propose1(t, added(t, text, version, ""))
		if before == nil {
			assert.NotEmpty(t, one.None, "seed %d\n%s", seed, text)
			continue
		}
		if one.None != "" || one.Above != "" {
			continue
		}
		proposed++
		bundles["p.v"+version] = version
		with := func(e entry) map[string]bool { return reaching(append(slices.Clone(list), e), bundles) }
		mine := entry{one.Name, one.Replaces, strings.Join(one.Skips, ", "), one.SkipRange}
		got := with(mine)
		var from []string
		for name := range got {
			from = append(from, name)
		}
		require.ElementsMatch(t, one.From, from, "seed %d: %v\n%s", seed, mine, text)
		for name := range before {
			require.True(t, got[name], "seed %d: %v loses %s\n%s", seed, mine, name, text)
		}
		fields := func(e entry) int {
			return len(strings.Fields(strings.Join([]string{e.replaces, strings.ReplaceAll(e.skips, ", ", ","), strings.ReplaceAll(e.skipRange, " ", "")}, " ")))
		}
		if fields(mine) > 1 {
			mended++
		}
		for _, replaces := range list {
			for _, ranged := range append([]string{""}, versions...) {
				for _, skips := range append([]entry{{}}, list...) {
					other := entry{name: one.Name, replaces: replaces.name, skips: skips.name}
					if ranged != "" {
						other.skipRange = ">=" + ranged + " <" + version
					}
					ways := with(other)
					kept := ways != nil
					for name := range before {
						kept = kept && ways[name]
					}
					require.False(t, kept && (len(ways) > len(got) || len(ways) == len(got) && fields(other) < fields(mine)), "seed %d: %v is better than %v\n%s", seed, other, mine, text)
				}
			}
		}
	}
	t.Logf("%d proposed, %d with more than replaces", proposed, mended)
	require.Positive(t, mended)
}
