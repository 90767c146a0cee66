package resolver_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver"
	"github.com/resolvent/resolvent/resolver/internal/oracle"
	"github.com/resolvent/resolvent/resolver/internal/oracle/random"
	"github.com/resolvent/resolvent/resolver/internal/words"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/resolver/scenario"
	"github.com/resolvent/resolvent/testdata/testkit"
)

var (
	problems = flag.Int("problems", testkit.Scale(100, 3000), "how many random problems to compare with the oracle")
	searched = flag.Int("searched", testkit.Scale(32, 1500), "how many random problems to search for fixes")
	findings = flag.String("findings", "", "directory for scenarios of the problems that show a disagreement")
)

// oracleLimit bounds how many bundles a problem may reach: the oracle looks at
// every set of them.
const oracleLimit = 15

// TestOracle compares verdict and selection of random problems with those of
// the brute-force oracle.
func TestOracle(t *testing.T) {
	var (
		satisfiable atomic.Int64
		about       features
	)
	compared := eachSolved(t, *problems, random.Problem, oracle.Solve, func(seed uint64, p *oracle.Problem, want *oracle.Answer) error {
		about.add(updateFeatures(p))
		if want.Satisfiable {
			satisfiable.Add(1)
		}
		return answersAgree(t.Context(), seed, p, want)
	})
	share := float64(satisfiable.Load()) / float64(compared)
	t.Logf("%.0f%% satisfiable", 100*share)
	about.report(t, compared)
	if compared > 200 {
		assert.InDelta(t, 0.5, share, 0.15, "the generator should balance verdicts")
	}
}

// TestOracleLimits compares the same where the cluster's OpenShift is newer than some bundles
// allow: only if that is enforced are they not selected anew.
func TestOracleLimits(t *testing.T) {
	var about features
	compared := eachSolved(t, *problems/2, random.Limited, oracle.Solve, func(seed uint64, p *oracle.Problem, want *oracle.Answer) error {
		about.add(map[string]bool{"enforced": p.TooNew && p.Enforced, "warned": p.TooNew && !p.Enforced})
		return answersAgree(t.Context(), seed, p, want)
	})
	about.report(t, compared)
}

// FuzzOracle looks for random problems on which resolver and oracle disagree.
func FuzzOracle(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(func(t *testing.T, seed uint64) {
		p := random.Problem(seed)
		const limit = 11 // the oracle takes twice as long for each further bundle
		if want, err := oracle.Solve(p, limit); err == nil {
			require.NoError(t, answersAgree(t.Context(), seed, p, want))
		}
	})
}

// TestFewerRequirements drops one requirement of a random problem: an answer
// cannot be lost by that.
func TestFewerRequirements(t *testing.T) {
	eachSeed(t, *problems/3, func(seed uint64) error {
		p := random.Problem(seed)
		before, _, err := resolve(t.Context(), asScenario(nil, p))
		if err != nil || !before.Satisfiable {
			return err
		}
		c := p.Clone()
		if !random.DropRequirement(c, rand.New(rand.NewPCG(seed, 2))) {
			return nil
		}
		after, _, err := resolve(t.Context(), asScenario(nil, c))
		if err == nil && !after.Satisfiable {
			err = fmt.Errorf("resolved, but not any more without a requirement\n%s", writeFinding(c, seed))
		}
		return err
	})
}

// eachSeed runs a check for a number of seeds on all processors and reports the
// first few failures.
func eachSeed(t *testing.T, count int, check func(seed uint64) error) {
	t.Helper()
	eachSeedFrom(t, testkit.FirstSeed(), count, check)
}

// eachSeedAnd also checks seeds that showed a fault once, on every run.
func eachSeedAnd(t *testing.T, count int, known []uint64, check func(seed uint64) error) {
	t.Helper()
	eachSeed(t, count, check)
	for _, seed := range known {
		eachSeedFrom(t, seed, 1, check)
	}
}

func eachSeedFrom(t *testing.T, first uint64, count int, check func(seed uint64) error) {
	t.Helper()
	var (
		next   atomic.Uint64
		failed atomic.Int64
		done   sync.WaitGroup
	)
	const most = 5
	for range runtime.GOMAXPROCS(0) {
		done.Go(func() {
			for i := next.Add(1) - 1; i < uint64(count) && failed.Load() < most; i = next.Add(1) - 1 {
				if err := check(first + i); err != nil {
					failed.Add(1)
					t.Errorf("seed %d (%s): %v", first+i, testkit.SeedVariable, err)
				}
			}
		})
	}
	done.Wait()
}

