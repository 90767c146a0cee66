package repair

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/cache"
)

// TestPackages: of two catalogs, a package has to do with what it requires and what that
// requires, with what it may mean, and with what requires it.
func TestPackages(t *testing.T) {
	view := func(packages map[string]string) cache.Catalog {
		var text strings.Builder
		for name, properties := range packages {
			fmt.Fprintf(&text, "{schema: olm.package, name: %s, defaultChannel: c}\n---\n{schema: olm.channel, package: %[1]s, name: c, entries: [{name: %[1]s.v1}]}\n---\n"+
				"{schema: olm.bundle, package: %[1]s, name: %[1]s.v1, image: i, properties: [{type: olm.package, value: {packageName: %[1]s, version: 1.0.0}}%s]}\n---\n", name, properties)
		}
		s, err := cache.Parse(t.Context(), []byte(text.String()), cache.Options{})
		require.NoError(t, err)
		return cache.Catalog{Snapshot: s}
	}
	requires := func(pkg string) string {
		return `, {type: olm.package.required, value: {packageName: ` + pkg + `, versionRange: ">=1.0.0"}}`
	}
	gvk := func(of, version, kind string) string {
		return ", {type: " + of + ", value: {group: g.io, version: " + version + ", kind: " + kind + "}}"
	}
	catalogs := []cache.Catalog{view(map[string]string{
		"app": requires("database"), "database": gvk("olm.gvk.required", "v2", "Disk"), "mistake": requires("databass"), "databasf": gvk("olm.gvk", "v1", "Lone"), // nearly as the one that is there
	}), view(map[string]string{"disk": gvk("olm.gvk", "v1", "Disk"), "tape": gvk("olm.gvk", "v1", "Tape")})}
	for pkg, want := range map[string][]string{
		"app":      {"app", "database", "disk"},
		"database": {"app", "database", "disk"},
		"disk":     {"database", "disk"},
		"mistake":  {"databasf", "database", "disk", "mistake"},
		"tape":     {"tape"},
		"gone":     {"gone"},
		"databass": {"databass", "databasf", "database", "disk", "mistake"},
	} {
		assert.ElementsMatch(t, want, slices.Collect(maps.Keys(relatedPackages(catalogs, pkg))), pkg)
	}
	labels := view(map[string]string{"any": ", {type: olm.label.required, value: {label: l}}"})
	assert.Len(t, relatedPackages(append(catalogs, labels), "tape"), 7, "what requires a label has to do with all")
}
