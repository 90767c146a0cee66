package check

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/blang/semver/v4"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/constraints"
	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/resolver/check/internal/baseline"
	"github.com/resolvent/resolvent/resolver/check/internal/because"
	"github.com/resolvent/resolvent/resolver/internal/words"
	"github.com/resolvent/resolvent/resolver/result"
)

// installability finds the bundles that cannot be installed. It creates the judged catalogs.
func (r *runner) installability(catalogs []Catalog) error {
	all := slices.Clone(r.options.Background)
	keys := make([]catalog.Key, len(catalogs))
	for i, c := range catalogs {
		keys[i] = c.Key
		all = append(all, cache.Catalog{Key: c.Key, Snapshot: c.Checked.Snapshot})
	}
	assumed, err := r.options.Assume.catalog(r.ctx, all)
	if err != nil {
		return err
	}
	if assumed != nil {
		all = append(all, *assumed)
	}
	for i, c := range all {
		if slices.ContainsFunc(all[:i], func(other cache.Catalog) bool { return other.Key == c.Key }) {
			return &result.InvalidInput{Subject: "catalog " + c.Key.String(), Err: errors.New("several catalogs have this name: give each its own")}
		}
	}
	r.given = all
	r.progress("finding bundles that cannot be installed")
	list, err := r.uninstallable(all, keys...)
	tooLarge, unjudged := errors.AsType[*result.TooLarge](err)
	if err != nil && !unjudged {
		return err
	}
	r.report.Uninstallable = list
	for _, c := range catalogs {
		j := &judged{runner: r, Catalog: c, summary: summarize(c), blocked: map[catalog.ID]bool{}, stranded: map[[3]string]bool{}, ranks: map[string]map[string]int{}, faults: map[Identity]int{}}
		r.judged = append(r.judged, j)
		if c.Checked.Published != nil {
			o := r.options
			o.Baseline, o.Ignore = baseline.Set{}, nil
			before, err := Run(r.ctx, []Catalog{{c.Key, c.Checked.Published}}, o)
			if err != nil {
				return err
			}
			j.before = before.All
		}
		j.uninstallable(slices.DeleteFunc(slices.Clone(list), func(u result.Uninstallable) bool { return u.Catalog != c.Key }))
		if unjudged {
			j.add(catalog.Error, Identity{Code: CodeUnjudged}, nil, "it is not known which bundles can be installed: %v", tooLarge)
		}
		if len(all) == 1 || unjudged {
			continue
		}
		alone := []cache.Catalog{{Key: c.Key, Snapshot: c.Checked.Snapshot}}
		without, err := r.uninstallable(alone, c.Key)
		if err != nil {
			return err
		}
		for _, u := range without {
			if !j.blocked[u.Bundle] {
				j.summary.NeedOthers++
			}
		}
	}
	return nil
}

func summarize(c Catalog) Summary {
	s := Summary{Key: c.Key, Bundles: c.Checked.Snapshot.Len()}
	for p := range c.Checked.Snapshot.Packages() {
		s.Packages++
		s.Channels += len(p.Channels)
	}
	if c.Checked.Published != nil {
		s.Published = c.Checked.Published.Snapshot.Len()
	}
	return s
}

// uninstallable notes each bundle with its causes, and once more for each channel of
// which it is the head.
func (j *judged) uninstallable(list []result.Uninstallable) {
	unjudged := map[string][]string{} // what bundles without a catalog require, by package
	for _, u := range list {
		b := j.Checked.Snapshot.Bundle(u.Bundle)
		judged := len(u.Causes) == 0
		for _, cause := range u.Causes {
			switch {
			case j.withoutCatalog() && missesOthers(cause):
				unjudged[b.Package] = append(unjudged[b.Package], cause.Constraints[0].Args().Constraint.String())
				continue
			case !followsFrom(cause, u.Causes):
				j.addCause(b, cause)
			}
			judged = true
		}
		if judged {
			j.blocked[u.Bundle] = true
			j.summary.Uninstallable++
		}
	}
	for pkg, required := range unjudged {
		required = words.Distinct(required)
		slices.Sort(required)
		j.add(catalog.Note, Identity{Code: CodeUnjudged, Package: pkg}, nil, "no catalog was given, so it is not judged whether one has what the bundle requires: %s", strings.Join(required, ", "))
	}
}

