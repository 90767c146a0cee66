package answer

import (
	"slices"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver/internal/candidate"
	"github.com/resolvent/resolvent/resolver/internal/code"
	"github.com/resolvent/resolvent/resolver/internal/missing"
	"github.com/resolvent/resolvent/resolver/internal/request"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/solver"
)

// warnExtension looks at the bundle that satisfies a ClusterExtension, new or kept.
func (a *answer) warnExtension() {
	r := &a.scope.Requests[0]
	at := slices.IndexFunc(r.List.Candidates, func(v solver.Var) bool { return a.at(v) >= 0 })
	if at < 0 {
		return
	}
	v, asked := r.List.Candidates[at], r.Object.(*request.Extension).Object
	name := a.p.NameOf(v)
	if at > 0 {
		a.add(code.ForcedChoice, result.Args{Subject: name, Request: r.Asked(a.p, r), Other: a.p.NameOf(r.List.Candidates[0])}, missing.Hopeless(a.p, r.List.Candidates[0])...)
	} else if head := r.Head(a.p, r); head.Name != name {
		why := missing.DeadEnd(a.p, r)
		if why == nil {
			why = missing.OneStep()
		}
		a.add(code.BelowHead, result.Args{Subject: name, Other: head.Name, Package: asked.Package, Request: r.Asked(a.p, r)}, why...)
	}
	// All candidates come from one catalog.
	snapshot := a.p.Catalogs[r.Looked[0]].Snapshot
	pkg := snapshot.Package(asked.Package)
	var b *catalog.Bundle
	if i := slices.IndexFunc(pkg.Bundles, func(id catalog.ID) bool { return snapshot.Bundle(id).Name == name }); i >= 0 {
		b = snapshot.Bundle(pkg.Bundles[i])
	}
	a.out.Refusals = request.Refusals(asked, name, a.p.PropertiesOf(v), a.p.ConstraintsOf(v))
	a.out.Warnings = append(a.out.Warnings, a.out.Refusals...)
	a.warnDeprecated(name, pkg, b, candidate.ChannelsNamed(pkg, asked.Channels)...)
}
