package explain

import (
	"fmt"
	"slices"
	"strings"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/resolver/internal/candidate"
	"github.com/resolvent/resolvent/resolver/internal/encode"
	"github.com/resolvent/resolvent/resolver/internal/missing"
	"github.com/resolvent/resolvent/resolver/policy"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/solver"
)

// Explain answers for every bundle that the name may mean; one that is selected
// answers for all.
func (s *Solved) Explain(name string) (*result.Explanation, error) {
	found := s.find(name)
	for k, sel := range s.Solution.Selected {
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
	return &result.Explanation{Text: notSelected(s.Part, name), Because: answers}, nil
}

// find returns the bundles that a name or PACKAGE@VERSION means.
func (s *Solved) find(name string) []solver.Var {
	pkg, version, byVersion := strings.Cut(name, "@")
	var found []solver.Var
	for i := range s.Part.Installed {
		b := &s.Part.Installed[i]
		if b.Name() == name || byVersion && slices.Contains(b.Packages, pkg) && b.Version.String() == version {
			found = append(found, s.Part.InstalledVar(i))
		}
	}
	for c := range s.Part.Universe.Catalogs {
		snapshot := s.Part.Universe.Catalogs[c].Snapshot
		ids := snapshot.Named(name)
		if offered := snapshot.Package(pkg); byVersion && offered != nil {
			for _, id := range offered.Bundles {
				if snapshot.Bundle(id).Version.String() == version {
					ids = append(slices.Clip(ids), id)
				}
			}
		}
		for _, id := range ids {
			v := s.Part.Number(c, id)
			if real, ok := s.Part.Aliases[v]; ok {
				v = real
			}
			found = append(found, v)
		}
	}
	return result.Distinct(found)
}

// notSelected heads the answer why a bundle is not selected.
func notSelected(p *encode.Part, name string) string {
	return result.Unbroken(name + " is not selected" + whereText(p))
}

// unknown answers for a name that no visible catalog has.
func (s *Solved) unknown(name string) (*result.Explanation, error) {
	pkg, version, byVersion := strings.Cut(name, "@")
	root := &result.Explanation{Text: notSelected(s.Part, name)}
	add := func(kind result.ReasonKind, k cache.Key, text string) {
		root.Because = append(root.Because, result.Leaf(result.Reason{Kind: kind, Subject: name, Bundle: name, Catalog: k, Message: text}, text, false))
	}
	for _, c := range missing.Uncounted(s.Part) {
		has := len(c.Snapshot.Named(name)) > 0
		if offered := c.Snapshot.Package(pkg); byVersion && offered != nil {
			has = slices.ContainsFunc(offered.Bundles, func(id cache.ID) bool { return c.Snapshot.Bundle(id).Version.String() == version })
		}
		if has {
			add(result.ReasonInvisible, c.Key, fmt.Sprintf("only catalog %s has it, but %s", c.Key, missing.UncountedText(s.Part, c.Key)))
		}
	}
	for _, c := range s.Part.Universe.Catalogs {
		for _, f := range c.Snapshot.Faults() {
			if f.Quarantines && f.Bundle == name {
				add(result.ReasonQuarantined, c.Key, fmt.Sprintf("catalog %s: left out for a fault: %s", c.Key, missing.ErrorDetail(f.WithoutFile())))
			}
		}
	}
	if len(root.Because) > 0 {
		return root, nil
	}
	return nil, &result.UnknownBundle{Bundle: name, Nearest: result.Nearest(name, s.Part.Stepping(s.bundleNames(pkg, byVersion)))}
}

// bundleNames yields the names that a user may have meant.
func (s *Solved) bundleNames(pkg string, byVersion bool) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for _, c := range s.Part.Universe.Catalogs {
			for offered := range c.Snapshot.Packages() {
				if byVersion && offered.Name != pkg {
					continue
				}
				for _, id := range offered.Bundles {
					b := c.Snapshot.Bundle(id)
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
func (s *Solved) whyNot(v solver.Var) (*result.Explanation, error) {
	for k, sel := range s.Solution.Selected {
		if sel.Leaf == nil {
			continue
		}
		at := slices.Index(slices.Concat(sel.Leaf.Candidates...), v)
		switch {
		case at < 0:
		case at < sel.Place:
			core, err := s.Refusal(k, v)
			if err != nil {
				return nil, err
			}
			return DeriveAsked(s.Model, core, v), nil
		default:
			return s.behind(v, sel, at), nil
		}
	}
	root := &result.Explanation{
		Text:    notSelected(s.Part, s.Part.NameOf(v)),
		Bundles: []result.BundleRef{s.Part.Ref(v)},
	}
	if b := s.Part.AsInstalled(v); b != nil {
		s.addReplacer(root, v)
	} else {
		s.addServed(root, v)
		s.addUnasked(root, v)
	}
	// It may be impossible anyhow, which is worth knowing.
	session, err := solver.NewSession(s.Ctx, s.Model, encode.SolverOptions(s.Model.Options), v)
	if err != nil {
		return nil, err
	}
	core, err := session.Core(s.Ctx, solver.Assume{Select: []solver.Var{v}})
	if err != nil {
		return nil, err
	}
	if core != nil {
		root.Because = append(root.Because, DeriveAsked(s.Model, core, v))
	}
	return root, nil
}

// behind says that another candidate was preferred.
func (s *Solved) behind(v solver.Var, sel solver.Selection, at int) *result.Explanation {
	obligation := s.obligation(sel)
	text := fmt.Sprintf("%s: %s, at place %d of its candidates, is preferred to %s, at place %d",
		obligation.Message, s.Part.NameOf(sel.Var), sel.Place+1, s.Part.NameOf(v), at+1)
	return &result.Explanation{
		Text:    notSelected(s.Part, s.Part.NameOf(v)),
		Bundles: []result.BundleRef{s.Part.Ref(v)},
		Because: []*result.Explanation{
			result.Leaf(result.Reason{Kind: result.ReasonPreferred, Subject: s.Part.NameOf(sel.Var), Bundle: s.Part.NameOf(sel.Var), Message: text}, text, false),
		},
	}
}

// addReplacer says what takes the place of an installed bundle.
func (s *Solved) addReplacer(root *result.Explanation, v solver.Var) {
	for _, sel := range s.Solution.Selected {
		if slices.Contains(s.Part.Excludes[sel.Var], v) {
			reason := bundleReason(s.Part, result.ReasonReplaces, sel.Var)
			reason.Message = fmt.Sprintf("%s takes the place of %s", reason.Bundle, s.Part.NameOf(v))
			root.Because = append(root.Because, result.Leaf(reason, reason.Message, false))
		}
	}
}

// addServed names obligations that the bundle could have met, and that were met
// without it.
func (s *Solved) addServed(root *result.Explanation, v solver.Var) {
	for i := range s.Part.Requests {
		r := &s.Part.Requests[i]
		if !slices.Contains(r.Candidates, v) {
			continue
		}
		for _, sel := range s.Solution.Selected {
			if slices.Contains(r.Candidates, sel.Var) {
				s.addMet(root, requestText(s.Part, r), sel.Var)
				break
			}
		}
	}
	for _, owner := range s.Solution.Selected {
		for i, rule := range s.Part.Rules(owner.Var) {
			if !candidate.Satisfies(rule.Formula, v) {
				continue
			}
			for _, sel := range s.Solution.Selected {
				if candidate.Satisfies(rule.Formula, sel.Var) {
					s.addMet(root, ReasonOf(s.Model, solver.Reason{Kind: solver.KindRule, Var: owner.Var, Rule: i}).Message, sel.Var)
					break
				}
			}
		}
	}
	root.Because = missing.Shorten(root.Because)
}

func (s *Solved) addMet(root *result.Explanation, obligation string, by solver.Var) {
	text := fmt.Sprintf("%s, which %s meets already", obligation, s.Part.NameOf(by))
	root.Because = append(root.Because, result.Leaf(result.Reason{Kind: result.ReasonPreferred, Subject: s.Part.NameOf(by), Bundle: s.Part.NameOf(by), Message: text}, text, false))
}

// addUnasked says why no obligation leads to a bundle.
func (s *Solved) addUnasked(root *result.Explanation, v solver.Var) {
	if len(root.Because) > 0 {
		return
	}
	b := s.Part.Ref(v)
	add := func(text string) {
		root.Because = append(root.Because, result.Leaf(result.Reason{Kind: result.ReasonUnasked, Subject: b.Name, Bundle: b.Name, Package: b.Package, Message: text}, text, false))
	}
	for i := range s.Part.Requests {
		if r := &s.Part.Requests[i]; r.PackageName() == b.Package {
			add(requestText(s.Part, r) + ", and " + unreachedText(s.Part, r, v))
		}
	}
	if len(root.Because) == 0 {
		add("no request, and nothing that is selected, asks for it")
	}
}

// unreachedText says why a request for a package does not reach one of its
// bundles.
func unreachedText(p *encode.Part, r *encode.Request, v solver.Var) string {
	c, id := p.Locate(v)
	catalog := &p.Universe.Catalogs[c]
	b := catalog.Snapshot.Bundle(id)
	if r.Extension != nil {
		return unofferedExtensionText(p, r, c, b)
	}
	s := r.Subscription
	update := r.Current >= 0
	pkg := catalog.Snapshot.Package(b.Package)
	switch {
	case p.Holds(r):
		return "so nothing else can be chosen"
	case s.Catalog != "" && !s.Names(catalog.Key) && (!update || p.Options.Updates == policy.UpdatesNamed):
		return fmt.Sprintf("%s is in catalog %s", b.Name, catalog.Key)
	case s.Channel != "" && (pkg.Channel(s.Channel) == nil || pkg.Channel(s.Channel).Entry(b.Name) == nil):
		return fmt.Sprintf("that channel does not list %s", b.Name)
	case !update && s.StartingCSV != "":
		return fmt.Sprintf("so %s is no candidate", b.Name)
	case update:
		return fmt.Sprintf("%s is no update of it: %s", b.Name, noUpdateText(p, r, pkg, b))
	}
	return fmt.Sprintf("%s is not offered: %s", b.Name, missing.UnofferedText(catalog.Snapshot, b))
}

// noUpdateText says why a bundle does not update what is installed.
func noUpdateText(p *encode.Part, r *encode.Request, pkg *cache.Package, b *cache.Bundle) string {
	cur := &p.Installed[r.Current]
	for _, c := range candidate.PreferredChannels(pkg) {
		e := c.Entry(b.Name)
		if e == nil || r.Subscription.Channel != "" && c.Name != r.Subscription.Channel {
			continue
		}
		if at := c.Entry(cur.Name()); at != nil && at.Depth >= 0 && e.Depth > at.Depth {
			return "it stands below it in channel " + c.Name
		}
		if e.Skipped {
			return "channel " + c.Name + " skips it"
		}
	}
	return "its entry neither replaces nor skips it, and has no skipRange that covers it; an update goes one step at a time"
}

// unofferedExtensionText says why a ClusterExtension does not reach a bundle.
func unofferedExtensionText(p *encode.Part, r *encode.Request, c int, b *cache.Bundle) string {
	catalog := &p.Universe.Catalogs[c]
	asked, err := encode.ReadExtension(r.Extension)
	switch {
	case err != nil || !slices.Contains(r.Looked, c):
		return fmt.Sprintf("its selector does not match catalog %s", catalog.Key)
	case !asked.Accepts(b.Version):
		return fmt.Sprintf("version %s is not in range", b.Version)
	case len(asked.Channels) > 0 && !encode.Lists(asked.AllowedChannels(catalog.Snapshot.Package(b.Package)), b.Name):
		return fmt.Sprintf("none of these channels lists %s", b.Name)
	case asked.Installed != nil && !asked.SelfCertified && !asked.Succeeds(asked.AllowedChannels(catalog.Snapshot.Package(b.Package)), b.Name):
		return fmt.Sprintf("%s is no successor of it", b.Name)
	}
	return fmt.Sprintf("another catalog than %s offers the best bundle", catalog.Key)
}
