package catalog_test

import (
	"encoding/json"
	"testing"

	"github.com/blang/semver/v4"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/cache/catalog"
)

func TestLifecycle(t *testing.T) {
	p := catalog.Package{Lifecycles: []catalog.Lifecycle{{Minor: "1.2", Phases: []catalog.Phase{
		{Name: "Full", Start: "2026-01-01", End: "2026-06-30"}, {Name: "Maintenance", Start: "2026-07-01", End: "2026-12-31"},
	}}}}
	l := p.Lifecycle(semver.MustParse("1.2.3"))
	assert.Nil(t, p.Lifecycle(semver.MustParse("1.20.0")))
	for date, want := range map[string]string{
		"2025-12-31": "Full from 2026-01-01",
		"2026-01-01": "Full until 2026-06-30, then Maintenance",
		"2026-06-30": "Full until 2026-06-30, then Maintenance",
		"2026-07-01": "Maintenance until 2026-12-31",
		"2026-12-31": "Maintenance until 2026-12-31",
		"2027-01-01": "ended 2026-12-31",
	} {
		s := l.On(date)
		assert.Equal(t, want, s.String(), date)
		assert.Equal(t, date > "2026-12-31", s.Ended(), date)
	}
	assert.Equal(t, "no phase is stated", (&catalog.Lifecycle{}).On("2026-01-01").String())
	assert.Empty(t, (*catalog.Support)(nil).String())
	_, stated := l.OpenShift()
	assert.False(t, stated)
	require.NoError(t, json.Unmarshal([]byte(`{"platformCompatibility":[{"name":"openshift","versions":["4.18"]},{"name":"other","versions":["9"]}]}`), l))
	versions, stated := l.OpenShift()
	assert.True(t, stated)
	assert.Equal(t, []string{"4.18"}, versions)
}
