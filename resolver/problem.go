package resolver

import (
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/blang/semver/v4"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/constraints"
	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/solver"
)

// problem is what one namespace or ClusterExtension asks, in the solver's terms:
// a part of a model.
//
// Its bundles have the numbers from base on: those of the universe in its order,
// then the installed ones.
type problem struct {
	model *model
	// index is that of the part, and firstRoot that of its first request among
	// those of the model.
	index     int
	firstRoot int
	base      solver.Var

	*pace
	options *Options
	facts   constraints.Facts

	// namespace and its state, or the extension, say who asks.
	namespace  string
	extension  *ClusterExtension
	cluster    *inventory
	state      *namespaceState
	view       *cache.View
	visibility visibility
	memory     *memory
	universe   *universe

	installed []installedBundle
	lookup    *installedLookup // made when the first constraint is read
	requests  []request
	// managed are, by package, the indices of installed bundles that a request
	// manages.
	managed map[string][]int

	// aliases lead from catalog entries that are an installed bundle to it.
	aliases map[solver.Var]solver.Var
	// unaliased remembers what is left of long lists without aliases, and
	// renumbered lists of the universe in the numbers of the model.
	unaliased  map[candidateSegment][]solver.Var
	renumbered map[candidateSegment][]solver.Var
	// excludes lead from update candidates to the installed bundles whose place
	// they would take.
	excludes map[solver.Var][]solver.Var
	// owners are the owners of kinds outside of what is resolved, where a kind
	// has one owner in the cluster.
	owners map[properties.GVK]result.Owner
	// neighbours are the parts whose bundles can meet obligations of this one.
	neighbours []*problem
	// extras can be selected by a request only: startingCSV reached them.
	extras []solver.Var

	limits        clusterLimits
	operatorGroup *groupRule

	rules   map[solver.Var][]solver.Rule
	origins []origin

	// notes are the packages of catalogs that an explanation speaks of.
	notes map[catalog.Key]map[string]bool
	// charged are the keys of the expressions whose cost is in ruleCost.
	charged  map[string]bool
	ruleCost uint64
}

// origin says where a rule comes from; solver.Rule.Origin indexes a list of
// them.
type origin struct {
	kind result.ReasonKind
	// bundle states the rule; constraint is the index among its constraints.
	bundle     solver.Var
	constraint int
	// detail says how a rule forbids the bundle, if it does.
	detail result.Detail
}

// impossible holds in no selection.
var impossible = &solver.Choice{}

