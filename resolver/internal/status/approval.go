package status

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/blang/semver/v4"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/answer"
	"github.com/resolvent/resolvent/resolver/internal/inventory"
	"github.com/resolvent/resolvent/resolver/internal/model"
	"github.com/resolvent/resolvent/resolver/internal/outcome"
	"github.com/resolvent/resolvent/resolver/internal/reason"
	"github.com/resolvent/resolvent/resolver/internal/request"
	"github.com/resolvent/resolvent/resolver/internal/words"
	"github.com/resolvent/resolvent/resolver/internal/world"
	"github.com/resolvent/resolvent/resolver/policy"
	"github.com/resolvent/resolvent/resolver/result"
)

// Approval judges the newest InstallPlan of a namespace that waits for approval. It returns nil
// if none waits: outside of a namespace there is none. The error is an *Incomplete or an *Internal.
func Approval(ctx context.Context, w world.World) (*result.Approval, error) {
	if !request.KindOf(w.In.Scopes[0]).Namespaced {
		return nil, nil
	}
	waiting := inventory.NewestWaiting(w.In.Cluster.In(w.In.Scopes[0].Namespace()), func(*cluster.InstallPlan) bool { return true })
	if waiting == nil {
		return nil, nil
	}
	j := &planJudge{plan: waiting, bundles: words.Distinct(slices.Sorted(slices.Values(waiting.CSVs))), reasons: []result.ApprovalReason{}}
	err := w.With(func(o *policy.Options) { o.NoFixes = true }).Ask(ctx, words.JudgingPlan, func(t *world.Try) error {
		j.t, j.p = t, t.Problem.Scopes[0].Part
		j.judge()
		if err := t.Problem.Model.Pace.Ended(); err != nil || t.Solution != nil {
			return err
		}
		return outcome.Failure(t, t.Failed())
	})
	switch result.Of(err) {
	case result.Resolved:
	case result.ResultIncomplete, result.ResultInternal:
		return nil, err
	default:
		message := words.NamespaceFails(err)
		if e, ok := errors.AsType[*result.CatalogsUnhealthy](err); ok && e.NotGiven() {
			names := words.Mapped(e.Catalogs, func(c result.UnhealthyCatalog) string { return c.Key.String() })
			message = words.NamespaceNotJudged(names)
		}
		j.wait(words.ApprovalUnhealthy, "", "", message)
	}
	verdict := result.VerdictApprove
	if len(j.reasons) > 0 {
		verdict = result.VerdictWait
		slices.SortStableFunc(j.reasons, func(a, b result.ApprovalReason) int {
			return cmp.Compare(slices.Index(weights, a.Kind), slices.Index(weights, b.Kind))
		})
	}
	return &result.Approval{
		Namespace: waiting.Namespace, InstallPlan: waiting.Name, ResourceVersion: waiting.ResourceVersion,
		Verdict: verdict, Bundles: j.bundles, Reasons: j.reasons, Warnings: j.warnings,
	}, nil
}

// weights are the kinds of reasons to wait, those that decide first.
var weights = []string{words.ApprovalDenied, words.ApprovalRefused, words.ApprovalDrops, words.ApprovalUnknown, words.ApprovalHeld, words.ApprovalUnhealthy, words.ApprovalStale}

// planJudge judges an InstallPlan. Without a solution of its namespace it judges what the bundles
// themselves show.
type planJudge struct {
	t       *world.Try
	p       *model.Part
	plan    *cluster.InstallPlan
	bundles []string // those that it brings
	// reasons are those to wait, warnings what to look at besides.
	reasons, warnings []result.ApprovalReason
}

func (j *planJudge) wait(kind, bundle, rule, message string) {
	j.reasons = append(j.reasons, result.ApprovalReason{Kind: kind, Bundle: bundle, Rule: rule, Message: message})
}

// judge notes all reasons to wait.
func (j *planJudge) judge() {
	var changes []policy.Change
	var now []string
	stale := j.t.Solution == nil
	if !stale {
		changes = answer.Changes(j.t.Problem, j.t.Solution, 0)
		for _, c := range changes {
			if c.To != nil {
				now = append(now, c.To.Bundle.Name)
			}
		}
		slices.Sort(now)
		by := inventory.CarriedOut(j.p.State, j.plan)
		if stale = by != nil || !slices.Equal(now, j.bundles); by != nil {
			j.wait(words.ApprovalStale, "", "", words.CarriedOutBy(j.plan.Name, by.Name))
		} else if stale {
			instead := "nothing"
			if len(now) > 0 {
				instead = words.Listed(now, words.MaxNamed)
			}
			j.wait(words.ApprovalStale, "", "", words.BringsOther(j.plan.Name, j.bundles, instead))
		}
	}
	if stale {
		changes = j.planned(changes)
	}
	for _, name := range j.bundles {
		j.bundle(name, stale)
	}
	if rights := request.MissingRights(j.p.In.Cluster, j.plan.Namespace, request.PlannedBy(j.p.In.Cluster, j.plan)...); rights != nil {
		r := rights.Refused(words.ObjectInstallPlan + " " + j.plan.Name)
		j.wait(words.ApprovalRefused, "", "", r.Message())
	}
	effects := j.effects(now)
	if j.p.Judge.Rules().JudgeChanges() {
		j.breaches("", j.p.Judge.Changes(changes, effects))
	}
}

