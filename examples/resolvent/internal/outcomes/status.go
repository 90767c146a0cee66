package outcomes

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/blang/semver/v4"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/examples/resolvent/internal/fleet"
	"github.com/resolvent/resolvent/examples/resolvent/internal/terminal"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/fixes"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/resolver/updates"
)

// StatusTable collects the rows of clusters for people, and why they are not at the head.
type StatusTable struct {
	// Named: it is about many clusters, in which a cause counts the requests that it concerns.
	// The rows follow by cluster, if these are wanted.
	Named, ByCluster bool
	// OnlyStuck: rows that are not stuck are counted only.
	OnlyStuck bool
	// Legend says what the states mean.
	Legend      string
	rows        []statusRow
	why, target fleet.Merged[statusLine]
	concerned   map[statusLine][]string // with Named: the requests of a line
	clusters    []*StatusTable
	name        string // of the cluster
	states      map[updates.State]int
	// Requests that block the update of the cluster, that move before it without that, and that
	// then get no updates; judged, if it was.
	blocked, moving, failing int
	judged                   bool
	hops                     []string // of all rows, if all have the same
	// failed are the clusters without rows, and why.
	failed []terminal.Lines
}

// statusLine is what the output says of requests, of which the first has namespace and name.
type statusLine struct {
	hop                               hop
	fine                              bool // nothing is stuck
	namespace, name, title, text, fix string
}

type statusRow struct {
	statusLine
	cells []string // behind the name
}

// hop is the update of the cluster to a version, or what comes behind all or, if it is zero,
// before.
type hop struct {
	place   int
	version string
}

const (
	beforeHop = 1
	afterHops = 2
)

// title is the heading of the lines of a hop.
func (h hop) title() string {
	update := "the update of the cluster"
	if h.version != "" {
		update += " to " + h.version
	}
	switch h.place {
	case 0:
		return "Why not at the head"
	case afterHops:
		return "After " + update + ", with the catalogs given for it"
	}
	return "Before " + update
}

func (h hop) compare(other hop) int {
	of, err := semver.ParseTolerant(h.version)
	than, wrong := semver.ParseTolerant(other.version)
	if err != nil || wrong != nil {
		return cmp.Or(cmp.Compare(h.place, other.place), strings.Compare(h.version, other.version))
	}
	return cmp.Or(cmp.Compare(h.place, other.place), of.Compare(than), strings.Compare(h.version, other.version))
}

// compare sorts lines by hops, and of these as rows are, the stuck ones first.
func (l statusLine) compare(other statusLine) int {
	return cmp.Or(l.hop.compare(other.hop), terminal.TrueFirst(other.fine, l.fine), strings.Compare(l.namespace, other.namespace), strings.Compare(l.name, other.name), strings.Compare(l.title, other.title))
}

// Add takes in the rows of a cluster, or why there are none. What is so of several rows stands
// in one line.
func (t *StatusTable) Add(_ context.Context, cluster string, rows []updates.Status, err error) error {
	if err != nil {
		t.failed = append(t.failed, terminal.Lines(terminal.Plain(cluster)+": ")+terminal.Message(err))
		return nil
	}
	t.add(cluster, rows)
	return nil
}

func (t *StatusTable) add(cluster string, rows []updates.Status) {
	if t.states == nil {
		t.states, t.concerned = map[updates.State]int{}, map[statusLine][]string{}
	}
	if t.ByCluster {
		one := &StatusTable{OnlyStuck: t.OnlyStuck, name: cluster}
		one.add("", rows)
		t.clusters = append(t.clusters, one)
	}
	var why, target []statusLine
	for _, r := range rows {
		t.states[r.State]++
		line := statusLine{fine: !r.Stuck(), namespace: r.Request.Namespace, name: r.Request.Name, title: terminal.Plain(rowName(r))}
		if !line.fine || !t.OnlyStuck { // the plan below is that of all
			t.rows = append(t.rows, statusRow{line, rowCells(r)})
			if line.text = terminal.Line(r.Reason()); line.text != "" {
				line.fix = terminal.Line(fixOf(r))
				why = append(why, line)
			}
		}
		if r.Target == nil {
			continue
		}
		if !t.judged {
			t.judged, t.hops = true, r.Target.Hops
		} else if !slices.Equal(t.hops, r.Target.Hops) {
			t.hops = nil // of clusters with different versions
		}
		switch {
		case r.Target.Blocks != "":
			t.blocked++
		case len(r.Target.Updates) > 0:
			t.moving++
		}
		if r.Target.Blocks == "" && r.Target.There != nil {
			t.failing++
		}
		target = append(target, targetLines(&r)...)
	}
	t.addShared(&t.why, why, cluster)
	t.addShared(&t.target, target, cluster)
}

