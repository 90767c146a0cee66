package resolver_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/oracle"
	"github.com/resolvent/resolvent/resolver/internal/oracle/random"
	"github.com/resolvent/resolvent/resolver/internal/words"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/resolver/scenario"
	"github.com/resolvent/resolvent/testdata/testkit"
)

// led counts fixes that were applied, after which status was asked again, by class.
type led struct {
	sync.Mutex
	applied, stuck map[result.Class]int
	later          int // of these, with a wait
}

// TestFixesLeadOn applies each fix that is listed for a row of status, or for a failure, and asks
// for the status again: each row that the fix is for or changes leads on, or its request is given up.
func TestFixesLeadOn(t *testing.T) {
	for name, of := range map[string]struct {
		count int
		ask   func(t *testing.T, seed uint64) (*scenario.Question, error)
	}{
		"random": {*problems * 2, func(t *testing.T, seed uint64) (*scenario.Question, error) {
			return asScenario(nil, random.Observed(seed)).Question(t.Context())
		}},
		"forward": {*problems / 2, func(t *testing.T, seed uint64) (*scenario.Question, error) {
			return asScenario(nil, random.Forward(seed)).Question(t.Context())
		}},
		"path": {*problems / 2, func(t *testing.T, seed uint64) (*scenario.Question, error) {
			return asScenario(nil, random.Path(seed).Problem).Question(t.Context())
		}},
		"later": {*problems, laterQuestion},
		"extension": {*problems, func(t *testing.T, seed uint64) (*scenario.Question, error) {
			return asScenario(nil, random.Extension(seed)).Question(t.Context())
		}},
		"real": {testkit.Scale(20, 400), realQuestion},
	} {
		t.Run(name, func(t *testing.T) {
			of.ask(t, 0) // skips without the real catalogs
			count := led{applied: map[result.Class]int{}, stuck: map[result.Class]int{}}
			eachSeed(t, of.count, func(seed uint64) error {
				in, err := of.ask(t, seed)
				if err != nil {
					return err
				}
				return count.allLeadOn(t.Context(), in)
			})
			t.Logf("fixes applied, by class: %v, of which %d wait; of these lead to nothing: %v", count.applied, count.later, count.stuck)
			assert.NotEmpty(t, count.applied)
			assert.True(t, name != "later" || count.later > 0, "waiting helps")
		})
	}
}

// laterQuestion asks for a route on which a new request needs what stands at its end.
func laterQuestion(t *testing.T, seed uint64) (*scenario.Question, error) {
	r := random.Path(seed)
	p := r.Problem.Clone()
	c := &p.Catalogs[0]
	guest := oracle.Bundle{Package: "guest", Name: "guest.v1.0.0", Version: "1.0.0"}
	for _, from := range p.Catalogs {
		for _, b := range from.Bundles {
			if b.Name == r.To {
				guest.Requires = []oracle.Constraint{{Package: r.Package, Range: ">=" + b.Version}}
			}
		}
	}
	c.Packages = append(c.Packages, oracle.Package{Name: "guest", Default: "stable", Channels: []oracle.Channel{{Name: "stable", Entries: []oracle.Entry{{Name: guest.Name}}}}})
	c.Bundles = append(c.Bundles, guest)
	for i := range p.Subscriptions {
		p.Subscriptions[i].Source = "" // OLM takes updates from a named catalog only
	}
	p.Subscriptions = append(p.Subscriptions, oracle.Subscription{Name: "guest", Package: "guest"})
	return asScenario(nil, p).Question(t.Context())
}

// leads reports whether a problem with changes made leads on the requests that the changes are for,
// and those that they change: none is blocked, or at a dead end.
func leads(p *oracle.Problem, own, atoms []string) (bool, error) {
	if p.Extension != nil {
		stuck, err := oracle.ExtensionStuck(p, oracleLimit)
		return !stuck, err
	}
	rows, err := oracle.Rows(p, oracleLimit)
	if err != nil {
		return false, err
	}
	var blocked []string
	for _, s := range p.Subscriptions {
		changed := slices.ContainsFunc(atoms, func(atom string) bool {
			return strings.HasPrefix(atom, "Subscription/"+p.Namespace+"/"+s.Name+"|") || strings.HasPrefix(atom, "OperatorCondition/"+p.Namespace+"/"+s.InstalledCSV+"|")
		})
		switch state := rows[s.Name].State; {
		case !changed && !slices.Contains(own, s.Name):
		case state == "deadEnd":
			return false, nil
		case state == "blocked":
			blocked = append(blocked, s.Name)
		}
	}
	if len(blocked) == 0 {
		return true, nil
	}
	stay, err := kept(p, rows)
	return !slices.ContainsFunc(blocked, func(name string) bool { return !stay[name] }), err
}

