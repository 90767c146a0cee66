package resolver_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
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
	{"constraints/rules", "properties constraints/versionrange"},
	{"constraints", "properties constraints"},
	{"cache/internal/task", ""},
	{"cache/internal/code", ""},
	{"cache/catalog", "properties constraints cache/internal/task cache/internal/code"},
	{"cache/internal/document", "properties cache"},
	{"cache/internal/walk", "cache"},
	{"cache/internal/build", "properties constraints cache"},
	{"cache/internal/bundledir", "properties cache"},
	{"cache/internal/index", ""},
	{"cache/internal/archive", "cache"},
	{"cache/internal/image", "cache"},
	{"cache", "properties constraints cache"},
	{"cache/remote", "cache cache/internal/document"},
	{"cache/template", "cache properties"},
	{"solver/internal/cnf", ""},
	{"solver/internal/numbers", ""},
	{"solver", "solver"},

	{"resolver/internal/picture", ""},
	{"resolver/internal/words", "properties"},
	{"resolver/internal/memo", ""},
	{"resolver/cluster", "properties cache/catalog resolver/internal/memo resolver/internal/words"},
	{"resolver/internal/detached", ""},
	{"resolver/manifest", "properties cache/catalog resolver/cluster resolver/internal/words resolver/internal/detached"},
	{"resolver/result", "properties constraints cache/catalog resolver/cluster resolver/manifest resolver/internal/words"},
	{"resolver/graph", "resolver"},
	{"resolver/text", "cache/catalog resolver/cluster resolver/result resolver/internal/words"},
	{"resolver/policy", "properties constraints cache/catalog resolver/cluster"},
	{"resolver/internal/reason", "properties constraints cache/catalog resolver/cluster resolver/policy resolver/result resolver/internal/words"},
	{"resolver/internal/pace", engine},
	{"resolver/internal/inventory", engine},
	{"resolver/internal/model", engine},
	{"resolver/internal/request", engine},
	{"resolver/internal/world", engine},
	{"resolver/internal/cause", engine},
	{"resolver/internal/explain", engine},
	{"resolver/internal/answer", engine},
	{"resolver/internal/route", engine},
	{"resolver/internal/fix", engine},
	{"resolver/internal/outcome", engine},
	{"resolver/internal/status", engine},
	{"resolver", engine},
	{"resolver/scenario", engine},
	{"resolver/check/internal/edit", "cache/template"},
	{"resolver/check/internal/finding", engine},
	{"resolver/check/internal/installable", engine},
	{"resolver/check", engine},
	{"resolver/check/propose", "cache constraints resolver/check"},
	{"resolver/check/repair", engine},
	{"resolver/mirror", engine},
	{"resolver/migrate", engine},
	{"resolver/lock", "cache properties resolver resolver/cluster resolver/policy resolver/result"},

	{"examples/quickstart", engine + " testdata"},
	{"examples/playground/internal/trial", engine + " testdata"},
	{"examples/playground", "examples/playground"},
	{"examples/resolvent/internal/terminal", ""},
	{"examples/resolvent/internal/listing", "cache properties constraints resolver/cluster examples/resolvent/internal/terminal"},
	{"examples/resolvent/internal/inputs", engine + " examples/resolvent/internal"},
	{"examples/resolvent/internal/help", "examples/resolvent/internal"},
	{"examples/resolvent/internal/fleet", "examples/resolvent/internal/terminal"},
	{"examples/resolvent/internal/overview", "cache/catalog resolver/text resolver/cluster resolver/result examples/resolvent/internal/terminal"},
	{"examples/resolvent/internal/findings", engine + " examples/resolvent/internal"},
	{"examples/resolvent/internal/report", engine + " examples/resolvent/internal"},
	{"examples/resolvent/internal/outcomes", engine + " examples/resolvent/internal"},
	{"examples/resolvent/internal/statuses", engine + " examples/resolvent/internal"},
	{"examples/resolvent/internal/approvals", engine + " examples/resolvent/internal"},
	{"examples/resolvent/internal/policies", engine + " examples/resolvent/internal"},
	{"examples/resolvent/internal/differences", engine + " examples/resolvent/internal"},
	{"examples/resolvent/internal/repairs", engine + " examples/resolvent/internal"},
	{"examples/resolvent/internal/locks", engine + " examples/resolvent/internal"},
	{"examples/resolvent/internal/mirrors", engine + " examples/resolvent/internal"},
	{"examples/resolvent/internal/migrations", engine + " examples/resolvent/internal"},
	{"examples/resolvent/internal/schema", ""},
	{"examples/resolvent/command", engine + " examples/resolvent/internal"},
	{"examples/resolvent/internal/manual", "examples/resolvent"},
	{"examples/resolvent", "examples/resolvent"},

	// For tests only: below everything else, so that nothing else imports them.
	{"resolver/internal/oracle", ""},
	{"resolver/internal/oracle/ranking", "resolver/internal/oracle"},
	{"resolver/internal/oracle/random", engine},
}

