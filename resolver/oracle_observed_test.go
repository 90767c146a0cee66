package resolver_test

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/resolvent/resolvent/resolver/internal/oracle"
)

// observedRow is a row of the oracle after what OLM writes in objects: a second reading of
// SPEC.md 11, which shares nothing with the first one but its inputs.
type observedRow struct {
	oracle.Row
	// Approves are all that approving the InstallPlan of the Subscription installs. Deletes is true
	// if it is to be deleted instead; they are then what comes once that is done.
	Approves []string
	Deletes  bool
	// Anew is true if the Subscription is to be deleted and created again.
	Anew bool
	// Conditions are "OBJECT TYPE" for each that is not as it should be.
	Conditions []string
}

// observedBy reads what OLM writes about a Subscription.
type observedBy struct {
	*oracle.Problem
	oracle.Subscription
}

// row is the row of the Subscription after what OLM writes.
func (o observedBy) row(resolved *oracle.Row) observedRow {
	row := observedRow{Row: *resolved, Conditions: o.conditions()}
	plan := o.plan()
	switch made := o.made(); {
	case row.Alone:
	case o.unhealthy():
		row.State = "unhealthy"
	case made != nil && o.refuses(made):
		row.State, row.Installed, row.Next = "held", made.Replaces, made.Name
	case o.inPhase("Pending", "Unknown"), o.inPhase("InstallReady", "Installing"), plan != nil && plan.Phase == "Installing", o.says("BundleUnpacking"), o.begins(plan):
		row.State = "installing"
		if o.inPhase("Pending", "Unknown") {
			row.State = "pending"
		}
		if made != nil {
			row.Installed, row.Next = made.Replaces, made.Name
		}
	case plan != nil && waits(plan):
		row.State, row.Approves = "pendingApproval", slices.DeleteFunc(slices.Clone(plan.CSVs), func(name string) bool { return o.csv(name) != nil })
		switch {
		case slices.Contains(plan.CSVs, o.CurrentCSV):
			row.Next = o.CurrentCSV
		case len(plan.CSVs) == 1:
			row.Next = plan.CSVs[0]
		case !slices.Contains(plan.CSVs, row.Next):
			row.Next = ""
		}
		if slices.ContainsFunc(plan.CSVs, o.offeredByNobody) || o.stale(plan) {
			row.Approves, row.Deletes = o.anew(), true
		}
	case (row.State == "notInstalled" && row.Next != "" || row.State == "waiting") && o.InstalledCSV != "" && len(o.Installed) > 0 && o.csv(o.InstalledCSV) == nil:
		newer := row.Next != cmp.Or(o.CurrentCSV, o.InstalledCSV)
		// OLM takes what comes as installed already, or resolves nothing for what waits for a plan, also
		// where that is complete or gone. What waits for others has to be satisfied first.
		row.Anew = row.State != "waiting" && (!newer || !slices.ContainsFunc(o.Subscriptions, o.wakesOLM))
		row.State = "unhealthy"
	case row.State == "notInstalled" && row.Next != "" && o.InstalledCSV == "" && o.lost() && (row.Next == o.CurrentCSV || !slices.ContainsFunc(o.Subscriptions, o.wakesOLM)):
		row.State, row.Anew = "unhealthy", true
	}
	return row
}

// anew are the bundles that come once the namespace is resolved again, without the Subscriptions
// that have a cause of their own to fail.
func (o observedBy) anew() (names []string) {
	p := o.Problem
	now, err := oracle.Solve(p, oracleLimit)
	if err == nil && !now.Satisfiable {
		partly, wrong := oracle.SolvePartly(oracle.Joint{p}, oracleLimit)
		if wrong != nil {
			return nil
		}
		p = p.Fork()
		p.Subscriptions = slices.DeleteFunc(p.Subscriptions, func(s oracle.Subscription) bool { return slices.Contains(partly[0].LeftOut, s.Name) })
		now, err = oracle.Solve(p, oracleLimit)
	}
	for i := 0; err == nil && i < len(now.Installs); i++ {
		names = append(names, now.Installs[i].Bundle)
	}
	slices.Sort(names)
	return names
}

