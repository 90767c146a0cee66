package resolver_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/testdata/testkit"
)

// operator is a package as the executor knows it: the versions that each channel lists, from its
// end to its head, and how far down the skipRange of an entry reaches.
type operator struct {
	limits   []int // highest minor of OpenShift, by version
	needs    map[int]need
	channels [2][]int
	below    map[int]int
}

// running is what runs: a version of each operator, and the channel of its Subscription.
type running struct{ version, channel [4]int }

// executor is a small OLM.
type executor []operator

// updates are the versions that an operator may be updated to, the most preferred first.
func (e executor) updates(at running, i int) (to []int) {
	list := e[i].channels[at.channel[i]]
	for k := len(list) - 1; k > slices.Index(list, at.version[i]); k-- {
		below, ranged := e[i].below[list[k]]
		if k > 0 && list[k-1] == at.version[i] || ranged && at.version[i] >= below && at.version[i] < list[k] {
			to = append(to, list[k])
		}
	}
	return to
}

// consistent reports whether all requirements are satisfied.
func (e executor) consistent(at running) bool {
	for i := range e {
		if n, ok := e[i].needs[at.version[i]]; ok && (at.version[n.pkg] < n.least || at.version[n.pkg] > n.most) {
			return false
		}
	}
	return true
}

// fits reports whether all may run on a minor.
func (e executor) fits(at running, minor int) bool {
	for i := range e {
		if e[i].limits[at.version[i]] < minor {
			return false
		}
	}
	return true
}

// together calls use with all that can run after updates of some operators at once, what is
// preferred first: the first operator counts most.
func (e executor) together(at running, use func(to running, moved int) (goOn bool)) {
	var choose func(i int, to running, moved int) bool
	choose = func(i int, to running, moved int) bool {
		if i == len(e) {
			return !e.consistent(to) || use(to, moved)
		}
		for _, v := range e.updates(at, i) {
			next := to
			next.version[i] = v
			if !choose(i+1, next, moved+1) {
				return false
			}
		}
		return choose(i+1, to, moved)
	}
	choose(0, at, 0)
}

// fewest is the least number of changes of channel, then of updates, after which all may run on
// a minor. ok is false if there are none.
func (e executor) fewest(from running, minor int) (changes, moves int, ok bool) {
	type cost struct{ changes, updates int }
	open, done := map[cost][]running{{}: {from}}, map[running]bool{}
	for len(open) > 0 {
		var least cost
		first := true
		for c := range open {
			if first || cmp.Or(c.changes-least.changes, c.updates-least.updates) < 0 {
				least, first = c, false
			}
		}
		level := open[least]
		delete(open, least)
		for _, at := range level {
			if done[at] {
				continue
			}
			done[at] = true
			if e.fits(at, minor) {
				return least.changes, least.updates, true
			}
			e.together(at, func(to running, moved int) bool {
				c := cost{least.changes, least.updates + moved}
				open[c] = append(open[c], to)
				return true
			})
			for i := range e {
				if len(e[i].channels[1]) > 0 {
					to, c := at, cost{least.changes + 1, least.updates}
					to.channel[i] = 1 - at.channel[i]
					open[c] = append(open[c], to)
				}
			}
		}
	}
	return 0, 0, false
}

// automatic is what OLM makes of a state by itself, update after update.
func (e executor) automatic(at running) []running {
	on := []running{at}
	for {
		next := on[len(on)-1]
		e.together(next, func(to running, _ int) bool { next = to; return false })
		if next == on[len(on)-1] {
			return on
		}
		on = append(on, next)
	}
}

