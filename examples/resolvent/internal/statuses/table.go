// Package statuses prints how the requests of clusters stand, for people: as a text and as a page.
// What it says is that of package overview.
package statuses

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/blang/semver/v4"

	"github.com/resolvent/resolvent/examples/resolvent/internal/fleet"
	"github.com/resolvent/resolvent/examples/resolvent/internal/overview"
	"github.com/resolvent/resolvent/examples/resolvent/internal/report"
	"github.com/resolvent/resolvent/examples/resolvent/internal/terminal"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/resolver/text"
)

// Table collects the rows of clusters for people: who must act, what needs somebody, and
// how the requests stand.
type Table struct {
	// Named: it is about many clusters, in which a cause counts the requests that it holds
	// back. The rows follow by cluster, if these are wanted.
	Named, ByCluster bool
	// OnlyStuck: rows that are not stuck are counted only.
	OnlyStuck bool
	// Wide: the table has all columns.
	Wide bool
	// All: nothing is left to other forms of the answer, as on a page.
	All bool
	// Legend says what the states mean.
	Legend string
	// Call is how the program was called.
	Call overview.Call
	// Standing says how a row of a cluster stands to a lock, nil without one.
	Standing func(cluster string, r *result.Status) string

	one    *overview.Overview // the last cluster
	totals map[overview.Who]int
	plan   *overview.Plan // the counts of all
	blocks fleet.Merged[block, about]
	broken map[string][]string // clusters in which OLM fails a bundle, by its name
	// clusters are those to print by themselves, each with a name.
	clusters []*Table
	name     string
	// failed are the clusters without rows, and why.
	failed []terminal.Lines
}

// block is what the output says of requests: why, and what to do.
type block struct {
	section section
	// step is the number of a step, 0 if it is none.
	step      int
	why, what string
	// named is true if why names the requests.
	named bool
}

// about is what a block is about.
type about struct {
	names   []string
	rows    []*overview.Row
	way     *overview.Way // nil if there is nothing to do
	waiting int
}

// section is the place of a block: the update of the cluster to a version, or what needs
// somebody.
type section struct {
	place   place
	version string
}

type place int

const (
	unknown place = iota // it has a bearing on what follows
	toTake
	blocks
	afterHops
	needed
	unjudged
	waits
	noted
)

// stuck reports whether rows stand there that do not go on.
func (p place) stuck() bool { return p == needed || p == waits }

func (s section) title() string {
	update := "the update of the cluster"
	if s.version != "" {
		update += " to " + s.version
	}
	switch s.place {
	case unknown, unjudged:
		return "Not judged"
	case toTake:
		return "Before " + update + " (you set and approve what is named, OLM does the rest)"
	case blocks:
		return "What blocks " + update
	case afterHops:
		return "After " + update + ", with the catalogs of --target-catalog"
	case waits:
		return "What waits, and for what"
	case noted:
		if s.version != "" {
			return "Good to know once the cluster is at " + s.version
		}
		return "Good to know"
	}
	return "What needs your attention"
}

// compare sorts sections as they are printed.
func (s section) compare(other section) int {
	hops := func(p place) bool { return p == toTake || p == blocks }
	if s.version != other.version && (hops(s.place) && hops(other.place) || s.place == other.place) {
		version, err := semver.ParseTolerant(s.version)
		than, wrong := semver.ParseTolerant(other.version)
		if err != nil || wrong != nil {
			return strings.Compare(s.version, other.version)
		}
		return cmp.Or(version.Compare(than), strings.Compare(s.version, other.version))
	}
	return cmp.Or(cmp.Compare(s.place, other.place), strings.Compare(s.version, other.version))
}

// Add takes in the rows of a cluster, or why there are none.
func (t *Table) Add(_ context.Context, cluster string, rows []result.Status, err error) error {
	if err != nil {
		t.failed = append(t.failed, terminal.Named(cluster, err))
		return nil
	}
	t.add(cluster, overview.New(rows, t.Call))
	return nil
}

