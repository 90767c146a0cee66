// Package fix finds the minimal sets of changes with which a failed problem reaches its goal.
// It tries sets breadth first: it applies each to an overlay of the cluster's index and
// solves the result. Where that fails, a minimal core tells which edits come next, because a
// set that helps changes a member of each core. A set that helps is reduced to what it needs.
//
// A set that gives up the last request of a namespace is an exception: it helps without a
// change of any core, because nothing is resolved there then. Such changes are sought among
// the members of the core only.
//
// For a failure no set is missing, within the limits. For a Goal that an answer has to reach,
// a set may be missing: one that installs something anew and changes another object as well.
//
// What only others than an administrator can change is solved for as well: a catalog that
// would have what none has, and the smallest change of one bundle's constraints, to ask its
// publisher for.
//
// The files in their order: groups.go and goal.go say what is searched for, node.go tries a set,
// edits.go proposes the next changes, judge.go adds what speaks against a set, order.go says which
// fix is first and which are listed. later.go is for a sequence with a wait, others.go for what others
// can change, uncovered.go for causes that only a fix shows, alone.go and stands.go for other packages'
// questions whether one change helps.
package fix

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"sync"

	"github.com/blang/semver/v4"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/cause"
	"github.com/resolvent/resolvent/resolver/internal/explain"
	"github.com/resolvent/resolvent/resolver/internal/inventory"
	"github.com/resolvent/resolvent/resolver/internal/model"
	"github.com/resolvent/resolvent/resolver/internal/pace"
	"github.com/resolvent/resolvent/resolver/internal/request"
	"github.com/resolvent/resolvent/resolver/internal/words"
	"github.com/resolvent/resolvent/resolver/internal/world"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/solver"
)

// search finds the fixes of one group, or of a goal.
type search struct {
	ctx context.Context
	// given is the problem as it is. in is the same without what waits in other groups.
	given *world.Try
	in    world.World
	group int
	// goal is what an answer has to reach. Nil means that any answer will do that leads own on: the
	// requests that fail.
	goal Goal
	own  []cluster.RequestKey
	// budget is the number of resolutions that searches for paths may still take.
	budget int
	// scope has the objects of all cores so far. Most tries that fail do so without the
	// demands of other objects.
	scope map[result.Object]bool
	// joining is set if fixes of groups are tried as one.
	joining bool
	// all is set if every value is tried, not only the closest ones.
	all   bool
	tries int
	// waiting are the requests that are left out, in the order of all.
	waiting []cluster.RequestKey
	// failed are the first tries that have a core.
	failed  []*node
	limited bool
	// reached is set if the goal is reached once other groups are left out.
	reached bool
	found   []proposal
	// passed are the sets that were not tried, as closer ones of the same fields are known.
	passed  [][]request.Edit
	options []result.Fix
	// exceptions are those from policies with which the goal is reached.
	exceptions []result.Other
}

// Search finds the fixes of a problem with known causes. They begin with the one that joins
// the first fixes of all groups, if there are several; the others follow by class. The returned causes are additional
// ones: each states what a change of a fix is for, where no known cause does. Groups of which one
// of the causes told rests on what a catalog may have whose content was not given get no fixes.
func Search(given *world.Try, sorted *cause.Sorted, told ...result.Cause) (help result.Help, causes []result.Cause) {
	if sorted == nil { // it is refused
		if keys := notGiven(given); len(keys) > 0 && slices.ContainsFunc(given.Problem.Model.Parts, func(p *model.Part) bool { return errors.As(p.Refused, new(*result.Ambiguous)) }) {
			return result.Help{Home: given.Problem.Home(), NotGiven: keys, Search: result.SearchComplete}, nil
		}
		return searchGoal(given, nil)
	}
	g := &groups{given: given, sorted: sorted, told: told}
	if help = whole(given, g.search); help.Search == result.SearchCanceled {
		return help, nil
	}
	return help, g.causes
}

