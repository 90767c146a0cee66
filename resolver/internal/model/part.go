package model

import (
	"cmp"
	"iter"
	"slices"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/constraints"
	"github.com/resolvent/resolvent/constraints/rules"
	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/inventory"
	"github.com/resolvent/resolvent/resolver/internal/pace"
	"github.com/resolvent/resolvent/resolver/internal/words"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/solver"
)

// Part is one scope of a Model. Its bundles have the numbers from Base on: first those of
// the Universe in its order, then the installed ones.
type Part struct {
	// In and Pace belong to the Model. Index is the place of the Part in Model.Parts.
	Model *Model
	In    *Inputs
	Pace  *pace.Pace
	Index int
	Base  solver.Var
	// Catalogs are those of the Universe.
	Universe *Universe
	Catalogs []Catalog

	Facts  rules.Facts
	memory *Memory
	match  matcher
	Judge  Judge

	Scope cluster.Scope
	// Kind is that of the requests of the scope.
	Kind *Kind
	// Namespace and State are empty for a ClusterExtension.
	Namespace     string
	State         *cluster.NamespaceObjects
	OperatorGroup *inventory.GroupRule
	Visibility    inventory.Visibility
	Installed     []InstalledBundle
	// Refused, if set, is why the scope is not resolved although it was read: unhealthy
	// catalogs, its OperatorGroups, or catalogs of equal rank.
	Refused error

	// Managed has, by package, the indices of installed bundles that a request manages.
	Managed map[string][]int
	// Aliases leads from a catalog's bundle to the installed one that it is.
	Aliases map[solver.Var]solver.Var
	// Excludes leads from an update to the installed bundles that it replaces.
	Excludes map[solver.Var][]solver.Var
	// Owners has, by kind, the other ClusterExtension that owns it. It is set for a
	// ClusterExtension only.
	Owners map[properties.GVK]*cluster.ClusterExtension
	// Neighbors are the Parts whose bundles can satisfy constraints of this one.
	Neighbors []*Part
	// Extras are no candidates, but a request selects them by startingCSV.
	Extras []solver.Var

	// rules are the rules of the bundles that the solver has asked for. ruled has the
	// index of a bundle's rules.
	rules [][]solver.Rule
	ruled map[solver.Var]int32
	// exclusions are those that the rules of other Parts share.
	exclusions map[exclusionKey]exclusion
	Origins    []Origin
}

// Origin says where a rule comes from. solver.Rule.Origin is an index into Part.Origins.
type Origin struct {
	Code words.Code
	// Bundle states the rule; constraint is the index among its constraints.
	Bundle     solver.Var
	constraint int
	// Why, if set, is why the rule forbids the bundle, which it leaves out.
	Why *result.Reason
}

// Stated reads what a ClusterServiceVersion of the namespace states. The error is that of
// the context.
func (p *Part) Stated(csv *cluster.ClusterServiceVersion) (inventory.BundleFacts, error) {
	return p.memory.reader.Read(p.Pace.Ctx, p.State, csv)
}

// Number returns the number of a catalog's bundle.
func (p *Part) Number(catalog int, id catalog.ID) solver.Var {
	return p.Base + p.Universe.Number(catalog, id)
}

// Locate returns the catalog and ID of a bundle by its number.
func (p *Part) Locate(v solver.Var) (catalog int, id catalog.ID) {
	return p.Universe.Locate(v - p.Base)
}

// Bundle returns a catalog's bundle by its number.
func (p *Part) Bundle(v solver.Var) *catalog.Bundle { return p.Universe.Bundle(v - p.Base) }

// Renumber returns the numbers in the Model of bundles with numbers of the Universe. It does
// not change the list, and may return it.
func (p *Part) Renumber(list []solver.Var) []solver.Var {
	if p.Base == 0 {
		return list
	}
	list = slices.Clone(list)
	for i := range list {
		list[i] += p.Base
	}
	return list
}

func (p *Part) addOrigin(o Origin) int32 {
	p.Origins = append(p.Origins, o)
	return int32(len(p.Origins) - 1)
}

// Exclude notes that v is an update of the installed bundle cur and replaces it. An alias
// replaces nothing.
func (p *Part) Exclude(v, cur solver.Var) {
	if p.Aliased(v) {
		return
	}
	if p.Excludes == nil {
		p.Excludes = make(map[solver.Var][]solver.Var)
	}
	if !slices.Contains(p.Excludes[v], cur) {
		p.Excludes[v] = append(p.Excludes[v], cur)
	}
}

// Given appends to given the installed bundles that no request manages.
func (p *Part) Given(given []solver.Var) []solver.Var {
	n := 0
	for i := range p.Installed {
		if !p.Installed[i].Requested {
			n++
		}
	}
	given = slices.Grow(given, n)
	for i := range p.Installed {
		if !p.Installed[i].Requested {
			given = append(given, p.InstalledVar(i))
		}
	}
	return given
}

// Rules returns the rules of a bundle and builds them on first use.
func (p *Part) Rules(v solver.Var) []solver.Rule {
	if i, ok := p.ruled[v]; ok {
		return p.rules[i]
	}
	rules := p.makeRules(v)
	if p.ruled == nil {
		p.ruled = make(map[solver.Var]int32)
	}
	p.ruled[v], p.rules = int32(len(p.rules)), append(p.rules, rules)
	if limit := cmp.Or(p.In.Options.MaxCandidates, defaultMaxCandidates); len(p.rules) > limit {
		p.Pace.Fail(TooLarge(p.Scope.String(), "candidates", limit))
	}
	return rules
}

