package walk

import (
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/cache/internal/document"
)

// ignoreCases are ignore files by directory, on the tree of ignoreTree.
var ignoreCases = map[string]map[string]string{
	"nothing":                {".": "\n# a.json\n   \n"},
	"name anywhere":          {".": "a.json"},
	"name at the root":       {".": "/a.json"},
	"directory":              {".": "dir/"},
	"directory named a file": {".": "a.json/"},
	"path":                   {".": "dir/sub"},
	"star":                   {".": "*.json"},
	"star in a path":         {".": "dir/*.json"},
	"stars before":           {".": "**/sub/a.json"},
	"stars after":            {".": "dir/**"},
	"stars between":          {".": "dir/**/b.json"},
	"stars inside a name":    {".": "d**r"},
	"star crosses nothing":   {".": "d*/b.json"},
	"question mark":          {".": "?.json"},
	"negation":               {".": "*.json\n!b.json"},
	"later line":             {".": "!b.json\n*.json"},
	"not below":              {".": "dir\n!dir/a.json"},
	"deeper file":            {".": "*.json", "dir": "!a.json"},
	"deeper file anchored":   {"dir": "/a.json"},
	"escapes":                {".": "\\#c.json\n\\!d.json\n\\a.json"},
	"trailing space":         {".": "a.json  \n\\#c.json\t"},
	"protected space":        {".": "e\\ \n"},
	"carriage returns":       {".": "a.json\r\nb.json\r\n"},
	"class":                  {".": "[ab].json"},
	"negated class":          {".": "[!a].json"},
	"range":                  {".": "[b-e].json"},
	"bracket first":          {".": "[]a].json"},
	"named class":            {".": "[[:alpha:]].json"},
	"unknown class":          {".": "[[:nothing:]].json"},
	"class and slash":        {".": "dir[/]a.json\ndir[+-9]b.json"},
	"dash in a class":        {".": "[-a].json\n[b-].json"},
	"escape in a class":      {".": "[\\#\\]]c.json\n[\\d].json"},
	"class in a class":       {".": "[^[:upper:][:punct:]a].json"},
	"nothing in a class":     {".": "[]\n[!]\n[^]"},
	"bracket in a class":     {".": "[[]ab.json"},
	"no negated bracket":     {".": "[!]a].json"},
	"stars only":             {".": "**"},
	"directories at the end": {".": "dir/sub/**/"},
	"two of directories":     {".": "**/x/**/b.json"},
	"open bracket":           {".": "[ab.json"},
	"open escape":            {".": "a.json\\"},
	"only marks":             {".": "/\n!\n!/\n"},
	"leading space":          {".": " a.json"},
	"everything but":         {".": "/*\n!/dir\n/dir/*\n!/dir/sub"},
	"double slash end":       {".": "dir//"},
	"byte order mark":        {".": "\ufeffa.json"},
	"three stars":            {".": "dir/***/b.json\n***/a.json"},
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
	list := func(ignored ...string) []string {
		all := slices.Clone(ignoreTree)
		slices.Sort(all)
		return slices.DeleteFunc(all, func(name string) bool { return slices.Contains(ignored, name) })
	}
	for name, want := range map[string][]string{
		"nothing":          list(),
		"name anywhere":    list("a.json", "dir/a.json", "dir/sub/a.json", "other/dir/a.json", "other/sub/a.json"),
		"name at the root": list("a.json"),
		"directory":        list("dir/a.json", "dir/b.json", "dir/sub/a.json", "dir/sub/b.json", "dir/x/y/b.json", "other/dir/a.json"),
		"not below":        list("dir/a.json", "dir/b.json", "dir/sub/a.json", "dir/sub/b.json", "dir/x/y/b.json", "other/dir/a.json"),
		"negation":         {"b.json", "dir/b.json", "dir/sub/b.json", "dir/x/y/b.json"},
		"everything but":   {"dir/sub/a.json", "dir/sub/b.json"},
		"open bracket":     list(),
	} {
		t.Run(name, func(t *testing.T) {
			tree := fstest.MapFS{}
			for _, name := range ignoreTree {
				tree[name] = &fstest.MapFile{}
			}
			for dir, text := range ignoreCases[name] {
				tree[path.Join(dir, ignoreFileName)] = &fstest.MapFile{Data: []byte(text)}
			}
			assert.Equal(t, want, kept(t, tree))
		})
	}
}

// TestIgnoreLikeGit asks git what it keeps of the same trees.
func TestIgnoreLikeGit(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skipf("git is missing: %v", err)
	}
	repository := t.TempDir()
	git := func(dir string, args ...string) string {
		cmd := exec.Command("git", args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null", "GIT_DIR="+repository, "GIT_WORK_TREE="+dir)
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, string(out))
		return string(out)
	}
	git(repository, "init", "--quiet")
	for name, ignores := range ignoreCases {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			write := func(name, text string) {
				require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755))
				require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
			}
			for _, name := range ignoreTree {
				write(name, "")
			}
			for in, text := range ignores {
				write(filepath.Join(in, ignoreFileName), text)
			}
			out := git(dir, "ls-files", "-z", "--others", "--exclude-per-directory="+ignoreFileName)
			want := []string{}
			for _, name := range strings.Split(strings.TrimSuffix(out, "\x00"), "\x00") {
				if document.IsCatalogFile(name) {
					want = append(want, name)
				}
			}
			slices.Sort(want)
			got := kept(t, os.DirFS(dir))
			assert.ElementsMatch(t, want, got)
		})
	}
}

// A tree whose patterns take too long to match is an error that names the file.
func TestIgnoreSteps(t *testing.T) {
	patterns, err := parseIgnore("*b*c*d")
	require.NoError(t, err)
	ignored := &ignoreFiles{open: []ignoreFile{{"a", patterns}}}
	name := "a/" + strings.Repeat("b", 10)
	_, err = ignored.match(t.Context(), name, false)
	require.NoError(t, err)
	assert.Less(t, ignored.steps, 10)
	ignored.steps = maxIgnoreSteps - ignored.steps + 1
	_, err = ignored.match(t.Context(), name, false)
	assert.ErrorContains(t, err, "a/.indexignore: matching patterns takes more than")
}

func FuzzIgnore(f *testing.F) {
	for _, files := range ignoreCases {
		for _, text := range files {
			f.Add([]byte(text), "dir/sub/a.json")
		}
	}
	f.Fuzz(func(t *testing.T, text []byte, name string) {
		if !fs.ValidPath(name) || name == "." {
			t.Skip()
		}
		patterns, err := parseIgnore(string(text))
		if err != nil {
			t.Skip()
		}
		ignored := &ignoreFiles{open: []ignoreFile{{".", patterns}}}
		parts, size := 0, 0
		for _, p := range ignored.open[0].patterns {
			parts += len(p.glob) + 1
			size += len(strings.Join(p.glob, "/"))
		}
		for _, isDir := range []bool{false, true} {
			ignored.steps = 0
			_, err := ignored.match(t.Context(), name, isDir)
			require.NoError(t, err)
			names := strings.Count(name, "/") + 1
			require.LessOrEqual(t, ignored.steps, names*(names+1)*2*(parts+size*len(name)/stepsAtOnce))
		}
	})
}