func (t *Table) add(cluster string, o *overview.Overview) {
	if t.totals == nil {
		t.totals, t.broken = map[overview.Who]int{}, map[string][]string{}
	}
	for _, r := range o.Rows {
		if f := r.Repair; f != nil && f.OfBundle() && t.Named {
			t.broken[f.Object.Name] = append(t.broken[f.Object.Name], cluster)
		}
	}
	if t.ByCluster {
		one := &Table{OnlyStuck: t.OnlyStuck, Wide: t.Wide, Call: t.Call, name: cluster}
		one.add("", o)
		t.clusters = append(t.clusters, one)
	}
	t.one = o
	for who, n := range o.Totals() {
		t.totals[who] += n
	}
	for _, c := range o.NotJudged {
		b := block{section: section{place: unknown}, why: strings.Join(terminal.Mapped(c.Lines, terminal.Line), "\n"), what: t.what(&c.Way)}
		if c.Rows[0].Who == overview.Caller {
			b.section.place = unjudged
		}
		t.addBlock(cluster, b, &c.Way, 0, c.Rows...)
	}
	if o.Plan != nil {
		if t.plan == nil {
			t.plan = &overview.Plan{}
		}
		if !t.Named {
			t.plan.Hops = o.Plan.Hops
		}
		t.plan.Blocking, t.plan.Moving = t.plan.Blocking+o.Plan.Blocking, t.plan.Moving+o.Plan.Moving
		t.plan.Failing, t.plan.NotJudged = t.plan.Failing+o.Plan.Failing, t.plan.NotJudged+o.Plan.NotJudged
		t.plan.Rows += o.Plan.Rows
		t.addPlan(cluster, o.Plan)
	}
	for _, c := range o.Causes {
		b := block{section: section{place: needed}, why: strings.Join(terminal.Mapped(c.Lines, terminal.Line), "\n"), what: t.what(&c.Way)}
		if c.Waits() {
			b.section.place = waits
		}
		of := t.addBlock(cluster, b, &c.Way, c.Waiting, c.Rows...)
		if len(c.Rows) == 0 {
			of.names = append(of.names, terminal.Plain(c.Scope.String()))
		}
	}
	t.addNotes(cluster, "", o.Notes)
}

// addNotes takes in what to know, now or once the cluster is at a version.
func (t *Table) addNotes(cluster, version string, notes []*overview.Note) {
	if t.Named {
		return
	}
	if t.OnlyStuck {
		notes = slices.DeleteFunc(slices.Clone(notes), func(n *overview.Note) bool {
			return !n.Stated || !slices.ContainsFunc(n.Rows, func(r *overview.Row) bool { return r.Stuck() })
		})
	}
	at := section{place: noted, version: version}
	most := mostNotes
	for _, n := range notes {
		if n.Stated { // it does not hide behind a number
			most++
		}
	}
	for i, n := range notes {
		if more := len(notes) - most; i == most && more > 1 && !t.Wide && !t.All {
			t.addBlock(cluster, block{section: at, why: fmt.Sprintf("and %d more, listed by -o wide", more)}, nil, 0)
			break
		}
		t.addBlock(cluster, block{section: at, why: terminal.Line(n.Text)}, nil, 0, n.Rows...)
	}
}

