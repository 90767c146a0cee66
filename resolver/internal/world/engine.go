package world

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"
	"sort"

	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/inventory"
	"github.com/resolvent/resolvent/resolver/internal/model"
	"github.com/resolvent/resolvent/resolver/internal/request"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/solver"
)

// Engine solves problems. It is safe for any number of goroutines.
type Engine struct{ memory *model.Memory }

// NewEngine returns an Engine with an empty cache.
func NewEngine() *Engine { return &Engine{model.NewMemory()} }

// Problem is what one call solves and explains: the Model of its scopes, and their
// requests. It belongs to one goroutine.
type Problem struct {
	Model *model.Model
	// Scopes are the Parts of the Model, in its order, with their requests.
	Scopes []request.Scoped

	// roots are those of all requests, once so many were asked for.
	roots map[cluster.RequestKey]int
	asked int
}

// Read reads the inputs into a Problem. If a scope is refused, Read returns
// the Problem together with the reason of the refusal, because fixes are judged on it. Any
// other error comes without a Problem.
func (e *Engine) Read(ctx context.Context, in model.Inputs) (*Problem, error) {
	p := &Problem{Model: model.New(ctx, in)}
	var refused error
	for _, scope := range in.Scopes {
		scoped, err := request.Read(e.memory, p.Model, scope)
		if err != nil {
			return nil, cmp.Or(refused, err)
		}
		refused = cmp.Or(refused, scoped.Part.Refused)
		scoped.First = len(p.Model.Demands)
		p.Scopes = append(p.Scopes, scoped)
		p.Model.Demands = slices.Grow(p.Model.Demands, len(scoped.Requests))
		for i := range scoped.Requests {
			p.Model.Demands = append(p.Model.Demands, solver.Rule{Formula: solver.OneOf(scoped.Requests[i].List.Candidates...)})
		}
		if err := p.Model.Pace.Ctx.Err(); p.Model.Joint() && err != nil {
			return nil, &result.Incomplete{Phase: "reading namespaces", Err: err}
		}
		if p.Model.Size() > math.MaxInt32 {
			return nil, &result.InvalidInput{Subject: "namespaces", Err: errors.New("there are too many bundles to resolve them jointly")}
		}
	}
	p.Model.FindNeighbors()
	return p, refused
}

// ReadEmpty returns the Problem of the only scope without requests and installed bundles,
// on the given catalogs.
func (e *Engine) ReadEmpty(ctx context.Context, in model.Inputs, seen inventory.Visibility) (*Problem, error) {
	m := model.New(ctx, in)
	p, err := e.memory.NewPart(m, seen, in.Scopes[0], request.KindOf(in.Scopes[0]))
	if err != nil {
		return nil, err
	}
	m.Add(p)
	return &Problem{Model: m, Scopes: []request.Scoped{{Part: p}}}, nil
}

// Home returns the namespace that is resolved by itself, empty if there is none.
func (p *Problem) Home() string {
	if len(p.Model.In.Scopes) != 1 {
		return ""
	}
	return p.Model.In.Scopes[0].Namespace()
}

// Root returns the request of a demand of the Model, and its Part.
func (p *Problem) Root(i int) (*model.Part, *request.Request) {
	// If scopes begin with the same demand, only the last of them has requests.
	of := &p.Scopes[sort.Search(len(p.Scopes), func(k int) bool { return p.Scopes[k].First > i })-1]
	return of.Part, &of.Requests[i-of.First]
}

// RootOf returns the first root of a request, or -1.
func (p *Problem) RootOf(key cluster.RequestKey) int {
	if p.asked++; p.asked < manyAsked {
		for i := range p.Model.Demands {
			if _, r := p.Root(i); r.Key() == key {
				return i
			}
		}
		return -1
	}
	if p.roots == nil {
		p.roots = make(map[cluster.RequestKey]int, len(p.Model.Demands))
		for i := range slices.Backward(p.Model.Demands) {
			_, r := p.Root(i)
			p.roots[r.Key()] = i
		}
	}
	if root, ok := p.roots[key]; ok {
		return root
	}
	return -1
}

// Solve solves the Model, or a problem made of its rules. There is a solution, a core or an
// error of package solver. If solving ended early, the Pace of the Model has the error.
func (p *Problem) Solve(of solver.Problem) (*solver.Solution, []solver.Reason, error) {
	solution, err := solver.Solve(p.Model.Pace.Ctx, of, p.Options())
	if unsatisfiable, ok := errors.AsType[*solver.Unsatisfiable](err); ok {
		return nil, unsatisfiable.Core, nil
	}
	return solution, nil, err
}

// Satisfy is [Problem.Solve] without the core of a failure, which takes most of its time: the
// error is then a *solver.Unsatisfiable.
func (p *Problem) Satisfy(of solver.Problem) (*solver.Solution, error) {
	options := p.Options()
	options.NoCore = true
	return solver.Solve(p.Model.Pace.Ctx, of, options)
}

// Only returns the problem in which some requests of the only scope have one candidate each,
// by index. It shares all else with this one.
func (p *Problem) Only(candidates map[int]solver.Var) *Problem {
	m := *p.Model
	m.Demands = slices.Clone(m.Demands)
	scope := p.Scopes[0]
	scope.Requests = slices.Clone(scope.Requests)
	for root, v := range candidates {
		m.Demands[root].Formula = solver.OneOf(v)
		scope.Requests[root].List.KeepOnly(v)
	}
	return &Problem{Model: &m, Scopes: []request.Scoped{scope}}
}

// Options returns the limits of the solver.
func (p *Problem) Options() solver.Options {
	o := p.Model.In.Options
	return solver.Options{MaxLiterals: cmp.Or(o.MaxLiterals, 8<<20), MaxConflicts: o.MaxConflicts}
}