// SearchGoal finds the fixes with which a problem of one scope, which has an answer, reaches a
// goal. why are derivations of what is in the way; if one rests on what a catalog may have whose
// content was not given, there are no fixes.
func SearchGoal(given *world.Try, g Goal, why ...*result.Explanation) result.Help {
	if keys := notGiven(given); len(keys) > 0 && slices.ContainsFunc(why, (*result.Explanation).Lacks) {
		return result.Help{Home: given.Problem.Home(), NotGiven: keys, Search: result.SearchComplete}
	}
	help, _ := searchGoal(given, g)
	if keys := notGiven(given); len(keys) > 0 && slices.ContainsFunc(why, (*result.Explanation).Elsewhere) {
		help.Elsewhere = keys
	}
	return help
}

// others returns the changes that only others can make and with which the goal is reached: as
// things are, or else after a change of one field of a request.
func (s *search) others() []result.Other {
	if len(s.exceptions) > 0 {
		return s.exceptions
	}
	for _, n := range s.failed {
		list, limited := Find(n.try.Problem, n.core, everything(n.try.Problem, n.wanted).problem)
		s.limited = s.limited || limited
		if len(n.edits) > 0 { // nobody asks for a repair of what the request does not name
			list = slices.DeleteFunc(list, func(o result.Other) bool { return o.Kind == result.OtherFaulty })
		}
		if len(list) > 0 {
			return words.Mapped(list, func(o result.Other) result.Other {
				o.After = changesOf(n.edits)
				return o
			})
		}
	}
	return nil
}

// notGiven returns the catalogs of the cluster that a problem sees without their content.
func notGiven(given *world.Try) (keys []catalog.Key) {
	for _, p := range given.Problem.Model.Parts {
		keys = append(keys, p.Visibility.NotGiven...)
	}
	return words.Distinct(keys)
}

// searchGoal is [SearchGoal]. The causes are as those of [Search].
func searchGoal(given *world.Try, g Goal) (help result.Help, causes []result.Cause) {
	help = whole(given, func() result.Help {
		s := newSearch(given)
		s.goal = g
		s.run()
		wait, remains := s.unhealthy()
		listed := s.listed()
		if g == nil {
			for _, u := range s.uncovered(listed, sync.OnceValue(func() map[string]bool { return map[string]bool{} })) {
				causes = append(causes, u.told())
			}
			if !slices.ContainsFunc(listed, func(c proposal) bool { return c.fix.Class <= result.ClassWidens }) {
				causes = behind(s.try(nil))
			}
		}
		help := result.Help{Fixes: listOf(listed), Wait: wait, Remains: remains, Options: s.options, Others: s.others(), Search: end(s.limited)}
		if len(wait) == 1 {
			help.Repair = inventory.Restricting(given.In.Cluster, wait[0], remains)
		}
		return help
	})
	if help.Search == result.SearchCanceled {
		causes = nil
	}
	return help, causes
}

func newSearch(given *world.Try) *search {
	return &search{ctx: given.Ctx(), given: given, in: given.World, scope: map[result.Object]bool{}, budget: given.In.Options.Budget()}
}

// whole runs a search. If its context has ended, it returns nothing but that: how far the
// search came is a matter of luck.
func whole(given *world.Try, search func() result.Help) (help result.Help) {
	defer func() {
		if given.Ctx().Err() != nil {
			help = result.Help{Search: result.SearchCanceled}
		}
		help.Home = given.Problem.Home()
	}()
	defer pace.Unwind()
	help = search()
	help.Fixes = slices.DeleteFunc(help.Fixes, func(f result.Fix) bool {
		return f.FailsForward() && len(f.Then.Updates)+len(f.Then.Installs) == 0 // there is nothing to move on to
	})
	return help
}

