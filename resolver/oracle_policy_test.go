package resolver_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/blang/semver/v4"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/oracle"
	"github.com/resolvent/resolvent/resolver/internal/oracle/random"
	"github.com/resolvent/resolvent/resolver/internal/words"
	"github.com/resolvent/resolvent/resolver/policy"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/resolver/scenario"
	"github.com/resolvent/resolvent/testdata/testkit"
)

// How many random problems have a policy, and how many a rule about changes.
var underPolicy, changeRules = testkit.Scale(800, 42_000), testkit.Scale(600, 30_000)

// writtenRule is a rule of a policy, and the bundles that it denies, told without CEL.
type writtenRule struct {
	fields string
	denies func(p *oracle.Problem, b *oracle.Bundle) bool
}

func installedOf(p *oracle.Problem, pkg string) bool {
	return slices.ContainsFunc(p.Installed, func(i oracle.Installed) bool {
		return i.LeftOut == "" && (i.Annotated && i.Package == pkg || slices.ContainsFunc(p.Subscriptions, func(s oracle.Subscription) bool { return s.InstalledCSV == i.Name && s.Package == pkg }))
	})
}

// randomRule returns a rule that may deny something in a problem.
func randomRule(r *rand.Rand, p *oracle.Problem) writtenRule {
	var all []oracle.Bundle
	for _, c := range p.Catalogs {
		all = append(all, c.Bundles...)
	}
	if len(all) == 0 {
		return writtenRule{`deny: 'true'`, func(*oracle.Problem, *oracle.Bundle) bool { return true }}
	}
	of := all[r.IntN(len(all))]
	kind := "K"
	if len(of.Provides) > 0 {
		kind = of.Provides[0]
	}
	version := semver.MustParse(of.Version)
	list := []writtenRule{
		{fmt.Sprintf(`deny: 'semver_compare(bundle.version, "%s") > 0'`, version), func(_ *oracle.Problem, b *oracle.Bundle) bool { return semver.MustParse(b.Version).GT(version) }},
		{fmt.Sprintf(`deny: 'major(bundle.version) == %d && minor(bundle.version) == %d'`, version.Major, version.Minor), func(_ *oracle.Problem, b *oracle.Bundle) bool {
			v := semver.MustParse(b.Version)
			return v.Major == version.Major && v.Minor == version.Minor
		}},
		{fmt.Sprintf(`deny: 'bundle.name == "%s"'`, of.Name), func(_ *oracle.Problem, b *oracle.Bundle) bool { return b.Name == of.Name }},
		{fmt.Sprintf(`deny: 'true', match: {packages: ["%s"]}`, of.Package), func(_ *oracle.Problem, b *oracle.Bundle) bool { return b.Package == of.Package }},
		{fmt.Sprintf(`deny: 'properties.exists(p, p.type == "olm.gvk" && p.value.kind == "%s")'`, kind), func(_ *oracle.Problem, b *oracle.Bundle) bool { return slices.Contains(b.Provides, kind) }},
		{`deny: 'has(installed.name)'`, func(p *oracle.Problem, b *oracle.Bundle) bool { return installedOf(p, b.Package) }},
		{fmt.Sprintf(`deny: 'bundle.catalog.labels.x == "y"', match: {packages: ["%s"]}`, of.Package), func(_ *oracle.Problem, b *oracle.Bundle) bool { return b.Package == of.Package }},
		{`deny: 'true', match: {namespaces: [elsewhere]}`, func(*oracle.Problem, *oracle.Bundle) bool { return false }},
		{`deny: 'true', severity: warn`, func(*oracle.Problem, *oracle.Bundle) bool { return false }},
		{`deny: 'true', match: {catalogs: {matchLabels: {x: y}}}`, func(*oracle.Problem, *oracle.Bundle) bool { return false }},
	}
	return list[r.IntN(len(list))]
}