// users are the packages that alone may import a dependency, in tests too.
var users = map[string]string{
	"github.com/go-air/gini":   "solver/internal/cnf",
	"github.com/google/cel-go": "constraints/rules",

	"github.com/klauspost/compress": "cache/internal/archive cache/internal/index",

	// What only the command line needs.
	"github.com/invopop/jsonschema":         "examples/resolvent/internal/schema",
	"github.com/santhosh-tekuri/jsonschema": "examples/resolvent/command",
}

// forTests are dependencies of tests only.
var forTests = []string{"github.com/google/go-containerregistry", "github.com/invopop/jsonschema", "github.com/santhosh-tekuri/jsonschema"}

// asking are the tools that ask what everybody can ask: of the engine they import nothing.
var asking = []string{"resolver/lock", "resolver/mirror"}

// mostMethods bounds the method set of a type.
const mostMethods = 40

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
			private := below(folder, "resolver/internal") && folder != "resolver/internal/words"
			assert.False(t, private && slices.Contains(asking, p.folder), "%s imports %s; a tool asks the public verbs", p.folder, folder)
		}
	}
	for _, r := range rooms {
		top, _, _ := strings.Cut(r.folder, "/")
		assert.Contains(t, []string{"resolver", "constraints", "properties", "cache", "solver", "examples", "testdata"}, top, "the top level has no other folders")
		assert.DirExists(t, filepath.Join("..", filepath.FromSlash(r.folder)), "a room in architecture_test.go that is not there")
	}
}

// TestDependencies: what a room hides is imported there only, and nothing of
// Kubernetes is needed.
func TestDependencies(t *testing.T) {
	for _, p := range packages(t) {
		for _, path := range slices.Concat(p.Imports, p.TestImports, p.XTestImports) {
			for dependency, user := range users {
				assert.False(t, below(path, dependency) && !slices.Contains(strings.Fields(user), p.folder), "%s imports %s; only %s may", p.folder, path, user)
			}
		}
		for _, path := range p.Imports {
			of := func(dependency string) bool { return below(path, dependency) }
			assert.False(t, slices.ContainsFunc(forTests, of), "%s imports %s; only tests may", p.folder, path)
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

// TestMethods bounds the method sets of types. A method that a type has of one that
// it embeds counts, too; and no type of the engine embeds one of another room.
func TestMethods(t *testing.T) {
	for _, p := range packages(t) {
		if below(p.folder, "testdata") {
			continue
		}
		r := readRoom(t, p.Dir)
		for name := range r.embeds {
			assert.LessOrEqual(t, len(r.methodSet(name)), mostMethods, "methods of %s.%s", p.folder, name)
		}
		if below(p.folder, "resolver/internal") {
			assert.Empty(t, r.foreign, "types of other rooms that those of package %s embed", p.folder)
		}
	}
}

// inside is what a room holds, without its tests.
type inside struct {
	// methods are those that a type declares, and embeds the types of the package that it
	// embeds; foreign are embedded types of other packages of the module.
	methods, embeds map[string][]string
	foreign         []string
}

// methodSet lists the methods of a type and of those that it embeds.
func (c *inside) methodSet(name string) map[string]bool {
	set := map[string]bool{}
	for _, method := range c.methods[name] {
		set[method] = true
	}
	for _, embedded := range c.embeds[name] {
		maps.Copy(set, c.methodSet(embedded))
	}
	return set
}

// readRoom reads the files of a package.
func readRoom(t *testing.T, dir string) *inside {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	require.NoError(t, err)
	c := &inside{methods: map[string][]string{}, embeds: map[string][]string{}}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		ours := map[string]bool{} // packages, by the name that the file has for them
		for _, i := range file.Imports {
			if folder, found := strings.CutPrefix(strings.Trim(i.Path.Value, `"`), module+"/"); found {
				ours[folder[strings.LastIndexByte(folder, '/')+1:]] = true
			}
		}
		for _, d := range file.Decls {
			c.add(d, ours)
		}
	}
	return c
}

// add reads a declaration of a file that knows packages of the module by name.
func (c *inside) add(d ast.Decl, ours map[string]bool) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Recv != nil {
			of := receiver(d.Recv.List[0].Type)
			c.methods[of] = append(c.methods[of], d.Name.Name)
		}
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			t, ok := spec.(*ast.TypeSpec)
			if !ok {
				continue
			}
			c.embeds[t.Name.Name] = nil
			s, ok := t.Type.(*ast.StructType)
			if !ok {
				continue
			}
			for _, field := range s.Fields.List {
				if len(field.Names) > 0 {
					continue
				}
				if of, ok := strip(field.Type).(*ast.SelectorExpr); !ok {
					c.embeds[t.Name.Name] = append(c.embeds[t.Name.Name], receiver(field.Type))
				} else if from, ok := of.X.(*ast.Ident); ok && ours[from.Name] {
					c.foreign = append(c.foreign, t.Name.Name+" embeds "+from.Name+"."+of.Sel.Name)
				}
			}
		}
	}
}

