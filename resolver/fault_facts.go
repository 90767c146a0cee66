package resolver

import (
	"fmt"
	"slices"

	"github.com/resolvent/resolvent/cache/catalog"
)

// faultFacts says what a request names that is not there.
func (p *problem) faultFacts(r *request) []*Explanation {
	text := ""
	kind := ReasonUnknown
	if r.extension != nil {
		text = p.extensionFaultText(r)
	} else {
		text = p.faultText(r)
	}
	var more []*Explanation
	pkg := r.packageName()
	switch r.fault.kind {
	case faultPackage:
		kind = ReasonMissingPackage
		more = p.packageElsewhere(r)
	case faultVersion, faultNoSuccessor:
		kind = ReasonMissingVersion
	case faultCatalogNotVisible, faultCatalogExcluded:
		kind = ReasonInvisible
	}
	first := leaf(Reason{Kind: kind, Subject: r.served().name(), Package: pkg, Message: text}, text, false)
	return append([]*Explanation{first}, more...)
}

// packageElsewhere says which other catalogs have the package that a request
// asks for: visible ones that it does not name, and those that do not count.
func (p *problem) packageElsewhere(r *request) []*Explanation {
	var facts []*Explanation
	pkg := r.packageName()
	add := func(kind ReasonKind, k catalog.Key, text string) {
		p.note(k, pkg)
		facts = append(facts, leaf(Reason{Kind: kind, Subject: pkg, Package: pkg, Catalog: k, Message: text}, text, false))
	}
	for i := range p.universe.catalogs {
		c := &p.universe.catalogs[i]
		if slices.Contains(r.fault.catalogs, i) {
			continue
		}
		if c.snapshot.Package(pkg) != nil {
			add(ReasonUnknown, c.key, fmt.Sprintf("catalog %s has package %s, but the request does not ask that catalog", c.key, pkg))
		}
	}
	for _, c := range p.unseen() {
		if c.Snapshot.Package(pkg) != nil {
			add(ReasonInvisible, c.Key, fmt.Sprintf("catalog %s has package %s, but %s", c.Key, pkg, p.unseenText(c.Key)))
		}
	}
	for _, c := range r.fault.catalogs {
		for _, f := range p.universe.catalogs[c].snapshot.Quarantined(pkg) {
			k := p.universe.catalogs[c].key
			add(ReasonQuarantined, k, fmt.Sprintf("catalog %s: left out for a fault: %s", k, errorDetail(f)))
		}
	}
	return shorten(facts)
}