// policed returns a random problem with the names of the bundles that its policy denies, and
// the policy. It returns nil if the policy tells bundles of one name apart. A fixed policy
// does not ask what is installed, which fixes change.
func policed(seed uint64, p *oracle.Problem, fixed bool) (*oracle.Problem, *policy.Policy, error) {
	r := rand.New(rand.NewPCG(seed, 47))
	text := strings.Builder{}
	text.WriteString("apiVersion: resolvent/v1\nkind: Policy\nmetadata: {name: random}\ncandidates:\n")
	denied := map[string]bool{}
	var rules []writtenRule
	for i := range 1 + r.IntN(3) {
		rule := randomRule(r, p)
		for fixed && strings.Contains(rule.fields, "installed") {
			rule = randomRule(r, p)
		}
		rules = append(rules, rule)
		fmt.Fprintf(&text, "- {name: r%d, %s}\n", i, rules[i].fields)
	}
	for _, c := range p.Catalogs {
		for i := range c.Bundles {
			b := &c.Bundles[i]
			denies := slices.ContainsFunc(rules, func(rule writtenRule) bool { return rule.denies(p, b) })
			if was, known := denied[b.Name]; known && was != denies {
				return nil, nil, nil
			}
			denied[b.Name] = denies
		}
	}
	q := p.Fork()
	q.Denied = nil
	for name, denies := range denied {
		if denies {
			q.Denied = append(q.Denied, name)
		}
	}
	slices.Sort(q.Denied)
	written, err := policy.Parse([]byte(text.String()))
	return q, written, err
}

// TestOraclePolicy: under a policy the answer is the one without the bundles that it denies.
func TestOraclePolicy(t *testing.T) {
	var about features
	generators := []func(seed uint64) *oracle.Problem{random.Problem, random.Extension}
	eachSeed(t, underPolicy, func(seed uint64) error {
		p, written, err := policed(seed, generators[seed%2](seed), false)
		if p == nil || err != nil {
			return err
		}
		s := asScenario(nil, p)
		s.Options.Forbid, s.Options.Policies = nil, []*policy.Policy{written}
		removed := asScenario(nil, p)
		got, core, err := resolve(t.Context(), s)
		want, by, failed := resolve(t.Context(), removed)
		if (err == nil) != (failed == nil) {
			return fmt.Errorf("%w with the policy, %w without the bundles\n%s", err, failed, written.Source)
		}
		if err != nil {
			return nil // ambiguous
		}
		about.add(map[string]bool{"denies": len(p.Denied) > 0, "resolved": want.Satisfiable, "policy in core": slices.ContainsFunc(core, func(r result.Reason) bool { return r.Kind() == words.KindPolicy })})
		if answerText(got) != answerText(want) || len(core) != len(by) {
			return fmt.Errorf("the policy gives\n%s\nand without the bundles it is\n%s\n%s\n%s", answerText(got), answerText(want), written.Source, writeFinding(p, seed))
		}
		if p.Extension == nil {
			oracles, err := oracle.Solve(p, oracleLimit)
			if err == nil && answerText(oracles) != answerText(got) {
				return fmt.Errorf("the oracle wants\n%s\nand the policy gives\n%s\n%s", answerText(oracles), answerText(got), written.Source)
			}
		}
		return nil
	})
	about.report(t, int64(underPolicy))
}

// TestPolicyFixes: fixes under a policy are those without the bundles that it denies, and none
// installs one of these.
func TestPolicyFixes(t *testing.T) {
	var failures, offered, exceptions atomic.Int64
	eachSeed(t, 4**searched, func(seed uint64) error {
		p, written, err := policed(seed, random.Problem(seed), true)
		if p == nil || err != nil {
			return err
		}
		s := asScenario(nil, p)
		s.Options.Forbid, s.Options.Policies = nil, []*policy.Policy{written}
		helps := make([]*result.Help, 2)
		for i, s := range []*scenario.Scenario{s, asScenario(nil, p)} {
			q, err := s.Question(t.Context())
			if err != nil {
				return err
			}
			_, err = resolver.New().Resolve(t.Context(), q.Problem, q.Scopes[0])
			helps[i] = result.HelpOf(err)
		}
		got, want := fixTexts(helps[0].Fixes), fixTexts(helps[1].Fixes)
		if !slices.Equal(got, want) && helps[0].Search == result.SearchComplete && helps[1].Search == result.SearchComplete {
			return fmt.Errorf("fixes under the policy\n%s\nfixes without the bundles\n%s\n%s\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"), written.Source, writeFinding(p, seed))
		}
		failures.Add(1)
		for _, f := range helps[0].Fixes {
			offered.Add(1)
			news := slices.Clone(f.Then.Installs)
			for _, u := range f.Then.Updates {
				news = append(news, u.To)
			}
			for _, v := range news {
				if slices.Contains(p.Denied, v.Bundle.Name) {
					return fmt.Errorf("%s installs %s, which the policy denies\n%s", f.Text(""), v.Bundle.Name, written.Source)
				}
			}
		}
		for _, o := range helps[0].Others {
			if o.Kind == "policy" {
				exceptions.Add(1)
				if !slices.Contains(p.Denied, o.Bundle.Name) {
					return fmt.Errorf("an exception for %s, which the policy does not deny", o.Bundle.Name)
				}
			}
		}
		return nil
	})
	t.Logf("%d problems, %d fixes, %d exceptions", failures.Load(), offered.Load(), exceptions.Load())
	assert.Positive(t, offered.Load())
	assert.Positive(t, exceptions.Load())
}

