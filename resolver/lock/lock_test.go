package lock_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/lock"
	"github.com/resolvent/resolvent/resolver/policy"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/testdata/testkit"
)

// pkg is a package with one channel, in which each bundle replaces the one before.
type pkg struct {
	name string
	// bundles are versions, each with what it requires, as "1.0.0 b<2.0.0" or "2.0.0 @2026-01-01".
	bundles []string
}

var key = catalog.Key{Namespace: "olm", Name: "c"}

// blobs returns the packages as a file-based catalog.
func blobs(packages ...pkg) string {
	var b strings.Builder
	for _, p := range packages {
		fmt.Fprintf(&b, `{"schema":"olm.package","name":%q,"defaultChannel":"stable"}`+"\n", p.name)
		var entries []string
		before := ""
		for _, text := range p.bundles {
			fields := strings.Fields(text)
			name := p.name + ".v" + fields[0]
			entries = append(entries, fmt.Sprintf(`{"name":%q,"replaces":%q}`, name, before))
			before = name
			properties := fmt.Sprintf(`{"type":"olm.package","value":{"packageName":%q,"version":%q}}`, p.name, fields[0])
			for _, more := range fields[1:] {
				if at, ok := strings.CutPrefix(more, "@"); ok {
					properties += fmt.Sprintf(`,{"type":"olm.csv.metadata","value":{"annotations":{"createdAt":%q}}}`, at)
					continue
				}
				at := strings.IndexAny(more, "<>=")
				properties += fmt.Sprintf(`,{"type":"olm.package.required","value":{"packageName":%q,"versionRange":%q}}`, more[:at], more[at:])
			}
			fmt.Fprintf(&b, `{"schema":"olm.bundle","package":%q,"name":%q,"image":"registry/%s@sha256:1","properties":[%s]}`+"\n", p.name, name, name, properties)
		}
		fmt.Fprintf(&b, `{"schema":"olm.channel","package":%q,"name":"stable","entries":[%s]}`+"\n", p.name, strings.Join(entries, ","))
	}
	return b.String()
}

func view(t testing.TB, text string) *cache.View {
	t.Helper()
	snapshot, err := cache.Parse(t.Context(), []byte(text), cache.Options{})
	require.NoError(t, err)
	require.Empty(t, snapshot.Faults())
	return cache.NewView([]cache.Catalog{{Key: key, Snapshot: snapshot}})
}

// fleet returns clusters with Subscriptions, each as "NAMESPACE/PACKAGE" or, with what is
// installed, "NAMESPACE/PACKAGE=VERSION".
func fleet(catalogs *cache.View, clusters map[string][]string, names ...string) (list []lock.Cluster) {
	for _, name := range names {
		var o cluster.Objects
		for _, text := range clusters[name] {
			text, version, installed := strings.Cut(text, "=")
			namespace, p, _ := strings.Cut(text, "/")
			s := cluster.Subscription{Namespace: namespace, Name: p, Package: p, Channel: "stable", Catalog: key.Name, CatalogNamespace: key.Namespace}
			if installed {
				s.InstalledCSV = p + ".v" + version
				o.CSVs = append(o.CSVs, cluster.ClusterServiceVersion{Namespace: namespace, Name: s.InstalledCSV, Version: version, Phase: "Succeeded"})
			}
			o.Subscriptions = append(o.Subscriptions, s)
		}
		list = append(list, lock.Cluster{Name: name, Problem: resolver.Problem{Cluster: cluster.NewIndex(o), Catalogs: catalogs}})
	}
	return list
}

func one(catalogs *cache.View, subscriptions ...string) []lock.Cluster {
	return fleet(catalogs, map[string][]string{"": subscriptions}, "")
}

func text(t testing.TB, l *lock.Lock) string {
	t.Helper()
	data, err := l.Text()
	require.NoError(t, err)
	return string(data)
}

// made locks the clusters, which must have answers.
func made(t testing.TB, clusters []lock.Cluster, o lock.Options) *lock.Lock {
	t.Helper()
	r, err := lock.Make(t.Context(), clusters, o)
	require.NoError(t, err)
	require.Empty(t, r.Unresolved)
	again, err := lock.Read([]byte(text(t, r.Lock)))
	require.NoError(t, err)
	assert.Equal(t, text(t, r.Lock), text(t, again), "a lock that is read is the same")
	return again
}

