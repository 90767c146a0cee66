package resolver_test

import (
	"fmt"
	"strings"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/resolver/cluster"
)

// growing is a problem that grows: the text of its catalog, the number of further catalogs with the same
// content, and the objects of its cluster.
type growing struct {
	catalog strings.Builder
	copies  int
	cluster.Objects
}

// channel adds a channel of a package, of which each entry is JSON.
func (g *growing) channel(pkg, name string, entries ...string) {
	fmt.Fprintf(&g.catalog, `{"schema":"olm.channel","package":%q,"name":%q,"entries":[%s]}`+"\n", pkg, name, strings.Join(entries, ","))
}

// bundle adds a bundle PACKAGE.vI of version 1.0.I, with further properties as JSON.
func (g *growing) bundle(pkg string, i int, more ...string) {
	fmt.Fprintf(&g.catalog, `{"schema":"olm.bundle","package":%q,"name":"%[1]s.v%[2]d","image":"i","properties":[%s]}`+"\n", pkg, i,
		strings.Join(append([]string{fmt.Sprintf(`{"type":"olm.package","value":{"packageName":%q,"version":"1.0.%d"}}`, pkg, i)}, more...), ","))
}

// pkg adds a package with the channel c of versions 0 to last; the head has further properties.
func (g *growing) pkg(name string, last int, more ...string) {
	g.begin(name)
	entries := []string{}
	for i := range last + 1 {
		entries = append(entries, entry(name, i))
		if i < last {
			g.bundle(name, i)
		}
	}
	g.channel(name, "c", entries...)
	g.bundle(name, last, more...)
}

func (g *growing) begin(pkg string) {
	fmt.Fprintf(&g.catalog, `{"schema":"olm.package","name":%q,"defaultChannel":"c"}`+"\n", pkg)
}

// subscribe adds a Subscription of the namespace n, named for its package, and what it has installed.
func (g *growing) subscribe(namespace, pkg, installed string) {
	g.Subscriptions = append(g.Subscriptions, cluster.Subscription{Namespace: namespace, Name: pkg, Package: pkg, Channel: "c", Catalog: "c", CatalogNamespace: "olm", InstalledCSV: installed})
	if installed != "" {
		g.csv(namespace, installed)
	}
}

func (g *growing) csv(namespace, name string) *cluster.ClusterServiceVersion {
	g.CSVs = append(g.CSVs, cluster.ClusterServiceVersion{Namespace: namespace, Name: name, Version: "1.0.0", Phase: "Succeeded"})
	return &g.CSVs[len(g.CSVs)-1]
}

// entry replaces the one before.
func entry(pkg string, i int) string {
	if i == 0 {
		return fmt.Sprintf(`{"name":"%s.v0"}`, pkg)
	}
	return fmt.Sprintf(`{"name":"%s.v%d","replaces":"%[1]s.v%[3]d"}`, pkg, i, i-1)
}

func property(kind, value string, args ...any) string {
	return fmt.Sprintf(`{"type":%q,"value":%s}`, kind, fmt.Sprintf(value, args...))
}

func providing(i int) string {
	return property("olm.gvk", `{"group":"g.io","version":"v1","kind":"K%d"}`, i)
}

func requiringAPI(i int) string {
	return property("olm.gvk.required", `{"group":"g.io","version":"v1","kind":"K%d"}`, i)
}

func needing(pkg string) string {
	return property("olm.package.required", `{"packageName":%q,"versionRange":">=0.0.1"}`, pkg)
}

func apiOf(i int) properties.GVK {
	return properties.GVK{Group: "g.io", Version: "v1", Kind: fmt.Sprint("K", i)}
}

// each returns of(i) for i below n.
func each[T any](n int, of func(i int) T) []T {
	list := make([]T, n)
	for i := range list {
		list[i] = of(i)
	}
	return list
}

func badConditions(n int) []cluster.Condition {
	return each(n, func(i int) cluster.Condition {
		return cluster.Condition{Type: fmt.Sprint("Type", i), Status: "False", Reason: "Reason", Message: "message"}
	})
}

func q(i int) string { return fmt.Sprint("q", i) }

// root is the whole number below the square root of n: a clique of so many packages has n edges.
func root(n int) int {
	k := 1
	for (k+1)*(k+1) <= n {
		k++
	}
	return k
}

