package overview

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/examples/resolvent/internal/terminal"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/resolver/text"
)

// cause is a Cause that is being put together, with what helps against it.
type cause struct {
	Cause
	err  error
	help *result.Help
	list []result.Fix
	told bool // in the plan
	// keeps are the requests that a group of causes of a failure keeps out.
	keeps map[cluster.RequestKey]bool
}

// causes returns the root causes in the order of their first rows.
func (o *Overview) causes() []*cause {
	g := &rootCauses{failures: map[cluster.Scope][]*cause{}, failing: map[string]*cause{}, unusable: map[string]*cause{}, alike: map[string][]*cause{}}
	for _, r := range o.Rows {
		if r.Repair != nil && r.Repair.Is != "" && r.Why == nil { // beside why it is not resolved
			g.addPhase(r)
		}
		e, unsatisfied := errors.AsType[*result.NotSatisfiable](r.Err)
		switch {
		case !stands(r), r.Who == Caller:
		case r.State != result.StateFailed && r.State != result.StateWaiting, len(r.Awaited) > 0:
			g.addState(r)
		case unsatisfied:
			g.addFailure(r, e)
		default:
			g.addUnusable(r)
		}
	}
	return g.list
}

// rootCauses are root causes so far, with those that further rows may have as well.
type rootCauses struct {
	list              []*cause
	failures          map[cluster.Scope][]*cause
	failing, unusable map[string]*cause
	alike             map[string][]*cause
}

// addPhase adds a row whose bundle OLM fails. What is repaired by the same steps is one cause.
func (g *rootCauses) addPhase(r *Row) {
	key := fmt.Sprint(r.Request.Scope(), r.Repair.Steps())
	c := g.failing[key]
	if c == nil {
		c = &cause{help: &result.Help{Repair: r.Repair}}
		g.failing[key], g.list = c, append(g.list, c)
	}
	line := fmt.Sprintf("%s %s is in phase %s: %s", r.Repair.Object.Kind, r.Repair.Object.Name, r.Repair.Is, r.Repair.Stated)
	c.Rows, c.Lines = append(c.Rows, r), append(c.Lines, strings.TrimSuffix(line, ": "))
}

// addState adds a row that resolves. What the same fix, repair or approval helps is one cause.
func (g *rootCauses) addState(r *Row) {
	key := string(r.State) + objectsOf(r.Fixes)
	at := slices.IndexFunc(g.alike[key], func(c *cause) bool {
		return sameFix(c, r) || sameRepair(c, r) || waits(r) && waits(c.Rows[0]) && c.Rows[0].Approval == r.Approval
	})
	if at >= 0 {
		c := g.alike[key][at]
		c.Rows, c.Lines = append(c.Rows, r), withLine(c.Lines, r.BriefReason())
		return
	}
	c := &cause{Cause: Cause{Rows: []*Row{r}, Lines: []string{r.BriefReason()}}, help: &r.Help, list: r.Fixes}
	g.alike[key], g.list = append(g.alike[key], c), append(g.list, c)
}

// addFailure adds a row that cannot be satisfied to the causes of its scope.
func (g *rootCauses) addFailure(r *Row, e *result.NotSatisfiable) {
	group, known := g.failures[r.Request.Scope()]
	if !known {
		group = ofFailure(r.Request.Scope(), e)
		g.failures[r.Request.Scope()], g.list = group, append(g.list, group...)
	}
	for _, c := range group {
		if r.Who == Others {
			c.Waiting++
		} else if len(group) == 1 || c.keeps[r.Request] {
			c.Rows = append(c.Rows, r)
		}
	}
}

// addUnusable adds a row whose scope cannot be resolved for another reason. Catalogs that cannot be used are
// one cause in all scopes.
func (g *rootCauses) addUnusable(r *Row) {
	key := fmt.Sprint(r.Request.Scope())
	unhealthy, health := errors.AsType[*result.CatalogsUnhealthy](r.Err)
	if health {
		key = fmt.Sprint(unhealthy.Catalogs)
	}
	c := g.unusable[key]
	if c == nil {
		help := result.HelpOf(r.Err)
		lines := []string{r.Reason()}
		for _, t := range result.FurtherOf(r.Err).Told() {
			lines = append(lines, t.Reason())
		}
		c = &cause{Cause: Cause{Lines: terminal.First(lines, maxLines, "and %d more causes")}, err: r.Err, help: help, list: help.Fixes}
		g.unusable[key], g.list = c, append(g.list, c)
	} else if health && c.Rows[0].Request.Scope() != r.Request.Scope() {
		texts := terminal.Mapped(unhealthy.Catalogs, result.UnhealthyCatalog.String)
		c.Lines = []string{"OLM cannot resolve any Subscription that sees these catalogs until they are healthy; installed operators keep running: " + strings.Join(texts, ", ")}
	}
	c.Rows = append(c.Rows, r)
}

