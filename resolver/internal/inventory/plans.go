package inventory

import (
	"slices"

	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/resolver/cluster"
)

// Plan returns the InstallPlan that counts for a Subscription which names one, nil if that is not
// known: the one named, unless it waits for approval and another one brings all of it, one that OLM
// carries out or else the newest that waits. OLM carries out each that is approved, whichever the
// Subscription names.
func Plan(n *cluster.NamespaceObjects, name string) *cluster.InstallPlan {
	named := Named(n.InstallPlans, name, func(p *cluster.InstallPlan) string { return p.Name })
	if named == nil || !named.Waits() {
		return named
	}
	if by := CarriedOut(n, named); by != nil {
		return by
	}
	if newest := NewestWaiting(n, func(p *cluster.InstallPlan) bool { return BringsAll(p, named.CSVs) }); newest != nil {
		return newest
	}
	return named
}

// NewestWaiting returns the InstallPlan of the newest generation that waits for approval, of those
// that count; nil if none does. OLM makes a new one when there is something else to install.
func NewestWaiting(n *cluster.NamespaceObjects, counts func(*cluster.InstallPlan) bool) *cluster.InstallPlan {
	var newest *cluster.InstallPlan
	for i := range n.InstallPlans {
		if p := &n.InstallPlans[i]; p.Waits() && !p.Automatic && counts(p) && (newest == nil || p.Generation >= newest.Generation) {
			newest = p
		}
	}
	return newest
}

// CarriedOut returns an InstallPlan that OLM carries out and that brings all that another one
// brings, nil if there is none.
func CarriedOut(n *cluster.NamespaceObjects, plan *cluster.InstallPlan) *cluster.InstallPlan {
	for i := range n.InstallPlans {
		if p := &n.InstallPlans[i]; p.Name != plan.Name && UnderWay(p) && BringsAll(p, plan.CSVs) {
			return p
		}
	}
	return nil
}

// UnderWay reports whether OLM carries an InstallPlan out, or does so next.
func UnderWay(p *cluster.InstallPlan) bool {
	return p.Phase == "Installing" || p.Phase == "RequiresApproval" && p.Approved
}

// BringsAll reports whether an InstallPlan brings all of some bundles.
func BringsAll(p *cluster.InstallPlan, bundles []string) bool {
	return len(bundles) > 0 && !slices.ContainsFunc(bundles, func(name string) bool { return !slices.Contains(p.CSVs, name) })
}

// AllThere reports whether all that an InstallPlan brings is there already. OLM then finds its steps
// done.
func AllThere(n *cluster.NamespaceObjects, p *cluster.InstallPlan) bool {
	return len(p.CSVs) > 0 && !slices.ContainsFunc(p.CSVs, func(name string) bool { return CSV(n, name) == nil })
}

// Brings returns the CustomResourceDefinition of that name that an InstallPlan brings, nil if none is known.
func Brings(plan *cluster.InstallPlan, definition string) *properties.Definition {
	if plan == nil {
		return nil
	}
	for i := range plan.Steps {
		if s := &plan.Steps[i]; s.Definition != nil && s.Name == definition {
			return s.Definition
		}
	}
	return nil
}