// rowCells are the cells of a row behind its name.
func rowCells(r updates.Status) []string {
	steps := ""
	if r.Steps > 0 {
		steps = strconv.Itoa(r.Steps)
	}
	return terminal.Mapped([]string{
		r.Package, r.Channel, r.Installed, r.Next, r.Head, steps, string(r.State), targetWord(r.Target), r.Support.String(),
	}, terminal.Plain)
}

// targetLines are what is to do for a request before each hop, and what it meets after them.
func targetLines(r *updates.Status) (lines []statusLine) {
	if r.Target == nil {
		return nil
	}
	name := terminal.Plain(rowName(*r))
	for _, version := range r.Target.Hops {
		if text := targetText(r, version); text != "" {
			lines = append(lines, statusLine{hop: hop{beforeHop, version}, fine: !blocks(r, version), name: name, title: name, text: text})
		}
	}
	if r.Target.There != nil && r.Target.Blocks == "" {
		last := r.Target.Hops[len(r.Target.Hops)-1]
		lines = append(lines, statusLine{hop: hop{afterHops, last}, name: name, title: name, text: "gets no updates: " + terminal.Line(r.Target.There.Reason())})
	}
	return lines
}

// targetWord says in a few words what the target means to a request, if it means anything.
func targetWord(t *updates.TargetStatus) string {
	if t == nil {
		return ""
	}
	var parts []string
	switch {
	case slices.ContainsFunc(t.Updates, func(s updates.Step) bool { return s.Channel != "" }):
		parts = append(parts, "change channel first")
	case len(t.Updates) > 0:
		parts = append(parts, "moves first")
	}
	if t.Blocks != "" {
		parts = append(parts, "blocks "+t.Blocks)
	} else if t.There != nil {
		parts = append(parts, "then no updates")
	}
	return strings.Join(parts, ", ")
}

// targetText says what is to be done for a request before the cluster is updated to a
// version, and what blocks that.
func targetText(r *updates.Status, hop string) string {
	var parts []string
	if steps := stepsBefore(r, hop); len(steps) > 0 {
		texts := terminal.Mapped(steps, stepText)
		if more := len(texts) - 3; more > 1 { // JSON has all
			texts = []string{texts[0], texts[1], fmt.Sprintf("%d more", more), texts[len(texts)-1]}
		}
		parts = append(parts, "first "+strings.Join(texts, ", then "))
		if slices.ContainsFunc(steps, func(s updates.Step) bool { return s.Resolution != nil && s.Resolution.Approval == result.Manual }) {
			parts[0] += ", each to be approved"
		}
		if steps[0].Bundle == r.Target.Updates[0].Bundle && steps[0].After == nil && steps[0].Channel == "" && r.State != updates.PendingApproval && r.Next != steps[0].Bundle {
			parts[0] += ", which OLM does not choose by itself"
		}
	}
	switch {
	case blocks(r, hop):
		parts = append(parts, "blocked: "+r.Target.Reason())
		if r.Target.Until != "" {
			parts = append(parts, "wait until "+r.Target.Until)
		} else if helps(r) {
			parts = append(parts, "what would help is below")
		}
	case len(parts) > 0:
		parts[0] += " (" + stepsBefore(r, hop)[0].Refusal.Message() + ")"
	}
	return terminal.Line(strings.Join(parts, "; "))
}