// withLine adds a line, unless one says it already. It takes the place of one that says less.
func withLine(lines []string, line string) []string {
	if slices.ContainsFunc(lines, func(known string) bool { return strings.HasPrefix(known, line) }) {
		return lines
	}
	return append(slices.DeleteFunc(lines, func(known string) bool { return strings.HasPrefix(line, known) }), line)
}

// sortCauses puts first the causes that hold back most rows. One whose fix waits for those of
// others stands behind these, and what only waits behind all, as it is printed last.
func sortCauses(causes []*cause) {
	causeOf := map[cluster.RequestKey]*cause{}
	for _, c := range causes {
		for _, r := range c.Rows {
			causeOf[r.Request] = c
		}
	}
	holds := func(c *cause) (n, waits int) {
		n = c.Waiting + len(c.Rows)
		if len(c.list) == 0 || c.list[0].Class > result.ClassGivesUp {
			return n, 0
		}
		for _, k := range c.list[0].Waiting {
			if first := causeOf[k]; first != nil && first != c {
				n, waits = min(n, first.Waiting+len(first.Rows)), 1
			}
		}
		return n, waits
	}
	slices.SortStableFunc(causes, func(a, b *cause) int {
		n, waits := holds(a)
		m, too := holds(b)
		return cmp.Or(terminal.TrueFirst(b.Waits(), a.Waits()), m-n, waits-too)
	})
}

// notJudged returns the cause of the rows that are not judged.
func (o *Overview) notJudged() *Cause {
	c := &Cause{}
	var list []result.UnhealthyCatalog
	for _, r := range o.Rows {
		unhealthy, ok := errors.AsType[*result.CatalogsUnhealthy](r.Err)
		if r.Who != Caller || !ok {
			continue
		}
		c.Rows = append(c.Rows, r)
		for _, unhealthyCatalog := range unhealthy.Catalogs {
			at := slices.IndexFunc(list, func(known result.UnhealthyCatalog) bool { return known.Key == unhealthyCatalog.Key })
			isNew := at < 0
			if isNew {
				at, list = len(list), append(list, unhealthyCatalog)
			}
			if isNew || unhealthyCatalog.GivenAs() == (catalog.Key{}) { // what was given is another catalog of the scope
				list[at], c.Way.Else = unhealthyCatalog, o.call.give(&unhealthyCatalog, r.Request.Scope())
			}
		}
	}
	if len(c.Rows) == 0 {
		return nil
	}
	c.Lines = terminal.Mapped(list, result.UnhealthyCatalog.String)
	if len(list) > 1 {
		c.Way.Else = "pass each, as with " + o.call.giveFlag(list[0].Key.String())
	}
	return c
}

// notGiven returns the causes of rows that lack what catalogs may have, by these catalogs.
func (o *Overview) notGiven() (list []*Cause) {
	for _, r := range o.Rows {
		if len(r.Fixes) > 0 || r.Who == Others || len(r.NotGiven) == 0 {
			continue
		}
		at := slices.IndexFunc(list, func(c *Cause) bool { return slices.Equal(c.Rows[0].NotGiven, r.NotGiven) })
		if at < 0 {
			at, list = len(list), append(list, &Cause{Lines: text.OfHelp(&r.Help).NotGiven, Way: Way{Advice: text.Advice{Else: o.call.GiveOrLeave(r.NotGiven)}}})
		}
		list[at].Rows = append(list[at].Rows, r)
	}
	return list
}

// stands reports whether a row is stuck as the cluster is now, or waits for one that is.
func stands(r *Row) bool {
	at := slices.Index(result.States, r.State)
	return at >= 0 && at < slices.Index(result.States, result.StateNotInstalled) && r.State != result.StateInstalling
}

func waits(r *Row) bool { return r.Judged() }

