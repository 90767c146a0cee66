package inputs

import (
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/examples/resolvent/internal/terminal"
	"github.com/resolvent/resolvent/resolver"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/result"
)

// HintCatalogs says which catalogs the Subscriptions of scopes name that are not given, how to give
// them, and which one that none of them names has the closest name.
func HintCatalogs(stderr io.Writer, p *resolver.Problem, scopes []cluster.Scope) {
	known, subscriptions := slices.Clone(p.Options.ExcludeCatalogs), p.Cluster.Objects().Subscriptions
	var free []string
	for c := range p.Catalogs.Catalogs() {
		known = append(known, c.Key)
		if !slices.ContainsFunc(subscriptions, func(s cluster.Subscription) bool { return s.Names(c.Key) }) {
			free = append(free, c.Key.String())
		}
	}
	for _, s := range subscriptions {
		if s.Catalog == "" || slices.ContainsFunc(known, s.Names) {
			continue
		}
		if _, asked := slices.BinarySearchFunc(scopes, s.Key().Scope(), cluster.Scope.Compare); !asked {
			continue
		}
		wanted := catalog.Key{Namespace: s.CatalogNamespace, Name: s.Catalog}
		known = append(known, wanted)
		name := catalog.Key{Namespace: cmp.Or(wanted.Namespace, "NAMESPACE"), Name: wanted.Name}.String()
		near := cmp.Or(terminal.Nearest(wanted.String(), free), terminal.Nearest(wanted.Name, free))
		if near != "" {
			near = "; did you mean " + near + ", which you passed?"
		}
		terminal.Printf(stderr, "catalog %s of Subscription %s/%s is missing: pass it with --catalog %s=FROM%s\n",
			wanted, s.Namespace, s.Name, terminal.Word(name), near)
	}
}

// HintExtensions says that no catalog given serves the ClusterExtensions of scopes.
func HintExtensions(stderr io.Writer, view *cache.View, scopes []cluster.Scope) {
	given := slices.Collect(view.Catalogs())
	if slices.ContainsFunc(scopes, cluster.Scope.Alone) && len(given) > 0 && !slices.ContainsFunc(given, func(c *cache.Catalog) bool { return c.Key.Namespace == "" }) {
		terminal.Printf(stderr, "no catalog for ClusterExtensions: pass one without a namespace, as in --catalog %s=FROM\n", terminal.Word(given[0].Key.Name))
	}
}

// HintUnseen says that the first namespace of which this is true sees none of the catalogs given, though a
// Subscription there asks all that it sees.
func HintUnseen(stderr io.Writer, p *resolver.Problem, scopes []cluster.Scope) {
	var given []string
	for c := range p.Catalogs.Catalogs() {
		if c.Key.Namespace != "" {
			given = append(given, c.Key.Namespace)
		}
	}
	for _, s := range p.Cluster.Objects().Subscriptions {
		seen := p.Options.Globals()
		if !slices.Contains(seen, s.Namespace) {
			seen = append([]string{s.Namespace}, seen...)
		}
		_, asked := slices.BinarySearchFunc(scopes, s.Key().Scope(), cluster.Scope.Compare)
		if asked && s.Catalog == "" && len(given) > 0 && !slices.ContainsFunc(given, func(name string) bool { return slices.Contains(seen, name) }) {
			terminal.Printf(stderr, "namespace %s sees none of the catalogs you passed, but only those in namespaces %s; to make those in %[3]s visible everywhere, add --global-namespace %[3]s\n",
				s.Namespace, terminal.Listed(seen, "and"), given[0])
			return
		}
	}
}

