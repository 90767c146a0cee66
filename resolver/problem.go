package resolver

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/blang/semver/v4"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/constraints"
	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/solver"
)

// problem is what one namespace asks, in the solver's terms. It implements
// solver.Problem and answers for what the requests reach only.
//
// The bundles of the universe keep their numbers; the installed ones follow.
type problem struct {
	ctx     context.Context
	stop    context.CancelFunc
	options *Options
	facts   constraints.Facts

	// namespace and its state, or the extension, say who asks.
	namespace   string
	extension   *ClusterExtension
	cluster     *Cluster
	state       *namespaceState
	view        *cache.View
	visibility  visibility
	parser      *constraints.Parser
	annotations *memo[string, decodedProperties]
	verdicts    *verdicts
	universe    *universe

	installed []installedBundle
	lookup    *installedLookup // made when the first constraint is read
	requests  []request
	// managed are, by package, the indices of installed bundles that a request
	// manages.
	managed map[string][]int

	// aliases lead from catalog entries that are an installed bundle to it.
	aliases map[solver.Var]solver.Var
	// unaliased remembers what is left of long lists without aliases.
	unaliased map[candidateSegment][]solver.Var
	// excludes lead from update candidates to the installed bundles whose place
	// they would take.
	excludes map[solver.Var][]solver.Var
	// owners are the owners of kinds outside of what is resolved, where a kind
	// has one owner in the cluster.
	owners map[properties.GVK]string
	// chosen was chosen for other namespaces by the same call.
	chosen map[properties.GVK][]kindProvider
	// together are the namespaces that are resolved with this one.
	together map[string]bool
	// neighbours are problems whose bundles can meet obligations of this one,
	// under numbers that are no numbers of this one otherwise.
	neighbours []neighbour
	// extras can be selected by a request only: startingCSV reached them.
	extras []solver.Var

	limits        clusterLimits
	operatorGroup *groupRule

	roots   []solver.Rule
	rules   map[solver.Var][]solver.Rule
	origins []origin

	// notes are the packages of catalogs that an explanation speaks of.
	notes map[catalog.Key]map[string]bool
	// charged are the keys of the expressions whose cost is in ruleCost.
	charged  map[string]bool
	ruleCost uint64

	// steps are those since the last look at the context, and doing says what
	// they are for.
	steps int
	doing string

	// err is what ended the reading of the problem early: the context, or an
	// *InvalidInput for a limit.
	err error
}

// origin says where a rule comes from; solver.Rule.Origin indexes a list of
// them.
type origin struct {
	kind ReasonKind
	// request is the index of a request, for roots.
	request int
	// bundle states the rule; constraint is the index among its constraints.
	bundle     solver.Var
	constraint int
	// detail is a finished sentence part for rules that forbid a bundle.
	detail string
}

// impossible holds in no selection.
var impossible = &solver.Choice{}

// readNamespace fills the problem from the namespace's objects.
func (p *problem) readNamespace() (err error) {
	if p.operatorGroup, err = p.readGroup(); err != nil {
		return err
	}
	if err := p.readInstalled(); err != nil {
		return err
	}
	p.requests = make([]request, len(p.state.subscriptions))
	p.roots = make([]solver.Rule, len(p.requests))
	for i := range p.requests {
		p.requests[i] = p.readSubscription(i)
		p.roots[i] = solver.Rule{
			Formula: solver.OneOf(p.requests[i].candidates...),
			Origin:  p.addOrigin(origin{kind: ReasonSubscription, request: i}),
		}
	}
	return nil
}

// resolves reports whether the namespace is one of those that are resolved.
func (p *problem) resolves(namespace string) bool {
	return namespace == p.namespace || p.together[namespace]
}

func (p *problem) addOrigin(o origin) int32 {
	p.origins = append(p.origins, o)
	return int32(len(p.origins) - 1)
}

