package fix_test

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/blang/semver/v4"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/resolver"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/inventory"
	"github.com/resolvent/resolvent/resolver/internal/oracle"
	"github.com/resolvent/resolvent/resolver/internal/oracle/random"
	"github.com/resolvent/resolvent/resolver/internal/words"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/testdata/testkit"
)

// A second reading of what a fix says of itself: what it leads to, its risk, and its warnings,
// each from the objects with the fix applied. Which fixes there are, and in which order, the
// oracle of the resolver says.

// world is a namespace before or after a fix.
type world struct {
	// runs has what is installed, by name.
	runs map[string]running
}

type running struct {
	pkg      string
	version  semver.Version
	provides []string // kinds
}

// before is what is installed of the objects.
func before(p *oracle.Problem, objects cluster.Objects) world {
	w := world{map[string]running{}}
	for _, csv := range inventory.Counting(cluster.NewIndex(objects).In(p.Namespace)) {
		at := slices.IndexFunc(p.Installed, func(i oracle.Installed) bool { return i.Name == csv.Name })
		i := p.Installed[at]
		r := running{pkg: i.Package, provides: i.Provides, version: semver.MustParse(cmp.Or(i.Version, i.PackageVersion, "0.0.0"))}
		if !i.Annotated {
			r.pkg = ""
			var asked []string
			for _, s := range p.Subscriptions {
				if s.InstalledCSV == i.Name && !slices.Contains(asked, s.Package) {
					asked = append(asked, s.Package)
				}
			}
			if len(asked) == 1 {
				r.pkg = asked[0]
			}
		}
		w.runs[csv.Name] = r
	}
	return w
}

// then is what runs after a resolution.
func (w world) then(p *oracle.Problem, r *result.Resolution) world {
	after := world{map[string]running{}}
	for _, k := range r.Kept {
		after.runs[k.Bundle.Name] = w.runs[k.Bundle.Name]
	}
	for _, in := range r.Installs {
		made := running{pkg: in.Bundle.Package, version: in.Version}
		for _, c := range p.Catalogs {
			for _, b := range c.Bundles {
				if c.Name == in.Bundle.Catalog.Name && c.Namespace == in.Bundle.Catalog.Namespace && b.Name == in.Bundle.Name && b.Package == in.Bundle.Package {
					made.provides = b.Provides
				}
			}
		}
		after.runs[in.Bundle.Name] = made
	}
	return after
}

func TestReading(t *testing.T) {
	seen := map[string]int{}
	for seed := range uint64(testkit.Scale(160, 4000)) {
		p := random.Problem(3_000_000 + seed)
		objects, catalogs, options, err := random.Inputs(t.Context(), oracle.Joint{p}, random.BlobsOf(p))
		require.NoError(t, err)
		problem := resolver.Problem{Cluster: cluster.NewIndex(objects), Catalogs: catalogs, Options: options}
		asked := resolver.New()
		_, err = asked.Resolve(t.Context(), problem, cluster.InNamespace(p.Namespace))
		failure, ok := errors.AsType[*result.NotSatisfiable](err)
		if !ok {
			continue
		}
		problem.Options.NoFixes = true
		for i := range failure.Fixes {
			f := &failure.Fixes[i]
			about := fmt.Sprintf("seed %d, fix %d: %s\n%+v", seed, i+1, f.Text(""), f)
			applied, err := f.Apply(cluster.NewIndex(objects))
			require.NoError(t, err, about)
			changed := applied.Objects()
			changed.Subscriptions = slices.DeleteFunc(slices.Clone(changed.Subscriptions), func(s cluster.Subscription) bool { return slices.Contains(f.Waiting, s.Key()) })
			if slices.ContainsFunc(f.Steps(), func(s result.Step) bool { return s.Create != nil && s.Object.Namespace != p.Namespace }) {
				seen["moves"]++
				continue // two namespaces are resolved then
			}
			after := world{map[string]running{}}
			from := before(p, objects)
			if slices.ContainsFunc(changed.Subscriptions, func(s cluster.Subscription) bool { return s.Namespace == p.Namespace }) {
				at := problem
				at.Cluster = cluster.NewIndex(changed)
				resolution, err := asked.Resolve(t.Context(), at, cluster.InNamespace(p.Namespace))
				require.NoError(t, err, about)
				after = from.then(p, resolution)
			} else {
				for name, r := range before(p, changed).runs {
					after.runs[name] = r
				}
			}
			c := &checked{T: t, about: about, f: f, objects: objects, before: from, after: after, namespace: p.Namespace, seen: seen}
			c.difference()
			c.risk()
			c.cautions()
			seen["fixes"]++
		}
	}
	t.Log(seen)
	for _, what := range []string{"fixes", "moves", "updates", "downgrades", "removes", "held", "unprovided", "runsAlone", "reinstall", "downgraded", "gives up"} {
		assert.Positive(t, seen[what], what)
	}
}

