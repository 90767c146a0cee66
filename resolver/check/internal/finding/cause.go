package finding

import (
	"slices"
	"strings"

	"github.com/blang/semver/v4"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/constraints"
	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/resolver/internal/words"
	"github.com/resolvent/resolvent/resolver/result"
)

// Sentence returns a cause as a sentence about its bundle: the rules of the bundle, then
// those that they lead to. It does not name the bundle, so that bundles with the same cause
// have the same sentence.
func Sentence(c *result.BundleCause) string {
	if len(c.Constraints) == 1 {
		r := &c.Constraints[0]
		if r.Kind() == words.KindDependency && owns(c, r) {
			text := missingText(r.Because())
			if message := words.OneLine(r.Args().Constraint.FailureMessage()); message != "" {
				text += " (" + message + ")"
			}
			return text
		}
	}
	var mine, groups []string
	type rule struct{ pkg, text string } // of other bundles
	var others []rule
	versions := map[rule][]semver.Version{}
	for i := range c.Constraints {
		r := &c.Constraints[i]
		if of := r.Code(); of == words.OnePackage || of == words.OneName || of == words.OneAPI {
			groups = append(groups, r.Message())
		} else if owns(c, r) {
			mine = append(mine, "it "+ruleText(r))
		} else {
			k := rule{r.Args().Package, ruleText(r)}
			if versions[k] == nil {
				others = append(others, k)
			}
			versions[k] = append(versions[k], *r.Args().Version)
		}
	}
	for _, r := range others {
		mine = append(mine, words.VersionSpan(r.pkg, versions[r])+words.Verb(len(versions[r]), " ", ": each ")+r.text)
	}
	return strings.Join(append(mine, groups...), "; ")
}

// owns reports whether the bundle of the cause states the rule itself.
func owns(c *result.BundleCause, r *result.Reason) bool {
	return r.Args().Bundle == c.Bundle.Bundle.Name && r.Args().Package == c.Bundle.Bundle.Package && r.Args().Catalog == c.Bundle.Bundle.Catalog
}

// ruleText returns the rest of a sentence about the bundle of a rule.
func ruleText(r *result.Reason) string {
	text := r.Phrase()
	if r.Code() == words.Requires {
		text += ", and " + missingText(r.Because())
	}
	return text
}

func missingText(missing []result.Reason) string {
	parts := words.Mapped(lacks(missing), func(r result.Reason) string { return r.Absent() })
	return strings.Join(slices.Compact(parts), ", and ")
}

// lacks returns the reasons that say what no catalog has, without why rules fail.
func lacks(missing []result.Reason) []result.Reason {
	return slices.DeleteFunc(slices.Clone(missing), func(r result.Reason) bool { return r.Kind() == words.KindRuleFailed })
}

// causeText returns the rules of a cause. It does not depend on other bundles.
func causeText(c result.BundleCause) string {
	var rules []string
	for i := range c.Constraints {
		r := &c.Constraints[i]
		rule := string(r.Kind())
		if r.Args().Constraint != nil {
			rule = "requires " + exactly(r.Args().Constraint)
		}
		if r.Args().Package != "" && r.Args().Package != c.Bundle.Bundle.Package {
			rule = r.Args().Package + " " + rule
		}
		rules = append(rules, rule)
	}
	slices.Sort(rules)
	return strings.Join(slices.Compact(rules), "; ")
}

// exactly returns a text that only this constraint has. String shortens a long one.
func exactly(e constraints.Expr) string {
	switch e.(type) {
	case constraints.Package, constraints.GVK, constraints.Label:
		return e.String()
	}
	return e.String() + Digest(constraints.Key(e))
}

// followsFrom reports whether a cause adds nothing to those with one constraint: they miss
// everything that it misses.
func followsFrom(c result.BundleCause, all []result.BundleCause) bool {
	if len(c.Constraints) == 1 {
		return false
	}
	mine := map[absence]bool{}
	for _, other := range all {
		if len(other.Constraints) == 1 {
			for _, a := range absences(other) {
				mine[a] = true
			}
		}
	}
	missing := absences(c)
	return len(missing) > 0 && !slices.ContainsFunc(missing, func(a absence) bool { return !mine[a] })
}

// absence is something that no catalog has.
type absence struct {
	kind         result.ReasonKind
	api          properties.GVK
	pkg, subject string
}

func absences(c result.BundleCause) []absence {
	var list []absence
	for _, r := range c.Constraints {
		if r.Code() == words.Requires {
			for _, m := range lacks(r.Because()) {
				list = append(list, absence{m.Kind(), m.API(), m.Args().Package, m.Args().Subject})
			}
		}
	}
	return list
}

// Span returns bundles of a package in a few words.
func Span(pkg string, bundles []*catalog.Bundle) string {
	return words.VersionSpan(pkg, words.Mapped(bundles, func(b *catalog.Bundle) semver.Version { return b.Version }))
}
