package resolver

import (
	"fmt"
	"slices"

	"github.com/blang/semver/v4"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/constraints"
	"github.com/resolvent/resolvent/properties"
)

// maxDetail bounds texts that come from catalogs and rules, in bytes.
const maxDetail = 300

// lack explains why no bundle can meet an expression: what is missing, and what
// there is instead. The first fact is the cause.
func (p *problem) lack(e constraints.Expr) []*Explanation {
	switch e := e.(type) {
	case constraints.Package:
		return p.lackPackage(e)
	case constraints.GVK:
		return p.lackAPI(e)
	case constraints.Label:
		text := fmt.Sprintf("no operator %s carries the label %s", p.inCatalogs(), e.Label)
		facts := []*Explanation{leaf(Reason{Kind: ReasonMissingLabel, Subject: e.Label, Message: text}, text, false)}
		return p.elsewhere(facts, e)
	case constraints.Any:
		return p.lackEach(e.Exprs)
	case constraints.All:
		if len(e.Exprs) == 1 {
			return p.lack(e.Exprs[0])
		}
	}
	text := fmt.Sprintf("no single operator %s meets all of that", p.inCatalogs())
	if _, ok := e.(constraints.CEL); ok {
		text = fmt.Sprintf("no operator %s satisfies the rule", p.inCatalogs())
	}
	facts := []*Explanation{leaf(Reason{Kind: ReasonNoMatch, Subject: e.String(), Message: text}, text, false)}
	return p.elsewhere(append(facts, p.ruleFailures(e)...), e)
}

func (p *problem) lackEach(exprs []constraints.Expr) []*Explanation {
	var facts []*Explanation
	for _, e := range exprs {
		facts = append(facts, p.lack(e)...)
	}
	return facts
}

// inCatalogs names where was looked.
func (p *problem) inCatalogs() string {
	keys := make([]string, len(p.universe.catalogs))
	for i, c := range p.universe.catalogs {
		keys[i] = c.key.String()
	}
	if len(keys) == 0 {
		return "can be had, as " + p.noCatalogText() + ", that"
	}
	return "of " + p.seen() + " catalog" + plural(len(keys)) + " " + listed(keys, maxNamed)
}

// seen is the word for the catalogs that count.
func (p *problem) seen() string {
	if p.extension != nil {
		return "the available"
	}
	return "the visible"
}

func (p *problem) noCatalogText() string {
	switch {
	case p.extension != nil && len(p.universe.catalogs) > 0:
		return "no available catalog has the labels that the selector asks for"
	case p.extension != nil:
		return "there is no catalog that is available"
	}
	return fmt.Sprintf("namespace %s sees no catalog that can be used", p.namespace)
}

// lackPackage explains why no bundle of a package is in range.
func (p *problem) lackPackage(e constraints.Package) []*Explanation {
	var versions []semver.Version
	var where []string
	var facts []*Explanation
	found, all := p.look(e), p.everyCatalog()
	for _, c := range found.catalogs {
		key := p.universe.catalogs[c].key
		p.note(key, e.Name)
		where = append(where, key.String())
	}
	for _, b := range found.bundles {
		versions = append(versions, b.Version)
	}
	for _, b := range found.inRange {
		facts = append(facts, p.notOffered(b.catalog, b.id, "is in range"))
	}
	if len(where) == 0 {
		text := p.missingPackageText(all, e.Name)
		near := nearest(e.Name, p.packageNames(all))
		facts = append(facts, leaf(Reason{Kind: ReasonMissingPackage, Subject: e.Name, Package: e.Name, Message: text, Names: near}, text, false))
	} else {
		text := fmt.Sprintf("no version of package %s in catalog%s %s is in range %s; %s", e.Name, plural(len(where)),
			listed(where, maxNamed), e.Range.Text(), versionsText(versions))
		if len(facts) > 0 {
			text = fmt.Sprintf("no version of package %s in range %s is offered by catalog%s %s", e.Name, e.Range.Text(), plural(len(where)), listed(where, maxNamed))
		}
		names := make([]string, len(versions))
		for i, v := range versions {
			names[i] = v.String()
		}
		first := leaf(Reason{Kind: ReasonMissingVersion, Subject: e.Name, Package: e.Name, Message: text, Names: distinct(names)}, text, false)
		facts = append([]*Explanation{first}, facts...)
	}
	facts = append(facts, p.quarantineFacts(e.Name)...)
	return p.elsewhere(facts, e)
}

