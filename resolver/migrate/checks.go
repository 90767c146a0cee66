package migrate

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/request"
	"github.com/resolvent/resolvent/resolver/internal/words"
	"github.com/resolvent/resolvent/resolver/result"
)

type check struct {
	// flag is the flag of OLM's tool that acknowledges the check. A hard check has none.
	id, flag string
	judge    func(o *operator) (Result, string)
	// help returns changes that make the check pass. means is what acknowledging it means.
	help  func(o *operator) []Change
	means string
}

var checks []check

func init() { // notRefused refers to other checks
	checks = []check{
		{"C1", "--acknowledge-watch-scope-change", watchScope, watchAll, "it may watch all namespaces"},
		{"C1a", "", allNamespaces, laterVersion, ""},
		{"C2", "", noDependencies, laterVersion, ""},
		{"C3", "", noAPIServices, laterVersion, ""},
		{"C4", "--acknowledge-operator-condition", noConditions, nil, "OLM v1 may update it whatever it states"},
		{"C5", "--acknowledge-olmv0-api-access", noAccessToOLM, nil, "it does without objects of OLM v0"},
		{"C6", "--acknowledge-scoped-serviceaccount", noServiceAccount, nil, "OLM v1 may install it with all permissions"},
		{"C7", "", packageInCatalog, otherCatalog, ""},
		{"C8", "--acknowledge-not-steady-state", steady, waitSteady, "OLM v1 may take it over as it is"},
		{"C9", "", requested, keepRequest, ""},
		{"C10", "", sourceCanGo, givenImage, ""},
		{"U1", "", alone, keepOne, ""},
		{"G1", "", hasGroup, createGroup, ""},
		{"V1", "", notRefused, withoutRefusal, ""},
	}
}

// verdict returns Passes, or Fails with the message.
func verdict(fails bool, format string, args ...any) (Result, string) {
	if !fails {
		return Passes, ""
	}
	return Fails, fmt.Sprintf(format, args...)
}

func notJudged(what string) (Result, string) { return NotJudged, what + " is not among the input" }

func watchScope(o *operator) (Result, string) {
	if o.group == nil {
		return notJudged("an OperatorGroup of namespace " + o.sub.Namespace)
	}
	if selector := o.group.Selector; selector != nil && len(selector.MatchLabels)+len(selector.MatchExpressions) > 0 {
		return verdict(true, "OperatorGroup %s selects the namespaces that it watches, and with OLM v1 it watches all", o.group.Name)
	}
	return verdict(len(o.group.TargetNamespaces) > 0, "OperatorGroup %s lets it watch %s only, and with OLM v1 it watches all namespaces",
		o.group.Name, strings.Join(o.group.TargetNamespaces, ", "))
}

func allNamespaces(o *operator) (Result, string) {
	m := o.metadata()
	if !m.StatesModes() {
		return notJudged("what install modes it supports")
	}
	return verdict(!m.Supports(properties.AllNamespaces), "%s supports %s, not AllNamespaces", o.sub.InstalledCSV, m.SupportedText())
}

func noDependencies(o *operator) (Result, string) {
	requires := o.states.Constraints
	switch {
	case o.csv == nil && o.bundle != nil:
		requires = o.bundle.Constraints
	case o.csv == nil, o.states.Err != nil:
		return notJudged("what the installed bundle requires")
	}
	var list []string
	for _, c := range requires {
		if c.Type == properties.TypePackageRequired || c.Type == properties.TypeGVKRequired {
			list = append(list, c.Expr.String())
		}
	}
	return verdict(len(list) > 0, "%s requires %s, and OLM v1 resolves no dependencies", o.sub.InstalledCSV, strings.Join(list, " and "))
}

func noAPIServices(o *operator) (Result, string) {
	m := o.metadata()
	if o.csv == nil && m == nil {
		return notJudged("the installed ClusterServiceVersion")
	}
	return verdict(len(m.APIServices()) > 0, "%s owns API services, which OLM v1 does not create yet", o.sub.InstalledCSV)
}

func noConditions(o *operator) (Result, string) {
	i := slices.IndexFunc(o.in.Conditions, func(c cluster.OperatorCondition) bool { return o.csv != nil && c.Name == o.csv.Name })
	if i < 0 {
		return notJudged("its OperatorCondition")
	}
	list := words.Mapped(o.in.Conditions[i].Status, func(c cluster.Condition) string { return c.Type + " " + c.Status })
	return verdict(len(list) > 0, "OperatorCondition %s states %s, and OLM v1 does not read it", o.in.Conditions[i].Name, strings.Join(list, ", "))
}

// apisOfV0 are the resources through which operators use OLM v0.
var apisOfV0 = []string{"subscriptions", "installplans", "clusterserviceversions", "catalogsources"}

