package answer

import (
	"cmp"
	"slices"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/resolver/internal/explain"
	"github.com/resolvent/resolvent/resolver/internal/inventory"
	"github.com/resolvent/resolvent/resolver/internal/model"
	"github.com/resolvent/resolvent/resolver/internal/reason"
	"github.com/resolvent/resolvent/resolver/internal/request"
	"github.com/resolvent/resolvent/resolver/internal/words"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/solver"
)

// warn adds the warnings that are not about one bundle, and sorts all.
func (a *answer) warn() {
	a.add(a.p.Visibility.Warnings...)
	for i := range a.scope.Requests {
		if !a.p.Kind.Span.ByChannel {
			a.warnChoice(&a.scope.Requests[i])
		}
		a.warnQuarantine(&a.scope.Requests[i])
		for _, of := range []func(*model.Part, *request.Request) (result.Reason, bool){request.Starts, request.ChosenAnyway} {
			if why, said := of(a.p, &a.scope.Requests[i]); said {
				a.add(why)
			}
		}
	}
	a.out.Warnings = SortWarnings(a.out.Warnings)
	for _, w := range a.out.Warnings {
		if w.Refuses() {
			a.out.Refusals = append(a.out.Refusals, w)
		}
	}
}

// warnKept adds the warnings about a kept bundle, for each Subscription that installed it.
func (a *answer) warnKept(b *model.InstalledBundle, v solver.Var) {
	for _, i := range b.Subscriptions {
		r := &a.scope.Requests[i]
		at := r.List.Place(v)
		if at.Channel == nil {
			a.warnUnlisted(b, r.Stated(a.p, r))
			a.warnBeyond(b, r)
			continue
		}
		catalogIndex := slices.IndexFunc(a.p.Catalogs, func(c model.Catalog) bool {
			pkg := c.Snapshot.Package(at.Channel.Package)
			return pkg != nil && pkg.Channel(at.Channel.Name) == at.Channel
		})
		var listed *catalog.Bundle
		if id := at.At().Bundle; id != catalog.NoBundle {
			listed = a.p.Catalogs[catalogIndex].Snapshot.Bundle(id)
		}
		a.warnDeprecated(b.Name(), a.p.Catalogs[catalogIndex].Snapshot.Package(at.Channel.Package), listed, at.Channel)
		a.warnBelowHead(v, catalogIndex, b.Name(), at)
	}
}

// warnUnlisted adds the deprecations of package and channel for a kept bundle that its
// channel does not list any more.
func (a *answer) warnUnlisted(b *model.InstalledBundle, stated *result.Request) {
	if b.Own == model.NoCatalog {
		return
	}
	if pkg := a.p.Catalogs[b.Own].Snapshot.Package(stated.Package); pkg != nil {
		a.warnDeprecated(b.Name(), pkg, nil, model.ChannelsNamed(pkg, stated.Channels)...)
	}
}

// warnBeyond warns of a kept bundle that its channel does not list, and states why nothing
// in the channel replaces it.
func (a *answer) warnBeyond(b *model.InstalledBundle, r *request.Request) {
	head := r.Head(a.p, r)
	if head.Name == "" {
		return
	}
	why := explain.Held(a.p, r)
	if why == nil {
		why = slices.Concat(explain.Update(a.p, r), explain.DeadEnd(a.p, r))
	}
	a.add(reason.NotListed(b.Name(), r.PackageName(), head.Name, head.Place.Channel.Name, why...))
}

// warnInstalled adds the warnings about a new bundle. Where channels do not order, warnChoice adds
// most of those about the bundle of a request.
func (a *answer) warnInstalled(v solver.Var, b *catalog.Bundle, at catalog.Place) {
	c, id := a.p.Locate(v)
	if at.Channel != nil && !(!a.p.Kind.Span.ByChannel && slices.Contains(a.scope.Requests[0].List.Candidates, v)) {
		a.warnDeprecated(b.Name, a.p.Catalogs[c].Snapshot.Package(at.Channel.Package), b, at.Channel)
		a.warnBelowHead(v, c, b.Name, at)
	}
	for _, i := range a.requests[a.at(v)] {
		if why, not := request.NotTaken(a.p, &a.scope.Requests[i], a.p.Catalogs[c].Key, b.Name); not {
			a.add(why)
		}
	}
	if a.p.Judge.Rules().JudgeCandidates() {
		for _, breach := range a.p.Judge.Breaches(c, id) { // none denies what was selected
			a.add(reason.PolicyWarning(b.Name, breach))
		}
	}
	a.add(request.RefusedDefinitions(a.p.In.Cluster, a.p.In.Cluster.Extension(a.p.Scope.Extension()), b.Name, b.Properties)...)
	a.add(Seconds(a.p, b.Name, b.Properties, false)...)
	if a.p.Kind.Namespaced && inventory.AccountOf(a.p.In.Cluster, a.p.Namespace) != nil {
		if rights := request.MissingRights(a.p.In.Cluster, a.p.Namespace, *request.BroughtBy(a.p, v)); rights != nil {
			a.add(rights.Refused(b.Name))
		}
	}
	a.add(NeverInstalled(a.p, b.Name, b.Properties)...)
	if err := b.Properties.OpenShiftFault(); err != nil {
		a.add(reason.OpenShiftLimit(b.Name, err))
	}
	if limits := a.p.Model.Limits(); limits.Refuse(b.Properties) == words.OpenShift {
		limit, has := limits.OpenShift(b.Properties)
		a.add(reason.AboveLimit(b.Name, limit, has))
	}
}

