package finding_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/resolver/check"
	"github.com/resolvent/resolvent/resolver/check/internal/finding"
)

const head = "---\nschema: olm.package\nname: p\ndefaultChannel: s\n"

// entries is a channel. Each entry is its name, then further fields.
func entries(channel string, list ...string) string {
	text := fmt.Sprintf("---\nschema: olm.channel\npackage: p\nname: %s\nentries:\n", channel)
	if len(list) == 0 {
		return strings.TrimSuffix(text, "\n") + " []\n"
	}
	for _, e := range list {
		name, rest, _ := strings.Cut(e, " ")
		text += strings.TrimRight("- {name: "+name+", "+rest, ", ") + "}\n"
	}
	return text
}

func bundles(versions ...string) (text string) {
	for _, v := range versions {
		v, more, _ := strings.Cut(v, " ")
		text += fmt.Sprintf("---\nschema: olm.bundle\npackage: p\nname: p.v%s\nimage: i\nproperties:\n- type: olm.package\n  value: {packageName: p, version: %s}\n%s", v, v, more)
	}
	return text
}

// defined is a property with a CustomResourceDefinition, and unsafe judges all that is defined.
var defined = fmt.Sprintf("- {type: olm.bundle.object, value: %s}\n", properties.DefinitionProperty(&properties.Definition{
	Group: "g", Names: properties.DefinitionNames{Kind: "K", Plural: "ks"}, Versions: []properties.DefinedVersion{{Name: "v1"}},
}).Value)

func unsafe(context.Context, *properties.Objects, *properties.Objects) []finding.Unsafe {
	return []finding.Unsafe{{Definition: "ks.g", Changes: []string{"v1: a field goes"}}}
}