// TestOracleApprovals: an InstallPlan may be approved if it brings exactly what resolving under
// the policy brings, and never if it brings what the policy denies.
func TestOracleApprovals(t *testing.T) {
	var about features
	eachSeed(t, *problems, func(seed uint64) error {
		p, written, err := policed(seed, named(random.Problem(seed)), false)
		if p == nil || err != nil {
			return err
		}
		s := asScenario(nil, p)
		news := func() []string {
			q, err := s.Question(t.Context())
			if err != nil {
				return nil
			}
			q.Problem.Options.NoFixes = true
			r, err := resolver.New().Resolve(t.Context(), q.Problem, q.Scopes[0])
			if err != nil {
				return nil
			}
			list := []string{}
			for _, i := range r.Installs {
				list = append(list, i.Bundle.Name)
			}
			slices.Sort(list)
			return list
		}
		s.Options.Forbid = nil
		free := news()
		s.Options.Policies = []*policy.Policy{written}
		now := news()
		r := rand.New(rand.NewPCG(seed, 13))
		planned := [][]string{now, free, append(slices.Clone(now), "neighbour.v1")}[r.IntN(3)]
		if len(planned) == 0 {
			return nil
		}
		q, err := s.Question(t.Context())
		if err != nil {
			return err
		}
		in := q.Problem
		objects := in.Cluster.Objects()
		objects.InstallPlans = []cluster.InstallPlan{{Namespace: q.Scopes[0].Namespace(), Name: "install-1", CSVs: planned, Phase: "RequiresApproval"}}
		in.Cluster = cluster.NewIndex(objects)
		list, err := resolver.New().Approvals(t.Context(), in, q.Scopes[:1])
		if err != nil || len(list) != 1 {
			return fmt.Errorf("%d approvals: %w", len(list), err)
		}
		approved := list[0].Verdict == result.VerdictApprove
		about.add(map[string]bool{"approved": approved, "waits": !approved, "denied": slices.ContainsFunc(list[0].Reasons, func(r result.ApprovalReason) bool { return r.Kind == words.ApprovalDenied })})
		if wanted := now != nil && slices.Equal(now, planned); approved != wanted {
			return fmt.Errorf("%s of %v, and resolving brings %v: %v\n%s\n%s", list[0].Verdict, planned, now, list[0].Reasons, written.Source, writeFinding(p, seed))
		}
		if approved && slices.ContainsFunc(planned, func(name string) bool { return slices.Contains(p.Denied, name) }) {
			return fmt.Errorf("a denied bundle of %v is approved\n%s", planned, written.Source)
		}
		return nil
	})
	about.report(t, int64(*problems))
}

// TestPolicyKept: what a Resolver keeps of verdicts never leaks to where a rule reads something
// else: another namespace, label, day, catalog or policy.
func TestPolicyKept(t *testing.T) {
	shared := resolver.New()
	var policies []*policy.Policy
	for _, deny := range []string{
		`namespace.name == "b"`, `"x" in namespace.labels`, `cluster.today > "2026-01-15"`, `"x" in bundle.catalog.labels`, `bundle.catalog.name == "two"`,
		`cluster.namespace == "a"`, `has(installed.name)`, `!has(installed.name) && namespace.name == "a"`,
	} {
		p, err := policy.Parse([]byte("apiVersion: resolvent/v1\nkind: Policy\nmetadata: {name: p}\ncandidates:\n- {name: r, deny: '" + deny + "'}\n"))
		require.NoError(t, err)
		policies = append(policies, p)
	}
	snapshot := snapshotOf(generatedView(t, 1))
	var pkg *catalog.Package
	for p := range snapshot.Packages() {
		pkg = p
		break
	}
	denied := make([]int, len(policies))
	r := rand.New(rand.NewPCG(1, 47))
	either := func() bool { return r.IntN(2) == 0 }
	for range 400 {
		which := r.IntN(len(policies))
		labels := func() map[string]string {
			if either() {
				return map[string]string{"x": "y"}
			}
			return nil
		}
		name, namespace, day := "one", "a", "2026-01-10"
		if either() {
			name = "two"
		}
		if either() {
			namespace = "b"
		}
		if either() {
			day = "2026-01-20"
		}
		key := catalog.Key{Namespace: "olm", Name: name}
		p := resolver.Problem{
			Catalogs: cache.NewView([]cache.Catalog{{Key: key, Labels: labels(), Snapshot: snapshot}}),
			Cluster: cluster.NewIndex(cluster.Objects{
				Date: day, Namespaces: []cluster.Namespace{{Name: namespace, Labels: labels()}},
				Subscriptions: []cluster.Subscription{{Namespace: namespace, Name: "s", Package: pkg.Name, Channel: pkg.DefaultChannel, Catalog: name, CatalogNamespace: "olm"}},
			}),
			Options: policy.Options{Policies: policies[which : which+1], NoFixes: true},
		}
		got, err := shared.Resolve(t.Context(), p, cluster.InNamespace(namespace))
		want, fresh := resolver.New().Resolve(t.Context(), p, cluster.InNamespace(namespace))
		require.Equal(t, fmt.Sprint(fresh), fmt.Sprint(err), policies[which].Source)
		require.Equal(t, want, got)
		if err != nil {
			denied[which]++
		}
	}
	for i, n := range denied {
		if i != 6 { // nothing is installed
			assert.Positive(t, n, policies[i].Source)
		}
		assert.Less(t, n, 400)
	}
}