// realQuestion asks for a namespace with ten operators of the real catalog at random: some old, some
// in another channel than what they have installed, some new.
func realQuestion(t *testing.T, seed uint64) (*scenario.Question, error) {
	snapshot := realCatalog(t, "community-v4.19")
	r := rand.New(rand.NewPCG(seed, 11))
	var packages []*catalog.Package
	for p := range snapshot.Packages() {
		packages = append(packages, p)
	}
	objects := cluster.Objects{OperatorGroups: []cluster.OperatorGroup{{Namespace: "operators", Name: "all"}}}
	r.Shuffle(len(packages), func(i, k int) { packages[i], packages[k] = packages[k], packages[i] })
	for _, p := range packages[:10] {
		from, to := p.Channels[r.IntN(len(p.Channels))], p.Channels[r.IntN(len(p.Channels))].Name
		switch r.IntN(6) {
		case 0:
			to = "none"
		case 1, 2:
			to = from.Name
		}
		s := cluster.Subscription{Namespace: "operators", Name: p.Name, Package: p.Name, Channel: to, Catalog: "community", CatalogNamespace: "olm"}
		var places []catalog.Place
		for place := range from.Chain() {
			places = append(places, place)
		}
		if b := snapshot.Find(p.Name, places[r.IntN(len(places))].At().Name); b != nil && r.IntN(4) > 0 {
			s.InstalledCSV = b.Name
			objects.CSVs = append(objects.CSVs, cluster.ClusterServiceVersion{Namespace: "operators", Name: b.Name, Version: b.Version.String(), Stated: b.Properties, Phase: "Succeeded"})
			if r.IntN(10) == 0 {
				objects.OperatorConditions = append(objects.OperatorConditions, cluster.OperatorCondition{Namespace: "operators", Name: b.Name, Upgradeable: &cluster.Condition{Type: "Upgradeable", Status: "False", Reason: "Busy"}})
			}
			if r.IntN(10) == 0 {
				continue // nobody manages it
			}
		}
		objects.Subscriptions = append(objects.Subscriptions, s)
	}
	view := cache.NewView([]cache.Catalog{{Key: catalog.Key{Namespace: "olm", Name: "community"}, Snapshot: snapshot}})
	problem := resolver.Problem{Cluster: cluster.NewIndex(objects), Catalogs: view}
	return &scenario.Question{Problem: problem, Scopes: []cluster.Scope{cluster.InNamespace("operators")}}, nil
}

// allLeadOn applies the fixes of all rows.
func (c *led) allLeadOn(ctx context.Context, in *scenario.Question) error {
	r := resolver.New()
	rows, err := r.Status(ctx, in.Problem, in.Scopes, nil)
	if err != nil {
		return err
	}
	for i := range rows {
		row := &rows[i]
		for _, f := range row.Fixes {
			if slices.ContainsFunc(f.Changes, func(c result.Change) bool { return c.Object.Kind == words.ObjectInstallPlan }) {
				continue // it approves what comes
			}
			stuck, err := leadsOn(ctx, r, in, rows, row, &f)
			if err != nil {
				return err
			}
			c.Lock()
			if f.Later() {
				c.later++
			}
			if c.applied[f.Class]++; stuck != "" {
				c.stuck[f.Class]++
			}
			c.Unlock()
			if stuck != "" {
				return fmt.Errorf("%s is %s: %s: %s", row.Request, row.State, stuck, f.Text(""))
			}
		}
	}
	return nil
}