// take takes a turn of a plan. The error says why it cannot be taken.
func (e executor) take(at running, turn []stepOf) (running, error) {
	to := at
	for _, s := range turn {
		i := int(s.request[0] - 'a')
		if s.Channel != "" {
			to.channel[i] = slices.Index(channelNames[:], s.Channel)
			continue
		}
		v := int(s.Bundle[3] - '0')
		if !slices.Contains(e.updates(at, i), v) {
			return at, fmt.Errorf("%s is no update of version %d in channel %s", s.Bundle, at.version[i], channelNames[at.channel[i]])
		}
		to.version[i] = v
	}
	if !e.consistent(to) {
		return at, fmt.Errorf("%v contradicts itself", to)
	}
	return to, nil
}

var channelNames = [2]string{"c", "d"}

// stepOf is a step of a request.
type stepOf struct {
	request string
	result.PathStep
}

// randomExecutor makes up operators, of which version 0 is installed, and the problem of them.
// Their names begin with a letter.
func randomExecutor(t *testing.T, r *rand.Rand, first rune) (e executor, p resolver.Problem) {
	files, objects := fstest.MapFS{}, cluster.Objects{OpenShiftVersion: "4.10"}
	n := 2 + r.IntN(3)
	for i := range n {
		o := operator{needs: map[int]need{}, below: map[int]int{}}
		name := string(first + rune(i))
		for v := range 2 + r.IntN(3) {
			o.limits = append(o.limits, 10+r.IntN(3+min(v, 1)))
			o.channels[0] = append(o.channels[0], v)
			if other := r.IntN(n); v > 0 && other != i && r.IntN(3) > 0 {
				least := r.IntN(3)
				o.needs[v] = need{other, least, least + r.IntN(3)}
			}
			if v > 1 && r.IntN(3) == 0 {
				o.below[v] = r.IntN(v)
			}
		}
		if last := len(o.limits) - 1; r.IntN(3) == 0 { // the second channel leads on, or around
			o.channels[1], o.channels[0] = slices.Clone(o.channels[0]), o.channels[0][:1+r.IntN(last)]
			if k := 1 + r.IntN(last); k < last {
				o.channels[1] = slices.Delete(o.channels[1], k, k+1)
			}
		}
		e = append(e, o)
		var b strings.Builder
		fmt.Fprintf(&b, `{"schema":"olm.package","name":%q,"defaultChannel":"c"}`, name)
		for c, list := range o.channels {
			if len(list) == 0 {
				continue
			}
			var entries []string
			for k, v := range list {
				entry := fmt.Sprintf(`{"name":"%s.v%d"`, name, v)
				if k > 0 {
					entry += fmt.Sprintf(`,"replaces":"%s.v%d"`, name, list[k-1])
				}
				if below, ok := o.below[v]; ok {
					entry += fmt.Sprintf(`,"skipRange":">=%d.0.0 <%d.0.0"`, below, v)
				}
				entries = append(entries, entry+"}")
			}
			fmt.Fprintf(&b, `{"schema":"olm.channel","package":%q,"name":%q,"entries":[%s]}`, name, channelNames[c], strings.Join(entries, ","))
		}
		for v, limit := range o.limits {
			required := ""
			if n, ok := o.needs[v]; ok {
				required = fmt.Sprintf(`,{"type":"olm.package.required","value":{"packageName":%q,"versionRange":">=%d.0.0 <=%d.0.0"}}`, string(first+rune(n.pkg)), n.least, n.most)
			}
			fmt.Fprintf(&b, `{"schema":"olm.bundle","package":%q,"name":"%s.v%d","image":"i","properties":[{"type":"olm.package","value":{"packageName":%q,"version":"%d.0.0"}},{"type":"olm.maxOpenShiftVersion","value":"4.%d"}%s]}`, name, name, v, name, v, limit, required)
		}
		files[name+".json"] = &fstest.MapFile{Data: []byte(b.String())}
		objects.CSVs = append(objects.CSVs, cluster.ClusterServiceVersion{Namespace: "n", Name: name + ".v0", Version: "0.0.0", Annotations: map[string]string{
			cluster.AnnotationProperties: fmt.Sprintf(`{"properties":[{"type":"olm.package","value":{"packageName":%q,"version":"0.0.0"}},{"type":"olm.maxOpenShiftVersion","value":"4.%d"}]}`, name, o.limits[0]),
		}})
		objects.Subscriptions = append(objects.Subscriptions, cluster.Subscription{Namespace: "n", Name: name, Package: name, Channel: "c", Catalog: string(first), CatalogNamespace: "olm", InstalledCSV: name + ".v0"})
	}
	snapshot, err := cache.LoadFS(t.Context(), files, cache.Options{})
	require.NoError(t, err)
	return e, resolver.Problem{Cluster: cluster.NewIndex(objects), Catalogs: cache.NewView([]cache.Catalog{{Key: catalog.Key{Namespace: "olm", Name: string(first)}, Snapshot: snapshot}})}
}

