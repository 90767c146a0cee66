package explain

import (
	"slices"
	"strconv"
	"strings"

	"github.com/blang/semver/v4"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/constraints"
	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/model"
	"github.com/resolvent/resolvent/resolver/internal/pace"
	"github.com/resolvent/resolvent/resolver/internal/reason"
	"github.com/resolvent/resolvent/resolver/internal/words"
	"github.com/resolvent/resolvent/resolver/result"
)

// Find explains why no bundle satisfies an expression: what is missing, and what exists
// instead. The first fact is the cause.
func Find(p *model.Part, e constraints.Expr) []*result.Explanation {
	if all, ok := e.(constraints.All); ok && len(all.Exprs) == 1 {
		return Find(p, all.Exprs[0])
	}
	var facts []*result.Explanation
	switch e := e.(type) {
	case constraints.Any:
		for _, e := range e.Exprs {
			facts = append(facts, Find(p, e)...)
		}
		return facts
	case constraints.Package:
		_, inRange := findPackage(p, e)
		for _, b := range inRange {
			facts = append(facts, b.notOffered(p, e))
		}
		facts = append(facts, quarantined(p, e.Name)...)
	case constraints.GVK:
		facts = slices.Concat(notOffered(p, e), lost(p, e.GVK))
	default:
		facts = slices.Concat(notOffered(p, e), RuleFailure(p, e))
	}
	return slices.Concat([]*result.Explanation{model.Fact(Missing(p, e))}, facts, elsewhere(p, e))
}

// Missing states that no bundle has what a single expression requires.
func Missing(p *model.Part, e constraints.Expr) result.Reason {
	switch e := e.(type) {
	case constraints.Package:
		return missingVersion(p, e)
	case constraints.GVK:
		return missingAPI(p, e)
	}
	bundles, catalogs := refs(p, matching(p, e)), searched(p, everyCatalog(p))
	if label, ok := e.(constraints.Label); ok {
		return reason.MissingLabel(label, bundles, catalogs)
	}
	return reason.NoMatch(e, bundles, catalogs)
}

// matching lists the bundles of all catalogs that satisfy an expression by
// themselves.
func matching(p *model.Part, e constraints.Expr) []located {
	var list []located
	for c := range p.Catalogs {
		ids, _ := p.Catalogs[c].Snapshot.Matches(p.Pace.Ctx, e, p.Facts) // the model notices that the context ended
		for _, id := range ids {
			list = append(list, located{c, id, p.Catalogs[c].Snapshot.Bundle(id)})
		}
	}
	return list
}

// Unoffered lists bundles that satisfy a part of an expression but are candidates of no
// obligation: they are installed, or no channel offers them.
func Unoffered(p *model.Part, e constraints.Expr) (list []*catalog.Bundle) {
	add := func(e constraints.Expr) {
		for _, b := range matching(p, e) {
			if p.Aliased(p.Number(b.catalog, b.id)) || len(b.Bundle.Places) == 0 {
				list = append(list, b.Bundle)
			}
		}
	}
	if p.In.Options.BundleScope {
		add(e)
		return list
	}
	var walk func(e constraints.Expr)
	walk = func(e constraints.Expr) {
		switch e := e.(type) {
		case constraints.Not:
		case constraints.All:
			for _, part := range e.Exprs {
				walk(part)
			}
		case constraints.Any:
			for _, part := range e.Exprs {
				walk(part)
			}
		default:
			add(e)
		}
	}
	walk(constraints.Normalize(e))
	return list
}

func refs(p *model.Part, list []located) []result.BundleRef {
	var refs []result.BundleRef
	for _, b := range list {
		refs = append(refs, result.BundleRef{Bundle: b.Bundle.Key(p.Catalogs[b.catalog].Key), Version: b.Bundle.Version})
	}
	return refs
}

// searched returns the catalogs that were searched.
func searched(p *model.Part, catalogs []int) *result.Searched {
	list := &result.Searched{Namespace: p.Namespace, Unselected: p.Kind.Selects && len(p.Catalogs) > 0}
	for _, c := range catalogs {
		list.Catalogs = append(list.Catalogs, p.Catalogs[c].Key)
	}
	return list
}