// strip is the type that a pointer leads to.
func strip(e ast.Expr) ast.Expr {
	if star, ok := e.(*ast.StarExpr); ok {
		return star.X
	}
	return e
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

// Only package world makes another problem of a problem.
func TestWorldVaries(t *testing.T) {
	varied := map[string][]string{} // fields of the inputs of a World, by the folder that sets them
	for _, p := range packages(t) {
		if !below(p.folder, "resolver") {
			continue
		}
		files, err := filepath.Glob(filepath.Join(p.Dir, "*.go"))
		require.NoError(t, err)
		for _, name := range files {
			file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
			require.NoError(t, err)
			ast.Inspect(file, func(n ast.Node) bool {
				if assign, ok := n.(*ast.AssignStmt); ok && !strings.HasSuffix(name, "_test.go") {
					for _, to := range assign.Lhs {
						field, _ := to.(*ast.SelectorExpr)
						if field == nil {
							continue
						}
						if in, ok := field.X.(*ast.SelectorExpr); ok && in.Sel.Name == "In" {
							varied[p.folder] = append(varied[p.folder], field.Sel.Name)
						}
					}
				}
				return true
			})
		}
	}
	assert.NotEmpty(t, varied["resolver/internal/world"])
	delete(varied, "resolver/internal/world")
	// What a call collects and what it has chosen so far are no other problem.
	assert.Equal(t, map[string][]string{"resolver/internal/outcome": {"Reads", "Chosen"}}, varied)
}

// results are the packages of what the library returns.
var results = strings.Fields("result text check migrate mirror")

// TestComplete: a result is complete when it is returned. No function sets a field of one that it
// was given, by pointer or in a list, or that it found in an error.
func TestComplete(t *testing.T) {
	set := map[string][]string{} // results of others of which a field is set, by function
	for _, p := range packages(t) {
		if !below(p.folder, "resolver") && !below(p.folder, "examples") {
			continue
		}
		files, err := filepath.Glob(filepath.Join(p.Dir, "*.go"))
		require.NoError(t, err)
		for _, name := range files {
			file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
			require.NoError(t, err)
			for _, d := range file.Decls {
				if f, ok := d.(*ast.FuncDecl); ok && f.Body != nil && !strings.HasSuffix(name, "_test.go") {
					if names := setByOthers(f, slices.Contains(results, file.Name.Name)); len(names) > 0 {
						set[p.folder+"."+f.Name.Name] = append(set[p.folder+"."+f.Name.Name], names...)
					}
				}
			}
		}
	}
	// What a user assumes is no result.
	assert.Equal(t, map[string][]string{"examples/resolvent/internal/inputs.RegisterAssumptions": {"target", "target", "target"}}, set)
}

// setByOthers names the results that a function did not make and of which it sets a field. own is
// true if its package has results itself.
func setByOthers(f *ast.FuncDecl, own bool) (set []string) {
	given := map[string]ast.Expr{} // the types of results that others made, by name
	give := func(params *ast.FieldList) {
		for _, field := range params.List {
			for _, name := range field.Names {
				given[name.Name] = resultType(field.Type, own)
			}
		}
	}
	check := func(to ast.Expr) {
		if name, field := rootOf(to); field && given[name] != nil {
			set = append(set, name)
		}
	}
	give(f.Type.Params)
	ast.Inspect(f.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			give(n.Type.Params)
		case *ast.IncDecStmt:
			check(n.X)
		case *ast.RangeStmt:
			of, _ := rootOf(n.X)
			if value, ok := n.Value.(*ast.Ident); ok {
				list, _ := given[of].(*ast.ArrayType)
				given[value.Name] = nil
				if list != nil && list.Elt != strip(list.Elt) { // otherwise it is a copy
					given[value.Name] = list.Elt
				}
			}
		case *ast.AssignStmt:
			for i, to := range n.Lhs {
				if name, ok := to.(*ast.Ident); !ok {
					check(to)
				} else if i < len(n.Rhs) {
					given[name.Name] = aliased(n.Rhs[i], given, own)
				}
			}
		}
		return true
	})
	return set
}