// readNamespace fills the problem from the namespace's objects.
func (p *problem) readNamespace() error {
	rule, warnings, err := p.cluster.groupRule(p.namespace, p.options.RequireOperatorGroup)
	if err != nil {
		return err
	}
	p.operatorGroup = rule
	p.visibility.warnings = append(p.visibility.warnings, warnings...)
	if err := p.readInstalled(); err != nil {
		return err
	}
	p.requests = make([]request, len(p.state.subscriptions))
	for i := range p.requests {
		p.requests[i] = p.readSubscription(i)
		if only := p.model.only; only != nil && only.subscription == p.requests[i].subscription.Name {
			p.requests[i].leave(only.candidate)
		}
	}
	return nil
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
					p.addAlias(p.number(c, id), v)
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
		return installedBundle{}, &result.InvalidInput{Subject: csvSubject(csv.Namespace, csv.Name), Err: err}
	}
	b := installedBundle{csv: csv, own: noCatalog}
	decoded, err := p.decode(state, csv)
	if err != nil {
		if _, ok := errors.AsType[*result.InvalidInput](err); ok {
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
		return decodeInstalled(list, p.memory.parser)
	}
	if text, ok := csv.Annotations[AnnotationProperties]; ok {
		return p.memory.annotations.get(text, read)
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

func (p *problem) installedVar(i int) solver.Var { return p.base + p.universe.size + solver.Var(i) }

// number returns the number of a catalog's bundle.
func (p *problem) number(catalog int, id catalog.ID) solver.Var {
	return p.base + p.universe.number(catalog, id)
}

// locate returns the catalog and ID of a bundle by its number.
func (p *problem) locate(v solver.Var) (catalog int, id catalog.ID) {
	return p.universe.locate(v - p.base)
}

// bundle returns a catalog's bundle by its number.
func (p *problem) bundle(v solver.Var) *catalog.Bundle { return p.universe.bundle(v - p.base) }

// numbered returns the numbers that bundles of the universe have in the model.
// The list is shared; of a long one, the copy is.
func (p *problem) numbered(list []solver.Var) []solver.Var {
	if p.base == 0 || len(list) == 0 {
		return list
	}
	key := segmentOf(list)
	if known, ok := p.renumbered[key]; ok {
		return known
	}
	out := make([]solver.Var, len(list))
	for i, v := range list {
		out[i] = v + p.base
	}
	if p.renumbered == nil {
		p.renumbered = map[candidateSegment][]solver.Var{}
	}
	p.renumbered[key] = out
	return out
}

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
	i := v - p.base - p.universe.size
	if i < 0 {
		return nil
	}
	return &p.installed[i]
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

// given appends the installed bundles that no request manages.
func (p *problem) given(given []solver.Var) []solver.Var {
	for i := range p.installed {
		if !p.installed[i].requested {
			given = append(given, p.installedVar(i))
		}
	}
	return given
}

// Rules returns what a bundle of the problem asks.
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
	catalog, id := p.locate(v)
	b := p.universe.catalogs[catalog].snapshot.Bundle(id)
	if o, forbidden := p.forbid(v, catalog, b); forbidden {
		return []solver.Rule{{Formula: impossible, Origin: p.addOrigin(o)}}
	}
	rules := p.constraintRules(p.excludeRules(nil, v), v, b.Constraints, catalog)
	if p.model.joint() {
		rules = append(rules, p.sharedRules(v)...)
	}
	return rules
}

// excludeRules adds that an update takes the place of what it updates.
func (p *problem) excludeRules(rules []solver.Rule, v solver.Var) []solver.Rule {
	for _, cur := range p.excludes[v] {
		rules = append(rules, solver.Rule{
			Formula: solver.NoneOf(cur),
			Origin:  p.addOrigin(origin{kind: result.ReasonReplaces, bundle: v}),
		})
	}
	return rules
}

func (p *problem) constraintRules(rules []solver.Rule, v solver.Var, list []constraints.Constraint, own int) []solver.Rule {
	for i, c := range list {
		rules = append(rules, solver.Rule{
			Formula: p.constraintFormula(c.Expr, own),
			Origin:  p.addOrigin(origin{kind: result.ReasonDependency, bundle: v, constraint: i}),
		})
	}
	return rules
}

// groups returns the groups of a bundle in the numbers of the universe.
func (p *problem) groups(v solver.Var) []solver.Group {
	if b := p.asInstalled(v); b != nil {
		return b.groups
	}
	return p.universe.groups.bundle(v-p.base, p.bundle(v))
}

// ref names a bundle of the problem.
func (p *problem) ref(v solver.Var) result.BundleRef {
	p.step(1)
	if b := p.asInstalled(v); b != nil {
		return result.BundleRef{Namespace: p.home(), Name: b.name(), Package: b.packageName(), Version: b.version, Installed: true}
	}
	c, id := p.locate(v)
	b := p.universe.catalogs[c].snapshot.Bundle(id)
	return result.BundleRef{Namespace: p.home(), Name: b.Name, Package: b.Package, Version: b.Version, Catalog: p.universe.catalogs[c].key}
}

// packages yields the package of that name in each of the catalogs.
func (p *problem) packages(catalogs []int, name string) iter.Seq[*catalog.Package] {
	return func(yield func(*catalog.Package) bool) {
		for _, c := range catalogs {
			if pkg := p.universe.catalogs[c].snapshot.Package(name); pkg != nil && !yield(pkg) {
				return
			}
		}
	}
}

// home is the namespace where several are resolved together, and otherwise empty.
func (p *problem) home() string {
	if !p.model.joint() {
		return ""
	}
	return p.namespace
}

// ref names a bundle.
func ref(m *model, v solver.Var) result.BundleRef { return m.of(v).ref(v) }

func refs(m *model, list []solver.Var) []result.BundleRef {
	refs := make([]result.BundleRef, len(list))
	for i, v := range list {
		refs[i] = ref(m, v)
	}
	return refs
}

// bundleNames walks the names of all bundles of a package.
func (p *problem) bundleNames(pkg string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for i := range p.universe.catalogs {
			for b := range p.universe.catalogs[i].bundles(pkg) {
				if !yield(b.Name) {
					return
				}
			}
		}
	}
}

// nameOf is the bundle's name.
func (p *problem) nameOf(v solver.Var) string {
	if b := p.asInstalled(v); b != nil {
		return b.name()
	}
	return p.bundle(v).Name
}

// constraintOf returns the constraint that a dependency rule comes from.
func (p *problem) constraintOf(o origin) constraints.Constraint {
	if b := p.asInstalled(o.bundle); b != nil {
		return b.constraints[o.constraint]
	}
	return p.bundle(o.bundle).Constraints[o.constraint]
}