// changed is what an answer does with one package, as SPEC.md 13 says.
type changed struct {
	kind      string
	from, to  string // names
	was, is   semver.Version
	pkg       string
	requested bool
}

// changedBy reads the changes of the oracle's answer.
func changedBy(p *oracle.Problem, a *oracle.Answer) (list []changed) {
	gone := map[string]oracle.Installed{}
	for _, i := range p.Installed {
		if i.LeftOut == "" && !slices.Contains(a.Kept, i.Name) {
			gone[i.Name] = i
		}
	}
	for _, i := range a.Installs {
		c := changed{kind: words.ChangeInstall, to: i.Bundle}
		for _, of := range p.Catalogs {
			for _, b := range of.Bundles {
				if of.Namespace == i.Namespace && of.Name == i.Catalog && b.Name == i.Bundle {
					c.pkg, c.is = b.Package, semver.MustParse(b.Version)
				}
			}
		}
		c.requested = slices.ContainsFunc(p.Subscriptions, func(s oracle.Subscription) bool { return s.Package == c.pkg })
		if from, ok := gone[i.Replaces]; ok && i.Updates {
			delete(gone, i.Replaces)
			version := from.Version
			if version == "" && from.Annotated {
				version = from.PackageVersion
			}
			c.from, c.was = from.Name, semver.MustParse(cmp.Or(version, "0.0.0"))
			if c.kind = words.ChangeUpdate; c.is.LT(c.was) {
				c.kind = words.ChangeDowngrade
			}
		}
		list = append(list, c)
	}
	for name, i := range gone {
		c := changed{kind: words.ChangeRemove, from: name, pkg: i.Package}
		for _, s := range p.Subscriptions {
			if !i.Annotated && s.InstalledCSV == name && (c.pkg == "" || s.Package < c.pkg) {
				c.pkg = s.Package
			}
		}
		list = append(list, c)
	}
	return list
}

