package answer

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/inventory"
	"github.com/resolvent/resolvent/resolver/internal/model"
	"github.com/resolvent/resolvent/resolver/internal/words"
	"github.com/resolvent/resolvent/resolver/internal/world"
	"github.com/resolvent/resolvent/resolver/result"
)

// ChangeSet are the changes between a problem and the answers after them. Scopes are those that
// are still resolved.
type ChangeSet struct {
	List    []result.Change
	GivesUp []cluster.RequestKey
	Scopes  []cluster.Scope
}

// Effect is what becomes of what is installed, and what speaks against it.
type Effect struct {
	Then     result.Difference
	Cautions []result.Caution
	Risk     result.Risk
}

// installedKey identifies what is installed: in a namespace, or by a ClusterExtension.
type installedKey struct{ namespace, name string }

// installedBundles has the bundles that are installed, or would be.
type installedBundles map[installedKey]*model.InstalledBundle

// stateOf returns the bundles that are installed in a problem.
func stateOf(p *world.Problem) installedBundles {
	n := 0
	for _, p := range p.Model.Parts {
		n += len(p.Installed)
	}
	before := make(installedBundles, n)
	for _, p := range p.Model.Parts {
		for i := range p.Installed {
			if b := &p.Installed[i]; !b.Foreign {
				before[installedKey{p.Namespace, b.Name()}] = b
			}
		}
	}
	return before
}

// added is a bundle that an answer installs. replaces is zero if nothing goes for it.
type added struct {
	in       result.Version
	replaces installedKey
	entry    *catalog.Entry // through which it was selected, nil if there is none
}

// EffectOf compares a problem with the answers after changes. Without one nothing is resolved.
func EffectOf(given *world.Problem, changes ChangeSet, answers []*world.Try) Effect {
	var e Effect
	gone := stateOf(given)
	stay := len(gone)
	var installs []added
	for _, answer := range answers {
		for _, sel := range answer.Solution.Selected {
			p := answer.Problem.Model.Of(sel.Var)
			if b := p.AsInstalled(sel.Var); b != nil && !b.Foreign {
				delete(gone, installedKey{p.Namespace, b.Name()})
			}
		}
		installs = append(installs, installsOf(answer)...)
	}
	for key := range gone { // what is not resolved stays, but for what is deleted
		resolved := slices.ContainsFunc(changes.Scopes, func(s cluster.Scope) bool { return s.Namespace() == key.namespace })
		if !resolved && !deletes(changes.List, key) {
			delete(gone, key)
		}
	}
	for _, in := range installs {
		e.install(changes, in, gone)
	}
	e.Then.Stays = len(e.Then.Updates)+len(gone) < stay
	removeForeign(given, changes, gone)
	if len(gone) > 0 {
		e.remove(gone, providedBy(answers))
	}
	return e
}

// providedBy returns the kinds that the bundles of answers provide.
func providedBy(answers []*world.Try) map[properties.GVK]bool {
	provided := map[properties.GVK]bool{}
	for _, of := range answers {
		for _, sel := range of.Solution.Selected {
			for _, api := range of.Problem.Model.Of(sel.Var).PropertiesOf(sel.Var).GVKs() {
				provided[inventory.KindOf(api)] = true
			}
		}
	}
	return provided
}

// installsOf returns what an answer installs.
func installsOf(t *world.Try) (installs []added) {
	for i, r := range ResolutionsOf(t.Problem, t.Solution) {
		namespace := t.Problem.Model.Parts[i].Namespace
		for _, in := range r.Installs {
			version := in.Version
			made := added{in: result.Version{Bundle: in.Bundle, Version: &version}}
			for _, c := range t.Problem.Model.Parts[i].Catalogs {
				if c.Key == in.Bundle.Catalog && in.Channel != "" {
					made.entry = c.Snapshot.Package(in.Bundle.Package).Channel(in.Channel).Entry(in.Bundle.Name)
				}
			}
			if slices.Contains(r.Replaced, in.Replaces) {
				made.replaces = installedKey{namespace, in.Replaces}
			}
			installs = append(installs, made)
		}
	}
	return installs
}

func (e *Effect) caution(kind result.CautionKind, names ...string) {
	e.Cautions = append(e.Cautions, result.Caution{Kind: kind, Names: names})
}

