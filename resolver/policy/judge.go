package policy

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/blang/semver/v4"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/constraints/rules"
	"github.com/resolvent/resolvent/properties"
)

// Bundle is a bundle as rules read it. Empty fields are unknown. It must not change once rules
// have read it.
type Bundle struct {
	Bundle  catalog.BundleKey
	Version semver.Version
	// Channels are the channels that list the bundle, sorted.
	Channels []string
	// Priority and Labels are those of the catalog.
	Priority int
	Labels   map[string]string
	// Deprecated is true if the catalog deprecates the bundle or its package.
	Deprecated bool
	Image      string
	Properties *properties.Set
	// SupportEnds is the last day of support, CreatedAt the day on which the bundle was
	// made, InstalledAt that on which it was installed, all as YYYY-MM-DD.
	SupportEnds, CreatedAt, InstalledAt string

	fields atomic.Pointer[map[string]any] // of the variable, made once
}

// Place is where rules are judged.
type Place struct {
	// Facts are what is known of the cluster, and the namespace. Today is YYYY-MM-DD.
	Facts rules.Facts
	Today string
	// Labels are those of the namespace.
	Labels map[string]string
}

// Change is what an answer does with one package.
type Change struct {
	// Kind is "install", "update", "downgrade" or "remove".
	Kind string
	// From and To are nil for an install and a removal.
	From, To *Bundle
	// Requested is true if a request names the package, Dependency if a bundle of the answer
	// requires what is new.
	Requested, Dependency bool
	// RequiredBy are the bundles of the answer that require what is new, kept ones among them.
	RequiredBy []*Bundle
}

// Plan is what an InstallPlan would do, beside changing bundles: one text for each finding.
type Plan struct {
	Name string
	// Pinned are bundles past a startingCSV, Foreign bundles that nothing asks for, Widens
	// rights that what is installed does not have, Drops versions of APIs that are in use.
	Pinned, Foreign, Widens, Drops []string
}

// Breach is a rule that denies something, or warns of it.
type Breach struct {
	Rule *Rule
	// Err is why the rule failed, nil if it is true.
	Err error
}

// String returns the message of the rule, or why it failed, and names the rule.
func (b Breach) String() string {
	said := strings.Join(strings.Fields(b.Rule.Message), " ")
	switch {
	case b.Err != nil:
		return fmt.Sprintf("%s failed on line %d: %s", b.Rule, b.Rule.line, strings.Join(strings.Fields(b.Err.Error()), " "))
	case said != "":
		return said + " (" + b.Rule.String() + ")"
	case b.Rule.Warn:
		return b.Rule.String() + " warns of it"
	}
	return b.Rule.String() + " denies it"
}

// Rules are rules of several policies that count in one place. They are safe for any number of
// goroutines.
type Rules struct {
	// Key is set for one of Groups. Its verdicts on a bundle of a catalog are equal for equal
	// keys, so they can be cached.
	Key string
	// Installed is true for one of Groups whose rules read the installed bundle: verdicts can be
	// cached only without one.
	Installed bool

	candidates, changes []*Rule
	groups              []*Rules
	namespace, cluster  map[string]any
	// reads: the properties of the candidate, readsInstalled: those of the installed bundle.
	reads, readsInstalled bool
}

// The groups: most rules are the same in each namespace.
const (
	groupBundle = iota
	groupNamespace
	groupInstalled
	groups
)

// Rules returns the rules of the policies that count there, nil if there are none.
func (at Place) Rules(policies []*Policy) *Rules {
	r := &Rules{}
	for _, p := range policies {
		for _, rule := range p.Candidates {
			if rule.In(at.Facts.Namespace) {
				r.candidates = append(r.candidates, rule)
			}
		}
		for _, rule := range p.Changes {
			if rule.In(at.Facts.Namespace) {
				r.changes = append(r.changes, rule)
			}
		}
	}
	if len(r.candidates)+len(r.changes) == 0 {
		return nil
	}
	r.namespace = map[string]any{"name": at.Facts.Namespace, "labels": orEmpty(at.Labels)}
	r.cluster = at.Facts.Variable()
	put(r.cluster, "today", at.Today)
	r.group(at)
	return r
}

