package resolver_test

import (
	"cmp"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/resolver"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/oracle"
	"github.com/resolvent/resolvent/resolver/internal/oracle/random"
	"github.com/resolvent/resolvent/resolver/internal/words"
	"github.com/resolvent/resolvent/resolver/policy"
	"github.com/resolvent/resolvent/resolver/result"
)

// waitingPlans are a problem with InstallPlans, and with what these and the installed bundles do
// besides. Its methods read SPEC.md 13 in the plainest way: nothing of the resolver is asked.
type waitingPlans struct {
	p     *oracle.Problem
	now   *oracle.Answer // what resolving under the policy brings
	in    cluster.Objects
	rules map[string]bool // of plan, that deny if the list has members
}

// bundle returns a bundle that a catalog of the namespace has.
func (w *waitingPlans) bundle(name string) *oracle.Bundle {
	for _, c := range w.p.Catalogs {
		global := slices.Contains(w.p.Globals, c.Namespace) && (w.p.Group == nil || !w.p.Group.OwnCatalogs)
		if c.Namespace != w.p.Namespace && !global {
			continue
		}
		for i := range c.Bundles {
			if c.Bundles[i].Name == name {
				return &c.Bundles[i]
			}
		}
	}
	return nil
}

// runs returns the installed bundle of a package by name, empty if there is none.
func (w *waitingPlans) runs(pkg string) string {
	var names []string
	for _, i := range w.p.Installed {
		if i.LeftOut == "" && (i.Annotated && i.Package == pkg || slices.ContainsFunc(w.p.Subscriptions, func(s oracle.Subscription) bool { return s.InstalledCSV == i.Name && s.Package == pkg })) {
			names = append(names, i.Name)
		}
	}
	if slices.Sort(names); len(names) == 0 {
		return ""
	}
	return names[0]
}

func (w *waitingPlans) csv(name string) *cluster.ClusterServiceVersion {
	for i := range w.in.CSVs {
		if v := &w.in.CSVs[i]; v.Namespace == w.p.Namespace && v.Name == name {
			return v
		}
	}
	return nil
}

// news are the bundles that resolving brings, sorted.
func (w *waitingPlans) news() []string {
	list := []string{}
	for _, i := range w.now.Installs {
		list = append(list, i.Bundle)
	}
	slices.Sort(list)
	return list
}

// judged returns the InstallPlan that is judged: it waits, and is the newest, of equals the last.
func (w *waitingPlans) judged() *cluster.InstallPlan {
	var found *cluster.InstallPlan
	for i := range w.in.InstallPlans {
		p := &w.in.InstallPlans[i]
		if p.Phase == "RequiresApproval" && !p.Approved && !p.Automatic && (found == nil || p.Generation >= found.Generation) {
			found = p
		}
	}
	return found
}

// permits reports whether rights include one thing.
func permits(rights []cluster.Right, verb, resource string) bool {
	return slices.ContainsFunc(rights, func(r cluster.Right) bool {
		return (slices.Contains(r.Verbs, verb) || slices.Contains(r.Verbs, "*")) && (slices.Contains(r.Resources, resource) || slices.Contains(r.Resources, "*"))
	})
}