// bundle notes what speaks against a bundle of the plan. If the plan is stale, the answer does not move
// it, and so does not say who refuses.
func (j *planJudge) bundle(name string, stale bool) {
	c, id, b := j.find(name)
	if b == nil {
		if f := quarantined(j.p, name); f != nil {
			j.wait(words.ApprovalStale, name, "", words.CannotBeUsed(name, f.Error()))
		} else {
			j.wait(words.ApprovalUnknown, name, "", words.NoGivenCatalog(name))
		}
		return
	}
	fresh, i := j.p.InstalledIndex(name) < 0, j.installed(b.Package)
	if fresh && i != nil && !i.Version.EQ(semver.Version{}) && b.Version.Major > i.Version.Major { // it may state none
		message := words.NewMajor(b.Version.String(), b.Package, i.Version.String())
		j.warnings = append(j.warnings, result.ApprovalReason{Kind: words.ApprovalMajor, Bundle: name, Message: message})
	}
	// The answer moves nobody who refuses.
	if stale && i != nil && i.Name() != name {
		if held := i.Held(); held != nil {
			j.wait(words.ApprovalHeld, name, "", strings.TrimSpace(words.RefusesUpdates(i.Name(), cmp.Or(held.Message, held.Reason))))
		}
	}
	if !fresh {
		return
	}
	if why := needsNewer(j.p.In.Cluster.ClusterScoped(), b); why != nil {
		j.wait(words.ApprovalRefused, name, "", words.OnceThere(why.Message()))
	}
	refused := request.RefusedDefinitions(j.p.In.Cluster, nil, name, b.Properties)
	if i != nil {
		for _, r := range request.DroppedStored(j.p.In.Cluster, j.plan, i.Properties.GVKs(), name, b.Properties) {
			if inventory.Brings(j.plan, r.Args().Other) == nil { // else effects say so
				refused = append(refused, r)
			}
		}
	}
	for _, r := range refused {
		j.wait(words.ApprovalRefused, name, "", r.Message())
	}
	j.breaches(name, j.p.Judge.Breaches(c, id))
}

// needsNewer returns why the ClusterServiceVersion of a bundle would wait: it needs a newer Kubernetes than
// the OpenShift of the cluster has. That of a Kubernetes that is known is known to resolving.
func needsNewer(c *cluster.Objects, b *catalog.Bundle) *result.Reason {
	openShift, _ := properties.OpenShiftOf(c.OpenShiftVersion)
	has, m := openShift.Kubernetes(), b.Properties.Metadata()
	if has == "" || c.KubernetesVersion != "" || m == nil {
		return nil
	}
	least, err := semver.ParseTolerant(m.MinKubeVersion)
	if now, ok := properties.OpenShiftOf(has); err != nil || !ok || now.Compare(properties.MajorMinor{Major: least.Major, Minor: least.Minor}) >= 0 {
		return nil
	}
	return new(reason.Kubernetes(reason.Bundle(b.Name, ""), m.MinKubeVersion, has))
}

// breaches notes the rules that deny a bundle, or all changes if the name is empty.
func (j *planJudge) breaches(bundle string, list []policy.Breach) {
	about := cmp.Or(bundle, "what InstallPlan "+j.plan.Name+" brings")
	for _, b := range list {
		r := result.ApprovalReason{Kind: words.ApprovalDenied, Bundle: bundle, Rule: b.Rule.String(), Message: about + " is denied: " + b.String()}
		if b.Rule.Warn {
			r.Kind, r.Message = words.ApprovalPolicy, about+": "+b.String()
			j.warnings = append(j.warnings, r)
			continue
		}
		j.reasons = append(j.reasons, r)
	}
}

// find returns a bundle by name, with its catalog, nil if no catalog that the namespace sees has
// it.
func (j *planJudge) find(name string) (int, catalog.ID, *catalog.Bundle) { return find(j.p, name) }

func find(p *model.Part, name string) (int, catalog.ID, *catalog.Bundle) {
	for c := range p.Catalogs {
		s := p.Catalogs[c].Snapshot
		for _, id := range s.Named(name) {
			return c, id, s.Bundle(id)
		}
	}
	return 0, 0, nil
}

// quarantined returns the fault because of which a bundle that a catalog has cannot be used, nil
// if there is none.
func quarantined(p *model.Part, name string) *catalog.Fault {
	for c := range p.Catalogs {
		for _, f := range p.Catalogs[c].Snapshot.Faults() {
			if f.Quarantines && f.Bundle == name {
				return &f
			}
		}
	}
	return nil
}

// installed returns the installed bundle of a package, nil if there is none.
func (j *planJudge) installed(pkg string) *model.InstalledBundle {
	for i := range j.p.Installed {
		if b := &j.p.Installed[i]; !b.Foreign && (b.PackageName() == pkg || slices.Contains(b.Packages, pkg)) {
			return b
		}
	}
	return nil
}

// planned returns what the InstallPlan changes, as rules read it. What requires a bundle is known
// of those that resolving brings, too.
func (j *planJudge) planned(now []policy.Change) []policy.Change {
	var list []policy.Change
	for _, name := range j.bundles {
		c, _, b := j.find(name)
		if b == nil || j.p.InstalledIndex(name) >= 0 {
			continue
		}
		change := policy.Change{Kind: words.ChangeInstall, To: j.p.Judge.Offered(c, b)}
		change.Requested = slices.ContainsFunc(j.p.State.Subscriptions, func(s cluster.Subscription) bool { return s.Package == b.Package })
		change.Dependency = !change.Requested
		if n := slices.IndexFunc(now, func(c policy.Change) bool { return c.To != nil && c.To.Bundle.Name == name }); n >= 0 {
			change.Dependency, change.RequiredBy = now[n].Dependency, now[n].RequiredBy
		}
		if i := j.installed(b.Package); i != nil {
			change.Kind, change.From = words.ChangeUpdate, j.p.Judge.Bundle(j.p.InstalledVar(j.p.InstalledIndex(i.Name())))
			if b.Version.LT(change.From.Version) {
				change.Kind = words.ChangeDowngrade
			}
		}
		list = append(list, change)
	}
	return list
}
