package inputs

import (
	"io"
	"slices"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/examples/resolvent/internal/terminal"
	"github.com/resolvent/resolvent/resolver/cluster"
)

// Planned returns the cluster with a Subscription for each bundle that a written InstallPlan
// names: one that OLM has not looked at yet, in a namespace without a Subscription. Others
// only carry out what Subscriptions ask for.
func Planned(c *cluster.Index, view *cache.View, stderr io.Writer) *cluster.Index {
	objects := c.Objects()
	var made []cluster.Subscription
	for _, plan := range objects.InstallPlans {
		if plan.Phase != "" || len(c.In(plan.Namespace).Subscriptions) > 0 {
			continue
		}
		for _, name := range plan.CSVs {
			s := cluster.Subscription{Namespace: plan.Namespace, StartingCSV: name, Manual: !plan.Automatic}
			if !startsFrom(&s, view) {
				terminal.Printf(stderr, "InstallPlan %s is ignored: it names %s, which no catalog for Subscriptions has in a channel\n", plan.Name, name)
				continue
			}
			if slices.ContainsFunc(made, func(o cluster.Subscription) bool { return o.Namespace == s.Namespace && o.Package == s.Package }) {
				continue // another plan asks for the package
			}
			s.Name = unusedName(made, s.Namespace, s.Package)
			made = append(made, s)
			terminal.Printf(stderr, "InstallPlan %s is resolved as a Subscription that starts from %s: OLM only executes plans that it created, so apply what lock -o subscriptions prints instead\n", plan.Name, name)
		}
	}
	if len(made) == 0 {
		return c
	}
	objects.Subscriptions = append(slices.Clone(objects.Subscriptions), made...)
	return cluster.NewIndex(objects)
}

// startsFrom sets package and channel of a Subscription: the default channel of the first
// catalog that has its bundle, else a channel that lists it.
func startsFrom(s *cluster.Subscription, view *cache.View) bool {
	for c := range view.Catalogs() {
		if c.Key.Namespace == "" || c.Snapshot == nil {
			continue
		}
		for pkg := range c.Snapshot.Packages() {
			has := func(channel *catalog.Channel) bool { return channel != nil && channel.Entry(s.StartingCSV) != nil }
			if c.Snapshot.Find(pkg.Name, s.StartingCSV) == nil {
				continue
			}
			s.Package = pkg.Name
			if has(pkg.Channel(pkg.DefaultChannel)) {
				return true
			}
			for _, channel := range pkg.Channels {
				if has(channel) {
					s.Channel = channel.Name
					return true
				}
			}
		}
	}
	return false
}
