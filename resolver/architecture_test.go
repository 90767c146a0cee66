package resolver_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const module = "github.com/resolvent/resolvent"

// room is a package of the module, by its folder.
type room struct {
	folder string
	// reaches are the folders whose packages, and those below them, it may import.
	reaches string
}

// engine is what the rooms of the resolver reach.
const engine = "properties constraints cache solver resolver"

// rooms lists every package of the module. A package imports only packages that
// stand above it here, and of these only what it reaches.
var rooms = []room{
	{"properties/jsonfield", ""},
	{"properties", "properties"},
	{"constraints/versionrange", ""},
	{"constraints", "properties constraints/versionrange"},
	{"cache/internal/task", ""},
	{"cache/catalog", "properties constraints cache/internal/task"},
	{"cache/internal/document", "properties cache"},
	{"cache/internal/walk", "cache"},
	{"cache/internal/build", "properties constraints cache"},
	{"cache/internal/bundledir", "properties cache"},
	{"cache/internal/index", "properties constraints cache"},
	{"cache/internal/archive", "cache"},
	{"cache/internal/image", "cache"},
	{"cache", "properties constraints cache"},
	{"cache/remote", "cache cache/internal/document"},
	{"solver", ""},

	{"resolver/internal/picture", ""},
	{"resolver/internal/words", ""},
	{"resolver/internal/memo", ""},
	{"resolver/cluster", "properties cache/catalog resolver/internal/memo"},
	{"resolver/fixes", "resolver/internal/words"},
	{"resolver/result", "properties constraints cache/catalog resolver/cluster resolver/fixes resolver/internal/words"},
	{"resolver/updates", "resolver/cluster resolver/result resolver/fixes resolver/internal/words"},
	{"resolver/graph", "resolver"},
	{"resolver/policy", "properties cache/catalog resolver/result"},
	{"resolver/internal/detached", "cache"},
	{"resolver/internal/pace", engine},
	{"resolver/internal/inventory", engine},
	{"resolver/internal/candidate", engine},
	{"resolver/internal/encode", engine},
	{"resolver/internal/missing", engine},
	{"resolver/internal/answer", engine},
	{"resolver/internal/explain", engine},
	{"resolver/internal/fix", engine},
	{"resolver/internal/plan", engine},
	{"resolver", engine},
	{"resolver/manifest", engine},
	{"resolver/scenario", engine},
	{"resolver/catalogcheck/baseline", "cache/catalog"},
	{"resolver/catalogcheck", engine},
	{"resolver/mirror", engine},

	{"examples/quickstart", engine + " testdata"},
	{"examples/resolvent/internal/terminal", ""},
	{"examples/resolvent/internal/listing", "cache examples/resolvent/internal/terminal"},
	{"examples/resolvent/internal/inputs", engine + " examples/resolvent/internal"},
	{"examples/resolvent/internal/fleet", "examples/resolvent/internal/terminal"},
	{"examples/resolvent/internal/outcomes", engine + " examples/resolvent/internal"},
	{"examples/resolvent/internal/findings", engine + " examples/resolvent/internal"},
	{"examples/resolvent/internal/mirrors", engine + " examples/resolvent/internal"},
	{"examples/resolvent/internal/report", engine + " examples/resolvent/internal"},
	{"examples/resolvent/command", engine + " examples/resolvent/internal"},
	{"examples/resolvent", "examples/resolvent"},

	// For tests only: below everything else, so that nothing else imports them.
	{"resolver/internal/oracle", ""},
	{"resolver/internal/random", engine},
}

// users are the packages that alone may import a dependency, in tests too.
var users = map[string]string{
	"github.com/go-air/gini":   "solver",
	"github.com/google/cel-go": "constraints",

	"github.com/klauspost/compress": "cache/internal/archive",
}

// forTests is a dependency of tests only.
const forTests = "github.com/google/go-containerregistry"

// What a room holds at most, without its tests. Examples are no rooms.
const (
	mostLines   = 2500
	mostMethods = 40
)

// The exceptions.
var large = []string{"resolver/internal/encode", "solver"}

// listed is a package as go list describes it.
type listed struct {
	Dir, ImportPath                    string
	Imports, TestImports, XTestImports []string

	folder string
}

