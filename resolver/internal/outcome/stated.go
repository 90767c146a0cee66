package outcome

import (
	"fmt"
	"slices"
	"strings"

	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/inventory"
	"github.com/resolvent/resolvent/resolver/internal/model"
	"github.com/resolvent/resolvent/resolver/internal/reason"
	"github.com/resolvent/resolvent/resolver/internal/request"
	"github.com/resolvent/resolvent/resolver/internal/words"
	"github.com/resolvent/resolvent/resolver/result"
)

// Report is what OLM states of a request.
type Report struct {
	// State follows from it, for the reason Why. Without a State, Why is that what comes next
	// waits for approval.
	State result.State
	Why   *result.Explanation
	// told is the message that Why states, whole.
	told string
	// Conditions are those of the request and its objects that are not harmless.
	Conditions []result.Condition
	// facts are all that is not harmless.
	facts []fact
	// Twins are further InstallPlans that bring the same.
	Twins []result.Reason
	// Repair is what ends the State, nil if OLM does not say it. Fixes end it, too.
	Repair *result.Repair
	Fixes  []result.Fix
	// UnderWay is true if OLM has begun what comes next, and does nothing else before.
	UnderWay bool
	// Installed is the bundle that runs and Next the one that OLM puts in its place, empty if it
	// has made no update.
	Installed, Next string
	// Plan is the InstallPlan that waits for approval if that is the State. Next is then what it
	// brings the request.
	Plan string
	// Rights are those that the account with which OLM installs needs for the InstallPlan of the State
	// and has not, nil if none is missing that is known.
	Rights *request.Rights
}

// Manual names the Subscriptions of a namespace with manual approval.
func Manual(known *cluster.Index, namespace string) (manual []string) {
	for _, s := range known.In(namespace).Subscriptions {
		if s.Manual {
			manual = append(manual, s.Key().String())
		}
	}
	if n := len(manual) - words.MaxNamed + 1; n > 1 { // each row names them
		manual = append(manual[:words.MaxNamed-1], fmt.Sprintf("%d more", n))
	}
	return manual
}

// StatedOf returns what OLM states of a request to which next would come on its way to head. The
// Subscriptions named manual are those of its namespace with manual approval.
func StatedOf(known *cluster.Index, request cluster.RequestKey, manual []string, next, head string) Report {
	if e := known.Extension(request.Extension()); e != nil {
		return ofExtension(known, e)
	}
	o := observe(known, request)
	if o == nil {
		return Report{}
	}
	if !o.request.Manual {
		o.manual = manual
	}
	facts := o.facts()
	report := Report{Conditions: listed(facts), facts: telling(facts), Twins: o.twins()}
	made, replaced := o.made()
	switch f, stated := first(facts); {
	case stated && f.row.State == result.StateUnhealthy:
		report.State, report.Why, report.told = f.row.State, model.Fact(f.why(o.waiting())), words.OneLine(f.message)
		report.Repair, report.Rights = o.granting(o.repair(f), f.message)
		report.Fixes = o.withdrawing(o.csv(f.object), report.Repair)
	case made != nil && o.holds(made, replaced):
		report.State, report.UnderWay, report.Installed, report.Next = result.StateHeld, true, replaced.Name, made.Name
		report.Why, report.Fixes = o.hold(made, replaced)
	case stated && f.row.State == result.StatePendingApproval:
		report.State, report.Plan, report.Next = result.StatePendingApproval, o.plan.Name, o.brings(next)
		report.Why = model.Fact(reason.PendingApproval(o.plan.Name, o.manual))
		report.Fixes = []result.Fix{o.approve(head != "" && report.Next != head)}
		report.Rights = o.missing()
	case stated:
		report.State, report.Why, report.told, report.UnderWay = f.row.State, model.Fact(f.why(o.waiting())), words.OneLine(f.message), true
		report.Repair, report.Rights = o.granting(o.repair(f), f.message)
		if made != nil {
			report.Installed, report.Next = replaced.Name, made.Name
		}
		if report.Repair != nil && report.Repair.Kind == words.RepairReplacesUnmet {
			report.Installed, report.Next = report.Repair.Name, report.Repair.Object.Name
		} else if report.Repair != nil && o.phaseOf(report.Repair.Name) == phaseFailed { // it waits for a failed one, which it replaces
			made, failed := o.csv(report.Repair.Object), inventory.CSV(o.namespace, report.Repair.Name)
			if report.Installed, report.Next = failed.Name, made.Name; report.Repair.Kind == words.RepairReplacesFailed {
				report.Fixes = o.forward(made, failed)
			}
		}
	case o.begins():
		report.State, report.UnderWay = result.StateInstalling, true
		report.Why = model.Fact(reason.InPhase("InstallPlan "+o.plan.Name, "phase "+o.plan.Phase, nil, "", words.ApprovedPlan))
		report.Repair = &result.Repair{Kind: words.RepairGoesOn, Object: o.object(words.ObjectInstallPlan, o.plan.Name), Namespace: request.Namespace, Is: o.plan.Phase}
	case next != "" && (o.request.Manual || len(o.manual) > 0):
		plan := ""
		if len(o.namespace.InstallPlans) == 0 && slices.ContainsFunc(o.request.Observed.Conditions, func(c cluster.Condition) bool {
			return c.Type == "InstallPlanPending" && c.Status == "True" && c.Reason == phaseRequiresApproval
		}) && o.request.Observed.CurrentCSV == next {
			plan = o.request.Observed.InstallPlan // which was not given
		}
		report.Why = model.Fact(reason.Approval(plan, o.manual))
	}
	return report
}

