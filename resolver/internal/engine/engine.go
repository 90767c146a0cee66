// Package engine reads scopes into problems and solves them. Between calls it caches what
// it derives from catalogs. Packages above it explain failures and search for fixes.
package engine

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
	"github.com/resolvent/resolvent/resolver/internal/pace"
	"github.com/resolvent/resolvent/resolver/internal/request"
	"github.com/resolvent/resolvent/resolver/policy"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/solver"
)

// Engine solves problems. It is safe for any number of goroutines.
type Engine struct{ memory *model.Memory }

// New returns an Engine with an empty cache.
func New() *Engine { return &Engine{model.NewMemory()} }

// Problem is what one call solves and explains: the Model of its scopes, and their
// requests. It belongs to one goroutine.
type Problem struct {
	Model *model.Model
	// Scopes are the Parts of the Model, in its order, with their requests.
	Scopes []request.Scoped
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
	p, err := e.memory.NewPart(m, seen, in.Scopes[0])
	if err != nil {
		return nil, err
	}
	m.Add(p)
	return &Problem{m, []request.Scoped{{Part: p}}}, nil
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

// RootOf returns the root of a request, or -1.
func (p *Problem) RootOf(key cluster.RequestKey) int {
	for i := range p.Model.Demands {
		if _, r := p.Root(i); r.Key() == key {
			return i
		}
	}
	return -1
}

// Solve reads and solves the inputs and calls use with the outcome: a solution, or the error
// of the solver or of a refused scope. It does not call use if reading fails or the context
// ends. A panic on this goroutine becomes an *Internal that names doing.
func (e *Engine) Solve(ctx context.Context, in model.Inputs, doing string, use func(context.Context, *Problem, *solver.Solution, error) error) (err error) {
	if ctx.Err() != nil { // the rest of many calls then costs nothing
		return &result.Incomplete{Phase: "reading requests", Err: ctx.Err()}
	}
	defer pace.Recover(&err, doing, in.Subject)
	p, err := e.Read(ctx, in)
	if p == nil {
		return err
	}
	var solution *solver.Solution
	if err == nil {
		solution, err = p.Solve()
	}
	if err := p.Model.Pace.Ended(); err != nil {
		return err
	}
	return use(p.Model.Pace.Ctx, p, solution, err)
}

// Solve solves the problem. If it ended early, the Pace of the Model has the error.
func (p *Problem) Solve() (*solver.Solution, error) {
	return solver.Solve(p.Model.Pace.Ctx, p.Model, SolverOptions(p.Model.In.Options))
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
	return &Problem{&m, []request.Scoped{scope}}
}

// SolverOptions returns the limits of the solver.
func SolverOptions(o *policy.Options) solver.Options {
	return solver.Options{MaxLiterals: cmp.Or(o.MaxLiterals, 8<<20), MaxConflicts: o.MaxConflicts}
}
