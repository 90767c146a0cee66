package outcomes

import (
	"cmp"
	"context"
	"io"
	"slices"
	"strings"

	"github.com/resolvent/resolvent/examples/resolvent/internal/overview"
	"github.com/resolvent/resolvent/examples/resolvent/internal/terminal"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/result"
)

// statusJSON is one of several clusters for programs.
type statusJSON struct {
	Cluster string    `json:"cluster"`
	Error   string    `json:"error,omitempty"`
	Rows    []rowWith `json:"rows"`
	besideRowsJSON
}

// besideRowsJSON is what all rows of a cluster have in common.
type besideRowsJSON struct {
	// After are the fixes after which the rows stand so: they were tried, and nothing was changed.
	After []string  `json:"after,omitempty"`
	Plan  *planJSON `json:"plan,omitempty"`
	// Approvals are the verdicts on all InstallPlans that wait for approval.
	Approvals []ApprovalWith `json:"approvals,omitempty"`
	// Together are fixes of several causes that only help together.
	Together []fixWith `json:"together,omitempty"`
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
	Rows terminal.List[rowWith] `json:"rows"`
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
	return terminal.EncodeLine(j.Lines, line)
}

// Write writes the rows of the only cluster.
func (j *StatusJSON) Write(_ context.Context, p *terminal.Page) error {
	if j.Named {
		return nil
	}
	return terminal.WriteJSON(p, statusRowsJSON{terminal.ListOf(p, "row", j.rows, j.row), j.beside()})
}

func (j *StatusJSON) beside() besideRowsJSON {
	approvals := terminal.Mapped(overview.Approvals(j.numbers.Rows), func(a *result.Approval) ApprovalWith { return ApprovalToJSON(*a) })
	return besideRowsJSON{j.After, j.plan, approvals, terminal.Mapped(j.numbers.Together, func(f result.Fix) fixWith { return fixWith{Of: j.number(f), More: f} })}
}

func (j *StatusJSON) number(f result.Fix) numberJSON { return numberJSON{j.numbers.Number(&f)} }

type fixWith = terminal.With[numberJSON, result.Fix]

type rowWith = terminal.With[result.Status, rowJSON]

type rowJSON struct {
	Fix     string       `json:"fix"`
	Changes []numberJSON `json:"changes"`
	// Lock is how what is installed stands to the lock, if there is one.
	Lock string `json:"lock,omitempty"`
}

// numberJSON is the number of a fix among those of all rows.
type numberJSON struct {
	Number int `json:"number,omitzero"`
}

func (j *StatusJSON) row(r result.Status) rowWith {
	row := rowWith{Of: r, More: rowJSON{Fix: j.Call.FixText(&r), Changes: terminal.Mapped(r.Fixes, j.number)}}
	if j.Standing != nil {
		row.More.Lock = j.Standing(j.cluster, &r)
	}
	return row
}
