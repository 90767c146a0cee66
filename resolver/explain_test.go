package resolver_test

import (
	"cmp"
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
	"github.com/resolvent/resolvent/resolver/internal/oracle"
	"github.com/resolvent/resolvent/resolver/internal/random"
	"github.com/resolvent/resolvent/resolver/policy"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/resolver/scenario"
)

// TestCoresAreMinimal checks the constraints of random failures: they cannot
// hold together, and without any one of them they can.
func TestCoresAreMinimal(t *testing.T) {
	aloneAndJointly(t, func(t *testing.T, generate func(seed uint64) oracle.Joint) {
		eachSeed(t, *problems/3, func(seed uint64) error {
			in, err := asScenario(nil, generate(seed)...).Inputs(t.Context())
			if err != nil {
				return err
			}
			return resolver.CheckCore(t.Context(), resolver.New(in.Options), in.Namespaces, in.Cluster, in.Catalogs)
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
			in, err := asScenario(nil, generate(seed)...).Inputs(t.Context())
			if err != nil {
				return err
			}
			checked, err := resolver.CheckCauses(t.Context(), resolver.New(in.Options), in.Namespaces, in.Cluster, in.Catalogs)
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
		in, err := asScenario(nil, random.Problem(seed)).Inputs(t.Context())
		if err != nil {
			return err
		}
		n, err := resolver.CheckRefusals(t.Context(), resolver.New(in.Options), in.Namespaces[0], in.Cluster, in.Catalogs)
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

// TestFixesWork applies every fix of random failures to the input and resolves
// again.
func TestFixesWork(t *testing.T) {
	aloneAndJointly(t, func(t *testing.T, generate func(seed uint64) oracle.Joint) {
		var failures, fixed, applied atomic.Int64
		eachSeed(t, *problems/3, func(seed uint64) error {
			in, err := asScenario(nil, generate(seed)...).Inputs(t.Context())
			if err != nil {
				return err
			}
			failure := failureOf(t.Context(), in)
			if failure == nil {
				return nil
			}
			failures.Add(1)
			if len(failure.Fixes) > 0 {
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

// checkFixes applies each fix of a failure, and returns how many there are.
func checkFixes(ctx context.Context, in *scenario.Inputs, failure *result.NotSatisfiable) (int, error) {
	if len(failure.Fixes) > 5 {
		return 0, fmt.Errorf("%d fixes", len(failure.Fixes))
	}
	texts := map[string]bool{}
	for _, fix := range failure.Fixes {
		if texts[fix.Text()] {
			return 0, fmt.Errorf("the fix %q is there twice", fix.Text())
		}
		texts[fix.Text()] = true
		changed, err := apply(in, fix)
		if err != nil {
			return 0, err
		}
		if _, err := answersOf(ctx, changed); err != nil {
			return 0, fmt.Errorf("after %q: %w\n%s", fix.Text(), err, failure.Report())
		}
		if err := checkSteps(ctx, in, fix); err != nil {
			return 0, err
		}
	}
	return len(failure.Fixes), nil
}

// checkSteps checks that a fix of several steps needs each of them.
func checkSteps(ctx context.Context, in *scenario.Inputs, fix result.Fix) error {
	steps := append([]result.Fix{fix}, fix.More...)
	steps[0].More = nil
	if slices.ContainsFunc(steps, func(s result.Fix) bool { return s.Kind == result.FixVisible }) {
		return nil // apply makes all catalogs of a namespace visible, and to every namespace
	}
	for i := range steps {
		others := slices.Delete(slices.Clone(steps), i, i+1)
		if len(others) == 0 {
			return nil
		}
		others[0].More = others[1:]
		changed, err := apply(in, others[0])
		if err != nil {
			return err
		}
		if _, err := answersOf(ctx, changed); err == nil {
			return fmt.Errorf("%q works without step %d", fix.Text(), i)
		}
	}
	return nil
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
func failureOf(ctx context.Context, in *scenario.Inputs) *result.NotSatisfiable {
	_, err := answersOf(ctx, in)
	var failure *result.NotSatisfiable
	if errors.As(err, &failure) {
		return failure
	}
	return nil
}

// apply does to a copy of the input what a fix says.
func apply(in *scenario.Inputs, fix result.Fix) (*scenario.Inputs, error) {
	changed := *in
	namespace := cmp.Or(fix.Namespace, in.Namespaces[0])
	o := in.Cluster.Objects()
	o.Subscriptions = slices.Clone(o.Subscriptions)
	o.CSVs = slices.Clone(o.CSVs)
	subscription := func() *cluster.Subscription {
		i := slices.IndexFunc(o.Subscriptions, func(s cluster.Subscription) bool {
			return s.Namespace == namespace && s.Name == fix.Subject
		})
		return &o.Subscriptions[i]
	}
	removeCSV := func(name string) {
		o.CSVs = slices.DeleteFunc(o.CSVs, func(v cluster.ClusterServiceVersion) bool { return v.Namespace == namespace && v.Name == name })
	}
	switch fix.Kind {
	case result.FixRename:
		subscription().Package = fix.Value
	case result.FixChannel:
		subscription().Channel = fix.Value
	case result.FixStartingCSV:
		subscription().StartingCSV = fix.Value
	case result.FixCatalog:
		key := keyOf(fix.Value)
		subscription().Catalog, subscription().CatalogNamespace = key.Name, key.Namespace
	case result.FixVisible:
		globals := in.Options.GlobalNamespaces
		if globals == nil {
			globals = policy.DefaultGlobalNamespaces
		}
		changed.Options.GlobalNamespaces = append(slices.Clone(globals), keyOf(fix.Subject).Namespace)
	case result.FixAllow:
		changed.Options.SystemConstraint = allowOnly(in.Options.SystemConstraint, namespace, fix.Subject)
	case result.FixHold:
		o.OperatorConditions = slices.DeleteFunc(slices.Clone(o.OperatorConditions), func(c cluster.OperatorCondition) bool {
			return c.Namespace == namespace && c.Name == fix.Subject
		})
	case result.FixGroup:
		o.OperatorGroups = slices.Clone(o.OperatorGroups)
		for i := range o.OperatorGroups {
			if g := &o.OperatorGroups[i]; g.Namespace == namespace && g.Name == fix.Subject {
				g.TargetNamespaces = nil
				if fix.Value != "" {
					g.TargetNamespaces = []string{fix.Value}
				}
			}
		}
	case result.FixDeleteCSV:
		removeCSV(fix.Subject)
	case result.FixDrop:
		o.Subscriptions = slices.DeleteFunc(o.Subscriptions, func(s cluster.Subscription) bool {
			return s.Namespace == namespace && s.Name == fix.Subject
		})
		removeCSV(fix.Bundle)
	default:
		return nil, fmt.Errorf("a fix of kind %s", fix.Kind)
	}
	changed.Cluster = resolver.NewCluster(o)
	out := &changed
	for _, more := range fix.More {
		var err error
		if out, err = apply(out, more); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func allowOnly(judge policy.SystemConstraint, namespace, bundle string) policy.SystemConstraint {
	return func(ctx context.Context, c policy.Candidate) (bool, string) {
		if c.Namespace == namespace && c.Bundle == bundle {
			return true, ""
		}
		return judge(ctx, c)
	}
}
