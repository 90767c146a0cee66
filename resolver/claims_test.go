package resolver_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/constraints"
	"github.com/resolvent/resolvent/resolver"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/oracle"
	"github.com/resolvent/resolvent/resolver/internal/oracle/random"
	"github.com/resolvent/resolvent/resolver/internal/words"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/resolver/scenario"
	"github.com/resolvent/resolvent/testdata/testkit"
)

var claimed = flag.Int("claims", testkit.Scale(40, 3000), "how many random problems of each kind to check the claims of")

// claimOf says for each code how to check what a reason states against the input. A new
// one needs its checker here. Parts of other reasons are checked with those.
var claimOf map[words.Code]func(*claims, at, result.Args)

func init() { // checkers use the table
	claimOf = map[words.Code]func(*claims, at, result.Args){}
	for _, row := range []struct {
		check func(*claims, at, result.Args)
		codes []words.Code
	}{
		{(*claims).noSuchCatalog, []words.Code{words.UnknownCatalog, words.CatalogExcluded, words.CatalogInvisible}},
		{(*claims).catalogUnhealthy, []words.Code{words.CatalogsUnhealthy}},
		{(*claims).noChannel, []words.Code{words.NoChannel}},
		{(*claims).channelUnusable, []words.Code{words.NoUsableChannel}},
		{(*claims).noStartingCSV, []words.Code{words.NoStartingCSV, words.LostStartingCSV}},
		{(*claims).noBundles, []words.Code{words.NoBundles, words.NoVersion}},
		{(*claims).noSuccessor, []words.Code{words.NoSuccessor, words.SuccessorUnlisted, words.SuccessorGone}},
		{(*claims).isRefused, []words.Code{words.Refused}},
		{(*claims).searched, []words.Code{words.NoCatalog}},
		{(*claims).missingPackage, []words.Code{words.MissingPackage, words.NoPackage}},
		{(*claims).missingVersion, []words.Code{words.MissingVersion}},
		{(*claims).missingAPI, []words.Code{words.MissingAPI}},
		{(*claims).noMatch, []words.Code{words.NoMatch, words.MissingLabel}},
		{(*claims).ruleFailed, []words.Code{words.RuleFailed, words.RuleNeverHolds}},
		{(*claims).notOffered, []words.Code{words.NotOffered, words.InstalledInstead}},
		{(*claims).quarantined, []words.Code{words.Quarantined}},
		{(*claims).unusable, []words.Code{words.Unusable}},
		{(*claims).elsewhere, []words.Code{words.NotAskedCatalog, words.ExcludedCatalog, words.UnhealthyCatalog, words.InvisibleCatalog}},
		{(*claims).requires, []words.Code{words.Requires, words.RequiresAny}},
		{(*claims).takesPlace, []words.Code{words.Replaces}},
		{(*claims).isInstalled, []words.Code{words.AlreadyInstalled}},
		{(*claims).stays, []words.Code{words.Stays}},
		{(*claims).staysLeftOut, []words.Code{words.StaysLeftOut}},
		{(*claims).openShiftTooNew, []words.Code{words.OpenShift}},
		{(*claims).kubernetesTooOld, []words.Code{words.Kubernetes}},
		{(*claims).pinned, []words.Code{words.Pinned}},
		{(*claims).forbidden, []words.Code{words.Forbidden}},
		{(*claims).judged, []words.Code{words.Denied, words.DeniedAnswer, words.PolicyWarning}},
		{(*claims).owned, []words.Code{words.Owned, words.OwnedBeside}},
		{(*claims).otherVersions, []words.Code{words.OtherVersions}},
		{(*claims).groupRefuses, []words.Code{words.WrongMode, words.StaticGroup, words.TakenAPI, words.SharedAPI}},
		{(*claims).atMostOne, []words.Code{words.OnePackage, words.OneName, words.OneAPI}},
		{(*claims).member, []words.Code{words.Provides, words.SamePackage, words.SameName}},
		{(*claims).canSatisfy, []words.Code{words.CanSatisfy}},
		{(*claims).requested, []words.Code{words.Subscription, words.Extension, words.Hold}},
		{(*claims).head, []words.Code{words.Conflict}},
		{(*claims).isSelected, []words.Code{words.IsSelected, words.IsKept, words.NotSelected}},
		{(*claims).preferred, []words.Code{words.Preferred, words.Satisfied}},
		{(*claims).plain, []words.Code{
			words.UpdateFirst, words.NotDeprecatedFirst, words.NamedCatalogFirst, words.OwnCatalogFirst, words.HigherPriority, words.OwnNamespaceFirst,
			words.CatalogName, words.DefaultChannel, words.PackageName, words.ChannelName, words.HigherVersion, words.SameVersion, words.NearerHead,
		}},
		{(*claims).unreached, []words.Code{
			words.UpdatesHeld, words.CatalogNotAsked, words.NotInChannel, words.NotInChannels, words.OtherStartingCSV, words.BelowInstalled, words.SkippedUpdate,
			words.NoUpdate, words.Unlisted, words.OtherUpdates, words.CatalogUnselected, words.OutOfRange, words.NoSuccessorOf, words.BetterCatalog,
		}},
		{(*claims).deprecation, []words.Code{words.Deprecation}},
		{(*claims).belowHead, []words.Code{words.BelowHead, words.NotListed}},
		{(*claims).forcedChoice, []words.Code{words.ForcedChoice}},
		{(*claims).catalogFault, []words.Code{words.CatalogFault}},
		{(*claims).catalogLeftOut, []words.Code{words.CatalogLeftOut, words.CatalogUnnamed, words.CatalogUnhealthy}},
		{(*claims).noTargets, []words.Code{words.NoTargets}},
		{(*claims).secondProvider, []words.Code{words.SecondProvider}},
		{(*claims).apiVersions, []words.Code{words.APIVersions}},
		{(*claims).droppedVersions, []words.Code{words.DroppedVersions}},
		{(*claims).refuses, []words.Code{words.RefusedDependency, words.RefusedModes, words.RefusedNamespaces, words.RefusedAPIService}},
		{(*claims).refusesDefinition, []words.Code{words.RefusedStored, words.RefusedField, words.RefusedOwned}},
		{(*claims).refusesRights, []words.Code{words.RefusedRights}},
		{(*claims).refusesAccount, []words.Code{words.RefusedAccount}},
		{(*claims).plain, []words.Code{words.Installed, words.Deprecated, words.Selected, words.Asked, words.Committed, words.Part, words.Excluded, words.Unasked}},
		{(*claims).plainWarning, []words.Code{words.Unneeded, words.OpenShiftLimit, words.AboveLimit, words.NeverInstalled, words.SelectorDropped, words.UpdateElsewhere, words.StartUnread, words.StartLeft, words.ChosenAnyway}},
		{nil, []words.Code{ // of status and check, or parts of others
			words.RequiresOffered, words.CannotHold, words.Lifecycle, words.NotUpgradeable, words.OneStep, words.ByStartingCSV, words.Approval, words.PendingApproval,
			words.InPhase, words.HasCondition, words.HeldUpdate, words.DroppedStored,
			words.StatedByOLM, words.ResolvesNow, words.FailsToo, words.PlanGone, words.TwinPlan, words.PlanDone, words.InstalledGone, words.PlanLost, words.CatalogsSeen, words.CatalogBroken, words.CatalogPolls, words.CatalogNotServed, words.CatalogStays,
			words.ChannelEnds, words.ChannelLeft, words.CatalogImage, words.KeptOut, words.BlocksUpdates, words.DeadEnd, words.OtherVersion, words.BrokenChannel,
		}},
	} {
		for _, c := range row.codes {
			claimOf[c] = row.check
		}
	}
}

