package model

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/constraints/rules"
	"github.com/resolvent/resolvent/resolver/policy"
	"github.com/resolvent/resolvent/solver"
)

// Judge judges the bundles and answers of a Part by the rules of policies.
type Judge struct {
	p     *Part
	rules *policy.Rules
	read  bool
	// judged are the caches of the groups of rules, by catalog. The last one has what rules
	// about changes read.
	judged [][]*Judgments
	// current are the installed bundles by package.
	current map[string]*InstalledBundle
}

// Rules returns the rules that count for the Part, nil if there are none.
func (j *Judge) Rules() *policy.Rules {
	if !j.read {
		j.rules, j.read = j.readRules(), true
	}
	return j.rules
}

func (j *Judge) readRules() *policy.Rules {
	in := j.p.In
	if len(in.Options.Policies) == 0 {
		return nil
	}
	objects := in.Cluster.ClusterScoped()
	at := policy.Place{Facts: j.p.Facts, Today: objects.Date}
	at.Facts.Namespace = j.p.Kind.RunsIn(in.Cluster, j.p.Scope)
	for _, n := range objects.Namespaces {
		if n.Name == at.Facts.Namespace {
			at.Labels = n.Labels
		}
	}
	return at.Rules(in.Options.Policies)
}

// Breaches returns the rules that a catalog's bundle breaks if it is newly selected. It is
// empty if the context or the limit of the cost of rules ends it.
func (j *Judge) Breaches(c int, id catalog.ID) []policy.Breach {
	rules, p := j.Rules(), j.p
	if !rules.JudgeCandidates() {
		return nil
	}
	b := p.Catalogs[c].Snapshot.Bundle(id)
	if slices.Contains(p.In.Options.Exceptions, policy.Exception{Namespace: p.Namespace, Bundle: b.Name}) {
		return nil
	}
	var facts, installed *policy.Bundle
	if of := j.currentOf(b.Package); of != nil {
		installed = j.installed(of, b.Package)
	}
	var list []policy.Breach
	var spent uint64
	caches := j.caches(c)
	for i, g := range rules.Groups() {
		cached := !g.Installed || installed == nil
		judgment := (*Judgment)(nil)
		if cached {
			judgment = caches[i].Of(id)
		}
		if judgment == nil {
			if facts == nil {
				facts = j.Offered(c, b)
			}
			breaches, cost, err := g.Candidate(p.Pace.Ctx, facts, installed)
			if err != nil {
				return j.charged(nil, 0, err)
			}
			if judgment = (&Judgment{Breaches: breaches, Cost: cost}); cached {
				caches[i].Keep(id, judgment)
			}
		}
		list, spent = append(list, judgment.Breaches...), spent+judgment.Cost
	}
	rules.Sort(list)
	return j.charged(list, spent, nil)
}

// currentOf returns the installed bundle of a package, nil if there is none.
func (j *Judge) currentOf(pkg string) *InstalledBundle {
	if j.current == nil {
		j.current = map[string]*InstalledBundle{}
		for i := range slices.Backward(j.p.Installed) {
			if of := &j.p.Installed[i]; !of.Foreign {
				j.current[of.PackageName()] = of
				for _, name := range of.Packages {
					j.current[name] = of
				}
			}
		}
	}
	return j.current[pkg]
}

// caches returns the caches of the groups of rules for a catalog. Verdicts depend on its
// labels, which may change while the Universe stays.
func (j *Judge) caches(c int) []*Judgments {
	if j.judged == nil {
		j.judged = make([][]*Judgments, len(j.p.Catalogs))
	}
	if j.judged[c] == nil {
		facts := fmt.Sprintf(" %d ", c) // catalogs may share a snapshot
		if known := j.p.In.View.Catalog(j.p.Catalogs[c].Key); known != nil {
			facts += rules.Facts{Labels: known.Labels}.Key()
		}
		for _, g := range j.Rules().Groups() {
			j.judged[c] = append(j.judged[c], j.p.Universe.Judgments(g.Key+facts, c))
		}
		j.judged[c] = append(j.judged[c], j.p.Universe.Judgments(facts, c))
	}
	return j.judged[c]
}

// Changes returns the rules that changes break. It is empty if the context or the limit of the
// cost of rules ends it.
func (j *Judge) Changes(changes []policy.Change, plan *policy.Plan) []policy.Breach {
	list, cost, err := j.Rules().Changes(j.p.Pace.Ctx, changes, plan)
	return j.charged(list, cost, err)
}

// charged adds to the cost of rules, which the options limit.
func (j *Judge) charged(list []policy.Breach, cost uint64, err error) []policy.Breach {
	limit := cmp.Or(j.p.In.Options.MaxRuleCost, defaultMaxRuleCost)
	switch {
	case err != nil:
		j.p.Pace.Fail(err)
	case j.p.match.costs.add(cost) > uint64(limit):
		j.p.Pace.Fail(TooLarge(j.p.Scope.String(), "units of rule cost", limit))
	default:
		return list
	}
	return nil
}

// Bundle returns a bundle as rules read it. It is shared: read it only.
func (j *Judge) Bundle(v solver.Var) *policy.Bundle {
	if b := j.p.AsInstalled(v); b != nil {
		return j.installed(b, b.PackageName())
	}
	c, id := j.p.Locate(v)
	caches := j.caches(c)
	known := caches[len(caches)-1]
	judgment := known.Of(id)
	if judgment == nil {
		judgment = &Judgment{Facts: j.Offered(c, j.p.Catalogs[c].Snapshot.Bundle(id))}
		known.Keep(id, judgment)
	}
	return judgment.Facts
}

// Offered returns a catalog's bundle as rules read it.
func (j *Judge) Offered(c int, b *catalog.Bundle) *policy.Bundle {
	from := &j.p.Catalogs[c]
	var labels map[string]string
	if known := j.p.In.View.Catalog(from.Key); known != nil {
		labels = known.Labels
	}
	return policy.Listed(from.Key, from.Priority, labels, from.Snapshot, b)
}

// installed returns an installed bundle as rules read it, with what its catalog states if
// that has it.
func (j *Judge) installed(b *InstalledBundle, pkg string) *policy.Bundle {
	facts := &policy.Bundle{}
	if b.Own != NoCatalog {
		if listed := j.p.Catalogs[b.Own].Snapshot.Find(pkg, b.Name()); listed != nil {
			facts = j.Offered(b.Own, listed)
		}
		facts.Bundle.Catalog = j.p.Catalogs[b.Own].Key
	}
	facts.Bundle.Name, facts.Bundle.Package, facts.Version, facts.Properties = b.Name(), pkg, b.Version, b.Properties
	facts.Date(b.CSV)
	return facts
}

// denying returns the breaches of rules that forbid a bundle. Warnings are not among them.
func denying(breaches []policy.Breach) []policy.Breach {
	return slices.DeleteFunc(slices.Clone(breaches), func(b policy.Breach) bool { return b.Rule.Warn })
}