func noAccessToOLM(o *operator) (Result, string) {
	if o.csv == nil || o.csv.Installation == nil {
		return notJudged("what it is permitted to do")
	}
	var reached []string
	for _, r := range o.csv.Installation.RightsOn(words.GroupV0, words.GroupV1) {
		if slices.ContainsFunc([]string{"clusterextensions", "clustercatalogs"}, func(api string) bool { return r.Permits(words.GroupV1, api) }) {
			return Passes, ""
		}
		for _, api := range apisOfV0 {
			if r.Permits(words.GroupV0, api) && !slices.Contains(reached, api) {
				reached = append(reached, api)
			}
		}
	}
	return verdict(len(reached) > 0, "%s is permitted to use %s of OLM v0, and nothing of OLM v1", o.csv.Name, strings.Join(reached, ", "))
}

func noServiceAccount(o *operator) (Result, string) {
	if o.group == nil {
		return notJudged("an OperatorGroup of namespace " + o.sub.Namespace)
	}
	return verdict(o.group.ServiceAccount != "", "OperatorGroup %s installs with ServiceAccount %s, and OLM v1 with all permissions", o.group.Name, o.group.ServiceAccount)
}

func packageInCatalog(o *operator) (Result, string) {
	verdict, message, _ := o.inCatalogs()
	return verdict, message
}

// inCatalogs judges whether one ClusterCatalog that is served has the package, with the
// installed version and the channel that the Subscription asks for, and what helps if not.
func (o *operator) inCatalogs() (outcome Result, message string, help Change) {
	outcome = NotJudged
	for c := range o.view.Catalogs() {
		if c.Key.Namespace != "" || c.Snapshot == nil {
			continue
		}
		pkg := c.Snapshot.Package(o.sub.Package)
		if pkg == nil {
			if outcome == NotJudged {
				outcome, message, help = Fails, "no ClusterCatalog has package "+o.sub.Package, Change{Others: true, Text: "a ClusterCatalog that has package " + o.sub.Package}
			}
			continue
		}
		object := &result.Object{Kind: words.ObjectClusterCatalog, Name: c.Key.Name}
		has := fmt.Sprintf("ClusterCatalog %s has package %s, ", c.Key.Name, pkg.Name)
		clusterCatalog := o.problem.Cluster.ClusterCatalog(c.Key.Name)
		outcome = Fails
		switch {
		case clusterCatalog != nil && clusterCatalog.Unavailable:
			message = has + "and is Unavailable"
			help = Change{Object: object, Field: "spec.availabilityMode", Text: "set spec.availabilityMode of ClusterCatalog " + c.Key.Name + " to Available"}
		case clusterCatalog != nil && clusterCatalog.NotServing:
			message = has + "and its condition Serving is not True"
			help = Change{Object: object, Text: "wait until ClusterCatalog " + c.Key.Name + " is Serving, or fix what its conditions name"}
		case o.csv != nil && !o.hasVersion(c.Snapshot, pkg):
			message = has + "but not the installed version " + o.version()
			help = Change{Text: "update it with OLM v0 to a version that ClusterCatalog " + c.Key.Name + " has, and judge again"}
		case o.sub.Channel != "" && pkg.Channel(o.sub.Channel) == nil:
			message = has + "but no channel " + o.sub.Channel
			help = Change{Object: o.object(), Field: "spec.channel",
				Text: fmt.Sprintf("set spec.channel of Subscription %s to a channel that ClusterCatalog %s has", o.sub.Name, c.Key.Name)}
		case o.source.assumed && c.Key.Name == o.source.name:
			return Passes, fmt.Sprintf("judged by CatalogSource %s, which becomes ClusterCatalog %s", o.source.key, o.source.name), help
		default:
			return Passes, "", help
		}
	}
	if outcome == NotJudged {
		_, message = notJudged("the content of any catalog")
	}
	return outcome, message, help
}

func (o *operator) hasVersion(s *catalog.Snapshot, pkg *catalog.Package) bool {
	version := o.version()
	return slices.ContainsFunc(pkg.Bundles, func(id catalog.ID) bool { return s.Bundle(id).Version.String() == version })
}

// installSucceeded is the reason of a ClusterServiceVersion with which OLM v0 is done. OLM's code
// and documents call it by the name of the constant, which manifests written by hand may have.
const (
	installSucceeded  = "InstallSucceeded"
	installSuccessful = "InstallSuccessful"
)

