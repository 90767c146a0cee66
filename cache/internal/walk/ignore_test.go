package walk

import (
	"io/fs"
	"path"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// ignoreCases are ignore files by directory, and what the matcher of operator-registry
// (version 0.1.2 of joelanford/ignore, with go-git 5.19.1) ignores of ignoreTree.
var ignoreCases = []struct {
	name    string
	files   map[string]string
	ignored []string
	kept    []string // instead of ignored
}{
	{name: "nothing", files: map[string]string{".": "\n# a.json\n   \n"}},
	{name: "name anywhere", files: map[string]string{".": "a.json"}, ignored: []string{"a.json", "dir/a.json", "dir/sub/a.json", "other/dir/a.json", "other/sub/a.json"}},
	{name: "name at the root", files: map[string]string{".": "/a.json"}, ignored: []string{"a.json"}},
	{name: "directory", files: map[string]string{".": "dir/"}, ignored: []string{"dir/a.json", "dir/b.json", "dir/sub/a.json", "dir/sub/b.json", "dir/x/y/b.json", "other/dir/a.json"}},
	{name: "directory named a file", files: map[string]string{".": "a.json/"}},
	{name: "path", files: map[string]string{".": "dir/sub"}, ignored: []string{"dir/sub/a.json", "dir/sub/b.json"}},
	{name: "star", files: map[string]string{".": "*.json"}, kept: []string{}},
	{name: "star in a path", files: map[string]string{".": "dir/*.json"}, ignored: []string{"dir/a.json", "dir/b.json"}},
	{name: "stars before", files: map[string]string{".": "**/sub/a.json"}, ignored: []string{"dir/sub/a.json", "other/sub/a.json"}},
	{name: "stars after", files: map[string]string{".": "dir/**"}, ignored: []string{"dir/a.json", "dir/b.json", "dir/sub/a.json", "dir/sub/b.json", "dir/x/y/b.json"}},
	{name: "stars between", files: map[string]string{".": "dir/**/b.json"}, ignored: []string{"dir/b.json", "dir/sub/b.json", "dir/x/y/b.json"}},
	{name: "stars inside a name", files: map[string]string{".": "d**r"}, ignored: []string{"dir/a.json", "dir/b.json", "dir/sub/a.json", "dir/sub/b.json", "dir/x/y/b.json", "other/dir/a.json"}},
	{name: "star crosses nothing", files: map[string]string{".": "d*/b.json"}, ignored: []string{"dir/b.json"}},
	{name: "question mark", files: map[string]string{".": "?.json"}, kept: []string{" a.json", "!d.json", "#c.json", "[ab.json", "e .json"}},
	{name: "negation", files: map[string]string{".": "*.json\n!b.json"}, kept: []string{"b.json", "dir/b.json", "dir/sub/b.json", "dir/x/y/b.json"}},
	{name: "later line", files: map[string]string{".": "!b.json\n*.json"}, kept: []string{}},
	{name: "not below", files: map[string]string{".": "dir\n!dir/a.json"}, ignored: []string{"dir/b.json", "dir/sub/a.json", "dir/sub/b.json", "dir/x/y/b.json", "other/dir/a.json"}},
	{name: "deeper file", files: map[string]string{".": "*.json", "dir": "!a.json"}, kept: []string{"dir/a.json", "dir/sub/a.json"}},
	{name: "deeper file anchored", files: map[string]string{"dir": "/a.json"}, ignored: []string{"dir/a.json"}},
	{name: "escapes", files: map[string]string{".": "\\#c.json\n\\!d.json\n\\a.json"}, ignored: []string{"!d.json", "#c.json", "a.json", "dir/a.json", "dir/sub/a.json", "other/dir/a.json", "other/sub/a.json"}},
	{name: "trailing space", files: map[string]string{".": "a.json  \n\\#c.json\t"}, ignored: []string{"#c.json", "a.json", "dir/a.json", "dir/sub/a.json", "other/dir/a.json", "other/sub/a.json"}},
	{name: "protected space", files: map[string]string{".": "e\\ \n"}},
	{name: "carriage returns", files: map[string]string{".": "a.json\r\nb.json\r\n"}, kept: []string{" a.json", "!d.json", "#c.json", "[ab.json", "e .json"}},
	{name: "class", files: map[string]string{".": "[ab].json"}, kept: []string{" a.json", "!d.json", "#c.json", "[ab.json", "e .json"}},
	{name: "negated class", files: map[string]string{".": "[!a].json"}, ignored: []string{"a.json", "dir/a.json", "dir/sub/a.json", "other/dir/a.json", "other/sub/a.json"}},
	{name: "range", files: map[string]string{".": "[b-e].json"}, ignored: []string{"b.json", "dir/b.json", "dir/sub/b.json", "dir/x/y/b.json"}},
	{name: "bracket first", files: map[string]string{".": "[]a].json"}},
	{name: "named class", files: map[string]string{".": "[[:alpha:]].json"}},
	{name: "unknown class", files: map[string]string{".": "[[:nothing:]].json"}},
	{name: "class and slash", files: map[string]string{".": "dir[/]a.json\ndir[+-9]b.json"}},
	{name: "dash in a class", files: map[string]string{".": "[-a].json\n[b-].json"}},
	{name: "escape in a class", files: map[string]string{".": "[\\#\\]]c.json\n[\\d].json"}, ignored: []string{"#c.json"}},
	{name: "class in a class", files: map[string]string{".": "[^[:upper:][:punct:]a].json"}},
	{name: "nothing in a class", files: map[string]string{".": "[]\n[!]\n[^]"}},
	{name: "bracket in a class", files: map[string]string{".": "[[]ab.json"}, ignored: []string{"[ab.json"}},
	{name: "no negated bracket", files: map[string]string{".": "[!]a].json"}},
	{name: "stars only", files: map[string]string{".": "**"}, kept: []string{}},
	{name: "directories at the end", files: map[string]string{".": "dir/sub/**/"}, ignored: []string{"dir/sub/a.json", "dir/sub/b.json"}},
	{name: "two of directories", files: map[string]string{".": "**/x/**/b.json"}, ignored: []string{"dir/x/y/b.json"}},
	{name: "open bracket", files: map[string]string{".": "[ab.json"}},
	{name: "open escape", files: map[string]string{".": "a.json\\"}},
	{name: "only marks", files: map[string]string{".": "/\n!\n!/\n"}},
	{name: "leading space", files: map[string]string{".": " a.json"}, ignored: []string{"a.json", "dir/a.json", "dir/sub/a.json", "other/dir/a.json", "other/sub/a.json"}},
	{name: "everything but", files: map[string]string{".": "/*\n!/dir\n/dir/*\n!/dir/sub"}, kept: []string{"dir/sub/a.json", "dir/sub/b.json"}},
	{name: "double slash end", files: map[string]string{".": "dir//"}, ignored: []string{"dir/a.json", "dir/b.json", "dir/sub/a.json", "dir/sub/b.json", "dir/x/y/b.json"}},
	{name: "byte order mark", files: map[string]string{".": "\ufeffa.json"}},
	{name: "three stars", files: map[string]string{".": "dir/***/b.json\n***/a.json"}},
}

var ignoreTree = []string{
	"a.json", "b.json", "#c.json", "!d.json", "dir/a.json", "dir/b.json", "dir/sub/a.json", "dir/sub/b.json",
	"other/dir/a.json", "other/sub/a.json", "e .json", "[ab.json", " a.json", "dir/x/y/b.json",
}

func kept(t *testing.T, tree fs.FS) []string {
	t.Helper()
	l, err := List(t.Context(), tree)
	require.NoError(t, err)
	require.Empty(t, l.Faults)
	return l.Files
}

func TestIgnore(t *testing.T) {
	for _, test := range ignoreCases {
		t.Run(test.name, func(t *testing.T) {
			tree := fstest.MapFS{}
			for _, name := range ignoreTree {
				tree[name] = &fstest.MapFile{}
			}
			for dir, text := range test.files {
				tree[path.Join(dir, ignoreFileName)] = &fstest.MapFile{Data: []byte(text)}
			}
			want := test.kept
			if want == nil {
				want = slices.DeleteFunc(slices.Sorted(slices.Values(ignoreTree)), func(name string) bool { return slices.Contains(test.ignored, name) })
			}
			if len(want) == 0 {
				want = nil
			}
			assert.Equal(t, want, kept(t, tree))
		})
	}
}

// The example of OLM's documentation keeps catalog files below any folder. A walk reads
// the ignore file of a folder whose name sorts before it first.
func TestIgnoreBelowIgnored(t *testing.T) {
	file := func(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }
	assert.Equal(t, []string{"a.json", "pkg/b.yaml", "pkg/deep/er/c.json"}, kept(t, fstest.MapFS{
		ignoreFileName: file("# Ignore everything except non-object .json and .yaml files\n*\n!*.json\n!*.yaml\n**/objects/*.json\n**/objects/*.yaml\n"),
		"a.json":       file(""), "pkg/b.yaml": file(""), "pkg/deep/er/c.json": file(""), "pkg/c.yml": file(""), "pkg/objects/x.json": file(""), "objects/x.yaml": file(""),
	}))
	assert.Equal(t, []string{"x/a.json"}, kept(t, fstest.MapFS{
		ignoreFileName: file("*.json\n"), "-x/a.json": file(""), "x/a.json": file(""),
		"-x/" + ignoreFileName: file("!a.json"), "x/" + ignoreFileName: file("!a.json"),
	}))
}

// A tree whose patterns take too long to match is an error that names the file.
func TestIgnoreSteps(t *testing.T) {
	patterns, err := parseIgnore("*b*c*d")
	require.NoError(t, err)
	ignored := &ignoreFiles{open: []ignoreFile{{"a", patterns}}}
	name := "a/" + strings.Repeat("b", 10)
	_, err = ignored.match(t.Context(), name)
	require.NoError(t, err)
	assert.Less(t, ignored.steps, 10)
	ignored.steps = maxIgnoreSteps - ignored.steps + 1
	_, err = ignored.match(t.Context(), name)
	assert.ErrorContains(t, err, "a/.indexignore: matching patterns takes more than")
}

func FuzzIgnore(f *testing.F) {
	for _, test := range ignoreCases {
		for _, text := range test.files {
			f.Add([]byte(text), "dir/sub/a.json")
		}
	}
	f.Fuzz(func(t *testing.T, text []byte, name string) {
		if !fs.ValidPath(name) || name == "." {
			return
		}
		patterns, err := parseIgnore(string(text))
		if err != nil {
			return
		}
		ignored := &ignoreFiles{open: []ignoreFile{{".", patterns}}}
		parts, size := 0, 0
		for _, p := range ignored.open[0].patterns {
			parts += len(p.parts)
			size += len(strings.Join(p.parts, "/"))
		}
		_, err = ignored.match(t.Context(), name)
		require.NoError(t, err)
		require.LessOrEqual(t, ignored.steps, (parts+size/stepsAtOnce+1)*(len(name)+1))
	})
}