// eachSolved runs a check for a number of random problems that the oracle can
// solve, and for known seeds, and returns how many these are.
func eachSolved[P, A any](
	t *testing.T, count int, generate func(seed uint64) P, solve func(p P, limit int) (A, error), check func(seed uint64, p P, want A) error, known ...uint64,
) int64 {
	t.Helper()
	var compared atomic.Int64
	eachSeedAnd(t, count, known, func(seed uint64) error {
		p := generate(seed)
		want, err := solve(p, oracleLimit)
		if errors.Is(err, oracle.ErrTooLarge) {
			return nil
		}
		if err != nil {
			return err
		}
		compared.Add(1)
		return check(seed, p, want)
	})
	return compared.Load()
}

// agreement compares the answer to a problem with the one that the oracle wants.
// The error has the smallest problem on which they differ.
func agreement[A any](
	seed uint64, p *oracle.Problem, want A,
	solve func(p *oracle.Problem, limit int) (A, error), differs func(p *oracle.Problem, want A) string,
) error {
	text := differs(p, want)
	if text == "" {
		return nil
	}
	small := random.Reduce(p, func(c *oracle.Problem) bool {
		want, err := solve(c, oracleLimit)
		if err != nil {
			return false
		}
		difference := differs(c, want)
		if difference != "" {
			text = difference
		}
		return difference != ""
	})
	return fmt.Errorf("%s\n%s", text, writeFinding(small, seed))
}

func answersAgree(ctx context.Context, seed uint64, p *oracle.Problem, want *oracle.Answer) error {
	return agreement(seed, p, want, oracle.Solve, func(c *oracle.Problem, want *oracle.Answer) string {
		return disagreement(ctx, c, want)
	})
}

// disagreement says how the resolver's answer differs from the oracle's.
func disagreement(ctx context.Context, p *oracle.Problem, want *oracle.Answer) string {
	got, core, err := resolve(ctx, asScenario(nil, p))
	if err != nil {
		return err.Error()
	}
	if w, g := answerText(want), answerText(got); w != g {
		return fmt.Sprintf("the oracle wants\n%s\nthe resolver says\n%s", w, g)
	}
	if !got.Satisfiable {
		return insufficient(p, core)
	}
	return ""
}

// insufficient checks that a core explains the failure: without the new
// Subscriptions that it does not name there is still no answer.
func insufficient(p *oracle.Problem, core []result.Reason) string {
	if len(core) == 0 {
		return "a failure without a reason"
	}
	c := p.Fork()
	c.Subscriptions = slices.DeleteFunc(c.Subscriptions, func(s oracle.Subscription) bool {
		return s.InstalledCSV == "" && !slices.ContainsFunc(core, func(r result.Reason) bool {
			return r.Kind() == words.KindOfSubscription && r.Args().Subject == s.Name
		})
	})
	if rest, err := oracle.Solve(c, oracleLimit); err == nil && rest.Satisfiable {
		return fmt.Sprintf("the core %v does not name a Subscription that is needed for the failure", core)
	}
	return ""
}

// resolve runs the resolver and returns its answer in the oracle's terms, or
// the core of a failure.
func resolve(ctx context.Context, s *scenario.Scenario) (*oracle.Answer, []result.Reason, error) {
	in, err := s.Question(ctx)
	if err != nil {
		return nil, nil, err
	}
	in.Problem.Options.NoFixes = true // others judge them
	r, err := resolver.New().Resolve(ctx, in.Problem, in.Scopes[0])
	if unsatisfied, ok := errors.AsType[*result.NotSatisfiable](err); ok {
		return &oracle.Answer{}, unsatisfied.Constraints, nil
	}
	if err != nil {
		return nil, nil, err
	}
	return oracleAnswer(r), nil, nil
}

// oracleAnswer is a resolution in the oracle's terms.
func oracleAnswer(r *result.Resolution) *oracle.Answer {
	a := &oracle.Answer{Satisfiable: true, Replaced: r.Replaced}
	for _, i := range r.Installs {
		a.Installs = append(a.Installs, oracle.Install{
			Bundle: i.Bundle.Name, Namespace: i.Bundle.Catalog.Namespace, Catalog: i.Bundle.Catalog.Name, Channel: i.Channel, Replaces: i.Replaces, Place: i.Place,
		})
	}
	for _, k := range r.Kept {
		a.Kept = append(a.Kept, k.Bundle.Name)
	}
	return a
}

func answerText(a *oracle.Answer) string {
	if !a.Satisfiable {
		return "  not satisfiable"
	}
	var b strings.Builder
	for _, i := range a.Installs {
		fmt.Fprintf(&b, "  install %s from %s/%s, channel %s, replaces %q, place %d\n", i.Bundle, i.Namespace, i.Catalog, i.Channel, i.Replaces, i.Place)
	}
	fmt.Fprintf(&b, "  keep %v, replaced %v", a.Kept, a.Replaced)
	return b.String()
}

