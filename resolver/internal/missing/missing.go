// Package missing finds why nothing satisfies a constraint or a request: what no
// catalog has, what there is instead, and where it is. Explanations, warnings and
// checks of catalogs all ask here.
package missing

import (
	"fmt"
	"slices"

	"github.com/blang/semver/v4"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/constraints"
	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/resolver/internal/candidate"
	"github.com/resolvent/resolvent/resolver/internal/encode"
	"github.com/resolvent/resolvent/resolver/internal/inventory"
	"github.com/resolvent/resolvent/resolver/internal/pace"
	"github.com/resolvent/resolvent/resolver/result"
)

// maxDetail bounds texts that come from catalogs and rules, in bytes.
const maxDetail = 300

// Find explains why no bundle can meet an expression: what is missing, and what
// there is instead. The first fact is the cause.
func Find(p *encode.Part, e constraints.Expr) []*result.Explanation {
	switch e := e.(type) {
	case constraints.Package:
		return lackPackage(p, e)
	case constraints.GVK:
		return lackAPI(p, e)
	case constraints.Label:
		text := fmt.Sprintf("no operator %s carries the label %s", inCatalogs(p), e.Label)
		facts := []*result.Explanation{result.Leaf(result.Reason{Kind: result.ReasonMissingLabel, Subject: e.Label, Message: text}, text, false)}
		return elsewhere(p, facts, e)
	case constraints.Any:
		return lackEach(p, e.Exprs)
	case constraints.All:
		if len(e.Exprs) == 1 {
			return Find(p, e.Exprs[0])
		}
	}
	text := fmt.Sprintf("no single operator %s meets all of that", inCatalogs(p))
	if _, ok := e.(constraints.CEL); ok {
		text = fmt.Sprintf("no operator %s satisfies the rule", inCatalogs(p))
	}
	facts := []*result.Explanation{result.Leaf(result.Reason{Kind: result.ReasonNoMatch, Subject: e.String(), Message: text}, text, false)}
	return elsewhere(p, append(facts, ruleFailures(p, e)...), e)
}

func lackEach(p *encode.Part, exprs []constraints.Expr) []*result.Explanation {
	var facts []*result.Explanation
	for _, e := range exprs {
		facts = append(facts, Find(p, e)...)
	}
	return facts
}

// inCatalogs names where was looked.
func inCatalogs(p *encode.Part) string {
	keys := make([]string, len(p.Universe.Catalogs))
	for i, c := range p.Universe.Catalogs {
		keys[i] = c.Key.String()
	}
	if len(keys) == 0 {
		return "can be had, as " + noCatalogText(p) + ", that"
	}
	return "of " + seen(p) + " catalog" + result.Plural(len(keys)) + " " + result.Listed(keys, result.MaxNamed)
}

// seen is the word for the catalogs that count.
func seen(p *encode.Part) string {
	if p.Extension != nil {
		return "the available"
	}
	return "the visible"
}

func noCatalogText(p *encode.Part) string {
	switch {
	case p.Extension != nil && len(p.Universe.Catalogs) > 0:
		return "no available catalog has the labels that the selector asks for"
	case p.Extension != nil:
		return "there is no catalog that is available"
	}
	return fmt.Sprintf("namespace %s sees no catalog that can be used", p.Namespace)
}

// lackPackage explains why no bundle of a package is in range.
func lackPackage(p *encode.Part, e constraints.Package) []*result.Explanation {
	var versions []semver.Version
	var where []string
	var facts []*result.Explanation
	found, all := FindPackage(p, e), EveryCatalog(p)
	for _, c := range found.Catalogs {
		key := p.Universe.Catalogs[c].Key
		note(p, key, e.Name)
		where = append(where, key.String())
	}
	for _, b := range found.Bundles {
		versions = append(versions, b.Version)
	}
	for _, b := range found.InRange {
		facts = append(facts, notOffered(p, b.catalog, b.id, "is in range"))
	}
	if len(where) == 0 {
		text := missingPackageText(p, all, e.Name)
		near := result.Nearest(e.Name, PackageNames(p, all))
		facts = append(facts, result.Leaf(result.Reason{Kind: result.ReasonMissingPackage, Subject: e.Name, Package: e.Name, Message: text, Names: near}, text, false))
	} else {
		text := fmt.Sprintf("no version of package %s in catalog%s %s is in range %s; %s", e.Name, result.Plural(len(where)),
			result.Listed(where, result.MaxNamed), e.Range.Text(), versionsText(versions))
		if len(facts) > 0 {
			text = fmt.Sprintf("no version of package %s in range %s is offered by catalog%s %s", e.Name, e.Range.Text(), result.Plural(len(where)), result.Listed(where, result.MaxNamed))
		}
		names := make([]string, len(versions))
		for i, v := range versions {
			names[i] = v.String()
		}
		first := result.Leaf(result.Reason{Kind: result.ReasonMissingVersion, Subject: e.Name, Package: e.Name, Message: text, Names: result.Distinct(names)}, text, false)
		facts = append([]*result.Explanation{first}, facts...)
	}
	facts = append(facts, quarantineFacts(p, e.Name)...)
	return elsewhere(p, facts, e)
}

