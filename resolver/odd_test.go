package resolver_test

import (
	"context"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/resolver"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/policy"
	"github.com/resolvent/resolvent/testdata/testkit"
)

// oddTexts are what no name, version or text of Kubernetes is.
var oddTexts = map[string]string{
	"empty": "", "spaces": " \t", "lines": "a\nb\r\n- c", "no UTF-8": "a\xff\xfe", "null": "a\x00b", "slashes": "../../a/b", "at": "p@", "only at": "@1.0.0",
	"long": strings.Repeat("x", 1<<16), "number": "99999999999999999999999999.0.0", "minus": "-1.0.0", "build": "1.0.0+build.1", "v": "v1", "right to left": "\u202eevil", "percent": "%s%n%!",
}

// oddProblems change a healthy problem into an odd one, by what is odd.
func oddProblems() map[string]func(p *resolver.Problem, o *cluster.Objects) {
	odd := map[string]func(p *resolver.Problem, o *cluster.Objects){
		"nothing":       func(*resolver.Problem, *cluster.Objects) {},
		"no cluster":    func(p *resolver.Problem, o *cluster.Objects) { *o = cluster.Objects{} },
		"no catalogs":   func(p *resolver.Problem, _ *cluster.Objects) { p.Catalogs = nil },
		"an empty view": func(p *resolver.Problem, _ *cluster.Objects) { p.Catalogs = cache.NewView(nil) },
		"catalogs without anything": func(p *resolver.Problem, _ *cluster.Objects) {
			p.Catalogs = cache.NewView([]cache.Catalog{{}, {Key: catalog.Key{Namespace: "olm", Name: "c"}}, {Key: catalog.Key{Name: "c"}}, {Key: catalog.Key{Name: "c"}}})
		},
		"priorities without bounds": func(p *resolver.Problem, _ *cluster.Objects) {
			var list []cache.Catalog
			for c := range p.Catalogs.Catalogs() {
				for i, priority := range []int{math.MinInt, math.MaxInt, -1} {
					of := *c
					of.Key.Name += strings.Repeat("x", i)
					of.Priority = priority
					list = append(list, of)
				}
			}
			p.Catalogs = cache.NewView(list)
		},
		"everything twice": func(_ *resolver.Problem, o *cluster.Objects) { o.Append(*o) },
		"pointers to nothing": func(_ *resolver.Problem, o *cluster.Objects) {
			o.CSVs = append(o.CSVs, cluster.ClusterServiceVersion{Namespace: "n", Name: "x", Installation: &properties.Installation{}, Metadata: &properties.Metadata{}, Stated: &properties.Set{}})
			o.ClusterExtensions[0].Installed, o.ClusterExtensions[0].Selector, o.ClusterExtensions[0].WatchNamespace = &cluster.InstalledExtension{}, &cluster.Selector{}, new(string)
			o.OperatorConditions = append(o.OperatorConditions, cluster.OperatorCondition{Namespace: "n", Name: "p.v0", Upgradeable: &cluster.Condition{}})
			o.InstallPlans = append(o.InstallPlans, cluster.InstallPlan{Namespace: "n", Steps: []cluster.PlanStep{{}, {Definition: &properties.Definition{}, Installation: &properties.Installation{}}}})
			o.Unread = map[cluster.Scope]error{cluster.InNamespace("n"): nil, {}: nil}
			o.Definitions = append(o.Definitions, cluster.Definition{}, cluster.Definition{Name: "a", Stored: []string{"", ""}})
			o.Roles, o.RoleBindings = append(o.Roles, cluster.Role{}), append(o.RoleBindings, cluster.Binding{})
			o.CatalogSources, o.ClusterCatalogs, o.OperatorHubs = append(o.CatalogSources, cluster.CatalogSource{}), append(o.ClusterCatalogs, cluster.ClusterCatalog{}), append(o.OperatorHubs, cluster.OperatorHub{})
		},
		"what leads back to itself": func(_ *resolver.Problem, o *cluster.Objects) {
			o.CSVs[0].Replaces = o.CSVs[0].Name
			o.OperatorGroups[0].TargetNamespaces = []string{"n", "n", "", "*"}
			o.ClusterExtensions[0].MigratedFrom = "n/p"
			o.InstallPlans = append(o.InstallPlans, cluster.InstallPlan{Namespace: "n", Name: "i", CSVs: []string{"p.v0", "p.v0", ""}, Generation: math.MinInt, Phase: "RequiresApproval"})
			o.Subscriptions[0].Observed = cluster.Observed{State: "UpgradePending", CurrentCSV: "p.v0", InstallPlan: "i"}
		},
		"limits below zero": func(p *resolver.Problem, _ *cluster.Objects) {
			p.Options = policy.Options{PathBudget: -1, MaxCandidates: -1, MaxLiterals: -1, MaxConflicts: -1, MaxRuleCost: -1}
		},
		"limits of one": func(p *resolver.Problem, _ *cluster.Objects) {
			p.Options = policy.Options{PathBudget: 1, MaxCandidates: 1, MaxLiterals: 1, MaxConflicts: 1, MaxRuleCost: 1}
		},
		"limits without bounds": func(p *resolver.Problem, _ *cluster.Objects) {
			p.Options = policy.Options{PathBudget: math.MaxInt, MaxCandidates: math.MaxInt, MaxLiterals: math.MaxInt, MaxConflicts: math.MaxInt, MaxRuleCost: math.MaxInt}
		},
		"options that contradict each other": func(p *resolver.Problem, _ *cluster.Objects) {
			p.Options = policy.Options{
				BundleScope: true, NamedUpdates: true, GlobalNamespaces: []string{"", "n", "n"}, ExcludeCatalogs: []catalog.Key{{}, {Namespace: "olm", Name: "c"}}, LenientHealth: true,
				Partial: true, Jointly: true, SingleOwner: true, SameVersions: true, RejectDependencies: true, OLMv1: "unknown", AsOLMv1: true, EnforceOpenShiftLimit: true,
				Pins:     []policy.Pin{{}, {Package: "p"}, {Package: "p", Bundle: "p.v1", Version: "9.9.9"}, {Package: "p", Version: "no version"}, {Package: "p", Bundle: "p.v2"}},
				Policies: []*policy.Policy{{}, {}}, Exceptions: []policy.Exception{{}, {Bundle: "p.v1"}},
			}
		},
		"a constraint that panics": func(p *resolver.Problem, _ *cluster.Objects) {
			p.Options.SystemConstraint = func(context.Context, policy.Candidate) (bool, string) { panic("no") }
		},
		"a constraint that says too much": func(p *resolver.Problem, _ *cluster.Objects) {
			p.Options.SystemConstraint = func(context.Context, policy.Candidate) (bool, string) {
				return false, strings.Repeat("\xff\n- ", 1<<12)
			}
		},
		"a constraint that asks again": func(p *resolver.Problem, _ *cluster.Objects) {
			r, again := resolver.New(), *p
			p.Options.SystemConstraint = func(ctx context.Context, _ policy.Candidate) (bool, string) {
				_, err := r.Resolve(ctx, again, cluster.InNamespace("n"))
				return err == nil, "again"
			}
		},
		"a constraint that waits": func(p *resolver.Problem, _ *cluster.Objects) {
			p.Options.SystemConstraint = func(ctx context.Context, _ policy.Candidate) (bool, string) {
				<-ctx.Done()
				return true, ""
			}
		},
	}
	for name, text := range oddTexts {
		odd["names: "+name] = func(_ *resolver.Problem, o *cluster.Objects) {
			o.Subscriptions = append(o.Subscriptions, cluster.Subscription{Namespace: "n", Name: text, Package: text, Channel: text, Catalog: text, CatalogNamespace: text, StartingCSV: text, InstalledCSV: text, Rest: text,
				Observed: cluster.Observed{State: text, CurrentCSV: text, InstallPlan: text, Conditions: []cluster.Condition{{Type: text, Status: "True", Reason: text, Message: text}}}})
			o.CSVs = append(o.CSVs, cluster.ClusterServiceVersion{Namespace: "n", Name: text, Version: text, Created: text, Replaces: text, Phase: "Failed", Reason: text, Message: text, Provides: []properties.GVK{{Group: text, Version: text, Kind: text}},
				Requires: []properties.GVK{{Group: text, Kind: text}}, Unmet: []cluster.Requirement{{Kind: text, Name: text}}})
			o.ClusterExtensions = append(o.ClusterExtensions, cluster.ClusterExtension{Name: text, Namespace: text, Package: text, Channels: []string{text}, Version: text, WatchNamespace: &text, MigratedFrom: text, Installed: &cluster.InstalledExtension{Name: text, Version: text, Release: text, HasRelease: true}})
			o.InstallPlans = append(o.InstallPlans, cluster.InstallPlan{Namespace: "n", Name: text, CSVs: []string{text}, Phase: "RequiresApproval"})
		}
		odd["fields: "+name] = func(p *resolver.Problem, o *cluster.Objects) {
			o.Subscriptions[0].Channel, o.Subscriptions[0].StartingCSV = text, text
			o.CSVs[0].Version, o.CSVs[0].Created = text, text
			o.CSVs[0].Annotations = map[string]string{cluster.AnnotationProperties: text, text: text}
			o.ClusterExtensions[0].Version, o.ClusterExtensions[0].Channels = text, []string{text, text}
			o.ClusterExtensions[0].Selector = &cluster.Selector{MatchLabels: map[string]string{text: text}, MatchExpressions: []cluster.SelectorTerm{{Key: text, Operator: text, Values: []string{text}}}}
			o.OperatorGroups[0].TargetNamespaces, o.OperatorGroups[0].ServiceAccount = []string{text}, text
			o.OpenShiftVersion, o.KubernetesVersion, o.Date, o.OLMv1 = text, text, text, cluster.Profile(text)
			o.Labels = map[string]string{text: text}
			p.Options.Pins = []policy.Pin{{Namespace: text, Package: "p", Bundle: text, Version: text}}
		}
	}
	return odd
}

// TestOddProblems: whatever a caller passes, no question panics, takes much longer than it may, or much
// memory.
func TestOddProblems(t *testing.T) {
	odd := oddProblems()
	for i, name := range slices.Sorted(maps.Keys(odd)) {
		if !testkit.Today(i, 4) {
			continue
		}
		problem := growingProblem(t, "packages, all refused", 3)
		objects := problem.Cluster.Objects()
		odd[name](&problem.Problem, &objects)
		if problem.Cluster = cluster.NewIndex(objects); name == "nothing" {
			problem.Problem = resolver.Problem{}
		}
		for _, verb := range slices.Sorted(maps.Keys(growingVerbs)) {
			a := &asked{name + "/" + verb, verb, problem, ""}
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			memory, took := testkit.Cost(func() {
				_, err := a.ask(ctx, resolver.New())
				noPanic(t, a, err)
			})
			cancel()
			assert.Less(t, took, 2*time.Second, a.name)
			assert.Less(t, memory, uint64(500<<20), a.name)
		}
	}
}
