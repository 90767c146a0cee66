package resolver_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"

	"github.com/resolvent/resolvent/resolver"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/fixes"
	"github.com/resolvent/resolvent/resolver/internal/oracle"
	"github.com/resolvent/resolvent/resolver/internal/random"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/resolver/scenario"
)

// TestCoresAreMinimal checks the constraints of random failures: they cannot
// hold together, and without any one of them they can.
func TestCoresAreMinimal(t *testing.T) {
	aloneAndJointly(t, func(t *testing.T, generate func(seed uint64) oracle.Joint) {
		eachSeed(t, *problems/3, func(seed uint64) error {
			in, err := asScenario(nil, generate(seed)...).Question(t.Context())
			if err != nil {
				return err
			}
			return resolver.CheckCore(t.Context(), resolver.New(), in.Problem, in.Scopes)
		})
	})
}

// aloneAndJointly runs a check with problems of one namespace and with such of
// two that are resolved as one.
func aloneAndJointly(t *testing.T, check func(t *testing.T, generate func(seed uint64) oracle.Joint)) {
	t.Helper()
	t.Run("alone", func(t *testing.T) {
		check(t, func(seed uint64) oracle.Joint { return oracle.Joint{random.Problem(seed)} })
	})
	t.Run("jointly", func(t *testing.T) { check(t, random.Joint) })
}

// TestCausesAreNeeded leaves out parts of the compound constraints of random
// failures: what the head of the explanation names is needed for some least failure.
func TestCausesAreNeeded(t *testing.T) {
	var compound atomic.Int64
	aloneAndJointly(t, func(t *testing.T, generate func(seed uint64) oracle.Joint) {
		eachSeed(t, *problems, func(seed uint64) error {
			in, err := asScenario(nil, generate(seed)...).Question(t.Context())
			if err != nil {
				return err
			}
			checked, err := resolver.CheckCauses(t.Context(), resolver.New(), in.Problem, in.Scopes)
			if checked {
				compound.Add(1)
			}
			return err
		})
	})
	assert.Positive(t, compound.Load())
	t.Logf("%d failures with compound constraints", compound.Load())
}

// TestRefusalsAreTrue forces every candidate that an answer passed over.
func TestRefusalsAreTrue(t *testing.T) {
	var checked atomic.Int64
	eachSeed(t, *problems, func(seed uint64) error {
		in, err := asScenario(nil, random.Problem(seed)).Question(t.Context())
		if err != nil {
			return err
		}
		n, err := resolver.CheckRefusals(t.Context(), resolver.New(), in.Problem, in.Scopes[0])
		checked.Add(int64(n))
		return err
	})
	t.Logf("%d refusals checked", checked.Load())
	assert.NotZero(t, checked.Load())
}

// TestTextsDoNotDependOnOrder compares whole explanations of random problems
// under shuffled input.
func TestTextsDoNotDependOnOrder(t *testing.T) {
	aloneAndJointly(t, func(t *testing.T, generate func(seed uint64) oracle.Joint) {
		eachSeed(t, *problems/3, func(seed uint64) error {
			j := generate(seed)
			var want string
			for i := range uint64(3) {
				var r *rand.Rand
				if i > 0 {
					r = rand.New(rand.NewPCG(seed, i))
				}
				s := asScenario(r, j...)
				s.Options.Texts = true
				got, err := s.Run(t.Context())
				switch {
				case err != nil:
					return err
				case i == 0:
					want = got
				case got != want:
					return fmt.Errorf("want\n%sgot in another order\n%s%s", want, got, jointText(j))
				}
			}
			return nil
		})
	})
}

// lacksCatalog reports whether what runs comes from a catalog that is not there, what may
// be mended by giving it only: nothing is to be removed for it.
func lacksCatalog(in *scenario.Question) bool {
	return slices.ContainsFunc(in.Problem.Cluster.Objects().Subscriptions, func(s cluster.Subscription) bool {
		for c := range in.Problem.Catalogs.Catalogs() {
			sees := c.Key.Namespace == s.Namespace || slices.Contains(in.Problem.Options.GlobalNamespaces, c.Key.Namespace)
			if s.Catalog == "" && sees || s.Catalog != "" && s.Names(c.Key) {
				return false
			}
		}
		return s.InstalledCSV != ""
	})
}

