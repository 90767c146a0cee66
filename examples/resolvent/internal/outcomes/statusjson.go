package outcomes

import (
	"cmp"
	"context"
	"io"
	"slices"
	"strings"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/examples/resolvent/internal/overview"
	"github.com/resolvent/resolvent/examples/resolvent/internal/terminal"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/result"
)

// statusJSON is one of several clusters for programs.
type statusJSON struct {
	Cluster string    `json:"cluster"`
	Error   string    `json:"error,omitempty"`
	Rows    []rowJSON `json:"rows"`
	besideRowsJSON
}

// besideRowsJSON is what all rows of a cluster have in common.
type besideRowsJSON struct {
	// After are the fixes after which the rows stand so: they were tried, and nothing was changed.
	After []string  `json:"after,omitempty"`
	Plan  *planJSON `json:"plan,omitempty"`
	// Approvals are the verdicts on all InstallPlans that wait for approval.
	Approvals []*result.Approval `json:"approvals,omitempty"`
	// Together are fixes of several causes that only help together.
	Together []changeJSON `json:"together,omitempty"`
}

// planJSON is what is to be done before the cluster is updated, one minor after another.
type planJSON struct {
	OK   bool      `json:"ok"`
	Hops []hopJSON `json:"hops"`
}

type hopJSON struct {
	To      string          `json:"to"`
	Before  []hopStepJSON   `json:"before"`
	Blocked []hopReasonJSON `json:"blocked"`
}

type hopStepJSON struct {
	Request cluster.RequestKey `json:"request"`
	Channel string             `json:"channel,omitempty"`
	Bundle  string             `json:"bundle"`
	// After are updates of other requests of the namespace that come before, With those that
	// are made at once with this one.
	After    []result.Move `json:"after,omitempty"`
	With     []result.Move `json:"with,omitempty"`
	ByItself bool          `json:"byItself"`
	turn     int
}

type hopReasonJSON struct {
	Request cluster.RequestKey `json:"request"`
	Reason  string             `json:"reason"`
	Until   string             `json:"until"`
}

// planOf is the plan of all rows, nil without a target.
func planOf(rows []result.Status) *planJSON {
	if len(rows) == 0 || rows[0].Target == nil {
		return nil
	}
	plan := &planJSON{OK: true}
	for _, hop := range rows[0].Target.Hops {
		h := hopJSON{To: hop}
		for i := range rows {
			r := &rows[i]
			plan.OK = plan.OK && r.Target.OK()
			for _, s := range overview.StepsBefore(r, hop) {
				h.Before = append(h.Before, hopStepJSON{r.Request, s.Channel, s.Bundle, s.After, s.With, s.ByItself, s.Turn})
			}
			if overview.Blocks(r, hop) {
				h.Blocked = append(h.Blocked, hopReasonJSON{r.Request, r.Target.Reason(), r.Target.Until})
			}
		}
		slices.SortStableFunc(h.Before, func(a, b hopStepJSON) int { // in which they can be taken
			return cmp.Or(strings.Compare(a.Request.Namespace, b.Request.Namespace), a.turn-b.turn)
		})
		plan.Hops = append(plan.Hops, h)
	}
	return plan
}

// statusRowsJSON are the rows of the only cluster.
type statusRowsJSON struct {
	Rows terminal.List[rowJSON] `json:"rows"`
	besideRowsJSON
}

// StatusJSON writes rows for programs: with Named, those of each cluster as a line at once.
type StatusJSON struct {
	Lines            io.Writer
	Named, OnlyStuck bool
	Call             overview.Call
	// Standing says how a row of a cluster stands to a lock, nil without one.
	Standing func(cluster string, r *result.Status) string
	// After are the fixes that were tried.
	After []string

	cluster string
	// rows are those to show; plan and numbers are those of all.
	rows    []result.Status
	plan    *planJSON
	numbers *overview.Overview
}

// Add takes in the rows of a cluster, or why there are none.
func (j *StatusJSON) Add(_ context.Context, cluster string, rows []result.Status, err error) error {
	j.plan, j.numbers = planOf(rows), overview.New(rows, j.Call)
	if j.OnlyStuck {
		rows = slices.DeleteFunc(slices.Clone(rows), func(r result.Status) bool { return !r.Stuck() })
	}
	j.cluster = cluster
	if j.rows = rows; !j.Named {
		return err
	}
	line := statusJSON{Cluster: cluster, Rows: terminal.Mapped(rows, j.row), besideRowsJSON: j.beside()}
	if err != nil {
		line.Error = err.Error()
	}
	return terminal.EncodeLine(j.Lines, line, Shapes)
}

// Write writes the rows of the only cluster.
func (j *StatusJSON) Write(_ context.Context, p *terminal.Page) error {
	if j.Named {
		return nil
	}
	return terminal.WriteJSON(p, statusRowsJSON{terminal.ListOf(p, "row", j.rows, j.row), j.beside()}, Shapes)
}