// anyOrder is a random order of turns in which each has behind it what must come before.
func anyOrder(r *rand.Rand, turns [][]stepOf) (order [][]stepOf) {
	left := slices.Clone(turns)
	for len(left) > 0 {
		var free []int
		for k, turn := range left {
			waits := slices.ContainsFunc(left, func(other []stepOf) bool {
				return slices.ContainsFunc(other, func(o stepOf) bool {
					return slices.ContainsFunc(turn, func(s stepOf) bool {
						return o.Turn < s.Turn && o.request == s.request ||
							o.Channel == "" && slices.ContainsFunc(s.After, func(m result.Move) bool { return m.Request.Name == o.request && m.Bundle == o.Bundle })
					})
				})
			})
			if !waits {
				free = append(free, k)
			}
		}
		if len(free) == 0 {
			return nil
		}
		k := free[r.IntN(len(free))]
		order, left = append(order, left[k]), slices.Delete(left, k, k+1)
	}
	return order
}

// TestPlansExecuted executes the plans of random clusters literally, turn after turn and in
// another order that they allow: each step is an update that OLM offers, what runs is
// consistent after each, all may run on the minor in the end, with the fewest changes of
// channel and updates. What OLM takes by itself is said, and nothing else is. What blocks a
// minor has no way out.
func TestPlansExecuted(t *testing.T) {
	seen := map[string]int{}
	for seed := range testkit.Seeds(t, *problems) {
		r := rand.New(rand.NewPCG(seed, 11))
		e, problem := randomExecutor(t, r, 'a')
		problem.Options.NoFixes = true
		rows, err := resolver.New().Status(t.Context(), problem, problem.Cluster.Scopes(), &resolver.Target{OpenShiftVersion: "4.12"})
		require.NoError(t, err)
		var at running
		for k, hop := range []string{"4.11", "4.12"} {
			blocked, turns := false, [][]stepOf{}
			for _, row := range rows {
				blocked = blocked || row.Target.Blocks == hop
				for _, s := range row.Target.Updates {
					for s.Hop == hop && len(turns) <= s.Turn {
						turns = append(turns, nil)
					}
					if s.Hop == hop {
						turns[s.Turn] = append(turns[s.Turn], stepOf{row.Request.Name, s})
					}
				}
			}
			what := fmt.Sprintf("seed %d before %s from %v, blocked %v: %v\n%+v", seed, hop, at, blocked, turns, e)
			changes, moves, ok := e.fewest(at, 11+k)
			require.Equal(t, !ok, blocked, what)
			from, on := at, e.automatic(at)
			for n, turn := range turns {
				require.NotEmpty(t, turn, what)
				require.Len(t, turn[0].With, len(turn)-1, what)
				to, err := e.take(at, turn)
				require.NoError(t, err, what)
				own := turn[0].Channel == ""
				for _, s := range turn {
					i := int(s.request[0] - 'a')
					next := slices.IndexFunc(on, func(then running) bool { return then.version[i] == at.version[i] })
					for ; next >= 0 && next < len(on) && on[next].version[i] == at.version[i]; next++ {
					}
					own = own && next >= 0 && next < len(on) && on[next].version[i] == to.version[i]
					if s.Channel != "" {
						changes--
					} else {
						moves--
					}
				}
				require.Equal(t, own, turn[0].ByItself, "turn %d: %s", n, what)
				if at = to; !own {
					on = e.automatic(at)
				}
				seen[fmt.Sprintf("%d at once, by itself %v, channel %q", len(turn), own, turn[0].Channel)]++
			}
			there := from
			order := anyOrder(r, turns)
			require.Len(t, order, len(turns), what)
			for _, turn := range order {
				there, err = e.take(there, turn)
				require.NoError(t, err, "in the order %v: %s", order, what)
			}
			require.Equal(t, at, there, what)
			if blocked {
				seen["blocked"]++
				break
			}
			seen[fmt.Sprintf("%d turns", len(turns))]++
			require.True(t, e.fits(at, 11+k), what)
			require.Zero(t, changes, what)
			require.Zero(t, moves, what)
		}
	}
	t.Log(seen)
	assert.Greater(t, len(seen), 8)
}

