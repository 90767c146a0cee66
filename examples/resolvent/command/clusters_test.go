package command

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/manifest"
	"github.com/resolvent/resolvent/testdata/generate"
)

// four are clusters of which three are the same, and one that is not there.
func four(file, other string) []string {
	return []string{
		"--cluster", "north=" + file, "--cluster", "east=" + file, "--cluster", "lost=testdata/cluster/nowhere.yaml",
		"--cluster", "south=" + file, "--cluster", "small=" + other, "--cluster", "west=" + file,
	}
}

func TestClustersGolden(t *testing.T) {
	status := append(append([]string{"status"}, coast...), four("testdata/cluster/status.yaml", "testdata/cluster/update.yaml")...)
	diff := append([]string{"diff", tide + "before.yaml", tide + "after.yaml"}, four(tide+"cluster.yaml", tide+"extension.yaml")...)
	migrate := append(append([]string{"migrate"}, coast...), four("testdata/cluster/migrate.yaml", "testdata/cluster/update.yaml")...)
	for name, args := range map[string][]string{
		"status-clusters":        status,
		"status-clusters-json":   append(slices.Clip(status), "-o", "json"),
		"status-clusters-html":   append(slices.Clip(status), "-o", "html", "--target-openshift", "4.19", "--date", "2026-11-26"),
		"status-clusters-target": append(slices.Clip(status), "--target-openshift", "4.19", "--target-catalog", "olm/coast=testdata/catalogs/reef"),
		"status-clusters-by":     append(slices.Clip(status), "--by", "cluster", "--only-stuck"),
		"migrate-clusters":       migrate,
		"migrate-clusters-by":    append(slices.Clip(migrate), "--by", "cluster"),
		"diff-clusters":          diff,
		"diff-clusters-json":     append(slices.Clip(diff), "-o", "json"),
	} {
		t.Run(name, func(t *testing.T) {
			assertGolden(t, name, args)
		})
	}
}

// The line of a cluster holds the same rows as status for that cluster alone.
func TestClusterLineIsStatus(t *testing.T) {
	var alone, line outcome
	args := statusArgs("-o", "json", "--target-openshift", "4.19")
	t.Run("alone", func(t *testing.T) { alone = invoke(t, t.Context(), "", args...) })
	args[slices.Index(args, "-f")] = "--cluster"
	t.Run("line", func(t *testing.T) { line = invoke(t, t.Context(), "", args...) })
	assert.Equal(t, alone.status, line.status)
	var want, got map[string]any
	require.NoError(t, json.Unmarshal([]byte(alone.stdout), &want))
	require.NoError(t, json.Unmarshal([]byte(line.stdout), &got))
	assert.Equal(t, "status", got["cluster"])
	assert.Equal(t, want["rows"], got["rows"])
}

// What waits for approval in one cluster and failed in another is mended there first.
func TestFailedElsewhere(t *testing.T) {
	const subscription = `{kind: Subscription, metadata: {name: lantern, namespace: n}, spec: {name: lantern, channel: stable, source: coast, sourceNamespace: olm, installPlanApproval: %s}, status: {installedCSV: %s%s}}
---
`
	write := func(text string) string {
		file := filepath.Join(t.TempDir(), "cluster.yaml")
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
		return file
	}
	waits := write(fmt.Sprintf(subscription, "Manual", "lantern.v1.0.0", ", installPlanRef: {name: p}, state: UpgradePending, currentCSV: lantern.v1.1.1") +
		`{kind: ClusterServiceVersion, metadata: {name: lantern.v1.0.0, namespace: n}, spec: {version: 1.0.0}, status: {phase: Succeeded}}
---
{kind: InstallPlan, metadata: {name: p, namespace: n}, spec: {approval: Manual, approved: false, clusterServiceVersionNames: [lantern.v1.1.1]}, status: {phase: RequiresApproval}}
`)
	failed := write(fmt.Sprintf(subscription, "Automatic", "lantern.v1.1.1", "") +
		`{kind: ClusterServiceVersion, metadata: {name: lantern.v1.1.1, namespace: n}, spec: {version: 1.1.1}, status: {phase: Failed, reason: InstallCheckFailed, message: no pod}}
`)
	args := append([]string{"status", "--cluster", "prod=" + waits, "--cluster", "dev=" + failed}, coast...)
	text := call(t, args).stdout
	careful := strings.Index(text, "Careful: lantern.v1.1.1 is in phase Failed in cluster dev, see above; do not approve it here until it runs there")
	require.Positive(t, careful, text)
	assert.Less(t, strings.Index(text, "1 request in cluster dev"), careful)
	assert.Contains(t, call(t, append(args, "-o", "html")).stdout, "do not approve it here until it runs there")
	unfit := write(fmt.Sprintf(subscription, "Automatic", "lantern.v1.1.1", "") +
		`{kind: ClusterServiceVersion, metadata: {name: lantern.v1.1.1, namespace: n}, spec: {version: 1.1.1}, status: {phase: Failed, reason: UnsupportedOperatorGroup, message: no}}
`)
	for _, other := range []string{waits, unfit} {
		args[4] = "dev=" + other
		assert.NotContains(t, call(t, args).stdout, "approve it here once")
	}
}

