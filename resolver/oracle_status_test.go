package resolver_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/resolver"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/oracle"
	"github.com/resolvent/resolvent/resolver/internal/oracle/random"
	"github.com/resolvent/resolvent/resolver/internal/words"
	"github.com/resolvent/resolvent/resolver/result"
)

// TestOracleStatus compares the rows of random problems with what the oracle reads of them,
// and follows the way out of dead ends.
func TestOracleStatus(t *testing.T) {
	var about features
	compared := eachSolved(t, *problems, random.Observed, oracle.Rows, func(seed uint64, p *oracle.Problem, want map[string]*oracle.Row) error {
		states := map[string]bool{}
		err := agreement(seed, p, want, oracle.Rows, func(p *oracle.Problem, want map[string]*oracle.Row) string {
			return statusDisagreement(t.Context(), p, want, states)
		})
		about.add(states)
		return err
	})
	about.report(t, compared)
}

// What is installed for another request, and requires what a row has, keeps that: the row says so,
// and not that the other bundle satisfies it.
func TestStatusKeptByItsUpdate(t *testing.T) {
	for _, seed := range []uint64{770090, 773930} {
		p := random.Observed(seed)
		want, err := oracle.Rows(p, oracleLimit)
		require.NoError(t, err)
		states := map[string]bool{}
		assert.Empty(t, statusDisagreement(t.Context(), p, want, states))
		assert.True(t, states["kept"], seed)
	}
}

// statusDisagreement says which row is not what the oracle wants. It notes the states of
// the rows.
func statusDisagreement(ctx context.Context, p *oracle.Problem, all map[string]*oracle.Row, states map[string]bool) string {
	if all == nil {
		return ""
	}
	stay, err := kept(p, all)
	if err != nil {
		return ""
	}
	in, err := asScenario(nil, p).Question(ctx)
	if err != nil {
		return err.Error()
	}
	r := resolver.New()
	rows, err := r.Status(ctx, in.Problem, in.Scopes, nil)
	if err != nil {
		return err.Error()
	}
	var unasked []string
	rows = slices.DeleteFunc(rows, func(row result.Status) bool {
		if row.Request.Name != "" {
			return false
		}
		unasked = append(unasked, fmt.Sprint(row.Installed, " ", row.State, " ", conditionsOf(&row)))
		states["without Subscription"] = true
		if row.Reason() == "" {
			unasked = append(unasked, "no reason")
		}
		return true
	})
	if slices.Sort(unasked); !slices.Equal(unasked, forgotten(p)) {
		return fmt.Sprintf("without Subscription: want %q; the rows say %q", forgotten(p), unasked)
	}
	if len(rows) != len(p.Subscriptions) {
		return fmt.Sprintf("%d rows for %d Subscriptions", len(rows), len(p.Subscriptions))
	}
	in.Problem.Options.NoFixes = true
	refusals, err := r.Justify(ctx, in.Problem, in.Scopes[0])
	for i := range rows {
		row := &rows[i]
		states[string(row.State)] = true
		at := slices.IndexFunc(p.Subscriptions, func(s oracle.Subscription) bool { return s.Name == row.Request.Name })
		resolved := *all[row.Request.Name]
		if stay[row.Request.Name] && resolved.State == "blocked" {
			resolved.State = "kept"
		}
		if len(row.Awaited) > 0 && resolved.State == "blocked" { // TestAwaited lets that happen
			resolved.State = "waiting"
		}
		want := observedBy{p, p.Subscriptions[at]}.row(&resolved)
		var approves []string
		var deletes bool
		pending := row.State == result.StatePendingApproval && len(row.Fixes) == 1 && row.Fixes[0].Changes[0].Object.Kind == words.ObjectInstallPlan
		if pending {
			for _, u := range row.Fixes[0].Then.Updates {
				approves = append(approves, u.To.Bundle.Name)
			}
			for _, v := range row.Fixes[0].Then.Installs {
				approves = append(approves, v.Bundle.Name)
			}
			slices.Sort(approves)
			if deletes = isDeleted(row.Fixes[0].Changes[0].Steps[0]); !deletes && row.Fixes[0].Steps()[0].Field != words.FieldApproved {
				return fmt.Sprintf("Subscription %s: its InstallPlan is neither approved nor deleted by %s", row.Request.Name, row.Fixes[0].Text(p.Namespace))
			}
		} else if row.State == result.StatePendingApproval && row.Approval != nil && len(row.Fixes) == 0 && (row.Approval.Waits() || row.Approval.InstallPlan != p.Subscriptions[at].Plan) {
			pending, approves = true, want.Approves // nobody should approve them now
		}
		if row.State == result.StateUnhealthy && len(row.Fixes) == 1 && row.Fixes[0].Changes[0].Object.Kind == words.ObjectInstallPlan {
			deletes, approves = isDeleted(row.Fixes[0].Changes[0].Steps[0]), []string{row.Fixes[0].Then.Installs[0].Bundle.Name}
		}
		got := observedRow{oracle.Row{State: string(row.State), Alone: want.Alone, Standing: want.Standing, Next: row.Next}, approves, deletes, isAnew(row), conditionsOf(row)}
		for what, is := range map[string]bool{"a plan is deleted": deletes, "a Subscription anew": got.Anew} {
			if is {
				states[what] = true
			}
		}
		if got.Installed, got.Head = row.Installed, row.Head; fmt.Sprintf("%+v", got) != fmt.Sprintf("%+v", want) {
			return fmt.Sprintf("Subscription %s: want %+v; the row says %+v", row.Request.Name, want, got)
		}
		switch state := row.State; {
		case pending || slices.Contains([]result.State{result.StateUnhealthy, result.StatePending, result.StateInstalling, result.StateHeld}, state):
			if row.Reason() == "" {
				return fmt.Sprintf("Subscription %s is %s, and has no reason", row.Request.Name, state)
			}
			if strings.Contains(row.Reason(), words.ApprovedPlan) {
				states["an approved plan"] = true
			}
		case (row.Reason() == "") != (state != result.StateFailed && state != result.StateWaiting && cmp.Or(want.Next, want.Installed) == want.Head && (state != result.StateNotInstalled || want.Next != "")):
			return fmt.Sprintf("Subscription %s is %s at %s %s of %s, and its reason is %q", row.Request.Name, row.State, row.Installed, row.Next, row.Head, row.Reason())
		case (state == result.StateBlocked || len(row.Awaited) > 0) && err == nil && !isRefusal(row.Why, refusals) && !shared(p, row):
			return fmt.Sprintf("Subscription %s: no choice is justified by %s", row.Request.Name, row.Why)
		case state == result.StateAtDeadEnd && err == nil:
			if text := wayOut(p, row, states); text != "" {
				return text
			}
		}
	}
	return ""
}