// TestAwaited lets random clusters go on by themselves: a blocked row that gets an update then
// says what it waits for and what comes, and its path leads there; one that gets none says
// nothing. It needs no request that it does not name. Without any that it names it would follow at
// another time, or elsewhere, also where those stay that move and are not named. Those that do not
// move by then are free to: one may move in the place of another that stays.
func TestAwaited(t *testing.T) {
	seen := map[string]int{}
	seeds := slices.Collect(testkit.Seeds(t, *problems))
	for _, seed := range append(seeds, 900749) {
		e, problem := randomExecutor(t, rand.New(rand.NewPCG(seed, 12)), 'a')
		asked := resolver.New()
		rows, err := asked.Status(t.Context(), problem, problem.Cluster.Scopes(), nil)
		require.NoError(t, err)
		for i, row := range rows {
			what := fmt.Sprintf("seed %d, row %d, awaits %v, then %q: %+v", seed, i, row.Awaited, row.Follows, e)
			index := func(k cluster.RequestKey) int { return int(k.Name[0] - 'a') }
			without := func(stay ...int) executor {
				stays := slices.Clone(e)
				for _, k := range stay {
					stays[k].channels[0] = stays[k].channels[0][:1]
				}
				return stays
			}
			// follows returns when the row follows, 0 if it never does, and to what.
			follows := func(e executor) (on []running, n int, to string) {
				on = e.automatic(running{})
				if n = max(0, slices.IndexFunc(on, func(at running) bool { return at.version[i] != 0 })); n > 0 {
					to = fmt.Sprintf("%s.v%d", row.Package, on[n].version[i])
				}
				return on, n, to
			}
			_, n, to := follows(e)
			require.Equal(t, len(row.Awaited) > 0, row.State == result.StateWaiting, what)
			if row.State != result.StateBlocked && row.State != result.StateWaiting {
				continue
			}
			seen[fmt.Sprintf("awaits %d", len(row.Awaited))]++
			if n == 0 {
				require.Empty(t, row.Awaited, what)
				continue
			}
			require.NotEmpty(t, row.Awaited, what)
			require.Equal(t, to, row.Follows, what)
			var unnamed []int
			for k := range e {
				if k != i && !slices.ContainsFunc(row.Awaited, func(a result.Awaited) bool { return index(a.Request) == k }) {
					unnamed = append(unnamed, k)
				}
			}
			_, then, gets := follows(without(unnamed...))
			require.Equal(t, n, then, what)
			require.Equal(t, to, gets, what)
			var stay []int
			for moving := true; moving; { // others may move once these stay
				moving = false
				on, _, _ := follows(without(stay...))
				for _, k := range unnamed {
					if on[min(n, len(on)-1)].version[k] != 0 {
						stay, moving = append(stay, k), true
					}
				}
			}
			for _, a := range row.Awaited {
				_, then, gets := follows(without(append(stay, index(a.Request))...))
				require.False(t, then == n && gets == to, "%s is not needed: %s", a.Request, what)
			}
			path, err := asked.Path(t.Context(), problem, row.Request, row.Follows)
			require.NoError(t, err, what)
			require.Equal(t, row.Follows, path.To, what)
			if slices.ContainsFunc(path.Steps, func(s result.PathStep) bool { return len(s.Awaits) > 0 }) {
				seen["a path that waits"]++
			}
		}
	}
	t.Log(seen)
	assert.NotZero(t, seen["a path that waits"])
}

