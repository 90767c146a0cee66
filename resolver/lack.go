package resolver

import (
	"slices"

	"github.com/blang/semver/v4"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/constraints"
	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/resolver/result"
)

// lack explains why no bundle can meet an expression: what is missing, and what
// there is instead. The first fact is the cause.
func (p *problem) lack(e constraints.Expr) []*result.Explanation {
	switch e := e.(type) {
	case constraints.Package:
		return p.lackPackage(e)
	case constraints.GVK:
		return p.lackAPI(e)
	case constraints.Any:
		return p.lackEach(e.Exprs)
	case constraints.All:
		if len(e.Exprs) == 1 {
			return p.lack(e.Exprs[0])
		}
	}
	facts := []*result.Explanation{fact(p.missing(e))}
	if _, ok := e.(constraints.Label); !ok {
		facts = append(facts, p.ruleFailures(e)...)
	}
	return p.elsewhere(facts, e)
}

func (p *problem) lackEach(exprs []constraints.Expr) []*result.Explanation {
	var facts []*result.Explanation
	for _, e := range exprs {
		facts = append(facts, p.lack(e)...)
	}
	return facts
}

// missing says that no bundle has what a single expression requires.
func (p *problem) missing(e constraints.Expr) result.Reason {
	where := p.searched(p.everyCatalog())
	switch e := e.(type) {
	case constraints.Package:
		return p.missingVersion(e, p.look(e))
	case constraints.GVK:
		return p.missingAPI(e)
	case constraints.Label:
		return result.Reason{Kind: result.ReasonMissingLabel, Subject: e.Label, Detail: result.MissingLabel{Searched: where}}
	}
	_, rule := e.(constraints.CEL)
	return result.Reason{Kind: result.ReasonNoMatch, Subject: e.String(), Detail: result.NoMatch{Searched: where, Rule: rule}}
}

// searched says where something was looked for.
func (p *problem) searched(catalogs []int) result.Searched {
	where := result.Searched{Catalogs: make([]catalog.Key, len(catalogs))}
	for i, c := range catalogs {
		where.Catalogs[i] = p.universe.catalogs[c].key
	}
	if p.extension == nil {
		where.Namespace = p.namespace
	} else {
		where.Unselected = len(p.universe.catalogs) > 0
	}
	return where
}

// lackPackage explains why no bundle of a package is in range.
func (p *problem) lackPackage(e constraints.Package) []*result.Explanation {
	found := p.look(e)
	facts := []*result.Explanation{fact(p.missingVersion(e, found))}
	for _, b := range found.inRange {
		facts = append(facts, p.notOffered(b.catalog, b.id, false))
	}
	facts = append(facts, p.quarantineFacts(e.Name)...)
	return p.elsewhere(facts, e)
}

// missingVersion says that no bundle of a package is in range, or that there is no
// such package.
func (p *problem) missingVersion(e constraints.Package, found packageFound) result.Reason {
	out := result.Reason{Subject: e.Name, Package: e.Name}
	if len(found.catalogs) == 0 {
		missing := p.missingPackage(p.everyCatalog(), e.Name)
		out.Kind, out.Names, out.Detail = result.ReasonMissingPackage, missing.Nearest, missing
		return out
	}
	missing := result.MissingVersion{Range: e.Range, Versions: versionsOfBundles(found.bundles), InRange: versionsOfBundles(found.inRange)}
	for _, c := range found.catalogs {
		key := p.universe.catalogs[c].key
		p.note(key, e.Name)
		missing.Catalogs = append(missing.Catalogs, key)
	}
	for _, v := range missing.Versions {
		out.Names = append(out.Names, v.String())
	}
	out.Kind, out.Names, out.Detail = result.ReasonMissingVersion, distinct(out.Names), missing
	return out
}

// located is a bundle of a catalog.
type located struct {
	catalog int
	id      catalog.ID
	*catalog.Bundle
}

// versionsOfBundles are sorted.
func versionsOfBundles(list []located) []semver.Version {
	versions := make([]semver.Version, len(list))
	for i, b := range list {
		versions[i] = b.Version
	}
	slices.SortFunc(versions, semver.Version.Compare)
	return versions
}

