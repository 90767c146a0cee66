package fix

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"github.com/blang/semver/v4"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/constraints"
	"github.com/resolvent/resolvent/constraints/versionrange"
	"github.com/resolvent/resolvent/resolver/internal/explain"
	"github.com/resolvent/resolvent/resolver/internal/inventory"
	"github.com/resolvent/resolvent/resolver/internal/model"
	"github.com/resolvent/resolvent/resolver/internal/request"
	"github.com/resolvent/resolvent/resolver/internal/words"
	"github.com/resolvent/resolvent/resolver/internal/world"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/solver"
)

// question is what a failed problem lacks, and the problem that has to hold.
type question struct {
	problem *world.Problem
	core    []solver.Reason
	wanted  model.Restricted
	// limited is set if a solution was not looked for to the end.
	limited bool
}

// Find returns the changes that only others can make and with which a problem holds of which a
// minimal core is known. wanted is all that has to hold. limited reports whether the work limit
// of the solver ended a try.
func Find(p *world.Problem, core []solver.Reason, wanted model.Restricted) (list []result.Other, limited bool) {
	q := &question{problem: p, core: core, wanted: wanted}
	for _, r := range core {
		if r.Kind != solver.KindRoot || r.Rule < 0 {
			continue
		}
		part, req := p.Root(r.Rule)
		if f := req.Fault; f != nil && f.Kind == request.FaultPackage && nowhere(explain.FaultFacts(part, req)) {
			list = append(list, result.Other{Kind: result.OtherCatalog, Constraints: []string{"package " + req.PackageName()}})
		}
		list = append(list, faulty(part, req)...)
	}
	for _, v := range q.owners() {
		o, ok := q.ask(v, false)
		if ok && (o.Kind == result.OtherCatalog || !q.pinned(v)) {
			list = append(list, o)
		}
		if ok && o.Kind == result.OtherCatalog && !q.pinned(v) { // rarely is one version alone meant
			if o, ok := q.ask(v, true); ok && o.Kind == result.OtherPublisher {
				list = append(list, o)
			}
		}
	}
	return list, q.limited
}

// faulty returns what the publisher of a package must repair where a catalog's faults leave a request without
// candidates.
func faulty(p *model.Part, r *request.Request) []result.Other {
	if r.Fault == nil || r.Fault.Kind != request.FaultChannelOrder && r.Fault.Kind != request.FaultNoBundles {
		return nil
	}
	var channels []string
	quarantined := false
	for c, pkg := range p.Packages(r.Fault.Catalogs, r.PackageName()) {
		quarantined = quarantined || len(p.Catalogs[c].Snapshot.Quarantined(pkg.Name)) > 0
		for _, channel := range model.ChannelsNamed(pkg, r.Stated(p, r).Channels) {
			if channel.Fault != "" {
				channels = append(channels, channel.Name)
			}
		}
	}
	if r.Fault.Kind == request.FaultNoBundles {
		channels = nil
	}
	if len(channels) == 0 && !quarantined {
		return nil
	}
	return []result.Other{{Kind: result.OtherFaulty, Bundle: catalog.BundleKey{Package: r.PackageName()}, Constraints: words.Distinct(channels)}}
}

// Update returns what the publisher of a package would have to add where no channel updates what a
// request has installed, unless a fix without a risk leads on.
func Update(p *model.Part, r *request.Request, list []result.Fix) []result.Other {
	end := explain.DeadEnd(p, r)
	otherwise := slices.ContainsFunc(explain.Update(p, r), func(why result.Reason) bool { // than that the channel skips the update
		entry, ok := why.Args().Err.(*result.Unlisted)
		return !ok || !entry.Skipped
	})
	if len(end) == 0 || otherwise || len(list) > 0 && list[0].Class <= result.ClassGivesUp {
		return nil
	}
	current := &p.Installed[r.Current]
	if len(r.UpdatesOf(p, current.Name(), current.Version)) > 0 {
		return nil // its operator holds it
	}
	o := result.Other{Kind: result.OtherUpdate, Bundle: catalog.BundleKey{Package: r.PackageName(), Name: current.Name()}, Accepts: []string{current.Version.String()}}
	if channel := end[0].Args().Channel; channel != "" {
		o.Constraints = []string{channel}
	}
	return []result.Other{o}
}

// platforms are the codes of rules about the version of the cluster.
var platforms = map[words.Code]string{words.OpenShift: "OpenShift", words.Lifecycle: "OpenShift", words.Kubernetes: "Kubernetes"}

