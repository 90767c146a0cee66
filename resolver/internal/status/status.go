// Package status finds how each request of a scope stands: what it has installed, what comes next
// and why not the head, what OLM states of it, and whether what waits may be approved. It also
// finds the updates on the way to something: those of one request to a version, and those of all
// requests of a scope before the cluster itself is updated, hop by hop. The search over update
// edges is in package route.
package status

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/answer"
	"github.com/resolvent/resolvent/resolver/internal/inventory"
	"github.com/resolvent/resolvent/resolver/internal/model"
	"github.com/resolvent/resolvent/resolver/internal/outcome"
	"github.com/resolvent/resolvent/resolver/internal/pace"
	"github.com/resolvent/resolvent/resolver/internal/request"
	"github.com/resolvent/resolvent/resolver/internal/words"
	"github.com/resolvent/resolvent/resolver/internal/world"
	"github.com/resolvent/resolvent/resolver/result"
)

// Of returns the status of each request of one scope. The error is an *Incomplete or an
// *Internal.
func Of(ctx context.Context, w world.World) ([]result.Status, error) {
	approval, err := Approval(ctx, w)
	if err != nil {
		return nil, err
	}
	return rowsOf(ctx, w, approval)
}

// Requests is [Of] without a look at what waits for approval.
func Requests(ctx context.Context, w world.World) ([]result.Status, error) {
	return rowsOf(ctx, w, nil)
}

func rowsOf(ctx context.Context, w world.World, approval *result.Approval) (list []result.Status, err error) {
	defer pace.Recover(&err, words.FindingStatus, w.In.Subject)
	resolved, err := resolve(ctx, w)
	if err != nil {
		return nil, err
	}
	manual := outcome.Manual(w.In.Cluster, w.In.Scopes[0].Namespace())
	rows := make([]result.Status, len(resolved))
	anew := planning{w: w, rows: resolved, manual: len(manual) > 0}
	for i, asResolved := range resolved {
		stated := outcome.StatedOf(w.In.Cluster, asResolved.Request, manual, asResolved.Next, asResolved.Head)
		rows[i] = row(asResolved, stated, &w.In, approval, len(manual) > 0)
		if rows[i].State == result.StatePendingApproval && (anew.gone(ctx, stated.Plan) || anew.stale(ctx, stated.Plan, approval)) {
			rows[i].Fixes = []result.Fix{anew.fix(ctx, stated.Plan)}
			rows[i].Remarks = slices.DeleteFunc(rows[i].Remarks, func(r result.Reason) bool { return r.Code() == words.TwinPlan }) // it is needed
		} else if rows[i].State == result.StateFailed && rows[i].Repair == nil {
			rows[i].Repair = anew.repair(ctx, asResolved.Request)
		}
		if approval != nil && !approval.Waits() { // it is needed
			rows[i].Remarks = slices.DeleteFunc(rows[i].Remarks, func(r result.Reason) bool {
				return r.Code() == words.PlanDone && r.Args().Subject == approval.InstallPlan
			})
		}
		rows[i].Repair = below(ctx, w, &rows[i])
		if anew.t != nil && ctx.Err() != nil {
			rows[i].Search = result.SearchCanceled
		}
	}
	shareUnpacking(rows)
	for i, help := range await(ctx, w, rows) {
		rows[i].State, rows[i].Awaited, rows[i].Follows = result.StateWaiting, help.Awaited, help.Follows
	}
	return rows, nil
}

// below returns the repair of a row. That of a ClusterExtension whose next version OLM v1 refuses also has the range
// that keeps that version out, and the lower update that OLM v1 then takes, if there is one.
func below(ctx context.Context, w world.World, row *result.Status) *result.Repair {
	e := w.In.Cluster.Extension(row.Request.Extension())
	if e == nil || e.Installed == nil || row.Repair == nil || row.Repair.Kind != words.RepairDefinition {
		return row.Repair
	}
	refused := row.Repair.Said
	if refused == "" || refused != row.Versions[row.Next] || strings.Contains(e.Version, "||") { // OLM v1 then takes another one, or more than a range is stated
		return row.Repair
	}
	into := "<" + refused
	if e.Version != "" && (!strings.HasPrefix(e.Version, "<") || strings.ContainsAny(e.Version, " ,")) {
		into = e.Version + " " + into
	}
	o := result.Object{Kind: words.ObjectExtension, Name: e.Name}
	narrow, err := w.Apply([]result.Step{{Object: o, Field: words.FieldExtensionVersion, From: e.Version, To: into}})
	if err != nil {
		return row.Repair
	}
	r := *row.Repair
	if t := narrow.Satisfy(ctx); t.Solution != nil {
		for _, c := range answer.Changes(t.Problem, t.Solution, 0) {
			if c.Kind == words.ChangeUpdate {
				r.Into, r.By = into, c.To.Bundle.Name
			}
		}
	}
	return &r
}

