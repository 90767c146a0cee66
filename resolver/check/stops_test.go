package check_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver/check"
)

// A finding says whose updates and installs it stops; what stops most comes first.
func TestStops(t *testing.T) {
	missing := "{type: olm.package.required, value: {packageName: q, versionRange: '>=1.0.0'}}"
	three := "{name: p.v3, replaces: p.v2}, {name: p.v2, replaces: p.v1}, {name: p.v1}"
	for name, test := range map[string]struct {
		text  string
		code  catalog.Code // of the first finding
		stops []string
	}{
		"a channel without order": {
			pkg("p") + channel("p", "c", "{name: p.v1}, {name: p.v2}") + channel("p", "d", "{name: p.v3}") + bundle("p", 1) + bundle("p", 2) + bundle("p", 3, missing), "severalHeads",
			[]string{"updates of p.v1 and p.v2 and new installs in channel c"},
		},
		"a head that cannot be installed": {
			pkg("p") + channel("p", "c", three) + bundle("p", 1) + bundle("p", 2) + bundle("p", 3, missing), "uninstallable",
			[]string{"updates of p.v1 and p.v2 and new installs in channel c"},
		},
		"an entry without bundle on the way": {
			pkg("p") + channel("p", "c", three) + bundle("p", 1) + bundle("p", 3), "entry", nil,
		},
		"a bundle below the head": {
			pkg("p") + channel("p", "c", three) + bundle("p", 1) + bundle("p", 2, missing) + bundle("p", 3), "updateBlocked",
			[]string{"updates of p.v1 in channel c"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			report, err := check.Run(t.Context(), []check.Catalog{catalogOf(t, "c", test.text)}, check.Options{})
			require.NoError(t, err)
			require.NotEmpty(t, report.Findings)
			first := report.Findings[0]
			assert.Equal(t, test.code, first.Code)
			var stops []string
			for _, s := range first.Stops {
				stops = append(stops, s.String())
			}
			assert.Equal(t, test.stops, stops)
		})
	}
}
