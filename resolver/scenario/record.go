package scenario

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/model"
	"github.com/resolvent/resolvent/resolver/internal/outcome"
	"github.com/resolvent/resolvent/resolver/internal/words"
	"github.com/resolvent/resolvent/resolver/internal/world"
	"github.com/resolvent/resolvent/resolver/manifest"
)

var errNotExact = errors.New("the recorded scenario has another outcome than the problem")

// Record returns the problem as a scenario: the objects, the packages in its footprint with
// their faults, and the verdicts of the system constraint. The outcome of the problem is the
// wanted one. Record runs the scenario and compares the outcomes, texts included. The error
// is that of the context, or that the outcomes differ.
func (q *Question) Record(ctx context.Context) (*Scenario, error) {
	if q.Problem.Cluster == nil {
		q = &Question{Problem: q.Problem, Scopes: q.Scopes, contents: q.contents}
		q.Problem.Cluster = cluster.NewIndex(cluster.Objects{})
	}
	reached, err := outcome.FootprintOf(ctx, world.New(world.NewEngine(), model.NewInputs(q.Problem.Cluster, q.Problem.Catalogs, &q.Problem.Options)), q.Scopes)
	if err != nil {
		return nil, err
	}
	var want strings.Builder
	q.print(ctx, printer{out: &want, texts: true})
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	// The footprint suffices, unless a fault of a catalog concerns several packages. Then
	// whole catalogs may suffice.
	for _, packages := range []func(*cache.Catalog) []string{
		func(c *cache.Catalog) []string { return reached.Packages[c.Key] },
		allPackages,
	} {
		s, err := record(ctx, q, reached, packages)
		if err != nil {
			return nil, err
		}
		if s.Want, err = s.Run(ctx); err != nil {
			return nil, err
		}
		if s.Want == want.String() {
			return s, nil
		}
	}
	return nil, errNotExact
}

func allPackages(c *cache.Catalog) []string {
	var names []string
	if c.Snapshot != nil {
		for pkg := range c.Snapshot.Packages() {
			names = append(names, pkg.Name)
		}
	}
	return names
}

func record(ctx context.Context, q *Question, reached *outcome.Footprint, packages func(*cache.Catalog) []string) (*Scenario, error) {
	s := &Scenario{Comment: "A recorded problem: " + strings.Join(words.Texts(q.Scopes), ", ") + ".\n", Options: recordOptions(q)}
	o := &s.Options
	o.Priorities, o.Unhealthy, o.Recorded = map[string]int{}, map[string]string{}, map[string]recorded{}
	o.CatalogLabels = map[string]map[string]string{}
	for b, reason := range reached.Forbidden {
		o.Forbid = append(o.Forbid, Verdict{b.Catalog.String(), b.Package, b.Name, reason})
	}
	slices.SortFunc(o.Forbid, func(a, b Verdict) int {
		return cmp.Or(cmp.Compare(a.Catalog, b.Catalog), cmp.Compare(a.Package, b.Package), cmp.Compare(a.Bundle, b.Bundle))
	})
	objects := relevant(q)
	for c := range q.Problem.Catalogs.Catalogs() {
		key := c.Key.String()
		o.Priorities[key] = c.Priority
		if c.Key.Namespace != "" && len(c.Labels) > 0 && len(o.Policies) > 0 {
			o.CatalogLabels[key] = c.Labels
		}
		if c.Key.Namespace == "" {
			objects.ClusterCatalogs = withLabels(objects.ClusterCatalogs, c)
		}
		switch {
		case c.Err != nil:
			o.Unhealthy[key] = c.Err.Error()
		case c.Snapshot != nil:
			names := packages(c)
			data, err := cache.Render(ctx, c.Snapshot, packagesNamed(c.Snapshot, names), nil)
			if err != nil {
				return nil, err
			}
			s.AddCatalog(c.Key, "catalog.json", data)
			recorded := recordFaults(c.Snapshot, names)
			if recorded.Content, err = q.content(ctx, c); err != nil {
				return nil, err
			}
			o.Recorded[key] = recorded
		}
	}
	o.tidy()
	var err error
	s.Cluster, err = manifest.Write(ctx, objects)
	return s, err
}

func packagesNamed(s *catalog.Snapshot, names []string) []*catalog.Package {
	var packages []*catalog.Package
	for _, name := range names {
		if pkg := s.Package(name); pkg != nil {
			packages = append(packages, pkg)
		}
	}
	return packages
}

// withLabels adds labels that were given with a catalog's content to its object. It adds no
// object without need: fixes could edit it.
func withLabels(list []cluster.ClusterCatalog, c *cache.Catalog) []cluster.ClusterCatalog {
	if len(c.Labels) == 0 {
		return list
	}
	list = slices.Clone(list)
	i := slices.IndexFunc(list, func(d cluster.ClusterCatalog) bool { return d.Name == c.Key.Name })
	if i < 0 {
		i = len(list)
		list = append(list, cluster.ClusterCatalog{Name: c.Key.Name})
	}
	labels := map[string]string{}
	maps.Copy(labels, list[i].Labels)
	maps.Copy(labels, c.Labels)
	list[i].Labels = labels
	return list
}

