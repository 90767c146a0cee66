package check_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/blang/semver/v4"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/resolver/check"
	"github.com/resolvent/resolvent/resolver/result"
)

func needsRange(pkg, versions string) string {
	return fmt.Sprintf("{type: olm.package.required, value: {packageName: %s, versionRange: '%s'}}", pkg, versions)
}

const needsRope = "{type: olm.gvk.required, value: {group: hemp.example.com, version: v1, kind: Rope}}"

// What is assumed counts as if a catalog had it.
func TestAssume(t *testing.T) {
	text := pkg("p") + channel("p", "c", "{name: p.v1}, {name: p.v2, replaces: p.v1}, {name: p.v3, replaces: p.v2}") +
		bundle("p", 1, needsRange("q", "<1.0.0")) +
		bundle("p", 2, needsRange("q", ">1.0.0-rc.1"), needsRange("q", "<1.0.0-rc.2")) +
		bundle("p", 3, needsRange("q", ">=2.0.0"), needsRope)
	version := func(s string) *semver.Version {
		v := semver.MustParse(s)
		return &v
	}
	rope := []properties.GVK{{Group: "hemp.example.com", Version: "v1", Kind: "Rope"}}
	type versions = map[string][]*semver.Version
	for name, test := range map[string]struct {
		assume check.Assumptions
		want   []string
	}{
		"nothing":            {check.Assumptions{}, []string{"error uninstallable p.v1 p.v2 p.v3", "error uninstallable p.v3"}},
		"all":                {check.Assumptions{Packages: versions{"q": {nil}}, APIs: rope}, nil},
		"the package":        {check.Assumptions{Packages: versions{"q": {nil}}}, []string{"error uninstallable p.v3"}},
		"one version":        {check.Assumptions{Packages: versions{"q": {version("2.1.0")}}, APIs: rope}, []string{"warning uninstallable p.v1", "warning uninstallable p.v2"}},
		"two versions":       {check.Assumptions{Packages: versions{"q": {version("2.1.0"), version("0.1.0")}}, APIs: rope}, []string{"warning uninstallable p.v2"}},
		"something not used": {check.Assumptions{Packages: versions{"r": {nil}}, APIs: rope}, []string{"error uninstallable p.v1 p.v2 p.v3"}},
	} {
		t.Run(name, func(t *testing.T) {
			r, err := check.Run(t.Context(), []check.Catalog{catalogOf(t, "a", text)}, check.Options{Assume: test.assume})
			require.NoError(t, err)
			var got []string
			for _, f := range findings(r) {
				if strings.Contains(f, "uninstallable") {
					got = append(got, f)
				}
			}
			assert.Equal(t, test.want, got, r.Findings)
		})
	}
}

func TestAssumeUnusable(t *testing.T) {
	_, err := check.Run(t.Context(), []check.Catalog{catalogOf(t, "a", pkg("p"))},
		check.Options{Assume: check.Assumptions{Packages: map[string][]*semver.Version{"": {nil}}}})
	var invalid *result.InvalidInput
	assert.ErrorAs(t, err, &invalid)
}
