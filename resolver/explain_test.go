package resolver_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"

	"github.com/resolvent/resolvent/resolver"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/oracle"
	"github.com/resolvent/resolvent/resolver/internal/oracle/random"
	"github.com/resolvent/resolvent/resolver/internal/words"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/resolver/scenario"
	"github.com/resolvent/resolvent/resolver/text"
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
		in.Problem.Options.NoFixes = true
		n, err := resolver.CheckRefusals(t.Context(), resolver.New(), in.Problem, in.Scopes[0])
		checked.Add(int64(n))
		return err
	})
	t.Logf("%d refusals checked", checked.Load())
	assert.NotZero(t, checked.Load())
}

// TestTextsDoNotDependOnOrder compares whole explanations of random problems
// under shuffled input, and of every second one (of several namespaces: every fourth)
// once it is recorded.
func TestTextsDoNotDependOnOrder(t *testing.T) {
	aloneAndJointly(t, func(t *testing.T, generate func(seed uint64) oracle.Joint) {
		eachSeed(t, *searched*2/3, func(seed uint64) error {
			j := generate(seed)
			s, shuffled := asScenario(nil, j...), asScenario(rand.New(rand.NewPCG(seed, 1)), j...)
			want, err := told(t.Context(), s)
			if err != nil {
				return err
			}
			got, err := told(t.Context(), shuffled)
			if err != nil {
				return err
			}
			if got != want {
				return fmt.Errorf("want\n%sgot in another order\n%s%s", want, got, jointText(j))
			}
			if seed%uint64(2*len(j)) > 0 {
				return nil // recording takes longer
			}
			return replayed(t.Context(), s, want, shuffled)
		})
	})
}

// TestFixesWork applies every fix of random failures to the input and resolves
// again.
func TestFixesWork(t *testing.T) {
	aloneAndJointly(t, func(t *testing.T, generate func(seed uint64) oracle.Joint) {
		var failures, fixed, applied atomic.Int64
		eachSeed(t, *searched*2/3, func(seed uint64) error {
			in, err := asScenario(nil, generate(seed)...).Question(t.Context())
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
			}
			n, err := checkFixes(t.Context(), in, failure)
			applied.Add(int64(n))
			if err != nil {
				return err
			}
			return checkReport(failure)
		})
		t.Logf("%d failures, %d with fixes, %d fixes applied", failures.Load(), fixed.Load(), applied.Load())
		// Which have none is judged by the oracle.
		assert.Greater(t, fixed.Load(), failures.Load()*9/10)
	})
}

