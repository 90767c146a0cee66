package policies

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/constraints/rules"
	"github.com/resolvent/resolvent/resolver/policy"
)

// Explained is what the rules of a policy deny in catalogs.
type Explained struct {
	Policy   string       `json:"policy"`
	Date     string       `json:"date"`
	Bundles  int          `json:"bundles"`
	Packages int          `json:"packages"`
	Rules    []RuleCounts `json:"rules"`
}

// RuleCounts is what a rule denies, or warns of.
type RuleCounts struct {
	Name     string `json:"name"`
	Severity string `json:"severity"`
	Deny     string `json:"deny"`
	Message  string `json:"message,omitempty"`
	// Changes is true for a rule about changes, which judges no bundles.
	Changes bool `json:"changes"`
	// Namespace is where it is judged, empty if it does not count in the one that was asked
	// for.
	Namespace string `json:"namespace,omitempty"`
	// Bundles are those that it counts for, Denied those of them that it denies as new ones.
	Bundles int `json:"bundles"`
	Denied  int `json:"denied"`
	// Updates are the next updates of bundles in their channels, if the rule reads what is
	// installed.
	Updates       int `json:"updates"`
	DeniedUpdates int `json:"deniedUpdates"`
	// Where says for which packages and catalogs it counts, empty if for all.
	Where string `json:"where,omitempty"`
	// Undated are the bundles that state no createdAt, Unreadable those that state none that is
	// a day, if the rule reads it.
	Undated    int `json:"undated"`
	Unreadable int `json:"unreadable"`
	// Failed counts what the rule denies because it fails, FailedOn is the first bundle.
	Failed   int            `json:"failed"`
	FailedOn string         `json:"failedOn,omitempty"`
	Failure  string         `json:"failure,omitempty"`
	Packages []PackageCount `json:"packages"`
}

// PackageCount is what a rule denies of a package.
type PackageCount struct {
	Package       string `json:"package"`
	Denied        int    `json:"denied"`
	DeniedUpdates int    `json:"deniedUpdates"`
}

const (
	severityDeny = "deny"
	severityWarn = "warn"
)

// update is a bundle, and the one that it is the next update of, nil for none.
type update struct{ to, from *policy.Bundle }

// maxCost bounds the cost of all rules on all bundles, in units of CEL: some ten seconds at worst.
// A rule of one comparison costs some 20 on a bundle.
const maxCost = 200_000_000

// ExplainRules counts what each rule denies in the catalogs, in a namespace on a day. Without a
// namespace each rule is judged in one in which it counts. The error is that of the context, or
// says that the rules cost too much.
func ExplainRules(ctx context.Context, p *policy.Policy, view *cache.View, namespace, date string) (*Explained, error) {
	e := &Explained{Policy: p.Name, Date: date, Rules: []RuleCounts{}}
	var news, updates []update
	packages := map[string]bool{}
	for c := range view.Catalogs() {
		if c.Snapshot == nil {
			continue
		}
		for pkg := range c.Snapshot.Packages() {
			if ctx.Err() != nil {
				return nil, context.Cause(ctx)
			}
			packages[pkg.Name] = true
			bundles := map[catalog.ID]*policy.Bundle{}
			for _, id := range pkg.Bundles {
				bundles[id] = policy.Listed(c.Key, c.Priority, c.Labels, c.Snapshot, c.Snapshot.Bundle(id))
				news = append(news, update{to: bundles[id]})
			}
			updates = append(updates, nextUpdates(pkg, bundles)...)
		}
	}
	e.Bundles, e.Packages = len(news), len(packages)
	left := int64(maxCost)
	for _, rule := range p.Candidates {
		counts := countsOf(rule)
		counts.Namespace = rule.Namespace(namespace)
		if counts.Namespace != "" {
			judged := news
			if rule.Reads("installed", "") {
				judged = slices.Concat(news, updates)
			}
			if err := counts.count(ctx, rule, judged, date, &left); err != nil {
				return nil, err
			}
		}
		e.Rules = append(e.Rules, counts)
	}
	for _, rule := range p.Changes {
		counts := countsOf(rule)
		counts.Changes = true
		e.Rules = append(e.Rules, counts)
	}
	return e, nil
}