// Each code tells its usual reasons apart, and every reason is one of some finding.
func TestReasons(t *testing.T) {
	three := bundles("1.0.0", "2.0.0", "3.0.0")
	missing := "- {type: olm.package.required, value: {packageName: q, versionRange: '>=1.0.0'}}\n"
	seen := map[finding.Mark]bool{}
	for name, test := range map[string]struct {
		text string
		code catalog.Code
		want string
	}{
		"a change of a definition": {
			entries("s", "p.v1.0.0", "p.v2.0.0 replaces: p.v1.0.0") + bundles("1.0.0 "+defined, "2.0.0 "+defined), "unsafeUpdate",
			"ks.g: v1: a field goes",
		},
		"two heads: a prerelease": {
			entries("s", "p.v1.0.0", "p.v1.0.0-2 skipRange: '>=0.9.0 <1.0.0-2'") + bundles("1.0.0", "1.0.0-2"), "severalHeads",
			"1.0.0-2 is a prerelease and so lower than 1.0.0: skipRange >=0.9.0 <1.0.0-2 of p.v1.0.0-2 does not cover p.v1.0.0; replace or skip that",
		},
		"two heads: what another channel lists": {
			entries("s", "p.v1.0.0", "p.v3.0.0 replaces: p.v2.0.0") + entries("t", "p.v2.0.0") + three, "severalHeads",
			"p.v3.0.0 replaces p.v2.0.0, which channel t lists, but channel s does not",
		},
		"two heads: what nobody has": {
			entries("s", "p.v1.0.0", "p.v3.0.0 replaces: p.v2.5.0") + three, "severalHeads",
			"p.v3.0.0 replaces p.v2.5.0, which no given catalog has: the highest version below it is p.v1.0.0",
		},
		"two heads: what has no entry": {
			entries("s", "p.v1.0.0", "p.v3.0.0 replaces: p.v2.0.0") + three, "severalHeads",
			"p.v3.0.0 replaces p.v2.0.0, a bundle that no channel lists",
		},
		"two heads: the beginning of a name": {
			entries("s", "p.v1.0.0", "p.v2.0.0 replaces: v1.0.0") + three, "severalHeads",
			"p.v2.0.0 replaces v1.0.0, only the end of a name: p.v1.0.0 is meant",
		},
		"two heads: a bundle of another package": {
			entries("s", "p.v1.0.0", "p.v2.0.0 replaces: other.v7.0.0") + three + strings.NewReplacer("package: p", "package: q", "p.v1", "other.v7", "packageName: p", "packageName: q").Replace(bundles("1.0.0")), "severalHeads",
			"p.v2.0.0 replaces other.v7.0.0, a bundle of package q",
		},
		"two heads: a slip": {
			entries("s", "p.v1.0.0", "p.v2.0.0 replaces: p.1.0.0", "p.v3.0.0 replaces: p.v2.0.0") + three, "severalHeads",
			"p.v2.0.0 replaces p.1.0.0, which is nearly p.v1.0.0",
		},
		"two heads: what is gone": {
			entries("s", "p.v1.0.0", "p.v2.0.0 replaces: p.v0.9.0", "p.v3.0.0 replaces: p.v2.0.0") + three, "severalHeads",
			"p.v0.9.0 is below 1.0.0, the lowest version that the package has: it was probably removed from the catalog",
		},
		"two heads: a fork": {
			entries("s", "p.v1.0.0", "p.v2.0.0 replaces: p.v1.0.0", "p.v3.0.0 replaces: p.v1.0.0") + three, "severalHeads",
			"p.v2.0.0 and p.v3.0.0 both replace p.v1.0.0: set replaces of p.v3.0.0 to p.v2.0.0",
		},
		"two heads: what one of them skips is no fork": {
			entries("s", "p.v1.0.0", "p.v1.1.0 replaces: p.v1.0.0", "p.v2.0.0 replaces: p.v1.0.0, skips: [p.v1.1.0]", "p.v3.0.0") + three + bundles("1.1.0"), "severalHeads",
			"p.v3.0.0 replaces and skips nothing",
		},
		"two heads: only a range": {
			entries("s", "p.v1.0.0", "p.v2.0.0 skipRange: '>=1.0.0 <2.0.0'") + three, "severalHeads",
			"skipRange >=1.0.0 <2.0.0 of p.v2.0.0 covers p.v1.0.0, but only replaces and skips give a channel its order",
		},
		"two heads: a range that begins too late": {
			entries("s", "p.v1.0.0", "p.v2.0.0 skipRange: '>=1.5.0 <2.0.0'") + three, "severalHeads",
			"skipRange >=1.5.0 <2.0.0 of p.v2.0.0 does not cover p.v1.0.0 of version 1.0.0",
		},
		"two heads: nothing said": {
			entries("s", "p.v1.0.0", "p.v2.0.0") + three, "severalHeads",
			"p.v2.0.0 replaces and skips nothing",
		},
		"a circle": {
			entries("s", "p.v1.0.0 replaces: p.v2.0.0", "p.v2.0.0 replaces: p.v1.0.0", "p.v3.0.0 replaces: p.v2.0.0") + three, "cycle",
			"the circle: p.v1.0.0 replaces p.v2.0.0 replaces p.v1.0.0",
		},
		"itself": {
			entries("s", "p.v1.0.0 replaces: p.v1.0.0", "p.v2.0.0 replaces: p.v1.0.0") + three, "cycle",
			"p.v1.0.0 replaces itself",
		},
		"no entries": {entries("s"), "noHead", "channel s has no entries"},
		"a skip of what replaces it": {
			entries("s", "p.v1.0.0 skips: [p.v2.0.0]", "p.v2.0.0 replaces: p.v1.0.0") + three, "noHead",
			"p.v1.0.0 skips p.v2.0.0",
		},
		"an entry that is passed by": {
			entries("s", "p.v1.0.0", "p.v2.0.0 replaces: p.v1.0.0", "p.v3.0.0 replaces: p.v1.0.0, skips: [p.v4.0.0]", "p.v4.0.0 replaces: p.v2.0.0") + three + bundles("4.0.0"), "stranded",
			"p.v3.0.0 replaces p.v1.0.0 and so passes p.v2.0.0 by",
		},
		"an entry below the end": {
			entries("s", "p.v1.0.0", "p.v2.0.0 replaces: p.v1.0.0", "p.v3.0.0 skips: [p.v2.0.0]") + three, "stranded",
			"the chain from the head ends at p.v3.0.0, which does not replace p.v1.0.0",
		},
		"a way through what is skipped": {
			entries("s", "p.v1.0.0", "p.v2.0.0 replaces: p.v1.0.0", "p.v3.0.0 replaces: p.v2.0.0, skips: [p.v2.0.0]") + three, "stranded",
			"p.v2.0.0 is skipped by p.v3.0.0",
		},
		"a way through a bundle that is not there": {
			entries("s", "p.v1.0.0", "p.v2.0.0 replaces: p.v1.0.0", "p.v3.0.0 replaces: p.v2.0.0") + bundles("1.0.0", "3.0.0"), "headUnreachable",
			"p.v2.0.0 has no bundle",
		},
		"a way through a bundle that cannot be used": {
			entries("s", "p.v1.0.0", "p.v2.0.0 replaces: p.v1.0.0", "p.v3.0.0 replaces: p.v2.0.0") + strings.Replace(three, "version: 2.0.0", "version: v2", 1), "headUnreachable",
			"p.v2.0.0 has no bundle\nbundle p.v2.0.0 cannot be used: olm.package: version \"v2\" is not a semantic version such as 1.2.3: No Major.Minor.Patch elements found",
		},
		"a way through a bundle that cannot be installed": {
			entries("s", "p.v1.0.0", "p.v2.0.0 replaces: p.v1.0.0", "p.v3.0.0 replaces: p.v2.0.0") + bundles("1.0.0", "2.0.0 "+missing, "3.0.0"), "updateBlocked",
			"p.v2.0.0 cannot be installed",
		},
		"a slip in an edge": {
			entries("s", "p.v1.0.0 replaces: p.0.9.0, skips: [p.v0.9.0]") + entries("t", "p.v2.0.0 replaces: p.x") + three, "danglingEdge",
			"p.0.9.0 is below 1.0.0, the lowest version that the package has: it was probably removed from the catalog\np.v0.9.0 is below 1.0.0, the lowest version that the package has: it was probably removed from the catalog\np.v2.0.0 replaces p.x, which no channel lists",
		},
		"an older one above": {
			entries("s", "p.v2.0.0 skips: [p.v1.0.0]", "p.v1.0.0 replaces: p.v2.0.0", "p.v3.0.0 replaces: p.v1.0.0") + three, "skipsUpwards",
			"p.v1.0.0 of version 1.0.0 stands closer to the head than p.v2.0.0 of version 2.0.0",
		},
		"a range without end": {
			entries("s", "p.v1.0.0 skipRange: '>=0.1.0'", "p.v2.0.0 replaces: p.v1.0.0") + three, "skipRangeDowngrade",
			"skipRange >=0.1.0 of p.v1.0.0 has no upper end, so it covers p.v2.0.0",
		},
		"a range that ends too late": {
			entries("s", "p.v1.0.0 skipRange: '>=0.1.0 <3.0.0'", "p.v2.0.0 replaces: p.v1.0.0") + three, "skipRangeDowngrade",
			"skipRange >=0.1.0 <3.0.0 of p.v1.0.0, which has version 1.0.0, covers p.v2.0.0 of 2.0.0",
		},
		"an entry of another package": {
			entries("s", "p.v1.0.0", "q.v1.0.0 replaces: p.v1.0.0") + three + strings.NewReplacer("package: p", "package: q", "p.v", "q.v", "packageName: p", "packageName: q").Replace(bundles("1.0.0")), "entry",
			"q.v1.0.0 is a bundle of package q",
		},
		"an entry that nothing is like": {
			entries("s", "p.v1.0.0", "p.next replaces: p.v1.0.0") + three, "entry",
			"no bundle has the name p.next or one nearly like it",
		},
		"a bundle above the head": {
			entries("s", "p.v1.0.0", "p.v2.0.0 replaces: p.v1.0.0") + three, "noChannel",
			"p.v3.0.0 of version 3.0.0 is above p.v2.0.0, the head of channel s",
		},
		"a bundle below the head": {
			entries("s", "p.v1.0.0", "p.v3.0.0 replaces: p.v1.0.0") + three, "noChannel",
			"p.v2.0.0 of version 2.0.0 is below p.v3.0.0, the head of channel s",
		},
		"one version twice": {
			entries("s", "p.v1.0.0", "p.v2.0.0 replaces: p.v1.0.0") + strings.Replace(three, "version: 2.0.0", "version: 1.0.0", 1), "sameVersion",
			"p.v2.0.0 and p.v1.0.0 both have version 1.0.0",
		},
		"what no catalog has": {
			entries("s", "p.v1.0.0") + bundles("1.0.0 "+missing), "uninstallable",
			"p.v1.0.0: requires package q in range >=1.0.0",
		},
		"a rule that fails on every bundle": {
			entries("s", "p.v1.0.0") + bundles("1.0.0 - {type: olm.constraint, value: {cel: {rule: 'properties.exists(p, p.type == \"olm.package\" && p.value.packageName == \"p\" && p.value.x == 1)'}}}\n"), "uninstallable",
			`p.v1.0.0: requires an operator for which this holds: properties.exists(p, p.type == "olm.package" && p.value.packageName == "p" && p.value.x == 1) (529725da9deb)
no bundle of package p satisfies the rule, which cannot be evaluated on p.v1.0.0 of catalog c: no catalog can help, its author must correct it: no such key: x`,
		},
		"what only an entry beside the chain skips": {
			entries("s", "p.v1.0.0", "p.v2.0.0", "p.v3.0.0 replaces: p.v1.0.0, skips: [p.v5.0.0]", "p.v4.0.0 skips: [p.v2.0.0]", "p.v5.0.0 replaces: p.v4.0.0") + three + bundles("4.0.0", "5.0.0"), "headUnreachable",
			"nothing replaces, skips or covers p.v2.0.0",
		},
		"a default channel that is misspelt": {
			strings.Replace(head, "defaultChannel: s", "defaultChannel: stabel", 1) + entries("stable", "p.v1.0.0") + bundles("1.0.0"), "defaultChannel",
			"stabel is nearly stable",
		},
	} {
		t.Run(name, func(t *testing.T) {
			if !strings.Contains(test.text, "schema: olm.package\n") {
				test.text = head + test.text
			}
			checked, err := cache.FS(fstest.MapFS{"c.yaml": {Data: []byte(test.text)}}, cache.Options{}).LoadChecked(t.Context())
			require.NoError(t, err)
			report, err := check.Run(t.Context(), []check.Catalog{{Key: catalog.Key{Name: "c"}, Checked: checked}}, check.Options{Safety: unsafe})
			require.NoError(t, err)
			var said []string
			for _, f := range report.Findings {
				if f.Code == test.code {
					for _, r := range f.Because {
						seen[r.Code] = true
						said = append(said, r.String())
					}
				}
			}
			assert.Equal(t, test.want, strings.Join(said, "\n"), "%v", report.Findings)
		})
	}
	for _, code := range finding.Marks() {
		assert.True(t, seen[code], "no finding has the reason %s", code)
	}
	assert.False(t, finding.Alike("", "abc"), "no name is spelt as another one")
}