// claims checks sentences, and collects the false ones.
type claims struct {
	*facts
	// answer is what is selected, where that was resolved.
	answer  *result.Resolution
	answers []*result.Resolution // of all namespaces
	checked map[string]int
	seen    map[*result.Explanation]bool
	wrong   []string
	// forced: an update of a path is demanded, so that requests have other candidates.
	forced bool
	// told is the sentence that is being checked.
	told string
}

// at is where a sentence stands.
type at struct {
	r    *result.Reason
	node *result.Explanation // nil for a member of a minimal set
	home string              // the namespace that it is about
	// request or requires are what the node above asks for; refuses and differs are
	// the rules above that are about other namespaces.
	request  *result.Request
	requires constraints.Expr
	refuses  *result.Args
	differs  *result.Args
	unasked  bool // a rule says why a bundle can never be selected
}

func (c *claims) want(ok bool, format string, args ...any) {
	if !ok {
		c.wrong = append(c.wrong, c.told+"\n  but "+fmt.Sprintf(format, args...))
	}
}

func (c *claims) sameSet(got, want []string) {
	g, w := slices.Clone(got), slices.Clone(want)
	slices.Sort(g)
	slices.Sort(w)
	c.want(slices.Equal(g, w), "it is %v", w)
}

func texts[T any](list []T) []string {
	out := make([]string, len(list))
	for i, x := range list {
		out[i] = fmt.Sprint(x)
	}
	return out
}

