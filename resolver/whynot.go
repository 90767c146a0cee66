package resolver

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/solver"
)

// explainBundle says why a bundle is, or is not, in the answer.
func (r *Resolver) explainBundle(ctx context.Context, in inputs, bundle string) (e *Explanation, err error) {
	err = r.ask(ctx, in, func(s *solved) error {
		e, err = s.explain(bundle)
		return err
	})
	return e, err
}

// explain answers for every bundle that the name may mean; one that is selected
// answers for all.
func (s *solved) explain(name string) (*Explanation, error) {
	found := s.find(name)
	for k, sel := range s.solution.Selected {
		if slices.Contains(found, sel.Var) {
			return s.chain(k), nil
		}
	}
	var answers []*Explanation
	for _, v := range found {
		e, err := s.whyNot(v)
		if err != nil {
			return nil, err
		}
		if !slices.ContainsFunc(answers, func(known *Explanation) bool { return known.String() == e.String() }) {
			answers = append(answers, e)
		}
	}
	switch len(answers) {
	case 0:
		return s.unknown(name)
	case 1:
		return answers[0], nil
	}
	return &Explanation{Text: s.p.notSelected(name), Because: answers}, nil
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
			v := s.p.universe.number(c, id)
			if real, ok := s.p.aliases[v]; ok {
				v = real
			}
			found = append(found, v)
		}
	}
	return distinct(found)
}

// notSelected heads the answer why a bundle is not selected.
func (p *problem) notSelected(name string) string {
	return unbroken(name + " is not selected" + p.whereText())
}

// unknown answers for a name that no visible catalog has.
func (s *solved) unknown(name string) (*Explanation, error) {
	pkg, version, byVersion := strings.Cut(name, "@")
	root := &Explanation{Text: s.p.notSelected(name)}
	add := func(kind ReasonKind, k catalog.Key, text string) {
		root.Because = append(root.Because, leaf(Reason{Kind: kind, Subject: name, Bundle: name, Catalog: k, Message: text}, text, false))
	}
	for _, c := range s.p.unseen() {
		has := len(c.Snapshot.Named(name)) > 0
		if offered := c.Snapshot.Package(pkg); byVersion && offered != nil {
			has = slices.ContainsFunc(offered.Bundles, func(id catalog.ID) bool { return c.Snapshot.Bundle(id).Version.String() == version })
		}
		if has {
			add(ReasonInvisible, c.Key, fmt.Sprintf("only catalog %s has it, but %s", c.Key, s.p.unseenText(c.Key)))
		}
	}
	for _, c := range s.p.universe.catalogs {
		for _, f := range c.snapshot.Faults() {
			if f.Quarantines && f.Bundle == name {
				add(ReasonQuarantined, c.key, fmt.Sprintf("catalog %s: left out for a fault: %s", c.key, errorDetail(f.WithoutFile())))
			}
		}
	}
	if len(root.Because) > 0 {
		return root, nil
	}
	return nil, &UnknownBundle{Bundle: name, Nearest: nearest(name, s.p.stepping(s.bundleNames(pkg, byVersion)))}
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
func (s *solved) whyNot(v solver.Var) (*Explanation, error) {
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
			return deriveAsked(s.p, core, v), nil
		default:
			return s.behind(v, sel, at), nil
		}
	}
	root := &Explanation{
		Text:    s.p.notSelected(s.p.nameOf(v)),
		Bundles: []BundleRef{s.p.ref(v)},
	}
	if b := s.p.asInstalled(v); b != nil {
		s.addReplacer(root, v)
	} else {
		s.addServed(root, v)
		s.addUnasked(root, v)
	}
	// It may be impossible anyhow, which is worth knowing.
	session, err := solver.NewSession(s.ctx, s.p, s.p.solverOptions(), v)
	if err != nil {
		return nil, err
	}
	core, err := session.Core(s.ctx, solver.Assume{Select: []solver.Var{v}})
	if err != nil {
		return nil, err
	}
	if core != nil {
		root.Because = append(root.Because, deriveAsked(s.p, core, v))
	}
	return root, nil
}

// behind says that another candidate was preferred.
func (s *solved) behind(v solver.Var, sel solver.Selection, at int) *Explanation {
	obligation := s.obligation(sel)
	text := fmt.Sprintf("%s: %s, at place %d of its candidates, is preferred to %s, at place %d",
		obligation.Message, s.p.nameOf(sel.Var), sel.Place+1, s.p.nameOf(v), at+1)
	return &Explanation{
		Text:    s.p.notSelected(s.p.nameOf(v)),
		Bundles: []BundleRef{s.p.ref(v)},
		Because: []*Explanation{
			leaf(Reason{Kind: ReasonPreferred, Subject: s.p.nameOf(sel.Var), Bundle: s.p.nameOf(sel.Var), Message: text}, text, false),
		},
	}
}

// addReplacer says what takes the place of an installed bundle.
func (s *solved) addReplacer(root *Explanation, v solver.Var) {
	for _, sel := range s.solution.Selected {
		if slices.Contains(s.p.excludes[sel.Var], v) {
			reason := s.p.bundleReason(ReasonReplaces, sel.Var)
			reason.Message = fmt.Sprintf("%s takes the place of %s", reason.Bundle, s.p.nameOf(v))
			root.Because = append(root.Because, leaf(reason, reason.Message, false))
		}
	}
}

