package resolver

import (
	"slices"
	"strings"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/solver"
)

// explain answers for every bundle that the name may mean; one that is selected
// answers for all.
func (s *solved) explain(name string) (*result.Explanation, error) {
	found := s.find(name)
	for k, sel := range s.solution.Selected {
		if slices.Contains(found, sel.Var) {
			return s.chain(k), nil
		}
	}
	var answers []*result.Explanation
	for _, v := range found {
		e, err := s.whyNot(v)
		if err != nil {
			return nil, err
		}
		if !slices.ContainsFunc(answers, func(known *result.Explanation) bool { return known.String() == e.String() }) {
			answers = append(answers, e)
		}
	}
	switch len(answers) {
	case 0:
		return s.unknown(name)
	case 1:
		return answers[0], nil
	}
	root := s.notSelected(name)
	root.Because = answers
	return root, nil
}

// find returns the bundles that a name or PACKAGE@VERSION means.
func (s *solved) find(name string) []solver.Var {
	pkg, version, byVersion := strings.Cut(name, "@")
	var found []solver.Var
	for i := range s.p.installed {
		b := &s.p.installed[i]
		if b.name() == name || byVersion && slices.Contains(b.packages, pkg) && b.version.String() == version {
			found = append(found, s.p.installedVar(i))
		}
	}
	for c := range s.p.universe.catalogs {
		snapshot := s.p.universe.catalogs[c].snapshot
		ids := snapshot.Named(name)
		if offered := snapshot.Package(pkg); byVersion && offered != nil {
			for _, id := range offered.Bundles {
				if snapshot.Bundle(id).Version.String() == version {
					ids = append(slices.Clip(ids), id)
				}
			}
		}
		for _, id := range ids {
			v := s.p.number(c, id)
			if real, ok := s.p.aliases[v]; ok {
				v = real
			}
			found = append(found, v)
		}
	}
	return distinct(found)
}

// notSelected heads the answer why bundles are not selected.
func (s *solved) notSelected(name string, bundles ...result.BundleRef) *result.Explanation {
	head := result.Selected{Namespace: s.p.namespace, Extension: s.m.extension}
	return &result.Explanation{Reason: result.Reason{Kind: result.ReasonNotSelected, Subject: name, Detail: head}, Bundles: bundles}
}

// unknown answers for a name that no visible catalog has.
func (s *solved) unknown(name string) (*result.Explanation, error) {
	pkg, version, byVersion := strings.Cut(name, "@")
	root := s.notSelected(name)
	add := func(kind result.ReasonKind, k cache.Key, d result.Detail) {
		root.Because = append(root.Because, fact(result.Reason{Kind: kind, Subject: name, Bundle: name, Catalog: k, Detail: d}))
	}
	for _, c := range s.p.unseen() {
		has := len(c.Snapshot.Named(name)) > 0
		if offered := c.Snapshot.Package(pkg); byVersion && offered != nil {
			has = slices.ContainsFunc(offered.Bundles, func(id cache.ID) bool { return c.Snapshot.Bundle(id).Version.String() == version })
		}
		if has {
			add(result.ReasonInvisible, c.Key, result.Elsewhere{Why: s.p.uncounted(c.Key)})
		}
	}
	for _, c := range s.p.universe.catalogs {
		for _, f := range c.snapshot.Faults() {
			if f.Quarantines && f.Bundle == name {
				add(result.ReasonQuarantined, c.key, result.Quarantined{Fault: f.WithoutFile()})
			}
		}
	}
	if len(root.Because) > 0 {
		return root, nil
	}
	return nil, &result.UnknownBundle{Bundle: name, Nearest: nearest(name, s.p.stepping(s.bundleNames(pkg, byVersion)))}
}

