package resolver_test

import (
	"cmp"
	"context"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/resolvent/resolvent/resolver"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/fixes"
	"github.com/resolvent/resolvent/resolver/internal/oracle"
	"github.com/resolvent/resolvent/resolver/internal/random"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/resolver/updates"
)

// TestOracleStatus compares the rows of random problems with what follows from the
// oracle's answer, and follows the way out of dead ends.
func TestOracleStatus(t *testing.T) {
	var about features
	compared := eachSolved(t, *problems, random.Problem, oracle.Solve, func(seed uint64, p *oracle.Problem, want *oracle.Answer) error {
		states := map[string]bool{}
		err := agreement(seed, p, want, oracle.Solve, func(p *oracle.Problem, want *oracle.Answer) string {
			return statusDisagreement(t.Context(), seed, p, want, states)
		})
		about.add(states)
		return err
	})
	about.report(t, compared)
}

// statusDisagreement says which row is not what follows from the answer. It notes the
// states of the rows.
func statusDisagreement(ctx context.Context, seed uint64, p *oracle.Problem, want *oracle.Answer, states map[string]bool) string {
	in, err := asScenario(nil, p).Question(ctx)
	if err != nil {
		return err.Error()
	}
	r, said := resolver.New(), map[string]observation{}
	in.Problem.Cluster = observed(seed, in.Problem.Cluster, said)
	alone, ownCauses := p, map[string]bool{}
	if !want.Satisfiable {
		partly, err := oracle.SolvePartly(oracle.Joint{p}, oracleLimit)
		if err != nil || len(partly[0].LeftOut) == 0 {
			return "" // it is too large for that, or what is installed contradicts itself
		}
		for _, name := range partly[0].LeftOut {
			ownCauses[name] = true
		}
		alone = p.Clone()
		alone.Subscriptions = slices.DeleteFunc(alone.Subscriptions, func(s oracle.Subscription) bool { return ownCauses[s.Name] })
	}
	solvable, nextAlone := want.Satisfiable, map[string]string{}
	if !want.Satisfiable {
		rest, err := asScenario(nil, alone).Question(ctx)
		if err != nil {
			return err.Error()
		}
		resolution, err := r.Resolve(ctx, rest.Problem, cluster.InNamespace(p.Namespace))
		solvable = err == nil
		for _, s := range alone.Subscriptions {
			nextAlone[s.Name] = nextOf(resolution, s.Name, s.InstalledCSV)
		}
	}
	rows, err := r.Status(ctx, in.Problem, in.Scopes, nil)
	if err != nil {
		return err.Error()
	}
	if len(rows) != len(p.Subscriptions) {
		return fmt.Sprintf("%d rows for %d Subscriptions", len(rows), len(p.Subscriptions))
	}
	resolution, _ := r.Resolve(ctx, in.Problem, in.Scopes[0])
	refusals, _ := r.Justify(ctx, in.Problem, in.Scopes[0])
	for i := range rows {
		row := &rows[i]
		states[string(row.State)] = true
		at := oracle.Stand(p, row.Request.Name)
		next := nextOf(resolution, row.Request.Name, at.Installed)
		state := stateOf(want.Satisfiable, at, next)
		if state == updates.Failed && !ownCauses[row.Request.Name] && solvable {
			if without := stateOf(true, at, nextAlone[row.Request.Name]); slices.Contains([]updates.State{updates.Held, updates.AtDeadEnd, updates.Blocked}, without) {
				state = without
			}
		}
		if o := said[row.Request.Name]; !ownCauses[row.Request.Name] && o.state != "" {
			state = o.state
			if o.next != "" {
				next = o.next
			}
		}
		if got := [4]string{string(row.State), row.Installed, row.Next, row.Head}; got != [4]string{string(state), at.Installed, next, at.Head} {
			return fmt.Sprintf("Subscription %s: want %s %+v, next %q; the row says %q", row.Request.Name, state, at, next, got)
		}
		switch {
		case row.State == updates.Unhealthy || row.State == updates.PendingApproval:
			if row.Reason() == "" || len(row.Conditions) == 0 && row.State == updates.Unhealthy && said[row.Request.Name].plan == "" || (row.State == updates.PendingApproval) != (len(row.Fixes) == 1 && row.Fixes[0].Changes[0].Object.Kind == fixes.ObjectInstallPlan) {
				return fmt.Sprintf("Subscription %s is %s: %q, conditions %v, fixes %v", row.Request.Name, row.State, row.Reason(), row.Conditions, row.Fixes)
			}
		case (row.Reason() == "") != (state != updates.Failed && cmp.Or(next, at.Installed) == at.Head):
			return fmt.Sprintf("Subscription %s is %s at %s %s of %s, and its reason is %q", row.Request.Name, row.State, row.Installed, row.Next, row.Head, row.Reason())
		case row.State == updates.Blocked && want.Satisfiable && !isRefusal(row.Why, refusals) && !shared(p, row):
			return fmt.Sprintf("Subscription %s: no choice is justified by %s", row.Request.Name, row.Why)
		case row.State == updates.AtDeadEnd && want.Satisfiable:
			if text := wayOut(p, row, states); text != "" {
				return text
			}
		}
	}
	return ""
}

