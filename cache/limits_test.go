package cache_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/cache/internal/code"
)

// TestLimitBoundaries finds, for each limit, the least value with which a catalog
// is read without a fault of the limit: one less is a fault with CodeLimit that
// takes away the smallest thing that it can, and nothing else.
func TestLimitBoundaries(t *testing.T) {
	const (
		head    = `{"schema":"olm.package","name":"p","defaultChannel":"c"}`
		channel = `{"schema":"olm.channel","package":"p","name":"c","entries":[{"name":"b"},{"name":"b2","replaces":"b"}]}`
		bundle  = `{"schema":"olm.bundle","package":"p","name":"b","image":"i","properties":[{"type":"olm.package","value":{"packageName":"p","version":"1.0.0"}},{"type":"x","value":[[[1]]]},{"type":"olm.label.required","value":{"label":"a"}},{"type":"olm.label.required","value":{"label":"b"}}]}`
		other   = `{"schema":"olm.bundle","package":"p","name":"b2","image":"i","properties":[{"type":"olm.package","value":{"packageName":"p","version":"2.0.0"}}]}`
		// A file of its own, whose bundle is another package's.
		elsewhere = `{"schema":"olm.package","name":"q","defaultChannel":"c"}{"schema":"olm.channel","package":"q","name":"c","entries":[{"name":"q1"}]}{"schema":"olm.bundle","package":"q","name":"q1","image":"i","properties":[{"type":"olm.package","value":{"packageName":"q","version":"1.0.0"}}]}`
	)
	json := []string{head, channel, bundle, other}
	yaml := "---\n" + strings.Join([]string{head, channel, "#\n" + bundle, other}, "\n---\n")
	for name, test := range map[string]struct {
		limit string
		text  string
		least int
		// lost are the bundles that are missing beyond the limit, and channels
		// whether the channel is.
		lost    []string
		channel bool
	}{
		"file":          {"FileBytes", strings.Join(json, "\n"), len(strings.Join(json, "\n")), []string{"b", "b2"}, true},
		"document":      {"DocumentBytes", strings.Join(json, "\n"), len(bundle), []string{"b"}, false},
		"YAML document": {"DocumentBytes", yaml, 0, []string{"b", "b2"}, true},
		"documents":     {"Documents", strings.Join(json, "\n"), 4, []string{"b", "b2"}, true},
		"depth":         {"Depth", strings.Join(json, "\n"), 3, []string{"b"}, false},
		"properties":    {"Properties", strings.Join(json, "\n"), 4, []string{"b"}, false},
		"constraints":   {"BundleConstraints", strings.Join(json, "\n"), 2, []string{"b"}, false},
		"entries":       {"Entries", strings.Join(json, "\n"), 2, nil, true},
	} {
		t.Run(name, func(t *testing.T) {
			read := func(limit int) (*catalog.Snapshot, bool) {
				var limits catalog.Limits
				reflect.ValueOf(&limits).Elem().FieldByName(test.limit).SetInt(int64(limit))
				tree := fstest.MapFS{"c.json": {Data: []byte(test.text)}, "d.json": {Data: []byte(elsewhere)}}
				if test.text == yaml {
					tree["c.yaml"] = tree["c.json"]
					delete(tree, "c.json")
				}
				s, err := cache.LoadFS(t.Context(), tree, cache.Options{Limits: limits})
				require.NoError(t, err)
				return s, slices.ContainsFunc(s.Faults(), func(f catalog.Fault) bool { return f.Code == code.Limit })
			}
			least := 1
			if test.least > 0 {
				least = test.least
			} else {
				for _, limited := read(least); limited; _, limited = read(least) {
					least++
				}
			}
			s, limited := read(least)
			require.False(t, limited, s.Faults())
			assert.Equal(t, 3, s.Len())
			require.NotNil(t, s.Package("p").Channel("c"))
			assert.Empty(t, s.Package("p").Channel("c").Fault)

			s, limited = read(least - 1)
			require.True(t, limited)
			for _, bundle := range []string{"b", "b2"} {
				assert.Equal(t, slices.Contains(test.lost, bundle), len(s.Named(bundle)) == 0, "%s: %v", bundle, s.Faults())
			}
			pkg := s.Package("p")
			usable := pkg != nil && pkg.Channel("c") != nil && pkg.Channel("c").Fault == ""
			assert.Equal(t, test.channel, !usable, s.Faults())
			// What another file says of another package is not affected, unless
			// the same limit applies there.
			if elsewhereFits := test.limit != "FileBytes" && test.limit != "DocumentBytes" || least > len(elsewhere); elsewhereFits {
				assert.Len(t, s.Named("q1"), 1)
			}
		})
	}
	// The others are in TestYAMLLimits and TestEvaluationCost, those of archives in
	// TestBombs.
	assert.Equal(t, 7+3+4, reflect.TypeFor[catalog.Limits]().NumField(), "each limit has a row")
}