// bundleNames yields the names that a user may have meant.
func (s *solved) bundleNames(pkg string, byVersion bool) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for _, c := range s.p.universe.catalogs {
			for offered := range c.snapshot.Packages() {
				if byVersion && offered.Name != pkg {
					continue
				}
				for _, id := range offered.Bundles {
					b := c.snapshot.Bundle(id)
					name := b.Name
					if byVersion {
						name = pkg + "@" + b.Version.String()
					}
					if !yield(name) {
						return
					}
				}
			}
		}
	}
}

// whyNot says why a known bundle is not selected. The first obligation that it
// is a candidate of decides: there it was not possible, or stood behind.
func (s *solved) whyNot(v solver.Var) (*result.Explanation, error) {
	for k, sel := range s.solution.Selected {
		if sel.Leaf == nil {
			continue
		}
		at := slices.Index(slices.Concat(sel.Leaf.Candidates...), v)
		switch {
		case at < 0:
		case at < sel.Place:
			core, err := s.refusal(k, v)
			if err != nil {
				return nil, err
			}
			return deriveAsked(s.m, core, v), nil
		default:
			return s.behind(v, sel, at), nil
		}
	}
	root := s.notSelected(s.p.nameOf(v), s.p.ref(v))
	if b := s.p.asInstalled(v); b != nil {
		s.addReplacer(root, v)
	} else {
		s.addServed(root, v)
		s.addUnasked(root, v)
	}
	// It may be impossible anyhow, which is worth knowing.
	session, err := solver.NewSession(s.ctx, s.m, solverOptions(s.m.options), v)
	if err != nil {
		return nil, err
	}
	core, err := session.Core(s.ctx, solver.Assume{Select: []solver.Var{v}})
	if err != nil {
		return nil, err
	}
	if core != nil {
		root.Because = append(root.Because, deriveAsked(s.m, core, v))
	}
	return root, nil
}

// behind says that another candidate was preferred.
func (s *solved) behind(v solver.Var, sel solver.Selection, at int) *result.Explanation {
	root := s.notSelected(s.p.nameOf(v), s.p.ref(v))
	root.Because = []*result.Explanation{s.preferred(sel.Var, result.Preferred{
		Obligation: s.obligation(sel), Place: sel.Place, Other: s.p.nameOf(v), OtherPlace: at,
	})}
	return root
}

// preferred states why a bundle is selected, and no other.
func (s *solved) preferred(v solver.Var, d result.Detail) *result.Explanation {
	name := s.p.nameOf(v)
	return fact(result.Reason{Kind: result.ReasonPreferred, Subject: name, Bundle: name, Detail: d})
}

// addReplacer says what takes the place of an installed bundle.
func (s *solved) addReplacer(root *result.Explanation, v solver.Var) {
	for _, sel := range s.solution.Selected {
		if slices.Contains(s.p.excludes[sel.Var], v) {
			d := result.TakesPlace{Replaced: []string{s.p.nameOf(v)}}
			root.Because = append(root.Because, fact(bundleReason(s.m, result.ReasonReplaces, sel.Var, d)))
		}
	}
}

// addServed names obligations that the bundle could have met, and that were met
// without it.
func (s *solved) addServed(root *result.Explanation, v solver.Var) {
	for i := range s.p.requests {
		r := &s.p.requests[i]
		if !slices.Contains(r.candidates, v) {
			continue
		}
		for _, sel := range s.solution.Selected {
			if slices.Contains(r.candidates, sel.Var) {
				root.Because = append(root.Because, s.preferred(sel.Var, result.MetBy{Obligation: bareRequest(s.p, r)}))
				break
			}
		}
	}
	for _, owner := range s.solution.Selected {
		for i, rule := range s.p.Rules(owner.Var) {
			if !meets(rule.Formula, v) {
				continue
			}
			for _, sel := range s.solution.Selected {
				if meets(rule.Formula, sel.Var) {
					obligation := reasonOf(s.m, solver.Reason{Kind: solver.KindRule, Var: owner.Var, Rule: i})
					root.Because = append(root.Because, s.preferred(sel.Var, result.MetBy{Obligation: obligation}))
					break
				}
			}
		}
	}
	root.Because = shorten(root.Because)
}