// nextOf is the bundle that takes the place of what a Subscription has installed, or that
// is installed for it. Another Subscription may have installed it.
func nextOf(r *result.Resolution, subscription, installed string) string {
	if r == nil {
		return ""
	}
	serves := func(list []result.Obligation) bool {
		return slices.ContainsFunc(list, func(s result.Obligation) bool { return s.Request.Name == subscription })
	}
	for _, install := range r.Installs {
		if serves(install.For) {
			return install.Bundle.Name
		}
	}
	for _, kept := range r.Kept {
		if serves(kept.For) && slices.Contains(r.Replaced, installed) {
			return kept.Bundle.Name
		}
	}
	return ""
}

// observation is what OLM states of a Subscription, and the state that follows, if any.
type observation struct {
	state      updates.State
	next, plan string
}

// observed adds what OLM may state of the Subscriptions of a cluster.
func observed(seed uint64, known *cluster.Index, said map[string]observation) *cluster.Index {
	objects := known.Objects()
	objects.Subscriptions, objects.CSVs = slices.Clone(objects.Subscriptions), slices.Clone(objects.CSVs)
	for i := range objects.Subscriptions {
		s := &objects.Subscriptions[i]
		name := fnv.New64()
		name.Write([]byte(s.Name))
		r := rand.New(rand.NewPCG(seed, name.Sum64())) // the same in a part of the problem
		var o observation
		if at := slices.IndexFunc(objects.CSVs, func(v cluster.ClusterServiceVersion) bool { return v.Name == s.InstalledCSV }); at >= 0 && r.IntN(8) == 0 && objects.CSVs[at].Phase == "" {
			objects.CSVs[at].Phase, objects.CSVs[at].Reason = "Failed", "InstallCheckFailed"
		}
		plan := cluster.InstallPlan{Namespace: s.Namespace, Name: "install-" + s.Name, CSVs: []string{"new.v1", "other.v1"}}
		plan.Phase = []string{"", "RequiresApproval", "RequiresApproval", "Installing", "Complete", "Failed"}[r.IntN(6)]
		plan.Approved = r.IntN(3) == 0
		if r.IntN(3) == 0 {
			s.Observed.InstallPlan, s.Observed.CurrentCSV = plan.Name, "new.v1"
			objects.InstallPlans = append(objects.InstallPlans, plan)
			o.plan = plan.Phase
		}
		condition := cluster.Condition{Type: []string{"BundleUnpackFailed", "InstallPlanFailed", "ResolutionFailed", "CatalogSourcesUnhealthy"}[r.IntN(4)], Status: []string{"True", "False", "Unknown"}[r.IntN(3)]}
		if r.IntN(3) == 0 {
			s.Observed.Conditions = []cluster.Condition{condition}
		}
		switch {
		case slices.Contains(s.Observed.Conditions, cluster.Condition{Type: "BundleUnpackFailed", Status: "True"}),
			slices.Contains(s.Observed.Conditions, cluster.Condition{Type: "InstallPlanFailed", Status: "True"}), o.plan == "Failed":
			o.state = updates.Unhealthy
		case o.plan == "RequiresApproval" && !plan.Approved:
			o.state, o.next = updates.PendingApproval, "new.v1"
		}
		said[s.Name] = o
	}
	// Several Subscriptions may have installed one operator.
	for _, s := range objects.Subscriptions {
		for _, v := range objects.CSVs {
			if v.Name == s.InstalledCSV && v.Phase == "Failed" {
				said[s.Name] = observation{state: updates.Unhealthy, plan: said[s.Name].plan}
			}
		}
	}
	return cluster.NewIndex(objects)
}