// changeRule returns a rule about changes with its match, and whether it denies these.
func changeRule(r *rand.Rand, p *oracle.Problem, changes []changed) (kind, rule string, denies bool) {
	var all []oracle.Bundle
	for _, c := range p.Catalogs {
		all = append(all, c.Bundles...)
	}
	for _, i := range p.Installed {
		all = append(all, oracle.Bundle{Name: i.Name, Package: cmp.Or(i.Package, "none")})
	}
	of := oracle.Bundle{Name: "none", Package: "none"}
	if len(all) > 0 {
		of = all[r.IntN(len(all))]
	}
	if len(changes) > 0 && r.IntN(2) == 0 {
		one := changes[r.IntN(len(changes))]
		of = oracle.Bundle{Name: cmp.Or(one.to, one.from), Package: cmp.Or(one.pkg, "none")}
	}
	what, n := []string{words.ChangeInstall, words.ChangeUpdate, words.ChangeDowngrade, words.ChangeRemove}[r.IntN(4)], r.IntN(3)
	some := func(is func(c changed) bool) bool { return slices.ContainsFunc(changes, is) }
	count := func(is func(c changed) bool) (n int) {
		for _, c := range changes {
			if is(c) {
				n++
			}
		}
		return n
	}
	switch r.IntN(10) {
	case 0:
		return string("kind " + what), fmt.Sprintf(`deny: 'changes.exists(c, c.kind == "%s")'`, what), some(func(c changed) bool { return c.kind == what })
	case 1:
		return "name", fmt.Sprintf(`deny: 'changes.exists(c, has(c.to.name) && c.to.name == "%s")'`, of.Name), some(func(c changed) bool { return c.to == of.Name })
	case 2:
		return "from", fmt.Sprintf(`deny: 'changes.exists(c, has(c.from.name) && c.from.name == "%s" && c.kind != "remove")'`, of.Name), some(func(c changed) bool { return c.from == of.Name && c.to != "" })
	case 3:
		return "count", fmt.Sprintf(`deny: 'changes.filter(c, c.kind == "%s").size() > %d'`, what, n), count(func(c changed) bool { return c.kind == what }) > n
	case 4:
		return "new dependencies", fmt.Sprintf(`deny: 'changes.filter(c, c.kind == "install" && !c.requested && c.dependency).size() > %d'`, n), count(func(c changed) bool { return c.kind == words.ChangeInstall && !c.requested }) > n
	case 5:
		return "minor", `deny: 'changes.exists(c, has(c.from.version) && has(c.to.version) && minor(c.from.version) != minor(c.to.version))'`,
			some(func(c changed) bool { return c.from != "" && c.to != "" && c.was.Minor != c.is.Minor })
	case 6:
		pkg := cmp.Or(of.Package, "nowhere") // a bundle that states none
		return "package", fmt.Sprintf(`deny: 'true', match: {packages: ["%s"]}`, pkg), some(func(c changed) bool { return c.pkg == pkg })
	case 7:
		return "without a reason", `deny: 'changes.exists(c, c.kind != "remove" && !c.requested && !c.dependency || c.dependency != (c.requiredBy.size() > 0) || c.requiredBy.exists(b, b.name == c.to.name))'`, false
	case 8:
		return "elsewhere", `deny: 'true', match: {namespaces: [elsewhere-*]}`, false
	}
	return "all", fmt.Sprintf(`deny: 'changes.size() > %d || plan.widens.size() > 0 || has(plan.name)'`, n), len(changes) > n
}

// TestOracleChanges: a rule about changes denies the answer without it exactly if that has such
// a change by a plain reading of the oracle's answer, and shows it; no fix brings what the rule
// denies.
func TestOracleChanges(t *testing.T) {
	var about features
	eachSeedAnd(t, changeRules, []uint64{929898}, func(seed uint64) error {
		p := random.Problem(seed)
		s := asScenario(nil, p)
		q, err := s.Question(t.Context())
		if err != nil {
			return err
		}
		q.Problem.Options.NoFixes = true
		free, failed := resolver.New().Resolve(t.Context(), q.Problem, q.Scopes[0])
		answer, err := oracle.Solve(p, oracleLimit)
		if failed != nil || err != nil || !answer.Satisfiable {
			return nil
		}
		r := rand.New(rand.NewPCG(seed, 74))
		kind, deny, wanted := changeRule(r, p, changedBy(p, answer))
		written, err := policy.Parse([]byte("apiVersion: resolvent/v1\nkind: Policy\nmetadata: {name: p}\nchanges:\n- {name: r, " + deny + "}\n"))
		if err != nil {
			return err
		}
		q.Problem.Options.Policies, q.Problem.Options.NoFixes = []*policy.Policy{written}, seed%4 != 0
		got, err := resolver.New().Resolve(t.Context(), q.Problem, q.Scopes[0])
		refused, denied := err.(*result.Denied)
		if about.add(map[string]bool{"denied": denied, "admitted": err == nil}); denied {
			about.add(map[string]bool{kind: true})
		}
		switch {
		case denied != wanted || !denied && err != nil:
			return fmt.Errorf("denied: %v, wanted %v: %w\n%s\n%s", denied, wanted, err, deny, writeFinding(p, seed))
		case denied:
			got = refused.Of(q.Scopes[0])
		}
		if !assert.ObjectsAreEqual(free.Installs, got.Installs) {
			return fmt.Errorf("%s shows %v, and without it the answer is %v\n%s", deny, got.Installs, free.Installs, writeFinding(p, seed))
		}
		if denied && kind == "name" {
			for _, f := range refused.Fixes {
				brings := slices.Clone(f.Then.Installs)
				for _, u := range f.Then.Updates {
					brings = append(brings, u.To)
				}
				if slices.ContainsFunc(brings, func(i result.Version) bool { return strings.Contains(deny, `"`+i.Bundle.Name+`"`) }) {
					return fmt.Errorf("%s installs what the rule denies\n%s", f.Text(""), deny)
				}
			}
		}
		return nil
	})
	about.report(t, int64(changeRules))
}