// carriedOut applies a fix. Where it waits, OLM does what it does by itself until that is there.
func carriedOut(ctx context.Context, r *resolver.Resolver, in *scenario.Question, f *result.Fix) (*scenario.Question, error) {
	if !f.Later() {
		return applied(ctx, in, f.Steps())
	}
	q := *in
	for _, s := range f.Steps() {
		if s.Wait == nil {
			var err error
			if q.Problem.Cluster, err = result.Apply(q.Problem.Cluster, cluster.Scope{}, []result.Step{s}); err != nil {
				return nil, err
			}
			continue
		}
		key := cluster.RequestKey{Kind: cluster.KindSubscription, Namespace: s.Object.Namespace, Name: s.Object.Name}
		for n := 0; q.Problem.Cluster.Subscription(key).InstalledCSV != s.To; n++ {
			answer, err := r.Resolve(ctx, q.Problem, key.Scope())
			if err != nil || n > 100 {
				return nil, fmt.Errorf("waiting for %v ends at %s: %w", s.To, q.Problem.Cluster.Subscription(key).InstalledCSV, err)
			}
			q.Problem = q.Problem.After(answer)
		}
	}
	return &q, nil
}

// leadsOn says which request is stuck, or worse off, once a fix of a row is applied.
func leadsOn(ctx context.Context, r *resolver.Resolver, in *scenario.Question, before []result.Status, row *result.Status, f *result.Fix) (string, error) {
	again, err := carriedOut(ctx, r, in, f)
	if err != nil {
		return "", err
	}
	left := again.Problem.Cluster.Objects()
	left.Subscriptions = slices.DeleteFunc(left.Subscriptions, func(s cluster.Subscription) bool { return slices.Contains(f.Waiting, s.Key()) })
	again.Problem.Cluster = cluster.NewIndex(left)
	again.Problem.Options.NoFixes = true
	scopes := slices.Clone(in.Scopes)
	for _, c := range f.Changes {
		for _, s := range c.Steps {
			if s.Create != nil && len(s.Create.Subscriptions) > 0 && !slices.Contains(scopes, cluster.InNamespace(s.Object.Namespace)) {
				scopes = append(scopes, cluster.InNamespace(s.Object.Namespace))
			}
		}
	}
	rows, err := r.Status(ctx, again.Problem, scopes, nil)
	if err != nil {
		return "", err
	}
	was := map[cluster.RequestKey]result.State{}
	for i := range before {
		was[before[i].Request] = before[i].State
	}
	var named []cluster.RequestKey
	if unsatisfied, ok := errors.AsType[*result.NotSatisfiable](row.Err); row.State != result.StateFailed && row.State != result.StateWaiting || ok && slices.ContainsFunc(unsatisfied.Causes, func(c result.Cause) bool {
		return (c.Group == f.Group || f.Group == 0) && slices.Contains(c.Requests, row.Request)
	}) {
		named = append(named, row.Request) // else it waits for others
	}
	for _, c := range f.Changes {
		for _, s := range c.Steps {
			named = append(named, cluster.RequestKey{Kind: cluster.RequestKind(s.Object.Kind), Namespace: s.Object.Namespace, Name: s.Object.Name})
		}
	}
	var stuck []string
	for i := range rows {
		after := &rows[i]
		state := after.State
		if !slices.Contains(named, after.Request) {
			continue
		}
		switch state {
		case result.StateNotInstalled, result.StateUpdateAvailable:
			if after.Next != "" || after.Err == nil { // else what is installed for another request serves it
				continue
			}
		case result.StateInstalling, result.StatePendingApproval, result.StateCurrent, result.StateKept:
			continue
		case result.StateUnhealthy, result.StatePending, result.StateNotJudged:
			continue // what OLM states stays as it is
		case result.StateHeld:
			if was[after.Request] == result.StateFailed || was[after.Request] == result.StateWaiting || was[after.Request] == state {
				continue // its operator decides that alone
			}
		case result.StateFailed:
			if slices.Contains(f.GivesUp, after.Request) {
				continue // there is no such ClusterExtension any more
			}
		}
		stuck = append(stuck, fmt.Sprintf("%s is then %s: %s", after.Request, state, after.Reason()))
	}
	return strings.Join(stuck, "; "), nil
}
