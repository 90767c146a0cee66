package migrations

import (
	"fmt"

	"github.com/resolvent/resolvent/examples/resolvent/internal/report"
)

// Behind what a check is about stands whether it can be acknowledged.
const (
	hard = "; must pass"
	soft = "; can be acknowledged"
)

// checks say when each check of OLM's own tool, and the one of this program, fails.
var checks = []report.Term{
	{Word: "C1", Meaning: "its OperatorGroup limits it to some namespaces, but with OLM v1 it watches all" + soft},
	{Word: "C1a", Meaning: "the installed version does not support watching all namespaces" + hard},
	{Word: "C2", Meaning: "the installed version requires a package or an API, but OLM v1 does not resolve dependencies" + hard},
	{Word: "C3", Meaning: "the installed version owns API services, which OLM v1 does not create yet" + hard},
	{Word: "C4", Meaning: "its OperatorCondition is set, but OLM v1 does not read it" + soft},
	{Word: "C5", Meaning: "it has permissions for objects of OLM v0, but none for OLM v1" + soft},
	{Word: "C6", Meaning: "its OperatorGroup installs with a ServiceAccount, but OLM v1 with all permissions" + soft},
	{Word: "C7", Meaning: "no available ClusterCatalog has its package with the installed version and its channel" + hard},
	{Word: "C8", Meaning: "OLM v0 has not finished: its ClusterServiceVersion has not succeeded with reason InstallSucceeded, or its Subscription is neither at the latest version nor waiting for an update" + soft},
	{Word: "C9", Meaning: "OLM v0 installed it as a dependency of another operator" + hard},
	{Word: "C10", Meaning: "its CatalogSource is missing, or has no image for a ClusterCatalog" + hard},
	{Word: "U1", Meaning: "something else in the cluster asks for its package, but OLM v1 installs an operator only once" + hard},
	{Word: "G1", Meaning: "its namespace has no OperatorGroup" + hard},
	{Word: "V1", Meaning: "OLM v1 would refuse the next version, for a reason that no other check covers (this program's own check)" + hard},
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
	{Word: "conflict", Meaning: "it has moved, but its Subscription still exists"},
	{Word: "ineligible", Meaning: "a check fails and was not acknowledged"},
	{Word: "migrated", Meaning: "a ClusterExtension states that it came from a Subscription"},
	{Word: "eligible", Meaning: "it can move"},
}

// States says what the states mean, a line each.
func States() (text string) {
	for _, t := range stateTerms {
		text += fmt.Sprintf("\n  %-10s  %s", t.Word, t.Meaning)
	}
	return text
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