// effects counts what the plan does besides, by kind and bundle.
func (w *waitingPlans) effects(plan *cluster.InstallPlan) map[string]int {
	found := map[string]int{}
	brings := slices.Compact(slices.Sorted(slices.Values(plan.CSVs)))
	replaced := map[string]bool{}
	for _, name := range brings {
		b := w.bundle(name)
		if b == nil {
			continue
		}
		asked := false
		for _, s := range w.p.Subscriptions {
			if s.Package == b.Package {
				asked = true
				if s.InstalledCSV == "" && s.StartingCSV != "" && s.StartingCSV != name {
					found["pinned "+name]++
				}
			}
		}
		if !asked && w.now.Satisfiable && !slices.Contains(w.news(), name) {
			found["foreign "+name]++
		}
		installed := w.runs(b.Package)
		if installed == "" {
			continue
		}
		replaced[installed] = replaced[installed] || installed != name
		at := slices.IndexFunc(w.p.Installed, func(i oracle.Installed) bool { return i.Name == installed })
		version := cmp.Or(w.p.Installed[at].Version, w.p.Installed[at].PackageVersion)
		there := slices.ContainsFunc(w.p.Installed, func(i oracle.Installed) bool { return i.LeftOut == "" && i.Name == name })
		if !there && version != "" && b.Version[0] > version[0] { // each number has one digit
			found["major "+name]++
		}
		v := w.csv(installed)
		var rights []cluster.Right
		if v.Installation != nil {
			rights = v.Installation.Install.Spec.ClusterPermissions[0].Rules
		}
		said := map[string]bool{}
		for _, step := range plan.Steps {
			for _, r := range step.Rights {
				wider := false
				for _, verb := range append([]string{"other"}, r.Verbs...) { // "other" is what only * names
					for _, resource := range append([]string{"other"}, r.Resources...) {
						wider = wider || permits([]cluster.Right{r}, verb, resource) && !permits(rights, verb, resource)
					}
				}
				if step.CSV == name && v.Installation != nil && wider && !said[r.String()] {
					said[r.String()] = true
					found["widens "+name]++
				}
			}
		}
	}
	for _, step := range plan.Steps {
		if step.Kind != "CustomResourceDefinition" {
			continue
		}
		var d cluster.Definition
		for _, of := range w.in.Definitions {
			if of.Name == step.Name {
				d = of
			}
		}
		kind := step.Name[:1]
		versionOf := func(d *properties.Definition, version string) (v properties.DefinedVersion) {
			for _, of := range d.Versions {
				if of.Name == version {
					v = of
				}
			}
			return v
		}
		serves := func(version string) bool { return versionOf(step.Definition, version).Served }
		for _, version := range []string{"v1", "v2", "v3"} {
			has := versionOf(step.Definition, version).Name != ""
			if slices.Contains(d.Stored, version) && (!has || !serves(version) && versionOf(&d.Definition, version).Served) {
				found["drops "+step.CSV]++
			}
			if slices.Contains(d.Stored, version) && !has {
				found["refused "+step.CSV]++
			}
			if serves(version) || len(d.Versions) > 0 && !versionOf(&d.Definition, version).Served {
				continue
			}
			for _, v := range w.in.CSVs {
				if isCopy(&v) {
					continue
				}
				owns, needs := slices.Contains(v.Provides, thing(kind, version)), slices.Contains(v.Requires, thing(kind, version))
				if owns || needs && !(v.Namespace == w.p.Namespace && replaced[v.Name]) {
					found["drops "+step.CSV]++
				}
				if !owns && needs && !(v.Namespace == w.p.Namespace && replaced[v.Name]) {
					found["requires "+step.CSV]++
				}
			}
		}
	}
	for kind, name := range w.gone(brings) {
		api := properties.GVK{Group: "example.com", Version: "v1", Kind: kind}
		for i := range w.in.CSVs {
			v := &w.in.CSVs[i]
			if !isCopy(v) && !slices.Contains(v.Provides, api) && slices.Contains(v.Requires, api) && !(v.Namespace == w.p.Namespace && replaced[v.Name]) {
				found["drops "+name]++
				found["requires "+name]++
			}
		}
	}
	return found
}

// gone are the kinds that something provides in whose place one of the bundles comes, and that none of
// these provides, with that one.
func (w *waitingPlans) gone(brings []string) map[string]string {
	provided, gone := map[string]bool{}, map[string]string{}
	for _, name := range brings {
		if b := w.bundle(name); b != nil {
			for _, kind := range b.Provides {
				provided[kind] = true
			}
		}
	}
	for _, name := range brings {
		b := w.bundle(name)
		if b == nil {
			continue
		}
		before := w.runs(b.Package)
		if before == "" || before == name {
			continue
		}
		at := slices.IndexFunc(w.p.Installed, func(i oracle.Installed) bool { return i.Name == before })
		for _, kind := range w.p.Installed[at].Provides {
			if !provided[kind] {
				gone[kind] = name
			}
		}
	}
	return gone
}

func isCopy(v *cluster.ClusterServiceVersion) bool {
	_, copied := v.Labels[cluster.LabelCopiedFrom]
	return copied || v.Reason == "Copied" || cmp.Or(v.Annotations[words.AnnotationOperatorNamespace], v.Namespace) != v.Namespace
}