// readInstalled reads the installed bundles that count and finds the catalog
// entries that stand for them.
func (p *problem) readInstalled() error {
	counting := p.state.counting()
	p.installed = make([]installedBundle, len(counting))
	if len(counting) > 0 {
		p.managed = make(map[string][]int, len(counting))
	}
	for i, csv := range counting {
		b, err := p.readBundle(p.state, csv)
		if err != nil {
			p.installed = p.installed[:i]
			return err
		}
		p.installed[i] = b
	}
	for i := range p.installed {
		b := &p.installed[i]
		if !b.requested {
			continue
		}
		p.addAliases(b, p.installedVar(i))
		for _, pkg := range b.packages {
			p.managed[pkg] = append(p.managed[pkg], i)
		}
	}
	return nil
}

// aliased reports whether a catalog's entry stands for an installed bundle.
func (p *problem) aliased(v solver.Var) bool {
	_, ok := p.aliases[v]
	return ok
}

func (p *problem) addAliases(b *installedBundle, v solver.Var) {
	for c := range p.universe.catalogs {
		snapshot := p.universe.catalogs[c].snapshot
		for _, id := range snapshot.Named(b.name()) {
			for _, pkg := range b.packages {
				if snapshot.Bundle(id).Package == pkg {
					p.addAlias(p.universe.number(c, id), v)
				}
			}
		}
	}
}

// addAlias makes a catalog's entry stand for an installed bundle.
func (p *problem) addAlias(entry, installed solver.Var) {
	if p.aliases == nil {
		p.aliases = make(map[solver.Var]solver.Var)
	}
	p.aliases[entry] = installed
}

// readBundle decodes one installed bundle of a namespace. It cannot be
// quarantined, so every fault is an *InvalidInput.
func (p *problem) readBundle(state *namespaceState, csv *ClusterServiceVersion) (installedBundle, error) {
	invalid := func(err error) (installedBundle, error) {
		return installedBundle{}, &InvalidInput{Subject: csvSubject(csv.Namespace, csv.Name), Err: err}
	}
	b := installedBundle{csv: csv, own: noCatalog}
	decoded, err := p.decode(state, csv)
	if err != nil {
		if _, ok := errors.AsType[*InvalidInput](err); ok {
			return b, err
		}
		return invalid(err)
	}
	b.properties, b.constraints = decoded.properties, decoded.constraints
	set := decoded.properties
	pkg, stated := set.Package()
	switch {
	case csv.Version != "":
		if b.version, err = semver.Parse(csv.Version); err != nil {
			return invalid(fmt.Errorf("spec.version %q is no semantic version: %w", csv.Version, err))
		}
	case stated:
		b.version = pkg.Version
	}
	b.subscriptions = state.installers[csv.Name]
	if len(b.subscriptions) > 0 {
		b.requested, b.own = true, p.ownCatalog(&state.subscriptions[b.subscriptions[0]])
	}
	b.packages = state.subscribedPackages(csv.Name)
	if stated {
		b.packages = append(b.packages, pkg.Name)
		slices.Sort(b.packages)
		b.packages = slices.Compact(b.packages)
	}
	b.hold = state.conditions[csv.Name]
	b.groups = p.universe.groups.groups(csv.Name, b.packages, set.GVKs())
	return b, nil
}

// decode reads the properties of an installed bundle. Annotations do not change
// between calls as a rule, so what they say is remembered.
func (p *problem) decode(state *namespaceState, csv *ClusterServiceVersion) (decodedProperties, error) {
	read := func() (decodedProperties, error) {
		list, err := state.propertiesOf(csv, "0.0.0")
		if err != nil {
			return decodedProperties{}, err
		}
		return decodeInstalled(list, p.parser)
	}
	if text, ok := csv.Annotations[AnnotationProperties]; ok {
		return p.annotations.get(text, read)
	}
	return read()
}