// TestFixesWork applies every fix of random failures to the input and resolves
// again.
func TestFixesWork(t *testing.T) {
	aloneAndJointly(t, func(t *testing.T, generate func(seed uint64) oracle.Joint) {
		var failures, fixed, applied atomic.Int64
		eachSeed(t, *problems/3, func(seed uint64) error {
			in, err := asScenario(nil, generate(seed)...).Question(t.Context())
			if err != nil {
				return err
			}
			failure := failureOf(t.Context(), in)
			if failure == nil {
				return nil
			}
			failures.Add(1)
			if len(failure.Fixes) > 0 || lacksCatalog(in) {
				fixed.Add(1)
			} else {
				t.Logf("seed %d has no fix:\n%s", seed, failure.Report())
			}
			n, err := checkFixes(t.Context(), in, failure)
			applied.Add(int64(n))
			if err != nil {
				return err
			}
			return checkReport(failure)
		})
		t.Logf("%d failures, %d with fixes, %d fixes applied", failures.Load(), fixed.Load(), applied.Load())
		assert.Equal(t, failures.Load(), fixed.Load(), "every failure can be mended somehow")
	})
}

// TestFixesOfExtensionsWork does the same for ClusterExtensions.
func TestFixesOfExtensionsWork(t *testing.T) {
	var failures, fixed, applied atomic.Int64
	eachSeed(t, *problems/3, func(seed uint64) error {
		in, err := asScenario(nil, random.Extension(seed)).Question(t.Context())
		if err != nil {
			return err
		}
		in.Scopes = []cluster.Scope{cluster.OfExtension(random.ExtensionName)}
		_, err = eachAnswer(t.Context(), in)
		failure, ok := errors.AsType[*result.NotSatisfiable](err)
		if !ok {
			return nil
		}
		failures.Add(1)
		if len(failure.Fixes) > 0 {
			fixed.Add(1)
		}
		n, err := checkFixes(t.Context(), in, failure)
		applied.Add(int64(n))
		return err
	})
	t.Logf("%d failures, %d with fixes, %d fixes applied", failures.Load(), fixed.Load(), applied.Load())
	assert.Greater(t, fixed.Load(), failures.Load()/4)
}

// checkFixes applies each fix of a failure, and returns how many there are.
func checkFixes(ctx context.Context, in *scenario.Question, failure *result.NotSatisfiable) (int, error) {
	if len(failure.Fixes) > 5 {
		return 0, fmt.Errorf("%d fixes", len(failure.Fixes))
	}
	texts, risk := map[string]bool{}, fixes.RiskNone
	for _, fix := range failure.Fixes {
		text := fix.Text(failure.Home())
		switch {
		case texts[text]:
			return 0, fmt.Errorf("the fix %q is there twice", text)
		case fix.Risk < risk && (risk == fixes.RiskRemoves || risk == fixes.RiskOverrides):
			return 0, fmt.Errorf("the fix %q stands behind a greater risk", text)
		}
		texts[text], risk = true, fix.Risk
		changed, err := applied(ctx, in, fix.Steps)
		if err != nil {
			return 0, err
		}
		resolutions, err := eachAnswer(ctx, changed)
		if err != nil {
			return 0, fmt.Errorf("after %q: %w\n%s", text, err, failure.Report())
		}
		if err := checkThen(in, fix, resolutions); err != nil {
			return 0, fmt.Errorf("after %q: %w", text, err)
		}
		if err := checkSteps(ctx, in, fix); err != nil {
			return 0, err
		}
	}
	return len(failure.Fixes), nil
}

// eachAnswer resolves all namespaces, each by itself unless they are resolved jointly.
func eachAnswer(ctx context.Context, in *scenario.Question) ([]*result.Resolution, error) {
	if in.Problem.Options.Jointly {
		return answersOf(ctx, in)
	}
	var list []*result.Resolution
	for _, scope := range in.Scopes {
		resolution, err := resolver.New().Resolve(ctx, in.Problem, scope)
		if err != nil {
			return nil, err
		}
		list = append(list, resolution)
	}
	return list, nil
}

