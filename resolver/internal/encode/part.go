package encode

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
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/candidate"
	"github.com/resolvent/resolvent/resolver/internal/inventory"
	"github.com/resolvent/resolvent/resolver/internal/pace"
	"github.com/resolvent/resolvent/resolver/policy"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/solver"
)

// Part is what one namespace or ClusterExtension asks, in the solver's terms:
// a part of a model.
//
// Its bundles have the numbers from base on: those of the universe in its order,
// then the installed ones.
type Part struct {
	Model *Model
	// Index is that of the part, and firstRoot that of its first request among
	// those of the model.
	Index     int
	FirstRoot int
	numbers

	*pace.Pace
	Options *policy.Options
	Facts   constraints.Facts

	// Namespace and its state say who asks; of the whole cluster both are empty.
	Namespace  string
	Cluster    *inventory.Cluster
	State      *inventory.Namespace
	View       *cache.View
	Visibility inventory.Visibility
	memory     *Memory

	Installed []InstalledBundle
	Requests  []Request
	// managed are, by package, the indices of installed bundles that a request
	// manages.
	managed map[string][]int

	// Aliases lead from catalog entries that are an installed bundle to it.
	Aliases map[solver.Var]solver.Var
	// Excludes lead from update candidates to the installed bundles whose place
	// they would take.
	Excludes map[solver.Var][]solver.Var
	// owners are the owners of kinds outside of what is resolved, where a kind
	// has one owner in the cluster.
	owners map[properties.GVK]result.Owner
	// Neighbours are the parts whose bundles can meet obligations of this one.
	Neighbours []*Part
	// Extras can be selected by a request only: startingCSV reached them.
	Extras []solver.Var

	limits        clusterLimits
	OperatorGroup *inventory.GroupRule

	rules   map[solver.Var][]solver.Rule
	Origins []Origin

	// Notes are the packages of catalogs that an explanation speaks of.
	Notes map[catalog.Key]map[string]bool
	match matcher
}

// Origin says where a rule comes from; solver.Rule.Origin indexes a list of
// them.
type Origin struct {
	Kind result.ReasonKind
	// Bundle states the rule; constraint is the index among its constraints.
	Bundle     solver.Var
	constraint int
	// Detail says how a rule forbids the bundle, if it does.
	Detail result.Detail
}

// impossible holds in no selection.
var impossible = &solver.Choice{}

// readNamespace fills the problem from the namespace's objects.
func (p *Part) readNamespace() error {
	rule, warnings, err := p.Cluster.GroupRule(p.Namespace, p.Options.RequireOperatorGroup)
	if err != nil {
		return err
	}
	p.OperatorGroup = rule
	p.Visibility.Warnings = append(p.Visibility.Warnings, warnings...)
	if err := p.readInstalled(); err != nil {
		return err
	}
	p.Requests = make([]Request, len(p.State.Subscriptions))
	for i := range p.Requests {
		p.Requests[i] = readSubscription(p, i)
		if only := p.Model.Only; only != nil && only.Subscription == p.Requests[i].Name() {
			p.Requests[i].Leave(only.Candidate)
		}
	}
	return nil
}

func (p *Part) addOrigin(o Origin) int32 {
	p.Origins = append(p.Origins, o)
	return int32(len(p.Origins) - 1)
}

// readInstalled reads the installed bundles that count and finds the catalog
// entries that stand for them.
func (p *Part) readInstalled() error {
	counting := p.State.Counting()
	p.Installed = make([]InstalledBundle, len(counting))
	if len(counting) > 0 {
		p.managed = make(map[string][]int, len(counting))
	}
	for i, csv := range counting {
		b, err := p.readBundle(p.State, csv)
		if err != nil {
			p.Installed = p.Installed[:i]
			return err
		}
		p.Installed[i] = b
	}
	for i := range p.Installed {
		b := &p.Installed[i]
		if !b.requested {
			continue
		}
		p.addAliases(b, p.InstalledVar(i))
		for _, pkg := range b.Packages {
			p.managed[pkg] = append(p.managed[pkg], i)
		}
	}
	return nil
}

// aliased reports whether a catalog's entry stands for an installed bundle.
func (p *Part) aliased(v solver.Var) bool {
	_, ok := p.Aliases[v]
	return ok
}

func (p *Part) addAliases(b *InstalledBundle, v solver.Var) {
	for c := range p.Universe.Catalogs {
		snapshot := p.Universe.Catalogs[c].Snapshot
		for _, id := range snapshot.Named(b.Name()) {
			for _, pkg := range b.Packages {
				if snapshot.Bundle(id).Package == pkg {
					p.addAlias(p.Number(c, id), v)
				}
			}
		}
	}
}