// nextUpdates returns the next update of each bundle of a package in each of its channels.
func nextUpdates(pkg *catalog.Package, bundles map[catalog.ID]*policy.Bundle) []update {
	var list []update
	seen := map[[2]catalog.ID]bool{}
	for _, channel := range pkg.Channels {
		for i := range channel.Entries {
			from := channel.Entries[i].Bundle
			if bundles[from] == nil {
				continue
			}
			for place := range channel.Updates(bundles[from].Bundle.Name, &bundles[from].Version) {
				next := place.At().Bundle
				if bundles[next] == nil {
					continue
				}
				if !seen[[2]catalog.ID{from, next}] {
					seen[[2]catalog.ID{from, next}] = true
					list = append(list, update{bundles[next], bundles[from]})
				}
				break
			}
		}
	}
	return list
}

func countsOf(rule *policy.Rule) RuleCounts {
	counts := RuleCounts{Name: rule.Name, Severity: severityDeny, Deny: rule.Deny, Message: rule.Message, Where: rule.Where(), Packages: []PackageCount{}}
	if rule.Warn {
		counts.Severity = severityWarn
	}
	return counts
}

// statesCreatedAt reports whether a bundle states when it was made, in whatever form.
func statesCreatedAt(b *policy.Bundle) bool {
	m := b.Properties.Metadata()
	return m != nil && maps.Collect(m.Annotations())["createdAt"] != ""
}

// Failed reports whether a rule fails on a bundle.
func (e *Explained) Failed() bool {
	return slices.ContainsFunc(e.Rules, func(r RuleCounts) bool { return r.Failed > 0 })
}

// count judges new bundles and updates, while some cost is left.
func (r *RuleCounts) count(ctx context.Context, rule *policy.Rule, list []update, date string, left *int64) error {
	alone := &policy.Policy{Name: rule.Policy, Candidates: []*policy.Rule{rule}}
	rules := policy.Place{Facts: rules.Facts{Namespace: r.Namespace}, Today: date}.Rules([]*policy.Policy{alone})
	packages := map[string]*PackageCount{}
	for _, u := range list {
		if !rule.About(u.to) {
			continue
		}
		breaches, cost, err := rules.Candidate(ctx, u.to, u.from)
		if err != nil {
			return cmp.Or(context.Cause(ctx), err)
		}
		if *left -= int64(cost); *left < 0 {
			return fmt.Errorf("policy %s: its rules, of which %s is the last that is judged, cost more than %d units of CEL on these catalogs; explain fewer rules, or simpler ones", rule.Policy, rule.Name, maxCost)
		}
		pkg := packages[u.to.Bundle.Package]
		if pkg == nil {
			pkg = &PackageCount{Package: u.to.Bundle.Package}
			packages[pkg.Package] = pkg
		}
		if u.from == nil && u.to.CreatedAt == "" && rule.Reads("bundle", "createdAt") {
			if statesCreatedAt(u.to) {
				r.Unreadable++
			} else {
				r.Undated++
			}
		}
		all, denied, ofPackage := &r.Bundles, &r.Denied, &pkg.Denied
		if u.from != nil {
			all, denied, ofPackage = &r.Updates, &r.DeniedUpdates, &pkg.DeniedUpdates
		}
		*all += 1
		*denied += len(breaches)
		*ofPackage += len(breaches)
		for _, b := range breaches {
			if b.Err != nil {
				if r.Failed++; r.Failed == 1 {
					r.FailedOn, r.Failure = u.to.Bundle.Name, b.Err.Error()
				}
			}
		}
	}
	for _, pkg := range packages {
		if pkg.Denied+pkg.DeniedUpdates > 0 {
			r.Packages = append(r.Packages, *pkg)
		}
	}
	slices.SortFunc(r.Packages, func(a, b PackageCount) int {
		return cmp.Or(cmp.Compare(b.Denied+b.DeniedUpdates, a.Denied+a.DeniedUpdates), cmp.Compare(a.Package, b.Package))
	})
	return nil
}