func (j *StatusJSON) beside() besideRowsJSON {
	return besideRowsJSON{j.After, j.plan, overview.Approvals(j.numbers.Rows), terminal.Mapped(j.numbers.Together, func(f result.Fix) changeJSON { return j.change(f, "") })}
}

func (j *StatusJSON) change(f result.Fix, home string) changeJSON {
	change := changeToJSON(f, home)
	change.Number = j.numbers.Number(&f)
	return change
}

type rowJSON struct {
	Namespace    string `json:"namespace"`
	Subscription string `json:"subscription"`
	Extension    string `json:"extension"`
	Package      string `json:"package"`
	Channel      string `json:"channel"`
	Catalog      string `json:"catalog"`
	Installed    string `json:"installed"`
	Next         string `json:"next"`
	Head         string `json:"head"`
	Steps        int    `json:"steps"`
	State        string `json:"state"`
	Reason       string `json:"reason"`
	// WaitsFor are the requests that must be satisfied, or move, before this one can.
	WaitsFor []cluster.RequestKey `json:"waitsFor,omitempty"`
	Fix      string               `json:"fix"`
	// NotGiven are catalogs of the cluster whose content was not given, and that may have what is
	// missing.
	NotGiven []catalog.Key `json:"notGiven,omitempty"`
	// Changes are all that would help, Fix the first.
	Changes    []changeJSON       `json:"changes"`
	Conditions []result.Condition `json:"conditions"`
	Repair     *result.Repair     `json:"repair,omitempty"`
	Lifecycle  *catalog.Support   `json:"lifecycle,omitempty"`
	// Approval is the verdict if the request waits for it.
	Approval string      `json:"approval,omitempty"`
	Target   *targetJSON `json:"target,omitempty"`
	// Remarks are what to know of a row that is current.
	Remarks   []string       `json:"remarks,omitempty"`
	Elsewhere *elsewhereJSON `json:"elsewhere,omitempty"`
	// Lock is how what is installed stands to the lock, if there is one.
	Lock string `json:"lock,omitempty"`
}

// elsewhereJSON is an update that OLM does not take, as another catalog has it than the field
// names.
type elsewhereJSON struct {
	Catalog string `json:"catalog"`
	Bundle  string `json:"bundle"`
	Field   string `json:"field"`
}

type targetJSON struct {
	OK      bool       `json:"ok"`
	Reason  string     `json:"reason"`
	Updates []string   `json:"updates"`
	Steps   []stepJSON `json:"steps"`
	// Remarks are what to know once the cluster is at a version, and not before.
	Remarks []hopRemarkJSON `json:"remarks,omitempty"`
}

type hopRemarkJSON struct {
	Hop    string `json:"hop"`
	Remark string `json:"remark"`
}

type stepJSON struct {
	Hop      string `json:"hop"`
	Channel  string `json:"channel"`
	Bundle   string `json:"bundle"`
	ByItself bool   `json:"byItself"`
}

func (j *StatusJSON) row(r result.Status) rowJSON {
	row := rowJSON{
		Namespace: r.Request.Namespace, Extension: r.Request.Scope().Extension(), Package: r.Package,
		Channel: r.Channel, Catalog: r.Catalog.String(), Installed: r.Installed, Next: r.Next, Head: r.Head, Steps: r.Steps,
		State: string(r.State), Reason: r.Reason(), WaitsFor: r.WaitsFor(), Fix: j.Call.FixText(&r), NotGiven: r.NotGiven,
		Changes:    terminal.Mapped(r.Fixes, func(f result.Fix) changeJSON { return j.change(f, r.Request.Namespace) }),
		Conditions: r.Conditions, Repair: r.Repair, Lifecycle: r.Support,
		Remarks: terminal.Mapped(r.Remarks, func(why result.Reason) string { return why.Message() }),
	}
	if !r.Request.Scope().Alone() {
		row.Subscription = r.Request.Name
	}
	if e := r.UpdateElsewhere; e != nil {
		row.Elsewhere = &elsewhereJSON{e.Catalog.String(), e.Bundle, e.Field}
	}
	if j.Standing != nil {
		row.Lock = j.Standing(j.cluster, &r)
	}
	if overview.Judged(&r) {
		row.Approval = r.Approval.Verdict
	}
	if r.Target != nil && !r.Target.NotJudged {
		var remarks []hopRemarkJSON
		for _, hop := range r.Target.Hops {
			for _, remark := range r.Target.Remarks[hop] {
				remarks = append(remarks, hopRemarkJSON{hop, remark.Message()})
			}
		}
		row.Target = &targetJSON{r.Target.OK(), r.Target.Reason(), terminal.Mapped(r.Target.Updates, result.PathStep.String), terminal.Mapped(r.Target.Updates, func(s result.PathStep) stepJSON {
			return stepJSON{s.Hop, s.Channel, s.Bundle, s.ByItself}
		}), remarks}
	}
	return row
}
