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
	"github.com/resolvent/resolvent/resolver/internal/oracle/ranking"
	"github.com/resolvent/resolvent/resolver/internal/words"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/testdata/testkit"
)

// fixLimit bounds how many bundles a problem may reach for which all sets of changes are
// tried, and fixSets how many sets.
const fixLimit = 9

var fixSets = testkit.Scale(400, 1500)

// TestOracleFixes tries all sets of at most three changes by brute force: the fixes are the
// minimal ones that work, none is missing, and each gives what it states.
func TestOracleFixes(t *testing.T) {
	t.Run("namespace", func(t *testing.T) { oracleFixes(t, random.Problem) })
	t.Run("extension", func(t *testing.T) { oracleFixes(t, random.Extension) })
	t.Run("forward", func(t *testing.T) { oracleFixes(t, random.Forward) })
}

func oracleFixes(t *testing.T, generate func(seed uint64) *oracle.Problem) {
	var groups, depth, total, said, uncovered, listed, forward atomic.Int64
	known := []uint64{847, 1250, 1339, 1437, 1731, 3087, 3901, 4343, 9498, 10440, 20161, 30453, 50694, 60858, 111229, 1300401}
	eachSeedAnd(t, *searched, known, func(seed uint64) error {
		p := generate(seed)
		q, err := asScenario(nil, p).Question(t.Context())
		if err != nil {
			return err
		}
		scope := cluster.InNamespace(p.Namespace)
		if p.Extension != nil {
			scope = cluster.OfExtension(random.ExtensionName)
		}
		found, err := resolver.EveryFix(t.Context(), resolver.New(), q.Problem, []cluster.Scope{scope})
		if err != nil {
			return err
		}
		for group, list := range found {
			goal := p.Fork()
			goal.Subscriptions = slices.DeleteFunc(goal.Subscriptions, func(s oracle.Subscription) bool { return slices.Contains(list.Waiting, s.Name) })
			n, err := listedAsSpecified(p, goal, list)
			if err != nil {
				return fmt.Errorf("group %d of %d: %w\n%s", group, len(found), err, writeFinding(goal, seed))
			}
			listed.Add(int64(n))
			want, changes, err := bruteFixes(goal, fixSets, list.Own, func(q *oracle.Problem) (bool, error) { return oracle.Satisfiable(q, fixLimit) })
			if errors.Is(err, oracle.ErrTooLarge) {
				continue
			}
			if err != nil {
				return err
			}
			if slices.ContainsFunc(want, func(f bruteFix) bool { return strings.Contains(strings.Join(f.Atoms, " "), "|forward|") }) {
				forward.Add(1)
			}
			groups.Add(1)
			depth.Add(int64(changes))
			total.Add(int64(len(want)))
			if err := sameFixes(goal, want, list.Fixes, changes); err != nil {
				return fmt.Errorf("group %d of %d, up to %d changes: %w\n%s", group, len(found), changes, err, writeFinding(goal, seed))
			}
			if n, err = eachChangeIsSaid(goal, list); err != nil {
				return fmt.Errorf("group %d of %d: %w\n%s", group, len(found), err, writeFinding(goal, seed))
			}
			said.Add(int64(n))
			uncovered.Add(int64(len(list.Uncovered)))
		}
		return nil
	})
	t.Logf("%d groups, %d fixes, %.1f changes tried on average", groups.Load(), total.Load(), float64(depth.Load())/float64(max(1, groups.Load())))
	assert.Greater(t, total.Load(), groups.Load()/2)
	t.Logf("%d fixes listed as specified, %d goals where OLM may move on from what failed", listed.Load(), forward.Load())
	assert.Equal(t, strings.HasSuffix(t.Name(), "forward"), forward.Load() > 0)
	t.Logf("%d changes beside others, %d causes for them alone", said.Load(), uncovered.Load())
}

// listedAsSpecified checks which of all fixes of a goal are listed, in which order, and their
// risks. It counts those listed.
func listedAsSpecified(p, goal *oracle.Problem, list resolver.GoalFixes) (checked int, err error) {
	var all []*oracle.Fix
	for _, f := range list.Fixes {
		atoms := atomsOf(goal, &f)
		if atoms == nil {
			return 0, nil // a move
		}
		after, err := with(goal, atoms)
		if err != nil {
			return 0, err
		}
		if after.Extension == nil && len(after.Subscriptions) == 0 {
			after = nil
		}
		judged, err := oracle.Judge(p, after, atoms, len(list.Waiting) > 0, oracleLimit)
		if errors.Is(err, oracle.ErrTooLarge) {
			return 0, nil
		}
		if err != nil {
			return 0, err
		}
		if int(judged.Risk) != int(f.Risk) {
			return 0, fmt.Errorf("%v has risk %s instead of %d", atoms, f.Risk, judged.Risk)
		}
		all = append(all, judged)
	}
	var told []string
	for _, f := range list.Listed {
		told = append(told, strings.Join(atomsOf(goal, &f), "  "))
	}
	return len(told), ranking.Check(p, all, told)
}