// addPlan takes in the steps of a plan, and what blocks it.
func (t *Table) addPlan(cluster string, p *overview.Plan) {
	for _, h := range p.Hops {
		at := section{place: toTake, version: h.To}
		hidden := 0
		for i, s := range h.Steps {
			if s.ByItself && t.brief() {
				hidden++
				continue
			}
			b := block{section: at, why: terminal.Line(s.Text)}
			if !t.Named {
				b.step = i + 1
			}
			t.addBlock(cluster, b, nil, 0, s.Row)
		}
		if hidden > 0 {
			t.addBlock(cluster, block{section: at, why: terminal.Count(hidden, "request") + " that OLM updates by itself, listed by -o wide"}, nil, 0)
		}
		at = section{place: blocks, version: h.To}
		for _, b := range h.Blocked {
			t.addBlocked(cluster, at, b)
		}
		if len(h.Below) > 0 {
			names, below := h.Below, "see What needs your attention"
			if n := len(names); n > 1 && t.brief() {
				names, below = nil, terminal.Count(n, "request")+" that wait, or are explained below, listed by -o wide"
			}
			t.addBlock(cluster, block{section: at, why: below}, nil, 0, names...)
		}
		t.addNotes(cluster, h.To, h.Notes)
	}
	for _, l := range p.After {
		t.addBlock(cluster, block{section: section{place: afterHops, version: p.Hops[len(p.Hops)-1].To}, why: "gets no updates: " + terminal.Line(l.Text)}, nil, 0, l.Row)
	}
}

// brief reports whether the answer about one cluster is too long for a screen if it says all.
func (t *Table) brief() bool { return !t.Named && !t.Wide && !t.All && len(t.one.Rows) > mostTold }

// addBlocked takes in what blocks an update of the cluster. Of one cluster each row has a line for
// what it does not have in common with others.
func (t *Table) addBlocked(cluster string, at section, b overview.Blocked) {
	rows := terminal.Mapped(b.Rows, func(l overview.Line) *overview.Row { return l.Row })
	entry := block{section: at, why: b.Common, what: t.what(&b.Way)}
	switch {
	case b.Common == "", len(rows) == 1 && !t.Named:
		entry.why = terminal.Line(b.Reason)
	case !t.Named && (!t.brief() || len(rows) < mostRows):
		for _, l := range b.Rows {
			entry.why += "\n  " + terminal.Plain(l.Row.Name) + " " + terminal.Line(l.Text)
		}
		entry.named = true
	}
	t.addBlock(cluster, entry, &b.Way, 0, rows...)
}

// addBlock takes in a block, and returns what it is about. Blocks that say the same are one, with
// the way of the first.
func (t *Table) addBlock(cluster string, b block, way *overview.Way, waiting int, rows ...*overview.Row) *about {
	of := t.blocks.Add(b, cluster)
	of.way, of.waiting, of.rows = cmp.Or(of.way, way), of.waiting+waiting, append(of.rows, rows...)
	of.names = append(of.names, terminal.Mapped(rows, func(r *overview.Row) string { return terminal.Plain(r.Name) })...)
	return of
}

// mostNotes is the number of notes that a narrow answer has.
const mostNotes = 5

// mostRows is the number of rows that a block names.
const mostRows = 3

// title names what a block is about, empty if its text does.
func (t *Table) title(b block) string {
	subject := t.blocks.Of(b)
	names := slices.Compact(slices.Sorted(slices.Values(subject.names)))
	if len(names) == 0 || b.named {
		return ""
	}
	if !t.Wide {
		names = terminal.First(names, mostRows, "%d more")
	}
	title := strings.Join(names, ", ")
	if t.Named {
		title = terminal.Count(len(subject.names), "request") + " " + t.blocks.In(b) + ", " + title
	}
	if subject.waiting > 0 {
		title += fmt.Sprintf("; %d %s for it", subject.waiting, terminal.Verb(subject.waiting, "waits", "wait"))
	}
	return title
}

// orLabel is what stands before another fix, with its number where fixes have one.
func orLabel(or *text.Alternative, numbered bool) string {
	label := "Or fix"
	if or.Risky {
		label = "Or, risky fix"
	}
	if numbered {
		label += fmt.Sprintf(" %d", or.Number)
	}
	return label
}