// TestFixesOfExtensionsWork does the same for ClusterExtensions.
func TestFixesOfExtensionsWork(t *testing.T) {
	var failures, fixed, applied atomic.Int64
	eachSeed(t, *searched*2/3, func(seed uint64) error {
		in, err := asScenario(nil, random.Extension(seed)).Question(t.Context())
		if err != nil {
			return err
		}
		in.Scopes = []cluster.Scope{cluster.OfExtension(random.ExtensionName)}
		_, err = resolver.New().Resolve(t.Context(), in.Problem, in.Scopes[0])
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
	texts, before := map[string]bool{}, result.Fix{}
	for _, fix := range failure.Fixes {
		said := fix.Text(failure.Home)
		switch {
		case texts[said]:
			return 0, fmt.Errorf("the fix %q is there twice", said)
		case before.Group > 0 && fix.Class < before.Class:
			return 0, fmt.Errorf("the fix %q stands behind one of a higher class", said)
		case fix.Group == before.Group && fix.Class == before.Class && len(fix.GivesUp) < len(before.GivesUp):
			return 0, fmt.Errorf("the fix %q stands behind one that gives up more", said)
		case fix.Group == before.Group && fix.Class == before.Class && len(fix.GivesUp) == len(before.GivesUp) && fix.Risk < before.Risk:
			return 0, fmt.Errorf("the fix %q stands behind a greater risk", said)
		case slices.ContainsFunc(failure.Causes, func(c result.Cause) bool {
			return c.Group == fix.Group && slices.ContainsFunc(c.Requests, func(k cluster.RequestKey) bool { return slices.Contains(fix.Waiting, k) })
		}):
			return 0, fmt.Errorf("the fix %q leaves its own group waiting", said)
		}
		texts[said], before = true, fix
		changed, err := applied(ctx, in, append(waiting(fix), fix.Steps()...))
		if err != nil {
			return 0, err
		}
		resolutions, err := eachAnswer(ctx, changed)
		if err != nil {
			return 0, fmt.Errorf("after %q: %w\n%s", said, err, text.All(failure))
		}
		if err := cmp.Or(checkThen(in, fix, resolutions), checkFollowing(ctx, changed, fix, resolutions)); err != nil {
			return 0, fmt.Errorf("after %q: %w", said, err)
		}
		if err := checkSteps(ctx, in, failure, fix); err != nil {
			return 0, err
		}
	}
	return len(failure.Fixes), nil
}

// eachAnswer resolves all namespaces, each by itself unless they are resolved jointly. For
// failures it seeks no fixes.
func eachAnswer(ctx context.Context, in *scenario.Question) ([]*result.Resolution, error) {
	asked := *in
	asked.Problem.Options.NoFixes = true
	if in.Problem.Options.Jointly {
		return answersOf(ctx, &asked)
	}
	var list []*result.Resolution
	for _, scope := range in.Scopes {
		resolution, err := resolver.New().Resolve(ctx, asked.Problem, scope)
		if err != nil {
			return nil, err
		}
		list = append(list, resolution)
	}
	return list, nil
}

// checkThen compares what a fix is said to lead to with the answer.
func checkThen(in *scenario.Question, fix result.Fix, resolutions []*result.Resolution) error {
	var got, want []string
	for _, v := range fix.Then.Installs {
		got = append(got, "+"+v.Bundle.Name+" "+v.String())
	}
	for _, u := range fix.Then.Updates {
		got = append(got, "-"+u.From.Bundle.Name, "+"+u.To.Bundle.Name+" "+u.To.String())
		if u.Down != (u.From.Version != nil && u.To.Version.LT(*u.From.Version)) {
			return fmt.Errorf("%s: down is %t", u, u.Down)
		}
	}
	for _, v := range fix.Then.Removes {
		got = append(got, "-"+v.Bundle.Name)
	}
	for _, r := range resolutions {
		for _, i := range r.Installs {
			want = append(want, "+"+i.Bundle.Name+" "+i.Bundle.Package+" "+i.Version.String())
		}
		for _, name := range r.Replaced {
			want = append(want, "-"+name)
		}
	}
	for _, s := range fix.Steps() {
		switch {
		case s.Field == "" && s.Create == nil && s.Object.Kind == words.ObjectCSV:
			want = append(want, "-"+s.Object.Name)
		case s.Field == "" && s.Create == nil && s.Object.Kind == words.ObjectExtension && len(fix.GivesUp) > 0:
			if e := in.Problem.Cluster.Extension(s.Object.Name); e != nil && e.Installed != nil {
				want = append(want, "-"+e.Installed.Name)
			}
		}
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		return fmt.Errorf("it gives %q, not %q", want, got)
	}
	said, empty := 0, map[result.Object]bool{} // OperatorGroups without operators
	for _, s := range fix.Steps() {
		if s.Object.Kind == words.ObjectOperatorGroup && !slices.ContainsFunc(in.Problem.Cluster.In(s.Object.Namespace).CSVs, runs) {
			empty[s.Object] = true
		}
	}
	for _, c := range fix.Cautions {
		if c.Kind == words.CautionTargets && len(c.Names) == 0 {
			said++
		}
	}
	if said > len(empty) {
		return fmt.Errorf("it says of %d OperatorGroups that no operator is installed, and that is so of %d", said, len(empty))
	}
	gone := slices.ContainsFunc(fix.Then.Removes, func(v result.Version) bool { // and not installed anew
		return !slices.ContainsFunc(fix.Then.Installs, func(o result.Version) bool { return o.String() == v.String() })
	})
	if gone && fix.Risk < result.RiskRemoves {
		return fmt.Errorf("its risk is %s", fix.Risk)
	}
	return nil
}

// runs reports whether an operator is of the namespace of its object, and does not go.
func runs(csv cluster.ClusterServiceVersion) bool {
	of, named := csv.Annotations[words.AnnotationOperatorNamespace]
	return csv.Reason != "Copied" && csv.Labels[cluster.LabelCopiedFrom] == "" && (!named || of == csv.Namespace) && csv.Phase != "Deleting" && csv.Phase != "Replacing"
}

// checkFollowing searches a path to the head from what a fix leads to, for the request that
// is said to have one, and for those that are said to have none.
func checkFollowing(ctx context.Context, changed *scenario.Question, fix result.Fix, resolutions []*result.Resolution) error {
	told := map[string]bool{}
	for _, c := range fix.Cautions {
		switch c.Kind {
		case words.CautionBelowHead:
			told[c.Names[0]+": no path"] = true
		case words.CautionKept:
			name, _, _ := strings.Cut(c.Said, " stays below the head ")
			told[name+": kept"] = true
		}
	}
	if len(fix.Further) > 0 {
		told[strings.Join(fix.Further, ", ")] = true
	}
	if len(told) == 0 {
		return nil
	}
	then := changed.Problem.After(resolutions...)
	then.Options.NoFixes = true
	search := func(key cluster.RequestKey, installed string) {
		path, err := resolver.New().Path(ctx, then, key, "")
		if none, ok := errors.AsType[*result.NoPath](err); ok {
			delete(told, installed+": no path")
			if slices.ContainsFunc(none.Blocked, keptByOthers) {
				delete(told, installed+": kept")
			}
		}
		if err != nil {
			return // the channel of another request may be broken
		}
		var steps []string
		for _, step := range path.Steps {
			steps = append(steps, step.String())
		}
		delete(told, strings.Join(steps, ", "))
	}
	o := then.Cluster.Objects()
	for _, s := range o.Subscriptions {
		if s.InstalledCSV != "" && slices.Contains(changed.Scopes, s.Key().Scope()) {
			search(s.Key(), s.InstalledCSV)
		}
	}
	for _, e := range o.ClusterExtensions {
		if e.Installed != nil && slices.Contains(changed.Scopes, e.Key().Scope()) {
			search(e.Key(), e.Installed.Name)
		}
	}
	if len(told) > 0 {
		return fmt.Errorf("it is not so that what follows is %q", slices.Sorted(maps.Keys(told)))
	}
	return nil
}

// keptByOthers reports whether an update is no rule of the catalog's, but what else is there.
func keptByOthers(b result.BlockedUpdate) bool {
	unsatisfied, ok := errors.AsType[*result.NotSatisfiable](b.Err)
	return ok && len(unsatisfied.Causes) > 0
}

// renews reports whether answers install again what steps delete: that is no fix.
func renews(steps []result.Step, answers []*result.Resolution) bool {
	return slices.ContainsFunc(answers, func(r *result.Resolution) bool {
		return slices.ContainsFunc(r.Installs, func(i result.Install) bool {
			return slices.ContainsFunc(steps, func(s result.Step) bool {
				return s.Object.Kind == words.ObjectCSV && s.Object.Name == i.Bundle.Name && s.Field == "" && s.Create == nil
			})
		})
	})
}

// checkSteps checks that a fix of several changes needs each of them.
func checkSteps(ctx context.Context, in *scenario.Question, failure *result.NotSatisfiable, fix result.Fix) error {
	for at := range fix.Changes {
		if len(fix.Changes) == 1 {
			return nil
		}
		others := fix
		others.Changes = slices.Delete(slices.Clone(fix.Changes), at, at+1)
		changed, err := applied(ctx, in, append(waiting(fix), others.Steps()...))
		if err != nil {
			return err
		}
		if answers, err := eachAnswer(ctx, changed); err == nil && !renews(others.Steps(), answers) {
			return fmt.Errorf("%q works without change %d", fix.Text(""), at)
		}
	}
	return nil
}

func checkReport(e *result.NotSatisfiable) error {
	for _, said := range []string{e.Error(), text.All(e)} {
		if said == "" || len(said) > result.MaxExplanation || !utf8.ValidString(said) {
			return fmt.Errorf("it has %d bytes: %.200q", len(said), said)
		}
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