// conditionsOf are "OBJECT TYPE" of what a row states.
func conditionsOf(row *result.Status) (list []string) {
	for _, c := range row.Conditions {
		list = append(list, c.Object.Name+" "+c.Type)
	}
	return list
}

// isDeleted reports whether a step deletes its object.
func isDeleted(s result.Step) bool { return s.Field == "" && s.Create == nil && s.Wait == nil }

// isAnew reports whether the first fix of what is unhealthy deletes its Subscription and creates
// it as it was, with nothing installed.
func isAnew(row *result.Status) bool {
	if row.State != result.StateUnhealthy || len(row.Fixes) == 0 {
		return false
	}
	steps := row.Fixes[0].Steps()
	if len(row.Fixes[0].Changes) != 1 || len(steps) != 2 || !isDeleted(steps[0]) || steps[0].Object.Kind != words.ObjectSubscription || steps[1].Create == nil {
		return false
	}
	made := steps[1].Create.Subscriptions
	return len(made) == 1 && made[0].Key() == row.Request && made[0].InstalledCSV == "" && made[0].Observed.CurrentCSV == ""
}

// nextOf is the bundle that takes the place of what a ClusterExtension has installed, or that
// is installed for it.
func nextOf(r *result.Resolution, extension string) string {
	if r != nil {
		for _, install := range r.Installs {
			if slices.ContainsFunc(install.For, func(o result.Obligation) bool { return o.Request.Name == extension }) {
				return install.Bundle.Name
			}
		}
	}
	return ""
}