// missingVersion states that no bundle of a package is in range, or that the package does
// not exist.
func missingVersion(p *model.Part, e constraints.Package) result.Reason {
	every := everyCatalog(p)
	faults := Faults(p, every, e.Name)
	if !HasPackage(p, e.Name) {
		found := searched(p, every)
		found.Faults = faults
		return reason.MissingPackage(e.Name, nearestPackages(p, every, e.Name), found)
	}
	bundles, inRange := findPackage(p, e)
	found := &result.Searched{Versions: versions(bundles), Faults: faults}
	for _, c := range p.Catalogs {
		if c.Snapshot.Package(e.Name) != nil {
			p.In.Reads.Package(c.Key, e.Name)
			found.Catalogs = append(found.Catalogs, c.Key)
		}
	}
	return reason.MissingVersion(e, refs(p, inRange), found)
}

// located is a bundle of a catalog.
type located struct {
	catalog int
	id      catalog.ID
	Bundle  *catalog.Bundle
}

// bundlesOf lists the bundles of a package in some catalogs.
func bundlesOf(p *model.Part, catalogs []int, pkg string) []located {
	var list []located
	for _, c := range catalogs {
		snapshot := p.Catalogs[c].Snapshot
		ids := snapshot.Packaged(pkg)
		p.Pace.Step(1 + len(ids)/pace.PerStep)
		for _, id := range ids {
			list = append(list, located{c, id, snapshot.Bundle(id)})
		}
	}
	return list
}

// findPackage lists the bundles of a package in all catalogs, and those in range.
func findPackage(p *model.Part, e constraints.Package) (bundles, inRange []located) {
	bundles = bundlesOf(p, everyCatalog(p), e.Name)
	return bundles, slices.DeleteFunc(slices.Clone(bundles), func(b located) bool { return !e.Range.Contains(b.Bundle.Version) })
}

// versions are those of the bundles, sorted.
func versions(list []located) []semver.Version {
	versions := words.Mapped(list, func(b located) semver.Version { return b.Bundle.Version })
	slices.SortFunc(versions, semver.Version.Compare)
	return versions
}

// everyCatalog returns the indices of the catalogs.
func everyCatalog(p *model.Part) []int {
	all := make([]int, len(p.Catalogs))
	for i := range all {
		all[i] = i
	}
	return all
}

// HasPackage reports whether a visible catalog has the package.
func HasPackage(p *model.Part, name string) bool {
	return slices.ContainsFunc(p.Catalogs, func(c model.Catalog) bool { return c.Snapshot.Package(name) != nil })
}

// missingAPI states that no bundle that a channel offers provides an API.
func missingAPI(p *model.Part, e constraints.GVK) result.Reason {
	defined := ""
	if slices.ContainsFunc(p.In.Cluster.ClusterScoped().Definitions, func(d cluster.Definition) bool { return d.Group == e.GVK.Group && d.Names.Kind == e.GVK.Kind }) {
		defined = words.ObjectDefinition
	}
	var because []result.Reason
	for _, other := range words.Distinct(otherVersions(p, e.GVK)) {
		because = append(because, reason.OtherVersion(other.by, other.api))
	}
	return reason.MissingAPI(e.GVK, refs(p, matching(p, e)), defined, searched(p, everyCatalog(p)), because...)
}

// lost states which quarantined bundles would provide an API.
func lost(p *model.Part, api properties.GVK) []*result.Explanation {
	var facts []*result.Explanation
	for _, c := range p.Catalogs {
		for _, lost := range c.Snapshot.LostProviders() {
			if lost.API != api {
				continue
			}
			p.Pace.Step(1)
			about := reason.Bundle(lost.Bundle, lost.Package).In(c.Key)
			facts = append(facts, fact(p, reason.Quarantined(about, model.BundleFault(c.Snapshot, lost.Package, lost.Bundle), api)))
		}
	}
	return Shorten(facts)
}

// provided is an API and a package that provides it.
type provided struct {
	api properties.GVK
	by  string
}