// selection is what a solution selects for all Parts, which may have many answers.
type selection struct {
	m   *model.Model
	all []solver.Selection
	// heirs has the first bundle of each package, and provided all APIs, once so many were asked
	// for.
	heirs          map[string]*properties.Set
	provided       map[properties.GVK]bool
	packages, apis int
}

// bundles are the selected ones, in order.
func (s *selection) bundles(yield func(*properties.Set) bool) {
	for _, sel := range s.all {
		if !yield(s.m.Of(sel.Var).PropertiesOf(sel.Var)) {
			return
		}
	}
}

// heir returns the first selected bundle of a package, nil if there is none.
func (s *selection) heir(pkg string) *properties.Set {
	if s.packages++; s.packages < manyAsked {
		for b := range s.bundles {
			if of, ok := b.Package(); ok && of.Name == pkg {
				return b
			}
		}
		return nil
	}
	if s.heirs == nil {
		s.heirs = map[string]*properties.Set{}
		for b := range s.bundles {
			if of, ok := b.Package(); ok && s.heirs[of.Name] == nil {
				s.heirs[of.Name] = b
			}
		}
	}
	return s.heirs[pkg]
}

func (s *selection) provides(api properties.GVK) bool {
	if s.apis++; s.apis < manyAsked {
		for b := range s.bundles {
			if b.Provides(api) {
				return true
			}
		}
		return false
	}
	if s.provided == nil {
		s.provided = map[properties.GVK]bool{}
		for b := range s.bundles {
			for _, api := range b.GVKs() {
				s.provided[api] = true
			}
		}
	}
	return s.provided[api]
}

// warnDropped warns of APIs of replaced bundles that nothing selected provides.
func (a *answer) warnDropped(replaced []*model.InstalledBundle) {
	for _, b := range replaced {
		pkg, _ := b.Properties.Package()
		// The heir is asked first, as it provides most of them.
		heir := a.selection.heir(pkg.Name)
		var gone []properties.GVK
		for _, api := range b.Properties.GVKs() {
			if (heir == nil || !heir.Provides(api)) && !a.selection.provides(api) {
				gone = append(gone, api)
			}
		}
		if len(gone) > 0 {
			a.add(reason.DroppedVersions(b.Name(), gone))
		}
	}
}

// warnDeprecated warns of the [Deprecations] of a package, of channels, and of a bundle.
func (a *answer) warnDeprecated(subject string, pkg *catalog.Package, b *catalog.Bundle, channels ...*catalog.Channel) {
	a.add(Deprecations(subject, pkg, b, channels...)...)
}

// Deprecations returns those of a package, of channels, and of a bundle unless b is nil.
func Deprecations(subject string, pkg *catalog.Package, b *catalog.Bundle, channels ...*catalog.Channel) (list []result.Reason) {
	add := func(bundle, channel, message string) {
		if message != "" {
			list = append(list, reason.Deprecation(subject, pkg.Name, bundle, channel, message))
		}
	}
	add("", "", pkg.Deprecation)
	for _, c := range channels {
		add("", c.Name, c.Deprecation)
	}
	if b != nil {
		add(b.Name, "", b.Deprecation)
	}
	return list
}

// warnBelowHead warns of a choice that is not the head of its channel.
func (a *answer) warnBelowHead(v solver.Var, catalog int, name string, at catalog.Place) {
	head := at.Channel.Head()
	if !a.p.Kind.Span.ByChannel || head == nil || head.Name == name {
		return
	}
	about := reason.About{Subject: name, Package: at.Channel.Package}
	a.add(reason.BelowHead(about, head.Name, at.Channel.Name, nil, a.belowHead(v, catalog, at)...))
}