// row puts the row of a request together: as it stands by what resolving its scope says, unless
// what OLM states comes first in the order of [result.State].
func row(joined result.Status, stated outcome.Report, in *model.Inputs, approval *result.Approval, manual bool) result.Status {
	joined.Conditions, joined.Approval = stated.Conditions, approval
	gone := outcome.Gone(in.Cluster, &joined, manual)
	fits := stated.Repair != nil && stated.Repair.Kind == words.RepairOnceGroupFits
	switch {
	case joined.State == result.StateNotJudged, joined.State == result.StateFailed:
		_, invalid := errors.AsType[*result.InvalidInput](joined.Err)
		named := fits && invalid && in.Cluster.HasGroups() && len(in.Cluster.In(joined.Request.Namespace).Groups) != 1 // the failure names what is wrong
		if r := stated.Repair; r != nil && stated.State == result.StateUnhealthy && r.Object.Kind == words.ObjectCSV && !named {
			joined.Repair = r // it fails whatever catalogs have
		}
	case stated.State == result.StateUnhealthy, stated.State == result.StateInstalling && !stated.UnderWay: // or a ClusterExtension
		joined.State, joined.Why, joined.Repair = stated.State, stated.Why, stated.Repair
		if len(stated.Fixes) > 0 {
			joined.Fixes = stated.Fixes
		}
		if len(joined.Fixes) > 0 && fits {
			joined.Repair = nil // the fixes say how
		}
		if joined.Next == "" && len(joined.Fixes) > 0 && joined.Fixes[0].FailsForward() { // it comes after the repair, too
			for _, u := range joined.Fixes[0].Then.Updates {
				if u.From.Bundle.Name == joined.Installed {
					joined.Next = u.To.Bundle.Name
				}
			}
		}
		if stated.Rights != nil {
			joined.Fixes = []result.Fix{stated.Rights.Fix(in.Cluster, cmp.Or(joined.Next, joined.Installed, joined.Package))}
			joined.Fixes[0].Then.Stays = true
		}
	case stated.UnderWay: // Pending, Installing, or Held of an update that is made
		joined.State, joined.Why = stated.State, stated.Why
		joined.Help = result.Help{Home: joined.Home, Conditions: joined.Conditions, Fixes: stated.Fixes, Repair: stated.Repair} // more would be about the update after this one
		if stated.Next != "" {
			if joined.Steps > 0 || stated.Next == joined.Head {
				joined.Steps++
			}
			joined.Installed, joined.Next = stated.Installed, stated.Next
		}
	case stated.State == result.StatePendingApproval:
		fixes := stated.Fixes
		if approval != nil && (approval.Waits() || stated.Plan != approval.InstallPlan) {
			fixes = nil // they approve it
		}
		if joined.Repair == nil {
			joined.Repair = storedBefore(in, &joined, &stated)
		}
		if r := joined.Repair; r != nil && r.Kind == words.RepairStored { // the plan is to be approved after it
			after := *r
			after.Waiting, joined.Repair = stated.Plan, &after
		}
		if stated.Rights != nil {
			fixes = []result.Fix{stated.Rights.Fix(in.Cluster, cmp.Or(stated.Next, joined.Package))}
			fixes[0].Then, fixes[0].Approval = stated.Fixes[0].Then, true
		}
		joined.State, joined.Why, joined.Next, joined.Fixes = stated.State, stated.Why, stated.Next, fixes
	case gone.State != "":
		joined.State, joined.Why, joined.Help = gone.State, gone.Why, result.Help{Home: joined.Home, Conditions: joined.Conditions, Fixes: gone.Fixes, Repair: gone.Repair}
	case joined.State == result.StateAtDeadEnd, joined.State == result.StateBlocked:
		if in.Cluster.Subscription(joined.Request) != nil && !slices.ContainsFunc(joined.Remarks, request.ComesBy) {
			joined.Runs, joined.Until = outcome.Runs(joined.Fixes, in.Cluster, joined.Request)
		}
	case joined.Next != "" && stated.Why != nil: // NotInstalled or UpdateAvailable, once approved
		joined.Why = stated.Why
	}
	if joined.Repair != nil {
		joined.Repair = detailed(in, &joined)
	}
	joined.Remarks = append(append(joined.Remarks, stated.Unsaid(&joined)...), stated.Twins...)
	joined.Versions = Versions(in, &joined)
	return joined
}

