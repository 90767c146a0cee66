package migrations

import "github.com/resolvent/resolvent/examples/resolvent/internal/report"

// Behind what a check is about stands whether it can be acknowledged.
const (
	hard = "; has to pass"
	soft = "; can be acknowledged"
)

// checks say when each check of OLM's own tool, and the one of this program, fails.
var checks = []report.Term{
	{Word: "C1", Meaning: "its OperatorGroup lets it watch some namespaces only, and with OLM v1 it watches all" + soft},
	{Word: "C1a", Meaning: "what is installed does not support to watch all namespaces" + hard},
	{Word: "C2", Meaning: "what is installed requires a package or an API, and OLM v1 resolves no dependencies" + hard},
	{Word: "C3", Meaning: "what is installed owns API services, which OLM v1 does not create yet" + hard},
	{Word: "C4", Meaning: "its OperatorCondition states something, and OLM v1 does not read it" + soft},
	{Word: "C5", Meaning: "it is permitted to use objects of OLM v0, and none of OLM v1" + soft},
	{Word: "C6", Meaning: "its OperatorGroup installs with a ServiceAccount, and OLM v1 with all permissions" + soft},
	{Word: "C7", Meaning: "no ClusterCatalog that is served has its package with the installed version and its channel" + hard},
	{Word: "C8", Meaning: "OLM v0 is not done with it: its ClusterServiceVersion has not succeeded with reason InstallSucceeded, or its Subscription is neither at the latest version nor about to be updated" + soft},
	{Word: "C9", Meaning: "nobody asked for it: OLM v0 installed it as a dependency of another operator" + hard},
	{Word: "C10", Meaning: "its CatalogSource is missing, or has no image of which a ClusterCatalog can be made" + hard},
	{Word: "U1", Meaning: "something else in the cluster asks for its package, and OLM v1 installs an operator once" + hard},
	{Word: "G1", Meaning: "its namespace has no OperatorGroup" + hard},
	{Word: "V1", Meaning: "OLM v1 would refuse what it would install next, for a reason that no other check has: this program's own check" + hard},
}

// needs say what checks judge by. The others judge by Subscriptions alone.
var needs = []struct {
	what   string
	checks []string
}{
	{"OperatorGroups", []string{"C1", "C6", "G1"}},
	{"ClusterServiceVersions as they are in the cluster", []string{"C1a", "C2", "C3", "C5", "C8"}},
	{"OperatorConditions", []string{"C4"}},
	{"CatalogSources", []string{"C10"}},
	{"catalogs that Subscriptions name", []string{"C7", "V1"}},
}

// stateTerms say what the states of operators mean.
var stateTerms = []report.Term{
	{Word: "conflict", Meaning: "it has moved, and its Subscription is still there"},
	{Word: "ineligible", Meaning: "a check fails that nobody acknowledged"},
	{Word: "migrated", Meaning: "a ClusterExtension says that it came from a Subscription"},
	{Word: "eligible", Meaning: "it can move"},
}

// meaning is when a check fails.
func meaning(id string) string {
	for _, c := range checks {
		if c.Word == id {
			return c.Meaning
		}
	}
	return ""
}
