// Package migrate finds which operators can move from OLM v0 to OLM v1, and what v1 would
// then install. [Judge] judges the Subscriptions of a cluster by the checks of OLM's own tool
// (github.com/operator-framework/library-olm), as of October 2026, and by a further one:
// whether OLM v1 would refuse the bundle. [Survey] judges whole catalogs.
//
// The package changes nothing in a cluster: a [Plan] has the ClusterExtensions and
// ClusterCatalogs to apply.
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
	"github.com/resolvent/resolvent/resolver/internal/request"
	"github.com/resolvent/resolvent/resolver/internal/words"
	"github.com/resolvent/resolvent/resolver/result"
)

// State is the state of an operator's move.
type State string

// The states, the most urgent first.
const (
	Conflict   State = "conflict"   // it has moved, and its Subscription still exists
	Ineligible State = "ineligible" // a check fails and is not acknowledged
	Migrated   State = "migrated"   // a ClusterExtension states that it was a Subscription
	Eligible   State = "eligible"   // it can move
)

// Result is the result of a check.
type Result string

// The values of Result.
const (
	Passes    Result = "passes"
	Fails     Result = "fails"
	NotJudged Result = "notJudged" // the input does not have what the check needs
)

// Check is a check with its result for one operator.
type Check struct {
	ID     string `json:"id"`
	Result Result `json:"result"`
	// Hard is true for a check that cannot be acknowledged. Of a soft one, Flag is the flag of
	// OLM's tool that acknowledges it.
	Hard         bool   `json:"hard"`
	Flag         string `json:"flag"`
	Acknowledged bool   `json:"acknowledged,omitzero"`
	Message      string `json:"message"`
}

// blocks reports whether the check keeps an operator from moving.
func (c *Check) blocks() bool { return c.Result == Fails && !c.Acknowledged }

// Row is the state of a Subscription, or of a ClusterExtension that was one.
type Row struct {
	Namespace    string `json:"namespace"`
	Subscription string `json:"subscription"`
	Package      string `json:"package"`
	Installed    string `json:"installed"`
	State        State  `json:"state"`
	// Checks are in the order of their IDs. There are none if the operator has moved.
	Checks []Check `json:"checks"`
	// ClusterExtension is the name of the object that the Subscription becomes, and Catalog
	// that of the ClusterCatalog from which it is installed.
	ClusterExtension string `json:"clusterExtension"`
	Catalog          string `json:"catalog"`
	Next             Next   `json:"next"`
	// Dependents are the names of installed bundles that require it and stay with OLM v0.
	Dependents []string `json:"dependents"`
	// SamePackage has the other Subscriptions to the package, as NAMESPACE/NAME, and its
	// ClusterExtensions, at most a hundred. OLM v1 installs an operator once for all
	// namespaces, so only one of them can move.
	SamePackage []string `json:"samePackage,omitempty"`
	// Order counts the eligible operators from 1. An operator moves before those that it
	// depends on.
	Order int `json:"order,omitzero"`
	// Changes are changes after which an ineligible operator may be eligible.
	Changes []Change `json:"changes"`

	// Content is the catalog whose content stands for Catalog.
	Content catalog.Key `json:"-"`
	// Object is the ClusterExtension to create, nil if the operator has moved.
	Object *cluster.ClusterExtension `json:"-"`
}

// OnlySoft reports whether every check that blocks the operator can be acknowledged.
func (r *Row) OnlySoft() bool {
	return r.State == Ineligible && !slices.ContainsFunc(r.Checks, func(c Check) bool { return c.blocks() && c.Hard })
}

// Next is what OLM v0 and v1 would install next.
type Next struct {
	// V0 and V1 are the names of bundles, empty if nothing is installed.
	V0 string `json:"v0"`
	V1 string `json:"v1"`
	// Why is why they differ or, if Fails is true, why v1 would fail.
	Why   string `json:"why"`
	Fails bool   `json:"fails,omitzero"`
}

// Plan has the state of all operators of a cluster.
type Plan struct {
	// Rows are sorted by namespace and name of the Subscription.
	Rows []Row `json:"rows"`
	// Orphans are the installed bundles without a Subscription, as NAMESPACE/NAME: nothing
	// moves them.
	Orphans []string `json:"orphans"`
	// Objects are the objects to apply: missing ClusterCatalogs, and the ClusterExtensions of
	// the eligible operators in their order.
	Objects cluster.Objects `json:"-"`
}

// Blocked reports whether any operator is ineligible or in conflict.
func (p *Plan) Blocked() bool {
	return slices.ContainsFunc(p.Rows, func(r Row) bool { return r.State == Ineligible || r.State == Conflict })
}

