package resolver

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/solver"
)

// Limits of the search for fixes. A try costs about as much as a resolution.
const (
	maxFixes    = 5
	maxTries    = 40
	maxTogether = 4 // changes that one fix may be made of
	// maxDeletions is how many requests and bundles the very last resort deletes:
	// a longer list is no advice.
	maxDeletions = 6
)

// inputs are what a resolution depends on. They are changed by copying.
type inputs struct {
	// A namespace, several that are resolved jointly, or an extension.
	namespace  string
	namespaces []string
	extension  string

	cluster *Cluster
	view    *cache.View
	options *Options
	// visible are catalogs that namespaces see beside those that they would.
	visible []sight
}

// sight is that a namespace sees a catalog.
type sight struct {
	namespace string
	catalog   catalog.Key
}

// change is a change of the inputs that may help.
type change struct {
	fix Fix
	// size ranks changes: the smaller, the less it asks of people.
	size  int
	apply func(in *inputs)
}

// fixer looks for changes with which a failed problem can be resolved.
type fixer struct {
	r     *Resolver
	ctx   context.Context
	in    inputs
	tries int
}

// outcome is what a try came to.
type outcome struct {
	solved bool
	w      whole
	core   []solver.Reason
}

// try resolves changed inputs. ok is false if nothing can be told: the inputs
// cannot be read, or the context ended. The core of a failure is left out
// unless it is asked for, as it costs most of the time.
func (f *fixer) try(in inputs, core bool) (o outcome, ok bool) {
	ctx, stop := context.WithCancel(f.ctx)
	defer stop()
	w, err := f.r.read(ctx, stop, in)
	if err != nil || ended(w) != nil {
		return outcome{}, false
	}
	options := in.options.solver()
	options.NoCore = !core
	_, err = solver.Solve(ctx, w, options)
	if ended(w) != nil {
		return outcome{}, false
	}
	if unsatisfiable := (*solver.Unsatisfiable)(nil); errors.As(err, &unsatisfiable) {
		// The problem is still asked for texts, so it must not look like one
		// whose context has ended.
		for _, p := range w.problems() {
			p.ctx, p.stop = f.ctx, func() {}
		}
		return outcome{w: w, core: unsatisfiable.Core}, true
	}
	return outcome{solved: err == nil, w: w}, err == nil
}

// read makes the problem of the inputs.
func (r *Resolver) read(ctx context.Context, stop context.CancelFunc, in inputs) (whole, error) {
	if in.namespaces != nil {
		return r.changed(in).readJoint(ctx, stop, in.namespaces, in.cluster, in.view)
	}
	p, err := r.readOne(ctx, stop, in)
	if err != nil {
		return nil, err
	}
	return p, nil
}

// readOne makes the problem of the one namespace or extension of the inputs.
func (r *Resolver) readOne(ctx context.Context, stop context.CancelFunc, in inputs) (*problem, error) {
	if in.extension != "" {
		return r.changed(in).extensionProblem(ctx, stop, in.extension, in.cluster, in.view)
	}
	return r.changed(in).namespaceProblem(ctx, stop, in.namespace, in.cluster, in.view)
}

// changed returns a Resolver with the options of the inputs; what is remembered
// is shared.
func (r *Resolver) changed(in inputs) *Resolver {
	changed := *r
	changed.options, changed.alsoVisible = *in.options, in.visible
	return &changed
}

// fixer returns a search for changes of what the problem was read from.
func (r *Resolver) fixer(ctx context.Context, w whole) *fixer {
	p := w.problems()[0]
	in := inputs{namespace: p.namespace, cluster: p.cluster, view: p.view, options: p.options}
	if p.extension != nil {
		in.extension = p.extension.Name
	}
	if p.among() {
		for _, p := range w.problems() {
			in.namespaces = append(in.namespaces, p.namespace)
		}
	}
	return &fixer{r: r, ctx: ctx, in: in}
}

// dropAll is the last resort: to delete all requests that block the others.
func (f *fixer) dropAll(w whole, blocking []Served) []Fix {
	var all []change
	in := f.in
	for i := range w.Roots() {
		p, r, _ := w.root(i)
		if !slices.Contains(blocking, p.named(r)) {
			continue
		}
		c := p.dropSubscription(r)
		c.apply(&in)
		all = append(all, c)
	}
	if o, ok := f.try(in, false); !ok || !o.solved || len(all) == 0 {
		return nil
	}
	return []Fix{combined(all)}
}