// stepText is a step, what is updated along with it, and what must be before.
func stepText(s updates.Step) string {
	text := s.String()
	var along []string
	if s.Resolution != nil {
		for _, i := range s.Resolution.Installs {
			if i.Replaces != "" && i.Bundle.Name != s.Bundle {
				along = append(along, i.Bundle.Name)
			}
		}
	}
	if len(along) > 0 {
		text += " with " + terminal.Few(along)
	}
	after := terminal.Mapped(s.After, func(m updates.Move) string { return m.Request.String() + " is at " + m.Bundle })
	if len(after) > 0 {
		text += " once " + strings.Join(after, " and ")
	}
	return text
}

// helps reports whether what helps a request that blocks leads to what may run.
func helps(r *updates.Status) bool {
	none, ok := r.Target.Err.(*updates.NoPath)
	if !ok || len(r.Fixes) == 0 {
		return len(r.Fixes) > 0
	}
	then := slices.Clone(r.Fixes[0].Further)
	for _, i := range r.Fixes[0].Then.Installs {
		then = append(then, i.Bundle.Name)
	}
	for _, u := range r.Fixes[0].Then.Updates {
		then = append(then, u.To.Bundle.Name)
	}
	return slices.ContainsFunc(then, func(name string) bool { return slices.Contains(none.Fitting, name) })
}

// blocks reports whether a request keeps the cluster from being updated to a version.
func blocks(r *updates.Status, hop string) bool {
	return r.Target.Blocks != "" && (r.Target.Blocks == hop || hop == "")
}

// stepsBefore are those that are taken before the cluster is updated to a version.
func stepsBefore(r *updates.Status, hop string) []updates.Step {
	return slices.DeleteFunc(slices.Clone(r.Target.Updates), func(s updates.Step) bool { return s.Hop != hop })
}

// addShared adds lines of a cluster; those of one text become one line, which names all
// their requests or, in many clusters, counts them.
func (t *StatusTable) addShared(to *fleet.Merged[statusLine], lines []statusLine, cluster string) {
	at := map[statusLine]int{}
	var shared []statusLine
	var titles [][]string // of shared lines
	for _, l := range lines {
		key := statusLine{hop: l.hop, text: l.text, fix: l.fix}
		k, known := at[key]
		if !known {
			at[key] = len(shared)
			shared, titles = append(shared, l), append(titles, []string{l.title})
		}
		switch {
		case t.Named:
			if !known {
				to.Add(key, cluster)
			}
			t.concerned[key] = append(t.concerned[key], l.title)
		case known:
			titles[k] = append(titles[k], l.title)
			shared[k].fine = shared[k].fine && l.fine
		}
	}
	if t.Named {
		return
	}
	told := map[string]string{} // fixes, and of which requests
	for k, l := range shared {
		l.title = strings.Join(titles[k], ", ")
		if first, again := told[l.fix]; again && l.fix != "" {
			l.fix = "as " + first
		} else {
			told[l.fix] = l.title
		}
		to.Add(l, cluster)
	}
}

// Write prints the rows, and below them why they are not at the head.
func (t *StatusTable) Write(_ context.Context, p *terminal.Page) error {
	t.print(p)
	if t.Legend != "" {
		p.WriteString("\n" + t.Legend)
	}
	return nil
}

func (t *StatusTable) print(p *terminal.Page) {
	slices.SortStableFunc(t.rows, func(a, b statusRow) int { return a.compare(b.statusLine) })
	if !t.Named {
		p.Table([]string{"NAME", "PACKAGE", "CHANNEL", "INSTALLED", "NEXT", "HEAD", "STEPS", "STATE", "TARGET", "SUPPORT"}, len(t.rows), "row", func(i int) []string {
			return append([]string{t.rows[i].title}, t.rows[i].cells...)
		}, "TARGET", "SUPPORT")
	}
	if totals := t.totals(); totals != "" {
		p.WriteString(totals + "\n")
	}
	if t.judged {
		p.WriteString("\n" + p.Bold(t.verdict()) + "\n")
		if t.moving > 0 {
			p.WriteString("Listed are the fewest updates that were found. OLM makes them by itself unless said otherwise, and those that follow in the channel; channels, approvals and what is blocked wait for you.\n")
		}
		t.addIdleHops()
	}
	t.section(p, &t.target)
	t.section(p, &t.why)
	terminal.Section(&p.Buffer, p.Bold("Clusters without rows"), t.failed)
	for _, one := range t.clusters {
		p.WriteString("\n" + p.Bold("Cluster "+terminal.Plain(one.name)) + "\n")
		one.print(p)
	}
}

