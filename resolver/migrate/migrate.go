// Package migrate says whether operators can move from OLM v0 to OLM v1, and what v1
// would then do. [Judge] judges the Subscriptions of a cluster by the checks of OLM's own
// tool for the move (github.com/operator-framework/library-olm), as of 2026-08-21, and by
// one of its own: what OLM v1 would refuse to install. [Survey] judges whole catalogs.
//
// Nothing is changed in a cluster: a [Plan] has the ClusterExtensions and ClusterCatalogs
// to apply.
package migrate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/constraints"
	"github.com/resolvent/resolvent/resolver"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/inventory"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/resolver/updates"
)

// State is how far an operator is.
type State string

// The states, in the order in which people look at them.
const (
	Conflict   State = "conflict"   // it has moved, and its Subscription is still there
	Ineligible State = "ineligible" // a check fails that nobody acknowledged
	Migrated   State = "migrated"   // a ClusterExtension says that it came from a Subscription
	Eligible   State = "eligible"   // it can move
)

// Result is what a check came to.
type Result string

// The values of Result.
const (
	Passes    Result = "passes"
	Fails     Result = "fails"
	NotJudged Result = "notJudged" // the input does not have what it looks at
)

// Check is what one check came to.
type Check struct {
	ID     string `json:"id"`
	Result Result `json:"result"`
	// Hard ones cannot be acknowledged; of the others Flag is that of OLM's tool.
	Hard         bool   `json:"hard"`
	Flag         string `json:"flag"`
	Acknowledged bool   `json:"acknowledged,omitzero"`
	Message      string `json:"message"`
}

// blocks reports whether the check keeps an operator from moving.
func (c *Check) blocks() bool { return c.Result == Fails && !c.Acknowledged }

// Row is how a Subscription stands, or a ClusterExtension that came from one.
type Row struct {
	Namespace    string `json:"namespace"`
	Subscription string `json:"subscription"`
	Package      string `json:"package"`
	Installed    string `json:"installed"`
	State        State  `json:"state"`
	// Checks are in the order of their IDs; there are none of what has moved.
	Checks []Check `json:"checks"`
	// ClusterExtension names the one that the Subscription becomes, and Catalog the
	// ClusterCatalog that it is installed from.
	ClusterExtension string `json:"clusterExtension"`
	Catalog          string `json:"catalog"`
	Next             Next   `json:"next"`
	// Dependents are the installed bundles, by name, that require it and stay with OLM v0.
	Dependents []string `json:"dependents"`
	// SamePackage are the other Subscriptions, as NAMESPACE/NAME, and ClusterExtensions of
	// the package, the first hundred: OLM v1 installs an operator once for all namespaces, so that only one
	// of them can move.
	SamePackage []string `json:"samePackage,omitempty"`
	// Order counts the eligible ones from 1: what depends on others goes before them.
	Order int `json:"order,omitzero"`
	// Changes are what would help one that is not eligible.
	Changes []Change `json:"changes"`

	// Object is the ClusterExtension; nil of what has moved.
	Object *cluster.ClusterExtension `json:"-"`
}

// OnlySoft reports whether all that keeps an operator from moving can be acknowledged.
func (r *Row) OnlySoft() bool {
	return r.State == Ineligible && !slices.ContainsFunc(r.Checks, func(c Check) bool { return c.blocks() && c.Hard })
}

// Next is what OLM v0 and v1 would each install next, by name, empty if nothing; Why says
// why they differ, or why v1 Fails.
type Next struct {
	V0    string `json:"v0"`
	V1    string `json:"v1"`
	Why   string `json:"why"`
	Fails bool   `json:"fails,omitzero"`
}

// Plan is how all operators of a cluster stand.
type Plan struct {
	// Rows are by namespace and name of the Subscription.
	Rows []Row `json:"rows"`
	// Orphans are the installed bundles, as NAMESPACE/NAME, that no Subscription has
	// installed: nothing moves them.
	Orphans []string `json:"orphans"`
	// Objects are the ClusterCatalogs that are still missing and the ClusterExtensions of
	// the eligible operators, in their order.
	Objects cluster.Objects `json:"-"`
}

// Blocked reports whether any operator is ineligible or in conflict.
func (p *Plan) Blocked() bool {
	return slices.ContainsFunc(p.Rows, func(r Row) bool { return r.State == Ineligible || r.State == Conflict })
}

// Options are those of [Judge]. The zero value works.
type Options struct {
	// Acknowledged are the IDs of soft checks that need not pass.
	Acknowledged []string
}

// judge is one call of Judge.
type judge struct {
	ctx      context.Context
	resolver *resolver.Resolver
	problem  resolver.Problem
	options  Options
	read     *inventory.Reader
	// sources are the catalogs of OLM v0; keys are theirs, sorted.
	sources map[catalog.Key]*source
	keys    []catalog.Key
	// view has the catalogs of v1, too, that the CatalogSources become.
	view   *cache.View
	status map[cluster.RequestKey]*updates.Status
	names  map[cluster.RequestKey]string
	// packages have the Subscriptions first.
	packages map[string][]sharing
}

