// Package missing finds why nothing satisfies a constraint or a request: what no
// catalog has, what there is instead, and where it is. Explanations, warnings and
// checks of catalogs all ask here.
package missing

import (
	"slices"

	"github.com/blang/semver/v4"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/constraints"
	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/resolver/internal/candidate"
	"github.com/resolvent/resolvent/resolver/internal/encode"
	"github.com/resolvent/resolvent/resolver/internal/pace"
	"github.com/resolvent/resolvent/resolver/result"
)

// Find explains why no bundle can meet an expression: what is missing, and what
// there is instead. The first fact is the cause.
func Find(p *encode.Part, e constraints.Expr) []*result.Explanation {
	switch e := e.(type) {
	case constraints.Package:
		return lackPackage(p, e)
	case constraints.GVK:
		return lackAPI(p, e)
	case constraints.Any:
		return lackEach(p, e.Exprs)
	case constraints.All:
		if len(e.Exprs) == 1 {
			return Find(p, e.Exprs[0])
		}
	}
	facts := append([]*result.Explanation{encode.Fact(Missing(p, e))}, Shorten(unoffered(p, matching(p, e), result.FitMatch))...)
	if _, ok := e.(constraints.Label); !ok {
		facts = append(facts, ruleFailures(p, e)...)
	}
	return elsewhere(p, facts, e)
}

func lackEach(p *encode.Part, exprs []constraints.Expr) []*result.Explanation {
	var facts []*result.Explanation
	for _, e := range exprs {
		facts = append(facts, Find(p, e)...)
	}
	return facts
}

// Missing says that no bundle has what a single expression requires.
func Missing(p *encode.Part, e constraints.Expr) result.Reason {
	switch e := e.(type) {
	case constraints.Package:
		return MissingVersion(p, e, FindPackage(p, e))
	case constraints.GVK:
		return missingAPI(p, e)
	}
	none := result.NoMatch{Searched: searched(p, EveryCatalog(p))}
	for _, b := range matching(p, e) {
		none.NotOffered = append(none.NotOffered, b.Name)
	}
	if label, ok := e.(constraints.Label); ok {
		return result.Reason{Kind: result.ReasonMissingLabel, Subject: label.Label, Detail: none}
	}
	_, none.Rule = e.(constraints.CEL)
	return result.Reason{Kind: result.ReasonNoMatch, Subject: e.String(), Detail: none}
}

// matching returns the bundles of all catalogs that satisfy an expression by
// themselves.
func matching(p *encode.Part, e constraints.Expr) []located {
	var list []located
	for c := range p.Universe.Catalogs {
		snapshot := p.Universe.Catalogs[c].Snapshot
		ids, _, _ := snapshot.Matches(p.Ctx, e, p.Facts) // the solver sees that the context ends
		for _, id := range ids {
			list = append(list, located{c, id, snapshot.Bundle(id)})
		}
	}
	return list
}

// searched says where something was looked for.
func searched(p *encode.Part, catalogs []int) result.Searched {
	where := result.Searched{Catalogs: make([]catalog.Key, len(catalogs))}
	for i, c := range catalogs {
		where.Catalogs[i] = p.Universe.Catalogs[c].Key
	}
	if !p.ClusterWide() {
		where.Namespace = p.Namespace
	} else {
		where.Unselected = len(p.Universe.Catalogs) > 0
	}
	return where
}

// lackPackage explains why no bundle of a package is in range.
func lackPackage(p *encode.Part, e constraints.Package) []*result.Explanation {
	found := FindPackage(p, e)
	facts := append([]*result.Explanation{encode.Fact(MissingVersion(p, e, found))}, unoffered(p, found.inRange, result.FitRange)...)
	facts = append(facts, quarantineFacts(p, e.Name)...)
	return elsewhere(p, facts, e)
}