// checked is a fix with what was before it, and what is after it.
type checked struct {
	*testing.T
	about         string
	f             *result.Fix
	objects       cluster.Objects
	before, after world
	namespace     string
	seen          map[string]int
}

// deleted are the names of the objects of a kind that the fix deletes. Of those that it
// creates again none is given up.
func (c *checked) deleted(kind string, created bool) []string {
	var names []string
	for _, s := range c.f.Steps() {
		again := slices.ContainsFunc(c.f.Steps(), func(o result.Step) bool { return o.Create != nil && o.Object == s.Object })
		if s.Object.Kind == kind && s.Field == "" && s.Create == nil && (created || !again) {
			names = append(names, s.Object.Name)
		}
	}
	slices.Sort(names)
	return names
}

// difference: what runs no more is removed or updated, what is new is installed or updated to,
// and the two of an update are of one package or follow each other.
func (c *checked) difference() {
	then := &c.f.Then
	var gone, new, wantGone, wantNew []string
	for _, v := range then.Removes {
		gone = append(gone, v.Bundle.Name)
	}
	for _, v := range then.Installs {
		new = append(new, v.Bundle.Name)
	}
	for _, u := range then.Updates {
		gone, new = append(gone, u.From.Bundle.Name), append(new, u.To.Bundle.Name)
		from, to := c.before.runs[u.From.Bundle.Name], c.after.runs[u.To.Bundle.Name]
		require.Equal(c, to.version.LT(from.version), u.Down, c.about)
		c.seen[map[bool]string{true: "downgrades", false: "updates"}[u.Down]]++
	}
	for _, v := range then.Installs {
		at := slices.IndexFunc(then.Removes, func(o result.Version) bool {
			was, is := c.before.runs[o.Bundle.Name], c.after.runs[v.Bundle.Name]
			return was.pkg != "" && was.pkg == is.pkg && was.version.NE(is.version)
		})
		require.Negative(c, at, "%s: an update is told as two", c.about)
	}
	stays := false
	for name, was := range c.before.runs {
		is, there := c.after.runs[name]
		anew := slices.Contains(c.deleted(words.ObjectCSV, true), name)
		if there && !anew {
			stays = true
			require.Equal(c, was.pkg, is.pkg, c.about)
		} else {
			wantGone = append(wantGone, name)
		}
	}
	for name := range c.after.runs {
		if _, was := c.before.runs[name]; !was || slices.Contains(c.deleted(words.ObjectCSV, true), name) {
			wantNew = append(wantNew, name)
		}
	}
	require.ElementsMatch(c, wantGone, gone, c.about)
	require.ElementsMatch(c, wantNew, new, c.about)
	require.Equal(c, stays, then.Stays, c.about)
	c.seen["removes"] += len(then.Removes)
}

// risk is no less than what the steps and their consequences say.
func (c *checked) risk() {
	overrides := slices.ContainsFunc(c.f.Steps(), func(s result.Step) bool { return s.Field == words.FieldOverrides })
	require.Equal(c, overrides, c.f.Risk == result.RiskOverrides, c.about)
	// What others get, whom the fix does not change, is no risk of it.
	down := slices.ContainsFunc(c.f.Then.Updates, func(u result.Update) bool {
		return u.Down && slices.ContainsFunc(c.f.Changes, func(change result.Change) bool {
			return slices.ContainsFunc(c.objects.Subscriptions, func(s cluster.Subscription) bool {
				return s.Name == change.Object.Name && s.InstalledCSV == u.From.Bundle.Name
			})
		})
	})
	gone := append(c.deleted(words.ObjectCSV, true), words.Mapped(c.f.Then.Removes, func(v result.Version) string { return v.Bundle.Name })...)
	gone = slices.DeleteFunc(gone, func(name string) bool { // an orphan that is installed anew as it was
		return !slices.ContainsFunc(c.objects.Subscriptions, func(s cluster.Subscription) bool { return s.InstalledCSV == name }) &&
			slices.ContainsFunc(c.f.Then.Removes, func(v result.Version) bool {
				return v.Bundle.Name == name && slices.ContainsFunc(c.f.Then.Installs, func(o result.Version) bool { return o.String() == v.String() })
			})
	})
	if len(gone) > 0 || down {
		require.GreaterOrEqual(c, c.f.Risk, result.RiskRemoves, c.about)
	}
	var given []string
	for _, k := range c.f.GivesUp {
		given = append(given, k.Name)
	}
	require.Equal(c, c.deleted(words.ObjectSubscription, false), given, c.about)
	c.seen["gives up"] += len(given)
}