// located is a bundle of a catalog.
type located struct {
	catalog int
	id      catalog.ID
	*catalog.Bundle
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

// versionsText says which versions there are.
func versionsText(versions []semver.Version) string {
	slices.SortFunc(versions, func(a, b semver.Version) int { return a.Compare(b) })
	names := make([]string, len(versions))
	for i, v := range versions {
		names[i] = v.String()
	}
	names = slices.Compact(names)
	switch n := len(names); {
	case n == 0:
		return "it has no usable version"
	case n == 1:
		return "it has only " + names[0]
	case n <= maxNamed:
		return "it has " + listed(names, maxNamed)
	default:
		return fmt.Sprintf("it has %d versions from %s to %s", n, names[0], names[n-1])
	}
}

// lackAPI explains why no bundle provides an API.
func (p *problem) lackAPI(e constraints.GVK) []*Explanation {
	text := fmt.Sprintf("no operator %s provides %s", p.inCatalogs(), e.Describe())
	var facts []*Explanation
	var others []string
	for c := range p.universe.catalogs {
		snapshot := p.universe.catalogs[c].snapshot
		for _, id := range snapshot.Providers(e.GVK) {
			facts = append(facts, p.notOffered(c, id, "provides it"))
		}
		others = append(others, p.otherVersions(c, e.GVK)...)
	}
	if len(facts) > 0 {
		text = fmt.Sprintf("no operator that can be chosen provides %s", e.Describe())
	}
	if others = distinct(others); len(others) > 0 {
		text += fmt.Sprintf("; that kind is provided as %s only", listed(others, maxNamed))
	}
	first := leaf(Reason{Kind: ReasonMissingAPI, Subject: e.GVK.String(), API: e.GVK, Message: text, Names: others}, text, false)
	facts = append([]*Explanation{first}, shorten(facts)...)
	return p.elsewhere(append(facts, p.lostFacts(e.GVK)...), e)
}

// lostFacts says which bundles would provide an API, were they not quarantined.
func (p *problem) lostFacts(api properties.GVK) []*Explanation {
	var facts []*Explanation
	for c := range p.universe.catalogs {
		catalog := &p.universe.catalogs[c]
		for _, lost := range catalog.snapshot.LostProviders() {
			if lost.API != api {
				continue
			}
			p.step(1)
			p.note(catalog.key, lost.Package)
			text := fmt.Sprintf("%s of catalog %s would provide it, but is left out for a fault%s", lost.Bundle, catalog.key, bundleFault(catalog.snapshot, lost))
			facts = append(facts, leaf(Reason{
				Kind: ReasonQuarantined, Subject: lost.Bundle, Bundle: lost.Bundle, Package: lost.Package, Catalog: catalog.key, API: api, Message: text,
			}, text, false))
		}
	}
	return shorten(facts)
}

// bundleFault is the fault that quarantines a bundle.
func bundleFault(s *catalog.Snapshot, lost catalog.LostProvider) string {
	for _, f := range s.Quarantined(lost.Package) {
		if f.Bundle == lost.Bundle {
			return ": " + errorDetail(f)
		}
	}
	return ""
}

// otherVersions lists the versions of the kind that a catalog has, each with a
// package that provides it.
func (p *problem) otherVersions(c int, api properties.GVK) []string {
	var list []string
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
			list = append(list, fmt.Sprintf("%s/%s (by package %s)", other.Group, other.Version, pkg))
		}
	}
	return list
}