// unhealthy returns the catalogs that cause the given problem to be refused and may become
// healthy, those of which nothing but the content is missing left out. It also returns what
// fails once they are healthy, if all contents are known.
func (s *search) unhealthy() (list []result.Object, remains string) {
	healthy := *s
	known := true
	for _, p := range s.given.Problem.Model.Parts {
		refused, ok := errors.AsType[*result.CatalogsUnhealthy](p.Refused)
		for i := 0; ok && i < len(refused.Catalogs); i++ {
			c := &refused.Catalogs[i]
			of := s.in.In.View.Catalog(c.Key)
			known = known && of != nil && of.Err == nil && of.Snapshot != nil
			if !errors.Is(c.Err, words.ErrNoContent) {
				list = append(list, objectOfCatalog(c.Key))
			}
		}
	}
	if len(list) == 0 || !known {
		return words.Distinct(list), ""
	}
	healthy.in = s.in.On(s.in.In.Cluster.WithObjects(func(o *cluster.Objects) {
		o.CatalogSources = words.Mapped(o.CatalogSources, func(c cluster.CatalogSource) cluster.CatalogSource {
			c.HasStatus = c.HasStatus && !slices.Contains(list, objectOfCatalog(c.Key))
			return c
		})
		o.ClusterCatalogs = words.Mapped(o.ClusterCatalogs, func(c cluster.ClusterCatalog) cluster.ClusterCatalog {
			c.NotServing = c.NotServing && !slices.Contains(list, objectOfCatalog(catalog.Key{Name: c.Name}))
			return c
		})
	}))
	n := healthy.try(nil)
	fails := n.err
	if n.core != nil {
		if sorted, err := cause.Find(n.try.Problem, n.core); err == nil {
			fails = explain.Explain(n.try.Problem, sorted.Causes[0])
		}
	}
	if fails != nil {
		remains = fails.Error()
	}
	return words.Distinct(list), remains
}

func end(limited bool) result.Search {
	if limited {
		return result.SearchLimit
	}
	return result.SearchComplete
}

// listOf returns the fixes of proposals, each once.
func listOf(list []proposal) (all []result.Fix) {
	seen := map[string]bool{}
	for i := range list {
		if key := setKey(list[i].edits); !seen[key] {
			seen[key] = true
			list[i].node.s.follow(&list[i])
			all = append(all, list[i].fix)
		}
	}
	return all
}

// Every has all minimal fixes of one goal, the listed ones, the requests that wait for others, and
// those that fail.
type Every struct {
	Waiting, Own  []string
	Fixes, Listed []result.Fix
	Uncovered     []Uncovered
}

// SearchEvery finds, for tests, all fixes of each group that can be mended by itself, and
// again the listed ones.
func SearchEvery(given *world.Try, sorted *cause.Sorted) []Every {
	var list []Every
	sets, base := goals(sorted)
	for i, set := range sets {
		if base && i > 0 {
			break
		}
		var every Every
		limited, reached := false, false
		for _, all := range []bool{true, false} {
			s := newSearch(given)
			s.group, s.all = set[0], all
			waiting := s.leaveOut(sorted, set)
			s.run()
			reached = s.reached
			every.Own = words.Mapped(s.own, func(k cluster.RequestKey) string { return k.Name })
			if limited = limited || s.limited; all {
				every.Fixes = listOf(s.found)
				for o := range waiting {
					every.Waiting = append(every.Waiting, o.Name)
				}
				continue
			}
			listed := s.listed()
			every.Listed, every.Uncovered = listOf(listed), s.uncovered(listed, sync.OnceValue(func() map[string]bool { return stated(given.Problem, sorted) }))
		}
		base = base && !reached
		if !limited && !reached {
			list = append(list, every)
		}
	}
	return list
}

// SearchEveryOf finds all fixes of a goal, for tests. No limit has ended the search if it is
// whole.
func SearchEveryOf(given *world.Try, g Goal) (list []result.Fix, whole bool) {
	s := newSearch(given)
	s.goal, s.all = g, true
	s.run()
	return words.Mapped(s.found, func(c proposal) result.Fix { return c.fix }), !s.limited
}

// goals returns the sets of groups to search fixes for, each by itself. base is true if
// installed bundles contradict each other; their set is the first.
func goals(sorted *cause.Sorted) (sets [][]int, base bool) {
	seen := map[int]bool{}
	var installed []int
	for _, c := range sorted.Causes {
		if len(c.Requests) == 0 && !seen[c.Group] {
			installed, seen[c.Group] = append(installed, c.Group), true
		}
	}
	if len(installed) > 0 {
		sets = append(sets, installed)
	}
	for _, c := range sorted.Causes {
		if !seen[c.Group] {
			sets, seen[c.Group] = append(sets, []int{c.Group}), true
		}
	}
	return sets, len(installed) > 0
}