// MissingVersion says that no bundle of a package is in range, or that there is no
// such package.
func MissingVersion(p *encode.Part, e constraints.Package, found packageFound) result.Reason {
	out := result.Reason{Subject: e.Name, Package: e.Name}
	if len(found.Catalogs) == 0 {
		missing := missingPackage(p, EveryCatalog(p), e.Name)
		out.Kind, out.Names, out.Detail = result.ReasonMissingPackage, missing.Nearest, missing
		return out
	}
	missing := result.MissingVersion{Range: e.Range, Versions: versionsOfBundles(found.bundles), InRange: versionsOfBundles(found.inRange)}
	for _, c := range found.Catalogs {
		key := p.Universe.Catalogs[c].Key
		note(p, key, e.Name)
		missing.Catalogs = append(missing.Catalogs, key)
	}
	for _, v := range missing.Versions {
		out.Names = append(out.Names, v.String())
	}
	out.Kind, out.Names, out.Detail = result.ReasonMissingVersion, candidate.Distinct(out.Names), missing
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
	Catalogs []int
	bundles  []located
	inRange  []located
}

// FindPackage finds a package in all catalogs.
func FindPackage(p *encode.Part, e constraints.Package) packageFound {
	var found packageFound
	for c := range p.Universe.Catalogs {
		snapshot := p.Universe.Catalogs[c].Snapshot
		pkg := snapshot.Package(e.Name)
		if pkg == nil {
			continue
		}
		p.Step(1 + len(pkg.Bundles)/pace.PerStep)
		found.Catalogs = append(found.Catalogs, c)
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

// EveryCatalog returns the indices of the catalogs.
func EveryCatalog(p *encode.Part) []int {
	all := make([]int, len(p.Universe.Catalogs))
	for i := range all {
		all[i] = i
	}
	return all
}

// HasPackage reports whether a visible catalog has the package.
func HasPackage(p *encode.Part, name string) bool {
	return slices.ContainsFunc(p.Universe.Catalogs, func(c candidate.Catalog) bool { return c.Snapshot.Package(name) != nil })
}

// lackAPI explains why no bundle provides an API.
func lackAPI(p *encode.Part, e constraints.GVK) []*result.Explanation {
	facts := append([]*result.Explanation{encode.Fact(missingAPI(p, e))}, Shorten(unoffered(p, matching(p, e), result.FitAPI))...)
	return elsewhere(p, append(facts, lostFacts(p, e.GVK)...), e)
}

// missingAPI says that no bundle that a channel offers provides an API.
func missingAPI(p *encode.Part, e constraints.GVK) result.Reason {
	missing := result.MissingAPI{Searched: searched(p, EveryCatalog(p))}
	for c := range p.Universe.Catalogs {
		snapshot := p.Universe.Catalogs[c].Snapshot
		for _, id := range snapshot.Providers(e.GVK) {
			missing.NotOffered = append(missing.NotOffered, snapshot.Bundle(id).Name)
		}
		missing.Others = append(missing.Others, otherVersions(p, c, e.GVK)...)
	}
	missing.Others = candidate.Distinct(missing.Others)
	out := result.Reason{Kind: result.ReasonMissingAPI, Subject: e.GVK.String(), API: e.GVK, Detail: missing}
	for _, other := range missing.Others {
		out.Names = append(out.Names, other.String())
	}
	return out
}

// lostFacts says which bundles would provide an API, were they not quarantined.
func lostFacts(p *encode.Part, api properties.GVK) []*result.Explanation {
	var facts []*result.Explanation
	for c := range p.Universe.Catalogs {
		catalog := &p.Universe.Catalogs[c]
		for _, lost := range catalog.Snapshot.LostProviders() {
			if lost.API != api {
				continue
			}
			p.Step(1)
			note(p, catalog.Key, lost.Package)
			facts = append(facts, encode.Fact(result.Reason{
				Kind: result.ReasonQuarantined, Subject: lost.Bundle, Bundle: lost.Bundle, Package: lost.Package, Catalog: catalog.Key, API: api,
				Detail: result.Quarantined{Fault: bundleFault(catalog.Snapshot, lost)},
			}))
		}
	}
	return Shorten(facts)
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
func otherVersions(p *encode.Part, c int, api properties.GVK) []result.OtherVersion {
	var list []result.OtherVersion
	snapshot := p.Universe.Catalogs[c].Snapshot
	for _, other := range snapshot.OtherVersions(api) {
		p.Step(1)
		if ids := snapshot.Providers(other); len(ids) > 0 && int(ids[0]) < snapshot.Candidates() {
			pkg := snapshot.Bundle(ids[0]).Package
			note(p, p.Universe.Catalogs[c].Key, pkg)
			list = append(list, result.OtherVersion{API: other, Package: pkg})
		}
	}
	return list
}

// maxFacts is how many facts of one sort are stated before the rest is counted.
const maxFacts = 4

// Shorten keeps a screenful of facts.
func Shorten(facts []*result.Explanation) []*result.Explanation {
	if len(facts) <= maxFacts {
		return facts
	}
	kept := slices.Clone(facts[:maxFacts])
	last := *kept[maxFacts-1]
	last.More = len(facts) - maxFacts
	kept[maxFacts-1] = &last
	return kept
}

// unoffered says why bundles that would do are no candidates.
func unoffered(p *encode.Part, list []located, fit result.Fit) []*result.Explanation {
	facts := make([]*result.Explanation, len(list))
	for i, b := range list {
		p.Step(1)
		catalog := &p.Universe.Catalogs[b.catalog]
		note(p, catalog.Key, b.Package)
		v := p.Number(b.catalog, b.id)
		why := result.NotOffered{Fit: fit, Why: candidate.Unlisted(catalog.Snapshot, b.Bundle)}
		_, why.Installed = p.Aliases[v]
		facts[i] = encode.Fact(encode.BundleReason(p.Model, result.ReasonNotOffered, v, why))
		facts[i].Reason.Namespace = ""
		facts[i].Bundles = []result.BundleRef{p.Ref(v)}
	}
	return facts
}

// ruleFailures says how the rules of an expression failed, where they did.
func ruleFailures(p *encode.Part, e constraints.Expr) []*result.Explanation {
	for c := range p.Universe.Catalogs {
		catalog := &p.Universe.Catalogs[c]
		_, failed, err := catalog.Snapshot.Matches(p.Ctx, e, p.Facts)
		if err != nil || len(failed) == 0 {
			continue
		}
		b := catalog.Snapshot.Bundle(failed[0].ID)
		note(p, catalog.Key, b.Package)
		return []*result.Explanation{encode.Fact(result.Reason{
			Kind: result.ReasonRuleFailed, Subject: b.Name, Bundle: b.Name, Package: b.Package, Catalog: catalog.Key,
			Detail: result.RuleFailed{Err: failed[0].Err},
		})}
	}
	return nil
}

// quarantineFacts says which faults removed parts of a package.
func quarantineFacts(p *encode.Part, pkg string) []*result.Explanation {
	var facts []*result.Explanation
	for c := range p.Universe.Catalogs {
		catalog := &p.Universe.Catalogs[c]
		for _, f := range catalog.Snapshot.Quarantined(pkg) {
			p.Step(1)
			facts = append(facts, encode.Fact(result.Reason{
				Kind: result.ReasonQuarantined, Subject: pkg, Package: pkg, Bundle: f.Bundle, Catalog: catalog.Key,
				Detail: result.Quarantined{Fault: f},
			}))
			note(p, catalog.Key, pkg)
		}
	}
	return Shorten(facts)
}

// note remembers that an explanation speaks of a package of a catalog, so that
// a saved problem keeps it.
func note(p *encode.Part, k catalog.Key, pkg string) {
	if p.Notes == nil {
		p.Notes = map[catalog.Key]map[string]bool{}
	}
	if p.Notes[k] == nil {
		p.Notes[k] = map[string]bool{}
	}
	p.Notes[k][pkg] = true
}
