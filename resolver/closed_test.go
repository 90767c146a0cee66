package resolver_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/resolver"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/oracle/random"
	"github.com/resolvent/resolvent/resolver/internal/words"
	"github.com/resolvent/resolvent/resolver/manifest"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/testdata/testkit"
)

// closedSets are the types of which all values are known, by folder. Constraints and risks
// have tests of their own, and so have the words of reasons and warnings.
var closedSets = map[string][]string{
	"cache/internal/code":             {""}, // constants without a type
	"cache/catalog":                   {"Severity"},
	"properties":                      {"faultCode", "InstallMode"},
	"resolver/cluster":                {"RequestKind"},
	"resolver/internal/words":         {"Code", ""},
	"resolver/migrate":                {"State", "Result"},
	"resolver/result":                 {"Result", "State", "Search", "OtherKind", "Verdict", "Action"},
	"resolver/check":                  {"changeKind"},
	"resolver/check/internal/finding": {"Code"},
}

// explained are those of which the names say too little: each member has a comment.
var explained = []string{
	"cache/internal/code.", "cache/catalog.Severity", "properties.faultCode",
	"resolver/internal/words.Code", "resolver/result.State", "resolver/result.Search", "resolver/result.OtherKind", "resolver/result.Risk",
}

// member is a constant of a closed set.
type member struct {
	name, value string // value is empty of one that counts
	documented  bool   // it has a comment of its own
	zero        bool   // the first of those that count
}

// membersOf lists the constants of a type that a folder declares.
func membersOf(t *testing.T, folder, typ string) (list []member) {
	files, err := filepath.Glob(filepath.Join("..", folder, "*.go"))
	require.NoError(t, err)
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") || typ == "" && filepath.Base(name) == "olm.go" { // names of OLM
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
		require.NoError(t, err)
		for _, d := range file.Decls {
			if block, ok := d.(*ast.GenDecl); ok && block.Tok == token.CONST {
				list = append(list, membersIn(block, typ)...)
			}
		}
	}
	return list
}

func membersIn(block *ast.GenDecl, typ string) (list []member) {
	named := ""
	for _, spec := range block.Specs {
		s := spec.(*ast.ValueSpec)
		switch of := s.Type.(type) {
		case *ast.Ident:
			named = of.Name
		case *ast.SelectorExpr:
			named = of.Sel.Name
		case nil:
			if len(s.Values) > 0 {
				named = ""
			}
		}
		if named != typ {
			continue
		}
		m := member{name: s.Names[0].Name, documented: s.Doc != nil || s.Comment != nil}
		if len(s.Values) > 0 {
			id, ok := s.Values[0].(*ast.Ident)
			m.zero = ok && id.Name == "iota"
			if text, ok := s.Values[0].(*ast.BasicLit); ok {
				m.value, _ = strconv.Unquote(text.Value)
			}
		}
		if typ == "" && (!ast.IsExported(m.name) || isNumber(s.Values)) {
			continue // no word
		}
		list = append(list, m)
	}
	return list
}

// isNumber reports whether a constant is a number that is written out.
func isNumber(values []ast.Expr) bool {
	if len(values) == 0 {
		return false
	}
	number, ok := values[0].(*ast.BasicLit)
	return ok && number.Kind == token.INT
}

// wordsOf lists the constants of package words that have no type, by what their names begin with.
func wordsOf(t *testing.T, prefix string) []member {
	list := membersOf(t, "resolver/internal/words", "")
	list = slices.DeleteFunc(list, func(m member) bool { return !strings.HasPrefix(m.name, prefix) })
	require.NotEmpty(t, list)
	return list
}

// Of every member of a closed set there is code that makes it, and a test or a wanted
// output that has it. TestClaims looks for the kinds of reasons, TestRisks for risks.
func TestClosedSets(t *testing.T) {
	elsewhere := regexp.MustCompile(`^(Kind|Risk)[A-Z]`)
	code, samples := mentioned(t)
	kinds := map[string]bool{}
	for _, m := range membersOf(t, "resolver/internal/words", "Code") {
		kinds[words.Code(m.value).Kind()] = true
	}
	for folder, types := range closedSets {
		for _, typ := range types {
			members := membersOf(t, folder, typ)
			require.NotEmpty(t, members, "%s.%s", folder, typ)
			for _, m := range members {
				at, name := folder+"."+m.name, m.name
				if typ == "" { // plain words
					name = at[strings.LastIndexByte(folder, '/')+1:]
				}
				made := code[name] || strings.HasPrefix(name, "words.Kind") && kinds[m.value]
				assert.True(t, made || m.zero, "nothing makes %s", at)
				assert.True(t, samples[name] || m.value != "" && samples[m.value] || elsewhere.MatchString(m.name), "no test or wanted output has %s", at)
			}
		}
	}
}