// shorten keeps a screenful of facts.
func shorten(facts []*Explanation) []*Explanation {
	if len(facts) <= maxNamed {
		return facts
	}
	kept := slices.Clone(facts[:maxNamed])
	last := *kept[maxNamed-1]
	last.Text += fmt.Sprintf(" (and %d more)", len(facts)-maxNamed)
	kept[maxNamed-1] = &last
	return kept
}

// notOffered says why a bundle that would do is no candidate.
func (p *problem) notOffered(c int, id catalog.ID, does string) *Explanation {
	p.step(1)
	catalog := &p.universe.catalogs[c]
	b := catalog.snapshot.Bundle(id)
	p.note(catalog.key, b.Package)
	text := fmt.Sprintf("%s of catalog %s %s, but %s", b.Name, catalog.key, does, unofferedText(catalog.snapshot, b))
	node := leaf(Reason{
		Kind: ReasonNotOffered, Subject: b.Name, Bundle: b.Name, Package: b.Package,
		Version: b.Version.String(), Catalog: catalog.key, Message: text,
	}, text, false)
	node.Bundles = []BundleRef{p.ref(p.universe.number(c, id))}
	return node
}

// unofferedText says why no channel offers a bundle.
func unofferedText(snapshot *catalog.Snapshot, b *catalog.Bundle) string {
	pkg := snapshot.Package(b.Package)
	text := "no channel lists it"
	if pkg == nil {
		return text
	}
	for _, channel := range preferredChannels(pkg) {
		e := channel.Entry(b.Name)
		switch {
		case e == nil:
		case channel.Fault != "":
			text = fmt.Sprintf("channel %s cannot be used: %s", channel.Name, channel.Fault)
		case e.Skipped:
			return fmt.Sprintf("channel %s skips it; only startingCSV reaches it", channel.Name)
		case e.Depth < 0:
			text = fmt.Sprintf("it is not on the chain of updates below the head of channel %s", channel.Name)
		}
	}
	return text
}

// ruleFailures says how the rules of an expression failed, where they did.
func (p *problem) ruleFailures(e constraints.Expr) []*Explanation {
	for c := range p.universe.catalogs {
		catalog := &p.universe.catalogs[c]
		_, failed, err := catalog.snapshot.Matches(p.ctx, e, p.facts)
		if err != nil || len(failed) == 0 {
			continue
		}
		b := catalog.snapshot.Bundle(failed[0].ID)
		p.note(catalog.key, b.Package)
		text := fmt.Sprintf("the rule cannot be evaluated on some bundles, such as %s of catalog %s, and so they do not satisfy it: %s",
			b.Name, catalog.key, errorDetail(failed[0].Err))
		node := leaf(Reason{Kind: ReasonRuleFailed, Subject: b.Name, Bundle: b.Name, Package: b.Package, Catalog: catalog.key, Message: text}, text, false)
		return []*Explanation{node}
	}
	return nil
}

// errorDetail is an error as part of a sentence.
func errorDetail(err error) string { return clip(oneLine(err.Error()), maxDetail) }

// quarantineFacts says which faults removed parts of a package.
func (p *problem) quarantineFacts(pkg string) []*Explanation {
	var facts []*Explanation
	for c := range p.universe.catalogs {
		catalog := &p.universe.catalogs[c]
		for _, f := range catalog.snapshot.Quarantined(pkg) {
			p.step(1)
			text := fmt.Sprintf("catalog %s: left out for a fault: %s", catalog.key, errorDetail(f))
			facts = append(facts, leaf(Reason{Kind: ReasonQuarantined, Subject: pkg, Package: pkg, Bundle: f.Bundle, Catalog: catalog.key, Message: text}, text, false))
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

// name is that of the request or bundle.
func (s Served) name() string {
	switch {
	case s.Subscription != "":
		return s.Subscription
	case s.Extension != "":
		return s.Extension
	}
	return s.Bundle
}