// stateOf is the state that follows.
func stateOf(satisfiable bool, at oracle.Standing, next string) updates.State {
	switch {
	case !satisfiable:
		return updates.Failed
	case at.Installed == "":
		return updates.NotInstalled
	case next != "":
		return updates.UpdateAvailable
	case at.Installed == at.Head:
		return updates.Current
	case at.Held:
		return updates.Held
	case len(at.Updates) > 0:
		return updates.Blocked
	}
	return updates.AtDeadEnd
}

// shared reports whether several Subscriptions may be satisfied by what one of them has
// installed: it is then justified for the first of them.
func shared(p *oracle.Problem, row *updates.Status) bool {
	n := 0
	for _, s := range p.Subscriptions {
		if s.InstalledCSV == row.Installed || s.Package == row.Package {
			n++
		}
	}
	return n > 1
}

// isRefusal reports whether an explanation is why a better bundle was not possible.
func isRefusal(why *result.Explanation, justified []result.Justification) bool {
	return slices.ContainsFunc(justified, func(j result.Justification) bool {
		return slices.ContainsFunc(j.Better, func(b result.Refusal) bool { return b.Why.String() == why.String() })
	})
}

// wayOut checks the fix of a dead end: some channel lets the oracle update, and the fix
// names such a one.
func wayOut(p *oracle.Problem, row *updates.Status, seen map[string]bool) string {
	var out []string
	for _, channel := range channelsOf(p, row.Package) {
		c := p.Clone()
		for i := range c.Subscriptions {
			if c.Subscriptions[i].Name == row.Request.Name {
				c.Subscriptions[i].Channel = channel
			}
		}
		if after, err := oracle.Solve(c, oracleLimit); err == nil && slices.Contains(after.Replaced, row.Installed) {
			out = append(out, channel)
		} else if err != nil {
			return "" // with that channel it is too large
		}
	}
	switch {
	case len(row.Fixes) == 0 && len(out) > 0:
		return fmt.Sprintf("Subscription %s: channels %v lead on, and none is named", row.Request.Name, out)
	case len(row.Fixes) > 0 && row.Fixes[0].Steps()[0].Field == fixes.FieldChannel && len(row.Fixes[0].Steps()) == 1 && !slices.Contains(out, row.Fixes[0].Steps()[0].To.(string)):
		return fmt.Sprintf("Subscription %s: of the channels only %v lead on, and the fix is to %s", row.Request.Name, out, row.Fixes[0].Text(p.Namespace))
	}
	seen["a way out"] = seen["a way out"] || len(row.Fixes) > 0
	return ""
}

// channelsOf lists the channels of a package.
func channelsOf(p *oracle.Problem, pkg string) []string {
	var names []string
	for _, c := range p.Catalogs {
		for _, known := range c.Packages {
			for _, ch := range known.Channels {
				if known.Name == pkg {
					names = append(names, ch.Name)
				}
			}
		}
	}
	return names
}

// TestOracleTarget limits the first versions of random routes to the cluster's OpenShift:
// the updates that unblock its update are the best of the oracle, and after them nothing
// blocks it.
func TestOracleTarget(t *testing.T) {
	var about features
	target := &resolver.Target{OpenShiftVersion: "4.2"}
	best := func(r *random.Route, limit int) (best [][]string, err error) {
		r.Problem = limited(r)
		for _, c := range r.Problem.Catalogs {
			for _, b := range c.Bundles {
				if b.Package != r.Package || b.Limited {
					continue
				}
				paths, err := oracle.Paths(r.Problem, r.Subscription, b.Name, limit)
				if err != nil {
					return nil, err
				}
				best = append(best, paths...)
			}
		}
		return best, nil
	}
	compared := eachSolved(t, *problems/3, random.Path, best, func(seed uint64, r *random.Route, want [][]string) error {
		about.add(map[string]bool{"unblocked": len(want) > 0})
		in, err := asScenario(nil, r.Problem).Question(t.Context())
		if err != nil {
			return err
		}
		asked := resolver.New()
		rows, err := asked.Status(t.Context(), in.Problem, in.Scopes, target)
		if err != nil {
			return err
		}
		row := rows[slices.IndexFunc(rows, func(row updates.Status) bool { return row.Request.Name == r.Subscription })]
		steps := stepsOf(row.Target.Updates)
		if row.Target.OK() != (len(want) > 0) || row.Target.Refusal == nil || len(want) > 0 != (len(steps) > 0) || len(steps) > 0 && !slices.ContainsFunc(want, func(w []string) bool { return slices.Equal(w, steps) }) {
			return fmt.Errorf("the oracle wants %v\nthe row says %v: %s\n%s", want, steps, row.Target.Reason(), writeFinding(r.Problem, seed))
		}
		now := in.Problem
		for _, step := range row.Target.Updates {
			if step.Resolution == nil {
				now.Cluster = inChannel(now.Cluster, r.Subscription, step.Channel)
			} else {
				now = now.After(step.Resolution)
			}
		}
		there := now
		there.Cluster = now.Cluster.WithObjects(func(o *cluster.Objects) { o.OpenShiftVersion = target.OpenShiftVersion })
		_, before := asked.Resolve(t.Context(), now, in.Scopes[0])
		_, after := asked.Resolve(t.Context(), there, in.Scopes[0])
		if len(steps) > 0 && before == nil && after != nil {
			return fmt.Errorf("after %v nothing can be resolved at the target: %w", steps, after)
		}
		rows, err = asked.Status(t.Context(), now, in.Scopes, target)
		if err != nil {
			return err
		}
		row = rows[slices.IndexFunc(rows, func(row updates.Status) bool { return row.Request.Name == r.Subscription })]
		if len(steps) > 0 && !row.Target.OK() {
			return fmt.Errorf("after %v it is still blocked: %s", steps, row.Target.Reason())
		}
		return nil
	})
	about.report(t, compared)
}