// reasons are those to wait, by kind and bundle.
func (w *waitingPlans) reasons(plan *cluster.InstallPlan, effects map[string]int) map[string]int {
	found := map[string]int{}
	brings := slices.Compact(slices.Sorted(slices.Values(plan.CSVs)))
	stale := !w.now.Satisfiable || !slices.Equal(brings, w.news()) || slices.ContainsFunc(w.in.InstallPlans, func(p cluster.InstallPlan) bool {
		return onItsWay(p.Phase, p.Approved) && !slices.ContainsFunc(brings, func(name string) bool { return !slices.Contains(p.CSVs, name) })
	})
	if !w.now.Satisfiable {
		found["unhealthy "]++
	} else if stale {
		found["stale "]++
	}
	changes := false
	for _, name := range brings {
		b := w.bundle(name)
		if b == nil {
			found["unknown "+name]++
			continue
		}
		installed := w.runs(b.Package)
		if stale && installed != "" && installed != name && slices.Contains(w.p.Held, installed) {
			found["held "+name]++
		}
		runs := slices.ContainsFunc(w.p.Installed, func(i oracle.Installed) bool { return i.LeftOut == "" && i.Name == name })
		changes = changes || !runs
		if !runs && slices.Contains(w.p.Denied, name) {
			found["denied "+name] = 1 // by one rule or more
		}
	}
	for of := range w.rules {
		for effect, n := range effects {
			if changes && n > 0 && len(effect) > len(of) && effect[:len(of)] == of {
				found["denied "] = 1
			}
		}
	}
	return found
}

func thing(kind, version string) properties.GVK {
	return properties.GVK{Group: "d.io", Version: version, Kind: kind}
}

// withPlans adds InstallPlans at random, and what they and installed bundles do.
func withPlans(r *rand.Rand, w *waitingPlans) {
	some := func(least int, from ...string) (list []string) {
		for len(list) < least || r.IntN(3) == 0 {
			list = append(list, from[r.IntN(len(from))])
		}
		return list
	}
	chance := func(n int) bool { return r.IntN(n) == 0 }
	right := func() cluster.Right {
		return cluster.Right{Verbs: some(1, "get", "list", "*"), APIGroups: []string{""}, Resources: some(1, "pods", "secrets", "*")}
	}
	apis := func() (list []properties.GVK) {
		for _, version := range slices.Compact(slices.Sorted(slices.Values(some(0, "v1", "v2", "v3")))) {
			list = append(list, thing([]string{"A", "B"}[r.IntN(2)], version))
		}
		return list
	}
	w.in.CSVs = append(slices.Clone(w.in.CSVs), cluster.ClusterServiceVersion{Namespace: "far", Name: "far.v1", Phase: "Succeeded"})
	for i := range w.in.CSVs {
		v := &w.in.CSVs[i]
		if v.Annotations[cluster.AnnotationProperties] != "" || v.Namespace == "far" { // else they count for resolving
			v.Provides, v.Requires = apis(), apis()
		}
		if !chance(4) {
			v.Installation = &properties.Installation{Install: &properties.InstallStrategy{}}
			v.Installation.Install.Spec.ClusterPermissions = []properties.Permission{{Rules: []cluster.Right{right(), right()}}}
		}
	}
	defined := func(kind string) (d properties.Definition) {
		d.Group, d.Names = "d.io", properties.DefinitionNames{Kind: kind, Plural: kind + "s"}
		for _, version := range []string{"v1", "v2", "v3"} {
			if n := r.IntN(3); n > 0 {
				d.Versions = append(d.Versions, properties.DefinedVersion{Name: version, Served: n == 1})
			}
		}
		return d
	}
	for _, kind := range []string{"A", "B"} {
		if chance(2) {
			w.in.Definitions = append(w.in.Definitions, cluster.Definition{Name: kind + "s.d.io", Definition: defined(kind), Stored: some(0, "v1", "v2", "v3")})
		}
	}
	var all []string
	for _, c := range w.p.Catalogs {
		for _, b := range c.Bundles {
			all = append(all, b.Name)
		}
	}
	for _, i := range w.p.Installed {
		all = append(all, i.Name)
	}
	all = append(all, "nobodys.v1")
	for n := range 1 + r.IntN(3) {
		plan := cluster.InstallPlan{Namespace: w.p.Namespace, Name: fmt.Sprintf("install-%d", n), Phase: "RequiresApproval", Generation: n + 1, CSVs: w.news()}
		if chance(2) {
			plan.CSVs = append(plan.CSVs, some(0, all...)...) // a neighbor goes along, perhaps
		} else if chance(2) {
			plan.CSVs = some(1, all...)
		}
		switch r.IntN(12) {
		case 0:
			plan.Approved = true
		case 1:
			plan.Automatic = true
		case 2:
			plan.Phase = "Complete"
		case 3:
			plan.Generation = 0
		}
		if len(plan.CSVs) == 0 {
			plan.CSVs = []string{"nobodys.v1"}
		}
		r.Shuffle(len(plan.CSVs), func(i, j int) { plan.CSVs[i], plan.CSVs[j] = plan.CSVs[j], plan.CSVs[i] })
		for range 1 + r.IntN(4) {
			plan.Steps = append(plan.Steps, cluster.PlanStep{CSV: plan.CSVs[r.IntN(len(plan.CSVs))], Kind: "ClusterRole", Name: "role", Rights: []cluster.Right{right()}})
		}
		for _, kind := range []string{"A", "B"} {
			d := defined(kind)
			if chance(3) && len(d.Versions) > 0 {
				plan.Steps = append(plan.Steps, cluster.PlanStep{CSV: plan.CSVs[r.IntN(len(plan.CSVs))], Kind: "CustomResourceDefinition", Name: kind + "s.d.io", Definition: &d})
			}
		}
		w.in.InstallPlans = append(w.in.InstallPlans, plan)
	}
}