func (b *stated) String() string {
	if b.installed {
		return "the installed " + b.name
	}
	return b.name + " of " + b.key().String()
}

// reason checks one reason.
func (c *claims) reason(at at) {
	c.checked[string(at.r.Kind())]++
	if string(at.r.Code()) != string(at.r.Kind()) {
		c.checked[string(at.r.Code())]++
	}
	check := claimOf[at.r.Code()]
	if check == nil {
		c.want(false, "nothing checks %q", at.r.Code())
		return
	}
	args := at.r.Args()
	chosen := args.Count > 0 && (at.r.Kind() == words.KindDependency || args.Request != nil)
	if chosen {
		at.node = nil // it has what is chosen
	}
	check(c, at, args)
	if chosen {
		c.isChosen(at, args)
	}
}

// explanation checks a node and all below it.
func (c *claims) explanation(e *result.Explanation, place at) {
	if c.seen[e] {
		return
	}
	c.seen[e] = true
	place.r, place.node = &e.Reason, e
	if e.Reason.Args().Namespace != "" {
		place.home = e.Reason.Args().Namespace
	} else if len(e.Bundles) > 0 && e.Bundles[0].Namespace != "" {
		place.home = e.Bundles[0].Namespace
	}
	c.told = fmt.Sprintf("[%s] %s", e.Reason.Code(), e.Text())
	c.reason(place)
	args := e.Reason.Args()
	switch e.Reason.Code() {
	case words.Subscription, words.Extension, words.Hold:
		place.request, place.requires, place.home = args.Request, nil, c.home(args.Request.Key.Namespace)
	case words.Requires, words.RequiresAny:
		place.request, place.requires = nil, args.Constraint
	case words.TakenAPI, words.SharedAPI:
		place.refuses = &args
	case words.OtherVersions:
		place.differs = &args
	case words.Part:
		place.requires = args.Constraint
	}
	if !e.Fact {
		c.outcomes(e, place)
	}
	c.counts(e, place)
	for _, child := range e.Because {
		c.explanation(child, place)
	}
}

// counts compares how many bundles would do, but are not offered, with those that
// facts name or count.
func (c *claims) counts(e *result.Explanation, place at) {
	told := 0
	for _, child := range e.Because {
		if of := child.Reason.Code(); of == words.NotOffered || of == words.InstalledInstead {
			told += 1 + child.More
		}
	}
	if told == 0 || place.requires == nil {
		return
	}
	if list := c.positive(place.requires); len(list) == 1 && len(partsOf(list[0])) == 1 {
		n := len(c.matching(place.home, list[0]))
		c.want(n == told, "%d bundles would do, and %d are told", n, told)
	}
}

// outcomes checks that a node speaks of all bundles that could meet what it asks
// for, and no others.
func (c *claims) outcomes(e *result.Explanation, place at) {
	var told []result.BundleRef
	kind := e.Reason.Kind()
	if e.Reason.Code() != words.Part && kind != words.KindDependency && kind != words.KindOfSubscription && kind != words.KindOfExtension {
		return
	}
	for _, child := range e.Because {
		ruledOut := !child.Stated
		switch child.Reason.Code() {
		case words.NotOffered, words.InstalledInstead, words.NotAskedCatalog, words.ExcludedCatalog, words.UnhealthyCatalog, words.InvisibleCatalog,
			words.Installed, words.Selected, words.Asked, words.Committed, words.Part, words.Excluded, words.Unasked:
			ruledOut = false
		}
		if ruledOut {
			told = append(told, child.Bundles...)
		}
	}
	c.serves(place, told)
	if c.forced || place.requires != nil && len(c.positive(place.requires)) != 1 || len(told) == 0 {
		return
	}
	all := c.demand(place)
	for _, b := range all {
		if place.request == nil || place.request.Key.Kind == cluster.KindSubscription {
			c.want(slices.ContainsFunc(told, b.is) || c.extension != nil && b.managed, "nothing is told of %s", b)
		}
	}
	for _, child := range e.Because {
		if !child.All || len(child.Bundles) < 3 {
			continue
		}
		for _, b := range all {
			c.want(b.isInstalled || b.installed != child.Bundles[0].Installed || b.pkg() != child.Bundles[0].Bundle.Package || child.Bundles[0].Namespace != "" && b.namespace != child.Bundles[0].Namespace ||
				place.request != nil && place.request.Key.Kind != cluster.KindSubscription && b.key() != child.Bundles[0].Bundle.Catalog ||
				slices.ContainsFunc(child.Bundles, b.is), "%q leaves out %s", child.Text(), b)
		}
	}
}

