package resolver_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/resolver"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/policy"
)

// tenRules are of the sorts that people write. None denies what the catalog needs.
const tenRules = `
apiVersion: resolvent/v1
kind: Policy
metadata: {name: ten}
candidates:
- {name: patches, deny: 'has(installed.version) && (major(bundle.version) != major(installed.version) || minor(bundle.version) != minor(installed.version))'}
- {name: downgrade, deny: 'has(installed.version) && semver_compare(bundle.version, installed.version) < 0'}
- {name: recalled, deny: 'bundle.name in ["etcd.v1.2.0", "etcd.v1.2.1"]'}
- {name: supported, deny: 'has(bundle.supportEnds) && bundle.supportEnds < cluster.today'}
- {name: old-enough, deny: 'has(bundle.createdAt) && days(bundle.createdAt, cluster.today) < 14'}
- {name: sandbox, deny: 'bundle.catalog.name == "other" && !namespace.name.startsWith("sandbox-")'}
- {name: previews, severity: warn, deny: 'bundle.channels.size() > 0 && bundle.channels.all(c, c.contains("alpha"))'}
- {name: modes, severity: warn, deny: 'properties.exists(p, p.type == "olm.csv.metadata" && has(p.value.installModes) && !p.value.installModes.exists(m, m.type == "AllNamespaces" && m.supported))'}
- {name: kafka, match: {packages: ["*kafka*"]}, deny: 'major(bundle.version) > 99'}
changes:
- {name: nothing-goes, deny: 'changes.exists(c, c.kind in ["remove", "downgrade"])'}
`

// BenchmarkPolicy resolves every package of a real catalog without a policy, and under ten
// rules, warm: that takes some 1.4 times as long. "First" is the first call of a Resolver,
// which judges each bundle that it reaches.
func BenchmarkPolicy(b *testing.B) {
	written, err := policy.Parse([]byte(tenRules))
	require.NoError(b, err)
	objects := everythingThatFits(b).Objects()
	objects.Date = "2026-11-26"
	known, view := cluster.NewIndex(objects), realView(b)
	for name, policies := range map[string][]*policy.Policy{"without": nil, "ten": {written}} {
		p := resolver.Problem{Cluster: known, Catalogs: view, Options: policy.Options{Policies: policies}}
		resolve := func(b *testing.B, r *resolver.Resolver) {
			_, err := r.Resolve(context.Background(), p, cluster.InNamespace("operators"))
			require.NoError(b, err)
		}
		b.Run(name, func(b *testing.B) {
			r := resolver.New()
			resolve(b, r)
			b.ReportAllocs()
			for b.Loop() {
				resolve(b, r)
			}
		})
		b.Run("first/"+name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				resolve(b, resolver.New())
			}
		})
	}
}

// BenchmarkPolicyNamespaces resolves 5,000 namespaces under one policy, which is compiled once.
func BenchmarkPolicyNamespaces(b *testing.B) {
	written, err := policy.Parse([]byte(tenRules))
	require.NoError(b, err)
	objects := cluster.Objects{Date: "2026-11-26"}
	var scopes []cluster.Scope
	for _, s := range realCluster(b, "one-simple").Objects().Subscriptions {
		for i := range 5000 {
			s.Namespace = fmt.Sprintf("n%d", i)
			objects.Subscriptions = append(objects.Subscriptions, s)
			if len(scopes) < 5000 {
				scopes = append(scopes, cluster.InNamespace(s.Namespace))
			}
		}
	}
	known, view := cluster.NewIndex(objects), realView(b)
	for name, policies := range map[string][]*policy.Policy{"without": nil, "ten": {written}} {
		b.Run(name, func(b *testing.B) {
			r := resolver.New()
			p := resolver.Problem{Cluster: known, Catalogs: view, Options: policy.Options{Policies: policies}}
			b.ReportAllocs()
			for b.Loop() {
				for _, o := range r.ResolveAll(context.Background(), p, scopes) {
					require.NoError(b, o.Err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(scopes)), "ns/namespace")
		})
	}
}

// BenchmarkPolicyParse compiles ten rules.
func BenchmarkPolicyParse(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		_, err := policy.Parse([]byte(strings.TrimSpace(tenRules)))
		require.NoError(b, err)
	}
}