// packageFound is what the catalogs have of a package that a constraint asks for.
type packageFound struct {
	catalogs []int
	bundles  []located
	inRange  []located
}

// look finds a package in all catalogs.
func (p *problem) look(e constraints.Package) packageFound {
	var found packageFound
	for c := range p.universe.catalogs {
		snapshot := p.universe.catalogs[c].snapshot
		pkg := snapshot.Package(e.Name)
		if pkg == nil {
			continue
		}
		p.step(1 + len(pkg.Bundles)/lookedAtOnce)
		found.catalogs = append(found.catalogs, c)
		for _, id := range pkg.Bundles {
			b := located{c, id, snapshot.Bundle(id)}
			found.bundles = append(found.bundles, b)
			if e.Range.Contains(b.Version) {
				found.inRange = append(found.inRange, b)
			}
		}
	}
	return found
}

// everyCatalog returns the indices of the catalogs.
func (p *problem) everyCatalog() []int {
	all := make([]int, len(p.universe.catalogs))
	for i := range all {
		all[i] = i
	}
	return all
}

// hasPackage reports whether a visible catalog has the package.
func (p *problem) hasPackage(name string) bool {
	return slices.ContainsFunc(p.universe.catalogs, func(c visibleCatalog) bool { return c.snapshot.Package(name) != nil })
}

// lackAPI explains why no bundle provides an API.
func (p *problem) lackAPI(e constraints.GVK) []*result.Explanation {
	var offers []*result.Explanation
	for c := range p.universe.catalogs {
		for _, id := range p.universe.catalogs[c].snapshot.Providers(e.GVK) {
			offers = append(offers, p.notOffered(c, id, true))
		}
	}
	facts := append([]*result.Explanation{fact(p.missingAPI(e))}, shorten(offers)...)
	return p.elsewhere(append(facts, p.lostFacts(e.GVK)...), e)
}

// missingAPI says that no bundle that a channel offers provides an API.
func (p *problem) missingAPI(e constraints.GVK) result.Reason {
	missing := result.MissingAPI{Searched: p.searched(p.everyCatalog())}
	for c := range p.universe.catalogs {
		snapshot := p.universe.catalogs[c].snapshot
		for _, id := range snapshot.Providers(e.GVK) {
			missing.NotOffered = append(missing.NotOffered, snapshot.Bundle(id).Name)
		}
		missing.Others = append(missing.Others, p.otherVersions(c, e.GVK)...)
	}
	missing.Others = distinct(missing.Others)
	out := result.Reason{Kind: result.ReasonMissingAPI, Subject: e.GVK.String(), API: e.GVK, Detail: missing}
	for _, other := range missing.Others {
		out.Names = append(out.Names, other.String())
	}
	return out
}

// lostFacts says which bundles would provide an API, were they not quarantined.
func (p *problem) lostFacts(api properties.GVK) []*result.Explanation {
	var facts []*result.Explanation
	for c := range p.universe.catalogs {
		catalog := &p.universe.catalogs[c]
		for _, lost := range catalog.snapshot.LostProviders() {
			if lost.API != api {
				continue
			}
			p.step(1)
			p.note(catalog.key, lost.Package)
			facts = append(facts, fact(result.Reason{
				Kind: result.ReasonQuarantined, Subject: lost.Bundle, Bundle: lost.Bundle, Package: lost.Package, Catalog: catalog.key, API: api,
				Detail: result.Quarantined{Fault: bundleFault(catalog.snapshot, lost)},
			}))
		}
	}
	return shorten(facts)
}

// bundleFault is the fault that quarantines a bundle, nil if there is none.
func bundleFault(s *catalog.Snapshot, lost catalog.LostProvider) error {
	for _, f := range s.Quarantined(lost.Package) {
		if f.Bundle == lost.Bundle {
			return f
		}
	}
	return nil
}