// checkThen compares what a fix is said to lead to with the answer.
func checkThen(in *scenario.Question, fix fixes.Fix, resolutions []*result.Resolution) error {
	installed := map[string]bool{} // namespace and name
	for _, v := range in.Problem.Cluster.Objects().CSVs {
		installed[v.Namespace+" "+v.Name] = true
	}
	for _, e := range in.Problem.Cluster.Objects().ClusterExtensions {
		if e.Installed != nil {
			installed[" "+e.Installed.Name] = true
		}
	}
	var got, want []string
	for _, v := range fix.Then.Installs {
		got = append(got, "install "+v.Bundle.Name+" "+v.String())
	}
	for _, u := range fix.Then.Updates {
		got = append(got, "update "+u.From.Bundle.Name+" to "+u.To.Bundle.Name+" "+u.To.String())
	}
	for _, v := range fix.Then.Removes {
		got = append(got, "remove "+v.Bundle.Name)
	}
	for _, r := range resolutions {
		gone := slices.DeleteFunc(slices.Clone(r.Replaced), func(name string) bool {
			return slices.ContainsFunc(r.Installs, func(i result.Install) bool { return i.Replaces == name })
		})
		for _, i := range r.Installs {
			if installed[r.Scope.Namespace()+" "+i.Replaces] && slices.Contains(r.Replaced, i.Replaces) {
				want = append(want, "update "+i.Replaces+" to "+i.Bundle.Name+" "+i.Bundle.Package+" "+i.Version.String())
			} else {
				want = append(want, "install "+i.Bundle.Name+" "+i.Bundle.Package+" "+i.Version.String())
			}
		}
		for _, name := range gone {
			want = append(want, "remove "+name)
		}
	}
	for _, s := range fix.Steps {
		if s.Field == "" && s.Object.Kind == fixes.ObjectCSV {
			want = append(want, "remove "+s.Object.Name)
		}
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		return fmt.Errorf("it gives %q, not %q", want, got)
	}
	if len(fix.Then.Removes) > 0 && fix.Risk < fixes.RiskRemoves {
		return fmt.Errorf("its risk is %s", fix.Risk)
	}
	return nil
}

// checkSteps checks that a fix of several changes needs each of them.
func checkSteps(ctx context.Context, in *scenario.Question, fix fixes.Fix) error {
	for from := 0; from < len(fix.Steps); {
		to := from + 1
		for to < len(fix.Steps) && oneChange(fix.Steps[to-1], fix.Steps[to]) {
			to++
		}
		if others := slices.Delete(slices.Clone(fix.Steps), from, to); len(others) > 0 {
			changed, err := applied(ctx, in, others)
			if err != nil {
				return err
			}
			if _, err := eachAnswer(ctx, changed); err == nil {
				return fmt.Errorf("%q works without step %d", fix.Text(""), from)
			}
		}
		from = to
	}
	return nil
}

// oneChange reports whether two steps belong together: about one object, or the
// deletion of a Subscription and of what it has installed.
func oneChange(a, b fixes.Step) bool {
	return a.Object == b.Object || a.Field == "" && b.Field == "" && b.Object.Kind == fixes.ObjectCSV && !b.Unmanaged
}

func checkReport(e *result.NotSatisfiable) error {
	summary, report := e.Summary(), e.Report()
	switch {
	case summary == "" || len(summary) > result.MaxSummary || !utf8.ValidString(summary):
		return fmt.Errorf("summary %q", summary)
	case len(report) > result.MaxExplanation:
		return fmt.Errorf("the report has %d bytes", len(report))
	}
	return nil
}

// failureOf resolves and returns the failure, if it is a conflict.
func failureOf(ctx context.Context, in *scenario.Question) *result.NotSatisfiable {
	_, err := answersOf(ctx, in)
	var failure *result.NotSatisfiable
	if errors.As(err, &failure) {
		return failure
	}
	return nil
}