func steady(o *operator) (Result, string) {
	state := o.sub.Observed.State
	switch {
	case o.csv == nil && o.sub.InstalledCSV != "":
		return notJudged("ClusterServiceVersion " + o.sub.InstalledCSV + ", which it has installed,")
	case o.csv == nil:
		return verdict(true, "nothing is installed for it")
	case o.csv.Phase == "":
		return notJudged("the phase of its ClusterServiceVersion")
	case o.csv.Phase != "Succeeded":
		return verdict(true, "ClusterServiceVersion %s is %s, not Succeeded", o.csv.Name, o.csv.Phase)
	case !slices.Contains([]string{"", installSucceeded, installSuccessful}, o.csv.Reason):
		return verdict(true, "ClusterServiceVersion %s is Succeeded with reason %s, not %s", o.csv.Name, o.csv.Reason, installSucceeded)
	case state == "":
		return notJudged("the state of the Subscription")
	}
	return verdict(state != "AtLatestKnown" && state != "UpgradePending", "its state is %s, neither AtLatestKnown nor UpgradePending", state)
}

// alone judges whether anything else asks for the package, anywhere in the cluster.
func alone(o *operator) (Result, string) {
	names := words.Mapped(o.samePackage(), func(name string) string {
		if !strings.Contains(name, "/") {
			return words.ObjectExtension + " " + name
		}
		return name
	})
	return verdict(len(names) > 0, "%s also %s for package %s, and OLM v1 installs an operator once, for all namespaces",
		words.Listed(names, 4), words.Verb(len(names), "asks", "ask"), o.sub.Package)
}

func hasGroup(o *operator) (Result, string) {
	if o.group == nil && !o.problem.Cluster.HasGroups() {
		return notJudged("an OperatorGroup of namespace " + o.sub.Namespace)
	}
	return verdict(o.group == nil, "namespace %s has no OperatorGroup", o.sub.Namespace)
}

func requested(o *operator) (Result, string) {
	return verdict(o.sub.Generated, "OLM v0 installed it as a dependency of another operator")
}

func sourceCanGo(o *operator) (Result, string) {
	if len(o.problem.Cluster.ClusterScoped().CatalogSources) == 0 {
		return notJudged("any CatalogSource")
	}
	s, message := o.stays()
	return verdict(s != nil, "%s", message)
}

// stays returns a catalog of the operator that cannot become a ClusterCatalog, and why; nil
// if there is none. It also looks at the catalog of the InstallPlan's bundle lookup.
func (o *operator) stays() (*movedCatalog, string) {
	used := []*movedCatalog{o.source}
	for _, p := range o.in.InstallPlans {
		if k, ok := p.From[o.sub.InstalledCSV]; ok {
			used = append(used, cmp.Or(o.sources[k], &movedCatalog{key: k}))
		}
	}
	for _, s := range used {
		switch {
		case s.object == nil && s == o.source:
			return s, fmt.Sprintf("its CatalogSource %s does not exist", s.key)
		case s.object == nil:
			return s, fmt.Sprintf("CatalogSource %s, which it was installed from, does not exist", s.key)
		case s.fault != "":
			return s, fmt.Sprintf("CatalogSource %s %s", s.key, s.fault)
		}
	}
	return nil, ""
}

// covers has, by kind of refusal, the check that covers it.
var covers = map[result.ReasonKind]func(o *operator) (Result, string){
	words.KindDependency: noDependencies, words.KindWatchNamespace: allNamespaces, words.KindAPIService: noAPIServices,
}

// losesConfig reports whether the Subscription has a spec.config that OLM v1 does not take
// over.
func (o *operator) losesConfig() bool {
	return o.extension.Rest == "" && deploymentConfig(o.sub.Rest) != ""
}

// refused returns why OLM v1 would refuse the installed bundle, which it takes over, or the one
// that it would install next, where no other check says so.
func (o *operator) refused() (messages []string) {
	var list []result.Reason
	if o.csv != nil && o.states.Err == nil {
		list = request.Refusals(o.profile(), &o.extension, o.csv.Name, o.states.Properties, o.states.Constraints)
	}
	list = append(list, o.refusals...)
	for _, r := range list {
		covered, _ := covers[r.Kind()](o)
		if message := r.Message(); covered != Fails && !slices.Contains(messages, message) {
			messages = append(messages, message)
		}
	}
	return messages
}

// notRefused judges what OLM v1 would install, and whether it takes the configuration over.
func notRefused(o *operator) (Result, string) {
	messages := o.refused()
	if o.losesConfig() {
		messages = append(messages, fmt.Sprintf("spec.config of Subscription %s, which sets its deployment, has no place in a ClusterExtension: feature gate %s of OLM v1 is off",
			o.sub.Name, request.GateDeploymentConfig))
	}
	if (o.csv == nil || o.states.Err != nil) && !o.chooses && len(messages) == 0 {
		return notJudged("a bundle to install")
	}
	return verdict(len(messages) > 0, "%s", strings.Join(messages, "; "))
}
