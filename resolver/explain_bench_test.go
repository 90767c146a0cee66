package resolver_test

import (
	"context"
	"slices"
	"testing"

	"github.com/resolvent/resolvent/resolver"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/policy"
)

// BenchmarkExplain explains real failures: core and derivation alone, with the
// search for fixes, and why an answer is not better.
func BenchmarkExplain(b *testing.B) {
	for _, name := range []string{"unsat-missing", "unsat-package", "fifty-and-unsat", "fifty-and-ten-unsat"} {
		var known *cluster.Index
		switch name {
		case "fifty-and-ten-unsat": // what each of them requires is missing, or its channel
			objects := realCluster(b, "fifty").Objects()
			objects.Subscriptions = slices.Clone(objects.Subscriptions)
			for i, pkg := range []string{"eclipse-che", "l5-operator", "shipwright-operator", "special-resource-operator", "bpfman-operator", "node-healthcheck-operator", "", "", "", ""} {
				s := objects.Subscriptions[5*i]
				s.Name, s.Channel = "failing"+s.Name, "absent"
				if pkg != "" {
					s.Package, s.Channel = pkg, ""
				}
				objects.Subscriptions = append(objects.Subscriptions, s)
			}
			known = cluster.NewIndex(objects)
		case "fifty-and-unsat":
			objects := realCluster(b, "fifty").Objects()
			objects.Subscriptions = append(slices.Clone(objects.Subscriptions), realCluster(b, "unsat-package").Objects().Subscriptions...)
			known = cluster.NewIndex(objects)
		default:
			known = realCluster(b, name)
		}
		view := realView(b)
		for mode, options := range map[string]policy.Options{"core": {NoFixes: true}, "fixes": {}} {
			b.Run(name+"/"+mode, func(b *testing.B) {
				r := resolver.New()
				b.ReportAllocs()
				for b.Loop() {
					_, _ = r.Resolve(context.Background(), resolver.Problem{Cluster: known, Catalogs: view, Options: options}, cluster.InNamespace("operators"))
				}
			})
		}
	}
	b.Run("ten-mixed/justify", func(b *testing.B) {
		view, known := realView(b), realCluster(b, "ten-mixed")
		r := resolver.New()
		for b.Loop() {
			if _, err := r.Justify(context.Background(), resolver.Problem{Cluster: known, Catalogs: view}, cluster.InNamespace("operators")); err != nil {
				b.Fatal(err)
			}
		}
	})
}