// planOf is what a plan says of a row, but for the answers that make the updates.
func planOf(row *result.Status) string {
	text := fmt.Sprint(row.Request, row.Installed, row.State, row.Target.Blocks, row.Target.Until, row.Target.Reason())
	for _, s := range row.Target.Updates {
		text += fmt.Sprint("\n", s.Hop, s.Turn, s.After, s.With, s.Awaits, s.ByItself, s.Channel, s.Bundle)
		if r := s.Resolution; r != nil {
			text += fmt.Sprint(r.Replaced, r.Approval, len(r.Installs))
		}
	}
	return text
}

// TestHopsApart: if nothing is blocked, operators of one namespace move as they do without others
// that have no bearing on them. All move as they do where all of the namespace is read.
func TestHopsApart(t *testing.T) {
	moved := 0
	for seed := range testkit.Seeds(t, *problems/3) {
		r := rand.New(rand.NewPCG(seed, 78))
		var objects cluster.Objects
		var catalogs []cache.Catalog
		var alone []result.Status
		status := func(p resolver.Problem) []result.Status {
			rows, err := resolver.New().Status(t.Context(), p, p.Cluster.Scopes(), &resolver.Target{OpenShiftVersion: "4.12"})
			require.NoError(t, err)
			return rows
		}
		for _, first := range "ag" {
			_, p := randomExecutor(t, r, first)
			alone = append(alone, status(p)...)
			o := p.Cluster.Objects()
			objects.OpenShiftVersion = o.OpenShiftVersion
			objects.CSVs, objects.Subscriptions = append(objects.CSVs, o.CSVs...), append(objects.Subscriptions, o.Subscriptions...)
			for c := range p.Catalogs.Catalogs() {
				catalogs = append(catalogs, *c)
			}
		}
		p := resolver.Problem{Cluster: cluster.NewIndex(objects), Catalogs: cache.NewView(catalogs)}
		rows := status(p)
		// Any bundle may satisfy a rule, so that nothing of the namespace can be left out.
		objects.CSVs = append(objects.CSVs, cluster.ClusterServiceVersion{Namespace: "n", Name: "rule.v1", Version: "1.0.0", Phase: "Succeeded", Annotations: map[string]string{
			cluster.AnnotationProperties: `{"properties":[{"type":"olm.package","value":{"packageName":"rule","version":"1.0.0"}},{"type":"olm.constraint","value":{"failureMessage":"no rule","cel":{"rule":"properties.exists(p, p.type == 'olm.package' && p.value.packageName == 'rule')"}}}]}`,
		}})
		p.Cluster = cluster.NewIndex(objects)
		whole := status(p)
		require.Len(t, whole, len(rows))
		for i := range rows {
			require.Equal(t, planOf(&rows[i]), planOf(&whole[i]), "seed %d", seed)
		}
		if slices.ContainsFunc(alone, func(row result.Status) bool { return !row.Target.OK() }) {
			continue // what is blocked is tried while all others may move
		}
		for i, row := range rows {
			require.Equal(t, alone[i].Request, row.Request)
			require.Equal(t, stepsOf(alone[i].Target.Updates), stepsOf(row.Target.Updates), "seed %d, %s", seed, row.Package)
			moved += len(row.Target.Updates)
		}
	}
	assert.Positive(t, moved)
}
