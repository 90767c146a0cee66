package resolver_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/resolver"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/result"
)

// Of package app, version 1.1.0 requires a database that no catalog has.
const harborCatalog = `
{"schema":"olm.package","name":"app","defaultChannel":"stable"}
{"schema":"olm.channel","package":"app","name":"stable","entries":[{"name":"app.v1"},{"name":"app.v2","replaces":"app.v1"}]}
{"schema":"olm.bundle","package":"app","name":"app.v1","image":"i/app1","properties":[
 {"type":"olm.package","value":{"packageName":"app","version":"1.0.0"}}]}
{"schema":"olm.bundle","package":"app","name":"app.v2","image":"i/app2","properties":[
 {"type":"olm.package","value":{"packageName":"app","version":"1.1.0"}},
 {"type":"olm.package.required","value":{"packageName":"database","versionRange":">=1.0.0"}}]}
`

// A controller keeps one Resolver, and asks it about the objects and catalogs that it
// knows at the time. Here it makes the first change that helps itself, if that is safe.
func Example() {
	ctx := context.Background()
	snapshot, err := cache.Parse(ctx, []byte(harborCatalog), cache.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	known := cluster.NewIndex(cluster.Objects{
		Subscriptions: []cluster.Subscription{
			{Namespace: "harbor", Name: "app", Package: "app", Channel: "stable", StartingCSV: "app.v2"},
			{Namespace: "pier", Name: "app", Package: "app", Channel: "stable", StartingCSV: "app.v2"},
			{Namespace: "shore", Name: "data", Package: "database"},
		},
		ClusterExtensions: []cluster.ClusterExtension{{Name: "app", Namespace: "apps", Package: "app", Version: "1.0.x"}},
	})
	problem := resolver.Problem{Cluster: known, Catalogs: cache.NewView([]cache.Catalog{
		{Key: cache.Key{Namespace: "olm", Name: "harbor"}, Snapshot: snapshot}, // for Subscriptions
		{Key: cache.Key{Name: "harbor"}, Snapshot: snapshot},                   // for ClusterExtensions
	})}
	r := resolver.New()

	for _, o := range r.ResolveAll(ctx, problem, known.Scopes()) {
		if unsatisfied, ok := errors.AsType[*result.NotSatisfiable](o.Err); ok {
			fmt.Println(unsatisfied.Explanation.Text())
			if len(unsatisfied.Fixes) > 0 && unsatisfied.Fixes[0].Safe() { // else somebody must decide
				fix := &unsatisfied.Fixes[0]
				fmt.Println("instead:", fix.Text(unsatisfied.Home))
				after, err := fix.Apply(problem.Cluster) // with the fixes before it
				if err != nil {
					fmt.Println(err)
					continue
				}
				problem.Cluster = after
			}
			continue
		}
		if o.Err != nil {
			fmt.Printf("%s: %v\n", o.Scope, o.Err)
			continue
		}
		for _, step := range o.Resolution.Operations() {
			fmt.Printf("%s: %s\n", o.Scope, step)
		}
	}

	rows, err := r.Status(ctx, problem, known.Scopes(), nil)
	if err != nil {
		fmt.Println(err)
	}
	for _, row := range rows {
		fmt.Printf("%s, %s: %s\n", row.Request.Scope(), row.Request, row.State)
	}
	// Output:
	// Subscription app cannot be satisfied in namespace harbor:
	// catalog olm/harbor has no package database; required by app.v2
	// instead: remove spec.startingCSV from Subscription app: installs app 1.0.0; warning: updates from app.v1 then do not reach the head app.v2
	// Subscription app cannot be satisfied in namespace pier:
	// catalog olm/harbor has no package database; required by app.v2
	// instead: remove spec.startingCSV from Subscription app: installs app 1.0.0; warning: updates from app.v1 then do not reach the head app.v2
	// Subscription data (package database) cannot be satisfied in namespace shore:
	// catalog olm/harbor has no package database
	// ClusterExtension app: install app.v1 from harbor, channel stable
	// ClusterExtension app, ClusterExtension app: notInstalled
	// namespace harbor, Subscription app: notInstalled
	// namespace pier, Subscription app: notInstalled
	// namespace shore, Subscription data: failed
}