// resultType returns a type if it is a pointer to a result, or a list of results, else nil.
func resultType(e ast.Expr, own bool) ast.Expr {
	of := strip(e)
	if list, ok := e.(*ast.ArrayType); ok {
		of = strip(list.Elt)
	}
	name, _ := of.(*ast.Ident)
	if from, ok := of.(*ast.SelectorExpr); ok {
		name, _ = from.X.(*ast.Ident)
		own = name != nil && slices.Contains(results, name.Name)
	} else if name != nil {
		own = own && ast.IsExported(name.Name)
	}
	if name == nil || !own || of == e {
		return nil
	}
	return e
}

// aliased returns the type of a result that others made if a value is that result: it is one that
// was given, or a member of it by pointer, or was found in an error.
func aliased(e ast.Expr, given map[string]ast.Expr, own bool) ast.Expr {
	switch e := e.(type) {
	case *ast.Ident:
		return given[e.Name]
	case *ast.UnaryExpr:
		if name, _ := rootOf(e.X); e.Op == token.AND {
			return given[name]
		}
	case *ast.CallExpr:
		if generic, ok := e.Fun.(*ast.IndexExpr); ok { // errors.AsType
			return resultType(generic.Index, own)
		}
	}
	return nil
}

// rootOf returns the name of the variable that an expression leads from, and whether it leads to a
// field, or through a pointer.
func rootOf(e ast.Expr) (name string, field bool) {
	for {
		switch of := e.(type) {
		case *ast.SelectorExpr:
			e, field = of.X, true
		case *ast.StarExpr:
			e, field = of.X, true
		case *ast.IndexExpr:
			e = of.X
		case *ast.ParenExpr:
			e = of.X
		case *ast.Ident:
			return of.Name, field
		default:
			return "", false
		}
	}
}

// What the library imports holds nothing of the command line's libraries.
func TestNoCommandLine(t *testing.T) {
	out, err := exec.CommandContext(t.Context(), "go", "list", "-C", "..", "-deps", "./resolver/...", "./cache/...", "./constraints/...", "./properties/...", "./solver/...").CombinedOutput()
	require.NoError(t, err, "%s", out)
	assert.Contains(t, string(out), module+"/resolver\n")
	assert.NotContains(t, string(out), "github.com/spf13/")
	assert.NotContains(t, string(out), module+"/examples")
}