// Judge says of each Subscription whether it can move. Catalogs without a namespace serve
// OLM v1; a CatalogSource of which there is no ClusterCatalog counts as the one that it
// becomes. The error is an *InvalidInput, for an acknowledged check that there is not or
// that is hard, an *Incomplete or an *Internal.
func Judge(ctx context.Context, r *resolver.Resolver, p resolver.Problem, o Options) (*Plan, error) {
	for _, id := range o.Acknowledged {
		if err := acknowledgeable(id); err != nil {
			return nil, &result.InvalidInput{Subject: "check " + id, Err: err}
		}
	}
	if p.Cluster == nil {
		p.Cluster = cluster.NewIndex(cluster.Objects{})
	}
	if p.Catalogs == nil {
		p.Catalogs = cache.NewView(nil)
	}
	p.Options.NoFixes, p.Options.AsOLMv1, p.Options.RejectDependencies = true, false, false
	j := &judge{ctx: ctx, resolver: r, problem: p, options: o, read: inventory.NewReader(constraints.NewParser(constraints.Limits{}))}
	j.convertCatalogs()
	j.nameExtensions()
	j.sharePackages()
	if err := j.lookAhead(); err != nil {
		return nil, err
	}
	plan := &Plan{Rows: []Row{}, Orphans: []string{}}
	for _, namespace := range p.Cluster.Namespaces() {
		in := p.Cluster.In(namespace)
		for _, csv := range inventory.Counting(in) {
			if !slices.ContainsFunc(in.Subscriptions, func(s cluster.Subscription) bool { return s.InstalledCSV == csv.Name }) {
				plan.Orphans = append(plan.Orphans, namespace+"/"+csv.Name)
			}
		}
		for i := range in.Subscriptions {
			row, err := j.row(in, &in.Subscriptions[i])
			if err != nil {
				return nil, err
			}
			plan.Rows = append(plan.Rows, row)
		}
	}
	plan.Rows = append(plan.Rows, j.moved()...)
	slices.SortStableFunc(plan.Rows, func(a, b Row) int {
		return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Subscription, b.Subscription))
	})
	j.order(plan)
	return plan, nil
}

// lookAhead finds what OLM v0 does next.
func (j *judge) lookAhead() error {
	scopes := slices.DeleteFunc(j.problem.Cluster.Scopes(), func(s cluster.Scope) bool { return s.Kind != cluster.KindSubscription })
	rows, err := j.resolver.Status(j.ctx, j.problem, scopes, nil)
	j.status = make(map[cluster.RequestKey]*updates.Status, len(rows))
	for i := range rows {
		j.status[rows[i].Request] = &rows[i]
	}
	return err
}

// row judges a Subscription.
func (j *judge) row(in *cluster.NamespaceObjects, s *cluster.Subscription) (Row, error) {
	o := j.operator(in, s)
	row := Row{
		Namespace: s.Namespace, Subscription: s.Name, Package: s.Package, State: Eligible, Changes: []Change{},
		ClusterExtension: o.extension.Name, Catalog: o.source.name, Dependents: o.dependents(), SamePackage: o.samePackage(), Object: &o.extension,
	}
	if o.csv != nil {
		row.Installed = o.csv.Name
	}
	if err := j.findNext(o); err != nil {
		return row, err
	}
	row.Next = o.next
	for _, c := range checks {
		of := Check{ID: c.id, Hard: c.flag == "", Flag: c.flag}
		of.Result, of.Message = c.judge(o)
		of.Acknowledged = of.Result == Fails && slices.Contains(j.options.Acknowledged, c.id)
		if of.blocks() {
			row.State = Ineligible
		}
		row.Checks = append(row.Checks, of)
	}
	for _, e := range j.problem.Cluster.Extensions() {
		if e.MigratedFrom == s.Namespace+"/"+s.Name {
			row.State, row.ClusterExtension, row.Object = Conflict, e.Name, nil
		}
	}
	if row.State == Ineligible {
		row.Changes = help(o, row.Checks)
	}
	return row, nil
}

// moved lists the ClusterExtensions of which the Subscription is gone.
func (j *judge) moved() (rows []Row) {
	for _, e := range j.problem.Cluster.Extensions() {
		namespace, name, ok := strings.Cut(e.MigratedFrom, "/")
		if !ok || slices.ContainsFunc(j.problem.Cluster.In(namespace).Subscriptions, func(s cluster.Subscription) bool { return s.Name == name }) {
			continue
		}
		row := Row{
			Namespace: namespace, Subscription: name, Package: e.Package, State: Migrated, ClusterExtension: e.Name,
			Checks: []Check{}, Dependents: []string{}, Changes: []Change{},
		}
		if e.Installed != nil {
			row.Installed = e.Installed.Name
		}
		rows = append(rows, row)
	}
	return rows
}

func acknowledgeable(id string) error {
	var soft []string
	for _, c := range checks {
		switch {
		case c.id == id && c.flag == "":
			return errors.New("it is hard: it must pass")
		case c.id == id:
			return nil
		case c.flag != "":
			soft = append(soft, c.id)
		}
	}
	return fmt.Errorf("there is no such check; those that can be acknowledged are %s", strings.Join(soft, ", "))
}