// withoutCatalog reports whether only bundle directories were given, which are no catalog.
func (j *judged) withoutCatalog() bool {
	return len(j.Checked.Directories) > 0 && j.Checked.Published == nil && len(j.runner.options.Background)+len(j.options.Assume.Packages)+len(j.options.Assume.APIs) == 0
}

// missesOthers reports whether a bundle only requires what no bundle given is.
func missesOthers(c result.BundleCause) bool {
	return len(c.Constraints) == 1 && c.Constraints[0].Kind() == words.KindDependency && len(absences(c)) > 0
}

func (j *judged) addCause(b *catalog.Bundle, cause result.BundleCause) {
	// A publisher deprecates a bundle on purpose, but Subscriptions to a channel with that
	// head fail.
	of, severity, ofHead := CodeUninstallable, catalog.Warning, catalog.Error
	if len(cause.Constraints) == 1 && cause.Constraints[0].Kind() == words.KindDeprecated {
		of, severity, ofHead = codeDeprecatedBundle, catalog.Note, catalog.Warning
	}
	text := sentence(&cause)
	why := []because.Reason{{Code: because.Requires, Entry: b.Name, Rule: causeText(cause)}}
	for i := range cause.Constraints {
		for _, r := range cause.Constraints[i].Because() {
			if r.Kind() == words.KindRuleFailed { // as resolve says why nothing satisfies a rule
				why = append(why, because.Reason{Code: because.RuleFails, Entry: r.Args().Bundle, Rule: r.Message()})
			}
		}
	}
	o := observation{
		Identity: Identity{Code: of, Package: b.Package, Bundle: b.Name, Cause: causeText(cause)},
		severity: severity, bundles: []string{b.Name}, place: nowhere, text: text, because: why,
		sentence: func(all *joined) string {
			return notInstalled(j.span(b.Package, all.bundles), all.channels, text)
		},
	}
	j.observe(&o)
	for _, channel := range headOf(j.Checked.Snapshot, b) {
		head := o
		head.Channel, head.severity = channel, ofHead
		j.observe(&head)
	}
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
	return e.String() + digest(constraints.Key(e))
}

// followsFrom reports whether a cause adds nothing to those with one constraint: they miss
// everything that it misses.
func followsFrom(c result.BundleCause, all []result.BundleCause) bool {
	if len(c.Constraints) == 1 {
		return false
	}
	own := map[absence]bool{}
	for _, other := range all {
		if len(other.Constraints) == 1 {
			for _, a := range absences(other) {
				own[a] = true
			}
		}
	}
	missing := absences(c)
	return len(missing) > 0 && !slices.ContainsFunc(missing, func(a absence) bool { return !own[a] })
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

func headOf(s *catalog.Snapshot, b *catalog.Bundle) []string {
	var names []string
	for _, channel := range s.Package(b.Package).Channels {
		if head := channel.Head(); head != nil && head.Name == b.Name {
			names = append(names, channel.Name)
		}
	}
	return names
}

// span returns bundles of a package in a few words.
func (j *judged) span(pkg string, names []string) string {
	return span(pkg, words.Mapped(names, func(name string) *catalog.Bundle { return j.Checked.Snapshot.Find(pkg, name) }))
}

func span(pkg string, bundles []*catalog.Bundle) string {
	return words.VersionSpan(pkg, words.Mapped(bundles, func(b *catalog.Bundle) semver.Version { return b.Version }))
}

func notInstalled(bundles string, headOf []string, text string) string {
	heads := ""
	if len(headOf) > 0 {
		heads = ", with the head of " + channelNames(headOf)
	}
	return fmt.Sprintf("%s cannot be installed%s: %s", bundles, heads, text)
}