// group puts the rules about candidates into groups.
func (r *Rules) group(at Place) {
	var all [groups]Rules
	var numbers [groups][]byte
	var local [groups]bool // the facts of the namespace count
	for _, rule := range r.candidates {
		c, i := rule.compiled, groupBundle
		here := c.Uses("namespace") || c.Reads("cluster", "namespace")
		switch {
		case c.Uses("installed"):
			i = groupInstalled
		case here:
			i = groupNamespace
		}
		g := &all[i]
		g.Installed = i == groupInstalled
		g.candidates = append(g.candidates, rule)
		g.reads = g.reads || c.Reads("bundle", "properties") || c.Uses("properties")
		g.readsInstalled = g.readsInstalled || c.Reads("installed", "properties")
		numbers[i] = append(strconv.AppendUint(numbers[i], rule.number, 10), ' ')
		local[i] = local[i] || here
	}
	facts := at.Facts
	facts.Namespace = ""
	everywhere := at.Today + " " + facts.Key()
	for i := range all {
		if g := &all[i]; len(g.candidates) > 0 {
			g.namespace, g.cluster = r.namespace, r.cluster
			if g.Key = string(numbers[i]) + everywhere; local[i] {
				g.Key += strconv.Quote(at.Facts.Namespace) + rules.Facts{Labels: at.Labels}.Key()
			}
			r.groups = append(r.groups, g)
		}
	}
}

// Groups returns the rules about candidates by what they read beside the bundle, in the order in
// which they are judged. The list is shared: read it only.
func (r *Rules) Groups() []*Rules {
	if r == nil {
		return nil
	}
	return r.groups
}

// JudgeChanges reports whether a rule judges changes.
func (r *Rules) JudgeChanges() bool { return r != nil && len(r.changes) > 0 }

// JudgeCandidates reports whether a rule judges bundles.
func (r *Rules) JudgeCandidates() bool { return r != nil && len(r.candidates) > 0 }

// Candidate returns the rules that a bundle breaks if it is newly selected where installed, if
// not nil, is the installed bundle of its package. The error is that of the context.
func (r *Rules) Candidate(ctx context.Context, b, installed *Bundle) (list []Breach, cost uint64, err error) {
	if r.groups == nil {
		return r.judge(ctx, b, installed)
	}
	for _, g := range r.groups {
		breaches, spent, err := g.judge(ctx, b, installed)
		cost += spent
		if err != nil {
			return nil, cost, err
		}
		list = append(list, breaches...)
	}
	r.Sort(list)
	return list, cost, nil
}

// judge is Candidate for one of Groups.
func (r *Rules) judge(ctx context.Context, b, installed *Bundle) (list []Breach, cost uint64, err error) {
	e, err := candidateRules()
	if err != nil {
		return nil, 0, err
	}
	var variables map[string]any
	var fault error
	for _, rule := range r.candidates {
		if err := ctx.Err(); err != nil { // a rule may have many patterns
			return nil, cost, err
		}
		if !rule.About(b) {
			continue
		}
		if variables == nil {
			bundle, runs := b.variable(), installed.variable()
			var read uint64
			if r.reads {
				bundle, read, fault = b.whole(e)
				cost += read
			}
			if r.readsInstalled && installed != nil && fault == nil {
				runs, read, fault = installed.whole(e)
				cost += read
			}
			variables = map[string]any{"bundle": bundle, "installed": runs, "properties": bundle["properties"], "namespace": r.namespace, "cluster": r.cluster}
		}
		breach, spent, err := rule.judge(ctx, variables, fault)
		cost += spent
		if err != nil {
			return nil, cost, err
		}
		list = append(list, breach...)
	}
	return list, cost, nil
}

// Sort brings breaches into the order of the rules.
func (r *Rules) Sort(list []Breach) {
	slices.SortFunc(list, func(a, b Breach) int {
		return slices.Index(r.candidates, a.Rule) - slices.Index(r.candidates, b.Rule)
	})
}