// said are the names of the warnings of a kind.
func (c *checked) said(kind string) (names []string) {
	for _, caution := range c.f.Cautions {
		if string(caution.Kind) == kind {
			require.NotEmpty(c, caution.Names, c.about)
			names = append(names, caution.Names...)
		}
	}
	slices.Sort(names)
	c.seen[kind] += len(names)
	return names
}

func (c *checked) cautions() {
	var held, alone, down, anew, unprovided []string
	for _, s := range c.f.Steps() {
		for _, condition := range c.objects.OperatorConditions {
			about := condition.Name == s.Object.Name && (s.Object.Kind == words.ObjectCSV || s.Object.Kind == words.ObjectCondition)
			if about && condition.Upgradeable != nil && condition.Upgradeable.Status == "False" {
				held = append(held, s.Object.Name)
			}
		}
	}
	for _, name := range c.deleted(words.ObjectSubscription, false) {
		at := slices.IndexFunc(c.objects.Subscriptions, func(s cluster.Subscription) bool { return s.Name == name && s.Namespace == c.namespace })
		csv := c.objects.Subscriptions[at].InstalledCSV
		others := slices.ContainsFunc(c.objects.Subscriptions, func(s cluster.Subscription) bool {
			waits := slices.Contains(c.f.Waiting, s.Key()) // counts as deleted
			return s.Namespace == c.namespace && s.Name != name && s.InstalledCSV == csv && !waits
		})
		if _, runs := c.before.runs[csv]; runs && !others && !slices.Contains(c.deleted(words.ObjectCSV, true), csv) {
			alone = append(alone, csv)
		}
		if _, runs := c.before.runs[csv]; !runs { // nor does anybody manage what runs of its package
			for name, runs := range c.before.runs {
				managed := slices.ContainsFunc(c.objects.Subscriptions, func(s cluster.Subscription) bool { return s.Namespace == c.namespace && s.InstalledCSV == name })
				if runs.pkg == c.objects.Subscriptions[at].Package && !managed {
					alone = append(alone, name)
				}
			}
		}
	}
	for _, u := range c.f.Then.Updates {
		if u.Down {
			down = append(down, c.after.runs[u.To.Bundle.Name].pkg)
		}
		if slices.Contains(c.deleted(words.ObjectCSV, true), u.From.Bundle.Name) {
			anew = append(anew, c.after.runs[u.To.Bundle.Name].pkg)
		}
	}
	for _, v := range c.f.Then.Removes {
		was := c.before.runs[v.Bundle.Name]
		for _, in := range c.f.Then.Installs {
			is := c.after.runs[in.Bundle.Name]
			// Two Subscriptions of one ClusterServiceVersion leave its package open, but not
			// that it is deleted and comes back.
			if was.pkg == "" && in.Bundle.Name == v.Bundle.Name || is.pkg == was.pkg && is.version.EQ(was.version) {
				anew = append(anew, is.pkg)
			}
		}
		for _, kind := range was.provides {
			provided := false
			for _, is := range c.after.runs {
				provided = provided || slices.Contains(is.provides, kind)
			}
			if !provided {
				unprovided = append(unprovided, kind)
			}
		}
	}
	for kind, want := range map[string][]string{
		words.CautionHeld: held, words.CautionRunsAlone: alone, words.CautionDowngraded: down, words.CautionReinstall: anew, words.CautionUnprovided: unprovided,
	} {
		slices.Sort(want)
		require.Equal(c, slices.Compact(want), c.said(kind), "%s\nwarnings %s", c.about, kind)
	}
}
