package resolver

import (
	"fmt"
	"slices"
	"strings"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/constraints"
	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/solver"
)

// causeText puts a core into words, about a bundle that it does not name.
type causeText struct {
	problem *problem
	bundle  solver.Var
	// own are the rules of the bundle, others those of further bundles that say
	// the same in one package.
	own    []origin
	others []*sameRule
	groups []groupKey
}

// sameRule is a rule that several bundles of a package have.
type sameRule struct {
	pkg, text string
	bundles   []*catalog.Bundle
}

// String is a sentence about the bundles.
func (r *sameRule) String() string {
	each := " "
	if len(r.bundles) > 1 {
		each = ": each "
	}
	return DescribeBundles(r.pkg, r.bundles) + each + r.text
}

func (t *causeText) addRule(o origin) {
	if o.bundle == t.bundle {
		t.own = append(t.own, o)
		return
	}
	b, text := t.problem.universe.bundle(o.bundle), t.ruleText(o)
	i := slices.IndexFunc(t.others, func(r *sameRule) bool { return r.pkg == b.Package && r.text == text })
	if i < 0 {
		i = len(t.others)
		t.others = append(t.others, &sameRule{pkg: b.Package, text: text})
	}
	t.others[i].bundles = append(t.others[i].bundles, b)
}

// String tells the rules of the bundle first, then what they lead to.
func (t *causeText) String() string {
	if len(t.own) == 1 && len(t.others)+len(t.groups) == 0 {
		if e := t.problem.exprOf(t.own[0]); e != nil {
			return t.lack(e) + failureText(e)
		}
	}
	var parts []string
	for _, o := range t.own {
		parts = append(parts, "it "+t.ruleText(o))
	}
	for _, r := range t.others {
		parts = append(parts, r.String())
	}
	for _, k := range t.groups {
		parts = append(parts, groupReason(t.problem, k).Message)
	}
	return strings.Join(parts, "; ")
}

func failureText(e constraints.Expr) string {
	if m := e.FailureMessage(); m != "" {
		return " (" + oneLine(m) + ")"
	}
	return ""
}

// ruleText says what a rule asks for, as the rest of a sentence about its bundle.
func (t *causeText) ruleText(o origin) string {
	e := t.problem.exprOf(o)
	if e == nil {
		return o.detail
	}
	text := "requires " + e.String() + failureText(e)
	if !t.offered(e) {
		text += ", and " + t.lack(e)
	}
	return text
}

// offered reports whether some candidate meets the expression by itself. Of one
// with negations that is not asked.
func (t *causeText) offered(e constraints.Expr) bool {
	switch e := e.(type) {
	case constraints.All:
		return !slices.ContainsFunc(e.Exprs, func(e constraints.Expr) bool { return !t.offered(e) })
	case constraints.Any:
		return slices.ContainsFunc(e.Exprs, t.offered)
	case constraints.Not:
		return true
	}
	list, err := t.problem.universe.candidates(t.problem.ctx, e, t.problem.facts, noCatalog)
	return err != nil || len(list) > 0
}

// lack says why nothing meets an expression.
func (t *causeText) lack(e constraints.Expr) string {
	switch e := e.(type) {
	case constraints.Package:
		return t.lackPackage(e)
	case constraints.GVK:
		return t.lackAPI(e.GVK)
	case constraints.Label:
		return "no catalog given has an operator labeled " + e.Label
	case constraints.CEL:
		return "no catalog given has " + e.String()
	case constraints.All:
		return t.lackEach(slices.DeleteFunc(slices.Clone(e.Exprs), t.offered), e)
	case constraints.Any:
		return t.lackEach(e.Exprs, e)
	}
	return "it requires " + e.String() + ", which cannot hold with it"
}

// lackEach joins what is missing of the parts of a compound expression.
func (t *causeText) lackEach(parts []constraints.Expr, whole constraints.Expr) string {
	if len(parts) == 0 || slices.ContainsFunc(parts, t.offered) {
		return "it requires " + whole.String() + ", which cannot hold with it"
	}
	texts := make([]string, len(parts))
	for i, part := range parts {
		texts[i] = t.lack(part)
	}
	return strings.Join(slices.Compact(texts), ", and ")
}

func (t *causeText) lackPackage(e constraints.Package) string {
	found := t.problem.look(e)
	quarantined := t.problem.quarantineText(t.problem.everyCatalog(), e.Name)
	switch {
	case len(found.catalogs) == 0:
		return "no catalog given has package " + e.Name + quarantined
	case len(found.bundles) == 0:
		return "package " + e.Name + " has no usable bundle" + quarantined
	case len(found.inRange) == 0:
		return fmt.Sprintf("no version of package %s is in range %s, only %s", e.Name, e.Range.Text(), DescribeBundles(e.Name, bundlesOf(found.bundles))) + quarantined
	}
	return fmt.Sprintf("no channel offers a version of package %s in range %s: %s can be reached by name only",
		e.Name, e.Range.Text(), DescribeBundles(e.Name, bundlesOf(found.inRange))) + quarantined
}

func bundlesOf(list []located) []*catalog.Bundle {
	bundles := make([]*catalog.Bundle, len(list))
	for i, b := range list {
		bundles[i] = b.Bundle
	}
	return bundles
}

func (t *causeText) lackAPI(api properties.GVK) string {
	var named []string
	var others []string
	for _, c := range t.problem.universe.catalogs {
		for _, id := range c.snapshot.Providers(api) {
			named = append(named, c.snapshot.Bundle(id).Name)
		}
		for other := range c.snapshot.GVKs() {
			if other != api && kindOf(other) == kindOf(api) {
				others = append(others, other.Version)
			}
		}
	}
	text := "no catalog given provides the API " + api.Describe()
	switch {
	case len(named) > 0:
		return fmt.Sprintf("no channel offers a provider of the API %s: %s can be reached by name only", api.Describe(), strings.Join(named, ", "))
	case len(others) > 0:
		return text + ", only its version " + strings.Join(distinct(others), ", ")
	}
	return text
}

// DescribeBundles names bundles of a package in a few words, however many there
// are: "etcd 0.9.4", "3 bundles of etcd from 0.9.0 to 0.9.4".
func DescribeBundles(pkg string, bundles []*catalog.Bundle) string {
	if len(bundles) == 0 {
		return "no bundle of " + pkg
	}
	byVersion := func(a, b *catalog.Bundle) int { return a.Version.Compare(b.Version) }
	first, last := slices.MinFunc(bundles, byVersion), slices.MaxFunc(bundles, byVersion)
	if len(bundles) == 1 {
		return pkg + " " + first.Version.String()
	}
	return fmt.Sprintf("%d bundles of %s from %s to %s", len(bundles), pkg, first.Version, last.Version)
}