// TestNames: the package comment names what a program needs, and all of it is there.
func TestNames(t *testing.T) {
	source, err := os.ReadFile("doc.go")
	require.NoError(t, err)
	_, section, ok := strings.Cut(string(source), "# What a program needs")
	require.True(t, ok)
	section, _, _ = strings.Cut(section, "// # ")
	declared := map[string]bool{}
	for _, p := range packages(t) {
		files, err := filepath.Glob(filepath.Join(p.Dir, "*.go"))
		require.NoError(t, err)
		for _, file := range files {
			parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
			require.NoError(t, err)
			for _, d := range parsed.Decls {
				switch d := d.(type) {
				case *ast.FuncDecl:
					declared[parsed.Name.Name+"."+d.Name.Name] = declared[parsed.Name.Name+"."+d.Name.Name] || d.Recv == nil
				case *ast.GenDecl:
					for _, spec := range d.Specs {
						if of, ok := spec.(*ast.TypeSpec); ok {
							declared[parsed.Name.Name+"."+of.Name.Name] = true
						}
					}
				}
			}
		}
	}
	named := map[string]bool{"manifest.Read": true, "text.Brief": true} // no imports of this package, so no links
	for _, link := range regexp.MustCompile(`\[([\w.]+)\]`).FindAllStringSubmatch(section, -1) {
		name := link[1]
		if !strings.Contains(name, ".") {
			name = "resolver." + name
		}
		named[name] = true
	}
	for name := range named {
		assert.True(t, declared[name], name)
		assert.Contains(t, section, strings.TrimPrefix(name, "resolver."))
	}
	assert.Len(t, named, 36)
}

// TestRooms: the package comment lists the rooms of the engine in the order of their walls.
func TestRooms(t *testing.T) {
	source, err := os.ReadFile("doc.go")
	require.NoError(t, err)
	_, section, ok := strings.Cut(string(source), "The engine is internal")
	require.True(t, ok)
	section, _, _ = strings.Cut(section, "This package wires them")
	var listed, walls []string
	for _, line := range regexp.MustCompile(`(?m)^//\t(\w+) {2,}\S`).FindAllStringSubmatch(section, -1) {
		listed = append(listed, line[1])
	}
	for _, r := range rooms {
		if r.folder == "resolver" {
			break // rooms of tests follow
		}
		if name, ok := strings.CutPrefix(r.folder, "resolver/internal/"); ok {
			walls = append(walls, name)
		}
	}
	assert.Equal(t, walls, listed)
}

// TestLimitsFiles: a room of the engine that has a limits.go declares all of its bounds there.
func TestLimitsFiles(t *testing.T) {
	bound := regexp.MustCompile(`(?i)^(max|most)`)
	n := 0
	for _, r := range rooms {
		if _, err := os.Stat(filepath.Join("..", r.folder, "limits.go")); err != nil || r.folder == "constraints" || below(r.folder, "cache") {
			continue
		}
		n++
		files, err := filepath.Glob(filepath.Join("..", r.folder, "*.go"))
		require.NoError(t, err)
		for _, file := range files {
			if name := filepath.Base(file); name == "limits.go" || strings.HasSuffix(name, "_test.go") {
				continue
			}
			parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
			require.NoError(t, err)
			for _, d := range parsed.Decls {
				if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.CONST {
					for _, spec := range g.Specs {
						for _, name := range spec.(*ast.ValueSpec).Names {
							assert.NotRegexp(t, bound, name.Name, file)
						}
					}
				}
			}
		}
	}
	assert.Equal(t, 17, n)
}

// TestSnippet: the program in the guide to the library is the example of this package, and
// imports at most four packages of this module.
func TestSnippet(t *testing.T) {
	example, err := os.ReadFile("example_controller_test.go")
	require.NoError(t, err)
	guide, err := os.ReadFile("../.github/docs/library.md")
	require.NoError(t, err)
	imports := regexp.MustCompile(`(?s)import \(\n.*?\n\)\n`).Find(example)
	assert.LessOrEqual(t, bytes.Count(imports, []byte(module)), 4)
	body := regexp.MustCompile(`(?s)func Example\(\) \{\n(.*)\n\t// Output:`).FindSubmatch(example)
	require.NotNil(t, body)
	program := string(imports) + "\n" + regexp.MustCompile(`(?m)^\t`).ReplaceAllString(string(body[1]), "")
	assert.Contains(t, string(guide), "```go\n"+program+"\n```\n")
}