// ofExtension returns what OLM states of a ClusterExtension.
func ofExtension(known *cluster.Index, e *cluster.ClusterExtension) Report {
	facts := factsOfExtension(known, e)
	report := Report{Conditions: listed(facts), facts: telling(facts)}
	if f, ok := first(facts); ok {
		said := []string{strings.TrimSuffix(f.message, "."), unavailable(e.Conditions)}
		f.message = strings.Join(slices.DeleteFunc(said, func(s string) bool { return s == "" }), "; ")
		report.State, report.Why, report.Repair = f.row.State, model.Fact(f.why("")), f.repairOfExtension(known)
	}
	return report
}

// Unsaid returns what OLM states that a row does not say yet.
func (s *Report) Unsaid(row *result.Status) (list []result.Reason) {
	if len(s.facts) == 0 {
		return nil
	}
	text := row.Reason()
	if row.Repair != nil {
		text += "\n" + row.Repair.Stated
	}
	told := ""
	if row.Why == s.Why {
		told = s.told
	}
	for _, r := range row.Remarks {
		text += "\n" + words.OneLine(r.Message())
	}
	for i := range s.facts {
		f := &s.facts[i]
		state := f.row.State
		if message := words.Shortened(strings.TrimSuffix(words.OneLine(f.ofCatalog()), "."), words.MaxQuoted); message != "" && (strings.Contains(text, message) || strings.Contains(told, words.OneLine(f.message))) ||
			message == "" && state != "" && (state != result.StateUnhealthy || state == s.State) {
			continue
		}
		object := ""
		if of := f.object; of.Kind != string(row.Request.Kind) || of.Name != row.Request.Name {
			object = of.Kind + " " + of.Name
		}
		has, status, _ := strings.Cut(f.is, "=")
		if status == "True" && f.object.Kind != words.ObjectExtension && f.object.Kind != words.ObjectClusterCatalog {
			status = ""
		}
		code := f.row.Means
		switch {
		case code == reason.PlanGone && row.Why != nil && slices.Contains([]words.Code{words.PlanLost, words.InstalledGone}, row.Why.Reason.Code()): // it makes none, or nothing runs
			code = reason.StatedByOLM
		case code == reason.ResolvesNow && row.Err != nil:
			code = reason.FailsToo
		case code == "":
			code = reason.StatedByOLM
		}
		list = append(list, reason.Stated(code, object, has, status, words.Shortened(words.OneLine(f.said()), words.MaxQuoted)))
		text += "\n" + words.OneLine(list[len(list)-1].Message())
	}
	return list
}