// Located is a bundle of a catalog.
type Located struct {
	catalog int
	id      cache.ID
	*cache.Bundle
}

// packageFound is what the catalogs have of a package that a constraint asks for.
type packageFound struct {
	Catalogs []int
	Bundles  []Located
	InRange  []Located
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
			b := Located{c, id, snapshot.Bundle(id)}
			found.Bundles = append(found.Bundles, b)
			if e.Range.Contains(b.Version) {
				found.InRange = append(found.InRange, b)
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
	case n <= result.MaxNamed:
		return "it has " + result.Listed(names, result.MaxNamed)
	default:
		return fmt.Sprintf("it has %d versions from %s to %s", n, names[0], names[n-1])
	}
}

// lackAPI explains why no bundle provides an API.
func lackAPI(p *encode.Part, e constraints.GVK) []*result.Explanation {
	text := fmt.Sprintf("no operator %s provides %s", inCatalogs(p), e.Describe())
	var facts []*result.Explanation
	var others []string
	for c := range p.Universe.Catalogs {
		snapshot := p.Universe.Catalogs[c].Snapshot
		for _, id := range snapshot.Providers(e.GVK) {
			facts = append(facts, notOffered(p, c, id, "provides it"))
		}
		others = append(others, otherVersions(p, c, e.GVK)...)
	}
	if len(facts) > 0 {
		text = fmt.Sprintf("no operator that can be chosen provides %s", e.Describe())
	}
	if others = result.Distinct(others); len(others) > 0 {
		text += fmt.Sprintf("; that kind is provided as %s only", result.Listed(others, result.MaxNamed))
	}
	first := result.Leaf(result.Reason{Kind: result.ReasonMissingAPI, Subject: e.GVK.String(), API: e.GVK, Message: text, Names: others}, text, false)
	facts = append([]*result.Explanation{first}, Shorten(facts)...)
	return elsewhere(p, append(facts, lostFacts(p, e.GVK)...), e)
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
			text := fmt.Sprintf("%s of catalog %s would provide it, but is left out for a fault%s", lost.Bundle, catalog.Key, bundleFault(catalog.Snapshot, lost))
			facts = append(facts, result.Leaf(result.Reason{
				Kind: result.ReasonQuarantined, Subject: lost.Bundle, Bundle: lost.Bundle, Package: lost.Package, Catalog: catalog.Key, API: api, Message: text,
			}, text, false))
		}
	}
	return Shorten(facts)
}

// bundleFault is the fault that quarantines a bundle.
func bundleFault(s *cache.Snapshot, lost cache.LostProvider) string {
	for _, f := range s.Quarantined(lost.Package) {
		if f.Bundle == lost.Bundle {
			return ": " + ErrorDetail(f)
		}
	}
	return ""
}

// otherVersions lists the versions of the kind that a catalog has, each with a
// package that provides it.
func otherVersions(p *encode.Part, c int, api properties.GVK) []string {
	var list []string
	looked := 0
	snapshot := p.Universe.Catalogs[c].Snapshot
	for other := range snapshot.GVKs() {
		if looked++; looked%pace.PerStep == 0 {
			p.Step(1)
		}
		if other == api || inventory.KindOf(other) != inventory.KindOf(api) {
			continue
		}
		if ids := snapshot.Providers(other); len(ids) > 0 && int(ids[0]) < snapshot.Candidates() {
			pkg := snapshot.Bundle(ids[0]).Package
			note(p, p.Universe.Catalogs[c].Key, pkg)
			list = append(list, fmt.Sprintf("%s/%s (by package %s)", other.Group, other.Version, pkg))
		}
	}
	return list
}