// todo is what to do about rows, in turn. What has no label only says something. In many clusters
// fixes have no numbers.
func (t *Table) todo(w *overview.Way) (list []report.Do) {
	add := func(d report.Do) {
		if d.Then != "" || d.Label != "" {
			list = append(list, d)
		}
	}
	add(report.Do{Then: w.Wait})
	add(report.Do{Then: w.Leave})
	if r := w.Repair; r == nil {
		add(report.Do{Then: terminal.Labeled("Then: ", w.Then)})
	} else if steps := r.Steps(); len(steps) > 0 {
		add(report.Do{Label: "Do this", Steps: steps, Then: w.Then, Careful: r.Careful()})
	} else {
		add(report.Do{Then: w.Then, Careful: r.Careful()})
	}
	add(report.Do{Then: w.Else})
	if w.Again && !t.Named {
		add(report.Do{Then: w.Label(true) + ", above"})
	} else if do := w.Do; do != nil {
		add(report.Do{Then: do.Serves})
		add(report.Do{Label: w.Label(!t.Named), Steps: do.Steps, Then: do.Then, Careful: do.Careful})
	}
	for _, or := range w.Or {
		add(report.Do{Label: orLabel(&or, !t.Named), Steps: []string{or.Text}, Careful: or.Careful})
	}
	return list
}

// what is what to do about rows as a text.
func (t *Table) what(w *overview.Way) string {
	var lines []string
	add := func(label, text string) { lines = append(lines, label+terminal.Line(text)) }
	for _, d := range t.todo(w) {
		switch {
		case d.Label == "":
			add("", d.Then)
		case len(d.Steps) == 1:
			add(d.Label+": ", d.Steps[0])
		default:
			lines = append(lines, d.Label+":")
			for i, step := range d.Steps {
				add(fmt.Sprintf("  %d. ", i+1), step)
			}
		}
		if d.Label != "" && d.Then != "" {
			add("Then: ", d.Then)
		}
		for _, text := range d.Careful {
			add("Careful: ", text)
		}
	}
	return strings.Join(lines, "\n")
}

// Write prints who must act and on what, then the rows.
func (t *Table) Write(_ context.Context, p *terminal.Page) error {
	t.print(p)
	if t.Legend != "" {
		p.WriteString("\n" + t.Legend)
	}
	return nil
}

func (t *Table) print(p *terminal.Page) {
	if totals := overview.TotalsText(t.totals); totals != "" {
		p.WriteString(p.Bold(totals) + "\n")
	}
	if t.plan != nil {
		p.WriteString(p.Bold(t.plan.Verdict()) + "\n")
	}
	t.printBlocks(p)
	if t.Wide && !t.Named && t.one != nil {
		terminal.Section(&p.Buffer, p.Bold("Other fixes"), t.one.FurtherFixes())
	}
	terminal.Section(&p.Buffer, p.Bold("Clusters that could not be judged"), t.failed)
	if t.one != nil && !t.Named {
		t.printRows(p)
	}
	for _, one := range t.clusters {
		p.WriteString("\n" + p.Bold("Cluster "+terminal.Plain(one.name)) + "\n")
		one.print(p)
	}
}

// sorted are the blocks by section, and the first row of each that only fixes at a risk would help.
func (t *Table) sorted() (list []block, risky []*overview.Row) {
	list = t.blocks.Sorted(func(a, b block) int {
		return cmp.Or(a.section.compare(b.section), terminal.TrueFirst(t.elsewhere(a) == "", t.elsewhere(b) == ""), t.holdsBack(b)-t.holdsBack(a))
	})
	for _, b := range list {
		if of := t.blocks.Of(b); of.risky() {
			risky = append(risky, of.rows[0])
		}
	}
	return list, risky
}

// elsewhere says where OLM fails what rows wait to be approved for, empty if it is not known.
func (t *Table) elsewhere(b block) string {
	for _, r := range t.blocks.Of(b).rows {
		if clusters := slices.Compact(slices.Clone(t.broken[r.Next])); r.State == result.StatePendingApproval && len(clusters) > 0 {
			return fmt.Sprintf("%s is in phase Failed in cluster%s %s, see above; do not approve it here until it runs there",
				terminal.Plain(r.Next), terminal.Verb(len(clusters), "", "s"), terminal.Few(terminal.Mapped(clusters, terminal.Plain)))
		}
	}
	return ""
}