// Changes returns the rules that changes break. The plan, if not nil, is the InstallPlan that
// makes them. A rule that counts for some packages or catalogs sees only changes of these,
// and is not judged if there is none. The error is that of the context.
func (r *Rules) Changes(ctx context.Context, changes []Change, plan *Plan) (list []Breach, cost uint64, err error) {
	e, err := changeRules()
	if err != nil {
		return nil, 0, err
	}
	values := make([]map[string]any, len(changes))
	var fault error
	// A rule that has not the word reads no properties of its changes.
	reads := slices.ContainsFunc(r.changes, func(rule *Rule) bool { return strings.Contains(rule.Deny, "properties") })
	seenAs := func(b *Bundle) map[string]any {
		if !reads || b == nil || fault != nil {
			return b.variable()
		}
		v, read, err := b.whole(e)
		cost, fault = cost+read, err
		return v
	}
	for i, c := range changes {
		requiredBy := []any{}
		for _, by := range c.RequiredBy {
			requiredBy = append(requiredBy, seenAs(by))
		}
		values[i] = map[string]any{
			"kind": c.Kind, "requested": c.Requested, "dependency": c.Dependency, "from": seenAs(c.From), "to": seenAs(c.To), "requiredBy": requiredBy,
		}
	}
	for _, rule := range r.changes {
		seen := []any{}
		for i, c := range changes {
			about := c.To
			if about == nil {
				about = c.From
			}
			if rule.About(about) {
				seen = append(seen, values[i])
			}
		}
		if len(seen) == 0 {
			continue
		}
		breach, spent, err := rule.judge(ctx, map[string]any{
			"changes": seen, "plan": plan.variable(), "namespace": r.namespace, "cluster": r.cluster,
		}, fault)
		cost += spent
		if err != nil {
			return nil, cost, err
		}
		list = append(list, breach...)
	}
	return list, cost, nil
}

// judge returns the breach of the rule, if there is one. fault is why the variables cannot be
// read. The error is that of the context.
func (r *Rule) judge(ctx context.Context, variables map[string]any, fault error) ([]Breach, uint64, error) {
	if fault != nil {
		return []Breach{{r, fault}}, 0, nil
	}
	verdict, cost, err := r.compiled.Evaluate(ctx, variables)
	switch verdict {
	case rules.Yes:
		return []Breach{{Rule: r}}, cost, nil
	case rules.Failed:
		return []Breach{{r, err}}, cost, nil
	case rules.Unknown:
		return nil, cost, err
	}
	return nil, cost, nil
}

// variable returns the bundle as rules read it, without its properties. It is empty for nil. The
// map is shared: read it only.
func (b *Bundle) variable() map[string]any {
	if b == nil {
		return map[string]any{}
	}
	if known := b.fields.Load(); known != nil {
		return *known
	}
	catalog := map[string]any{"priority": b.Priority, "labels": orEmpty(b.Labels)}
	put(catalog, "namespace", b.Bundle.Catalog.Namespace)
	put(catalog, "name", b.Bundle.Catalog.Name)
	v := map[string]any{
		"name": b.Bundle.Name, "package": b.Bundle.Package, "version": b.Version.String(),
		"channels": orNone(b.Channels), "catalog": catalog, "deprecated": b.Deprecated,
	}
	put(v, "image", b.Image)
	put(v, "supportEnds", b.SupportEnds)
	put(v, "createdAt", b.CreatedAt)
	put(v, "installedAt", b.InstalledAt)
	b.fields.Store(&v)
	return v
}

// whole returns the bundle as rules read it, with its properties, and the cost of reading these.
func (b *Bundle) whole(e *rules.Environment) (v map[string]any, cost uint64, err error) {
	v = maps.Clone(b.variable())
	v["properties"], cost, err = e.Properties(b.Properties)
	return v, cost, err
}

// variable returns the plan as rules read it. Without a plan, nothing is found.
func (p *Plan) variable() map[string]any {
	if p == nil {
		p = &Plan{}
	}
	v := map[string]any{"pinned": orNone(p.Pinned), "foreign": orNone(p.Foreign), "widens": orNone(p.Widens), "drops": orNone(p.Drops)}
	put(v, "name", p.Name)
	return v
}

// put sets a field that is known.
func put(v map[string]any, name, text string) {
	if text != "" {
		v[name] = text
	}
}

func orEmpty(labels map[string]string) map[string]string {
	if labels == nil {
		return map[string]string{}
	}
	return labels
}

func orNone(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}

// day returns the day of a time as objects state it, such as 2026-1-31T10:00:00Z, empty if it
// is none.
func day(text string) string {
	if i := strings.IndexAny(text, "T "); i >= 0 {
		text = text[:i]
	}
	t, err := time.Parse("2006-1-2", text)
	if err != nil {
		return ""
	}
	return t.Format(time.DateOnly)
}
