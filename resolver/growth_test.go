package resolver_test

import (
	"context"
	"encoding/base64"
	"maps"
	"math"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver"
	"github.com/resolvent/resolvent/resolver/check"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/lock"
	"github.com/resolvent/resolvent/resolver/migrate"
	"github.com/resolvent/resolvent/resolver/mirror"
	"github.com/resolvent/resolvent/resolver/policy"
	"github.com/resolvent/resolvent/resolver/scenario"
	"github.com/resolvent/resolvent/testdata/testkit"
)

func base64Of(text string) string { return base64.StdEncoding.EncodeToString([]byte(text)) }

var (
	growthNamespace = cluster.InNamespace("n")
	growthRequest   = cluster.RequestKey{Kind: cluster.KindSubscription, Namespace: "n", Name: "p"}
)

// growingVerbs are the questions about a problem, each with what shows its answer.
var growingVerbs = map[string]func(ctx context.Context, r *resolver.Resolver, p grown) (any, error){
	"resolve": func(ctx context.Context, r *resolver.Resolver, p grown) (any, error) {
		return r.Resolve(ctx, p.Problem, growthNamespace)
	},
	"partial": func(ctx context.Context, r *resolver.Resolver, p grown) (any, error) {
		p.Options.Partial = true
		return r.Resolve(ctx, p.Problem, growthNamespace)
	},
	"extension": func(ctx context.Context, r *resolver.Resolver, p grown) (any, error) {
		return r.Resolve(ctx, p.Problem, cluster.OfExtension("e"))
	},
	"all": func(ctx context.Context, r *resolver.Resolver, p grown) (any, error) {
		return r.ResolveAll(ctx, p.Problem, p.scopes()), nil
	},
	"jointly": func(ctx context.Context, r *resolver.Resolver, p grown) (any, error) {
		p.Options.Jointly, p.Options.SingleOwner = true, true
		return r.ResolveAll(ctx, p.Problem, p.scopes()), nil
	},
	"status": func(ctx context.Context, r *resolver.Resolver, p grown) (any, error) {
		return r.Status(ctx, p.Problem, p.scopes(), nil)
	},
	"target": func(ctx context.Context, r *resolver.Resolver, p grown) (any, error) {
		return r.Status(ctx, p.Problem, p.scopes(), &resolver.Target{OpenShiftVersion: "4.16"})
	},
	"approvals": func(ctx context.Context, r *resolver.Resolver, p grown) (any, error) {
		return r.Approvals(ctx, p.Problem, p.scopes())
	},
	"justify": func(ctx context.Context, r *resolver.Resolver, p grown) (any, error) {
		return r.Justify(ctx, p.Problem, growthNamespace)
	},
	"whynot": func(ctx context.Context, r *resolver.Resolver, p grown) (any, error) {
		return r.WhyNot(ctx, p.Problem, growthNamespace, "p.v1")
	},
	"path": func(ctx context.Context, r *resolver.Resolver, p grown) (any, error) {
		return r.Path(ctx, p.Problem, growthRequest, "")
	},
	"lifts": func(ctx context.Context, r *resolver.Resolver, p grown) (any, error) {
		return r.Lifts(ctx, p.Problem, growthNamespace)
	},
	"lock": func(ctx context.Context, r *resolver.Resolver, p grown) (any, error) {
		made, err := lock.Make(ctx, []lock.Cluster{{Problem: p.Problem}}, lock.Options{Resolver: r})
		return made, err
	},
	"migrate": func(ctx context.Context, r *resolver.Resolver, p grown) (any, error) {
		return migrate.Judge(ctx, r, p.Problem)
	},
	"survey": func(ctx context.Context, _ *resolver.Resolver, p grown) (any, error) {
		return migrate.Survey(ctx, p.Catalogs, "")
	},
	"mirror": func(ctx context.Context, _ *resolver.Resolver, p grown) (any, error) {
		return mirror.Find(ctx, p.Problem, p.scopes(), mirror.Options{})
	},
	"check": func(ctx context.Context, _ *resolver.Resolver, p grown) (any, error) {
		return check.Run(ctx, []check.Catalog{{Key: catalog.Key{Namespace: "olm", Name: "c"}, Checked: p.checked}}, check.Options{Cluster: p.Cluster})
	},
	"record": func(ctx context.Context, _ *resolver.Resolver, p grown) (any, error) {
		return (&scenario.Question{Problem: p.Problem, Scopes: []cluster.Scope{growthNamespace}}).Record(ctx)
	},
}

// grown is a problem with its catalog as package check reads it.
type grown struct {
	checked *cache.Checked
	resolver.Problem
}

// scopes are all of the problem.
func (g grown) scopes() []cluster.Scope {
	if g.Cluster == nil {
		return []cluster.Scope{growthNamespace, cluster.OfExtension("e")}
	}
	return g.Cluster.Scopes()
}

// growingShapes are the names of all that grows.
func growingShapes() []string {
	return slices.Concat(slices.Sorted(maps.Keys(growingTenants)), slices.Sorted(maps.Keys(growingPublishers)))
}