func packages(t *testing.T) []listed {
	t.Helper()
	output, err := exec.CommandContext(t.Context(), "go", "list", "-C", "..", "-json=Dir,ImportPath,Imports,TestImports,XTestImports", "./...").Output()
	require.NoError(t, err)
	var all []listed
	for d := json.NewDecoder(bytes.NewReader(output)); ; {
		var p listed
		err := d.Decode(&p)
		if errors.Is(err, io.EOF) {
			return all
		}
		require.NoError(t, err)
		p.folder = strings.TrimPrefix(p.ImportPath, module+"/")
		all = append(all, p)
	}
}

// below reports whether a package is the one of a folder, or below that.
func below(path, folder string) bool { return path == folder || strings.HasPrefix(path, folder+"/") }

// TestImports holds the arrows between the rooms.
func TestImports(t *testing.T) {
	place := func(folder string) int {
		return slices.IndexFunc(rooms, func(r room) bool { return r.folder == folder })
	}
	for _, p := range packages(t) {
		at := place(p.folder)
		if at < 0 {
			t.Errorf("package %s is no room yet: add a line for it to rooms in architecture_test.go, below all that it imports", p.folder)
			continue
		}
		for _, path := range p.Imports {
			folder, ours := strings.CutPrefix(path, module+"/")
			if !ours {
				continue
			}
			reached := slices.ContainsFunc(strings.Fields(rooms[at].reaches), func(wall string) bool { return below(folder, wall) })
			assert.True(t, reached, "%s imports %s, which it does not reach", p.folder, folder)
			assert.Less(t, place(folder), at, "%s imports %s, which stands below it", p.folder, folder)
		}
	}
	for _, r := range rooms {
		assert.DirExists(t, filepath.Join("..", filepath.FromSlash(r.folder)), "a room in architecture_test.go that is not there")
	}
}

// TestDependencies: what a room hides is imported there only, and nothing of
// Kubernetes is needed.
func TestDependencies(t *testing.T) {
	for _, p := range packages(t) {
		for _, path := range slices.Concat(p.Imports, p.TestImports, p.XTestImports) {
			for dependency, user := range users {
				assert.False(t, below(path, dependency) && p.folder != user, "%s imports %s; only %s may", p.folder, path, user)
			}
		}
		for _, path := range p.Imports {
			assert.False(t, below(path, forTests), "%s imports %s; only tests may", p.folder, path)
		}
	}
	// Who gets no catalog from a server needs no HTTP.
	deps, err := exec.CommandContext(t.Context(), "go", "list", "-deps", ".").Output()
	require.NoError(t, err)
	assert.NotContains(t, strings.Fields(string(deps)), "net/http")
	mod, err := os.ReadFile("../go.mod")
	require.NoError(t, err)
	for _, name := range []string{"k8s.io/", "github.com/operator-framework/"} {
		assert.NotContains(t, string(mod), name)
	}
}

// TestSizes bounds what a room and its types hold.
func TestSizes(t *testing.T) {
	for _, p := range packages(t) {
		lines, methods := sizes(t, p.Dir)
		if !slices.Contains(large, p.folder) {
			assert.LessOrEqual(t, lines, mostLines, "lines of package %s without tests", p.folder)
		}
		for name, n := range methods {
			assert.LessOrEqual(t, n, mostMethods, "methods of %s.%s", p.folder, name)
		}
	}
}

// sizes counts the lines of a package and the methods of its types, without
// tests.
func sizes(t *testing.T, dir string) (lines int, methods map[string]int) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	require.NoError(t, err)
	methods = map[string]int{}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		lines += bytes.Count(text, []byte("\n"))
		file, err := parser.ParseFile(token.NewFileSet(), name, text, parser.SkipObjectResolution)
		require.NoError(t, err)
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv != nil {
				methods[receiver(f.Recv.List[0].Type)]++
			}
		}
	}
	return lines, methods
}

// receiver is the name of the type that a method belongs to.
func receiver(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return receiver(e.X)
	case *ast.IndexExpr:
		return receiver(e.X)
	case *ast.IndexListExpr:
		return receiver(e.X)
	case *ast.Ident:
		return e.Name
	}
	return "?"
}
