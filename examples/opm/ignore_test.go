package opm_test

import (
	"io/fs"
	"maps"
	"math/rand/v2"
	"path"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/operator-framework/operator-registry/alpha/declcfg"
	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/testdata/testkit"
)

// names are those of random files and folders. They look like one another, and like patterns.
var names = []string{"a", "b", "ab", "a.json", "b.yaml", ".a", "-a", "a b", "ü", "A", "#a", "!a", "a[b]", "**"}

// parts are those of random patterns.
var parts = []string{"a", "b", "ab", "a*", "*", "*.json", "*.yaml", "?", "**", "[ab]", "[^a]", "[a", "\\a", "\\", "a**", "**a", "", ".a", "-a", "ü", "a b", ".", "..", "\\#a", "\\!a", "a\\[b]"}

func randomPattern(r *rand.Rand) string {
	var b strings.Builder
	b.WriteString([]string{"", "", "", "!", "/", "!/", " ", "#", "!!"}[r.IntN(9)])
	for i := range 1 + r.IntN(3) {
		if i > 0 {
			b.WriteString("/")
		}
		b.WriteString(parts[r.IntN(len(parts))])
	}
	b.WriteString([]string{"", "", "", "/", " ", "\r", "//"}[r.IntN(7)])
	return b.String()
}

// randomTree has a file in each of a few folders, each with a package of its own, and .indexignore
// files.
func randomTree(r *rand.Rand) fstest.MapFS {
	tree := fstest.MapFS{}
	for range 1 + r.IntN(8) {
		file := names[r.IntN(len(names))]
		if ext := path.Ext(file); ext != ".json" && ext != ".yaml" {
			file += ".json"
		}
		for range r.IntN(4) {
			file = path.Join(names[r.IntN(len(names))], file)
		}
		clash := false
		for other := range tree { // a file is no folder
			clash = clash || strings.HasPrefix(other, file+"/") || strings.HasPrefix(file, other+"/")
		}
		if clash {
			continue
		}
		tree[file] = &fstest.MapFile{Data: []byte(`{"schema":"olm.package","name":"p` + string(rune('a'+len(tree))) + `"}`)}
		if r.IntN(2) == 0 {
			tree[path.Join(path.Dir(file), ".indexignore")] = &fstest.MapFile{Data: patterns(r)}
		}
	}
	if r.IntN(4) > 0 {
		tree[".indexignore"] = &fstest.MapFile{Data: patterns(r)}
	}
	return tree
}

func patterns(r *rand.Rand) []byte {
	var lines []string
	for range r.IntN(5) {
		lines = append(lines, randomPattern(r))
	}
	return []byte(strings.Join(lines, "\n"))
}

// Files that operator-registry ignores are ignored, and no others.
func TestIndexIgnore(t *testing.T) {
	ignored, read := 0, 0
	for seed := range testkit.Scale(20_000, 500_000) {
		tree := randomTree(rand.New(rand.NewPCG(uint64(seed), 63)))
		theirs := map[string]bool{}
		err := declcfg.WalkMetasFS(t.Context(), tree, func(_ string, meta *declcfg.Meta, err error) error {
			if err == nil {
				theirs[meta.Name] = true
			}
			return err
		}, declcfg.WithConcurrency(1))
		require.NoError(t, err)
		snapshot, err := cache.FS(tree, cache.Options{}).Load(t.Context())
		require.NoError(t, err, show(tree))
		ours := map[string]bool{}
		for p := range snapshot.Packages() {
			ours[p.Name] = true
		}
		files := 0
		for name := range tree {
			if path.Base(name) != ".indexignore" {
				files++
			}
		}
		require.Equal(t, theirs, ours, "seed %d:\n%s", seed, show(tree))
		read, ignored = read+len(ours), ignored+files-len(ours)
	}
	t.Logf("%d files are read, %d ignored", read, ignored)
	require.NotZero(t, min(read, ignored))
}

func show(tree fs.FS) string {
	var b strings.Builder
	files := tree.(fstest.MapFS)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		b.WriteString(name + "\n")
		if path.Base(name) == ".indexignore" {
			for line := range strings.Lines(string(files[name].Data)) {
				b.WriteString("    " + strings.TrimRight(line, "\n") + "|\n")
			}
		}
	}
	return b.String()
}
