package answer

import (
	"slices"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver/internal/encode"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/solver"
)

// requestedByExtension reports whether v is what a ClusterExtension asks for,
// and no dependency.
func requestedByExtension(p *encode.Part, v solver.Var) bool {
	return p.ClusterWide() && slices.Contains(p.Requests[0].Candidates, v)
}

// warnExtension looks at the bundle that meets a ClusterExtension, new or kept.
func (a *answer) warnExtension() {
	r := &a.p.Requests[0]
	at := slices.IndexFunc(r.Candidates, func(v solver.Var) bool { return a.At(v) >= 0 })
	if at < 0 {
		return
	}
	asked := r.Wish.(*encode.Extension).Object
	v := r.Candidates[at]
	name := a.p.NameOf(v)
	if at > 0 {
		a.add(result.WarnForcedChoice, name, result.ForcedChoice{
			Extension: asked.Name, Best: a.p.NameOf(r.Candidates[0]), Why: hopeless(a.p, r.Candidates[0]),
		})
	}
	// All candidates come from one catalog.
	snapshot := a.p.Universe.Catalogs[r.Looked[0]].Snapshot
	a.warnExtensionDeprecated(name, asked.Channels, snapshot.Package(asked.Package), snapshot)
}

// warnExtensionDeprecated states deprecations of the package, of the channels
// that the request names, and of the bundle.
func (a *answer) warnExtensionDeprecated(name string, channels []string, pkg *catalog.Package, snapshot *catalog.Snapshot) {
	a.addDeprecation(name, result.Deprecation{Package: pkg.Name, Message: pkg.Deprecation})
	for _, c := range pkg.Channels {
		if slices.Contains(channels, c.Name) {
			a.addDeprecation(name, result.Deprecation{Package: pkg.Name, Channel: c.Name, Message: c.Deprecation})
		}
	}
	for _, id := range pkg.Bundles {
		if b := snapshot.Bundle(id); b.Name == name {
			a.addDeprecation(name, result.Deprecation{Package: pkg.Name, Bundle: name, Message: b.Deprecation})
		}
	}
}
