package missing

import (
	"slices"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver/internal/encode"
	"github.com/resolvent/resolvent/resolver/result"
)

// FaultFacts says what a request names that is not there, and what there is
// instead. The first fact is the cause.
func FaultFacts(p *encode.Part, r *encode.Request) []*result.Explanation {
	facts := []*result.Explanation{encode.Fact(FaultReason(p, r))}
	if r.Fault.Kind == encode.FaultPackage {
		return append(facts, packageElsewhere(p, r)...)
	}
	return facts
}

// packageElsewhere says which other catalogs have the package that a request
// asks for: visible ones that it does not name, and those that do not count.
func packageElsewhere(p *encode.Part, r *encode.Request) []*result.Explanation {
	var facts []*result.Explanation
	pkg := r.PackageName()
	add := func(kind result.ReasonKind, k catalog.Key, d result.Detail) {
		note(p, k, pkg)
		facts = append(facts, encode.Fact(result.Reason{Kind: kind, Subject: pkg, Package: pkg, Catalog: k, Detail: d}))
	}
	for i := range p.Universe.Catalogs {
		c := &p.Universe.Catalogs[i]
		if !slices.Contains(r.Fault.Catalogs, i) && c.Snapshot.Package(pkg) != nil {
			add(result.ReasonUnknown, c.Key, result.Elsewhere{Why: result.Uncounted{NotAsked: true}})
		}
	}
	for _, c := range UncountedCatalogs(p) {
		if c.Snapshot.Package(pkg) != nil {
			add(result.ReasonInvisible, c.Key, result.Elsewhere{Why: Uncounted(p, c.Key)})
		}
	}
	for _, c := range r.Fault.Catalogs {
		for _, f := range p.Universe.Catalogs[c].Snapshot.Quarantined(pkg) {
			add(result.ReasonQuarantined, p.Universe.Catalogs[c].Key, result.Quarantined{Fault: f})
		}
	}
	return Shorten(facts)
}