// addIdleHops says of the minors before which nothing is to do that it is so, if it is not of
// all. What blocks one is not judged for those that follow.
func (t *StatusTable) addIdleHops() {
	told := map[hop]bool{}
	for _, l := range t.target.Sorted(statusLine.compare) {
		told[l.hop] = true
	}
	for _, version := range t.hops {
		if h := (hop{beforeHop, version}); len(told) > 0 && !told[h] {
			text := "nothing is to do"
			if t.blocked > 0 {
				text += "; what blocks an earlier version is not judged for this one"
			}
			t.target.Add(statusLine{hop: h, text: text}, "")
		}
	}
}

// totals counts the states.
func (t *StatusTable) totals() string {
	var totals []string
	for _, state := range updates.States {
		if n := t.states[state]; n > 0 {
			totals = append(totals, fmt.Sprintf("%d %s", n, state))
		}
	}
	return strings.Join(totals, ", ")
}

// verdict says what the update of the cluster meets.
func (t *StatusTable) verdict() string {
	text := "By the limits that bundles state, nothing blocks the update of the cluster"
	if t.blocked > 0 {
		text = terminal.Count(t.blocked, "request") + map[bool]string{true: " blocks", false: " block"}[t.blocked == 1] + " the update of the cluster"
	}
	if t.moving > 0 {
		text += fmt.Sprintf(", %d must move before it", t.moving)
	}
	if t.failing > 0 {
		text += fmt.Sprintf(", %d will get no updates after it", t.failing)
	}
	return text
}

// section prints lines, with a title for each hop.
func (t *StatusTable) section(p *terminal.Page, of *fleet.Merged[statusLine]) {
	lines := of.Sorted(func(a, b statusLine) int {
		if t.Named {
			return cmp.Or(a.hop.compare(b.hop), len(t.concerned[b])-len(t.concerned[a]))
		}
		return a.compare(b)
	})
	p.Each(len(lines), "line", func(i int) bool {
		if i == 0 || lines[i].hop != lines[i-1].hop {
			p.WriteString("\n" + p.Bold(lines[i].hop.title()) + "\n")
		}
		about := lines[i].title
		if names := t.concerned[lines[i]]; len(names) > 0 {
			about = terminal.Count(len(names), "request") + " " + of.In(lines[i]) + ", " + terminal.Few(slices.Compact(slices.Sorted(slices.Values(names))))
		}
		if about != "" {
			about += ": "
		}
		text := about + lines[i].text
		if lines[i].fix != "" {
			text += "\nfix: " + lines[i].fix
		}
		text = strings.ReplaceAll(text, "; warning: ", "\n  "+p.Notice("warning:")+" ")
		p.WriteString("  " + strings.ReplaceAll(text, "\n", "\n  ") + "\n")
		return true
	})
}

// fixOf is the best of what helps a request, if anything is known.
func fixOf(r updates.Status) string {
	if wait := r.WaitText(); wait != "" {
		return wait
	}
	if len(r.Fixes) > 0 {
		risk := ""
		switch r.Fixes[0].Class {
		case fixes.ClassGivesUp, fixes.ClassAbandons:
			risk = "to give up: "
		case fixes.ClassRemoves, fixes.ClassOverrides:
			risk = "at a risk: "
		}
		return risk + r.Fixes[0].Text(r.Request.Namespace)
	}
	if list := optionTexts(fixes.HelpOf(r.Err), r.Err); len(list) > 0 {
		return list[0]
	}
	return r.Search.CutOff()
}

// rowName names the request of a row.
func rowName(r updates.Status) string {
	if r.Request.Kind == cluster.KindSubscription {
		return r.Request.Namespace + "/" + cmp.Or(r.Request.Name, r.Installed)
	}
	return r.Request.String()
}

// statusJSON is one of several clusters for programs.
type statusJSON struct {
	Cluster string    `json:"cluster"`
	Error   string    `json:"error,omitempty"`
	Rows    []rowJSON `json:"rows"`
	Plan    *planJSON `json:"plan,omitempty"`
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
	// After are updates of other requests of the namespace that come before.
	After []updates.Move `json:"after,omitempty"`
}