// addAlias makes a catalog's entry stand for an installed bundle.
func (p *Part) addAlias(entry, installed solver.Var) {
	if p.Aliases == nil {
		p.Aliases = make(map[solver.Var]solver.Var)
	}
	p.Aliases[entry] = installed
}

// readBundle decodes one installed bundle of a namespace. It cannot be
// quarantined, so every fault is an *InvalidInput.
func (p *Part) readBundle(state *inventory.Namespace, csv *cluster.ClusterServiceVersion) (InstalledBundle, error) {
	invalid := func(err error) (InstalledBundle, error) {
		return InstalledBundle{}, &result.InvalidInput{Subject: inventory.CSVSubject(csv.Namespace, csv.Name), Err: err}
	}
	b := InstalledBundle{CSV: csv, Own: candidate.NoCatalog}
	decoded, err := p.decode(state, csv)
	if err != nil {
		if _, ok := errors.AsType[*result.InvalidInput](err); ok {
			return b, err
		}
		return invalid(err)
	}
	b.Properties, b.constraints = decoded.Properties, decoded.Constraints
	set := decoded.Properties
	pkg, stated := set.Package()
	switch {
	case csv.Version != "":
		if b.Version, err = semver.Parse(csv.Version); err != nil {
			return invalid(fmt.Errorf("spec.version %q is no semantic version: %w", csv.Version, err))
		}
	case stated:
		b.Version = pkg.Version
	}
	b.Subscriptions = state.Installers[csv.Name]
	if len(b.Subscriptions) > 0 {
		b.requested, b.Own = true, p.ownCatalog(&state.Subscriptions[b.Subscriptions[0]])
	}
	b.Packages = state.SubscribedPackages(csv.Name)
	if stated {
		b.Packages = append(b.Packages, pkg.Name)
		slices.Sort(b.Packages)
		b.Packages = slices.Compact(b.Packages)
	}
	b.hold = state.Conditions[csv.Name]
	b.groups = p.Universe.Groups.Groups(csv.Name, set)
	return b, nil
}

// decode reads the properties of an installed bundle. Annotations do not change
// between calls as a rule, so what they say is remembered.
func (p *Part) decode(state *inventory.Namespace, csv *cluster.ClusterServiceVersion) (inventory.DecodedProperties, error) {
	read := func() (inventory.DecodedProperties, error) {
		list, err := state.PropertiesOf(csv, "0.0.0")
		if err != nil {
			return inventory.DecodedProperties{}, err
		}
		return inventory.DecodeInstalled(list, p.memory.parser)
	}
	if text, ok := csv.Annotations[cluster.AnnotationProperties]; ok {
		return p.memory.annotations.Get(text, read)
	}
	return read()
}

// ownCatalog returns the catalog that a Subscription names, noCatalog if it
// names none that is visible.
func (p *Part) ownCatalog(s *cluster.Subscription) int {
	if s.Catalog == "" {
		return candidate.NoCatalog
	}
	for i, c := range p.Universe.Catalogs {
		if s.Names(c.Key) {
			return i
		}
	}
	return candidate.NoCatalog
}

func (p *Part) InstalledVar(i int) solver.Var { return p.Base + p.Universe.Size + solver.Var(i) }

// installedIndex returns the index of an installed bundle of the namespace by
// name, or -1.
func (p *Part) installedIndex(name string) int {
	if name == "" {
		return -1
	}
	// The bundles of a namespace are sorted.
	i, found := slices.BinarySearchFunc(p.Installed, name, func(b InstalledBundle, name string) int { return strings.Compare(b.Name(), name) })
	if !found {
		return -1
	}
	return i
}

// AsInstalled returns the installed bundle with the number v, or nil.
func (p *Part) AsInstalled(v solver.Var) *InstalledBundle {
	i := v - p.Base - p.Universe.Size
	if i < 0 {
		return nil
	}
	return &p.Installed[i]
}

// exclude notes that v would take the place of the installed bundle cur.
func (p *Part) exclude(v, cur solver.Var) {
	if real, ok := p.Aliases[v]; ok {
		v = real
	}
	if p.Excludes == nil {
		p.Excludes = make(map[solver.Var][]solver.Var)
	}
	for _, c := range p.Excludes[v] {
		if c == cur {
			return
		}
	}
	p.Excludes[v] = append(p.Excludes[v], cur)
}