// install adds what an installation replaces, which then is not gone.
func (e *Effect) install(changes ChangeSet, in added, gone installedBundles) {
	from := gone[in.replaces]
	if from == nil { // it is installed anew
		for _, key := range sortedKeys(gone) {
			if gone[key].PackageName() == in.in.Bundle.Package && !gone[key].Version.EQ(*in.in.Version) {
				in.replaces, from = key, gone[key]
				break
			}
		}
	}
	if from == nil {
		e.Then.Installs = append(e.Then.Installs, in.in)
		return
	}
	delete(gone, in.replaces)
	down := in.in.Version.LT(from.Version)
	if deletes(changes.List, in.replaces) {
		e.Risk = result.RiskRemoves
		e.caution(words.CautionReinstall, in.in.Bundle.Package)
		if !down && (in.entry == nil || !in.entry.Updates(from.Name(), &from.Version)) {
			e.caution(words.CautionUncertain, in.in.Bundle.Package)
		}
	}
	if down {
		e.caution(words.CautionDowngraded, in.in.Bundle.Package)
	}
	e.Then.Updates = append(e.Then.Updates, result.Update{From: versionOf(from), To: in.in, Down: down})
}

// remove adds what goes, and the APIs that nobody provides then.
func (e *Effect) remove(gone installedBundles, provided map[properties.GVK]bool) {
	for _, key := range sortedKeys(gone) {
		b := gone[key]
		if b.CSV.Phase == "Replacing" {
			continue // OLM does not count it any more
		}
		e.Then.Removes = append(e.Then.Removes, versionOf(b))
		anew := slices.ContainsFunc(e.Then.Installs, func(v result.Version) bool { return v.String() == versionOf(b).String() })
		if anew {
			e.caution(words.CautionReinstall, b.PackageName())
		}
		same := slices.ContainsFunc(e.Then.Installs, func(v result.Version) bool {
			return v.Bundle.Name == b.Name() && v.String() == versionOf(b).String()
		})
		if !same || b.Foreign { // another bundle, or what another kind of request installs, is not the same
			e.Risk = result.RiskRemoves
		}
		var alone []string
		for _, api := range b.Properties.GVKs() {
			if kind := inventory.KindOf(api); !provided[kind] {
				alone = append(alone, kind.Kind)
			}
		}
		if len(alone) > 0 {
			e.Risk = result.RiskRemoves // the catalog's bundle differs
			slices.Sort(alone)
			e.caution(words.CautionUnprovided, slices.Compact(alone)...)
		}
	}
}

// removeForeign adds what is removed outside of the resolved scopes.
func removeForeign(given *world.Problem, changes ChangeSet, gone installedBundles) {
	for _, p := range given.Model.Parts {
		for i := range p.Installed {
			b := &p.Installed[i]
			key := installedKey{b.CSV.Namespace, b.Name()}
			if !b.Foreign {
				continue
			}
			if deletes(changes.List, key) || b.CSV.Namespace == "" && slices.ContainsFunc(changes.GivesUp, func(k cluster.RequestKey) bool {
				e := given.Model.In.Cluster.Extension(k.Extension())
				return e != nil && e.Installed != nil && e.Installed.Name == b.Name()
			}) {
				gone[key] = b
			}
		}
	}
}

func deletes(changes []result.Change, key installedKey) bool {
	return Deletes(changes, key.namespace, key.name)
}

// Deletes reports whether a step deletes a ClusterServiceVersion.
func Deletes(changes []result.Change, namespace, name string) bool {
	return slices.ContainsFunc(changes, func(c result.Change) bool {
		return slices.ContainsFunc(c.Steps, func(s result.Step) bool {
			return s.Field == "" && s.Create == nil && s.Object == result.Object{Kind: words.ObjectCSV, Namespace: namespace, Name: name}
		})
	})
}

func sortedKeys(of installedBundles) []installedKey {
	return slices.SortedFunc(maps.Keys(of), func(a, b installedKey) int {
		return cmp.Or(strings.Compare(a.namespace, b.namespace), strings.Compare(a.name, b.name))
	})
}

// versionOf returns an installed bundle as results have it.
func versionOf(b *model.InstalledBundle) result.Version {
	v := result.Version{Bundle: catalog.BundleKey{Package: b.PackageName(), Name: b.Name()}}
	if _, stated := b.Properties.Package(); stated || b.CSV.Version != "" {
		v.Version = &b.Version
	}
	return v
}