// owners returns the bundles of catalogs whose constraints are in the core, of each package
// the newest. Without any it returns what requests have installed: a next version could differ.
func (q *question) owners() []solver.Var {
	managed := map[*model.InstalledBundle]bool{}
	for i := range q.problem.Model.Demands {
		if p, r := q.problem.Root(i); r.Current >= 0 {
			managed[&p.Installed[r.Current]] = true
		}
	}
	list := q.ownersAmong(func(b *model.InstalledBundle) bool { return b == nil })
	if len(list) == 0 {
		list = q.ownersAmong(func(b *model.InstalledBundle) bool { return managed[b] })
	}
	return list
}

// ownersAmong returns the newest owners of which that is so, given what is installed.
func (q *question) ownersAmong(counts func(*model.InstalledBundle) bool) []solver.Var {
	var list []solver.Var
	for _, r := range q.core {
		if r.Kind != solver.KindRule || !counts(q.problem.Model.Of(r.Var).AsInstalled(r.Var)) {
			continue
		}
		p, o := q.problem.Model.OriginOf(r.Var, r.Rule)
		if o.Code != words.Requires && platforms[o.Code] == "" {
			continue
		}
		at := slices.IndexFunc(list, func(v solver.Var) bool {
			return q.problem.Model.Of(v) == p && p.Ref(v).Bundle.Package == p.Ref(r.Var).Bundle.Package
		})
		if at < 0 {
			list = append(list, r.Var)
		} else if versionIn(p, r.Var).GT(versionIn(p, list[at])) {
			list[at] = r.Var
		}
	}
	return list
}

// pinned reports whether a request asks for one bundle alone, by its name or version. Then no
// other version of its publisher helps.
func (q *question) pinned(v solver.Var) bool {
	return slices.ContainsFunc(q.core, func(reason solver.Reason) bool {
		if reason.Kind != solver.KindRoot || reason.Rule < 0 {
			return false
		}
		part, r := q.problem.Root(reason.Rule)
		return slices.Contains(r.List.Candidates, v) && slices.ContainsFunc(r.Edits(part, r, true), func(e request.Edit) bool {
			from, _ := e.Steps[0].From.(string)
			_, err := semver.Parse(from)
			return e.Kind == request.EditStart && from != "" || e.Kind == request.EditVersion && err == nil
		})
	})
}

// ask finds the smallest change of one bundle's constraints with which the goal is reached. All
// changed constraints are of one kind. A requirement is widened, never dropped. That of one version alone, which
// no catalog has, is widened if exact is set, else a catalog is to have it.
func (q *question) ask(v solver.Var, exact bool) (other result.Other, ok bool) {
	p := q.problem.Model.Of(v)
	try := q.wanted
	try.Instead = map[solver.Reason]solver.Formula{}
	var needed []solver.Reason
	for i, rule := range q.problem.Model.Rules(v) {
		if _, o := q.problem.Model.OriginOf(v, i); o.Code == words.Requires || platforms[o.Code] != "" {
			r := solver.Reason{Kind: solver.KindRule, Var: v, Rule: i}
			needed, try.Instead[r] = append(needed, r), &solver.Or{Parts: []solver.Formula{model.Always, rule.Formula}}
		}
	}
	if q.solved(try) == nil {
		return other, false
	}
	needed = slices.DeleteFunc(needed, func(r solver.Reason) bool {
		dropped := try.Instead[r]
		delete(try.Instead, r)
		if q.solved(try) != nil {
			return true
		}
		try.Instead[r] = dropped
		return false
	})
	other.Bundle = p.Ref(v).Bundle
	for _, r := range needed {
		_, o := q.problem.Model.OriginOf(v, r.Rule)
		kind := result.OtherPublisher
		if platform := platforms[o.Code]; platform != "" {
			kind, other.Accepts = result.OtherPlatform, append(other.Accepts, platform)
		} else if e := p.ConstraintOf(o).Expr; !(exact && ofOneVersion(e)) && nowhere(explain.Find(p, e)) {
			kind, other.Constraints = result.OtherCatalog, append(other.Constraints, e.String())
		} else if rule, _ := constraints.Reads(e); rule && slices.ContainsFunc(explain.RuleFailure(p, e), func(e *result.Explanation) bool { return e.Reason.Code() == words.RuleNeverHolds }) {
			kind, other.Constraints = result.OtherAuthor, append(other.Constraints, e.String())
		} else if not, is := e.(constraints.Not); is && len(not.Exprs) == 1 {
			other.Accepts = append(other.Accepts, not.Exprs[0].String())
		} else if e, accepts := q.widen(r, e, try); accepts != "" {
			other.Constraints, other.Accepts = append(other.Constraints, e.String()), append(other.Accepts, accepts)
		} else {
			return other, false
		}
		if other.Kind != "" && other.Kind != kind {
			return other, false
		}
		other.Kind = kind
	}
	return other, other.Kind != ""
}