// offeredByNobody reports whether no catalog that the namespace sees has a bundle.
func (o observedBy) offeredByNobody(name string) bool {
	return (&waitingPlans{p: o.Problem}).bundle(name) == nil
}

// wakesOLM reports whether OLM resolves a namespace for a Subscription: if what it last planned for
// it is there, or if no InstallPlan is left that could bring it.
func (o observedBy) wakesOLM(s oracle.Subscription) bool {
	there := s.State != "UpgradePending"
	if s.CurrentCSV != "" {
		there = o.csv(s.CurrentCSV) != nil
	}
	return there || s.Plan == ""
}

// lost reports whether the Subscription waits for an InstallPlan that is not there.
func (o observedBy) lost() bool {
	gone := len(o.Plans) > 0 && !slices.ContainsFunc(o.Plans, func(p oracle.Plan) bool { return p.Name == o.Plan })
	return o.State == "UpgradePending" && o.Plan != "" && o.csv(o.CurrentCSV) == nil && (gone || o.says("InstallPlanMissing"))
}

// stale reports whether nothing else is to be said of a waiting InstallPlan than that resolving the
// namespace brings something else. It is judged if no other one is the last that waits.
func (o observedBy) stale(plan *oracle.Plan) bool {
	var last string
	for _, p := range o.Plans {
		if waits(&p) {
			last = max(last, p.Name)
		}
	}
	now, err := oracle.Solve(o.Problem, oracleLimit)
	if err != nil || !now.Satisfiable || plan.Name != last {
		return false
	}
	w := &waitingPlans{p: o.Problem}
	refuses := func(name string) bool {
		installed := w.runs(w.bundle(name).Package)
		return installed != "" && installed != name && slices.Contains(o.Held, installed)
	}
	brings := slices.Compact(slices.Sorted(slices.Values(plan.CSVs)))
	comes := o.anew()
	return len(comes) > 0 && !slices.Equal(comes, brings) && !slices.ContainsFunc(brings, refuses)
}

// forgotten are the rows of what is installed, failed or waits, and is of no Subscription: none
// has it or moves to it, no InstallPlan is still to bring it, and it is not part of an update.
// Each is "BUNDLE STATE [CONDITIONS]".
func forgotten(p *oracle.Problem) (rows []string) {
	states := map[string]string{"Failed": "unhealthy", "Pending": "pending", "Unknown": "pending"}
	for _, i := range p.Installed {
		ofSubscription := func(s oracle.Subscription) bool {
			return slices.Contains([]string{s.InstalledCSV, s.CurrentCSV}, i.Name) || i.Replaces != "" && i.Replaces != i.Name && s.InstalledCSV == i.Replaces
		}
		toCome := func(plan oracle.Plan) bool { return plan.Phase != "Complete" && slices.Contains(plan.CSVs, i.Name) }
		replaces := func(by oracle.Installed) bool {
			return by.Name != i.Name && by.Replaces == i.Name && by.LeftOut != "copied" && by.LeftOut != "deleting"
		}
		if state := states[i.Phase]; state != "" && i.LeftOut == "" && !slices.ContainsFunc(p.Subscriptions, ofSubscription) &&
			!slices.ContainsFunc(p.Plans, toCome) && !slices.ContainsFunc(p.Installed, replaces) {
			rows = append(rows, fmt.Sprint(i.Name, " ", state, " ", []string{i.Name + " " + i.Phase}))
		}
	}
	slices.Sort(rows)
	return rows
}

// plan is the InstallPlan that decides about the Subscription, nil if none is known, or if it waits
// and has nothing left to do. Whoever names it, OLM carries out each one that is approved: so one
// that waits is as good as any that has all its bundles, best one that is on its way, else the last.
func (o observedBy) plan() (plan *oracle.Plan) {
	for i := range o.Plans {
		if o.Plans[i].Name == o.Plan && o.Plan != "" {
			plan = &o.Plans[i]
		}
	}
	if plan == nil || !waits(plan) {
		return plan
	}
	var last, going *oracle.Plan
	for i := range o.Plans {
		p := &o.Plans[i]
		if slices.ContainsFunc(plan.CSVs, func(name string) bool { return !slices.Contains(p.CSVs, name) }) {
			continue
		}
		if waits(p) && (last == nil || p.Name > last.Name) {
			last = p
		}
		if going == nil && onItsWay(p.Phase, p.Approved) {
			going = p
		}
	}
	if going != nil {
		return going
	}
	if !slices.ContainsFunc(last.CSVs, func(name string) bool { return o.csv(name) == nil }) {
		return nil
	}
	return last
}

