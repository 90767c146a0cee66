package resolver

import (
	"slices"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver/result"
)

// faultFacts says what a request names that is not there, and what there is
// instead. The first fact is the cause.
func faultFacts(p *problem, r *request) []*result.Explanation {
	facts := []*result.Explanation{fact(faultReason(p, r))}
	if r.fault.kind == faultPackage {
		return append(facts, packageElsewhere(p, r)...)
	}
	return facts
}

// packageElsewhere says which other catalogs have the package that a request
// asks for: visible ones that it does not name, and those that do not count.
func packageElsewhere(p *problem, r *request) []*result.Explanation {
	var facts []*result.Explanation
	pkg := r.packageName()
	add := func(kind result.ReasonKind, k catalog.Key, d result.Detail) {
		p.note(k, pkg)
		facts = append(facts, fact(result.Reason{Kind: kind, Subject: pkg, Package: pkg, Catalog: k, Detail: d}))
	}
	for i := range p.universe.catalogs {
		c := &p.universe.catalogs[i]
		if !slices.Contains(r.fault.catalogs, i) && c.snapshot.Package(pkg) != nil {
			add(result.ReasonUnknown, c.key, result.Elsewhere{Why: result.Uncounted{NotAsked: true}})
		}
	}
	for _, c := range p.unseen() {
		if c.Snapshot.Package(pkg) != nil {
			add(result.ReasonInvisible, c.Key, result.Elsewhere{Why: p.uncounted(c.Key)})
		}
	}
	for _, c := range r.fault.catalogs {
		for _, f := range p.universe.catalogs[c].snapshot.Quarantined(pkg) {
			add(result.ReasonQuarantined, p.universe.catalogs[c].key, result.Quarantined{Fault: f})
		}
	}
	return shorten(facts)
}
