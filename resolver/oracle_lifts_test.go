package resolver_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/blang/semver/v4"
	"github.com/stretchr/testify/assert"

	"github.com/resolvent/resolvent/resolver"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/oracle"
	"github.com/resolvent/resolvent/resolver/internal/oracle/random"
	"github.com/resolvent/resolvent/resolver/internal/words"
	"github.com/resolvent/resolvent/resolver/policy"
	"github.com/resolvent/resolvent/resolver/result"
)

// TestOracleLifts compares what lifts choices below their heads with brute force: fixes are
// among the minimal sets of changes that reach the head, and there is one if there is such a
// set; what is said to be blocked does not reach it by itself, does with its companions, and
// not with fewer; and each change that one would try first is blocked, or reaches it.
func TestOracleLifts(t *testing.T) {
	routes := func(seed uint64) *oracle.Problem { return random.Path(seed).Problem }
	for name, generate := range map[string]func(seed uint64) *oracle.Problem{
		"subscriptions": random.Problem, "routes": routes, "extension": random.Extension,
		"pinned subscriptions": random.Problem, "pinned routes": routes, "pinned extension": random.Extension,
	} {
		t.Run(name, func(t *testing.T) {
			var lifted, blocked, with, tried, unpinned atomic.Int64
			eachSeedFrom(t, 0, *problems/2, func(seed uint64) error {
				p := generate(seed)
				if strings.HasPrefix(name, "pinned") {
					p.Denied = nil
				}
				q, err := asScenario(nil, p).Question(t.Context())
				if err != nil {
					return err
				}
				if strings.HasPrefix(name, "pinned") {
					p, q.Problem.Options.Pins = pinned(p, seed)
				}
				scope := cluster.InNamespace(p.Namespace)
				if p.Extension != nil {
					scope = cluster.OfExtension(random.ExtensionName)
				}
				lifts, err := resolver.New().Lifts(t.Context(), q.Problem, scope)
				if err != nil {
					return nil // it has no answer, and then no choices
				}
				for _, l := range lifts {
					reached := liftGoal(p, &l)
					err := liftsTo(p, &l, reached)
					for i := 0; i < len(l.Blocked) && err == nil; i++ {
						var beside bool
						if beside, err = isBlocked(p, &l.Blocked[i], reached); beside {
							with.Add(1)
						}
					}
					n := 0
					if err == nil {
						n, err = obviousTried(p, &l, reached)
					}
					lifts := false
					if pins := q.Problem.Options.Pins; err == nil && len(pins) > 0 {
						lifts, err = unpins(p, pins[0], &l, reached)
					}
					if lifts {
						unpinned.Add(1)
					}
					switch {
					case errors.Is(err, oracle.ErrTooLarge):
						continue
					case err != nil:
						return fmt.Errorf("seed %d, %s below %s: %w\n%s", seed, l.Bundle, l.Head, err, writeFinding(p, seed))
					}
					lifted.Add(int64(len(l.Help.Fixes)))
					blocked.Add(int64(len(l.Blocked)))
					tried.Add(int64(n))
				}
				return nil
			})
			t.Logf("%d lifts, %d blocked, %d of them with others, %d obvious changes, %d pins to lift", lifted.Load(), blocked.Load(), with.Load(), tried.Load(), unpinned.Load())
			pinned := strings.HasPrefix(name, "pinned")
			assert.True(t, pinned || lifted.Load() > 0)
			assert.NotZero(t, blocked.Load())
			assert.True(t, name != "routes" || with.Load() > 0, "companions are rare elsewhere")
			assert.True(t, strings.HasSuffix(name, "extension") || tried.Load() > 0)
			assert.Equal(t, pinned, unpinned.Load() > 0)
		})
	}
}

// pinned pins a package, mostly one that is asked for, to one of its bundles or to what is
// installed. The oracle denies its other bundles.
func pinned(p *oracle.Problem, seed uint64) (*oracle.Problem, []policy.Pin) {
	var all []oracle.Bundle
	for _, c := range p.Catalogs {
		all = append(all, c.Bundles...)
	}
	if len(all) == 0 {
		return p, nil
	}
	asked := slices.DeleteFunc(slices.Clone(all), func(b oracle.Bundle) bool {
		return (p.Extension == nil || p.Extension.Package != b.Package) &&
			!slices.ContainsFunc(p.Subscriptions, func(s oracle.Subscription) bool { return s.Package == b.Package })
	})
	if seed%4 > 0 && len(asked) > 0 {
		all = asked
	}
	to := all[seed/4%uint64(len(all))]
	pin := policy.Pin{Package: to.Package}
	if seed%3 > 0 {
		pin.Bundle = to.Name
	}
	q := p.Fork()
	for _, c := range p.Catalogs {
		for _, b := range c.Bundles {
			if b.Package == pin.Package && b.Name != pin.Bundle {
				q.Denied = append(q.Denied, b.Name)
			}
		}
	}
	return q, []policy.Pin{pin}
}

