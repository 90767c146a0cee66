package random

import (
	"math/rand/v2"
	"slices"

	"github.com/resolvent/resolvent/resolver/internal/oracle"
)

// Observed is a random Problem with what OLM may state of it: phases, conditions and
// InstallPlans, and now and then a catalog whose source failed. The same seed gives the
// same one.
func Observed(seed uint64) *oracle.Problem {
	g := &generator{Rand: rand.New(rand.NewPCG(seed, 8)), p: Problem(seed)}
	for i := range g.p.Catalogs {
		g.p.Catalogs[i].Down = g.chance(0.04)
	}
	for i := range g.p.Installed {
		if g.chance(0.12) {
			g.p.Installed[i].Phase = pick(g, []string{"Failed", "Failed", "Installing", "Pending", "Unknown"})
		}
	}
	for range g.IntN(3) {
		plan := oracle.Plan{
			Name: "install-" + pick(g, []string{"a", "b", "c"}), Approved: g.chance(0.3),
			Phase: pick(g, []string{"RequiresApproval", "RequiresApproval", "RequiresApproval", "Installing", "Complete", "Failed"}),
		}
		for range 1 + g.IntN(3) {
			plan.CSVs = append(plan.CSVs, g.bundleName(pick(g, packageNames[:4])))
		}
		slices.Sort(plan.CSVs)
		if plan.CSVs = slices.Compact(plan.CSVs); !slices.ContainsFunc(g.p.Plans, func(known oracle.Plan) bool { return known.Name == plan.Name }) {
			g.p.Plans = append(g.p.Plans, plan)
		}
	}
	for i := range g.p.Subscriptions {
		s := &g.p.Subscriptions[i]
		if g.chance(0.5) {
			s.Plan = "install-" + pick(g, []string{"a", "b", "c"})
		}
		if g.chance(0.4) {
			s.CurrentCSV = g.bundleName(s.Package)
		}
		for g.chance(0.25) {
			c := oracle.Condition{Type: pick(g, conditions), Status: pick(g, []string{"True", "False", "Unknown"})}
			if !slices.ContainsFunc(s.Conditions, func(known oracle.Condition) bool { return known.Type == c.Type }) {
				s.Conditions = append(s.Conditions, c)
			}
		}
	}
	return g.p
}

// conditions are types of those of a Subscription.
var conditions = []string{"BundleUnpackFailed", "InstallPlanFailed", "InstallPlanPending", "ResolutionFailed", "CatalogSourcesUnhealthy"}
