package resolver

import (
	"slices"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/solver"
)

// requestedByExtension reports whether v is what a ClusterExtension asks for,
// and no dependency.
func (p *problem) requestedByExtension(v solver.Var) bool {
	return p.extension != nil && slices.Contains(p.requests[0].candidates, v)
}

// warnExtension looks at the bundle that meets a ClusterExtension, new or kept.
func (a *answer) warnExtension() {
	r := &a.p.requests[0]
	at := slices.IndexFunc(r.candidates, func(v solver.Var) bool { return a.at(v) >= 0 })
	if at < 0 {
		return
	}
	v := r.candidates[at]
	name := a.p.nameOf(v)
	if at > 0 {
		a.add(result.WarnForcedChoice, name, result.ForcedChoice{
			Extension: a.p.extension.Name, Best: a.p.nameOf(r.candidates[0]), Why: hopeless(a.p, r.candidates[0]),
		})
	}
	// All candidates come from one catalog.
	snapshot := a.p.universe.catalogs[r.looked[0]].snapshot
	a.warnExtensionDeprecated(name, snapshot.Package(a.p.extension.Package), snapshot)
}

// warnExtensionDeprecated tells of deprecations of the package, of the channels
// that the request names, and of the bundle.
func (a *answer) warnExtensionDeprecated(name string, pkg *catalog.Package, snapshot *catalog.Snapshot) {
	a.addDeprecation(name, result.Deprecation{Package: pkg.Name, Message: pkg.Deprecation})
	for _, c := range pkg.Channels {
		if slices.Contains(a.p.extension.Channels, c.Name) {
			a.addDeprecation(name, result.Deprecation{Package: pkg.Name, Channel: c.Name, Message: c.Deprecation})
		}
	}
	for _, id := range pkg.Bundles {
		if b := snapshot.Bundle(id); b.Name == name {
			a.addDeprecation(name, result.Deprecation{Package: pkg.Name, Bundle: name, Message: b.Deprecation})
		}
	}
}