// ownCatalog returns the catalog that a Subscription names, noCatalog if it
// names none that is visible.
func (p *problem) ownCatalog(s *Subscription) int {
	if s.Catalog == "" {
		return noCatalog
	}
	for i, c := range p.universe.catalogs {
		if s.names(c.key) {
			return i
		}
	}
	return noCatalog
}

func (p *problem) installedVar(i int) solver.Var { return p.universe.size + solver.Var(i) }

// installedIndex returns the index of an installed bundle of the namespace by
// name, or -1.
func (p *problem) installedIndex(name string) int {
	if name == "" {
		return -1
	}
	// The bundles of a namespace are sorted.
	i, found := slices.BinarySearchFunc(p.installed, name, func(b installedBundle, name string) int { return strings.Compare(b.name(), name) })
	if !found {
		return -1
	}
	return i
}

// asInstalled returns the installed bundle with the number v, or nil.
func (p *problem) asInstalled(v solver.Var) *installedBundle {
	if v < p.universe.size {
		return nil
	}
	return &p.installed[v-p.universe.size]
}

// exclude notes that v would take the place of the installed bundle cur.
func (p *problem) exclude(v, cur solver.Var) {
	if real, ok := p.aliases[v]; ok {
		v = real
	}
	if p.excludes == nil {
		p.excludes = make(map[solver.Var][]solver.Var)
	}
	for _, c := range p.excludes[v] {
		if c == cur {
			return
		}
	}
	p.excludes[v] = append(p.excludes[v], cur)
}

// Given implements solver.Problem: installed bundles that no request manages
// stay.
func (p *problem) Given() []solver.Var {
	var given []solver.Var
	for i := range p.installed {
		if !p.installed[i].requested {
			given = append(given, p.installedVar(i))
		}
	}
	return given
}

// Roots implements solver.Problem: every request holds.
func (p *problem) Roots() []solver.Rule { return p.roots }

// Rules implements solver.Problem.
func (p *problem) Rules(v solver.Var) []solver.Rule {
	if rules, ok := p.rules[v]; ok {
		return rules
	}
	rules := p.makeRules(v)
	if p.rules == nil {
		p.rules = make(map[solver.Var][]solver.Rule)
	}
	p.rules[v] = rules
	p.count()
	return rules
}

func (p *problem) makeRules(v solver.Var) []solver.Rule {
	if b := p.asInstalled(v); b != nil {
		// A candidate of another Subscription may be installed itself.
		return p.constraintRules(p.excludeRules(nil, v), v, b.constraints, b.own)
	}
	catalog, id := p.universe.locate(v)
	b := p.universe.catalogs[catalog].snapshot.Bundle(id)
	if o, forbidden := p.forbid(v, catalog, b); forbidden {
		return []solver.Rule{{Formula: impossible, Origin: p.addOrigin(o)}}
	}
	return p.constraintRules(p.excludeRules(nil, v), v, b.Constraints, catalog)
}

// excludeRules adds that an update takes the place of what it updates.
func (p *problem) excludeRules(rules []solver.Rule, v solver.Var) []solver.Rule {
	for _, cur := range p.excludes[v] {
		rules = append(rules, solver.Rule{
			Formula: solver.NoneOf(cur),
			Origin:  p.addOrigin(origin{kind: ReasonReplaces, bundle: v}),
		})
	}
	return rules
}

func (p *problem) constraintRules(rules []solver.Rule, v solver.Var, list []constraints.Constraint, own int) []solver.Rule {
	for i, c := range list {
		rules = append(rules, solver.Rule{
			Formula: p.constraintFormula(c.Expr, own),
			Origin:  p.addOrigin(origin{kind: ReasonDependency, bundle: v, constraint: i}),
		})
	}
	return rules
}

// Groups implements solver.Problem: at most one bundle a package, a name and
// a provided API.
func (p *problem) Groups(v solver.Var) []solver.Group {
	if b := p.asInstalled(v); b != nil {
		return b.groups
	}
	return p.universe.groups.bundle(v, p.universe.bundle(v))
}