// search returns changes that were tried and help, the smallest first: every
// single one that is known, or else the first combination, which begins with a
// change that removes this failure only to uncover another one.
func (f *fixer) search(w whole, core []solver.Reason) []Fix {
	in := f.in
	var found []Fix
	var open []change
	for _, c := range changes(w, core) {
		if len(found) == maxFixes || !f.spend() {
			break
		}
		after := in
		c.apply(&after)
		switch o, ok := f.try(after, false); {
		case !ok:
		case o.solved:
			found = append(found, c.fix)
		default:
			open = append(open, c)
		}
	}
	if len(found) > 0 {
		return found // a single change is always smaller
	}
	for _, c := range open {
		if !f.spend() {
			break
		}
		after := in
		c.apply(&after)
		o, ok := f.try(after, true)
		if !ok || o.solved || !c.progresses(w, core, o) {
			continue
		}
		if fix, ok := f.complete(c.fix, after, o); ok {
			return []Fix{fix}
		}
	}
	return nil
}

// spend reports whether another try is allowed.
func (f *fixer) spend() bool {
	f.tries++
	return f.tries <= maxTries && f.ctx.Err() == nil
}

// progresses reports whether a failure that remains after a change is worth
// following: it is another one, or less is left to fail.
func (c *change) progresses(w whole, core []solver.Reason, o outcome) bool {
	return c.fix.Kind == FixDrop || c.fix.Kind == FixDeleteCSV || !overlap(w, core, o)
}

// overlap reports whether a failure still has a request of the first one in
// its core.
func overlap(w whole, core []solver.Reason, o outcome) bool {
	demands := func(w whole, core []solver.Reason) []string {
		var list []string
		for _, r := range core {
			switch r.Kind {
			case solver.KindRoot:
				p, asked, _ := w.root(r.Rule)
				name := "request " + p.named(asked).Namespace + "/" + asked.served().name()
				if asked.extension != nil && asked.fault != nil {
					// What it names is looked for in turn: package, channel, version.
					name += fmt.Sprintf(" %d", asked.fault.kind)
				}
				list = append(list, name)
			case solver.KindGiven:
				list = append(list, "installed "+nameOf(w, r.Var))
			}
		}
		return list
	}
	first := demands(w, core)
	return slices.ContainsFunc(demands(o.w, o.core), func(d string) bool { return slices.Contains(first, d) })
}

// complete adds further changes until everything can be resolved.
func (f *fixer) complete(fix Fix, in inputs, o outcome) (Fix, bool) {
	for range maxTogether - 1 {
		progress := false
		for _, c := range changes(o.w, o.core) {
			if !f.spend() {
				return Fix{}, false
			}
			after := in
			c.apply(&after)
			next, ok := f.try(after, true)
			if !ok || !next.solved && !c.progresses(o.w, o.core, next) {
				continue
			}
			fix.More = append(slices.Clip(fix.More), c.fix)
			fix.Text += ", and " + c.fix.Text
			if next.solved {
				return fix, true
			}
			in, o, progress = after, next, true
			break
		}
		if !progress {
			return Fix{}, false
		}
	}
	return Fix{}, false
}

// changes lists what may remove a core, the smallest changes first and each
// once.
func changes(w whole, core []solver.Reason) []change {
	var list []change
	for _, r := range core {
		switch r.Kind {
		case solver.KindRoot:
			if p, asked, _ := w.root(r.Rule); asked.extension != nil {
				list = append(list, p.extensionChanges(asked)...)
			} else {
				list = append(list, p.subscriptionChanges(asked)...)
			}
		case solver.KindGiven:
			p, v := w.of(r.Var)
			list = append(list, p.deleteInstalled(v))
		case solver.KindRule:
			p, o := originOf(w, r.Var, r.Rule)
			list = append(list, p.ruleChanges(o)...)
		}
	}
	slices.SortStableFunc(list, func(a, b change) int { return cmp.Compare(a.size, b.size) })
	seen := map[string]bool{}
	return slices.DeleteFunc(list, func(c change) bool {
		key := strings.Join([]string{string(c.fix.Kind), c.fix.Namespace, c.fix.Subject, c.fix.Value}, "\x00")
		known := seen[key]
		seen[key] = true
		return known
	})
}
