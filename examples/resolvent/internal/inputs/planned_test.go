package inputs

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver/cluster"
)

// Only a written InstallPlan stands for Subscriptions; one that OLM made carries out those
// that there are, or were.
func TestPlanned(t *testing.T) {
	content, err := cache.Parse(t.Context(), []byte(`{"schema":"olm.package","name":"a","defaultChannel":"s"}
{"schema":"olm.channel","package":"a","name":"old","entries":[{"name":"a.v1"}]}
{"schema":"olm.channel","package":"a","name":"s","entries":[{"name":"a.v2"}]}
{"schema":"olm.bundle","package":"a","name":"a.v1","image":"i","properties":[{"type":"olm.package","value":{"packageName":"a","version":"1.0.0"}}]}
{"schema":"olm.bundle","package":"a","name":"a.v2","image":"i","properties":[{"type":"olm.package","value":{"packageName":"a","version":"2.0.0"}}]}
{"schema":"olm.package","name":"B","defaultChannel":"s"}
{"schema":"olm.channel","package":"B","name":"s","entries":[{"name":"B.v2"}]}
{"schema":"olm.bundle","package":"B","name":"B.v2","image":"i","properties":[{"type":"olm.package","value":{"packageName":"B","version":"2.0.0"}}]}
{"schema":"olm.package","name":"b","defaultChannel":"s"}
{"schema":"olm.channel","package":"b","name":"s","entries":[{"name":"b.v2"}]}
{"schema":"olm.bundle","package":"b","name":"b.v2","image":"i","properties":[{"type":"olm.package","value":{"packageName":"b","version":"2.0.0"}}]}`), cache.Options{})
	require.NoError(t, err)
	v0, v1 := catalog.Key{Namespace: "olm", Name: "c"}, catalog.Key{Name: "c"}
	plan := func(phase string, automatic bool, names ...string) cluster.InstallPlan {
		return cluster.InstallPlan{Namespace: "n", Name: "p", Phase: phase, Automatic: automatic, CSVs: names}
	}
	for _, c := range []struct {
		plan    cluster.InstallPlan
		from    catalog.Key
		beside  string // namespace of a Subscription
		want    []cluster.Subscription
		printed string
	}{
		{plan("", true, "a.v2"), v0, "m", []cluster.Subscription{{Namespace: "n", Name: "a", Package: "a", StartingCSV: "a.v2"}}, "InstallPlan p is resolved as a Subscription that starts from a.v2"},
		{plan("", false, "a.v1"), v0, "m", []cluster.Subscription{{Namespace: "n", Name: "a", Package: "a", Channel: "old", StartingCSV: "a.v1", Manual: true}}, "InstallPlan p is resolved"},
		{plan("", true, "a.v2", "a.v1"), v0, "m", []cluster.Subscription{{Namespace: "n", Name: "a", Package: "a", StartingCSV: "a.v2"}}, "InstallPlan p is resolved"},
		{plan("", true, "B.v2", "b.v2"), v0, "m", []cluster.Subscription{{Namespace: "n", Name: "b", Package: "B", StartingCSV: "B.v2"}, {Namespace: "n", Name: "b-2", Package: "b", StartingCSV: "b.v2"}}, "InstallPlan p is resolved"},
		{plan("", true, "b.v1"), v0, "m", nil, "InstallPlan p is ignored: it names b.v1"},
		{plan("", true, "a.v2"), v1, "m", nil, "InstallPlan p is ignored: it names a.v2"},
		{plan("", true, "a.v2"), v0, "n", nil, ""},
		{plan("Complete", true, "a.v2"), v0, "m", nil, ""},
	} {
		var printed strings.Builder
		of := cluster.Subscription{Namespace: c.beside, Name: "other", Package: "other"}
		given := cluster.NewIndex(cluster.Objects{Subscriptions: []cluster.Subscription{of}, InstallPlans: []cluster.InstallPlan{c.plan}})
		got := Planned(given, cache.NewView([]cache.Catalog{{Key: c.from, Snapshot: content}}), &printed)
		assert.Equal(t, append([]cluster.Subscription{of}, c.want...), got.Objects().Subscriptions)
		assert.True(t, strings.HasPrefix(printed.String(), c.printed) && (printed.String() == "") == (c.printed == ""), printed.String())
		assert.Len(t, given.Objects().Subscriptions, 1)
	}
}