// Package reason makes a reason of each code in one place, named like it, and others call that: nobody
// else calls result.New.
func TestConstructorsOfClosedSets(t *testing.T) {
	made := map[string][]string{} // by code, the functions and constants that have it
	note := func(name string, n ast.Node) {
		ast.Inspect(n, func(n ast.Node) bool {
			if of, ok := n.(*ast.SelectorExpr); ok && fmt.Sprint(of.X) == "words" {
				made[of.Sel.Name] = append(made[of.Sel.Name], name)
			}
			return true
		})
	}
	for _, p := range packages(t) {
		files, err := filepath.Glob(filepath.Join(p.Dir, "*.go"))
		require.NoError(t, err)
		for _, name := range files {
			file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
			require.NoError(t, err)
			if p.folder != "resolver/internal/reason" {
				ast.Inspect(file, func(n ast.Node) bool {
					of, ok := n.(*ast.SelectorExpr)
					assert.False(t, ok && of.Sel.Name == "New" && fmt.Sprint(of.X) == "result", "%s calls result.New", name)
					return true
				})
				continue
			}
			for _, d := range file.Decls {
				switch d := d.(type) {
				case *ast.FuncDecl:
					note(d.Name.Name, d)
				case *ast.GenDecl:
					for _, spec := range d.Specs {
						if of, ok := spec.(*ast.ValueSpec); ok {
							note(of.Names[0].Name, of)
						}
					}
				}
			}
		}
	}
	code, _ := mentioned(t)
	for _, m := range membersOf(t, "resolver/internal/words", "Code") {
		assert.Equal(t, []string{m.name}, made[m.name], "package reason has no function of its own for %s", m.name)
		assert.True(t, code["reason."+m.name], "nothing makes %s", m.name)
	}
}

func TestExplanationsOfClosedSets(t *testing.T) {
	for _, set := range explained {
		folder, typ, _ := strings.Cut(set, ".")
		for _, m := range membersOf(t, folder, typ) {
			assert.True(t, m.documented, "%s has no comment", m.name)
		}
	}
}

// ReasonKind, on which callers switch, lists its values in its comment.
func TestValuesWithoutConstants(t *testing.T) {
	values := regexp.MustCompile(`\w+`).FindAllString(commentOf(t, "resolver/result", "ReasonKind"), -1)
	for _, m := range wordsOf(t, "Kind") {
		assert.True(t, m.documented && slices.Contains(values, m.value), "the comment of ReasonKind does not list %s", m.value)
	}
}

// commentOf returns the comment of a type in a folder.
func commentOf(t *testing.T, folder, name string) string {
	text, err := exec.CommandContext(t.Context(), "go", "doc", "-C", "..", "./"+folder+"."+name).Output()
	require.NoError(t, err)
	return string(text)
}

// mentioned returns the words of the product, but for those that a declaration of a constant
// begins with, and those of tests and wanted outputs.
func mentioned(t *testing.T) (code, samples map[string]bool) {
	t.Helper()
	if allMentioned.code == nil {
		allMentioned.code, allMentioned.samples = readMentioned(t)
	}
	return allMentioned.code, allMentioned.samples
}

// allMentioned is what mentioned returns: it reads all files once.
var allMentioned struct{ code, samples map[string]bool }

