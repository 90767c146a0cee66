package resolver

import (
	"fmt"
	"slices"

	"github.com/resolvent/resolvent/cache/catalog"
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
		why := a.p.hopeless(r.candidates[0])
		if why == "" {
			why = "dependencies, or what is installed, do not allow it"
		}
		a.warnf(Warning{Kind: WarnForcedChoice, Subject: name, Message: fmt.Sprintf(
			"%s is taken for ClusterExtension %s; the best would be %s, but %s", name, a.p.extension.Name, a.p.nameOf(r.candidates[0]), why)})
	}
	// All candidates come from one catalog.
	snapshot := a.p.universe.catalogs[r.looked[0]].snapshot
	a.warnExtensionDeprecated(name, snapshot.Package(a.p.extension.Package), snapshot)
}

// warnExtensionDeprecated tells of deprecations of the package, of the channels
// that the request names, and of the bundle.
func (a *answer) warnExtensionDeprecated(name string, pkg *catalog.Package, snapshot *catalog.Snapshot) {
	add := func(what, message string) {
		if message != "" {
			a.warnf(Warning{Kind: WarnDeprecation, Subject: name, Message: what + " is deprecated: " + oneLine(message)})
		}
	}
	add("package "+pkg.Name, pkg.Deprecation)
	for _, c := range pkg.Channels {
		if slices.Contains(a.p.extension.Channels, c.Name) {
			add("channel "+c.Name+" of package "+pkg.Name, c.Deprecation)
		}
	}
	for _, id := range pkg.Bundles {
		if b := snapshot.Bundle(id); b.Name == name {
			add("bundle "+name, b.Deprecation)
		}
	}
}