// ofOneVersion reports whether a requirement is one version of a package.
func ofOneVersion(e constraints.Expr) bool {
	of, is := e.(constraints.Package)
	return is && of.Range.Exact() != ""
}

// nowhere reports whether the facts state that no catalog has anything like what is missing,
// and a catalog could have it.
func nowhere(facts []*result.Explanation) bool {
	absent := []words.Code{words.NoPackage, words.MissingPackage, words.MissingVersion, words.MissingAPI, words.MissingLabel, words.NoMatch}
	return !slices.ContainsFunc(facts, func(e *result.Explanation) bool {
		args := e.Reason.Args()
		return !slices.Contains(absent, e.Reason.Code()) || len(args.Bundles) > 0 || e.Reason.Code() == words.NoPackage && len(args.Names) > 0
	})
}

// widen returns a constraint that accepts one thing more, with which the problem holds, and that
// thing, empty if there is none.
func (q *question) widen(r solver.Reason, e constraints.Expr, try model.Restricted) (with constraints.Expr, accepts string) {
	switch required := e.(type) {
	case constraints.Package:
		e, accepts = q.otherVersion(r, required, try)
	case constraints.GVK:
		solution := q.solved(try)
		for i := 0; solution != nil && i < len(solution.Selected) && accepts == ""; i++ {
			v := solution.Selected[i].Var
			for _, api := range q.problem.Model.Of(v).PropertiesOf(v).GVKs() {
				if api != required.GVK && inventory.KindOf(api) == inventory.KindOf(required.GVK) {
					e, accepts = constraints.Any{Exprs: []constraints.Expr{required, constraints.GVK{GVK: api}}}, api.Describe()
				}
			}
		}
	}
	if accepts == "" {
		return e, ""
	}
	if try.Instead[r] = q.problem.Model.Of(r.Var).FormulaOf(r.Var, e); q.solved(try) == nil {
		return e, ""
	}
	return e, accepts
}

// otherVersion finds the excluded version closest to an end of a range, on a tie the newer,
// with which the problem holds. It returns the constraint that accepts it as well.
func (q *question) otherVersion(r solver.Reason, required constraints.Package, try model.Restricted) (with constraints.Expr, accepts string) {
	p := q.problem.Model.Of(r.Var)
	versions := p.Universe.VersionsOf(required.Name)
	left := slices.DeleteFunc(slices.Clone(versions), required.Range.Contains)
	for i := range p.Installed {
		if v := p.Installed[i].Version; p.Installed[i].PackageName() == required.Name && !required.Range.Contains(v) {
			left = append(left, v)
		}
	}
	apart := func(v semver.Version) int {
		least := len(versions)
		for _, end := range required.Range.Samples()[1:] { // the first is the least of all
			least = min(least, request.Apart(versions, v, end))
		}
		return least
	}
	slices.SortFunc(left, func(v, w semver.Version) int { return cmp.Or(cmp.Compare(apart(v), apart(w)), w.Compare(v)) })
	text, wider := required.Range.Text(), required
	for len(left) > 0 { // each solution uses one, then only those that are closer may be
		var err error
		if wider.Range, err = versionrange.Parse(text + " || " + strings.Join(words.Texts(left), " || ")); err != nil {
			break
		}
		try.Instead[r] = p.FormulaOf(r.Var, wider)
		at, solution := -1, q.solved(try)
		for i := 0; solution != nil && i < len(solution.Selected); i++ {
			v := solution.Selected[i].Var
			if stated, ok := q.problem.Model.Of(v).PropertiesOf(v).Package(); ok && stated.Name == required.Name {
				at = max(at, slices.IndexFunc(left, stated.Version.EQ))
			}
		}
		if at < 0 {
			break
		}
		accepts, left = left[at].String(), left[:at]
	}
	if accepts == "" {
		return required, ""
	}
	required.Range, _ = versionrange.Parse(text + " || " + accepts)
	return required, required.Name + " " + accepts
}

// solved solves a problem that differs from the one that failed. It returns nil without a solution.
func (q *question) solved(problem model.Restricted) *solver.Solution {
	solution, err := q.problem.Satisfy(problem)
	if err != nil {
		_, ended := errors.AsType[*solver.Incomplete](err)
		q.limited = q.limited || ended
		return nil
	}
	return solution
}