// growingProblem is the problem of a shape and a size.
func growingProblem(t testing.TB, shape string, n int) grown {
	var g growing
	g.OpenShiftVersion, g.KubernetesVersion = "4.14.0", "1.27.0"
	g.OperatorGroups = []cluster.OperatorGroup{{Namespace: "n", Name: "g", TargetNamespaces: []string{"n"}}}
	g.ClusterExtensions = []cluster.ClusterExtension{{Name: "e", Namespace: "n", Package: "p"}}
	g.subscribe("n", "p", "p.v0")
	if grow := growingTenants[shape]; grow != nil {
		g.pkg("p", 2)
		grow(&g, n)
	} else {
		growingPublishers[shape](&g, n)
	}
	checked, err := cache.ParseChecked(t.Context(), "c.json", []byte(g.catalog.String()), cache.Options{})
	require.NoError(t, err)
	snapshot := checked.Snapshot
	list := []cache.Catalog{{Key: catalog.Key{Namespace: "olm", Name: "c"}, Snapshot: snapshot}, {Key: catalog.Key{Name: "c"}, Snapshot: snapshot}}
	for i := range g.copies {
		list = append(list, cache.Catalog{Key: catalog.Key{Namespace: "olm", Name: q(i)}, Snapshot: snapshot})
	}
	return grown{checked, resolver.Problem{Cluster: cluster.NewIndex(g.Objects), Catalogs: cache.NewView(list), Options: policy.Options{PathBudget: 5000}}}
}

// growthOf are the exponents that are allowed beyond linear, by what grows, by the question, or by
// both; "" is that of all others.
var growthOf = map[string]float64{
	"": 1.35,
	// It resolves for each Subscription the cluster in which its operator alone has moved.
	"migrate": 2.1,
	// It shows for each bundle the chain that leads to it.
	"justify": 2.1,
	// It shows for each bundle the chain that leads to what is missing, and seeks each of many that are
	// missing by itself.
	"check": 2.1,
	// A path is searched over all edges, and there may be one from each bundle to each other. Each of its
	// steps is resolved; so are those on the way of a lock or a mirror.
	"path": 2.1, "ranges that skip all": 2.1, "entries/mirror": 1.7, "deprecations/mirror": 1.7, "versions for one OpenShift/mirror": 1.7,
	"channels, each of its bundle": 2.1,
	// Changes are tried one at a time, up to a number that small sizes do not reach, each on the whole.
	"diamonds to nothing": 1.8, "a chain to nothing": 1.8, "providers of APIs in a chain": 1.8, "providers of an API, all refused": 1.8, "alternatives": 1.8,
	"entries, all refused": 1.8, "entries of a requirement, all refused": 1.8, "entries, of which the head is refused": 1.8,
	"dependents that hold back": 1.7, "pairs of packages that provide one API": 1.8, "packages, each of which provides one API": 1.8, "Subscriptions of one package": 1.8,
	// Each request is asked about by itself, and reads what all have installed.
	"failed bundles with a Subscription": 2.1, "packages that must move/target": 2.1, "namespaces that watch all": 2.1,
	"ClusterExtensions of one package": 2.1, "ClusterExtensions of one API": 2.1, "Subscriptions that share a bundle/whynot": 2.1,
	// Each change of the catalog of one request is tried for all catalogs.
	"catalogs": 2.7,
	// Causes are sought one at a time, up to a number that small sizes do not reach, each among all.
	"owned and required APIs": 1.6,
	// The texts show a chain to each bundle.
	"a cycle/record": 1.8, "diamonds/record": 1.8, "a chain/record": 1.8,
}

// growth is what a question costs: the memory that it allocates, and the size of what it shows.
type growth struct{ bytes, shown float64 }

func growthAt(t *testing.T, verb string, p grown) growth {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	a := asked{"", verb, p, ""}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	shown, err := a.ask(ctx, resolver.New())
	runtime.ReadMemStats(&after)
	assert.NoError(t, ctx.Err(), "%v", err)
	return growth{float64(after.TotalAlloc - before.TotalAlloc), float64(len(shown))}
}

// TestGrowth asks all questions about all that can grow, and again once it is five times as much. What
// an answer costs, and its size, are in proportion to the input, or nearly so. Time is not bounded, as a
// machine that does other things, too, makes it any: what computes by the square without memory for it is
// for the benchmarks.
func TestGrowth(t *testing.T) {
	if testkit.RaceEnabled {
		t.Skip("it measures")
	}
	const times = 5
	size := testkit.Scale(20, 80)
	for i, shape := range growingShapes() {
		if !testkit.Today(i, 12) {
			continue
		}
		t.Run(shape, func(t *testing.T) {
			warm, few, many := growingProblem(t, shape, size), growingProblem(t, shape, size), growingProblem(t, shape, times*size)
			for _, verb := range slices.Sorted(maps.Keys(growingVerbs)) {
				growthAt(t, verb, warm) // what the process allocates once
				small, large := growthAt(t, verb, few), growthAt(t, verb, many)
				allowed := max(growthOf[""], growthOf[shape], growthOf[verb], growthOf[shape+"/"+verb])
				exponent := func(few, many float64) float64 { return math.Log(many/few) / math.Log(times) }
				assert.LessOrEqual(t, exponent(small.bytes, large.bytes), allowed, "%s: %.1f MB to %.1f MB", verb, small.bytes/1e6, large.bytes/1e6)
				assert.LessOrEqual(t, exponent(small.shown, large.shown), allowed, "%s shows %.0f to %.0f bytes", verb, small.shown, large.shown)
			}
		})
	}
}