// asScenario writes a problem, or one of several namespaces, as files. With a
// source of randomness everything whose order must not matter is shuffled, and
// catalogs are spread over files.
func asScenario(r *rand.Rand, problems ...*oracle.Problem) *scenario.Scenario {
	s := &scenario.Scenario{Comment: "A random problem.\n"}
	s.Options.Jointly = len(problems) > 1
	for _, p := range problems {
		s.Options.Namespaces = append(s.Options.Namespaces, p.Namespace)
	}
	p := problems[0]
	s.Options.GlobalNamespaces = p.Globals
	if p.BundleScope {
		s.Options.Compound = "bundle"
	}
	if p.NamedUpdates {
		s.Options.Updates = "named"
	}
	if s.Options.EnforceOpenShiftLimit = p.Enforced; p.TooNew {
		s.Options.OpenShiftVersion = "4.2"
	}
	for _, name := range p.Denied {
		s.Options.Forbid = append(s.Options.Forbid, scenario.Verdict{Bundle: name, Reason: "denied"})
	}
	s.Cluster = documents(r, random.Manifests(problems...))
	s.Options.Priorities = map[string]int{}
	for _, c := range p.Catalogs {
		key := catalog.Key{Namespace: c.Namespace, Name: c.Name}
		if c.Priority != 0 {
			s.Options.Priorities[key.String()] = c.Priority
		}
		blobs := random.Blobs(c)
		if r == nil || len(blobs) == 0 {
			s.AddCatalog(key, "catalog.json", documents(nil, blobs))
			continue
		}
		half := r.IntN(len(blobs))
		r.Shuffle(len(blobs), func(i, j int) { blobs[i], blobs[j] = blobs[j], blobs[i] })
		s.AddCatalog(key, "b/x.json", documents(r, blobs[:half]))
		s.AddCatalog(key, "a.json", documents(r, blobs[half:]))
	}
	if r != nil {
		r.Shuffle(len(s.Files), func(i, j int) { s.Files[i], s.Files[j] = s.Files[j], s.Files[i] })
	}
	return s
}

// documents joins JSON objects, each on a line of its own.
func documents(r *rand.Rand, list []string) []byte {
	list = slices.Clone(list)
	if r != nil {
		r.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	}
	var b strings.Builder
	for _, text := range list {
		b.WriteString(text + "\n")
	}
	return []byte(b.String())
}

// writeFinding prints a problem as a scenario whose wanted part is for people
// to fill in, and saves it if there is a place for that.
func writeFinding(p *oracle.Problem, seed uint64) string {
	text, err := asScenario(nil, p).Format()
	if err != nil {
		return err.Error()
	}
	if *findings != "" {
		name := fmt.Sprintf("%s/seed-%d.txtar", *findings, seed)
		if err := os.WriteFile(name, text, 0o644); err != nil {
			return err.Error()
		}
	}
	return string(text)
}

// TestOracleItself checks the oracle on a problem that is solved by hand.
func TestOracleItself(t *testing.T) {
	p := &oracle.Problem{
		Namespace: "operators", Globals: []string{"olm"},
		Catalogs: []oracle.Catalog{{
			Namespace: "olm", Name: "community",
			Packages: []oracle.Package{
				{Name: "a", Default: "stable", Channels: []oracle.Channel{{Name: "stable", Entries: []oracle.Entry{{Name: "a.v1"}, {Name: "a.v2", Replaces: "a.v1"}}}}},
				{Name: "b", Default: "stable", Channels: []oracle.Channel{{Name: "stable", Entries: []oracle.Entry{{Name: "b.v1"}}}}},
			},
			Bundles: []oracle.Bundle{
				{Package: "a", Name: "a.v1", Version: "1.0.0", Requires: []oracle.Constraint{{Kind: "K"}}},
				{Package: "a", Name: "a.v2", Version: "2.0.0", Requires: []oracle.Constraint{{Kind: "Missing"}}},
				{Package: "b", Name: "b.v1", Version: "1.0.0", Provides: []string{"K"}},
			},
		}},
		Subscriptions: []oracle.Subscription{{Name: "a", Package: "a"}},
	}
	got, err := oracle.Solve(p, oracleLimit)
	require.NoError(t, err)
	assert.Equal(t, &oracle.Answer{Satisfiable: true, Installs: []oracle.Install{
		{Bundle: "a.v1", Namespace: "olm", Catalog: "community", Channel: "stable", Place: 1},
		{Bundle: "b.v1", Namespace: "olm", Catalog: "community", Channel: "stable"},
	}}, got)
}
