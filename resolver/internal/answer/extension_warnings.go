package answer

import (
	"fmt"
	"slices"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/resolver/internal/encode"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/solver"
)

// requestedByExtension reports whether v is what a ClusterExtension asks for,
// and no dependency.
func requestedByExtension(p *encode.Part, v solver.Var) bool {
	return p.Extension != nil && slices.Contains(p.Requests[0].Candidates, v)
}

// warnExtension looks at the bundle that meets a ClusterExtension, new or kept.
func (a *answer) warnExtension() {
	r := &a.p.Requests[0]
	at := slices.IndexFunc(r.Candidates, func(v solver.Var) bool { return a.At(v) >= 0 })
	if at < 0 {
		return
	}
	v := r.Candidates[at]
	name := a.p.NameOf(v)
	if at > 0 {
		why := hopeless(a.p, r.Candidates[0])
		if why == "" {
			why = "dependencies, or what is installed, do not allow it"
		}
		a.warnf(result.Warning{Kind: result.WarnForcedChoice, Subject: name, Message: fmt.Sprintf(
			"%s is taken for ClusterExtension %s; the best would be %s, but %s", name, a.p.Extension.Name, a.p.NameOf(r.Candidates[0]), why)})
	}
	// All candidates come from one catalog.
	snapshot := a.p.Universe.Catalogs[r.Looked[0]].Snapshot
	a.warnExtensionDeprecated(name, snapshot.Package(a.p.Extension.Package), snapshot)
}

// warnExtensionDeprecated tells of deprecations of the package, of the channels
// that the request names, and of the bundle.
func (a *answer) warnExtensionDeprecated(name string, pkg *cache.Package, snapshot *cache.Snapshot) {
	add := func(what, message string) {
		if message != "" {
			a.warnf(result.Warning{Kind: result.WarnDeprecation, Subject: name, Message: what + " is deprecated: " + result.OneLine(message)})
		}
	}
	add("package "+pkg.Name, pkg.Deprecation)
	for _, c := range pkg.Channels {
		if slices.Contains(a.p.Extension.Channels, c.Name) {
			add("channel "+c.Name+" of package "+pkg.Name, c.Deprecation)
		}
	}
	for _, id := range pkg.Bundles {
		if b := snapshot.Bundle(id); b.Name == name {
			add("bundle "+name, b.Deprecation)
		}
	}
}