// eachChangeIsSaid checks of listed fixes that for each change that is not the only one some
// cause says what fails without it. It counts these changes.
func eachChangeIsSaid(goal *oracle.Problem, list resolver.GoalFixes) (checked int, err error) {
	for _, f := range list.Listed {
		atoms := atomsOf(goal, &f)
		if len(f.Changes) < 2 || atoms == nil {
			continue
		}
		for _, c := range f.Changes {
			object := fmt.Sprintf("%s/%s/%s|", c.Object.Kind, c.Object.Namespace, c.Object.Name)
			others := slices.DeleteFunc(slices.Clone(atoms), func(a string) bool { return strings.HasPrefix(a, object) })
			after, err := with(goal, others)
			if err != nil {
				return checked, err
			}
			if holds, err := oracle.Satisfiable(after, oracleLimit); err == nil && holds {
				continue // it only leads on no request, which rows of status say
			}
			says, err := oracle.Says(after, list.Causes, oracleLimit)
			if errors.Is(err, oracle.ErrTooLarge) {
				continue
			}
			if checked++; err != nil || !says {
				return checked, fmt.Errorf("no cause says what fails with %v alone (%v): %v", others, err, list.Causes)
			}
		}
	}
	return checked, nil
}

// with returns the problem with changes made.
func with(p *oracle.Problem, atoms []string) (*oracle.Problem, error) {
	q := p.Fork()
	made := 0
	if slices.ContainsFunc(atoms, func(a string) bool { return strings.HasPrefix(a, "Options/") && strings.HasSuffix(a, "|pins|") }) {
		q.Denied, made = nil, 1 // pinned denies what the pin forbids
	}
	for _, list := range changesOf(p) {
		for _, c := range list {
			object, _, _ := strings.Cut(c.atoms[0], "|")
			of := slices.DeleteFunc(slices.Clone(atoms), func(a string) bool { return !strings.HasPrefix(a, object+"|") })
			if sorted := slices.Sorted(slices.Values(c.atoms)); slices.Equal(sorted, of) {
				c.apply(q)
				made += len(of)
			}
		}
	}
	if made != len(atoms) {
		return nil, fmt.Errorf("the oracle knows no change %v", atoms)
	}
	return q, nil
}

// sameFixes compares fixes of at most so many changes with those wanted, and what they
// install with the oracle's answer.
func sameFixes(goal *oracle.Problem, want []bruteFix, found []result.Fix, changes int) error {
	var a, b []string
	for _, f := range want {
		a = append(a, strings.Join(f.Atoms, "  "))
	}
	for _, f := range found {
		atoms := atomsOf(goal, &f)
		if atoms == nil || len(f.Changes) > changes || len(f.GivesUp) > 0 && (goal.Extension != nil || len(f.GivesUp) == len(goal.Subscriptions)) {
			continue // a namespace without requests is not resolved
		}
		b = append(b, strings.Join(atoms, "  "))
		if at := slices.Index(a, b[len(b)-1]); at >= 0 {
			if err := sameInstalls(want[at].After, &f); err != nil {
				return err
			}
		}
	}
	var text strings.Builder
	for _, x := range a {
		if !slices.Contains(b, x) {
			text.WriteString("missing: " + x + "\n")
		}
	}
	for _, x := range b {
		if !slices.Contains(a, x) {
			text.WriteString("too many: " + x + "\n")
		}
	}
	if text.Len() > 0 {
		return errors.New(text.String())
	}
	return nil
}

func sameInstalls(after *oracle.Problem, f *result.Fix) error {
	answer, err := oracle.Solve(after, fixLimit)
	if err != nil {
		return err
	}
	var want, got []string
	for _, in := range answer.Installs {
		want = append(want, in.Bundle)
	}
	for _, v := range f.Then.Installs {
		got = append(got, v.Bundle.Name)
	}
	for _, u := range f.Then.Updates {
		got = append(got, u.To.Bundle.Name)
	}
	slices.Sort(want)
	slices.Sort(got)
	if !slices.Equal(want, got) {
		return fmt.Errorf("%s: it installs %q, the oracle %q", f.Text(""), got, want)
	}
	return nil
}