// HintClusterCatalogs says which ClusterCatalogs of the cluster are not given, of those that no
// CatalogSource that is given becomes.
func HintClusterCatalogs(stderr io.Writer, p *resolver.Problem) {
	objects := p.Cluster.Objects()
	for _, c := range objects.ClusterCatalogs {
		becomes := func(given *cache.Catalog) bool {
			at := slices.IndexFunc(objects.CatalogSources, func(s cluster.CatalogSource) bool { return s.Key == given.Key })
			return at >= 0 && c.Image != "" && objects.CatalogSources[at].Image == c.Image || at < 0 && given.Key.Name == c.Name
		}
		key := catalog.Key{Name: c.Name}
		if !c.Unavailable && !slices.Contains(p.Options.ExcludeCatalogs, key) && !slices.ContainsFunc(slices.Collect(p.Catalogs.Catalogs()), becomes) {
			terminal.Printf(stderr, "ClusterCatalog %s, from which OLM v1 installs, is missing: pass it with --catalog %s=FROM\n", c.Name, terminal.Word(c.Name))
		}
	}
}

// HintNotGiven says what an answer would depend on, and no manifest of a cluster has.
func HintNotGiven(stderr io.Writer, o *cluster.Objects) {
	var kinds, unknown []string
	hint := func(kind, what string) {
		kinds, unknown = append(kinds, strings.ToLower(kind)), append(unknown, what+" (no "+kind+" given)")
		if strings.HasSuffix(kind, "RoleBindings") {
			kinds[len(kinds)-1] = strings.Join(atInstall[1:], ",")
		}
	}
	defer func() {
		if len(kinds) > 0 {
			terminal.Last(stderr, "not taken into account: %s; 'kubectl get %s -A -o yaml' prints them\n", strings.Join(unknown, ", "), strings.Join(kinds, ","))
		}
	}()
	if len(o.ClusterCatalogs) == 0 && slices.ContainsFunc(o.ClusterExtensions, func(e cluster.ClusterExtension) bool { return e.Installed != nil }) {
		hint("ClusterCatalogs", "priorities, labels and availability of catalogs")
	}
	if accounts := slices.ContainsFunc(o.OperatorGroups, func(g cluster.OperatorGroup) bool { return g.ServiceAccount != "" }); accounts && (len(o.RoleBindings) == 0 || len(o.ClusterRoleBindings) == 0) {
		kind := "RoleBindings"
		if len(o.RoleBindings) > 0 {
			kind = "ClusterRoleBindings"
		}
		hint(kind, "rights of the ServiceAccounts that OperatorGroups name")
	}
	if len(o.CSVs) == 0 {
		return // it is no cluster, but what somebody wants to apply
	}
	approves := func(c cluster.Condition) bool { return c.Reason == "RequiresApproval" }
	if len(o.InstallPlans) == 0 && slices.ContainsFunc(o.Subscriptions, func(s cluster.Subscription) bool { return slices.ContainsFunc(s.Observed.Conditions, approves) }) {
		hint("InstallPlans", "what waits for approval")
	}
	if len(o.OperatorConditions) == 0 {
		hint("OperatorConditions", "whether operators refuse updates")
	}
	if len(o.OperatorGroups) == 0 {
		hint("OperatorGroups", "install modes and APIs that namespaces share")
	}
}

// HintAtInstall says what is not known that tells what OLM would refuse at install, where something else
// asks for it, and that OLM v1 does not read an account.
func HintAtInstall(stderr io.Writer, p *resolver.Problem) {
	objects := p.Cluster.Objects()
	if len(objects.CSVs)+len(objects.ClusterExtensions) > 0 && len(objects.Definitions) == 0 && defines(p, &objects) {
		terminal.Last(stderr, "not taken into account: in which versions custom resources are stored (no CustomResourceDefinitions given); 'kubectl get customresourcedefinitions -o yaml' prints them\n")
	}
	if plan := notUnpacked(p.Cluster, &objects); plan != nil {
		terminal.Last(stderr, "not taken into account: what InstallPlan %s/%s makes, which OLM keeps in ConfigMaps; 'kubectl get configmaps -A -l olm.managed=true -o yaml' prints them\n", plan.Namespace, plan.Name)
	}
	var named []string
	for _, e := range objects.ClusterExtensions {
		var rest struct {
			ServiceAccount struct {
				Name string `json:"name"`
			} `json:"serviceAccount"`
		}
		if json.Unmarshal([]byte(e.Rest), &rest) == nil && rest.ServiceAccount.Name != "" {
			named = append(named, e.Name)
		}
	}
	if len(named) > 0 {
		terminal.Last(stderr, "no rights are judged for OLM v1: today's operator-controller ignores spec.serviceAccount (set in ClusterExtension %s) and installs with rights of its own\n", terminal.Few(named))
	}
}