// printBlocks prints the blocks, with a title for each section. What lists fixes at a risk stands
// there once.
func (t *Table) printBlocks(p *terminal.Page) {
	list, risky := t.sorted()
	do, inFront := t.first(list)
	if do != nil && !inFront {
		step := "see below"
		if len(do.Steps) == 1 {
			step = terminal.Line(do.Steps[0])
		}
		fmt.Fprintf(p, "First, fix %d: %s (for the commands, add --fix %[1]d)\n", do.Number, step)
	}
	p.Each(len(list), "cause", func(i int) bool {
		b := list[i]
		if i == 0 || b.section != list[i-1].section {
			p.WriteString("\n" + p.Bold(b.section.title()) + "\n")
		}
		t.printBlock(p, b, risky)
		return true
	})
	var notes []string
	if inFront {
		notes = append(notes, fmt.Sprintf("For the commands of fix %[1]d, run this again with --fix %[1]d", do.Number))
	}
	if len(risky) > 1 {
		notes = append(notes, t.Call.RiskyText(risky))
	}
	if len(notes) > 0 {
		p.WriteString(strings.Join(notes, ". ") + "\n")
	}
}

// printBlock prints a block. It says how to list fixes at a risk if no other block would.
func (t *Table) printBlock(p *terminal.Page, b block, risky []*overview.Row) {
	title, text, what := t.title(b), b.why, b.what
	if careful := t.elsewhere(b); careful != "" {
		text = p.Notice("Careful:") + " " + careful + "\n" + text
	}
	switch {
	case !t.blocks.Of(b).risky():
	case len(risky) == 1:
		what = strings.TrimPrefix(what+"\n"+t.Call.RiskyText(risky), "\n")
	case b.named:
		text = strings.Replace(text, "\n", "; no safe fix\n", 1)
	case strings.Contains(text, "\n"):
		title = strings.TrimPrefix(title+"; no safe fix", "; ")
	default:
		text += "; no safe fix"
	}
	if b.step > 0 {
		title = fmt.Sprintf("%d. %s", b.step, title)
	}
	switch {
	case title == "":
	case what == "" && !strings.Contains(text, "\n"):
		text = title + ": " + text
	default:
		p.WriteString("  " + p.Bold(title) + "\n")
		text = "  " + strings.ReplaceAll(text, "\n", "\n  ")
	}
	if what != "" {
		text += "\n  " + strings.ReplaceAll(strings.ReplaceAll(what, "\nCareful:", "\n"+p.Notice("Careful:")), "\n", "\n  ")
	}
	p.WriteString("  " + strings.ReplaceAll(text, "\n", "\n  ") + "\n")
}

// first is the recommended fix to begin with, nil if there is none or fixes have no numbers: one that can be carried
// out at once and gives up nothing, if there is any. Only that one can stand behind others; inFront is false then.
func (t *Table) first(list []block) (do *text.Recommendation, inFront bool) {
	if t.Named || t.name != "" {
		return nil, false
	}
	for at, b := range list {
		w := t.blocks.Of(b).way
		if w == nil || w.Do == nil {
			continue
		}
		if w.Do.After == "" && w.Repair == nil && w.Do.Class <= result.ClassWidens {
			return w.Do, at == 0 || list[0].section.place == needed
		}
		if do == nil || do.After != "" && w.Do.After == "" {
			do, inFront = w.Do, true
		}
	}
	return do, inFront
}

// risky reports whether there are fixes, but none without a risk.
func (a *about) risky() bool { return a.way != nil && a.way.Risky && len(a.rows) > 0 }

// holdsBack is how many requests of many clusters a block is about. Of one cluster the order
// is given.
func (t *Table) holdsBack(b block) int {
	if !t.Named {
		return 0
	}
	if of := t.blocks.Of(b); of.way != nil && of.way.Do != nil && of.way.Do.After != "" {
		return of.waiting // behind what it waits for
	}
	return len(t.blocks.Of(b).names) + t.blocks.Of(b).waiting
}

