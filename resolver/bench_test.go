package resolver_test

import (
	"context"
	"testing"

	"github.com/resolvent/resolvent/resolver"
)

// BenchmarkReal resolves real requests on a real catalog, warm: as a controller
// does on every reconcile.
func BenchmarkReal(b *testing.B) {
	for _, name := range []string{"one-simple", "one-deps", "upgrade-ten", "ten-mixed", "fifty", "unsat-missing", "unsat-package"} {
		b.Run(name, func(b *testing.B) {
			view, cluster := realView(b), realCluster(b, name)
			r := resolver.New(resolver.Options{})
			b.ReportAllocs()
			for b.Loop() {
				// Failures are answers, too; TestReal checks both.
				_, _ = r.Resolve(context.Background(), "operators", cluster, view)
			}
		})
	}
}
