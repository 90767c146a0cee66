package resolver_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/resolvent/resolvent/resolver"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/oracle"
	"github.com/resolvent/resolvent/resolver/internal/oracle/random"
	"github.com/resolvent/resolvent/resolver/result"
)

// TestOracleOthers applies what is asked of each publisher to the catalogs: with the versions
// that a bundle is to accept the only group of a failure holds, and with fewer it does not.
func TestOracleOthers(t *testing.T) {
	var asked, skipped, releases atomic.Int64
	eachSeed(t, *problems, func(seed uint64) error {
		p := random.Problem(seed)
		pinEach(p)
		q, err := asScenario(nil, p).Question(t.Context())
		if err != nil {
			return err
		}
		_, failed := resolver.New().Resolve(t.Context(), q.Problem, cluster.InNamespace(p.Namespace))
		failure, ok := errors.AsType[*result.NotSatisfiable](failed)
		if !ok || slices.ContainsFunc(failure.Causes, func(c result.Cause) bool { return c.Group > 1 || len(c.Requests) == 0 }) {
			return nil
		}
		for _, o := range failure.Others {
			if o.Kind != "publisher" {
				continue
			}
			given, err := with(p, atomsOf(p, &result.Fix{Changes: o.After}))
			if err != nil {
				return fmt.Errorf("%s: %w\n%s", o.Text(""), err, writeFinding(p, seed))
			}
			changed := given.Clone()
			if !accept(changed, &o, o.Accepts) {
				skipped.Add(1)
				continue
			}
			works, err := oracle.Satisfiable(changed, fixLimit)
			if errors.Is(err, oracle.ErrTooLarge) {
				continue
			}
			if asked.Add(1); err != nil || !works {
				return fmt.Errorf("%s: works %v, %v\n%s", o.Text(""), works, err, writeFinding(p, seed))
			}
			for i := range o.Accepts {
				fewer := given.Clone()
				accept(fewer, &o, slices.Delete(slices.Clone(o.Accepts), i, i+1))
				if works, err := oracle.Satisfiable(fewer, fixLimit); err != nil || works {
					return fmt.Errorf("%s: works %v without %s, %v\n%s", o.Text(""), works, o.Accepts[i], err, writeFinding(p, seed))
				}
			}
			if err := releaseHelps(given, o); errors.Is(err, errNoRelease) {
				continue
			} else if err != nil {
				return fmt.Errorf("%s: %w\n%s", o.Text(""), err, writeFinding(p, seed))
			}
			releases.Add(1)
		}
		return nil
	})
	t.Logf("%d publishers asked, %d of them for what they can release, %d others", asked.Load(), releases.Load(), skipped.Load())
	assert.NotZero(t, releases.Load())
	assert.NotZero(t, asked.Load())
	assert.Less(t, skipped.Load(), asked.Load())
}

// errNoRelease is for what the catalog has no place for, or what is too large for the oracle.
var errNoRelease = errors.New("no release")

// releaseHelps checks that a problem holds once the publisher has released what is asked for, and
// that the release helps for that alone: one that differs in nothing else does not.
func releaseHelps(given *oracle.Problem, o result.Other) error {
	old, next := given.Clone(), given.Clone()
	as := o
	if !release(old, &as) {
		return errNoRelease
	}
	if as = o; !release(next, &as) || !accept(next, &as, o.Accepts) {
		return errNoRelease
	}
	for helps, p := range map[bool]*oracle.Problem{false: old, true: next} {
		if works, err := oracle.Satisfiable(p, fixLimit); err != nil {
			return errNoRelease
		} else if works != helps {
			return fmt.Errorf("with a release %s that accepts it, %t, it holds: %t", as.Bundle.Name, helps, works)
		}
	}
	return nil
}

// release adds a bundle like the one that is asked about at the head of each of its channels,
// and has the question be about it.
func release(p *oracle.Problem, o *result.Other) bool {
	for c := range p.Catalogs {
		of := &p.Catalogs[c]
		at := slices.IndexFunc(of.Bundles, func(b oracle.Bundle) bool { return b.Name == o.Bundle.Name && b.Package == o.Bundle.Package })
		if of.Name != o.Bundle.Catalog.Name || of.Namespace != o.Bundle.Catalog.Namespace || at < 0 || strings.Contains(of.Bundles[at].Version, "+") {
			continue
		}
		next := of.Bundles[at]
		next.Name, next.Version = next.Name+".next", next.Version+"+1"
		for i := range of.Packages {
			if of.Packages[i].Name != next.Package {
				continue
			}
			for j := range of.Packages[i].Channels {
				ch := &of.Packages[i].Channels[j]
				below := map[string]bool{}
				for _, e := range ch.Entries {
					below[e.Replaces] = true
					for _, s := range e.Skips {
						below[s] = true
					}
				}
				heads := slices.DeleteFunc(slices.Clone(ch.Entries), func(e oracle.Entry) bool { return below[e.Name] })
				if !slices.ContainsFunc(ch.Entries, func(e oracle.Entry) bool { return e.Name == o.Bundle.Name }) {
					continue
				}
				if len(heads) != 1 {
					return false
				}
				ch.Entries = append(ch.Entries, oracle.Entry{Name: next.Name, Replaces: heads[0].Name, SkipRange: ">=0.0.0-0"})
			}
		}
		of.Bundles = append(of.Bundles, next)
		o.Bundle.Name = next.Name
		return true
	}
	return false
}

// pinEach has each bundle that requires an API, or a package, require a version of the
// package that requests alone do not choose.
func pinEach(p *oracle.Problem) {
	for _, c := range p.Catalogs {
		for b := range c.Bundles {
			for i := range c.Bundles[b].Requires {
				r := &c.Bundles[b].Requires[i]
				if r.Kind != "" && len(r.Kind) > 1 && !r.Old {
					*r = oracle.Constraint{Package: strings.ToLower(r.Kind[1:]), Range: "1.0.0"}
				} else if r.Package != "" {
					r.Range = "1.0.0"
				}
			}
		}
	}
}

// accept changes a bundle of the catalogs as it is asked for, and reports whether it is
// plain which constraints that are.
func accept(p *oracle.Problem, o *result.Other, asks []string) bool {
	for c := range p.Catalogs {
		for b := range p.Catalogs[c].Bundles {
			bundle := &p.Catalogs[c].Bundles[b]
			if bundle.Name != o.Bundle.Name || bundle.Package != o.Bundle.Package || p.Catalogs[c].Name != o.Bundle.Catalog.Name || p.Catalogs[c].Namespace != o.Bundle.Catalog.Namespace {
				continue
			}
			bundle.Requires = slices.Clone(bundle.Requires)
			for _, ask := range asks {
				pkg, version, _ := strings.Cut(ask, " ")
				var of []int
				for i, r := range bundle.Requires {
					if r.Package == pkg && len(r.All)+len(r.Any)+len(r.Not) == 0 {
						of = append(of, i)
					}
				}
				if len(of) != 1 {
					return false
				}
				bundle.Requires[of[0]].Range += " || " + version
			}
			return true
		}
	}
	return false
}
