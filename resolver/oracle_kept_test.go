package resolver_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/resolvent/resolvent/resolver/internal/oracle"
)

// TestOracleKept compares which rows are kept, rather than blocked, in problems in which
// installed bundles often require others of certain versions.
func TestOracleKept(t *testing.T) {
	var about features
	compared := eachSolved(t, *problems, requiring, oracle.Rows, func(seed uint64, p *oracle.Problem, want map[string]*oracle.Row) error {
		states := map[string]bool{}
		err := agreement(seed, p, want, oracle.Rows, func(p *oracle.Problem, want map[string]*oracle.Row) string {
			return statusDisagreement(t.Context(), p, want, states)
		})
		about.add(states)
		return err
	})
	about.report(t, compared)
	if compared > 500 {
		assert.Positive(t, about.counts["kept"])
	}
}

// requiring returns a problem with a Subscription for each of a few packages, all installed at
// versions that fit each other.
func requiring(seed uint64) *oracle.Problem {
	r := rand.New(rand.NewPCG(seed, 7))
	p := &oracle.Problem{Namespace: "n", Globals: []string{"olm"}, Catalogs: []oracle.Catalog{{Namespace: "olm", Name: "c"}}}
	c := &p.Catalogs[0]
	names := []string{"a", "b", "d", "e"}[:2+r.IntN(3)]
	for _, name := range names {
		pkg := oracle.Package{Name: name, Default: "stable", Channels: []oracle.Channel{{Name: "stable"}}}
		for v := range 1 + r.IntN(3) {
			b := oracle.Bundle{Package: name, Name: fmt.Sprintf("%s.v%d", name, v+1), Version: fmt.Sprintf("%d.0.0", v+1)}
			if r.IntN(6) == 0 {
				b.Provides = []string{"K"}
			}
			if other := names[r.IntN(len(names))]; other != name && r.IntN(2) == 0 {
				at := 1 + r.IntN(3)
				b.Requires = []oracle.Constraint{{Package: other, Range: []string{fmt.Sprintf("%d.0.0", at), fmt.Sprintf("<=%d.0.0", at), fmt.Sprintf(">=%d.0.0", at)}[r.IntN(3)], Old: r.IntN(2) == 0}}
			}
			c.Bundles = append(c.Bundles, b)
			e := oracle.Entry{Name: b.Name}
			if v > 0 {
				e.Replaces = fmt.Sprintf("%s.v%d", name, v)
			}
			pkg.Channels[0].Entries = append(pkg.Channels[0].Entries, e)
		}
		c.Packages = append(c.Packages, pkg)
		of := slices.DeleteFunc(slices.Clone(c.Bundles), func(b oracle.Bundle) bool { return b.Package != name })
		b := of[r.IntN(len(of))]
		p.Installed = append(p.Installed, oracle.Installed{Name: b.Name, Version: b.Version, Annotated: true, Package: name, PackageVersion: b.Version, Provides: b.Provides, Requires: b.Requires})
		s := oracle.Subscription{Name: "s-" + name, Package: name, Channel: "stable", Source: "c", SourceNamespace: "olm", InstalledCSV: b.Name}
		if r.IntN(8) > 0 {
			p.Subscriptions = append(p.Subscriptions, s)
		}
	}
	if r.IntN(6) == 0 {
		p.Denied = []string{c.Bundles[r.IntN(len(c.Bundles))].Name}
	}
	return p
}

// kept finds which blocked rows are kept: those that could move if nothing were required, but not
// if what the bundles require counts that stay at their heads, or are kept.
func kept(p *oracle.Problem, rows map[string]*oracle.Row) (map[string]bool, error) {
	alone := func(s oracle.Subscription) bool { return rows[s.Name].Alone }
	if slices.ContainsFunc(p.Subscriptions, alone) { // the others are judged without those that fail
		p = p.Fork()
		p.Subscriptions = slices.DeleteFunc(p.Subscriptions, alone)
		var err error
		if rows, err = oracle.Rows(p, oracleLimit); err != nil {
			return nil, err
		}
	}
	stay, found := map[string]bool{}, map[string]bool{}
	for name, row := range rows {
		stay[name] = row.State == "current"
	}
	for again := true; again; {
		again = false
		for name, row := range rows {
			if row.State != "blocked" || stay[name] {
				continue
			}
			only := demanding(p, name, stay)
			demanded, err := oracle.Rows(only, oracleLimit)
			if err != nil {
				return nil, err
			}
			for i := range only.Installed {
				only.Installed[i].Requires = nil
			}
			free, err := oracle.Rows(only, oracleLimit)
			if err != nil {
				return nil, err
			}
			if demanded[name] != nil && demanded[name].State == "blocked" && free[name].State != "blocked" && required(p, name, stay) {
				stay[name], found[name], again = true, true, true
			}
		}
	}
	return found, nil
}

// demanding is a problem of a Subscription and those that stay, in which nothing is required
// but by what these have installed.
func demanding(p *oracle.Problem, name string, stay map[string]bool) *oracle.Problem {
	q := p.Clone()
	q.Denied, q.TooNew, q.Held, q.Group, q.Groups = nil, false, nil, nil, nil
	q.Subscriptions = slices.DeleteFunc(q.Subscriptions, func(s oracle.Subscription) bool { return s.Name != name && !stay[s.Name] })
	q.Installed = slices.DeleteFunc(q.Installed, func(i oracle.Installed) bool {
		return !slices.ContainsFunc(q.Subscriptions, func(s oracle.Subscription) bool { return s.InstalledCSV == i.Name })
	})
	for k := range q.Installed {
		if i := &q.Installed[k]; !slices.ContainsFunc(q.Subscriptions, func(s oracle.Subscription) bool { return stay[s.Name] && s.InstalledCSV == i.Name }) {
			i.Requires = nil
		}
	}
	for c := range q.Catalogs {
		for b := range q.Catalogs[c].Bundles {
			q.Catalogs[c].Bundles[b].Requires = nil
		}
	}
	return q
}

// required reports whether something that stays requires what a Subscription has installed.
func required(p *oracle.Problem, name string, stay map[string]bool) bool {
	csv := map[string]string{}
	for _, s := range p.Subscriptions {
		csv[s.Name] = s.InstalledCSV
	}
	at := slices.IndexFunc(p.Installed, func(i oracle.Installed) bool { return i.Name == csv[name] })
	return slices.ContainsFunc(p.Installed, func(i oracle.Installed) bool {
		for of := range stay {
			if stay[of] && csv[of] == i.Name && slices.ContainsFunc(i.Requires, func(c oracle.Constraint) bool { return mayServe(&p.Installed[at], c) }) {
				return true
			}
		}
		return false
	})
}

// mayServe reports whether a bundle satisfies some part of a constraint.
func mayServe(i *oracle.Installed, c oracle.Constraint) bool {
	of := func(c oracle.Constraint) bool { return mayServe(i, c) }
	return c.Package != "" && c.Package == i.Package && oracle.InRange(c.Range, i.PackageVersion) || slices.Contains(i.Provides, c.Kind) ||
		slices.Contains(i.Labels, c.Label) || c.Rule != nil || slices.ContainsFunc(c.All, of) || slices.ContainsFunc(c.Any, of)
}