// growingTenants have, by what grows, objects beside a small healthy namespace n with the Subscription
// and the ClusterExtension of package p, whose catalog has two newer versions.
var growingTenants = map[string]func(g *growing, n int){
	"Subscriptions of one package": func(g *growing, n int) {
		for i := range n {
			g.Subscriptions = append(g.Subscriptions, cluster.Subscription{Namespace: "n", Name: q(i), Package: "p", Channel: "c", Catalog: "c", CatalogNamespace: "olm"})
		}
	},
	"Subscriptions of unknown packages": func(g *growing, n int) {
		for i := range n {
			g.subscribe("n", q(i), "")
		}
	},
	"Subscriptions that wait for nothing": func(g *growing, n int) {
		for i := range n {
			g.subscribe("n", q(i), "")
			g.Subscriptions[len(g.Subscriptions)-1].Observed = cluster.Observed{State: "UpgradePending", CurrentCSV: q(i), InstallPlan: q(i)}
		}
	},
	"Subscriptions that share a bundle": func(g *growing, n int) {
		for i := range n {
			g.Subscriptions = append(g.Subscriptions, cluster.Subscription{Namespace: "n", Name: q(i), Package: "p", Channel: "c", Catalog: "c", CatalogNamespace: "olm", InstalledCSV: "p.v0"})
		}
	},
	"ClusterServiceVersions": func(g *growing, n int) {
		for i := range n {
			g.csv("n", q(i)).Provides = []properties.GVK{apiOf(i)}
		}
	},
	"ClusterServiceVersions of one API": func(g *growing, n int) {
		for i := range n {
			g.csv("n", q(i)).Provides = []properties.GVK{apiOf(0)}
		}
	},
	"ClusterServiceVersions in a ring": func(g *growing, n int) {
		for i := range n {
			c := g.csv("n", q(i))
			c.Provides, c.Requires = []properties.GVK{apiOf(i)}, []properties.GVK{apiOf((i + 1) % n)}
		}
	},
	"ClusterServiceVersions that miss an API": func(g *growing, n int) {
		for i := range n {
			g.csv("n", q(i)).Requires = []properties.GVK{apiOf(i)}
		}
	},
	"ClusterServiceVersions that replace each other": func(g *growing, n int) {
		for i := range n {
			c := g.csv("n", q(i))
			c.Replaces, c.Phase = q(i-1), "Replacing"
		}
	},
	"ClusterServiceVersions that failed": func(g *growing, n int) {
		for i := range n {
			c := g.csv("n", q(i))
			c.Phase, c.Reason, c.Message = "Failed", "InstallCheckFailed", "why"
		}
	},
	"copied ClusterServiceVersions": func(g *growing, n int) {
		for i := range n {
			g.csv(q(i), "p.v0").Labels = map[string]string{cluster.LabelCopiedFrom: "n"}
		}
	},
	"failed bundles with a Subscription": func(g *growing, n int) {
		for i := range n {
			g.subscribe("n", q(i), q(i)+".v0")
			c := &g.CSVs[len(g.CSVs)-1]
			c.Phase, c.Reason, c.Message = "Failed", "InstallCheckFailed", "why"
			g.pkg(q(i), 1)
		}
	},
	"unmet requirements": func(g *growing, n int) {
		c := g.csv("n", "x")
		c.Phase = "Pending"
		c.Unmet = each(n, func(i int) cluster.Requirement {
			return cluster.Requirement{Group: "g.io", Version: "v1", Kind: "CustomResourceDefinition", Name: q(i), Status: "NotPresent"}
		})
	},
	"OperatorGroups of a namespace": func(g *growing, n int) {
		for i := range n {
			g.OperatorGroups = append(g.OperatorGroups, cluster.OperatorGroup{Namespace: "n", Name: q(i)})
		}
	},
	"OperatorGroups that watch all": func(g *growing, n int) {
		for i := range n {
			g.OperatorGroups = append(g.OperatorGroups, cluster.OperatorGroup{Namespace: q(i), Name: "g"})
			g.csv(q(i), q(i)).Provides = []properties.GVK{apiOf(i)}
		}
	},
	"OperatorGroups that target two namespaces": func(g *growing, n int) {
		for i := range n {
			g.OperatorGroups = append(g.OperatorGroups, cluster.OperatorGroup{Namespace: q(i), Name: "g", TargetNamespaces: []string{q(i), q(i + 1)}})
			g.csv(q(i), q(i)).Provides = []properties.GVK{apiOf(i)}
		}
	},
	"OperatorGroups that select": func(g *growing, n int) {
		for i := range n {
			g.Namespaces = append(g.Namespaces, cluster.Namespace{Name: q(i), Labels: map[string]string{"l": q(i)}})
			g.OperatorGroups = append(g.OperatorGroups, cluster.OperatorGroup{Namespace: q(i), Name: "g", Selector: &cluster.Selector{MatchLabels: map[string]string{"l": q(i)}}})
		}
	},
	"targets": func(g *growing, n int) {
		g.OperatorGroups = append(g.OperatorGroups, cluster.OperatorGroup{Namespace: "other", Name: "g", TargetNamespaces: each(n, q), StatusNamespaces: each(n, q), HasStatus: true})
	},
	"conditions of an OperatorGroup": func(g *growing, n int) {
		g.OperatorGroups = append(g.OperatorGroups, cluster.OperatorGroup{Namespace: "other", Name: "g", Conditions: badConditions(n)})
	},
	"namespaces": func(g *growing, n int) {
		for i := range n {
			g.OperatorGroups = append(g.OperatorGroups, cluster.OperatorGroup{Namespace: q(i), Name: "g", TargetNamespaces: []string{q(i)}})
			g.subscribe(q(i), "p", "p.v0")
		}
	},
	"namespaces that watch all": func(g *growing, n int) {
		for i := range n {
			g.OperatorGroups = append(g.OperatorGroups, cluster.OperatorGroup{Namespace: q(i), Name: "g"})
			g.pkg(q(i), 1, providing(i))
			g.subscribe(q(i), q(i), q(i)+".v0")
		}
	},
	"InstallPlans that wait": func(g *growing, n int) {
		for i := range n {
			g.InstallPlans = append(g.InstallPlans, cluster.InstallPlan{Namespace: "n", Name: q(i), CSVs: []string{"p.v1"}, Phase: "RequiresApproval", Generation: i})
		}
	},
	"InstallPlans that failed": func(g *growing, n int) {
		for i := range n {
			g.InstallPlans = append(g.InstallPlans, cluster.InstallPlan{Namespace: "n", Name: q(i), CSVs: []string{"p.v1"}, Phase: "Failed", Message: "why", Generation: 1})
		}
	},
	"InstallPlans of many": func(g *growing, n int) {
		for i := range n {
			g.pkg(q(i), 1)
			g.subscribe("n", q(i), q(i)+".v0")
			g.Subscriptions[len(g.Subscriptions)-1].Observed = cluster.Observed{State: "UpgradePending", CurrentCSV: q(i) + ".v1", InstallPlan: q(i)}
			g.InstallPlans = append(g.InstallPlans, cluster.InstallPlan{Namespace: "n", Name: q(i), CSVs: []string{q(i) + ".v1"}, Phase: "RequiresApproval", Generation: i})
		}
	},
	"names in an InstallPlan": func(g *growing, n int) {
		g.InstallPlans = append(g.InstallPlans, cluster.InstallPlan{Namespace: "n", Name: "i", CSVs: append(each(n, q), "p.v1"), Phase: "RequiresApproval"})
	},
	"steps of an InstallPlan": func(g *growing, n int) {
		g.InstallPlans = append(g.InstallPlans, cluster.InstallPlan{Namespace: "n", Name: "i", CSVs: []string{"p.v1"}, Phase: "Installing", Steps: each(n, func(i int) cluster.PlanStep {
			return cluster.PlanStep{CSV: "p.v1", Kind: "CustomResourceDefinition", Name: q(i), Definition: definition(i, 2)}
		})})
		for i := range n {
			g.Definitions = append(g.Definitions, cluster.Definition{Name: definition(i, 1).Name(), Definition: *definition(i, 1), Stored: []string{"v9"}})
		}
	},
	"steps in ConfigMaps": func(g *growing, n int) {
		g.InstallPlans = append(g.InstallPlans, cluster.InstallPlan{Namespace: "n", Name: "i", CSVs: []string{"p.v1"}, Phase: "Installing", Steps: each(n, func(i int) cluster.PlanStep {
			return cluster.PlanStep{CSV: "p.v1", Kind: "CustomResourceDefinition", Name: q(i), In: cluster.ConfigMap{Namespace: "olm", Name: "m"}}
		})})
		g.Unpacked = append(g.Unpacked, cluster.Unpacked{ConfigMap: cluster.ConfigMap{Namespace: "olm", Name: "m"}, Steps: each(n, func(i int) cluster.PlanStep {
			return cluster.PlanStep{Kind: "CustomResourceDefinition", Name: q(i), Definition: definition(i, 2)}
		})})
	},
	"conditions of an InstallPlan": func(g *growing, n int) {
		g.InstallPlans = append(g.InstallPlans, cluster.InstallPlan{Namespace: "n", Name: "i", CSVs: []string{"p.v1"}, Phase: "Failed", Message: "why", Conditions: badConditions(n)})
	},
	"CatalogSources": func(g *growing, n int) {
		for i := range n {
			g.CatalogSources = append(g.CatalogSources, cluster.CatalogSource{Key: catalog.Key{Namespace: "olm", Name: q(i)}, Image: "i", State: "TRANSIENT_FAILURE", HasStatus: true})
		}
	},
	"conditions of a CatalogSource": func(g *growing, n int) {
		g.CatalogSources = append(g.CatalogSources, cluster.CatalogSource{Key: catalog.Key{Namespace: "olm", Name: "c"}, Image: "i", Conditions: badConditions(n)})
	},
	"ClusterCatalogs": func(g *growing, n int) {
		for i := range n {
			g.ClusterCatalogs = append(g.ClusterCatalogs, cluster.ClusterCatalog{Name: q(i), Image: "i", NotServing: true})
		}
	},
	"ClusterExtensions of one package": func(g *growing, n int) {
		for i := range n {
			g.ClusterExtensions = append(g.ClusterExtensions, cluster.ClusterExtension{Name: q(i), Namespace: "n", Package: "p"})
		}
	},
	"ClusterExtensions of unknown packages": func(g *growing, n int) {
		for i := range n {
			g.ClusterExtensions = append(g.ClusterExtensions, cluster.ClusterExtension{Name: q(i), Namespace: "n", Package: q(i)})
		}
	},
	"ClusterExtensions of one API": func(g *growing, n int) {
		for i := range n {
			g.pkg(q(i), 0, providing(0))
			g.ClusterExtensions = append(g.ClusterExtensions, cluster.ClusterExtension{Name: q(i), Namespace: "n", Package: q(i)})
		}
	},
	"channels of a ClusterExtension": func(g *growing, n int) {
		g.ClusterExtensions[0].Channels = append(each(n, q), "c")
	},
	"conditions of a ClusterExtension": func(g *growing, n int) {
		g.ClusterExtensions[0].Conditions = badConditions(n)
	},
	"expressions of a selector": func(g *growing, n int) {
		labels := map[string]string{}
		for i := range n {
			labels[q(i)] = "v"
		}
		g.ClusterExtensions[0].Selector = &cluster.Selector{MatchLabels: labels}
	},
	"conditions of a Subscription": func(g *growing, n int) {
		g.subscribe("n", "x", "")
		g.Subscriptions[len(g.Subscriptions)-1].Observed.Conditions = badConditions(n)
	},
	"OperatorConditions": func(g *growing, n int) {
		for i := range n {
			g.OperatorConditions = append(g.OperatorConditions, cluster.OperatorCondition{Namespace: "n", Name: q(i), Upgradeable: &badConditions(1)[0]})
		}
	},
	"conditions of an OperatorCondition": func(g *growing, n int) {
		list := badConditions(n)
		list[0].Type = "Upgradeable"
		g.OperatorConditions = append(g.OperatorConditions, cluster.OperatorCondition{Namespace: "n", Name: "p.v0", Upgradeable: &list[0], Overrides: list, Status: list})
	},
	"owned and required APIs": func(g *growing, n int) {
		c := g.csv("n", "x")
		c.Provides, c.Requires = each(n, apiOf), each(n, func(i int) properties.GVK { return apiOf(n + i) })
	},
	"CustomResourceDefinitions": func(g *growing, n int) {
		for i := range n {
			g.Definitions = append(g.Definitions, cluster.Definition{Name: definition(i, 1).Name(), Definition: *definition(i, 1), Stored: []string{"v0", "v9"}})
		}
	},
	"stored versions": func(g *growing, n int) {
		d := definition(0, n)
		g.Definitions = append(g.Definitions, cluster.Definition{Name: d.Name(), Definition: *d, Stored: each(n, func(i int) string { return fmt.Sprint("v", 2*i) })})
		g.csv("n", "x").Provides = []properties.GVK{apiOf(0)}
	},
	"rights": func(g *growing, n int) {
		g.OperatorGroups[0].ServiceAccount = "a"
		g.ServiceAccounts = append(g.ServiceAccounts, cluster.ServiceAccount{Namespace: "n", Name: "a"})
		for i := range n {
			g.ServiceAccounts = append(g.ServiceAccounts, cluster.ServiceAccount{Namespace: "n", Name: q(i)})
			g.Roles = append(g.Roles, cluster.Role{Namespace: "n", Name: q(i), Rules: []cluster.Right{{APIGroups: []string{q(i)}, Resources: []string{"r"}, Verbs: []string{"get"}}}})
			g.RoleBindings = append(g.RoleBindings, cluster.Binding{Namespace: "n", Name: q(i), Role: properties.RoleRef{Kind: "Role", Name: q(i)}, Subjects: []cluster.Subject{{Kind: "ServiceAccount", Name: "a"}}})
		}
		g.InstallPlans = append(g.InstallPlans, cluster.InstallPlan{Namespace: "n", Name: "i", CSVs: []string{"p.v1"}, Phase: "Installing", Steps: each(n, func(i int) cluster.PlanStep {
			return cluster.PlanStep{CSV: "p.v1", Kind: "Role", Name: q(i), Rights: []cluster.Right{{APIGroups: []string{q(i)}, Resources: []string{"r"}, Verbs: []string{"list"}}}}
		})})
	},
	"rules of a role": func(g *growing, n int) {
		g.OperatorGroups[0].ServiceAccount = "a"
		g.ServiceAccounts = append(g.ServiceAccounts, cluster.ServiceAccount{Namespace: "n", Name: "a"})
		g.Roles = append(g.Roles, cluster.Role{Namespace: "n", Name: "r", Rules: each(n, func(i int) cluster.Right {
			return cluster.Right{APIGroups: []string{q(i)}, Resources: []string{"r"}, Verbs: []string{"get"}}
		})})
		g.RoleBindings = append(g.RoleBindings, cluster.Binding{Namespace: "n", Name: "b", Role: properties.RoleRef{Kind: "Role", Name: "r"}, Subjects: append(each(n, func(i int) cluster.Subject { return cluster.Subject{Kind: "User", Name: q(i)} }), cluster.Subject{Kind: "ServiceAccount", Name: "a"})})
		g.InstallPlans = append(g.InstallPlans, cluster.InstallPlan{Namespace: "n", Name: "i", CSVs: []string{"p.v1"}, Phase: "Installing", Steps: []cluster.PlanStep{{CSV: "p.v1", Kind: "Role", Name: "x", Rights: each(n, func(i int) cluster.Right {
			return cluster.Right{APIGroups: []string{q(i)}, Resources: []string{"r"}, Verbs: []string{"list"}}
		})}}})
	},
	"labels of a Namespace": func(g *growing, n int) {
		labels := map[string]string{}
		for i := range n {
			labels[q(i)] = "v"
		}
		g.Namespaces = append(g.Namespaces, cluster.Namespace{Name: "n", Labels: labels})
		g.OperatorGroups = append(g.OperatorGroups, cluster.OperatorGroup{Namespace: "other", Name: "g", Selector: &cluster.Selector{MatchLabels: labels}})
	},
}