// EntryRules returns the rules that a catalog's bundle states, even if it is an alias of an
// installed one.
func (p *Part) EntryRules(v solver.Var) []solver.Rule {
	catalog, id := p.Locate(v)
	return p.constraintRules(nil, v, p.Catalogs[catalog].Snapshot.Bundle(id).Constraints, catalog)
}

func (p *Part) makeRules(v solver.Var) []solver.Rule {
	if b := p.AsInstalled(v); b != nil {
		return p.constraintRules(nil, v, b.Constraints, b.Own)
	}
	catalog, id := p.Locate(v)
	b := p.Catalogs[catalog].Snapshot.Bundle(id)
	if o, forbidden := p.Forbid(v, catalog, b); forbidden {
		return []solver.Rule{{Formula: impossible, Origin: p.addOrigin(o)}}
	}
	var rules []solver.Rule
	for _, cur := range p.Excludes[v] {
		rules = append(rules, solver.Rule{Formula: solver.NoneOf(cur), Origin: p.addOrigin(Origin{Code: words.Replaces, Bundle: v})})
	}
	rules = p.constraintRules(rules, v, b.Constraints, catalog)
	if p.Model.Joint() {
		rules = append(rules, p.sharedRules(v)...)
	}
	return rules
}

func (p *Part) constraintRules(rules []solver.Rule, v solver.Var, list []constraints.Constraint, own int) []solver.Rule {
	for i, c := range list {
		rules = append(rules, solver.Rule{
			Formula: p.match.constraintFormula(c.Expr, own),
			Origin:  p.addOrigin(Origin{Code: words.Requires, Bundle: v, constraint: i}),
		})
	}
	return rules
}

// FormulaOf returns the formula of an expression that a catalog's bundle states.
func (p *Part) FormulaOf(v solver.Var, e constraints.Expr) solver.Formula {
	own, _ := p.Locate(v)
	return p.match.constraintFormula(e, own)
}

// ConstraintOf returns the constraint behind a rule with code Requires.
func (p *Part) ConstraintOf(o Origin) constraints.Constraint {
	return p.ConstraintsOf(o.Bundle)[o.constraint]
}

// ConstraintsOf returns the constraints of a bundle.
func (p *Part) ConstraintsOf(v solver.Var) []constraints.Constraint {
	if b := p.AsInstalled(v); b != nil {
		return b.Constraints
	}
	return p.Bundle(v).Constraints
}

// groups returns the at-most-one groups of a bundle in the numbers of the Universe.
func (p *Part) groups(v solver.Var) []solver.Group {
	if b := p.AsInstalled(v); b != nil {
		return b.groups
	}
	return p.Universe.Groups.Bundle(v-p.Base, p.Bundle(v))
}

// PropertiesOf returns the properties of a bundle.
func (p *Part) PropertiesOf(v solver.Var) *properties.Set {
	if b := p.AsInstalled(v); b != nil {
		return b.Properties
	}
	return p.Bundle(v).Properties
}

// NameOf returns the name of a bundle.
func (p *Part) NameOf(v solver.Var) string {
	if b := p.AsInstalled(v); b != nil {
		return b.Name()
	}
	return p.Bundle(v).Name
}

// Ref returns the reference to a bundle in results.
func (p *Part) Ref(v solver.Var) result.BundleRef {
	p.Pace.Step(1)
	if b := p.AsInstalled(v); b != nil {
		return result.BundleRef{Namespace: p.JointNamespace(), Bundle: catalog.BundleKey{Name: b.Name(), Package: b.PackageName()}, Version: b.Version, Installed: true}
	}
	c, id := p.Locate(v)
	b := p.Catalogs[c].Snapshot.Bundle(id)
	return result.BundleRef{Namespace: p.JointNamespace(), Bundle: b.Key(p.Catalogs[c].Key), Version: b.Version}
}

// JointNamespace returns the namespace if several are resolved together, else nothing.
func (p *Part) JointNamespace() string {
	if !p.Model.Joint() {
		return ""
	}
	return p.Namespace
}

// Packages yields, in the order of the catalogs, each that has the package, and the package.
func (p *Part) Packages(catalogs []int, name string) iter.Seq2[int, *catalog.Package] {
	return func(yield func(int, *catalog.Package) bool) {
		for _, c := range catalogs {
			if pkg := p.Catalogs[c].Snapshot.Package(name); pkg != nil && !yield(c, pkg) {
				return
			}
		}
	}
}

// BundleNames yields the names and versions of all bundles of a package in all catalogs.
func (p *Part) BundleNames(pkg string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for i := range p.Catalogs {
			for b := range p.Catalogs[i].Bundles(pkg) {
				if !yield(b.Name) || !yield(b.Version.String()) {
					return
				}
			}
		}
	}
}

// NamesOf returns the names of bundles.
func (p *Part) NamesOf(list []solver.Var) []string { return words.Mapped(list, p.NameOf) }

// TooLarge returns the *InvalidInput of a Model that exceeds a limit.
func TooLarge(subject, what string, limit int) error {
	return &result.InvalidInput{Subject: subject, Err: &result.TooLarge{What: what, Limit: limit}}
}