// A cluster without requests is no failure.
func TestClusterWithoutRequests(t *testing.T) {
	file := filepath.Join(t.TempDir(), "quiet.yaml")
	require.NoError(t, os.WriteFile(file, []byte("kind: Namespace\nmetadata: {name: n}\n"), 0o600))
	got := invoke(t, t.Context(), "", append([]string{"status", "-o", "json", "--cluster", "quiet=" + file}, coast...)...)
	assert.Equal(t, outcome{exitResolved, `{"schema":"resolvent/v1","cluster":"quiet","rows":[]}` + "\n", "cluster quiet: " + errNothing.Error() + "\n"}, got)
}

// If no cluster can be read, nothing started.
func TestNoClusterCanBeRead(t *testing.T) {
	got := invoke(t, t.Context(), "", append([]string{"status", "--cluster", "nowhere", "--cluster", "b=elsewhere"}, coast...)...)
	assert.Equal(t, exitNotStarted, got.status)
	assert.Contains(t, got.stdout, "\n  b: elsewhere: no such file or directory\n")
}

func TestUnusableClusters(t *testing.T) {
	status := append([]string{"status"}, coast...)
	diff := []string{"diff", tide + "before.yaml", tide + "after.yaml"}
	for _, test := range []struct {
		args []string
		want string
	}{
		{append(slices.Clip(status), "--cluster", "a=x", "--cluster", "a=y"), "cluster a is passed twice"},
		{append(slices.Clip(status), "--cluster", "a="), "want NAME=FILE, or FILE alone"},
		{append(slices.Clip(status), "--cluster", "a=-"), "not standard input"},
		{append(slices.Clip(status), "--cluster", "a=x", "-f", "y"), "-f: it is for one cluster"},
		{append(slices.Clip(status), "--cluster", "a=x", "--installed", "x@1.0.0"), "--installed: it is for one cluster"},
		{[]string{"status", "--load", "x", "--cluster", "a=x"}, "leave out --cluster"},
		{[]string{"status", "--cluster", "a=testdata/cluster/status.yaml"}, "no catalogs"},
		{append(slices.Clip(diff), "-f", tide+"cluster.yaml", "-f", "nowhere"), "nowhere: no such file"},
	} {
		t.Run(strings.Join(test.args, " "), func(t *testing.T) {
			got := invoke(t, t.Context(), "", test.args...)
			assert.Equal(t, exitNotStarted, got.status)
			assert.Contains(t, got.stderr, test.want)
			assert.Empty(t, got.stdout)
		})
	}
}

// Clusters that call the catalog by different names are not compared by chance.
func TestClustersOfSeveralCatalogs(t *testing.T) {
	other := filepath.Join(t.TempDir(), "other.yaml")
	require.NoError(t, os.WriteFile(other, []byte("kind: Subscription\nmetadata: {name: s, namespace: n}\n"+
		"spec: {name: buoy, channel: stable, source: ebb, sourceNamespace: olm}\n"), 0o600))
	args := []string{"diff", tide + "before.yaml", tide + "after.yaml", "--cluster", "a=" + tide + "cluster.yaml", "--cluster", "b=" + other}
	t.Run("by chance", func(t *testing.T) {
		got := invoke(t, t.Context(), "", args...)
		assert.Equal(t, exitUnresolved, got.status)
		assert.Contains(t, got.stdout, "Clusters that could not be compared\n  b: the Subscriptions name several catalogs; name that of OLD and NEW with --as")
	})
	t.Run("on purpose", func(t *testing.T) {
		assert.NotContains(t, invoke(t, t.Context(), "", append(args, "--as", "olm/tide")...).stdout, "not compared")
	})
}

// An interrupt on the way keeps what was printed: whole lines, the same as without it.
func TestInterruptedClusters(t *testing.T) {
	for name, args := range map[string][]string{
		"status": append([]string{"status", "-o", "json", "--timeout", "0"}, coast...),
		"diff":   {"diff", tide + "before.yaml", tide + "after.yaml", "-o", "json"},
	} {
		t.Run(name, func(t *testing.T) {
			file := map[string]string{"status": "testdata/cluster/status.yaml", "diff": tide + "cluster.yaml"}[name]
			const clusters, lines = 60, 2
			var whole outcome
			for i := range clusters {
				args = append(args, "--cluster", fmt.Sprintf("c%d=%s", i, file))
				if i+1 == lines {
					whole = invoke(t, t.Context(), "", args...)
				}
			}
			ctx, interrupt := context.WithCancel(t.Context())
			out := &interrupted{at: lines, interrupt: interrupt}
			var stderr strings.Builder
			assert.Equal(t, exitUnresolved, Run(ctx, args, nil, out, &stderr))
			assert.Equal(t, lines, strings.Count(out.String(), "\n"))
			assert.True(t, strings.HasPrefix(whole.stdout, out.String()), out.String())
			assert.Contains(t, stderr.String(), "stopped after 2 of 60 clusters: context canceled")
		})
	}
}