// approvals adds the verdict on each InstallPlan that waits: to the causes that wait for it,
// else as a cause of its namespace.
func (o *Overview) approvals(causes []*cause) []*cause {
	told := map[*result.Approval]bool{}
	for _, c := range causes {
		if len(c.Rows) > 0 && waits(c.Rows[0]) {
			told[c.Rows[0].Approval] = true
			c.Lines = append(c.Lines, o.approvalText(c.Rows[0].Approval))
		} else if len(c.Rows) > 0 && c.Rows[0].State == result.StatePendingApproval && len(c.list) > 0 && c.list[0].Steps()[0].Field == "" {
			c.Lines = append(c.Lines, "no given catalog has all of its bundles any more")
		} else if len(c.Rows) > 0 && c.Rows[0].State == result.StatePendingApproval && c.Rows[0].Approval != nil {
			c.Lines = append(c.Lines, "do not approve it now: OLM has since made a new plan, InstallPlan "+c.Rows[0].Approval.InstallPlan)
		} else if c.help.Repair != nil && c.help.Repair.Waiting != "" { // it says when to look at it
			told[c.Rows[0].Approval] = true
		}
	}
	for _, r := range o.Rows {
		if slices.ContainsFunc(r.Remarks, func(m result.Reason) bool { return notNeeded(&m, r.Approval) }) {
			told[r.Approval] = true
		}
	}
	for _, a := range Approvals(o.Rows) {
		if !told[a] {
			lines := []string{"InstallPlan " + a.InstallPlan + " waits for approval", o.approvalText(a)}
			if a.Waits() && a.Reasons[0].Kind == "unhealthy" { // which is told
				lines = []string{lines[0] + ": do not approve it until its namespace resolves"}
			}
			causes = append(causes, &cause{Cause: Cause{Scope: cluster.InNamespace(a.Namespace), Lines: lines}, help: &result.Help{}})
		}
	}
	return causes
}

// notNeeded reports whether a remark says that an InstallPlan that waits is not needed.
func notNeeded(m *result.Reason, a *result.Approval) bool {
	return a != nil && a.Waits() && (m.Code() == "twinPlan" || m.Code() == "planDone") && m.Args().Subject == a.InstallPlan
}

func (o *Overview) approvalText(a *result.Approval) string {
	if !a.Waits() {
		return a.Text() + "; " + o.call.Command("approve", "-o", "kubectl") + " prints the command" + o.call.With()
	}
	return a.Text()
}

// Approvals are the verdicts on all InstallPlans of rows that wait, in the order of the rows.
func Approvals(rows []*Row) (list []*result.Approval) {
	known := map[*result.Approval]bool{}
	for _, r := range rows {
		if r.Approval != nil && !known[r.Approval] {
			known[r.Approval], list = true, append(list, r.Approval)
		}
	}
	return list
}

// sameRepair reports whether a row and a cause have the same reason, and the same is done by hand
// about it in several steps.
func sameRepair(c *cause, r *Row) bool {
	was := c.help.Repair
	return was != nil && r.Repair != nil && len(was.Steps()) > 1 && was.String() == r.Repair.String() && c.Lines[0] == r.BriefReason() &&
		len(c.list)+len(r.Fixes) == 0
}

// sameFix reports whether the same is to be done for a row as for a cause, without a risk.
func sameFix(c *cause, r *Row) bool {
	if was := c.help.Repair; was != r.Repair && (was == nil || r.Repair == nil || was.String() != r.Repair.String()) {
		return false
	}
	return len(r.Fixes) > 0 && len(c.list) > 0 && r.Fixes[0].Class <= result.ClassGivesUp && reflect.DeepEqual(c.list[0].Changes, r.Fixes[0].Changes)
}

// ofFailure returns the causes of a failure: one for each group, or one for all, or for those
// that can be, if a fix without a risk solves these together.
func ofFailure(scope cluster.Scope, e *result.NotSatisfiable) (list []*cause) {
	joined := len(e.Fixes) > 0 && e.Fixes[0].Group == 0 && e.Fixes[0].Class <= result.ClassGivesUp
	at := map[int]*cause{}
	together := map[int]bool{} // groups whose first fix has no risk
	for i := len(e.Fixes) - 1; i >= 0 && e.Together != nil; i-- {
		together[e.Fixes[i].Group] = e.Fixes[i].Class <= result.ClassGivesUp
	}
	causeOf := func(group int) *cause {
		if joined || together[group] {
			group = 0
		}
		if at[group] == nil {
			at[group] = &cause{Cause: Cause{Scope: scope}, err: e, help: &e.Help, keeps: map[cluster.RequestKey]bool{}}
			list = append(list, at[group])
		}
		return at[group]
	}
	for _, t := range e.Told() {
		if len(t.After) == 0 {
			c := causeOf(t.Group)
			c.Lines = append(c.Lines, t.Reason())
		}
	}
	for _, c := range e.Causes {
		for _, k := range c.Requests {
			causeOf(c.Group).keeps[k] = true
		}
	}
	if e.Together != nil {
		causeOf(0).list = []result.Fix{*e.Together}
	}
	for _, f := range e.Fixes {
		if joined || at[f.Group] != nil && !together[f.Group] && f.Group != 0 {
			causeOf(f.Group).list = append(causeOf(f.Group).list, f)
		}
	}
	for _, c := range list {
		own := *e // what it misses itself
		own.Causes = slices.DeleteFunc(slices.Clone(e.Causes), func(other result.Cause) bool { return causeOf(other.Group) != c })
		c.err = &own
		c.Lines = terminal.First(c.Lines, maxLines, "and %d more causes")
	}
	return list
}

// maxLines is the number of causes of one group that are listed.
const maxLines = 3