type judge struct {
	ctx          context.Context
	resolver     *resolver.Resolver
	problem      resolver.Problem
	acknowledged []string
	read         *inventory.Reader
	// sources are the catalogs of OLM v0; keys are their keys, sorted.
	sources map[catalog.Key]*movedCatalog
	keys    []catalog.Key
	// view also has the v1 catalogs that CatalogSources become.
	view   *cache.View
	status map[cluster.RequestKey]*result.Status
	// counting are the installed bundles of the namespace whose rows are judged, and reads what
	// they state.
	counting []*cluster.ClusterServiceVersion
	reads    []inventory.BundleFacts
	names    map[cluster.RequestKey]string // of the ClusterExtensions
	// packages has the requests of each package, Subscriptions first.
	packages map[string][]sharing
}

// Judge judges for each Subscription whether it can move. Catalogs without a namespace serve
// OLM v1. A CatalogSource without a ClusterCatalog is judged as the one that it becomes.
// acknowledged are the IDs of soft checks that need not pass. The error is an *InvalidInput for an acknowledged check that is unknown or hard, an
// *Incomplete or an *Internal.
func Judge(ctx context.Context, r *resolver.Resolver, p resolver.Problem, acknowledged ...string) (*Plan, error) {
	for _, id := range acknowledged {
		if err := acknowledgeable(id); err != nil {
			return nil, &result.InvalidInput{Subject: "check " + id, Err: err}
		}
	}
	p.Cluster = cmp.Or(p.Cluster, cluster.NewIndex(cluster.Objects{}))
	p.Options.NoFixes, p.Options.AsOLMv1, p.Options.RejectDependencies = true, true, false
	j := &judge{ctx: ctx, resolver: r, problem: p, acknowledged: acknowledged, read: inventory.NewReader(constraints.NewParser(constraints.Limits{}))}
	j.convertCatalogs()
	j.nameExtensions()
	j.sharePackages()
	if err := j.lookAhead(); err != nil {
		return nil, err
	}
	rows, orphans := []Row{}, []string{}
	for _, namespace := range p.Cluster.Namespaces() {
		in := p.Cluster.In(namespace)
		j.counting = inventory.Counting(in)
		j.reads = words.Mapped(j.counting, func(csv *cluster.ClusterServiceVersion) inventory.BundleFacts { return j.stated(in, csv) })
		for _, csv := range j.counting {
			if len(in.Installers[csv.Name]) == 0 {
				orphans = append(orphans, namespace+"/"+csv.Name)
			}
		}
		for i := range in.Subscriptions {
			if err := ctx.Err(); err != nil {
				return nil, &result.Incomplete{Phase: "judging rows", Err: err}
			}
			row, err := j.row(in, &in.Subscriptions[i])
			if err != nil {
				return nil, err
			}
			rows = append(rows, row)
		}
	}
	rows = append(rows, j.moved()...)
	slices.SortStableFunc(rows, func(a, b Row) int {
		return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Subscription, b.Subscription))
	})
	rows, objects := j.ordered(rows)
	return &Plan{Rows: rows, Orphans: orphans, Objects: objects}, nil
}

// profile returns the profile of OLM v1 to judge by.
func (j *judge) profile() cluster.Profile {
	return request.ProfileOf(&j.problem.Options, j.problem.Cluster)
}

// lookAhead finds the status of all Subscriptions: what OLM v0 installs next.
func (j *judge) lookAhead() error {
	scopes := slices.DeleteFunc(j.problem.Cluster.Scopes(), cluster.Scope.Alone)
	rows, err := j.resolver.Status(j.ctx, j.problem, scopes, nil)
	j.status = make(map[cluster.RequestKey]*result.Status, len(rows))
	for i := range rows {
		j.status[rows[i].Request] = &rows[i]
	}
	return err
}

func (j *judge) row(in *cluster.NamespaceObjects, s *cluster.Subscription) (Row, error) {
	o := j.operator(in, s)
	row := Row{
		Namespace: s.Namespace, Subscription: s.Name, Package: s.Package, State: Eligible, Changes: []Change{},
		ClusterExtension: o.extension.Name, Catalog: o.source.name, Dependents: o.dependents(), SamePackage: o.samePackage(), Object: &o.extension,
		Content: o.source.content(),
	}
	if o.csv != nil {
		row.Installed = o.csv.Name
	}
	if err := j.findNext(o); err != nil {
		return row, err
	}
	row.Next = o.next
	for _, c := range checks {
		check := Check{ID: c.id, Hard: c.flag == "", Flag: c.flag}
		check.Result, check.Message = c.judge(o)
		check.Acknowledged = check.Result == Fails && slices.Contains(j.acknowledged, c.id)
		if check.blocks() {
			row.State = Ineligible
		}
		row.Checks = append(row.Checks, check)
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

// moved returns rows of the ClusterExtensions whose Subscription is gone.
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

// acknowledgeable returns an error unless the check is soft.
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
