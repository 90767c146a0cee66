package main

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"hash/fnv"
	"math/rand/v2"
	"strconv"
	"strings"
)

// fault replaces the text between two offsets of a file.
type fault struct {
	room *room
	file *source
	edit
	function string
	// chosen is the same as an edit that leaves the choice to the environment. Its text has %[1]d for the
	// number of the fault.
	chosen edit
}

// edit replaces the text between two offsets.
type edit struct {
	from, to int
	text     string
}

func (e edit) in(text string) string { return text[:e.from] + e.text + text[e.to:] }

// String is how equivalent.txt names a fault: by the lines that it changes. It has no number of
// a line, as other changes move that.
func (f *fault) String() string {
	text := f.file.text
	from := strings.LastIndexByte(text[:f.from], '\n') + 1
	to := f.to + strings.IndexByte(text[f.to:], '\n')
	return fmt.Sprintf("%s %s: %s -> %s", f.file.path, f.function, oneLine(text[from:to]), oneLine(text[from:f.from]+f.text+text[f.to:to]))
}

// oneLine shortens what takes several lines.
func oneLine(s string) string {
	const most = 240
	r := []rune(strings.Join(strings.Fields(s), " "))
	if len(r) > most && strings.Contains(s, "\n") {
		r = append(r[:most:most], []rune("...")...)
	}
	return "`" + string(r) + "`"
}

// find finds the faults of a room, in an order that depends on the seed.
func (w *workshop) find(r *room, seed uint64) error {
	info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}}
	if err := w.typeCheck(r, info, nil, nil); err != nil {
		return err
	}
	for _, f := range r.files {
		for _, d := range f.tree.Decls {
			name, in := "", ast.Node(nil)
			switch d := d.(type) {
			case *ast.FuncDecl:
				name, in = d.Name.Name, d
			case *ast.GenDecl:
				if d.Tok != token.VAR {
					continue
				}
				name, in = d.Specs[0].(*ast.ValueSpec).Names[0].Name, d
			}
			e := &editor{info: info, file: w.fset.File(f.tree.Pos()), text: f.text, at: r.importPath}
			e.add = func(of, chosen edit) { r.faults = append(r.faults, fault{r, f, of, name, chosen}) }
			ast.Inspect(in, e.visit)
		}
	}
	hash := fnv.New64()
	_, _ = hash.Write([]byte(r.folder))
	rand.New(rand.NewPCG(seed, hash.Sum64())).Shuffle(len(r.faults), func(i, j int) { r.faults[i], r.faults[j] = r.faults[j], r.faults[i] })
	return nil
}

// editor walks through a function and adds faults.
type editor struct {
	info *types.Info
	file *token.File
	text string
	at   string // the package
	add  func(of, chosen edit)
}

// others has what an operator is replaced with.
var others = map[token.Token]string{
	token.LSS: "<=", token.LEQ: "<", token.GTR: ">=", token.GEQ: ">", token.EQL: "!=", token.NEQ: "==",
	token.LAND: "||", token.LOR: "&&", token.ADD: "-", token.SUB: "+",
}

// otherNames has what a name is replaced with.
var otherNames = map[string]string{"true": "false", "false": "true", "min": "max", "max": "min"}

func (e *editor) offsets(of ast.Node) (from, to int) {
	return e.file.Offset(of.Pos()), e.file.Offset(of.End())
}

// replace replaces an expression.
func (e *editor) replace(n ast.Expr, text string) {
	from, to := e.offsets(n)
	e.add(edit{from, to, text}, edit{from, to, e.choose(n, e.source(n), text)})
}

// choose is an expression that is one text or, with the fault, another one.
func (e *editor) choose(of ast.Expr, text, other string) string {
	t := types.TypeString(types.Default(e.info.TypeOf(of)), func(p *types.Package) string {
		if p.Path() == e.at {
			return ""
		}
		return p.Name()
	})
	escape := strings.NewReplacer("%", "%%").Replace
	return fmt.Sprintf("chooseByFault(%%[1]d, func() %s { return %s }, func() %s { return %s })", t, escape(text), t, escape(other))
}

// drop drops a statement.
func (e *editor) drop(n ast.Stmt) {
	from, to := e.offsets(n)
	e.add(edit{from, to, ""}, edit{from, to, "if !isFault(%[1]d) {\n" + strings.ReplaceAll(e.source(n), "%", "%%") + "\n}"})
}