// interrupted is an output that interrupts the program after a number of writes, each of
// which is to be a line.
type interrupted struct {
	bytes.Buffer
	at        int
	interrupt func()
}

func (w *interrupted) Write(line []byte) (int, error) {
	if w.at--; w.at == 0 {
		w.interrupt()
	}
	return w.Buffer.Write(line)
}

// writeFleet writes two states of a catalog, in the second of which every fifth package is
// another one, and manifests of clusters with fifty requests each.
func writeFleet(t testing.TB, clusters int) (before, after string, flags []string) {
	dir := t.TempDir()
	before, after = filepath.Join(dir, "before"), filepath.Join(dir, "after")
	require.NoError(t, os.CopyFS(before, generate.Real(1).FS()))
	require.NoError(t, os.CopyFS(after, generate.Real(1).FS()))
	files, err := filepath.Glob(filepath.Join(before, "*"))
	require.NoError(t, err)
	changed := generate.Real(2).FS()
	for i := 0; i < len(files); i += 5 {
		in, err := changed.Open(filepath.Base(files[i]))
		require.NoError(t, err)
		text, err := io.ReadAll(in)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(after, filepath.Base(files[i])), text, 0o600))
	}
	snapshot, err := cache.LoadFS(t.Context(), os.DirFS(before), cache.Options{})
	require.NoError(t, err)
	var packages []*catalog.Package
	for p := range snapshot.Packages() {
		packages = append(packages, p)
	}
	for i := range clusters {
		text, err := manifest.Write(t.Context(), fifty(snapshot, packages, uint64(i)))
		require.NoError(t, err)
		file := filepath.Join(dir, fmt.Sprintf("c%04d.yaml", i))
		require.NoError(t, os.WriteFile(file, text, 0o600))
		flags = append(flags, "--cluster", fmt.Sprintf("c%04d=%s", i, file))
	}
	return before, after, flags
}

// fifty is a cluster with fifty requests in ten namespaces, two thirds of them with
// something installed.
func fifty(snapshot *catalog.Snapshot, packages []*catalog.Package, seed uint64) cluster.Objects {
	r := rand.New(rand.NewPCG(seed, 1))
	var o cluster.Objects
	for i, at := range r.Perm(len(packages))[:50] {
		p := packages[at]
		channel := p.Channel(p.DefaultChannel)
		s := cluster.Subscription{
			Namespace: fmt.Sprintf("team-%d", i%10), Name: p.Name, Package: p.Name, Channel: channel.Name,
			Catalog: "community", CatalogNamespace: "olm",
		}
		entry := channel.Entries[channel.Order[r.IntN(len(channel.Order))]]
		if b := snapshot.Bundle(entry.Bundle); entry.Candidate() && i%3 > 0 {
			s.InstalledCSV = b.Name
			o.CSVs = append(o.CSVs, cluster.ClusterServiceVersion{Namespace: s.Namespace, Name: b.Name, Version: b.Version.String(), Phase: "Succeeded"})
		}
		o.Subscriptions = append(o.Subscriptions, s)
	}
	return o
}

// BenchmarkClusters looks at a thousand clusters, and at a hundred to compare the memory
// with, on one processor and on all.
func BenchmarkClusters(b *testing.B) {
	before, after, flags := writeFleet(b, 1000)
	status := []string{"status", "--timeout", "0", "--catalog", "olm/community=" + after, "-o", "json"}
	diff := []string{"diff", before, after, "--timeout", "0", "-o", "json"}
	for _, command := range [][]string{status, diff} {
		for _, clusters := range []int{100, 1000} {
			for _, processors := range slices.Compact([]int{1, runtime.NumCPU()}) {
				b.Run(fmt.Sprintf("%s/clusters=%d/processors=%d", command[0], clusters, processors), func(b *testing.B) {
					defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(processors))
					args := append(slices.Clip(command), flags[:2*clusters]...)
					var most uint64
					for b.Loop() {
						most = max(most, mostHeap(func() {
							require.Equal(b, exitUnresolved, Run(b.Context(), args, nil, io.Discard, os.Stderr))
						}))
					}
					b.ReportMetric(float64(most)/(1<<20), "MiB-heap")
				})
			}
		}
	}
}

// mostHeap is the most memory that objects take while work runs, garbage included.
func mostHeap(work func()) (most uint64) {
	runtime.GC()
	stop := make(chan struct{})
	var watching sync.WaitGroup
	watching.Go(func() {
		for {
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			most = max(most, m.HeapAlloc)
			select {
			case <-stop:
				return
			case <-time.After(20 * time.Millisecond):
			}
		}
	})
	work()
	close(stop)
	watching.Wait()
	return most
}