// Shorten keeps a screenful of facts.
func Shorten(facts []*result.Explanation) []*result.Explanation {
	if len(facts) <= result.MaxNamed {
		return facts
	}
	kept := slices.Clone(facts[:result.MaxNamed])
	last := *kept[result.MaxNamed-1]
	last.Text += fmt.Sprintf(" (and %d more)", len(facts)-result.MaxNamed)
	kept[result.MaxNamed-1] = &last
	return kept
}

// notOffered says why a bundle that would do is no candidate.
func notOffered(p *encode.Part, c int, id cache.ID, does string) *result.Explanation {
	p.Step(1)
	catalog := &p.Universe.Catalogs[c]
	b := catalog.Snapshot.Bundle(id)
	note(p, catalog.Key, b.Package)
	text := fmt.Sprintf("%s of catalog %s %s, but %s", b.Name, catalog.Key, does, UnofferedText(catalog.Snapshot, b))
	node := result.Leaf(result.Reason{
		Kind: result.ReasonNotOffered, Subject: b.Name, Bundle: b.Name, Package: b.Package,
		Version: b.Version.String(), Catalog: catalog.Key, Message: text,
	}, text, false)
	node.Bundles = []result.BundleRef{p.Ref(p.Number(c, id))}
	return node
}

// UnofferedText says why no channel offers a bundle.
func UnofferedText(snapshot *cache.Snapshot, b *cache.Bundle) string {
	pkg := snapshot.Package(b.Package)
	text := "no channel lists it"
	if pkg == nil {
		return text
	}
	for _, channel := range candidate.PreferredChannels(pkg) {
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
func ruleFailures(p *encode.Part, e constraints.Expr) []*result.Explanation {
	for c := range p.Universe.Catalogs {
		catalog := &p.Universe.Catalogs[c]
		_, failed, err := catalog.Snapshot.Matches(p.Ctx, e, p.Facts)
		if err != nil || len(failed) == 0 {
			continue
		}
		b := catalog.Snapshot.Bundle(failed[0].ID)
		note(p, catalog.Key, b.Package)
		text := fmt.Sprintf("the rule cannot be evaluated on some bundles, such as %s of catalog %s, and so they do not satisfy it: %s",
			b.Name, catalog.Key, ErrorDetail(failed[0].Err))
		node := result.Leaf(result.Reason{Kind: result.ReasonRuleFailed, Subject: b.Name, Bundle: b.Name, Package: b.Package, Catalog: catalog.Key, Message: text}, text, false)
		return []*result.Explanation{node}
	}
	return nil
}

// ErrorDetail is an error as part of a sentence.
func ErrorDetail(err error) string { return result.Clip(result.OneLine(err.Error()), maxDetail) }

// quarantineFacts says which faults removed parts of a package.
func quarantineFacts(p *encode.Part, pkg string) []*result.Explanation {
	var facts []*result.Explanation
	for c := range p.Universe.Catalogs {
		catalog := &p.Universe.Catalogs[c]
		for _, f := range catalog.Snapshot.Quarantined(pkg) {
			p.Step(1)
			text := fmt.Sprintf("catalog %s: left out for a fault: %s", catalog.Key, ErrorDetail(f))
			facts = append(facts, result.Leaf(result.Reason{Kind: result.ReasonQuarantined, Subject: pkg, Package: pkg, Bundle: f.Bundle, Catalog: catalog.Key, Message: text}, text, false))
			note(p, catalog.Key, pkg)
		}
	}
	return Shorten(facts)
}

// note remembers that an explanation speaks of a package of a catalog, so that
// a saved problem keeps it.
func note(p *encode.Part, k cache.Key, pkg string) {
	if p.Notes == nil {
		p.Notes = map[cache.Key]map[string]bool{}
	}
	if p.Notes[k] == nil {
		p.Notes[k] = map[string]bool{}
	}
	p.Notes[k][pkg] = true
}