func (e *editor) source(n ast.Node) string {
	return e.text[e.file.Offset(n.Pos()):e.file.Offset(n.End())]
}

func (e *editor) visit(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.IfStmt:
		if e.isCanceled(n) {
			return false // when a call ends is measured elsewhere
		}
		switch cond := n.Cond.(type) {
		case *ast.UnaryExpr: // its operator is dropped
		case *ast.BinaryExpr:
			if cond.Op != token.EQL && cond.Op != token.NEQ {
				e.replace(cond, "!("+e.source(cond)+")")
			}
		default:
			e.replace(cond, "!("+e.source(cond)+")")
		}
	case *ast.BlockStmt:
		e.dropEach(n.List)
	case *ast.CaseClause:
		e.dropEach(n.Body)
	case *ast.BinaryExpr:
		if other, ok := others[n.Op]; ok && !e.isText(n) {
			from, to := e.offsets(n)
			op := e.file.Offset(n.OpPos)
			after := op + len(n.Op.String())
			e.add(edit{op, after, other}, edit{from, to, e.choose(n, e.source(n), e.text[from:op]+other+e.text[after:to])})
		}
		if n.Op == token.LAND || n.Op == token.LOR {
			e.replace(n, e.source(n.X))
			e.replace(n, e.source(n.Y))
		}
	case *ast.UnaryExpr:
		if n.Op == token.NOT {
			e.replace(n, e.source(n.X))
		}
	case *ast.Ident:
		if other, ok := otherNames[n.Name]; ok {
			e.replace(n, other)
		}
	case *ast.BasicLit:
		e.constant(n)
	case *ast.CallExpr:
		if name, ok := n.Fun.(*ast.Ident); ok && name.Name == "make" {
			return false // how much room is made changes nothing
		}
		if name, ok := n.Fun.(*ast.Ident); ok && otherNames[name.Name] != "" {
			return true // min and max of the same
		}
		for i := 1; i < len(n.Args); i++ {
			a, b := n.Args[i-1], n.Args[i]
			if types.Identical(e.info.TypeOf(a), e.info.TypeOf(b)) && e.source(a) != e.source(b) {
				from, end := e.offsets(a)
				begin, to := e.offsets(b)
				between := e.text[end:begin]
				e.add(edit{from, to, e.source(b) + between + e.source(a)},
					edit{from, to, e.choose(a, e.source(a), e.source(b)) + between + e.choose(a, e.source(b), e.source(a))})
			}
		}
	}
	return true
}

// isCanceled reports whether the condition of an if asks whether a context has ended.
func (e *editor) isCanceled(of *ast.IfStmt) bool {
	found := false
	ast.Inspect(of, func(n ast.Node) bool {
		if n == of.Body || n == of.Else {
			return false
		}
		if s, ok := n.(*ast.SelectorExpr); ok && s.Sel.Name == "Err" {
			named, ok := e.info.TypeOf(s.X).(*types.Named)
			found = found || ok && named.Obj().Name() == "Context"
		}
		return !found
	})
	return found
}

// isText reports whether an expression joins texts.
func (e *editor) isText(n ast.Expr) bool {
	basic, ok := e.info.TypeOf(n).Underlying().(*types.Basic)
	return ok && basic.Info()&types.IsString != 0
}

// constant replaces a number by the next one, and a name by another. Sentences stay.
func (e *editor) constant(n *ast.BasicLit) {
	switch n.Kind {
	case token.INT:
		if v, err := strconv.Atoi(n.Value); err == nil {
			e.replace(n, strconv.Itoa(v+1))
		}
	case token.STRING:
		if v, err := strconv.Unquote(n.Value); err == nil && v != "" && !strings.ContainsAny(v, " %\n") {
			e.replace(n, strconv.Quote(v+"x"))
		}
	}
}

// dropEach drops each statement that others can do without: a call, an assignment to what
// exists, a jump, or an if with all that it does.
func (e *editor) dropEach(list []ast.Stmt) {
	for _, s := range list {
		switch s := s.(type) {
		case *ast.ExprStmt, *ast.IncDecStmt, *ast.BranchStmt, *ast.RangeStmt:
			e.drop(s)
		case *ast.IfStmt:
			if s.Else == nil && !e.isCanceled(s) {
				e.drop(s)
			}
		case *ast.AssignStmt:
			if s.Tok != token.DEFINE {
				e.drop(s)
			}
		case *ast.ReturnStmt:
			if len(s.Results) == 0 {
				e.drop(s)
			}
		}
	}
}