// unpins checks that no pin is among the options if it lifts a choice, that it is blocked if the
// choice is of the pinned package and it does not, and what the request then gets. It reports
// whether it lifts.
func unpins(p *oracle.Problem, pin policy.Pin, l *result.Lift, reached func(q *oracle.Problem) (bool, error)) (bool, error) {
	unpinned := p.Fork()
	unpinned.Denied = nil
	lifts, err := reached(unpinned)
	if err != nil {
		return false, err
	}
	isPin := func(s result.Step) bool { return s.Field == words.FieldPins && s.Object.Name == pin.Package }
	option := slices.ContainsFunc(l.Help.Options, func(f result.Fix) bool { return slices.ContainsFunc(f.Steps(), isPin) })
	if option != lifts && l.Help.Search == result.SearchComplete {
		return lifts, fmt.Errorf("no pin of %+v lifts it: %t, and it is an option: %t", pin, lifts, option)
	}
	own := p.Extension != nil && p.Extension.Package == pin.Package || slices.ContainsFunc(p.Subscriptions, func(s oracle.Subscription) bool {
		return s.Package == pin.Package && s.Name == l.Request.Name
	})
	at := slices.IndexFunc(l.Blocked, func(b result.Attempt) bool { return slices.ContainsFunc(b.Change.Steps, isPin) })
	if lifts || at < 0 {
		if own && l.Request != (cluster.RequestKey{}) && lifts == (at >= 0) {
			return lifts, fmt.Errorf("no pin of %+v lifts it: %t, and it is blocked: %t", pin, lifts, at >= 0)
		}
		return lifts, nil
	}
	answer, err := answered(unpinned)
	if gets := l.Blocked[at].Gets; err == nil && gets != "" && (answer == nil || !slices.Contains(answer.Kept, gets) && !slices.ContainsFunc(answer.Installs, func(i oracle.Install) bool { return i.Bundle == gets })) {
		return false, fmt.Errorf("without the pin %+v it gets %s, but the answer is %+v", pin, gets, answer)
	}
	return false, err
}

// liftGoal is whether the oracle's answer has the head, or a newer bundle in place of an
// installed one.
func liftGoal(p *oracle.Problem, l *result.Lift) func(q *oracle.Problem) (bool, error) {
	for _, i := range p.Installed {
		at := slices.IndexFunc(p.Subscriptions, func(s oracle.Subscription) bool { return s.InstalledCSV == l.Bundle && s.Name == l.Request.Name })
		if i.Name == l.Bundle && i.LeftOut == "" && at >= 0 {
			return func(q *oracle.Problem) (bool, error) { return steps(q, l.Request.Name, i) }
		}
	}
	if e := p.Extension; e != nil && e.Installed == l.Bundle {
		return func(q *oracle.Problem) (bool, error) { return stepsExtension(q, e) }
	}
	return func(q *oracle.Problem) (bool, error) {
		answer, err := answered(q)
		if answer == nil {
			return false, err
		}
		return slices.Contains(answer.Kept, l.Head) || slices.ContainsFunc(answer.Installs, func(i oracle.Install) bool { return i.Bundle == l.Head }), nil
	}
}

// liftsTo compares the fixes of a lift with those found by brute force.
func liftsTo(p *oracle.Problem, l *result.Lift, reached func(q *oracle.Problem) (bool, error)) error {
	want, changes, err := bruteFixes(p, fixSets, nil, reached)
	if err != nil {
		return err
	}
	found := 0
	for _, f := range l.Help.Fixes {
		atoms := atomsOf(p, &f)
		if atoms == nil || len(f.Changes) > changes || p.Extension == nil && len(f.GivesUp) == len(p.Subscriptions) {
			continue
		}
		found++
		if !slices.ContainsFunc(want, func(w bruteFix) bool { return slices.Equal(w.Atoms, atoms) }) {
			return fmt.Errorf("no minimal set: %v", atoms)
		}
	}
	if len(want) > 0 && len(l.Help.Fixes) == 0 && l.Help.Search == result.SearchComplete {
		return fmt.Errorf("nothing lifts it, but %v does", want[0].Atoms)
	}
	return nil
}