// inChannel changes the channel of a Subscription.
func inChannel(known *cluster.Index, subscription, channel string) *cluster.Index {
	objects := known.Objects()
	objects.Subscriptions = slices.Clone(objects.Subscriptions)
	for i := range objects.Subscriptions {
		if s := &objects.Subscriptions[i]; s.Name == subscription {
			s.Channel = channel
		}
	}
	return cluster.NewIndex(objects)
}

// stepsOf names steps.
func stepsOf(list []updates.Step) []string {
	var names []string
	for _, s := range list {
		names = append(names, s.String())
	}
	return names
}

// limited limits what a route begins with, and all before where it leads.
func limited(r *random.Route) *oracle.Problem {
	p := r.Problem.Clone()
	for i := range p.Installed {
		p.Installed[i].Limited = p.Installed[i].Package == r.Package
	}
	for i := range p.Catalogs {
		for j := range p.Catalogs[i].Bundles {
			b := &p.Catalogs[i].Bundles[j]
			b.Limited = b.Package == r.Package && b.Name < r.To
		}
	}
	return p
}

// TestExtensionStatus compares the rows of random ClusterExtensions with their
// resolutions, and follows the way out of dead ends.
func TestExtensionStatus(t *testing.T) {
	var about features
	eachSeed(t, *problems, func(seed uint64) error {
		p := random.Extension(seed)
		in, err := asScenario(nil, p).Question(t.Context())
		if err != nil {
			return err
		}
		r := resolver.New()
		rows, err := r.Status(t.Context(), in.Problem, in.Scopes, nil)
		if err != nil {
			return err
		}
		row := &rows[0]
		resolution, err := r.Resolve(t.Context(), in.Problem, cluster.OfExtension(random.ExtensionName))
		next := nextOf(resolution, random.ExtensionName, p.Extension.Installed)
		about.add(map[string]bool{string(row.State): true, "a way out": len(row.Fixes) > 0 && row.State == updates.AtDeadEnd})
		want := map[updates.State]bool{
			updates.Failed: err != nil, updates.NotInstalled: next != "" && p.Extension.Installed == "", updates.UpdateAvailable: next != "" && p.Extension.Installed != "",
		}
		wrong := func(text string) error {
			return fmt.Errorf("%s: %+v, next %s\n%s", text, row, next, writeFinding(p, seed))
		}
		justified, _ := r.Justify(t.Context(), in.Problem, cluster.OfExtension(random.ExtensionName))
		switch {
		case row.Next != next || want[row.State] != (err != nil || next != ""):
			return wrong("another next")
		case row.State == updates.Blocked && !isRefusal(row.Why, justified):
			return wrong("no choice is justified by the reason")
		case row.State == updates.AtDeadEnd && len(row.Fixes) > 0 && row.Fixes[0].Steps()[0].Field == fixes.FieldExtensionChannels && len(row.Fixes[0].Steps()) == 1 && row.Fixes[0].Steps()[0].To != nil:
			out := p.Clone()
			out.Extension.Channels = row.Fixes[0].Steps()[0].To.([]string)
			if after, err := oracle.Solve(out, oracleLimit); err == nil && !slices.Contains(after.Replaced, p.Extension.Installed) {
				return wrong("the fix does not lead on")
			}
		}
		return nil
	})
	about.report(t, int64(*problems))
}
