package cache

import (
	"fmt"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/cache/internal/code"
)

// widgets is a catalog whose ranges have traps.
const widgets = `{"schema":"olm.package","name":"p","defaultChannel":"c"}
{"schema":"olm.channel","package":"p","name":"c","entries":[{"name":"p.v2","replaces":"p.v1","skipRange":">=1.0.0 <2.0.0"},{"name":"p.v1","skipRange":"<0.9.0"}]}
{"schema":"olm.bundle","package":"p","name":"p.v1","image":"i","properties":[{"type":"olm.package","value":{"packageName":"p","version":"1.0.0"}}]}
{"schema":"olm.bundle","package":"p","name":"p.v2","image":"i","properties":[{"type":"olm.package","value":{"packageName":"p","version":"2.0.0"}},{"type":"olm.package.required","value":{"packageName":"q","versionRange":"1.x.x"}},{"type":"olm.constraint","value":{"any":{"constraints":[{"package":{"packageName":"q","versionRange":">=1.0.0"}},{"not":{"constraints":[{"package":{"packageName":"q","versionRange":">2.0.0 <1.0.0-0"}}]}},{"cel":{"rule":"properties.exists(p, p.type == 'olm.package' && p.value.version == '1.15')"}}]}}}]}
`

func loadWidgets(t *testing.T) *Checked {
	t.Helper()
	checked, err := FS(fstest.MapFS{"c.json": {Data: []byte(widgets)}}, Options{}).LoadChecked(t.Context())
	require.NoError(t, err)
	return checked
}

// That prereleases are in a skipRange is a trap if there are any, of another version than
// the entry's own.
func TestSkipRangeTraps(t *testing.T) {
	for skipRange, want := range map[string]string{
		"<1.0.0":             "",
		"<1.1.0":             "skipRange: <1.1.0 also matches prereleases of 1.1.0, such as 1.1.0-rc.1; to leave them out write <1.1.0-0",
		"<1.1.0-0":           "",
		"<2.0.0":             "",
		">=1.0.0 <1.0.0":     `skipRange: no version is in ">=1.0.0 <1.0.0": terms joined by a space must all hold`,
		">=1.0.0 <1.1.0-rc1": "",
	} {
		text := `{"schema": "olm.package", "name": "p", "defaultChannel": "c"}
{"schema": "olm.channel", "package": "p", "name": "c", "entries": [{"name": "p.v2", "replaces": "p.v1", "skipRange": "` + skipRange + `"}, {"name": "p.v1"}]}
`
		for name, version := range map[string]string{"p.v1": "1.1.0-rc.7", "p.v2": "2.0.0"} {
			text += fmt.Sprintf(`{"schema": "olm.bundle", "package": "p", "name": %q, "image": "i", "properties": [{"type": "olm.package", "value": {"packageName": "p", "version": %q}}]}`, name, version)
		}
		checked, err := FS(fstest.MapFS{"c.json": {Data: []byte(text)}}, Options{}).LoadChecked(t.Context())
		require.NoError(t, err)
		got := ""
		for _, f := range checked.Faults {
			got += f.Message
		}
		assert.Equal(t, want, got, skipRange)
	}
}

// Nobody minds that prereleases which do not exist are in a skipRange.
func TestCheckTraps(t *testing.T) {
	var got []string
	for _, f := range loadWidgets(t).Faults {
		assert.EqualValues(t, code.Trap, f.Code)
		assert.Equal(t, catalog.Warning, f.Severity)
		got = append(got, f.Error())
	}
	assert.Equal(t, []string{
		`c.json:4:1, package p, bundle p.v2, property 1, versionRange: the range of package q: 1.x.x also matches prereleases of 1.1.0, such as 1.1.0-rc.1; to leave them out write <1.1.0-0`,
		`c.json:4:1, package p, bundle p.v2, property 1, versionRange: the range of package q: 1.x.x means 1.0.x, since only the last x stands for any number; write 1.x`,
		`c.json:4:1, package p, bundle p.v2, property 2, any.constraints[1].not.constraints[0].package.versionRange: the range of package q: no version is in ">2.0.0 <1.0.0-0": terms joined by a space must all hold`,
		`c.json:4:1, package p, bundle p.v2, property 2, any.constraints[2].cel.rule: the version of olm.package has three numbers, and is never equal to "1.15": write all three, as in 1.15.0, or compare with semver_compare`,
	}, got)
}

func TestCheckedPlace(t *testing.T) {
	checked := loadWidgets(t)
	for _, test := range []struct {
		pkg, channel, bundle string
		line                 int
	}{
		{"p", "", "", 1}, {"p", "c", "", 2}, {"p", "c", "p.v1", 3}, {"p", "", "p.v2", 4}, {"p", "x", "x", 1}, {"x", "", "", 0},
	} {
		assert.Equal(t, test.line, checked.Place(test.pkg, test.channel, test.bundle).Line)
	}
}