// addServed names obligations that the bundle could have met, and that were met
// without it.
func (s *solved) addServed(root *Explanation, v solver.Var) {
	for i := range s.p.requests {
		r := &s.p.requests[i]
		if !slices.Contains(r.candidates, v) {
			continue
		}
		for _, sel := range s.solution.Selected {
			if slices.Contains(r.candidates, sel.Var) {
				s.addMet(root, s.p.requestText(r), sel.Var)
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
					s.addMet(root, reasonOf(s.p, solver.Reason{Kind: solver.KindRule, Var: owner.Var, Rule: i}).Message, sel.Var)
					break
				}
			}
		}
	}
	root.Because = shorten(root.Because)
}

func (s *solved) addMet(root *Explanation, obligation string, by solver.Var) {
	text := fmt.Sprintf("%s, which %s meets already", obligation, s.p.nameOf(by))
	root.Because = append(root.Because, leaf(Reason{Kind: ReasonPreferred, Subject: s.p.nameOf(by), Bundle: s.p.nameOf(by), Message: text}, text, false))
}

// addUnasked says why no obligation leads to a bundle.
func (s *solved) addUnasked(root *Explanation, v solver.Var) {
	if len(root.Because) > 0 {
		return
	}
	b := s.p.ref(v)
	add := func(text string) {
		root.Because = append(root.Because, leaf(Reason{Kind: ReasonUnasked, Subject: b.Name, Bundle: b.Name, Package: b.Package, Message: text}, text, false))
	}
	for i := range s.p.requests {
		if r := &s.p.requests[i]; r.packageName() == b.Package {
			add(s.p.requestText(r) + ", and " + s.p.unreachedText(r, v))
		}
	}
	if len(root.Because) == 0 {
		add("no request, and nothing that is selected, asks for it")
	}
}

// unreachedText says why a request for a package does not reach one of its
// bundles.
func (p *problem) unreachedText(r *request, v solver.Var) string {
	c, id := p.universe.locate(v)
	catalog := &p.universe.catalogs[c]
	b := catalog.snapshot.Bundle(id)
	if r.extension != nil {
		return p.unofferedExtensionText(r, c, b)
	}
	s := r.subscription
	update := r.current >= 0
	pkg := catalog.snapshot.Package(b.Package)
	switch {
	case p.holds(r):
		return "so nothing else can be chosen"
	case s.Catalog != "" && !s.names(catalog.key) && (!update || p.options.Updates == UpdatesNamed):
		return fmt.Sprintf("%s is in catalog %s", b.Name, catalog.key)
	case s.Channel != "" && (pkg.Channel(s.Channel) == nil || pkg.Channel(s.Channel).Entry(b.Name) == nil):
		return fmt.Sprintf("that channel does not list %s", b.Name)
	case !update && s.StartingCSV != "":
		return fmt.Sprintf("so %s is no candidate", b.Name)
	case update:
		return fmt.Sprintf("%s is no update of it: %s", b.Name, p.noUpdateText(r, pkg, b))
	}
	return fmt.Sprintf("%s is not offered: %s", b.Name, unofferedText(catalog.snapshot, b))
}

// noUpdateText says why a bundle does not update what is installed.
func (p *problem) noUpdateText(r *request, pkg *catalog.Package, b *catalog.Bundle) string {
	cur := &p.installed[r.current]
	for _, c := range preferredChannels(pkg) {
		e := c.Entry(b.Name)
		if e == nil || r.subscription.Channel != "" && c.Name != r.subscription.Channel {
			continue
		}
		if at := c.Entry(cur.name()); at != nil && at.Depth >= 0 && e.Depth > at.Depth {
			return "it stands below it in channel " + c.Name
		}
		if e.Skipped {
			return "channel " + c.Name + " skips it"
		}
	}
	return "its entry neither replaces nor skips it, and has no skipRange that covers it; an update goes one step at a time"
}

// unofferedExtensionText says why a ClusterExtension does not reach a bundle.
func (p *problem) unofferedExtensionText(r *request, c int, b *catalog.Bundle) string {
	catalog := &p.universe.catalogs[c]
	asked, err := readExtension(r.extension)
	switch {
	case err != nil || !slices.Contains(r.looked, c):
		return fmt.Sprintf("its selector does not match catalog %s", catalog.key)
	case !asked.accepts(b.Version):
		return fmt.Sprintf("version %s is not in range", b.Version)
	case len(asked.Channels) > 0 && !lists(asked.channels(catalog.snapshot.Package(b.Package)), b.Name):
		return fmt.Sprintf("none of these channels lists %s", b.Name)
	case asked.Installed != nil && !asked.SelfCertified && !asked.succeeds(asked.channels(catalog.snapshot.Package(b.Package)), b.Name):
		return fmt.Sprintf("%s is no successor of it", b.Name)
	}
	return fmt.Sprintf("another catalog than %s offers the best bundle", catalog.key)
}