func update(t testing.TB, l *lock.Lock, clusters []lock.Cluster, o lock.Options, packages ...string) *lock.Result {
	t.Helper()
	r, err := l.Update(t.Context(), clusters, packages, o)
	require.NoError(t, err)
	require.Empty(t, r.Unresolved)
	return r
}

func check(t testing.TB, l *lock.Lock, clusters []lock.Cluster) (list []string) {
	t.Helper()
	differences, err := l.Check(t.Context(), clusters, lock.Options{})
	require.NoError(t, err)
	for _, d := range differences {
		list = append(list, d.String())
	}
	return list
}

// bundles lists what is locked, as "PACKAGE VERSION".
func bundles(l *lock.Lock) (list []string) {
	for _, s := range l.Scopes {
		for _, b := range s.Bundles {
			list = append(list, b.Package+" "+b.Version)
		}
	}
	return list
}

func moves(r *lock.Result) (list []string) {
	for _, m := range r.Moves {
		list = append(list, m.String())
	}
	return list
}

func Example() {
	ctx := context.Background()
	snapshot, err := cache.Parse(ctx, []byte(blobs(pkg{"a", []string{"1.0.0", "2.0.0 b<2.0.0"}}, pkg{"b", []string{"1.0.0", "2.0.0"}})), cache.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	clusters := one(cache.NewView([]cache.Catalog{{Key: key, Snapshot: snapshot}}), "n/a=1.0.0")
	made, err := lock.Make(ctx, clusters, lock.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, m := range made.Moves {
		fmt.Println(m)
	}
	differences, err := made.Lock.Check(ctx, clusters, lock.Options{})
	fmt.Println(differences, err)
	// Output:
	// namespace n: a none -> 2.0.0
	// namespace n: b none -> 1.0.0
	// [] <nil>
}

// Everything that a block says.
func TestText(t *testing.T) {
	l := made(t, one(view(t, blobs(pkg{"a", []string{"1.0.0", "1.1.0", "2.0.0 b<2.0.0"}}, pkg{"b", []string{"1.0.0", "2.0.0"}})), "n/a=1.0.0"), lock.Options{})
	got := text(t, l)
	for _, b := range l.Scopes[0].Bundles {
		got = strings.Replace(strings.Replace(got, b.Digest, "sha256:1", 1), b.PackageDigest, "sha256:2", 1)
	}
	assert.Equal(t, `apiVersion: resolvent/v1
kind: Lock
scopes:
- namespace: 'n'
  requests:
  - name: a
    package: a
    channel: stable
    catalog: olm/c
  bundles:
  - package: a
    bundle: a.v2.0.0
    version: 2.0.0
    channel: stable
    catalog: olm/c
    image: registry/a.v2.0.0@sha256:1
    replaces: a.v1.1.0
    request: a
    for:
    - Subscription a
    way:
    - a.v1.1.0
    digest: sha256:1
    packageDigest: sha256:2
  - package: b
    bundle: b.v1.0.0
    version: 1.0.0
    channel: stable
    catalog: olm/c
    image: registry/b.v1.0.0@sha256:1
    request: b-stable-c-olm
    for:
    - package a
    digest: sha256:1
    packageDigest: sha256:2
`, got)
}

// What is locked stays when catalogs get newer bundles; only what is named moves.
func TestStays(t *testing.T) {
	before := view(t, blobs(pkg{"a", []string{"1.0.0"}}, pkg{"b", []string{"1.0.0"}}))
	after := view(t, blobs(pkg{"a", []string{"1.0.0", "2.0.0"}}, pkg{"b", []string{"1.0.0", "2.0.0"}}, pkg{"c", []string{"1.0.0"}}))
	for _, installed := range []string{"", "=1.0.0"} {
		l := made(t, one(before, "n/a"+installed, "n/b"+installed), lock.Options{})
		same := made(t, one(before, "n/b"+installed, "n/a"+installed), lock.Options{})
		assert.Equal(t, text(t, l), text(t, same), "the order of the input does not matter")
		clusters := one(after, "n/a"+installed, "n/b"+installed)
		assert.Empty(t, check(t, l, clusters))
		moved := update(t, l, clusters, lock.Options{}, "a")
		assert.Equal(t, []string{"namespace n: a 1.0.0 -> 2.0.0"}, moves(moved))
		all := update(t, l, clusters, lock.Options{})
		assert.Equal(t, []string{"a 2.0.0", "b 2.0.0"}, bundles(all.Lock))
		// A new request is added, and nothing else moves.
		added := made(t, one(after, "n/a"+installed, "n/b"+installed, "n/c"), lock.Options{Before: l})
		assert.Equal(t, []string{"a 1.0.0", "b 1.0.0", "c 1.0.0"}, bundles(added))
	}
}

// What must move with a package moves, and the move says why.
func TestMovesAlong(t *testing.T) {
	before := view(t, blobs(pkg{"a", []string{"1.0.0"}}, pkg{"b", []string{"1.0.0"}}, pkg{"c", []string{"1.0.0"}}))
	after := view(t, blobs(pkg{"a", []string{"1.0.0", "2.0.0 b>=2.0.0"}}, pkg{"b", []string{"1.0.0", "2.0.0"}}, pkg{"c", []string{"1.0.0", "2.0.0"}}))
	for _, installed := range []string{"", "=1.0.0"} {
		l := made(t, one(before, "n/a"+installed, "n/b"+installed, "n/c"+installed), lock.Options{})
		r := update(t, l, one(after, "n/a"+installed, "n/b"+installed, "n/c"+installed), lock.Options{}, "a")
		require.Equal(t, []string{"namespace n: a 1.0.0 -> 2.0.0", "namespace n: b 1.0.0 -> 2.0.0"}, moves(r))
		assert.Empty(t, r.Moves[0].Because)
		assert.Equal(t, "with b.v1.0.0, a does not get to a.v2.0.0", r.Moves[1].Because)
		assert.Contains(t, r.Moves[0].Notes, "a new major version: 2 after 1")
	}
}

// A policy bounds what moves, and what OLM would choose instead is said.
func TestPolicy(t *testing.T) {
	p, err := policy.Parse([]byte("apiVersion: resolvent/v1\nkind: Policy\nmetadata: {name: minors}\ncandidates: [{name: no-major, deny: major(bundle.version) > 1}]\n"))
	require.NoError(t, err)
	clusters := one(view(t, blobs(pkg{"a", []string{"1.0.0", "1.1.0", "2.0.0"}}, pkg{"b", []string{"1.0.0", "1.1.0"}})), "n/a=1.1.0", "n/b=1.0.0")
	clusters[0].Problem.Options.Policies = []*policy.Policy{p}
	l := made(t, clusters, lock.Options{})
	assert.Equal(t, []string{"a 1.1.0", "b 1.1.0"}, bundles(l))
	assert.Equal(t, "minors", l.Policies[0].Name)
	assert.False(t, l.Scopes[0].Bundle("a").Automatic())
	assert.Equal(t, "a.v2.0.0", l.Scopes[0].Bundle("a").Planned)
	assert.False(t, l.Scopes[0].Bundle("b").Automatic(), "OLM plans both at once")
	assert.Empty(t, check(t, l, clusters))
	clusters[0].Problem.Options.Policies = nil
	assert.Empty(t, check(t, l, clusters), "what a policy no longer denies still holds")
}

// What no longer holds is said.
func TestCheck(t *testing.T) {
	was := []pkg{{"a", []string{"1.0.0", "2.0.0"}}, {"b", []string{"1.0.0"}}}
	clusters := one(view(t, blobs(was...)), "n/a", "n/b")
	l := made(t, clusters, lock.Options{})
	for _, c := range []struct {
		what     string
		clusters []lock.Cluster
		want     string
	}{
		{"a bundle that is gone", one(view(t, blobs(pkg{"a", []string{"1.0.0"}}, was[1])), "n/a", "n/b"), "namespace n: a: a.v2.0.0 is gone from catalog olm/c"},
		{"another content", one(view(t, blobs(pkg{"a", []string{"1.0.0", "2.0.0 b>=1.0.0"}}, was[1])), "n/a", "n/b"), "namespace n: a: a.v2.0.0 has another content in catalog olm/c than when it was locked"},
		{"another image", one(view(t, strings.ReplaceAll(blobs(was...), "registry/b", "elsewhere/b")), "n/a", "n/b"), "namespace n: b: b.v1.0.0 has image elsewhere/b.v1.0.0@sha256:1 in catalog olm/c, and registry/b.v1.0.0@sha256:1 in the lock"},
		{"a request that is gone", one(view(t, blobs(was...)), "n/a"), "namespace n: b: request b is locked, but no manifest asks for it any more"},
		{"a scope that is gone", one(view(t, blobs(was...)), "m/a"), "namespace n: locked, but nothing requests it any more"},
		{"a new request", one(view(t, blobs(was[0], was[1], pkg{"c", []string{"1.0.0"}})), "n/a", "n/b", "n/c"), "namespace n: c: request c is not locked"},
		{"a cluster ahead", one(view(t, blobs(pkg{"a", []string{"1.0.0", "2.0.0", "3.0.0"}}, was[1])), "n/a=3.0.0", "n/b"), "namespace n: a: the cluster gets a.v3.0.0, and a.v2.0.0 is locked"},
	} {
		assert.Contains(t, check(t, l, c.clusters), c.want, c.what)
	}
	p, err := policy.Parse([]byte("apiVersion: resolvent/v1\nkind: Policy\nmetadata: {name: none}\ncandidates: [{name: no-two, deny: major(bundle.version) > 1}]\n"))
	require.NoError(t, err)
	clusters[0].Problem.Options.Policies = []*policy.Policy{p}
	denied := check(t, l, clusters)
	require.Len(t, denied, 1)
	assert.Contains(t, denied[0], "no-two")
}

// No answer for a scope keeps its old blocks.
func TestUnresolved(t *testing.T) {
	l := made(t, fleet(view(t, blobs(pkg{"a", []string{"1.0.0"}})), map[string][]string{"x": {"n/a"}, "y": {"n/a"}}, "x", "y"), lock.Options{})
	gone := fleet(view(t, blobs(pkg{"a", []string{"2.0.0"}})), map[string][]string{"x": {"n/a"}, "y": {"n/a", "n/b"}}, "x", "y")
	r, err := l.Update(t.Context(), gone, nil, lock.Options{})
	require.NoError(t, err)
	require.Len(t, r.Unresolved, 1)
	assert.Contains(t, r.Unresolved[0].String(), "cluster y, namespace n: ")
	assert.Equal(t, result.ResultUnsatisfied, result.Of(r.Unresolved[0].Err))
	assert.Equal(t, []string{"a 2.0.0", "a 1.0.0"}, bundles(r.Lock))
	assert.Equal(t, l.Scopes[1], r.Lock.Scopes[1])
}

// A name that breaks the file is never written.
func TestHostileName(t *testing.T) {
	catalogs := view(t, strings.ReplaceAll(blobs(pkg{"a", []string{"1.0.0"}}), "registry/", `registry\u001b[2J/`))
	r, err := lock.Make(t.Context(), one(catalogs, "n/a"), lock.Options{})
	require.NoError(t, err)
	require.Len(t, r.Unresolved, 1)
	assert.Contains(t, r.Unresolved[0].String(), `has characters that no name has`)
}

// A bundle is not taken until it is old enough.
func TestMinAge(t *testing.T) {
	l := made(t, one(view(t, blobs(pkg{"a", []string{"1.0.0"}})), "n/a"), lock.Options{})
	clusters := one(view(t, blobs(pkg{"a", []string{"1.0.0", "1.1.0 @2026-01-01T10:00:00Z", "1.2.0"}})), "n/a")
	week := lock.Options{MinAge: 7 * 24 * time.Hour, Date: "2026-02-01"}
	first := update(t, l, clusters, week).Lock
	assert.Equal(t, []string{"a 1.1.0"}, bundles(first))
	assert.Equal(t, []lock.Newer{{Name: "a.v1.2.0", FirstSeen: "2026-02-01"}}, first.Scopes[0].Bundles[0].Newer)
	week.Date = "2026-02-07"
	second := update(t, first, clusters, week).Lock
	assert.Equal(t, text(t, first), text(t, second), "a day alone changes nothing")
	week.Date = "2026-02-08"
	third := update(t, second, clusters, week).Lock
	assert.Equal(t, []string{"a 1.2.0"}, bundles(third))
	assert.Empty(t, third.Scopes[0].Bundles[0].Newer)
	_, err := l.Update(t.Context(), clusters, nil, lock.Options{MinAge: time.Hour})
	assert.ErrorContains(t, err, "date")
}

// A wave moves to what the waves before it run, and not before they do.
func TestWaves(t *testing.T) {
	old := view(t, blobs(pkg{"a", []string{"1.0.0"}}))
	l := made(t, fleet(old, map[string][]string{"x": {"n/a"}, "y": {"n/a"}}, "x", "y"), lock.Options{})
	l.Waves = []lock.Wave{{"canary", []string{"x"}}, {"rest", []string{"y"}}}
	catalogs := view(t, blobs(pkg{"a", []string{"1.0.0", "1.1.0", "1.2.0"}}))
	both := func(installed string) []lock.Cluster {
		return fleet(catalogs, map[string][]string{"x": {"n/a" + installed}, "y": {"n/a=1.0.0"}}, "x", "y")
	}
	canary := update(t, l, both("=1.0.0"), lock.Options{Wave: "canary"})
	assert.Equal(t, []string{"cluster x, namespace n: a 1.0.0 -> 1.2.0"}, moves(canary))
	_, err := canary.Lock.Update(t.Context(), both("=1.1.0"), nil, lock.Options{Wave: "rest"})
	assert.ErrorContains(t, err, "wave rest: cluster x, namespace n of the earlier wave canary does not run yet: a.v1.2.0 (")
	_, err = canary.Lock.Update(t.Context(), both("")[1:], nil, lock.Options{Wave: "rest"})
	assert.ErrorContains(t, err, "is not given")
	_, err = canary.Lock.Update(t.Context(), both(""), nil, lock.Options{Wave: "last"})
	assert.ErrorContains(t, err, "no wave of that name")
	// A bundle that came meanwhile is not taken: the canary does not run it.
	catalogs = view(t, blobs(pkg{"a", []string{"1.0.0", "1.1.0", "1.2.0", "1.3.0"}}))
	rest := update(t, canary.Lock, both("=1.2.0"), lock.Options{Wave: "rest"})
	assert.Equal(t, []string{"cluster y, namespace n: a 1.0.0 -> 1.2.0"}, moves(rest))
	assert.Equal(t, l.Waves, rest.Lock.Waves)
}

// An InstallPlan with what is neither locked nor on the way is stale.
func TestJudge(t *testing.T) {
	catalogs := view(t, blobs(pkg{"a", []string{"1.0.0", "1.1.0", "1.2.0", "1.3.0"}}))
	l := made(t, one(view(t, blobs(pkg{"a", []string{"1.0.0", "1.1.0", "1.2.0"}})), "n/a"), lock.Options{})
	held := result.ApprovalReason{Kind: "held", Message: "no"}
	for _, c := range []struct {
		bundles []string
		reasons []result.ApprovalReason
		want    string
	}{
		{[]string{"a.v1.2.0"}, []result.ApprovalReason{{Kind: "stale"}}, "approve"},
		{[]string{"a.v1.1.0"}, nil, "approve"},
		{[]string{"a.v1.3.0"}, nil, "do not approve it now: stale: the lock holds a at a.v1.2.0, and a.v1.3.0 does not lead there"},
		{[]string{"b.v1.0.0"}, nil, "do not approve it now: stale: b.v1.0.0 is not locked"},
		{[]string{"a.v1.2.0"}, []result.ApprovalReason{held}, "do not approve it now: held: no"},
	} {
		given := []result.Approval{{Namespace: "n", InstallPlan: "p", Bundles: c.bundles, Reasons: c.reasons}}
		got := l.Judge("", catalogs, given)
		assert.Contains(t, got[0].Text(), c.want)
		assert.Equal(t, c.reasons, given[0].Reasons, "what was given stays")
	}
	elsewhere := l.Judge("", catalogs, []result.Approval{{Namespace: "m", Bundles: []string{"a.v1.2.0"}}})
	assert.Contains(t, elsewhere[0].Text(), "the lock has nothing for this namespace")
}

// A ClusterExtension is locked with its dependencies, each of which gets one of its own.
func TestExtension(t *testing.T) {
	snapshot, err := cache.Parse(t.Context(), []byte(blobs(pkg{"a", []string{"1.0.0", "1.1.0 b<2.0.0"}}, pkg{"b", []string{"1.0.0", "2.0.0"}})), cache.Options{})
	require.NoError(t, err)
	catalogs := cache.NewView([]cache.Catalog{{Key: catalog.Key{Name: "c"}, Snapshot: snapshot}})
	for _, installed := range []*cluster.InstalledExtension{nil, {Name: "a.v1.0.0", Version: "1.0.0"}, {Name: "a.v1.1.0", Version: "1.1.0"}} {
		known := cluster.NewIndex(cluster.Objects{ClusterExtensions: []cluster.ClusterExtension{{Name: "ours", Namespace: "n", Package: "a", Version: ">=1.0.0", Installed: installed}}})
		clusters := []lock.Cluster{{Problem: resolver.Problem{Cluster: known, Catalogs: catalogs}}}
		l := made(t, clusters, lock.Options{})
		require.Equal(t, []string{"a 1.1.0", "b 1.0.0"}, bundles(l))
		assert.True(t, l.Scopes[0].Bundle("a").Automatic())
		assert.Empty(t, check(t, l, clusters))
		assert.Equal(t, text(t, l), text(t, made(t, clusters, lock.Options{Before: l})))
		var pinned []string
		for _, e := range l.Scopes[0].Objects(known).ClusterExtensions {
			pinned = append(pinned, e.Name+" "+e.Namespace+" "+e.Package+" "+e.Version+" "+e.Selector.MatchLabels["olm.operatorframework.io/metadata.name"])
		}
		assert.Equal(t, []string{"b n b 1.0.0 c", "ours n a 1.1.0 c"}, pinned)
	}
}

// A row of status is what is locked, behind it, or ahead of it.
func TestStanding(t *testing.T) {
	catalogs := view(t, blobs(pkg{"a", []string{"1.0.0", "1.1.0", "1.2.0"}}))
	l := made(t, one(view(t, blobs(pkg{"a", []string{"1.0.0", "1.1.0"}})), "n/a"), lock.Options{})
	for installed, want := range map[string]lock.Standing{
		"a.v1.1.0": lock.Locked, "a.v1.0.0": lock.Behind, "": lock.Behind, "a.v1.2.0": lock.Ahead, "a.v9": lock.Elsewhere,
	} {
		row := &result.Status{Request: cluster.RequestKey{Kind: cluster.KindSubscription, Namespace: "n", Name: "a"}, Package: "a", Installed: installed}
		assert.Equal(t, want, l.Standing("", catalogs, row), installed)
		row.Package = "b"
		assert.Equal(t, lock.NotLocked, l.Standing("", catalogs, row))
	}
}

// Two branches that move bundles in blocks side by side merge by git alone.
func TestMerge(t *testing.T) {
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("git is not there")
	}
	before := view(t, blobs(pkg{"a", []string{"1.0.0"}}, pkg{"b", []string{"1.0.0"}}, pkg{"c", []string{"1.0.0"}}))
	after := view(t, blobs(pkg{"a", []string{"1.0.0", "2.0.0"}}, pkg{"b", []string{"1.0.0", "2.0.0"}}, pkg{"c", []string{"1.0.0", "2.0.0"}}))
	clusters := map[string][]string{"x": {"n/a", "n/b", "n/c"}, "y": {"n/a", "n/b", "n/c"}}
	l := made(t, fleet(before, clusters, "x", "y"), lock.Options{})
	dir := t.TempDir()
	file := func(name string, l *lock.Lock) string {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, []byte(text(t, l)), 0o644))
		return path
	}
	moved := map[string]*lock.Lock{}
	for _, p := range []string{"a", "b"} {
		moved[p] = update(t, l, fleet(after, clusters, "x", "y"), lock.Options{}, p).Lock
		diff, _ := exec.CommandContext(t.Context(), git, "diff", "--no-index", "-U0", file("base", l), file(p, moved[p])).Output()
		assert.Equal(t, 2, strings.Count(string(diff), "\n-    bundle: "), "one block per cluster:\n%s", diff)
	}
	merged, err := exec.CommandContext(t.Context(), git, "merge-file", "-p", file("a", moved["a"]), file("base", l), file("b", moved["b"])).Output()
	require.NoError(t, err, "%s", merged)
	got, err := lock.Read(merged)
	require.NoError(t, err)
	assert.Equal(t, []string{"a 2.0.0", "b 2.0.0", "c 1.0.0", "a 2.0.0", "b 2.0.0", "c 1.0.0"}, bundles(got))
	assert.Empty(t, check(t, got, fleet(after, clusters, "x", "y")))
}

// A lock of a long channel takes time in proportion to the edges between its bundles, not between them
// and all others.
func TestLongChannel(t *testing.T) {
	p := pkg{name: "p"}
	for i := range 1000 {
		p.bundles = append(p.bundles, fmt.Sprintf("1.0.%d", i))
	}
	clusters := one(view(t, blobs(p)), "n/p=1.0.0")
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	assert.Less(t, testkit.Took(func() {
		_, err := lock.Make(ctx, clusters, lock.Options{})
		assert.NoError(t, err)
	}), 20*time.Second)
}