type hopReasonJSON struct {
	Request cluster.RequestKey `json:"request"`
	Reason  string             `json:"reason"`
	Until   string             `json:"until"`
}

// planOf is the plan of all rows, nil without a target.
func planOf(rows []updates.Status) *planJSON {
	if len(rows) == 0 || rows[0].Target == nil {
		return nil
	}
	plan := &planJSON{OK: true}
	for _, hop := range rows[0].Target.Hops {
		h := hopJSON{To: hop}
		for i := range rows {
			r := &rows[i]
			plan.OK = plan.OK && r.Target.OK()
			for _, s := range stepsBefore(r, hop) {
				h.Before = append(h.Before, hopStepJSON{r.Request, s.Channel, s.Bundle, s.After})
			}
			if blocks(r, hop) {
				h.Blocked = append(h.Blocked, hopReasonJSON{r.Request, r.Target.Reason(), r.Target.Until})
			}
		}
		plan.Hops = append(plan.Hops, h)
	}
	return plan
}

// statusRowsJSON are the rows of the only cluster.
type statusRowsJSON struct {
	Rows terminal.List[rowJSON] `json:"rows"`
	Plan *planJSON              `json:"plan,omitempty"`
}

// StatusJSON writes rows for programs: with Named, those of each cluster as a line at once.
type StatusJSON struct {
	Lines            io.Writer
	Named, OnlyStuck bool
	// rows are those to show; plan is that of all.
	rows []updates.Status
	plan *planJSON
}

// Add takes in the rows of a cluster, or why there are none.
func (j *StatusJSON) Add(_ context.Context, cluster string, rows []updates.Status, err error) error {
	j.plan = planOf(rows)
	if j.OnlyStuck {
		rows = slices.DeleteFunc(slices.Clone(rows), func(r updates.Status) bool { return !r.Stuck() })
	}
	if j.rows = rows; !j.Named {
		return err
	}
	line := statusJSON{Cluster: cluster, Rows: terminal.Mapped(rows, rowToJSON), Plan: j.plan}
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
	return terminal.WriteJSON(p, statusRowsJSON{terminal.ListOf(p, "row", j.rows, rowToJSON), j.plan}, Shapes)
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
	Fix          string `json:"fix"`
	// Changes are all that would help, Fix the first.
	Changes    []changeJSON      `json:"changes"`
	Conditions []fixes.Condition `json:"conditions"`
	Lifecycle  *catalog.Support  `json:"lifecycle,omitempty"`
	Target     *targetJSON       `json:"target,omitempty"`
}

type targetJSON struct {
	OK      bool       `json:"ok"`
	Reason  string     `json:"reason"`
	Updates []string   `json:"updates"`
	Steps   []stepJSON `json:"steps"`
}

type stepJSON struct {
	Hop     string `json:"hop"`
	Channel string `json:"channel"`
	Bundle  string `json:"bundle"`
}

func rowToJSON(r updates.Status) rowJSON {
	row := rowJSON{
		Namespace: r.Request.Namespace, Extension: r.Request.Scope().Extension(), Package: r.Package,
		Channel: r.Channel, Catalog: r.Catalog, Installed: r.Installed, Next: r.Next, Head: r.Head, Steps: r.Steps,
		State: string(r.State), Reason: r.Reason(), Fix: fixOf(r),
		Changes:    terminal.Mapped(r.Fixes, func(f fixes.Fix) changeJSON { return changeToJSON(f, r.Request.Namespace) }),
		Conditions: r.Conditions, Lifecycle: r.Support,
	}
	if r.Request.Kind == cluster.KindSubscription {
		row.Subscription = r.Request.Name
	}
	if r.Target != nil {
		row.Target = &targetJSON{r.Target.OK(), r.Target.Reason(), terminal.Mapped(r.Target.Updates, updates.Step.String), terminal.Mapped(r.Target.Updates, func(s updates.Step) stepJSON {
			return stepJSON{s.Hop, s.Channel, s.Bundle}
		})}
	}
	return row
}