// notUnpacked returns the first InstallPlan under way of which a ConfigMap was not given that something
// else asks for, nil if there is none.
func notUnpacked(known *cluster.Index, objects *cluster.Objects) *cluster.InstallPlan {
	given := map[cluster.ConfigMap]bool{{}: true}
	for _, u := range objects.Unpacked {
		given[u.ConfigMap] = true
	}
	for i := range objects.InstallPlans {
		plan := &objects.InstallPlans[i]
		asks := len(objects.Definitions) > 0 || slices.ContainsFunc(known.In(plan.Namespace).Groups, func(g cluster.OperatorGroup) bool { return g.ServiceAccount != "" })
		if asks && plan.Phase != "Complete" && slices.ContainsFunc(plan.Steps, func(s cluster.PlanStep) bool { return !given[s.In] }) {
			return plan
		}
	}
	return nil
}

// defines reports whether a bundle of a package that is asked for, or an InstallPlan, has
// CustomResourceDefinitions.
func defines(p *resolver.Problem, objects *cluster.Objects) bool {
	asked := map[string]bool{}
	for _, s := range objects.Subscriptions {
		asked[s.Package] = true
	}
	for _, e := range objects.ClusterExtensions {
		asked[e.Package] = true
	}
	for c := range p.Catalogs.Catalogs() {
		for name := range asked {
			if c.Snapshot != nil && slices.ContainsFunc(c.Snapshot.Packaged(name), func(id catalog.ID) bool {
				of := c.Snapshot.Bundle(id).Properties.Objects()
				return of != nil && len(of.Definitions) > 0
			}) {
				return true
			}
		}
	}
	return slices.ContainsFunc(objects.InstallPlans, func(plan cluster.InstallPlan) bool {
		return plan.Phase != "Complete" && slices.ContainsFunc(plan.Steps, func(s cluster.PlanStep) bool { return s.Definition != nil })
	})
}

// missing reports whether an error names what no catalog given has, and does not say itself
// which catalog may have it.
func missing(err error) bool {
	if len(result.HelpOf(err).NotGiven) > 0 {
		return false
	}
	if none, ok := errors.AsType[*result.NoPath](err); ok {
		return slices.ContainsFunc(none.Blocked, func(b result.BlockedUpdate) bool { return missing(b.Err) })
	}
	failure, ok := errors.AsType[*result.NotSatisfiable](err)
	_, unknown := errors.AsType[*result.UnknownBundle](err)
	return unknown || ok && len(failure.MissingTexts()) > 0
}

// HintMissing says which catalogs of the cluster are not given, where one of them may have
// what is missing.
func HintMissing(stderr io.Writer, p *resolver.Problem, outcomes []result.Outcome) {
	given := func(key catalog.Key) bool {
		return p.Catalogs.Catalog(key) != nil || slices.Contains(p.Options.ExcludeCatalogs, key)
	}
	left := declared(p.Cluster.Objects(), nil, func(key catalog.Key) bool { return !given(key) })
	for _, o := range outcomes {
		visible := func(c CatalogFlag) bool {
			return c.Key.Namespace == o.Scope.Namespace() || !o.Scope.Alone() && slices.Contains(p.Options.Globals(), c.Key.Namespace)
		}
		// Many requests can fail as one, with texts for each of them: they are asked last.
		if !slices.ContainsFunc(left, visible) || !missing(o.Err) {
			continue
		}
		left = slices.DeleteFunc(left, func(c CatalogFlag) bool {
			if visible(c) {
				terminal.Printf(stderr, "catalog %s of the cluster may have what is missing: pass it with --catalog %s=FROM\n", c.Key, terminal.Word(c.Key.String()))
			}
			return visible(c)
		})
	}
}
