package missing

import (
	"fmt"
	"slices"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/resolver/internal/encode"
	"github.com/resolvent/resolvent/resolver/result"
)

// FaultFacts says what a request names that is not there.
func FaultFacts(p *encode.Part, r *encode.Request) []*result.Explanation {
	text := ""
	kind := result.ReasonUnknown
	if r.Extension != nil {
		text = ExtensionFaultText(p, r)
	} else {
		text = FaultText(p, r)
	}
	var more []*result.Explanation
	pkg := r.PackageName()
	switch r.Fault.Kind {
	case encode.FaultPackage:
		kind = result.ReasonMissingPackage
		more = packageElsewhere(p, r)
	case encode.FaultVersion, encode.FaultNoSuccessor:
		kind = result.ReasonMissingVersion
	case encode.FaultCatalogNotVisible, encode.FaultCatalogExcluded:
		kind = result.ReasonInvisible
	}
	first := result.Leaf(result.Reason{Kind: kind, Subject: r.Served().Name(), Package: pkg, Message: text}, text, false)
	return append([]*result.Explanation{first}, more...)
}

// packageElsewhere says which other catalogs have the package that a request
// asks for: visible ones that it does not name, and those that do not count.
func packageElsewhere(p *encode.Part, r *encode.Request) []*result.Explanation {
	var facts []*result.Explanation
	pkg := r.PackageName()
	add := func(kind result.ReasonKind, k cache.Key, text string) {
		note(p, k, pkg)
		facts = append(facts, result.Leaf(result.Reason{Kind: kind, Subject: pkg, Package: pkg, Catalog: k, Message: text}, text, false))
	}
	for i := range p.Universe.Catalogs {
		c := &p.Universe.Catalogs[i]
		if slices.Contains(r.Fault.Catalogs, i) {
			continue
		}
		if c.Snapshot.Package(pkg) != nil {
			add(result.ReasonUnknown, c.Key, fmt.Sprintf("catalog %s has package %s, but the request does not ask that catalog", c.Key, pkg))
		}
	}
	for _, c := range Uncounted(p) {
		if c.Snapshot.Package(pkg) != nil {
			add(result.ReasonInvisible, c.Key, fmt.Sprintf("catalog %s has package %s, but %s", c.Key, pkg, UncountedText(p, c.Key)))
		}
	}
	for _, c := range r.Fault.Catalogs {
		for _, f := range p.Universe.Catalogs[c].Snapshot.Quarantined(pkg) {
			k := p.Universe.Catalogs[c].Key
			add(result.ReasonQuarantined, k, fmt.Sprintf("catalog %s: left out for a fault: %s", k, ErrorDetail(f)))
		}
	}
	return Shorten(facts)
}