// leaveOut leaves out the requests that wait in other groups, and returns them.
func (s *search) leaveOut(sorted *cause.Sorted, groups []int) map[result.Object]bool {
	fails := map[int]bool{}
	for _, c := range sorted.Causes {
		for _, root := range c.Requests {
			fails[root] = fails[root] || slices.Contains(groups, c.Group)
		}
	}
	waiting := map[result.Object]bool{}
	for root := range s.given.Problem.Model.Demands {
		mine, blocked := fails[root]
		_, r := s.given.Problem.Root(root)
		if mine {
			s.own = append(s.own, r.Key())
		} else if blocked {
			waiting[objectOf(r.Key())] = true
			s.waiting = append(s.waiting, r.Key())
		}
	}
	s.in = s.in.Without(func(sub cluster.Subscription) bool { return waiting[objectOf(sub.Key())] })
	return waiting
}

// start applies edits before the search begins, and reports whether they apply.
func (s *search) start(edits []request.Edit) bool {
	w, err := s.in.Apply(stepsOf(edits))
	if err == nil {
		s.in = w
	}
	return err == nil
}

// join tries first fixes of groups as one.
func (s *search) join(firsts [][]request.Edit) *proposal {
	s.joining = true
	seen := map[string]bool{}
	var all []request.Edit
	for _, edits := range firsts {
		for _, e := range edits {
			if !seen[e.Key()] && e.Kind != request.EditRights { // what all need is granted at once
				seen[e.Key()] = true
				all = append(all, e)
			}
		}
	}
	sortEdits(all)
	moves := slices.DeleteFunc(slices.Clone(all), func(e request.Edit) bool { return e.Kind != request.EditMove })
	if len(moves) > 1 {
		return nil
	}
	n := s.try(all)
	if at := slices.IndexFunc(n.more, func(e request.Edit) bool { return e.Kind == request.EditRights }); at >= 0 {
		all = append(all, n.more[at])
		sortEdits(all)
		n = s.try(all)
	}
	if !n.solved {
		return nil
	}
	c := s.proposalOf(s.reduced(n)) // what mends one group may mend another one
	if c.never || removesUnknown(s.given.Problem, &c.fix) {
		return nil
	}
	return &c
}

// settle states what a set that helps leads to with the requests that wait for others, if
// it helps these as well. It returns false if less is enough then: the groups of these
// others have that.
func (s *search) settle(c *proposal) bool {
	if len(s.waiting) == 0 {
		return true
	}
	whole := newSearch(s.given)
	whole.group, whole.joining, whole.own = s.group, true, s.own
	n := whole.try(c.edits)
	if !n.solved {
		return true
	}
	*c = whole.proposalOf(n)
	return !c.never && whole.reduced(n) == n
}

// run finds all minimal sets of edits of at most maxChanges objects.
func (s *search) run() {
	seen, failed := map[string]bool{}, map[string]*node{}
	if s.reached = len(s.in.In.Scopes) == 0; s.reached {
		return // all requests wait for other groups
	}
	for level := [][]request.Edit{nil}; len(level) > 0; {
		var next [][]request.Edit
		for _, at := range level {
			if s.tries >= maxTries || s.ctx.Err() != nil {
				s.limited = true
				return
			}
			if slices.ContainsFunc(s.found, func(c proposal) bool { return within(c.edits, at) }) {
				continue
			}
			if !s.all && s.enough(at) {
				s.passed = append(s.passed, at)
				continue
			}
			alike := s.alikeKey(at)
			n := failed[alike]
			if n == nil {
				n = s.try(at)
			} else {
				s.tries++
			}
			if n.solved && len(at) == 0 {
				s.reached = true
				return
			}
			if n.solved {
				s.add(s.reduced(n))
				continue
			}
			if n.core != nil && len(s.failed) < maxFailed && (len(at) == 0 || len(at) == 1 && at[0].Kind <= request.EditName) {
				s.failed = append(s.failed, n)
			}
			if n.try.Problem == nil || n.err != nil && !n.try.Refused {
				continue
			}
			if failed[alike] == nil {
				failed[alike], n.branches = n, s.branches(n)
			}
			for _, more := range n.branches {
				edits := append(slices.Clone(at), more)
				sortEdits(edits)
				if key := setKey(edits); !seen[key] {
					seen[key] = true
					next = append(next, edits)
				}
			}
		}
		level = next
	}
}

