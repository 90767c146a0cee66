package fix_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/fix"
	"github.com/resolvent/resolvent/resolver/internal/words"
	"github.com/resolvent/resolvent/resolver/manifest"
	"github.com/resolvent/resolvent/resolver/result"
)

// helpOf resolves namespace n of manifests with catalog olm/k, and returns the help of the
// failure.
func helpOf(t *testing.T, manifests, blobs string) *result.Help {
	objects, err := manifest.Read(t.Context(), manifest.Input{Name: "cluster.yaml", Reader: strings.NewReader(manifests)})
	require.NoError(t, err)
	snapshot, err := cache.Parse(t.Context(), []byte(blobs), cache.Options{})
	require.NoError(t, err)
	_, err = resolver.New().Resolve(t.Context(), resolver.Problem{
		Cluster:  cluster.NewIndex(objects),
		Catalogs: cache.NewView([]cache.Catalog{{Key: catalog.Key{Namespace: "olm", Name: "k"}, Snapshot: snapshot}}),
	}, cluster.InNamespace("n"))
	failure, ok := errors.AsType[*result.NotSatisfiable](err)
	require.True(t, ok, "%v", err)
	return result.HelpOf(failure)
}

// asking requires a version of package b, of which there are three.
const asking = `{"schema":"olm.package","name":"a","defaultChannel":"c"}
{"schema":"olm.channel","package":"a","name":"c","entries":[{"name":"a.v1"}]}
{"schema":"olm.bundle","package":"a","name":"a.v1","image":"i","properties":[{"type":"olm.package","value":{"packageName":"a","version":"1.0.0"}},{"type":"olm.package.required","value":{"packageName":"b","versionRange":"RANGE"}}]}
{"schema":"olm.package","name":"b","defaultChannel":"c"}
{"schema":"olm.channel","package":"b","name":"c","entries":[{"name":"b.v1"},{"name":"b.v3","replaces":"b.v1"},{"name":"b.v5","replaces":"b.v3"}]}
{"schema":"olm.bundle","package":"b","name":"b.v1","image":"i","properties":[{"type":"olm.package","value":{"packageName":"b","version":"1.0.0"}}]}
{"schema":"olm.bundle","package":"b","name":"b.v3","image":"i","properties":[{"type":"olm.package","value":{"packageName":"b","version":"3.0.0"}}]}
{"schema":"olm.bundle","package":"b","name":"b.v5","image":"i","properties":[{"type":"olm.package","value":{"packageName":"b","version":"5.0.0"}}]}
`

const asks = `
{apiVersion: operators.coreos.com/v1alpha1, kind: Subscription, metadata: {name: a, namespace: n}, spec: {name: a, channel: c, source: k, sourceNamespace: olm}}
`

// Of two versions that are equally far from what a bundle accepts, its publisher is asked
// for the newer one; else for the closer one.
func TestOthersOnATie(t *testing.T) {
	const other = `
{"schema":"olm.package","name":"d","defaultChannel":"c"}
{"schema":"olm.channel","package":"d","name":"c","entries":[{"name":"d.v1"}]}
{"schema":"olm.bundle","package":"d","name":"d.v1","image":"i","properties":[{"type":"olm.package","value":{"packageName":"d","version":"1.0.0"}},{"type":"olm.package.required","value":{"packageName":"b","versionRange":"OTHER"}}]}`
	for _, of := range []struct{ accepts, other, want string }{
		{"3.0.0", "1.0.0 || 5.0.0", "b 5.0.0"},
		{"1.0.0", "3.0.0 || 5.0.0", "b 3.0.0"},
		{"5.0.0", "1.0.0 || 3.0.0", "b 3.0.0"},
	} {
		help := helpOf(t, asks+"---\n"+strings.ReplaceAll(asks, "name: a", "name: d"),
			strings.Replace(asking, "RANGE", of.accepts, 1)+strings.Replace(other, "OTHER", of.other, 1))
		at := slices.IndexFunc(help.Others, func(o result.Other) bool { return o.Bundle.Name == "a.v1" })
		require.GreaterOrEqual(t, at, 0, "%+v", help.Others)
		assert.Equal(t, result.OtherPublisher, help.Others[at].Kind)
		assert.Equal(t, []string{of.want}, help.Others[at].Accepts, of)
	}
}

