package world

import (
	"github.com/resolvent/resolvent/constraints"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/model"
	"github.com/resolvent/resolvent/resolver/internal/words"
	"github.com/resolvent/resolvent/solver"
)

// Ties say which bundles of a namespace may have a bearing on the choice of each other, after any
// updates and changes of channel: those that share a group, or of which one requires what the
// other is. All bundles of a package that is requested or required count, whatever their version.
type Ties struct {
	part *model.Part
	// parent leads from a group towards the one that stands for all that are tied to it.
	parent []solver.Group
}

// Ties returns the ties of the only scope, nil if they are not known: it is no namespace, or a
// bundle requires what is not looked up by package or API, and which any bundle may satisfy.
func (p *Problem) Ties() *Ties {
	part := p.Scopes[0].Part
	if !part.Kind.Namespaced {
		return nil
	}
	t := &Ties{part: part}
	var packages []string
	seen := map[string]bool{}
	reach := func(name string) {
		if !seen[name] {
			seen[name], packages = true, append(packages, name)
		}
	}
	add := func(v solver.Var) (known bool) {
		groups := part.Model.Groups(v) // never empty
		for _, g := range groups {
			t.tie(groups[0], g)
		}
		for _, c := range part.ConstraintsOf(v) {
			for _, e := range constraints.Parts(c.Expr) {
				switch e := e.(type) {
				case constraints.Package:
					reach(e.Name)
					t.tie(groups[0], t.of(words.OnePackage, e.Name))
				case constraints.GVK:
					for c := range part.Catalogs {
						for _, id := range part.Catalogs[c].Snapshot.Providers(e.GVK) {
							reach(part.Catalogs[c].Snapshot.Bundle(id).Package)
						}
					}
					t.tie(groups[0], part.Universe.Groups.Of(model.GroupKey{Code: words.OneAPI, API: e.GVK}))
				case constraints.Not: // its parts come next; of a bundle any other one may satisfy it
					if part.In.Options.BundleScope {
						return false
					}
				case constraints.All, constraints.Any: // their parts come next
				default:
					return false
				}
			}
		}
		return true
	}
	for i := range part.State.Subscriptions {
		s := &part.State.Subscriptions[i]
		reach(s.Package)
		if s.InstalledCSV != "" {
			t.tie(t.of(words.OnePackage, s.Package), t.of(words.OneName, s.InstalledCSV))
		}
	}
	for i := range part.State.CSVs {
		if csv := &part.State.CSVs[i]; csv.Replaces != "" {
			t.tie(t.of(words.OneName, csv.Name), t.of(words.OneName, csv.Replaces))
		}
	}
	for i := range part.Installed {
		if !add(part.InstalledVar(i)) {
			return nil
		}
	}
	for ; len(packages) > 0; packages = packages[1:] {
		for c := range part.Catalogs {
			for _, id := range part.Catalogs[c].Snapshot.Packaged(packages[0]) {
				if !add(part.Number(c, id)) {
					return nil
				}
			}
		}
	}
	return t
}

// of returns what stands for all that are tied to a package or to a bundle, by its name.
func (t *Ties) of(c words.Code, name string) solver.Group {
	return t.find(t.part.Universe.Groups.Of(model.GroupKey{Code: c, Name: name}))
}

func (t *Ties) find(g solver.Group) solver.Group {
	for int(g) < len(t.parent) && t.parent[g] != g {
		t.parent[g] = t.parent[t.parent[g]]
		g = t.parent[g]
	}
	return g
}

func (t *Ties) tie(a, b solver.Group) {
	for g := len(t.parent); g <= int(max(a, b)); g++ {
		t.parent = append(t.parent, solver.Group(g))
	}
	t.parent[t.find(a)] = t.find(b)
}

// Keep leaves in a namespace only what may have a bearing on some bundles: Subscriptions, and what
// is installed.
func (t *Ties) Keep(n *cluster.NamespaceObjects, bundles []string) {
	tied := map[solver.Group]bool{}
	for _, name := range bundles {
		tied[t.of(words.OneName, name)] = true
	}
	n.Subscriptions = kept(n.Subscriptions, func(s *cluster.Subscription) bool { return tied[t.of(words.OnePackage, s.Package)] })
	n.CSVs = kept(n.CSVs, func(v *cluster.ClusterServiceVersion) bool { return tied[t.of(words.OneName, v.Name)] })
}

// kept returns the objects of a list that stay. Mostly they are few.
func kept[T any](list []T, stays func(*T) bool) (few []T) {
	for i := range list {
		if stays(&list[i]) {
			few = append(few, list[i])
		}
	}
	return few
}
