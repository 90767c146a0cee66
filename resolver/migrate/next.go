package migrate

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/constraints"
	"github.com/resolvent/resolvent/constraints/rules"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/inventory"
	"github.com/resolvent/resolvent/resolver/internal/words"
	"github.com/resolvent/resolvent/resolver/result"
)

// findNext finds what OLM v0 and v1 would install next. For v1 it resolves a cluster in which
// only this operator has moved.
func (j *judge) findNext(o *operator) error {
	p, key := j.problem, o.extension.Key()
	p.Catalogs = j.view
	p.Cluster = p.Cluster.WithNamespace(o.sub.Namespace, false, func(n *cluster.NamespaceObjects) {
		n.Subscriptions = slices.DeleteFunc(slices.Clone(n.Subscriptions), func(s cluster.Subscription) bool { return s.Name == o.sub.Name })
		n.CSVs = slices.DeleteFunc(slices.Clone(n.CSVs), func(v cluster.ClusterServiceVersion) bool { return o.csv != nil && v.Name == o.csv.Name })
	}).WithObjects(func(all *cluster.Objects) {
		all.ClusterExtensions = append(slices.Clone(all.ClusterExtensions), o.extension)
	})
	status := j.status[o.sub.Key()]
	if status != nil {
		o.next.V0 = status.Next
	}
	resolution, err := j.resolver.Resolve(j.ctx, p, key.Scope())
	if result.Of(err).Ended() {
		return err
	}
	best, refusals := refusedBest(err)
	if err != nil && best == "" {
		o.next.Why = words.OneLine(err.Error())
		if unhealthy, ok := errors.AsType[*result.CatalogsUnhealthy](err); !ok || !unhealthy.NotGiven() {
			o.next.Fails, o.next.Why = true, "OLM v1 would fail: "+o.next.Why
		}
		return nil
	}
	o.chooses, o.refusals = true, refusals
	if best != o.sub.InstalledCSV {
		o.next.V1 = best
	}
	if err == nil {
		for _, i := range resolution.Installs {
			if slices.ContainsFunc(i.For, func(f result.Obligation) bool { return f.Request == key }) {
				o.next.V1 = i.Bundle.Name
			}
		}
	}
	if o.next.V0 != o.next.V1 {
		o.next.Why = o.difference(status)
	}
	return nil
}

// refusedBest returns the bundle that OLM v1 chooses and then refuses, and why. It is empty if
// the error has another cause.
func refusedBest(err error) (best string, refusals []result.Reason) {
	failed, ok := errors.AsType[*result.NotSatisfiable](err)
	if !ok || failed.Explanation == nil {
		return "", nil
	}
	for leaf := range failed.Explanation.Leaves() {
		if leaf.Reason.Code() == words.Refused {
			return leaf.Reason.Args().Other, leaf.Reason.Because()
		}
	}
	return "", nil
}

// difference returns why OLM v0 and v1 would not install the same bundle.
func (o *operator) difference(status *result.Status) string {
	v0, v1 := o.offered(o.next.V0), o.offered(o.next.V1)
	channel := strings.Join(o.extension.Channels, ", ")
	switch {
	case o.next.V1 != "" && len(o.refusals) > 0:
		return "OLM v1 would refuse it: " + o.refusals[0].Message()
	case o.sub.Manual && o.next.V1 == "":
		return "approval is Manual: the ClusterExtension stays at version " + o.extension.Version
	case status != nil && status.State == result.StateHeld:
		return "OLM v0 waits for its OperatorCondition, which OLM v1 does not read"
	case status != nil && o.next.V0 == "" && status.Stuck():
		return "OLM v0 is stuck: " + words.OneLine(status.Reason())
	case v0 == nil && o.next.V0 != "":
		return fmt.Sprintf("ClusterCatalog %s does not have %s", o.source.name, o.next.V0)
	case v0 != nil && v0.Deprecation != "" && (v1 == nil || v1.Deprecation == ""):
		return fmt.Sprintf("%s is deprecated, and OLM v1 prefers what is not", v0.Name)
	case v0 != nil && !slices.ContainsFunc(o.channels(), func(c *catalog.Channel) bool { return c.Entry(v0.Name) != nil }):
		return fmt.Sprintf("OLM v0 takes %s from a channel other than %s, the default one, which the ClusterExtension names", v0.Name, channel)
	case v0 != nil && o.bundle != nil && o.next.V1 == "" && v0.Version.LE(o.bundle.Version):
		return fmt.Sprintf("the version of %s is not higher than what is installed, and OLM v1 takes the highest", v0.Name)
	case v0 == nil:
		return fmt.Sprintf("OLM v0 keeps to the order of channel %s, and OLM v1 takes the highest version that updates what is installed", channel)
	}
	return fmt.Sprintf("OLM v0 takes the update closest to the head of channel %s, and OLM v1 the highest version", channel)
}