// addUnasked says why no obligation leads to a bundle.
func (s *solved) addUnasked(root *result.Explanation, v solver.Var) {
	if len(root.Because) > 0 {
		return
	}
	b := s.p.ref(v)
	add := func(d result.Detail) {
		root.Because = append(root.Because, fact(result.Reason{Kind: result.ReasonUnasked, Subject: b.Name, Bundle: b.Name, Package: b.Package, Detail: d}))
	}
	for i := range s.p.requests {
		if r := &s.p.requests[i]; r.packageName() == b.Package {
			add(result.Unreached{Request: s.p.requested(r), Why: notReached(s.p, r, v)})
		}
	}
	if len(root.Because) == 0 {
		add(nil)
	}
}

// notReached says why a request for a package does not lead to one of its
// bundles.
func notReached(p *problem, r *request, v solver.Var) result.NotReached {
	c, id := p.locate(v)
	catalog := &p.universe.catalogs[c]
	b := catalog.snapshot.Bundle(id)
	if r.extension != nil {
		return notReachedByExtension(p, r, c, b)
	}
	s := r.subscription
	update := r.current >= 0
	pkg := catalog.snapshot.Package(b.Package)
	switch {
	case update && p.installed[r.current].held() != nil:
		return result.NotReached{Kind: result.UpdatesHeld}
	case s.Catalog != "" && !s.names(catalog.key) && (!update || p.options.Updates == UpdatesNamed):
		return result.NotReached{Kind: result.OtherCatalog, Catalog: catalog.key}
	case s.Channel != "" && (pkg.Channel(s.Channel) == nil || pkg.Channel(s.Channel).Entry(b.Name) == nil):
		return result.NotReached{Kind: result.OtherChannel}
	case !update && s.StartingCSV != "":
		return result.NotReached{Kind: result.OtherStartingCSV}
	case update:
		return noUpdate(p, r, pkg, b)
	}
	return result.NotReached{Kind: result.NotListed, Unlisted: unlisted(catalog.snapshot, b)}
}

// noUpdate says why a bundle does not update what is installed.
func noUpdate(p *problem, r *request, pkg *cache.Package, b *cache.Bundle) result.NotReached {
	cur := &p.installed[r.current]
	for _, c := range preferredChannels(pkg) {
		e := c.Entry(b.Name)
		if e == nil || r.subscription.Channel != "" && c.Name != r.subscription.Channel {
			continue
		}
		if at := c.Entry(cur.name()); at != nil && at.Depth >= 0 && e.Depth > at.Depth {
			return result.NotReached{Kind: result.BelowInstalled, Channel: c.Name}
		}
		if e.Skipped {
			return result.NotReached{Kind: result.SkippedUpdate, Channel: c.Name}
		}
	}
	return result.NotReached{Kind: result.NoUpdate}
}

// notReachedByExtension says why a ClusterExtension does not lead to a bundle.
func notReachedByExtension(p *problem, r *request, c int, b *cache.Bundle) result.NotReached {
	catalog := &p.universe.catalogs[c]
	out := result.NotReached{Kind: result.BetterCatalog, Catalog: catalog.key, Version: b.Version.String()}
	asked, err := readExtension(r.extension)
	if err != nil || !slices.Contains(r.looked, c) {
		out.Kind = result.UnselectedCatalog
		return out
	}
	channels := asked.channels(catalog.snapshot.Package(b.Package))
	switch {
	case !asked.accepts(b.Version):
		out.Kind = result.OutOfRange
	case len(asked.Channels) > 0 && !lists(channels, b.Name):
		out.Kind = result.OtherChannels
	case asked.Installed != nil && !asked.SelfCertified && !asked.succeeds(channels, b.Name):
		out.Kind = result.NotSuccessor
	}
	return out
}