func readMentioned(t *testing.T) (code, samples map[string]bool) {
	code, samples = map[string]bool{}, map[string]bool{}
	word, declared := regexp.MustCompile(`[\w.\[\]]+|\w+`), regexp.MustCompile(`(?m)^(\t|const )\w+( .*)? += "|^\t[A-Z]\w* +//.*`)
	require.NoError(t, filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.HasSuffix(path, "sarif.golden") { // it has all codes
			return err
		}
		to := samples
		switch filepath.Ext(path) {
		case ".go":
			if !strings.HasSuffix(path, "_test.go") {
				to = code
			}
		case ".golden", ".txtar":
		default:
			return nil
		}
		text, err := os.ReadFile(path)
		for _, path := range word.FindAllString(declared.ReplaceAllString(string(text), ""), -1) {
			to[path] = true
			for _, word := range strings.Split(path, ".") {
				to[word] = true
			}
		}
		return err
	}))
	return code, samples
}

// A wanted output has each risk by its word, code has it by its name, and what is none has no
// word. Every caution has words.
func TestRisks(t *testing.T) {
	risks, sampled := membersOf(t, "resolver/result", "Risk"), map[string]bool{"": true}
	code, _ := mentioned(t)
	for _, golden := range testkit.Files(t, "examples/resolvent/testdata/*/*.golden") {
		for _, m := range regexp.MustCompile(`"risk": *"(\w+)"`).FindAllSubmatch(golden, -1) {
			sampled[string(m[1])] = true
		}
	}
	for i, m := range risks {
		word := result.Risk(i).String()
		assert.NotEmpty(t, word, "Risk.String has no word for %s", m.name)
		assert.True(t, sampled[word], "no scenario has a fix of the risk %q", word)
		assert.True(t, code[m.name] || m.zero, "nothing makes %s", m.name)
	}
	assert.Empty(t, result.Risk(len(risks)).String())
	for _, m := range wordsOf(t, "Caution") {
		assert.True(t, m.documented && words.Cautions[m.value] != nil, "%s has no comment, or words.Cautions no words for it", m.name)
	}
}

// The kinds that manifests are read for are documented. What a fix changes is of one of them,
// or no object of a cluster; and so are requests.
func TestKindsOfFixes(t *testing.T) {
	for _, m := range wordsOf(t, "Object") {
		assert.True(t, m.value == words.ObjectOptions || slices.Contains(manifest.Kinds(), m.value), "kinds.go reads no %s", m.value)
	}
	doc, err := os.ReadFile("manifest/manifest.go")
	require.NoError(t, err)
	for _, kind := range manifest.Kinds() {
		assert.True(t, regexp.MustCompile(`(?m)^//.*\b`+kind+`\b`).Match(doc), "the comment of package manifest does not name %s", kind)
	}
	for _, m := range membersOf(t, "resolver/cluster", "RequestKind") {
		assert.Contains(t, manifest.Kinds(), m.value, "kinds.go reads no %s", m.name)
		_, err := resolver.New().Resolve(t.Context(), resolver.Problem{}, cluster.Scope{Kind: cluster.RequestKind(m.value), Name: "x"})
		assert.NotContains(t, fmt.Sprint(err), "no such kind", "kinds in kind.go lacks %s", m.name)
		sampled := false
		for _, text := range testkit.Files(t, "testdata/*/*.txtar") {
			sampled = sampled || strings.Contains(string(text), "kind: "+m.value)
		}
		assert.True(t, sampled, "no scenario of testdata has a %s", m.value)
	}
}

// Scenarios have every kind of constraint, and so have the random problems of the oracle.
func TestKindsOfConstraints(t *testing.T) {
	var scenarios, problems strings.Builder
	for _, text := range testkit.Files(t, "testdata/*/*.txtar") {
		scenarios.Write(text)
	}
	for seed := range uint64(100) {
		for _, c := range random.Problem(seed).Catalogs {
			fmt.Fprintln(&problems, random.Blobs(c))
		}
	}
	kinds, err := os.ReadFile("../constraints/expr.go")
	require.NoError(t, err)
	for _, m := range regexp.MustCompile(`(?m)^\t\{(\w+)\{\}, `).FindAllSubmatch(kinds, -1) {
		stated := regexp.MustCompile(`(?i)\b` + string(m[1]) + `("?: *\{|\.required)`)
		assert.True(t, stated.MatchString(scenarios.String()), "no scenario of testdata has constraints of kind %s", m[1])
		assert.True(t, stated.MatchString(problems.String()), "package random makes no constraints of kind %s", m[1])
	}
}