// RefuseNext notes that OLM v1 would refuse the next bundle for what it changes in
// CustomResourceDefinitions, each a few words.
func (r *Row) RefuseNext(changes []string) {
	if len(changes) == 0 {
		return
	}
	r.Next.Fails = true
	r.Next.Why = fmt.Sprintf("OLM v1 would refuse the update to %s, for %d change%s of CustomResourceDefinitions (%s): "+
		"%s keeps running without updates, unless you set spec.install.preflight.crdUpgradeSafety.enforcement to None, which turns the check off for all its CustomResourceDefinitions: "+
		"do so only if your custom resources fit the new ones, and set it back to Strict afterwards",
		r.Next.V1, len(changes), words.Plural(len(changes)), words.Listed(changes, 1), r.Installed)
}

// snapshot returns the content of the ClusterCatalog, nil if it is not known.
func (o *operator) snapshot() *catalog.Snapshot {
	if content := o.view.Catalog(catalog.Key{Name: o.source.name}); content != nil {
		return content.Snapshot
	}
	return nil
}

// pkg returns the package in the ClusterCatalog, nil if there is none.
func (o *operator) pkg() *catalog.Package {
	if s := o.snapshot(); s != nil {
		return s.Package(o.sub.Package)
	}
	return nil
}

// offered returns a bundle of the package in the ClusterCatalog, nil if there is none.
func (o *operator) offered(name string) *catalog.Bundle {
	if s := o.snapshot(); s != nil {
		return s.Find(o.sub.Package, name)
	}
	return nil
}

// channels returns the channels of the ClusterExtension that exist.
func (o *operator) channels() (list []*catalog.Channel) {
	if pkg := o.pkg(); pkg != nil {
		for _, name := range o.extension.Channels {
			if c := pkg.Channel(name); c != nil {
				list = append(list, c)
			}
		}
	}
	return list
}

// dependents returns the installed bundles of the namespace that require the operator, by
// name: it alone satisfies one of their constraints there.
func (o *operator) dependents() []string {
	names := []string{}
	if o.csv == nil || o.states.Err != nil {
		return names
	}
	for i, csv := range o.counting {
		if csv.Name != o.csv.Name && slices.ContainsFunc(o.reads[i].Constraints, func(c constraints.Constraint) bool {
			for at, part := range constraints.Parts(c.Expr) {
				if strings.Contains(at, "not") || !o.satisfies(o.states, part) {
					continue
				}
				if !slices.ContainsFunc(o.reads, func(s inventory.BundleFacts) bool {
					return s.Properties != o.states.Properties && s.Err == nil && o.satisfies(s, part)
				}) {
					return true
				}
			}
			return false
		}) {
			names = append(names, csv.Name)
		}
	}
	return names
}

// sharing is a request for a package: a Subscription, or a ClusterExtension with the
// Subscription that it was, if any.
type sharing struct{ name, subscription string }

// sharePackages notes the requests of each package.
func (j *judge) sharePackages() {
	j.packages = map[string][]sharing{}
	for _, namespace := range j.problem.Cluster.Namespaces() {
		for _, s := range j.problem.Cluster.In(namespace).Subscriptions {
			name := s.Namespace + "/" + s.Name
			j.packages[s.Package] = append(j.packages[s.Package], sharing{name, name})
		}
	}
	for _, e := range j.problem.Cluster.Extensions() {
		j.packages[e.Package] = append(j.packages[e.Package], sharing{e.Name, e.MigratedFrom})
	}
}

// maxShared is the number of other requests of its package that a row names.
const maxShared = 100

// samePackage returns the other requests of the package, at most maxShared.
func (o *operator) samePackage() (names []string) {
	for _, other := range o.packages[o.sub.Package] {
		if other.subscription != o.sub.Namespace+"/"+o.sub.Name && len(names) < maxShared {
			names = append(names, other.name)
		}
	}
	return names
}

// satisfies reports whether a bundle by itself satisfies an expression.
func (j *judge) satisfies(s inventory.BundleFacts, e constraints.Expr) bool {
	verdict, _, err := constraints.Match(j.ctx, e, s.Properties, rules.Facts{})
	return err == nil && verdict == rules.Yes
}

// ordered numbers the eligible operators: each after those that depend on it, then by namespace
// and name. A cycle of dependencies is broken by name. objects are those to create.
func (j *judge) ordered(rows []Row) (numbered []Row, objects cluster.Objects) {
	var left []*Row
	numbered = slices.Clone(rows)
	for i := range numbered {
		if numbered[i].State == Eligible {
			left = append(left, &numbered[i])
		}
	}
	created := map[string]bool{}
	for n := 1; len(left) > 0; n++ {
		next := max(0, slices.IndexFunc(left, func(r *Row) bool {
			return !slices.ContainsFunc(left, func(other *Row) bool {
				return other != r && other.Namespace == r.Namespace && slices.Contains(r.Dependents, other.Installed)
			})
		}))
		row := left[next]
		row.Order, left = n, slices.Delete(left, next, next+1)
		extension := *row.Object
		extension.Installed = nil // OLM writes the status
		objects.ClusterExtensions = append(objects.ClusterExtensions, extension)
		for _, k := range j.keys {
			s := j.sources[k]
			if s.created != nil && s.name == row.Catalog && !created[s.name] {
				created[s.name] = true
				objects.ClusterCatalogs = append(objects.ClusterCatalogs, *s.created)
			}
		}
	}
	return numbered, objects
}