// begins reports whether OLM takes the first step of an InstallPlan next.
func (o observedBy) begins(plan *oracle.Plan) bool {
	return plan != nil && plan.Phase == "RequiresApproval" && plan.Approved && slices.ContainsFunc(plan.CSVs, func(name string) bool { return o.csv(name) == nil })
}

func waits(p *oracle.Plan) bool { return p.Phase == "RequiresApproval" && !p.Approved }

// onItsWay reports whether OLM takes the steps of an InstallPlan, or begins to.
func onItsWay(phase string, approved bool) bool {
	return phase == "Installing" || phase == "RequiresApproval" && approved
}

func (o observedBy) csv(name string) *oracle.Installed {
	i := slices.IndexFunc(o.Installed, func(i oracle.Installed) bool { return i.Name == name })
	if i < 0 {
		return nil
	}
	return &o.Installed[i]
}

func (o observedBy) conditions() (list []string) {
	for _, c := range o.Conditions {
		if c.Status != "False" {
			list = append(list, o.Name+" "+c.Type)
		}
	}
	if plan := o.plan(); plan != nil && (plan.Phase == "Failed" || plan.Phase == "Installing" || waits(plan)) {
		list = append(list, plan.Name+" "+plan.Phase)
	}
	for _, i := range o.Installed {
		if (i.Name == o.InstalledCSV || i.Name == o.CurrentCSV) && i.Phase != "" && i.Phase != "Replacing" && i.LeftOut == "" {
			list = append(list, i.Name+" "+i.Phase)
		}
	}
	for _, c := range o.Catalogs {
		if c.Down && c.Name == o.Source && (o.SourceNamespace == "" || o.SourceNamespace == c.Namespace) {
			list = append(list, c.Name+" TRANSIENT_FAILURE")
		}
	}
	return list
}

// unhealthy reports whether what the Subscription has installed, or installs, failed.
func (o observedBy) unhealthy() bool {
	plan := o.plan()
	return o.inPhase("Failed") || plan != nil && plan.Phase == "Failed" || o.State == "UpgradeFailed" ||
		slices.ContainsFunc(o.Conditions, func(c oracle.Condition) bool {
			return c.Status == "True" && slices.Contains([]string{"BundleUnpackFailed", "InstallPlanFailed"}, c.Type)
		})
}

// says reports whether a condition of the Subscription is True.
func (o observedBy) says(condition string) bool {
	return slices.ContainsFunc(o.Conditions, func(c oracle.Condition) bool { return c.Type == condition && c.Status == "True" })
}

// inPhase reports whether a bundle that the Subscription names is in one of the phases.
func (o observedBy) inPhase(phases ...string) bool {
	return slices.ContainsFunc(o.Installed, func(i oracle.Installed) bool {
		return (i.Name == o.InstalledCSV || i.Name == o.CurrentCSV) && i.LeftOut == "" && slices.Contains(phases, i.Phase)
	})
}

// made is the first bundle that OLM puts in the place of one that still runs, nil if there is
// none.
func (o observedBy) made() *oracle.Installed {
	for _, i := range o.Installed {
		before := o.csv(i.Replaces)
		if (i.Name == o.InstalledCSV || i.Name == o.CurrentCSV) && i.LeftOut == "" && before != nil && before.LeftOut == "replaced" &&
			slices.Contains([]string{"Pending", "Unknown", "InstallReady", "Installing"}, i.Phase) {
			return &i
		}
	}
	return nil
}

// refuses reports whether the operator that runs refuses an update that is made. Without its
// OperatorCondition, what OLM states of the update says so.
func (o observedBy) refuses(made *oracle.Installed) bool {
	return made.Phase == "Pending" && (slices.Contains(o.Held, made.Replaces) || made.Reason == "OperatorConditionNotUpgradeable")
}