// reduced leaves out the changes that a set does not need. There are some where one gives up
// the last request, which helps without a change of any core.
func (s *search) reduced(n *node) *node {
	for _, o := range n.objects {
		others := slices.DeleteFunc(slices.Clone(n.edits), func(e request.Edit) bool { return e.Object == o })
		if len(others) == 0 || len(others) == len(n.edits) {
			continue
		}
		if without := s.try(others); without.solved {
			return s.reduced(without)
		}
	}
	return n
}

// add adds a set that helps, or a part of it that was passed and does. An option of the caller
// helps alone, or not at all.
func (s *search) add(n *node) {
	var less *node
	s.passed = slices.DeleteFunc(s.passed, func(part []request.Edit) bool {
		if less != nil || len(part) == len(n.edits) || !within(part, n.edits) {
			return false
		}
		if tried := s.try(part); tried.solved {
			less = s.reduced(tried)
		}
		return true
	})
	n = cmp.Or(less, n)
	if slices.ContainsFunc(s.found, func(c proposal) bool { return within(c.edits, n.edits) }) {
		return
	}
	c := s.proposalOf(n)
	switch {
	case n.option() && n.edits[0].Other != nil:
		s.exceptions = append(s.exceptions, *n.edits[0].Other)
		return
	case n.option():
		s.options = append(s.options, c.fix)
		return
	}
	s.found = append(s.found, c)
}

// branches lists the edits that touch the core of what remains.
func (s *search) branches(n *node) []request.Edit {
	var q *query
	if !n.try.Refused && !n.free {
		q = s.query(n)
	}
	var list []request.Edit
	seen := map[string]bool{}
	hopeful := map[result.Object]bool{}
	edits := [][]request.Edit{n.more, n.refusalEdits()}
	for _, r := range n.core {
		edits = append(edits, n.editsOf(r))
	}
	for _, of := range edits {
		for _, e := range of {
			key := e.Key()
			if goal, ok := s.goal.(interface {
				excludes(*node, *request.Edit) bool
			}); ok && goal.excludes(n, &e) {
				continue
			}
			if seen[key] || n.has(e.Object, e.Kind) || e.Kind == request.EditOption && len(n.edits) > 0 || n.option() {
				continue
			}
			seen[key] = true
			objects := slices.Clone(n.objects)
			if !n.changes(e.Object) {
				objects = append(objects, e.Object)
			}
			if len(objects) > maxChanges {
				continue
			}
			if q != nil && !e.Reaches && e.Kind != request.EditOption && !n.last(&e) {
				ok, known := hopeful[e.Object]
				if !known {
					slices.SortFunc(objects, compareObjects)
					ok = q.hopeful(objects, maxChanges-len(objects))
					hopeful[e.Object] = ok
				}
				if !ok {
					continue
				}
			}
			list = append(list, e)
		}
	}
	list = newestExceptions(list)
	if !s.all {
		s.expect(n, list)
	}
	return list
}

// newestExceptions leaves out exceptions from policies but those for the newest bundles.
func newestExceptions(list []request.Edit) []request.Edit {
	var newest []*semver.Version
	for i := range list {
		if list[i].Other != nil {
			newest = append(newest, list[i].Version)
		}
	}
	if len(newest) <= maxClosest {
		return list
	}
	slices.SortFunc(newest, func(a, b *semver.Version) int { return b.Compare(*a) })
	return slices.DeleteFunc(list, func(e request.Edit) bool { return e.Other != nil && e.Version.LT(*newest[maxClosest-1]) })
}

// option reports whether the set changes an option of the caller.
func (n *node) option() bool {
	return slices.ContainsFunc(n.edits, func(e request.Edit) bool { return e.Kind == request.EditOption })
}

// last reports whether an edit gives up or moves the only Subscription, after which nothing
// is resolved.
func (n *node) last(e *request.Edit) bool {
	return (e.Kind == request.EditGiveUp || e.Kind == request.EditMove) && len(n.try.In.Scopes) == 1 &&
		len(n.try.In.Cluster.In(n.try.In.Scopes[0].Namespace()).Subscriptions) == 1
}

func setKey(edits []request.Edit) string {
	keys := make([]string, len(edits))
	for i := range edits {
		keys[i] = edits[i].Key()
	}
	return strings.Join(keys, "\n")
}

