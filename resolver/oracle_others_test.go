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
	"github.com/resolvent/resolvent/resolver/fixes"
	"github.com/resolvent/resolvent/resolver/internal/oracle"
	"github.com/resolvent/resolvent/resolver/internal/random"
	"github.com/resolvent/resolvent/resolver/result"
)

// TestOracleOthers applies what is asked of each publisher to the catalogs: with the versions
// that a bundle is to accept the only group of a failure holds, and with fewer it does not.
func TestOracleOthers(t *testing.T) {
	var asked, skipped atomic.Int64
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
			given, err := with(p, atomsOf(p, &fixes.Fix{Changes: o.After}))
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
		}
		return nil
	})
	t.Logf("%d publishers asked, %d others", asked.Load(), skipped.Load())
	assert.NotZero(t, asked.Load())
	assert.Less(t, skipped.Load(), asked.Load())
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
func accept(p *oracle.Problem, o *fixes.Other, asks []string) bool {
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