// definition is that of the kind of API i, with the versions v0 to vN-1.
func definition(i, n int) *properties.Definition {
	return &properties.Definition{Group: "g.io", Names: properties.DefinitionNames{Kind: fmt.Sprint("K", i), Plural: fmt.Sprintf("k%ds", i)}, Scope: "Namespaced",
		Versions: each(n, func(i int) properties.DefinedVersion {
			return properties.DefinedVersion{Name: fmt.Sprint("v", i), Served: true, Storage: i == 0}
		})}
}

// growingPublishers have, by what grows, the package p with its bundles, of which p.v0 is installed.
var growingPublishers = map[string]func(g *growing, n int){
	"packages, all wanted": func(g *growing, n int) {
		g.pkg("p", 1)
		for i := range n {
			g.pkg(q(i), 1)
			g.subscribe("n", q(i), q(i)+".v0")
		}
	},
	"packages, all refused": func(g *growing, n int) {
		g.pkg("p", 1)
		for i := range n {
			g.pkg(q(i), 1, requiringAPI(i))
			g.subscribe("n", q(i), q(i)+".v0")
		}
	},
	"packages, all refused and new": func(g *growing, n int) {
		g.pkg("p", 1)
		for i := range n {
			g.pkg(q(i), 0, requiringAPI(i))
			g.subscribe("n", q(i), "")
		}
	},
	"packages, each of which provides one API": func(g *growing, n int) {
		g.pkg("p", 1)
		for i := range n {
			g.pkg(q(i), 0, providing(0))
			g.subscribe("n", q(i), "")
		}
	},
	"pairs of packages that provide one API": func(g *growing, n int) {
		g.pkg("p", 1)
		for i := range n {
			g.pkg(q(i), 0, providing(i/2))
			g.subscribe("n", q(i), "")
		}
	},
	"catalogs": func(g *growing, n int) {
		g.copies = n
		g.pkg("p", 1, requiringAPI(0))
	},
	"a chain": func(g *growing, n int) {
		g.pkg("p", 1, needing(q(0)))
		for i := range n - 1 {
			g.pkg(q(i), 0, needing(q(i+1)))
		}
		g.pkg(q(n-1), 0)
	},
	"a chain to nothing": func(g *growing, n int) {
		g.pkg("p", 1, needing(q(0)))
		for i := range n {
			g.pkg(q(i), 0, needing(q(i+1)))
		}
	},
	"a cycle": func(g *growing, n int) {
		g.pkg("p", 1, needing(q(0)))
		for i := range n {
			g.pkg(q(i), 0, needing(q((i+1)%n)))
		}
	},
	"a cycle, all wanted": func(g *growing, n int) {
		g.pkg("p", 1)
		for i := range n {
			g.pkg(q(i), 1, needing(q((i+1)%n)))
			g.subscribe("n", q(i), q(i)+".v0")
		}
	},
	"a clique": func(g *growing, n int) {
		k := root(n)
		g.pkg("p", 1, each(k, func(i int) string { return needing(q(i)) })...)
		for i := range k {
			g.pkg(q(i), 0, each(k, func(j int) string { return needing(q(j)) })...)
		}
	},
	"a star of required": func(g *growing, n int) {
		g.pkg("p", 1, each(n, func(i int) string { return needing(q(i)) })...)
		for i := range n {
			g.pkg(q(i), 0)
		}
	},
	"a star of missing": func(g *growing, n int) {
		g.pkg("p", 1, each(n, func(i int) string { return needing(q(i)) })...)
	},
	"a star of dependents": func(g *growing, n int) {
		g.pkg("p", 1)
		for i := range n {
			g.pkg(q(i), 0, needing("p"))
			g.subscribe("n", q(i), "")
		}
	},
	"dependents that hold back": func(g *growing, n int) {
		g.pkg("p", 1)
		for i := range n {
			g.begin(q(i))
			g.bundle(q(i), 0, property("olm.package.required", `{"packageName":"p","versionRange":"<1.0.1"}`))
			g.channel(q(i), "c", entry(q(i), 0))
			g.subscribe("n", q(i), q(i)+".v0")
			g.CSVs[len(g.CSVs)-1].Annotations = map[string]string{cluster.AnnotationProperties: `{"properties":[` + property("olm.package.required", `{"packageName":"p","versionRange":"<1.0.1"}`) + `]}`}
		}
	},
	"diamonds": func(g *growing, n int) {
		g.pkg("p", 1, needing("a0"), needing("b0"))
		for i := range n / 2 {
			for _, side := range "ab" {
				g.pkg(fmt.Sprintf("%c%d", side, i), 0, each(min(2, 2*(n/2-1-i)), func(k int) string { return needing(fmt.Sprintf("%c%d", 'a'+k, i+1)) })...)
			}
		}
	},
	"diamonds to nothing": func(g *growing, n int) {
		g.pkg("p", 1, needing("a0"))
		for i := range n / 2 {
			for _, side := range "ab" {
				g.pkg(fmt.Sprintf("%c%d", side, i), 0, property("olm.constraint", `{"any":{"constraints":[{"package":{"packageName":"a%d","versionRange":">0.0.1"}},{"package":{"packageName":"b%d","versionRange":">0.0.1"}}]}}`, i+1, i+1))
			}
		}
	},
	"channels": func(g *growing, n int) {
		g.pkg("p", 1)
		for i := range n {
			g.channel("p", q(i), entry("p", 0), entry("p", 1))
		}
	},
	"channels, each of its bundle": func(g *growing, n int) {
		g.pkg("p", 1)
		for i := range n {
			g.bundle("p", i+2)
			g.channel("p", q(i), fmt.Sprintf(`{"name":"p.v%d","skipRange":"<1.0.%d"}`, i+2, i+2))
		}
	},
	"entries":                               func(g *growing, n int) { g.pkg("p", n) },
	"entries, of which the head is refused": func(g *growing, n int) { g.pkg("p", n, requiringAPI(0)) },
	"entries, all refused": func(g *growing, n int) {
		g.begin("p")
		g.bundle("p", 0)
		for i := range n {
			g.bundle("p", i+1, requiringAPI(i))
		}
		g.channel("p", "c", each(n+1, func(i int) string {
			return fmt.Sprintf(`{"name":"p.v%d","skipRange":"<1.0.%d"}`, i, i)
		})...)
	},
	"entries of a requirement, all refused": func(g *growing, n int) {
		g.pkg("p", 1, needing("q"))
		g.begin("q")
		for i := range n {
			g.bundle("q", i, requiringAPI(i))
		}
		g.channel("q", "c", each(n, func(i int) string { return entry("q", i) })...)
	},
	"skips": func(g *growing, n int) {
		g.begin("p")
		for i := range n {
			g.bundle("p", i)
		}
		list := each(n-1, func(i int) string { return fmt.Sprintf("%q", fmt.Sprint("p.v", i)) })
		g.channel("p", "c", append(each(n-1, func(i int) string { return fmt.Sprintf(`{"name":"p.v%d"}`, i) }), fmt.Sprintf(`{"name":"p.v%d","skips":[%s]}`, n-1, strings.Join(list, ",")))...)
	},
	"virtual skips": func(g *growing, n int) {
		g.begin("p")
		g.bundle("p", 0)
		g.bundle("p", 1)
		list := each(n, func(i int) string { return fmt.Sprintf("%q", fmt.Sprint("x.v", i)) })
		g.channel("p", "c", entry("p", 0), fmt.Sprintf(`{"name":"p.v1","replaces":"p.v0","skips":[%s]}`, strings.Join(list, ",")))
	},
	"ranges that skip all": func(g *growing, n int) {
		g.begin("p")
		for i := range n {
			g.bundle("p", i)
		}
		g.channel("p", "c", each(n, func(i int) string {
			return fmt.Sprintf(`{"name":"p.v%d","replaces":"p.v%d","skipRange":"<1.0.%d"}`, i, i-1, i)
		})...)
	},
	"a ring of entries": func(g *growing, n int) {
		g.begin("p")
		for i := range n {
			g.bundle("p", i)
		}
		g.channel("p", "c", each(n, func(i int) string {
			return fmt.Sprintf(`{"name":"p.v%d","replaces":"p.v%d"}`, i, (i+n-1)%n)
		})...)
	},
	"providers of an API": func(g *growing, n int) {
		g.pkg("p", 1, requiringAPI(0))
		for i := range n {
			g.pkg(q(i), 0, providing(0))
		}
	},
	"providers of an API, all refused": func(g *growing, n int) {
		g.pkg("p", 1, requiringAPI(0))
		for i := range n {
			g.pkg(q(i), 0, providing(0), requiringAPI(i+1))
		}
	},
	"providers of APIs in a chain": func(g *growing, n int) {
		g.pkg("p", 1, requiringAPI(0))
		for i := range n {
			g.pkg(q(i), 0, providing(i), requiringAPI(i+1))
		}
	},
	"properties": func(g *growing, n int) {
		g.pkg("p", 1, each(n, func(i int) string { return property(q(i), `{"a":%d}`, i) })...)
	},
	"labels": func(g *growing, n int) {
		g.pkg("p", 1, each(n, func(i int) string { return property("olm.label", `{"label":"l%d"}`, i) })...)
	},
	"provided APIs": func(g *growing, n int) { g.pkg("p", 1, each(n, providing)...) },
	"missing APIs":  func(g *growing, n int) { g.pkg("p", 1, each(n, requiringAPI)...) },
	"APIs of two rivals": func(g *growing, n int) {
		g.pkg("p", 1, each(n, providing)...)
		g.pkg("r", 0, each(n, providing)...)
		g.subscribe("n", "r", "")
	},
	"constraints": func(g *growing, n int) {
		g.pkg("p", 1, each(n, func(i int) string {
			return property("olm.constraint", `{"failureMessage":"m%d","package":{"packageName":"p","versionRange":">=0.0.%d"}}`, i, i)
		})...)
	},
	"constraints in one": func(g *growing, n int) {
		g.pkg("p", 1, property("olm.constraint", `{"all":{"constraints":[%s]}}`, strings.Join(each(min(n, 900), func(i int) string { return fmt.Sprintf(`{"gvk":{"group":"g","version":"v","kind":"K%d"}}`, i) }), ",")))
	},
	"alternatives": func(g *growing, n int) {
		g.pkg("p", 1, property("olm.constraint", `{"any":{"constraints":[%s]}}`, strings.Join(each(min(n, 900), func(i int) string { return fmt.Sprintf(`{"package":{"packageName":"q%d","versionRange":">0.0.1"}}`, i) }), ",")))
		for i := range n {
			g.pkg(q(i), 0, requiringAPI(i))
		}
	},
	"forbidden packages": func(g *growing, n int) {
		g.pkg("p", 1, property("olm.constraint", `{"not":{"constraints":[%s]}}`, strings.Join(each(min(n, 900), func(i int) string { return fmt.Sprintf(`{"package":{"packageName":"q%d","versionRange":">0.0.1"}}`, i) }), ",")))
		for i := range n {
			g.pkg(q(i), 0)
			g.subscribe("n", q(i), "")
		}
	},
	"rules": func(g *growing, n int) {
		g.pkg("p", 1, each(n, func(i int) string {
			return property("olm.constraint", `{"failureMessage":"m","cel":{"rule":"properties.exists(p, p.type == 'olm.package' && p.value.packageName == 'q%d')"}}`, i)
		})...)
	},
	"deprecations": func(g *growing, n int) {
		g.pkg("p", n)
		fmt.Fprintf(&g.catalog, `{"schema":"olm.deprecations","package":"p","entries":[%s]}`, strings.Join(each(n, func(i int) string {
			return fmt.Sprintf(`{"reference":{"schema":"olm.bundle","name":"p.v%d"},"message":"m"}`, i+1)
		}), ","))
	},
	"versions for one OpenShift": func(g *growing, n int) {
		g.begin("p")
		for i := range n {
			g.bundle("p", i, property("olm.maxOpenShiftVersion", `"4.%d"`, 14+i/2))
		}
		g.channel("p", "c", each(n, func(i int) string { return entry("p", i) })...)
	},
	"packages that must move": func(g *growing, n int) {
		g.pkg("p", 1)
		for i := range n {
			g.begin(q(i))
			for k := range 3 {
				g.bundle(q(i), k, property("olm.maxOpenShiftVersion", `"4.%d"`, 14+k))
			}
			g.channel(q(i), "c", entry(q(i), 0), entry(q(i), 1), entry(q(i), 2))
			g.subscribe("n", q(i), q(i)+".v0")
		}
	},
	"rights of a bundle": func(g *growing, n int) {
		rules := strings.Join(each(n, func(i int) string { return fmt.Sprintf(`{"apiGroups":["q%d"],"resources":["r"],"verbs":["get"]}`, i) }), ",")
		g.pkg("p", 1, property("olm.bundle.object", `{"data":%q}`, base64Of(`{"apiVersion":"operators.coreos.com/v1alpha1","kind":"ClusterServiceVersion","metadata":{"name":"p.v1"},"spec":{"install":{"strategy":"deployment","spec":{"clusterPermissions":[{"serviceAccountName":"a","rules":[`+rules+`]}]}}}}`)))
	},
	"definitions of a bundle": func(g *growing, n int) {
		more := each(n, func(i int) string {
			return property("olm.bundle.object", `{"data":%q}`, base64Of(fmt.Sprintf(`{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"k%ds.g.io"},"spec":{"group":"g.io","names":{"kind":"K%d","plural":"k%ds"},"scope":"Namespaced","versions":[{"name":"v2","served":true,"storage":true}]}}`, i, i, i)))
		})
		g.pkg("p", 1, more...)
		for i := range n {
			g.Definitions = append(g.Definitions, cluster.Definition{Name: definition(i, 1).Name(), Definition: *definition(i, 1), Stored: []string{"v0"}})
		}
	},
}
