package resolver_test

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/resolvent/resolvent/resolver"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/manifest"
	"github.com/resolvent/resolvent/resolver/result"
)

// The steps of a fix are carried out in their order. Those that set fields of one object are one
// patch of it, for an API server or for kubectl patch --type merge.
func ExampleFix() {
	ctx := context.Background()
	known := cluster.NewIndex(cluster.Objects{Subscriptions: []cluster.Subscription{
		{Namespace: "harbor", Name: "lighthouse", Package: "lighthouse", Channel: "sable", StartingCSV: "lighthouse.v1.9.9", Catalog: "coast", CatalogNamespace: "olm"},
	}})
	_, err := resolver.New().Resolve(ctx, resolver.Problem{Cluster: known, Catalogs: exampleCatalogs()}, cluster.InNamespace("harbor"))
	steps := result.HelpOf(err).Fixes[0].Steps()
	for n := 0; len(steps) > 0; steps = steps[n:] {
		object, patch := steps[0].Object, map[string]any{}
		for n = 0; n < len(steps) && steps[n].Object == object && steps[n].Field != ""; n++ {
			steps[n].Merge(patch)
		}
		switch {
		case n > 0:
			text, err := json.Marshal(patch)
			if err != nil {
				panic(err)
			}
			fmt.Printf("patch %s/%s in namespace %s with %s\n", object.Resource(), object.Name, object.Namespace, text)
		case steps[0].Create != nil:
			text, err := manifest.Write(ctx, *steps[0].Create)
			if err != nil {
				panic(err)
			}
			fmt.Printf("create %s", text)
			n = 1
		default:
			fmt.Printf("delete %s/%s in namespace %s\n", object.Resource(), object.Name, object.Namespace)
			n = 1
		}
	}
	// Output:
	// patch subscriptions.operators.coreos.com/lighthouse in namespace harbor with {"spec":{"channel":"stable","startingCSV":null}}
}

// Results are what the command line writes with -o json, from encoding/json and from any other encoder.
func ExampleOutcome() {
	known := cluster.NewIndex(cluster.Objects{Subscriptions: []cluster.Subscription{{Namespace: "harbor", Name: "signals", Package: "foghorn", Channel: "stable"}}})
	problem := resolver.Problem{Cluster: known, Catalogs: exampleCatalogs()}
	text, err := json.Marshal(resolver.New().ResolveAll(context.Background(), problem, known.Scopes()))
	if err != nil {
		panic(err)
	}
	fmt.Printf("%s\n", text)
	// Output:
	// [{"namespace":"harbor","result":"resolved","installs":[{"bundle":"foghorn.v2.1.0","package":"foghorn","catalog":"coast","catalogNamespace":"olm","version":"2.1.0","channel":"stable","image":"registry.example/coast/foghorn:v2.1.0","replaces":"foghorn.v1.3.0","for":[{"subscription":"signals"}],"place":0}],"kept":[],"replaced":[],"warnings":[],"approval":"Automatic","unneeded":[],"leftOut":[]}]
}
