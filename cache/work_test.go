package cache_test

import (
	"io/fs"
	"runtime"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/testdata/testkit"
)

// worked is how many bytes reading a tree takes from memory, all in all: a count of
// what the readers do, which does not depend on how busy the machine is.
func worked(t *testing.T, tree fs.FS) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, _ = cache.FS(tree, cache.Options{Workers: 1}).LoadChecked(t.Context())
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// requireGrowth compares the work on a tree with that on one four times as large.
// What grows with the square of the input takes sixteen times as much. Less than least is no more
// than what any tree of that size takes.
func requireGrowth(t *testing.T, least, small, large uint64) {
	t.Helper()
	require.LessOrEqual(t, large, 8*max(small, least), "four times as much input; before it was %d", small)
}

// Bundles of one name are compared with their neighbors, not all with a large one.
func TestEqualBundlesAreComparedOnce(t *testing.T) {
	if testkit.RaceEnabled {
		t.Skip("it measures")
	}
	of := func(size int) fs.FS {
		value := func(spaces int) string { return `{"type":"t","value":[` + strings.Repeat(" ", spaces) + "]}]}" }
		return fstest.MapFS{"c.json": text(jsonBundle + value(size) + strings.Repeat(jsonBundle+value(0), size/len(jsonBundle)))}
	}
	requireGrowth(t, 4<<20, worked(t, of(1<<17)), worked(t, of(1<<19)))
}

// FuzzWorkGrowsWithInput looks for two parts of a file that take more than their
// share of work when both are repeated.
func FuzzWorkGrowsWithInput(f *testing.F) {
	const bundle = "schema: olm.bundle\npackage: p\nname: b\nimage: i\n"
	f.Add(uint8(0), bundle+"x: &a {", "z,", "z}\ny: &p {type: olm.csv.metadata, value: *a}\nproperties: [", "*p,", "*p]\n")
	f.Add(uint8(0), "schema: olm.channel\npackage: p\nname: c\nx: &a ", "x", "\nentries: [{name: b, skips: [", "*a,", "*a]}]\n")
	f.Add(uint8(1), `{"schema":"olm.channel","package":"p","name":"c","entries":[{"name":"`, "a", `"},`, `{"name":"b"},`, `{}]}`)
	f.Add(uint8(2), "kind: ClusterServiceVersion\nx: &a {", "a: b,", "}\nmetadata: {name: b, annotations: {<<: [", "*a,", "*a]}}\n")
	f.Add(uint8(3), "x: &a {type: t, value: [", "1,", "1]}\nproperties: [", "*a,", "*a]\n")
	f.Add(uint8(4), "", "a*b\n", "", "**/c\n", "")
	names := []string{"c.yaml", "c.json", "b/manifests/csv.yaml", "b/metadata/properties.yaml", ".indexignore"}
	f.Fuzz(func(t *testing.T, kind uint8, head, first, middle, second, tail string) {
		if len(first) == 0 || len(second) == 0 || len(head)+len(first)+len(middle)+len(second)+len(tail) > 1000 {
			return
		}
		of := func(size int) fs.FS {
			return fstest.MapFS{
				names[int(kind)%len(names)]:   text(head + strings.Repeat(first, size/len(first)) + middle + strings.Repeat(second, size/len(second)) + tail),
				"b/metadata/annotations.yaml": text("annotations: {operators.operatorframework.io.bundle.package.v1: p}\n"),
				"b/manifests/other.yaml":      text("kind: ClusterServiceVersion\n"),
			}
		}
		requireGrowth(t, 1<<20, worked(t, of(1<<11)), worked(t, of(1<<13)))
	})
}