// detailed returns the repair of a row with what the catalogs tell of it: what OLM names the Job that unpacks
// the bundle after, or the channels that lead to a bundle of another namespace.
func detailed(in *model.Inputs, row *result.Status) *result.Repair {
	r, s := *row.Repair, in.Cluster.Subscription(row.Request)
	pkg, next := offered(in, s, row.Next)
	switch {
	case pkg == nil:
	case r.Kind == words.RepairUnpackAgain && next != nil && next.Image != "":
		r.Name = words.UnpackedAs(next.Image)
	case r.Kind == words.RepairStoredAhead:
		var channels []string
		for _, c := range pkg.Channels {
			if c.Entry(r.By) != nil && c.Name != s.Channel {
				channels = append(channels, c.Name)
			}
		}
		r.Into = words.Either(channels)
	}
	return &r
}

// offered returns the package that a Subscription names in its catalog, and the bundle of that name there;
// nil for what the catalog does not have.
func offered(in *model.Inputs, s *cluster.Subscription, name string) (*catalog.Package, *catalog.Bundle) {
	if s == nil {
		return nil, nil
	}
	from := in.View.Catalog(catalog.Key{Namespace: s.CatalogNamespace, Name: s.Catalog})
	if from == nil || from.Snapshot == nil {
		return nil, nil
	}
	return from.Snapshot.Package(s.Package), from.Snapshot.Find(s.Package, name)
}

// storedBefore returns what to do before an update if resources may be stored in a version that it seems
// to drop, nil if none is known.
func storedBefore(in *model.Inputs, row *result.Status, stated *outcome.Report) *result.Repair {
	s := in.Cluster.Subscription(row.Request)
	_, b := offered(in, s, stated.Next)
	if b == nil {
		return nil
	}
	n := in.Cluster.In(s.Namespace)
	v, plan := inventory.CSV(n, s.InstalledCSV), inventory.Plan(n, stated.Plan)
	if v == nil {
		return nil
	}
	for _, r := range request.DroppedStored(in.Cluster, plan, v.Provides, b.Name, b.Properties) {
		return request.StoredRepair(&r, in.Cluster.Definition(r.Args().Other), inventory.Brings(plan, r.Args().Other))
	}
	return nil
}

// shareUnpacking names the Job of the only bundle of a namespace that comes in all its rows: OLM states on
// each Subscription that it could not be unpacked.
func shareUnpacking(rows []result.Status) {
	var names []string
	unpacks := func(r *result.Repair) bool { return r != nil && r.Kind == words.RepairUnpackAgain }
	for i := range rows {
		if r := rows[i].Repair; unpacks(r) && r.Name != "" {
			names = append(names, r.Name)
		}
	}
	for i := range rows {
		if r := rows[i].Repair; unpacks(r) && len(names) == 1 {
			r.Name = names[0]
		}
	}
}

// Versions returns the versions of the bundles that a row names: what the cluster states of
// the installed one, else what catalogs state, that of the row first. Only of what no catalog has
// counts what the cluster states: another package may have a bundle of the same name.
func Versions(in *model.Inputs, row *result.Status) map[string]string {
	versions := map[string]string{}
	note := func(name, version string) {
		if name != "" && version != "" && versions[name] == "" {
			versions[name] = version
		}
	}
	stated := func(name string) {
		note(name, request.KindOf(row.Request.Scope()).VersionOf(in.Cluster, row.Request, name))
	}
	names := []string{row.Installed, row.Next, row.Head}
	stated(row.Installed)
	for _, own := range []bool{true, false} {
		for c := range in.View.Catalogs() {
			if c.Snapshot == nil || own != (c.Key == row.Catalog) {
				continue
			}
			for _, name := range names {
				if versions[name] != "" {
				} else if b := c.Snapshot.Find(row.Package, name); b != nil {
					note(name, b.Version.String())
				}
			}
		}
	}
	for _, name := range names {
		stated(name)
	}
	return versions
}

// rowOf returns the row of a request, nil if it has none.
func rowOf(rows []result.Status, key cluster.RequestKey) *result.Status {
	if i := slices.IndexFunc(rows, func(row result.Status) bool { return row.Request == key }); i >= 0 {
		return &rows[i]
	}
	return nil
}