// otherVersions lists the versions of the kind that a catalog has, each with a
// package that provides it.
func (p *problem) otherVersions(c int, api properties.GVK) []result.OtherVersion {
	var list []result.OtherVersion
	looked := 0
	snapshot := p.universe.catalogs[c].snapshot
	for other := range snapshot.GVKs() {
		if looked++; looked%lookedAtOnce == 0 {
			p.step(1)
		}
		if other == api || kindOf(other) != kindOf(api) {
			continue
		}
		if ids := snapshot.Providers(other); len(ids) > 0 && int(ids[0]) < snapshot.Candidates() {
			pkg := snapshot.Bundle(ids[0]).Package
			p.note(p.universe.catalogs[c].key, pkg)
			list = append(list, result.OtherVersion{API: other, Package: pkg})
		}
	}
	return list
}

// maxFacts is how many facts of one sort are stated before the rest is counted.
const maxFacts = 4

// shorten keeps a screenful of facts.
func shorten(facts []*result.Explanation) []*result.Explanation {
	if len(facts) <= maxFacts {
		return facts
	}
	kept := slices.Clone(facts[:maxFacts])
	last := *kept[maxFacts-1]
	last.More = len(facts) - maxFacts
	kept[maxFacts-1] = &last
	return kept
}

// notOffered says why a bundle that would do is no candidate.
func (p *problem) notOffered(c int, id catalog.ID, provides bool) *result.Explanation {
	p.step(1)
	catalog := &p.universe.catalogs[c]
	b := catalog.snapshot.Bundle(id)
	p.note(catalog.key, b.Package)
	v := p.number(c, id)
	node := fact(bundleReason(p.model, result.ReasonNotOffered, v, result.NotOffered{Provides: provides, Why: unlisted(catalog.snapshot, b)}))
	node.Reason.Namespace = ""
	node.Bundles = []result.BundleRef{p.ref(v)}
	return node
}

// unlisted is why no channel offers a bundle.
func unlisted(snapshot *catalog.Snapshot, b *catalog.Bundle) result.Unlisted {
	var why result.Unlisted
	pkg := snapshot.Package(b.Package)
	if pkg == nil {
		return why
	}
	for _, channel := range preferredChannels(pkg) {
		e := channel.Entry(b.Name)
		switch {
		case e == nil:
		case channel.Fault == "" && e.Skipped:
			return result.Unlisted{Channel: channel.Name, Skipped: true}
		case channel.Fault != "", e.Depth < 0:
			why = result.Unlisted{Channel: channel.Name, Fault: channel.Fault}
		}
	}
	return why
}

// ruleFailures says how the rules of an expression failed, where they did.
func (p *problem) ruleFailures(e constraints.Expr) []*result.Explanation {
	for c := range p.universe.catalogs {
		catalog := &p.universe.catalogs[c]
		_, failed, err := catalog.snapshot.Matches(p.ctx, e, p.facts)
		if err != nil || len(failed) == 0 {
			continue
		}
		b := catalog.snapshot.Bundle(failed[0].ID)
		p.note(catalog.key, b.Package)
		return []*result.Explanation{fact(result.Reason{
			Kind: result.ReasonRuleFailed, Subject: b.Name, Bundle: b.Name, Package: b.Package, Catalog: catalog.key,
			Detail: result.RuleFailed{Err: failed[0].Err},
		})}
	}
	return nil
}

// quarantineFacts says which faults removed parts of a package.
func (p *problem) quarantineFacts(pkg string) []*result.Explanation {
	var facts []*result.Explanation
	for c := range p.universe.catalogs {
		catalog := &p.universe.catalogs[c]
		for _, f := range catalog.snapshot.Quarantined(pkg) {
			p.step(1)
			facts = append(facts, fact(result.Reason{
				Kind: result.ReasonQuarantined, Subject: pkg, Package: pkg, Bundle: f.Bundle, Catalog: catalog.key,
				Detail: result.Quarantined{Fault: f},
			}))
			p.note(catalog.key, pkg)
		}
	}
	return shorten(facts)
}

// note remembers that an explanation speaks of a package of a catalog, so that
// a saved problem keeps it.
func (p *problem) note(k catalog.Key, pkg string) {
	if p.notes == nil {
		p.notes = map[catalog.Key]map[string]bool{}
	}
	if p.notes[k] == nil {
		p.notes[k] = map[string]bool{}
	}
	p.notes[k][pkg] = true
}