// shared reports whether several Subscriptions may be satisfied by what one of them has
// installed: it is then justified for the first of them.
func shared(p *oracle.Problem, row *result.Status) bool {
	n, at := 0, slices.IndexFunc(p.Installed, func(i oracle.Installed) bool { return i.Name == row.Installed })
	for _, s := range p.Subscriptions {
		if s.InstalledCSV == row.Installed || s.Package == row.Package || at >= 0 && s.Package == p.Installed[at].Package {
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
func wayOut(p *oracle.Problem, row *result.Status, seen map[string]bool) string {
	var out []string
	for _, channel := range channelsOf(p, row.Package) {
		c := p.Fork()
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
	case len(row.Fixes) > 0 && row.Fixes[0].Steps()[0].Field == words.FieldChannel && len(row.Fixes[0].Steps()) == 1 && !slices.Contains(out, row.Fixes[0].Steps()[0].To.(string)):
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
		in.Problem.Options.NoFixes = true
		asked := resolver.New()
		rows, err := asked.Status(t.Context(), in.Problem, in.Scopes, target)
		if err != nil {
			return err
		}
		row := rows[slices.IndexFunc(rows, func(row result.Status) bool { return row.Request.Name == r.Subscription })]
		steps := stepsOf(row.Target.Updates)
		if row.Target.OK() {
			if text := executed(r.Problem, rows); text != "" {
				return fmt.Errorf("%s: %v\n%s", text, steps, writeFinding(r.Problem, seed))
			}
		}
		// The oracle does not try to let others stay behind, or go ahead.
		if row.Target.OK() && (len(want) == 0 || changes([][]string{steps}) < changes(want)) {
			return nil
		}
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
		row = rows[slices.IndexFunc(rows, func(row result.Status) bool { return row.Request.Name == r.Subscription })]
		if len(steps) > 0 && !row.Target.OK() {
			return fmt.Errorf("after %v it is still blocked: %s", steps, row.Target.Reason())
		}
		return nil
	})
	about.report(t, compared)
}

// executed takes the steps of all rows in turn. It says which one cannot be taken, or what
// still blocks the target.
func executed(p *oracle.Problem, rows []result.Status) string {
	type turn struct {
		to, from        map[string]string // bundles and their catalogs
		request, change string
	}
	turns := map[int]*turn{}
	for _, row := range rows {
		for _, s := range row.Target.Updates {
			if turns[s.Turn] == nil {
				turns[s.Turn] = &turn{to: map[string]string{}, from: map[string]string{}}
			}
			for k := 0; s.Resolution != nil && k < len(s.Resolution.Installs); k++ {
				if b := s.Resolution.Installs[k].Bundle; b.Name == s.Bundle {
					turns[s.Turn].from[row.Request.Name] = b.Catalog.String()
				}
			}
			turns[s.Turn].to[row.Request.Name] = s.Bundle
			turns[s.Turn].request, turns[s.Turn].change = row.Request.Name, s.Channel
		}
	}
	for k := range len(turns) {
		t := turns[k]
		if t == nil {
			return fmt.Sprintf("turn %d of %d is of no row", k, len(turns))
		}
		if t.change != "" {
			p = p.Fork()
			for i := range p.Subscriptions {
				if s := &p.Subscriptions[i]; s.Name == t.request {
					s.Channel = t.change
				}
			}
			continue
		}
		c := p.Clone()
		for _, s := range p.Subscriptions {
			switch bundle := t.to[s.Name]; {
			case bundle != "":
				for k := range c.Catalogs {
					from := &c.Catalogs[k]
					from.Bundles = slices.DeleteFunc(from.Bundles, func(b oracle.Bundle) bool {
						return b.Package == s.Package && (b.Name != bundle || from.Namespace+"/"+from.Name != t.from[s.Name])
					})
				}
			case s.InstalledCSV != "":
				c.Held = append(c.Held, s.InstalledCSV)
			}
		}
		after, err := oracle.After(c, oracleLimit)
		if errors.Is(err, oracle.ErrTooLarge) {
			return ""
		}
		if after == nil || slices.ContainsFunc(after.Subscriptions, func(s oracle.Subscription) bool { return t.to[s.Name] != "" && t.to[s.Name] != s.InstalledCSV }) {
			return fmt.Sprintf("turn %d, %v, is not possible", k, t.to)
		}
		after.Held, after.Catalogs = p.Held, p.Catalogs
		p = after
	}
	for _, c := range p.Catalogs {
		for _, b := range c.Bundles {
			if b.Limited && slices.ContainsFunc(p.Installed, func(i oracle.Installed) bool { return i.Name == b.Name }) {
				return fmt.Sprintf("in the end %s may not run at the target", b.Name)
			}
		}
	}
	return ""
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
func stepsOf(list []result.PathStep) []string {
	var names []string
	for _, s := range list {
		names = append(names, s.String())
	}
	return names
}

// named is the problem as status and approvals judge it.
func named(p *oracle.Problem) *oracle.Problem {
	p.NamedUpdates = true
	return p
}

// limited limits what a route begins with, and all before where it leads.
func limited(r *random.Route) *oracle.Problem {
	p := named(r.Problem.Clone())
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
		in.Problem.Options.NoFixes = true
		resolution, err := r.Resolve(t.Context(), in.Problem, cluster.OfExtension(random.ExtensionName))
		next := nextOf(resolution, random.ExtensionName)
		about.add(map[string]bool{string(row.State): true, "a way out": len(row.Fixes) > 0 && row.State == result.StateAtDeadEnd})
		want := map[result.State]bool{
			result.StateFailed: err != nil, result.StateNotInstalled: next != "" && p.Extension.Installed == "", result.StateUpdateAvailable: next != "" && p.Extension.Installed != "",
		}
		wrong := func(text string) error {
			return fmt.Errorf("%s: %+v, next %s\n%s", text, row, next, writeFinding(p, seed))
		}
		justified, _ := r.Justify(t.Context(), in.Problem, cluster.OfExtension(random.ExtensionName))
		switch {
		case row.Next != next || want[row.State] != (err != nil || next != ""):
			return wrong("another next")
		case row.State == result.StateBlocked && !isRefusal(row.Why, justified):
			return wrong("no choice is justified by the reason")
		case row.State == result.StateAtDeadEnd && len(row.Fixes) > 0 && row.Fixes[0].Steps()[0].Field == words.FieldExtensionChannels && len(row.Fixes[0].Steps()) == 1 && row.Fixes[0].Steps()[0].To != nil:
			out := p.Fork()
			out.Extension.Channels = row.Fixes[0].Steps()[0].To.([]string)
			if after, err := oracle.Solve(out, oracleLimit); err == nil && !slices.Contains(after.Replaced, p.Extension.Installed) {
				return wrong("the fix does not lead on")
			}
		}
		return nil
	})
	about.report(t, int64(*problems))
}