// Given appends the installed bundles that no request manages.
func (p *Part) Given(given []solver.Var) []solver.Var {
	for i := range p.Installed {
		if !p.Installed[i].requested {
			given = append(given, p.InstalledVar(i))
		}
	}
	return given
}

// Rules returns what a bundle of the problem asks.
func (p *Part) Rules(v solver.Var) []solver.Rule {
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

func (p *Part) makeRules(v solver.Var) []solver.Rule {
	if b := p.AsInstalled(v); b != nil {
		// A candidate of another Subscription may be installed itself.
		return p.constraintRules(p.excludeRules(nil, v), v, b.constraints, b.Own)
	}
	catalog, id := p.Locate(v)
	b := p.Universe.Catalogs[catalog].Snapshot.Bundle(id)
	if o, forbidden := p.Forbid(v, catalog, b); forbidden {
		return []solver.Rule{{Formula: impossible, Origin: p.addOrigin(o)}}
	}
	rules := p.constraintRules(p.excludeRules(nil, v), v, b.Constraints, catalog)
	if p.Model.joint() {
		rules = append(rules, p.sharedRules(v)...)
	}
	return rules
}

// excludeRules adds that an update takes the place of what it updates.
func (p *Part) excludeRules(rules []solver.Rule, v solver.Var) []solver.Rule {
	for _, cur := range p.Excludes[v] {
		rules = append(rules, solver.Rule{
			Formula: solver.NoneOf(cur),
			Origin:  p.addOrigin(Origin{Kind: result.ReasonReplaces, Bundle: v}),
		})
	}
	return rules
}

func (p *Part) constraintRules(rules []solver.Rule, v solver.Var, list []constraints.Constraint, own int) []solver.Rule {
	for i, c := range list {
		rules = append(rules, solver.Rule{
			Formula: p.match.constraintFormula(c.Expr, own),
			Origin:  p.addOrigin(Origin{Kind: result.ReasonDependency, Bundle: v, constraint: i}),
		})
	}
	return rules
}

// groups returns the groups of a bundle in the numbers of the universe.
func (p *Part) groups(v solver.Var) []solver.Group {
	if b := p.AsInstalled(v); b != nil {
		return b.groups
	}
	return p.Universe.Groups.Bundle(v-p.Base, p.Bundle(v))
}

// Ref names a bundle of the problem.
func (p *Part) Ref(v solver.Var) result.BundleRef {
	p.Step(1)
	if b := p.AsInstalled(v); b != nil {
		return result.BundleRef{Namespace: p.JointNamespace(), Name: b.Name(), Package: b.PackageName(), Version: b.Version, Installed: true}
	}
	c, id := p.Locate(v)
	b := p.Universe.Catalogs[c].Snapshot.Bundle(id)
	return result.BundleRef{Namespace: p.JointNamespace(), Name: b.Name, Package: b.Package, Version: b.Version, Catalog: p.Universe.Catalogs[c].Key}
}

// Packages yields the package of that name in each of the catalogs.
func (p *Part) Packages(catalogs []int, name string) iter.Seq[*catalog.Package] {
	return func(yield func(*catalog.Package) bool) {
		for _, c := range catalogs {
			if pkg := p.Universe.Catalogs[c].Snapshot.Package(name); pkg != nil && !yield(pkg) {
				return
			}
		}
	}
}

// JointNamespace is the namespace where several are resolved together, and otherwise empty.
func (p *Part) JointNamespace() string {
	if !p.Model.joint() {
		return ""
	}
	return p.Namespace
}

// Ref names a bundle.
func Ref(m *Model, v solver.Var) result.BundleRef { return m.Of(v).Ref(v) }

func Refs(m *Model, list []solver.Var) []result.BundleRef {
	refs := make([]result.BundleRef, len(list))
	for i, v := range list {
		refs[i] = Ref(m, v)
	}
	return refs
}

// BundleNames walks the names of all bundles of a package.
func (p *Part) BundleNames(pkg string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for i := range p.Universe.Catalogs {
			for b := range p.Universe.Catalogs[i].Bundles(pkg) {
				if !yield(b.Name) {
					return
				}
			}
		}
	}
}

// NameOf is the bundle's name.
func (p *Part) NameOf(v solver.Var) string {
	if b := p.AsInstalled(v); b != nil {
		return b.Name()
	}
	return p.Bundle(v).Name
}

// ConstraintOf returns the constraint that a dependency rule comes from.
func (p *Part) ConstraintOf(o Origin) constraints.Constraint {
	if b := p.AsInstalled(o.Bundle); b != nil {
		return b.constraints[o.constraint]
	}
	return p.Bundle(o.Bundle).Constraints[o.constraint]
}