// fieldAtoms are the words of the oracle for fields.
var fieldAtoms = map[string]string{
	words.FieldChannel: "channel", words.FieldStartingCSV: "startingCSV", words.FieldPackage: "name", words.FieldExtensionChannels: "channels",
	words.FieldExtensionVersion: "version", words.FieldExtensionPolicy: "policy", words.FieldExcludeGlobal: "exclude", words.FieldOverrides: "upgradeable", words.FieldUpgradeStrategy: "forward",
	words.FieldTargets: "targets", words.FieldExtensionSelector: "selector", words.FieldPins: "pins",
}

// atomsOf states a fix in the words of the oracle; nil if that knows no such changes.
func atomsOf(p *oracle.Problem, f *result.Fix) []string {
	var atoms []string
	for _, c := range f.Changes {
		object := fmt.Sprintf("%s/%s/%s|", c.Object.Kind, c.Object.Namespace, c.Object.Name)
		fields := c.With
		made, gone := false, 0
		for _, s := range c.Steps {
			switch {
			case s.Create != nil && (s.Object != c.Object || c.Object.Kind == words.ObjectExtension):
				return nil // it moves, or names another package
			case s.Create != nil:
				made = true
			case s.Field == "":
				gone++
			default:
				fields = append(slices.Clip(fields), s)
			}
		}
		switch {
		case made:
			atoms = append(atoms, object+"reinstall|")
		case gone > 0 && c.Object.Kind == words.ObjectCSV:
			atoms = append(atoms, object+"delete|")
		case gone > 0 && c.Object.Kind == words.ObjectExtension:
			atoms = append(atoms, object+"giveUp|")
		case gone > 0:
			atoms = append(atoms, object+"giveUp|"+installedAlone(p, c.Object.Name))
			if gone > 1 {
				atoms = append(atoms, object+"goes|")
			}
		}
		source := ""
		for _, s := range fields {
			switch s.Field {
			case words.FieldSource, words.FieldSourceNamespace:
				source = sourceOf(p, c.Object.Name, fields)
			case words.FieldTargets:
				value := "own"
				if s.To == nil {
					value = "all"
				}
				atoms = append(atoms, object+"targets|"+value)
			case words.FieldOverrides, words.FieldExtensionPolicy, words.FieldExcludeGlobal, words.FieldUpgradeStrategy:
				atoms = append(atoms, object+fieldAtoms[s.Field]+"|")
			default:
				value, _ := s.To.(string)
				if list, ok := s.To.([]string); ok {
					value = strings.Join(list, ",")
				} else if selector, ok := s.To.(cluster.Selector); ok {
					value = selector.MatchLabels[cluster.LabelMetadataName]
				}
				atoms = append(atoms, object+fieldAtoms[s.Field]+"|"+value)
			}
		}
		if source != "" {
			atoms = append(atoms, object+"source|"+source)
		}
	}
	slices.Sort(atoms)
	return atoms
}

// installedAlone is what a Subscription alone has installed.
func installedAlone(p *oracle.Problem, name string) string {
	at := slices.IndexFunc(p.Subscriptions, func(s oracle.Subscription) bool { return s.Name == name })
	csv := p.Subscriptions[at].InstalledCSV
	same := slices.DeleteFunc(slices.Clone(p.Subscriptions), func(s oracle.Subscription) bool { return s.InstalledCSV != csv })
	if len(same) > 1 || !slices.ContainsFunc(p.Installed, func(i oracle.Installed) bool { return i.Name == csv && i.LeftOut == "" }) {
		return ""
	}
	return csv
}

// sourceOf is the catalog that a Subscription names after the steps.
func sourceOf(p *oracle.Problem, name string, steps []result.Step) string {
	at := slices.IndexFunc(p.Subscriptions, func(s oracle.Subscription) bool { return s.Name == name })
	namespace, source := p.Subscriptions[at].SourceNamespace, p.Subscriptions[at].Source
	for _, s := range steps {
		switch s.Field {
		case words.FieldSource:
			source = s.To.(string)
		case words.FieldSourceNamespace:
			namespace = s.To.(string)
		}
	}
	return namespace + "/" + source
}