// An override takes the place of another one of its type, and leaves those of others.
func TestOverrideReplaces(t *testing.T) {
	help := helpOf(t, asks+`---
{apiVersion: operators.coreos.com/v1alpha1, kind: Subscription, metadata: {name: b, namespace: n}, spec: {name: b, channel: c, source: k, sourceNamespace: olm}, status: {installedCSV: b.v1}}
---
{apiVersion: operators.coreos.com/v1alpha1, kind: ClusterServiceVersion, metadata: {name: b.v1, namespace: n}, spec: {version: 1.0.0}}
---
{apiVersion: operators.coreos.com/v2, kind: OperatorCondition, metadata: {name: b.v1, namespace: n}, spec: {
  conditions: [{type: Upgradeable, status: "True"}],
  overrides: [{type: Paused, status: "True", reason: r, message: m}, {type: Upgradeable, status: "False", reason: Night, message: not now}, {type: Moved, status: "False", reason: r, message: m}]}}
`, strings.Replace(asking, "RANGE", ">=3.0.0", 1))
	found := 0
	for _, f := range help.Fixes {
		for _, s := range f.Steps() {
			if s.Field != words.FieldOverrides {
				continue
			}
			found++
			assert.EqualValues(t, result.RiskOverrides, f.Risk)
			assert.Equal(t, []result.Caution{{Kind: words.CautionHeld, Names: []string{"b.v1"}, Said: "Night: not now"}}, f.Cautions[:1])
			assert.Len(t, s.From, 3)
			assert.Equal(t, map[string]string{"Paused": "True", "Moved": "False", "Upgradeable": "True"}, statuses(t, s.To))
		}
	}
	assert.Equal(t, 1, found)
}

// statuses are the types of conditions, each of which is there once, with their statuses.
func statuses(t *testing.T, of any) map[string]string {
	list := map[string]string{}
	for _, c := range of.([]cluster.Condition) {
		assert.NotContains(t, list, c.Type)
		list[c.Type] = c.Status
	}
	return list
}

// What failed is named with what OLM says of it, each sentence once. A copied
// ClusterServiceVersion failed elsewhere.
func TestFailedIn(t *testing.T) {
	failed := func(name, reason, message string) cluster.ClusterServiceVersion {
		return cluster.ClusterServiceVersion{Namespace: "n", Name: name, Phase: "Failed", Reason: reason, Message: message}
	}
	n := &cluster.NamespaceObjects{CSVs: []cluster.ClusterServiceVersion{
		failed("a", "NoSpace", "disk full"), failed("b", "NoSpace", "disk full"), failed("c", "", ""), failed("d", "Copied", "of another"), {Namespace: "n", Name: "e", Phase: "Succeeded", Message: "done"},
	}}
	assert.Equal(t, result.Caution{Kind: words.CautionForward, Names: []string{"a", "b", "c"}, Said: "NoSpace: disk full"}, fix.FailedIn(n))
}

// Of versions that are equally close the first by name are listed, in whatever order they are
// tried: those of the default channel come first.
func TestEquallyClose(t *testing.T) {
	blobs := `{"schema":"olm.package","name":"a","defaultChannel":"c"}
{"schema":"olm.channel","package":"a","name":"c","entries":[{"name":"a.v3","replaces":"a.s"},{"name":"a.s","replaces":"a.r"},{"name":"a.r","replaces":"a.q"},{"name":"a.q"}]}
{"schema":"olm.channel","package":"a","name":"d","entries":[{"name":"a.p"}]}
{"schema":"olm.bundle","package":"a","name":"a.v3","image":"i","properties":[{"type":"olm.package","value":{"packageName":"a","version":"2.1.0"}},{"type":"olm.package.required","value":{"packageName":"b","versionRange":">=1.0.0"}}]}`
	for _, name := range []string{"p", "q", "r", "s"} {
		blobs += fmt.Sprintf(`{"schema":"olm.bundle","package":"a","name":"a.%s","image":"i","properties":[{"type":"olm.package","value":{"packageName":"a","version":"2.0.0+%s"}}]}`, name, name)
	}
	help := helpOf(t, strings.Replace(asks, "channel: c", "startingCSV: a.v3", 1), blobs)
	var starts []any // without one it is a.s
	for _, f := range help.Fixes {
		if s := f.Steps()[0]; s.Field == words.FieldStartingCSV {
			starts = append(starts, s.To)
		}
	}
	assert.Equal(t, []any{nil, "a.p", "a.q"}, starts)
}