// TestOracleWaiting: the verdict on an InstallPlan, all its reasons and all its warnings are
// those of a plain reading.
func TestOracleWaiting(t *testing.T) {
	var about features
	eachSeed(t, 4**problems, func(seed uint64) error {
		p, written, err := policed(seed, named(random.Problem(seed)), false)
		if p == nil || err != nil {
			return err
		}
		now, err := oracle.Solve(p, oracleLimit)
		if err != nil || now.Ambiguous {
			return nil
		}
		r := rand.New(rand.NewPCG(seed, 131))
		w := &waitingPlans{p: p, now: now, rules: map[string]bool{}}
		policies := []*policy.Policy{written}
		for _, of := range []string{"pinned", "foreign", "widens", "drops"} {
			if r.IntN(4) > 0 {
				continue
			}
			w.rules[of] = true
			rule, err := policy.Parse(fmt.Appendf(nil, "apiVersion: resolvent/v1\nkind: Policy\nmetadata: {name: %s}\nchanges:\n- {name: r, deny: plan.%[1]s.size() > 0}\n", of))
			if err != nil {
				return err
			}
			policies = append(policies, rule)
		}
		s := asScenario(nil, p)
		s.Options.Forbid, s.Options.Policies = nil, policies
		q, err := s.Question(t.Context())
		if err != nil {
			return err
		}
		w.in = q.Problem.Cluster.Objects()
		withPlans(r, w)
		q.Problem.Cluster = cluster.NewIndex(w.in)
		list, err := resolver.New().Approvals(t.Context(), q.Problem, q.Scopes[:1])
		plan := w.judged()
		if err != nil || len(list) > 1 || (len(list) == 1) != (plan != nil) {
			return fmt.Errorf("%d approvals, and %v is to be judged: %w", len(list), plan, err)
		}
		if about.add(map[string]bool{"nothing waits": plan == nil}); plan == nil {
			return nil
		}
		a, effects := list[0], w.effects(plan)
		refused := map[string]int{}
		for _, name := range plan.CSVs {
			for kind, reason := range map[string]string{"refused ": "refused ", "requires ": "drops "} {
				if n := effects[kind+name]; n > 0 {
					refused[reason+name] = n
					delete(effects, kind+name)
				}
			}
		}
		reasons := w.reasons(plan, effects)
		maps.Copy(reasons, refused)
		for about, n := range refused { // told once
			about = strings.Replace(about, "refused", "drops", 1)
			if effects[about] -= n; effects[about] == 0 {
				delete(effects, about)
			}
		}
		got, warned := map[string]int{}, map[string]int{}
		for _, reason := range a.Reasons {
			of := string(reason.Kind) + " " + reason.Bundle
			if got[of]++; reason.Kind == words.ApprovalDenied {
				got[of] = 1
			}
		}
		for _, warning := range a.Warnings {
			if warning.Kind != words.ApprovalPolicy {
				warned[string(warning.Kind)+" "+warning.Bundle]++
			}
		}
		approved := a.Verdict == result.VerdictApprove
		if a.InstallPlan != plan.Name || approved != (len(reasons) == 0) || fmt.Sprint(got) != fmt.Sprint(reasons) || fmt.Sprint(warned) != fmt.Sprint(effects) {
			return fmt.Errorf("%s %s for %v, warnings %v; want %s, %v, warnings %v\nit brings %v, and resolving %v\n%s\n%s",
				a.Verdict, a.InstallPlan, got, warned, plan.Name, reasons, effects, plan.CSVs, w.news(), written.Source, writeFinding(p, seed))
		}
		about.add(map[string]bool{"approved": approved, "approved with a warning": approved && len(warned) > 0, "only a rule about the plan": len(got) == 1 && got["denied "] > 0, "an older one waits, too": len(w.in.InstallPlans) > 1})
		for _, of := range []map[string]int{got, warned} {
			for name := range of {
				about.add(map[string]bool{name[:slices.Index([]byte(name), ' ')]: true})
			}
		}
		return nil
	})
	about.report(t, 4*int64(*problems))
}