// printRows prints the rows of the only cluster.
func (t *Table) printRows(p *terminal.Page) {
	rows := t.one.Rows
	if t.OnlyStuck {
		rows = slices.DeleteFunc(slices.Clone(rows), func(r *overview.Row) bool { return !r.Stuck() })
	}
	if len(rows) > mostListed && !t.Wide {
		p.WriteString(terminal.Count(len(rows), "row") + ", listed by -o wide\n")
		return
	}
	columns, cells := []string{"NAME", "INSTALLED -> NEXT", "HEAD", "STATE", "TARGET"}, versionCells
	if t.Wide {
		columns, cells = []string{"NAME", "PACKAGE", "CHANNEL", "INSTALLED", "NEXT", "HEAD", "STEPS", "STATE", "WAITS FOR", "TARGET", "SUPPORT"}, rowCells
	}
	optional := []string{"WAITS FOR", "TARGET", "SUPPORT", "LOCK"}
	if len(t.totals) > 0 {
		p.WriteByte('\n')
	}
	p.Table(terminal.Table{Optional: optional, Falling: overview.Falling, Colors: map[string]func(string) string{"STATE": colorOf(p.Style)}}, append(columns, "LOCK"), len(rows), "row", func(i int) []string {
		standing := ""
		if t.Standing != nil {
			standing = t.Standing("", rows[i].Status)
		}
		return append(append([]string{terminal.Plain(rows[i].Name)}, cells(rows[i].Status)...), standing)
	})
}

// colorOf colours states by whether somebody must act.
func colorOf(s terminal.Style) func(state string) string {
	return func(state string) string {
		switch result.State(state) {
		case result.StateFailed, result.StateUnhealthy, result.StateAtDeadEnd:
			return s.Bad(state)
		case result.StateNotInstalled, result.StateUpdateAvailable, result.StateInstalling:
			return state
		case result.StateKept, result.StateCurrent:
			return s.Good(state)
		}
		return s.Notice(state)
	}
}

// The number of rows up to which a narrow answer has a table, and up to which it says all beside it.
const mostListed, mostTold = 40, 20

// version is that of a bundle of a row, or its name.
func version(r *result.Status, name string) string { return cmp.Or(r.Versions[name], name) }

// steps is the number of updates to the head, empty if there is none.
func steps(r *result.Status) string {
	if r.Steps == 0 {
		return ""
	}
	return strconv.Itoa(r.Steps)
}

// versionCells are the cells of a row behind its name, with versions instead of bundles.
func versionCells(r *result.Status) []string {
	way := version(r, r.Installed)
	if r.Next != "" {
		way = strings.TrimSpace(way + " -> " + version(r, r.Next))
	}
	return terminal.Mapped([]string{way, version(r, r.Head), string(r.State), targetWord(r.Target)}, terminal.Plain)
}

// rowCells are the cells of a row behind its name.
func rowCells(r *result.Status) []string {
	awaited := strings.Join(terminal.First(terminal.Mapped(r.WaitsFor(), func(k cluster.RequestKey) string { return k.Name }), 1, "%d more"), ", ")
	return terminal.Mapped([]string{
		r.Package, r.Channel, r.Installed, r.Next, r.Head, steps(r), string(r.State), awaited, targetWord(r.Target), r.Support.String(),
	}, terminal.Plain)
}

// targetWord says in a few words what the target means to a request, if it means anything.
func targetWord(t *result.TargetStatus) string {
	if t == nil {
		return ""
	}
	var parts []string
	switch {
	case slices.ContainsFunc(t.Updates, func(s result.PathStep) bool { return s.Channel != "" }):
		parts = append(parts, "change channel first")
	case len(t.Updates) > 0:
		parts = append(parts, "update first")
	}
	if t.NotJudged {
		parts = append(parts, "not judged")
	} else if t.Blocks != "" {
		parts = append(parts, "blocks "+t.Blocks)
	} else if t.There != nil {
		parts = append(parts, "no updates then")
	}
	return strings.Join(parts, ", ")
}