// within reports whether all edits of a are in b.
func within(a, b []request.Edit) bool {
	return !slices.ContainsFunc(a, func(x request.Edit) bool {
		return !slices.ContainsFunc(b, func(y request.Edit) bool { return x.Key() == y.Key() })
	})
}

// query finds the cores that remain without some objects, with one solver session.
type query struct {
	n       *node
	part    part
	session *solver.Session
	roots   map[result.Object][]int
	given   map[result.Object][]solver.Var
	// known has the cores by the objects that they remain without, which are in order.
	known map[[maxChanges]result.Object][]solver.Reason
}

func (s *search) query(n *node) *query {
	q := &query{n: n, part: s.restrict(n, n.wanted), roots: map[result.Object][]int{}, given: map[result.Object][]solver.Var{}, known: map[[maxChanges]result.Object][]solver.Reason{{}: n.core}}
	for at, i := range q.part.index {
		if i < 0 {
			continue
		}
		p, r := n.try.Problem.Root(i)
		o := objectOf(r.Key())
		q.roots[o] = append(q.roots[o], at)
		if r.Current >= 0 && p.Installed[r.Current].Held() != nil {
			o := result.Object{Kind: words.ObjectCondition, Namespace: p.Namespace, Name: p.Installed[r.Current].Name()}
			q.roots[o] = append(q.roots[o], at)
		}
	}
	for _, v := range q.part.problem.Stay {
		if o, ok := n.object(solver.Reason{Kind: solver.KindGiven, Var: v}); ok {
			q.given[o] = append(q.given[o], v)
		}
	}
	return q
}

// core returns a core that remains without the objects, nil if there is none.
func (q *query) core(objects []result.Object) []solver.Reason {
	key := [maxChanges]result.Object{}
	copy(key[:], objects)
	var a solver.Assume
	for _, o := range objects {
		a.WithoutRoots = append(a.WithoutRoots, q.roots[o]...)
		a.WithoutGiven = append(a.WithoutGiven, q.given[o]...)
	}
	if core, ok := q.known[key]; ok {
		return core
	}
	ok, err := q.satisfiable(a)
	var core []solver.Reason
	if err == nil && !ok {
		core, err = q.session.Core(q.n.s.ctx, a)
		core = q.part.numbered(core)
	}
	q.n.s.limited = q.n.s.limited || err != nil
	q.known[key] = core
	return core
}

// satisfiable asks the session, which it opens once something is left to ask.
func (q *query) satisfiable(a solver.Assume) (ok bool, err error) {
	if len(words.Distinct(a.WithoutRoots)) == len(q.part.index) && len(words.Distinct(a.WithoutGiven)) == len(q.part.problem.Stay) {
		return true, nil
	}
	if q.session == nil {
		if q.session, err = solver.NewSession(q.n.s.ctx, q.part.problem, q.n.try.Problem.Options()); err != nil {
			return false, err
		}
	}
	return q.session.Satisfiable(q.n.s.ctx, a)
}

// free reports whether an edit that q does not drop may change a member of a core.
func (q *query) free(r solver.Reason) bool {
	return r.Kind == solver.KindRule && len(q.n.updating(r)) == 0 && len(q.n.editsOf(r)) > 0
}

// hopeful reports whether changing the objects and more others may help. It cannot if the rest
// contradicts itself even without all that they demand.
func (q *query) hopeful(objects []result.Object, more int) bool {
	core := q.core(objects)
	if core == nil {
		return true
	}
	for _, r := range core {
		if r.Kind == solver.KindRule && slices.ContainsFunc(q.n.touched(r), func(o result.Object) bool { return slices.Contains(objects, o) }) {
			return true // what is left out makes the rule
		}
	}
	if more == 0 {
		return slices.ContainsFunc(core, q.free) && slices.ContainsFunc(objects, func(o result.Object) bool {
			return o.Kind == words.ObjectOperatorGroup || o.Kind == words.ObjectCSV && q.given[o] == nil
		})
	}
	for _, r := range core {
		if q.free(r) {
			return true
		}
		for _, o := range q.n.touched(r) {
			if slices.Contains(objects, o) {
				continue
			}
			with := append(slices.Clone(objects), o)
			slices.SortFunc(with, compareObjects)
			if q.hopeful(with, more-1) {
				return true
			}
		}
	}
	return false
}