// relevant returns the objects that the answer may depend on, without fields that neither resolution
// reads nor its texts quote: some may be confidential.
func relevant(q *Question) cluster.Objects {
	o := q.Problem.Cluster.Objects()
	o.Subscriptions, o.ClusterExtensions = slices.Clone(o.Subscriptions), slices.Clone(o.ClusterExtensions)
	for i := range o.Subscriptions {
		s := &o.Subscriptions[i]
		asked := s.Asked()
		s.Rest, s.Labels, s.Annotations, s.Observed = "", nil, nil, cluster.Observed{CurrentCSV: s.Observed.CurrentCSV, Conditions: s.Observed.Conditions}
		if asked { // fixes depend on it
			s.Annotations = map[string]string{cluster.AnnotationAsked: ""}
		}
	}
	for i := range o.ClusterExtensions {
		e := &o.ClusterExtensions[i]
		e.Rest, e.Labels, e.Annotations = "", nil, nil
	}
	o.OperatorGroups, o.CatalogSources, o.ClusterCatalogs = slices.Clone(o.OperatorGroups), slices.Clone(o.CatalogSources), slices.Clone(o.ClusterCatalogs)
	for i := range o.OperatorGroups {
		o.OperatorGroups[i].Conditions = nil
	}
	for i := range o.CatalogSources {
		if s := &o.CatalogSources[i]; s.Healthy() {
			s.Reason, s.Message, s.Conditions = "", "", nil
		}
	}
	for i := range o.ClusterCatalogs {
		o.ClusterCatalogs[i].Conditions = nil
	}
	o.CSVs, o.InstallPlans = slices.Clone(o.CSVs), nil
	for i := range o.CSVs {
		if v := &o.CSVs[i]; v.Phase != "Failed" && v.Phase != "Pending" { // else it is repaired by what it states
			v.Unmet, v.Message = nil, ""
		}
	}
	namespaces, extensions := q.names(cluster.KindSubscription), q.names(cluster.KindExtension)
	if len(extensions) == 0 {
		o.ClusterExtensions, o.ClusterCatalogs = nil, nil
	}
	here := make(map[string]bool, len(namespaces))
	for _, namespace := range namespaces {
		here[namespace] = true
	}
	elsewhere := func(namespace string) bool { return !here[namespace] }
	if len(extensions) > 0 || len(o.OperatorGroups) > 0 ||
		slices.ContainsFunc(o.CSVs, func(v cluster.ClusterServiceVersion) bool { return elsewhere(v.Namespace) }) {
		return o // bundles installed elsewhere matter, at least for warnings
	}
	o.Subscriptions = slices.DeleteFunc(o.Subscriptions, func(s cluster.Subscription) bool { return elsewhere(s.Namespace) })
	o.OperatorConditions = slices.DeleteFunc(slices.Clone(o.OperatorConditions), func(c cluster.OperatorCondition) bool { return elsewhere(c.Namespace) })
	o.Namespaces = slices.DeleteFunc(slices.Clone(o.Namespaces), func(n cluster.Namespace) bool {
		return len(q.Problem.Options.Policies) == 0 && !n.Terminating || elsewhere(n.Name) // else rules may read its labels
	})
	return o
}

// recordOptions returns policy.Options as options of a scenario.
func recordOptions(q *Question) Options {
	r, objects := &q.Problem.Options, q.Problem.Cluster.Objects()
	o := Options{
		Namespaces: q.names(cluster.KindSubscription), Extensions: q.names(cluster.KindExtension), Texts: true,
		KubernetesVersion: objects.KubernetesVersion, OpenShiftVersion: objects.OpenShiftVersion, Date: objects.Date, Labels: objects.Labels,
	}
	copySame(&o, r)
	for _, p := range r.Policies {
		o.Rules = append(o.Rules, p.Source)
	}
	o.OLMv1 = cmp.Or(r.OLMv1, objects.OLMv1)
	if r.BundleScope {
		o.Compound = "bundle"
	}
	if r.NamedUpdates {
		o.Updates = "named"
	}
	for _, k := range r.ExcludeCatalogs {
		o.Exclude = append(o.Exclude, k.String())
	}
	return o
}

// recorded is what a catalog loses when it is written from a snapshot.
type recorded struct {
	Faults []recordedFault        `yaml:"faults"`
	Lost   []catalog.LostProvider `yaml:"lost,omitempty"`
	// Content is the digest of the whole catalog.
	Content string `yaml:"content,omitempty"`
}

// recordedFault is a fault with its severity, of which there are two.
type recordedFault struct {
	Warning       bool `yaml:"warning,omitempty"`
	catalog.Fault `yaml:",inline"`
}

func recordFaults(s *catalog.Snapshot, packages []string) recorded {
	wanted := make(map[string]bool, len(packages))
	for _, name := range packages {
		wanted[name] = true
	}
	r := recorded{Faults: []recordedFault{}}
	for _, f := range s.Faults() {
		if wanted[f.Package] {
			r.Faults = append(r.Faults, recordedFault{f.Severity == catalog.Warning, f})
		}
	}
	for _, l := range s.LostProviders() {
		if wanted[l.Package] {
			r.Lost = append(r.Lost, l)
		}
	}
	return r
}

// restore adds what is recorded to a catalog that was read again.
func (r recorded) restore(s *catalog.Snapshot) *catalog.Snapshot {
	faults := make([]catalog.Fault, len(r.Faults))
	for i, f := range r.Faults {
		if faults[i] = f.Fault; f.Warning {
			faults[i].Severity = catalog.Warning
		}
	}
	return s.WithFaults(faults, r.Lost)
}