// otherVersions lists the versions of the kind that the catalogs have, each with a
// package that provides it.
func otherVersions(p *model.Part, api properties.GVK) (list []provided) {
	for _, c := range p.Catalogs {
		for _, other := range c.Snapshot.OtherVersions(api) {
			p.Pace.Step(1)
			if ids := c.Snapshot.Providers(other); len(ids) > 0 && int(ids[0]) < c.Snapshot.Candidates() {
				pkg := c.Snapshot.Bundle(ids[0]).Package
				p.In.Reads.Package(c.Key, pkg)
				list = append(list, provided{other, pkg})
			}
		}
	}
	return list
}

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

// notOffered states why bundles that satisfy an expression are no candidates.
func notOffered(p *model.Part, e constraints.Expr) []*result.Explanation {
	var facts []*result.Explanation
	for _, b := range matching(p, e) {
		facts = append(facts, b.notOffered(p, e))
	}
	return Shorten(facts)
}

// notOffered states why a bundle that satisfies the expression is no candidate.
func (b located) notOffered(p *model.Part, e constraints.Expr) *result.Explanation {
	p.Pace.Step(1)
	catalog := &p.Catalogs[b.catalog]
	p.In.Reads.Package(catalog.Key, b.Bundle.Package)
	v := p.Number(b.catalog, b.id)
	about := reason.Bundle(b.Bundle.Name, b.Bundle.Package).In(catalog.Key)
	about.Version = &b.Bundle.Version
	var node *result.Explanation
	if p.Aliased(v) {
		node = model.Fact(reason.InstalledInstead(about, e))
	} else {
		node = model.Fact(reason.NotOffered(about, e, model.Unlisted(catalog.Snapshot, b.Bundle)))
	}
	node.Bundles = []result.BundleRef{p.Ref(v)}
	return node
}

// RuleFailure states how the rules of an expression failed, if they did: on a bundle of the
// package that they name, installed first. If no bundle of that package satisfies them, only their
// author can help.
func RuleFailure(p *model.Part, e constraints.Expr) []*result.Explanation {
	text, best := e.String(), -1
	var about reason.About
	var fault error
	for _, c := range p.Catalogs {
		for id, err := range c.Snapshot.Failures(p.Pace.Ctx, e, p.Facts) {
			p.Pace.Step(1)
			b, rank := c.Snapshot.Bundle(id), 0
			if strings.Contains(text, strconv.Quote(b.Package)) || strings.Contains(text, "'"+b.Package+"'") {
				rank = 1
				if p.InstalledIndex(b.Name) >= 0 {
					rank = 2
				}
			}
			if rank > best {
				best, about, fault = rank, reason.Bundle(b.Name, b.Package).In(c.Key), err
			}
		}
	}
	if best < 0 {
		return nil
	}
	never := best > 0
	for i := 0; i < len(p.Catalogs) && never; i++ {
		found := p.Catalogs[i].Snapshot.Package(about.Package)
		if found == nil {
			continue
		}
		p.In.Reads.Package(p.Catalogs[i].Key, about.Package)
		matching, err := p.Catalogs[i].Snapshot.Matches(p.Pace.Ctx, e, p.Facts)
		never = err == nil && !slices.ContainsFunc(matching, func(id catalog.ID) bool { return slices.Contains(found.Bundles, id) })
	}
	if never {
		return []*result.Explanation{fact(p, reason.RuleNeverHolds(about, fault))}
	}
	return []*result.Explanation{fact(p, reason.RuleFailed(about, fault))}
}

// quarantined states which faults removed parts of a package.
func quarantined(p *model.Part, pkg string) []*result.Explanation {
	var facts []*result.Explanation
	for i, c := range p.Catalogs {
		for _, f := range Quarantined(p, i, pkg) {
			p.Pace.Step(1)
			about := reason.Package(pkg).In(c.Key)
			about.Bundle = f.Bundle
			facts = append(facts, fact(p, reason.Quarantined(about, f)))
		}
	}
	return Shorten(facts)
}

// fact is a leaf about a package of a catalog.
func fact(p *model.Part, r result.Reason) *result.Explanation {
	p.In.Reads.Package(r.Args().Catalog, r.Args().Package)
	return model.Fact(r)
}