// isBlocked checks a blocked change, and reports whether it has companions.
func isBlocked(p *oracle.Problem, b *result.Attempt, reached func(q *oracle.Problem) (bool, error)) (beside bool, err error) {
	own := atomsOf(p, &result.Fix{Changes: []result.Change{b.Change}})
	var others []string
	if b.With != nil {
		others = atomsOf(p, b.With)
	}
	if others == nil && b.With != nil || len(others) > 6 {
		return false, nil // the oracle knows no such changes
	}
	for set := range 1 << (len(others) + 1) {
		var atoms []string
		for i, atom := range others {
			if set>>i&1 == 1 {
				atoms = append(atoms, atom)
			}
		}
		all := set == 1<<(len(others)+1)-1
		if set>>len(others)&1 == 1 {
			atoms = append(atoms, own...)
		}
		slices.Sort(atoms)
		q, err := with(p, atoms)
		if err != nil { // half of a change
			if all {
				return false, err
			}
			continue
		}
		if q.Extension == nil && len(q.Subscriptions) == 0 {
			continue
		}
		ok, err := reached(q)
		if err != nil {
			return false, err
		}
		if want := all && b.With != nil; ok != want {
			return false, fmt.Errorf("blocked %v, with %v: %v reaches it: %t", own, others, atoms, ok)
		}
	}
	return b.With != nil, nil
}

// obviousTried checks that each change that one would try first is blocked, or reaches the
// head, and returns their number.
func obviousTried(p *oracle.Problem, l *result.Lift, reached func(q *oracle.Problem) (bool, error)) (n int, err error) {
	at := slices.IndexFunc(p.Subscriptions, func(s oracle.Subscription) bool { return s.Name == l.Request.Name })
	if at < 0 || len(l.Blocked) >= 8 {
		return 0, nil // a dependency, an extension, or some are left out
	}
	object := "Subscription/" + p.Namespace + "/" + l.Request.Name + "|"
	for _, c := range subscriptionChanges(p, p.Subscriptions[at]) {
		start := c.atoms[0] == object+"startingCSV|" || c.atoms[0] == object+"startingCSV|"+l.Head
		if len(c.atoms) != 1 || !start && !strings.HasPrefix(c.atoms[0], object+"channel|") {
			continue
		}
		if slices.ContainsFunc(l.Blocked, func(b result.Attempt) bool {
			return slices.Equal(atomsOf(p, &result.Fix{Changes: []result.Change{b.Change}}), c.atoms)
		}) {
			n++
			continue
		}
		q := p.Fork()
		c.apply(q)
		ok, err := reached(q)
		if err != nil {
			return n, err
		}
		if !ok && len(l.Blocked) < 8 && obviousOf(p, p.Subscriptions[at], c.atoms[0]) {
			return n, fmt.Errorf("%v does not reach it, and is not blocked", c.atoms)
		}
	}
	return n, nil
}

// obviousOf reports whether a catalog that the Subscription names has what the change names.
func obviousOf(p *oracle.Problem, s oracle.Subscription, atom string) bool {
	_, value, _ := strings.Cut(atom, "|")
	for _, c := range oracle.Named(p, s) {
		for _, pkg := range p.Catalogs[c].Packages {
			for _, ch := range pkg.Channels {
				entry := slices.ContainsFunc(ch.Entries, func(e oracle.Entry) bool {
					has := slices.ContainsFunc(p.Catalogs[c].Bundles, func(b oracle.Bundle) bool { return b.Name == e.Name && b.Package == pkg.Name })
					return has && value == "startingCSV|"+e.Name
				})
				if pkg.Name == s.Package && (s.Channel != "" && value == "channel|"+ch.Name || entry && s.Channel == ch.Name) {
					return true
				}
			}
		}
	}
	return value == "startingCSV|"
}

// stepsExtension reports whether the answer leads an extension on from what it had installed.
func stepsExtension(q *oracle.Problem, e *oracle.Extension) (bool, error) {
	answer, err := answered(q)
	if answer == nil {
		return false, err
	}
	for _, i := range answer.Installs {
		for _, c := range q.Catalogs {
			if slices.ContainsFunc(c.Bundles, func(b oracle.Bundle) bool {
				newer := semver.MustParse(b.Version).GT(semver.MustParse(e.InstalledVersion))
				return b.Name == i.Bundle && b.Package == e.Package && c.Name == i.Catalog && newer
			}) {
				return true, nil
			}
		}
	}
	return false, nil
}

// A context that ends while lifts are sought ends the call.
func TestLiftsCanceled(t *testing.T) {
	q, err := asScenario(nil, random.Path(3).Problem).Question(t.Context())
	assert.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	list, err := resolver.New().Lifts(ctx, q.Problem, cluster.InNamespace(random.Path(3).Problem.Namespace))
	assert.Empty(t, list)
	assert.Equal(t, result.ResultIncomplete, result.Of(err))
}