// failure checks all that a failure states.
func (c *claims) failure(e *result.NotSatisfiable) {
	for i := range e.Constraints {
		r := &e.Constraints[i]
		c.told = "constraint: " + r.Message()
		c.reason(at{r: r, home: c.home(r.Args().Namespace)})
	}
	c.explanation(e.Explanation, at{home: c.home("")})
}

func (c *claims) warnings() {
	for i := range c.answer.Warnings {
		w := &c.answer.Warnings[i]
		c.told = "warning: " + w.Message()
		c.reason(at{r: w, home: c.answer.Scope.Namespace()})
		c.want(!isBelow(w) || len(w.Because()) > 0, "it does not say what decides")
	}
}

// isBelow reports whether a warning is that a choice is not the head, or not the best.
func isBelow(w *result.Reason) bool {
	return slices.Contains([]words.Code{words.BelowHead, words.NotListed, words.ForcedChoice}, w.Code())
}

// refusal is what a conflict says of a bundle. That of several bundles names the first.
func refusal(r *result.Reason) string {
	if _, why, ok := strings.Cut(r.Message(), " cannot be selected"); ok {
		return why
	}
	return r.Message()
}

// decided: what keeps a head out, as warnings say, is what keeps it out of its place.
func (c *claims) decided(list []result.Justification) {
	for i := range c.answer.Warnings {
		w := &c.answer.Warnings[i]
		if !isBelow(w) || w.Because()[0].Code() != words.Conflict {
			continue
		}
		c.told = "warning: " + w.Message()
		c.want(slices.ContainsFunc(list, func(j result.Justification) bool {
			return j.Bundle.Bundle.Name == w.Args().Subject && slices.ContainsFunc(j.Better, func(r result.Refusal) bool {
				return refusal(&r.Why.Reason) == refusal(&w.Because()[0]) &&
					slices.ContainsFunc(r.Bundles, func(b result.BundleRef) bool { return b.Bundle.Name == w.Args().Other })
			})
		}), "no justification says that")
	}
}

// TestClaims checks every sentence of random failures, answers to questions and
// warnings against the input.
func TestClaims(t *testing.T) {
	for name, generate := range map[string]func(seed uint64) oracle.Joint{
		"subscriptions": func(seed uint64) oracle.Joint { return oracle.Joint{random.Problem(seed)} },
		"extensions":    func(seed uint64) oracle.Joint { return oracle.Joint{random.Extension(seed)} },
		"jointly":       random.Joint,
	} {
		t.Run(name, func(t *testing.T) {
			var (
				mu       sync.Mutex
				failures int
				checked  = map[string]int{}
			)
			eachSeedAnd(t, *claimed, []uint64{300475, 501728, 601415, 900526, 1001724, 1302128}, func(seed uint64) error {
				s := asScenario(nil, generate(seed)...)
				season(s, seed)
				in, err := s.Question(t.Context())
				if err != nil {
					return err
				}
				extension := ""
				if slices.Contains(in.Scopes, cluster.OfExtension(random.ExtensionName)) {
					extension = random.ExtensionName
				}
				c, failed, err := checkClaims(t.Context(), in, extension, seed)
				if err != nil {
					return err
				}
				mu.Lock()
				defer mu.Unlock()
				if failed {
					failures++
				}
				for name, n := range c.checked {
					checked[name] += n
				}
				if len(c.wrong) > 0 {
					text, _ := s.Format()
					return fmt.Errorf("%s\n%s", strings.Join(c.wrong, "\n"), text)
				}
				return nil
			})
			t.Logf("%d failures; claims checked: %v", failures, checked)
			assert.Greater(t, failures, *claimed/5)
		})
	}
}