// belowHead returns why a choice is below the head, nil if that takes another resolution.
func (a *answer) belowHead(v solver.Var, catalogIndex int, at catalog.Place) []result.Reason {
	p := a.p
	for _, i := range a.requests[a.at(v)] {
		r := &a.scope.Requests[i]
		switch {
		case r.Current >= 0 && p.Installed[r.Current].Held() != nil:
			return explain.Held(p, r)
		case r.Current >= 0 && p.InstalledVar(r.Current) != v && !a.isCandidate(r, catalogIndex, at.Channel.Head()):
			why := []result.Reason{reason.OneStep()}
			if b := p.Catalogs[catalogIndex].Snapshot.Bundle(at.Channel.Head().Bundle); b == nil || b.Properties.Deprecated() {
				why = append(why, explain.HopelessHead(p, catalogIndex, at.Channel)...)
			}
			return why
		case r.Current < 0 && r.Stated(p, r).StartingCSV != "":
			return []result.Reason{reason.ByStartingCSV()}
		}
	}
	hopeless := explain.HopelessHead(p, catalogIndex, at.Channel)
	b := p.AsInstalled(v)
	if hopeless != nil || b == nil {
		return hopeless
	}
	var end []result.Reason
	for _, i := range b.Subscriptions {
		if r := &a.scope.Requests[i]; r.PackageName() == at.Channel.Package {
			if hopeless == nil {
				hopeless = explain.Update(p, r)
			}
			if end == nil {
				end = explain.DeadEnd(p, r)
			}
		}
	}
	return append(hopeless, end...)
}

// isCandidate reports whether an entry's bundle is a candidate of a request.
func (a *answer) isCandidate(r *request.Request, of int, e *catalog.Entry) bool {
	return e.Bundle != catalog.NoBundle && slices.Contains(r.List.Candidates, a.p.Number(of, e.Bundle))
}

// warnQuarantine warns of faults that took something from a requested package.
func (a *answer) warnQuarantine(r *request.Request) {
	for i, c := range a.p.Catalogs {
		faults := explain.Quarantined(a.p, i, r.PackageName())
		if more := len(faults) - maxFaultWarnings; more > 0 {
			faults = faults[:maxFaultWarnings]
			a.add(reason.CatalogFault(r.PackageName(), c.Key, nil, more))
		}
		for _, f := range faults {
			a.add(reason.CatalogFault(r.PackageName(), c.Key, f, 0))
		}
	}
}

// SortWarnings sorts warnings by what they decide, kind, subject and message, and drops repeats.
func SortWarnings(list []result.Reason) []result.Reason {
	if len(list) < 2 {
		return list
	}
	type keyed struct {
		at            int
		first         int // 0 if OLM would not install the subject, 2 if it goes on by itself, or was asked for
		kind, subject string
	}
	keys, messages := make([]keyed, len(list)), make([]string, len(list))
	for i := range list {
		keys[i] = keyed{i, 1, string(list[i].Kind()), list[i].Args().Subject}
		if list[i].Refuses() {
			keys[i].first = 0
		} else if slices.ContainsFunc(list[i].Because(), func(r result.Reason) bool { return r.Code() == words.OneStep || r.Code() == words.ByStartingCSV }) {
			keys[i].first = 2
		}
	}
	message := func(i int) string { // few are needed
		if messages[i] == "" {
			messages[i] = list[i].Message()
		}
		return messages[i]
	}
	compare := func(x, y keyed) int {
		if c := cmp.Or(x.first-y.first, cmp.Compare(x.kind, y.kind), cmp.Compare(x.subject, y.subject)); c != 0 || x.at == y.at {
			return c
		}
		return cmp.Compare(message(x.at), message(y.at))
	}
	slices.SortStableFunc(keys, compare)
	keys = slices.CompactFunc(keys, func(x, y keyed) bool { return compare(x, y) == 0 })
	return words.Mapped(keys, func(k keyed) result.Reason { return list[k.at] })
}

// warnChoice adds the warnings about the bundle that satisfies a request, new or kept, by what
// else the request admits.
func (a *answer) warnChoice(r *request.Request) {
	at := slices.IndexFunc(r.List.Candidates, func(v solver.Var) bool { return a.at(v) >= 0 })
	if at < 0 {
		return
	}
	v, stated := r.List.Candidates[at], r.Stated(a.p, r)
	name := a.p.NameOf(v)
	if at > 0 {
		best := r.List.Candidates[0]
		a.add(reason.ForcedChoice(name, stated, a.p.NameOf(best), explain.Hopeless(a.p, best)...))
	} else if head := r.Head(a.p, r); head.Name != name {
		why := explain.DeadEnd(a.p, r)
		if why == nil {
			why = []result.Reason{reason.OneStep()}
		}
		a.add(reason.BelowHead(reason.About{Subject: name, Package: stated.Package}, head.Name, "", stated, why...))
	}
	// All candidates come from one catalog.
	snapshot := a.p.Catalogs[r.Looked[0]].Snapshot
	pkg := snapshot.Package(stated.Package)
	a.add(r.Refusals(a.p, v)...)
	a.warnDeprecated(name, pkg, snapshot.Find(stated.Package, name), model.ChannelsNamed(pkg, stated.Channels)...)
}