// checkClaims checks what is said of namespaces or, if one is named, of an extension.
func checkClaims(ctx context.Context, in *scenario.Question, extension string, seed uint64) (c *claims, failed bool, err error) {
	c = &claims{facts: newFacts(ctx, in, extension), checked: map[string]int{}, seen: map[*result.Explanation]bool{}}
	in.Problem.Options.NoFixes, in.Problem.Options.Partial = true, false
	var answers []*result.Resolution
	if extension == "" {
		answers, err = answersOf(ctx, in)
	} else {
		var r *result.Resolution
		r, err = resolver.New().Resolve(ctx, in.Problem, cluster.OfExtension(extension))
		answers = []*result.Resolution{r}
	}
	var failure *result.NotSatisfiable
	if errors.As(err, &failure) {
		c.failure(failure)
		return c, true, nil
	}
	if denied, ok := errors.AsType[*result.Denied](err); ok {
		for i := range denied.Rules {
			c.told = "denied: " + denied.Rules[i].Message()
			c.reason(at{r: &denied.Rules[i], home: c.home("")})
		}
		answers, err = denied.Resolutions, nil
	}
	switch result.Of(err) {
	case result.Resolved:
	case result.ResultAmbiguous, result.ResultUnhealthy, result.ResultInvalidInput:
		return c, false, nil
	default:
		return c, false, err
	}
	c.answers = answers
	for _, c.answer = range answers {
		c.warnings()
	}
	if len(answers) == 1 {
		err = c.questions(seed)
		c.paths()
	}
	return c, false, err
}

// TestClaimsOfScenarios checks every sentence that the scenarios lead to: they are samples
// of every kind of reasons and warnings.
func TestClaimsOfScenarios(t *testing.T) {
	sampled := map[string]bool{}
	for path, data := range testkit.Files(t, "testdata/*s/*.txtar") {
		s, err := scenario.Parse(data)
		require.NoError(t, err)
		in, err := s.Question(t.Context())
		require.NoError(t, err)
		if in.Problem.Options.MaxConflicts > 0 {
			continue // what a limit ends claims nothing
		}
		for _, scope := range in.Scopes {
			one := *in
			if one.Scopes = namespacesOf(in); scope.Extension() != "" || !in.Problem.Options.Jointly {
				one.Scopes = []cluster.Scope{scope}
			}
			c, _, err := checkClaims(t.Context(), &one, scope.Extension(), 0)
			require.NoError(t, err, path)
			assert.Empty(t, c.wrong, path)
			for name := range c.checked {
				sampled[name] = true
			}
		}
	}
	for _, m := range wordsOf(t, "Kind") {
		if m.name != "KindStated" { // rows of status alone have it
			assert.True(t, sampled[m.value], "no scenario leads to %s", m.name)
		}
	}
	random := []words.Code{words.AlreadyInstalled, words.ExcludedCatalog, words.LostStartingCSV, words.CatalogLeftOut} // at best
	for _, m := range membersOf(t, "resolver/internal/words", "Code") {
		c := words.Code(m.value)
		check, known := claimOf[c]
		assert.True(t, known, "claimOf has no row of %s", m.name)
		assert.True(t, sampled[m.value] || check == nil || slices.Contains(random, c), "no scenario of testdata leads to %s", m.name)
	}
}

// namespacesOf are those among the scopes.
func namespacesOf(in *scenario.Question) []cluster.Scope {
	return slices.DeleteFunc(slices.Clone(in.Scopes), func(s cluster.Scope) bool { return s.Kind != cluster.KindSubscription })
}

// questions asks why bundles are selected, and why others are not.
func (c *claims) questions(seed uint64) error {
	r := resolver.New()
	scope := cluster.InNamespace(c.home(""))
	if c.extension != nil {
		scope = c.extension.Key().Scope()
	}
	var names []string
	for x := range c.Problem.Catalogs.Catalogs() {
		if x.Snapshot != nil {
			for _, b := range contents(x) {
				names = append(names, b.Name)
			}
			for _, lost := range x.Snapshot.LostProviders() {
				names = append(names, lost.Bundle)
			}
		}
	}
	for i := range min(5, len(names)) {
		e, err := r.WhyNot(c.ctx, c.Problem, scope, names[(int(seed)+i*7)%len(names)])
		if unknown := (*result.UnknownBundle)(nil); errors.As(err, &unknown) {
			continue
		}
		if err != nil {
			return err
		}
		c.explanation(e.Why, at{home: c.home("")})
	}
	list, err := r.Justify(c.ctx, c.Problem, scope)
	c.decided(list)
	for _, j := range list {
		c.explanation(j.Why, at{home: c.home("")})
		for _, better := range j.Better {
			c.explanation(better.Why, at{home: c.home("")})
		}
	}
	return err
}
