package migrations

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/resolvent/resolvent/examples/resolvent/internal/fleet"
	"github.com/resolvent/resolvent/examples/resolvent/internal/report"
	"github.com/resolvent/resolvent/examples/resolvent/internal/terminal"
	"github.com/resolvent/resolvent/resolver/migrate"
)

// failing is what is known of a check that stops operators.
type failing struct {
	hard  bool
	names []string      // of the operators
	rows  []*report.Row // of a page
	help  changes
}

// failures are the checks that stop operators, by their IDs.
type failures struct{ fleet.Merged[string, failing] }

// add takes in the checks that stop an operator of a cluster, and what would help. The row is nil without a
// page.
func (s *failures) add(cluster string, r *migrate.Row, row *report.Row) {
	for _, c := range r.Checks {
		if c.Result != migrate.Fails || c.Acknowledged {
			continue
		}
		f := s.Add(c.ID, cluster)
		f.hard, f.names = c.Hard, append(f.names, nameOf(r))
		if row != nil {
			f.rows = append(f.rows, row)
		}
		for _, change := range r.Changes {
			if change.Check == c.ID {
				f.help.add(change, nameOf(r))
			}
		}
	}
}

// inOrder are the checks that have to pass, then the others, those that stop most first.
func (s *failures) inOrder() []string {
	return slices.SortedStableFunc(s.ids, func(a, b string) int {
		x, y := s.Of(a), s.Of(b)
		return cmp.Or(terminal.TrueFirst(x.hard, y.hard), len(y.names)-len(x.names))
	})
}

// ids are the checks in their own order.
func (s *failures) ids(yield func(string) bool) {
	for _, c := range checks {
		if s.Of(c.Word) != nil && !yield(c.Word) {
			return
		}
	}
}

// Text collects the rows of clusters for people. The zero value is for one cluster.
type Text struct {
	// Named: there are several clusters. ByCluster: the rows of each follow, behind the totals of all.
	Named, ByCluster bool
	// Wide: the rows have all columns, and say why.
	Wide bool

	all      []migrate.Row
	clusters []clusterPlan
	failed   []terminal.Lines
	failing  failures
	// conflicts and later are about rows that no check stops.
	conflicts, later texts
}

type clusterPlan struct {
	name string
	plan *migrate.Plan
}

// Add takes in the rows of a cluster, or why there are none.
func (t *Text) Add(_ context.Context, cluster string, plan *migrate.Plan, err error) error {
	if err != nil {
		t.failed = append(t.failed, terminal.Named(cluster, err))
		return nil
	}
	t.clusters, t.all = append(t.clusters, clusterPlan{cluster, plan}), append(t.all, sorted(plan)...)
	for _, r := range sorted(plan) {
		switch {
		case r.State == migrate.Conflict:
			t.conflicts.add(cluster, reasons(&r)[0], nameOf(&r))
		case r.State == migrate.Eligible && r.Next.Fails:
			t.later.add(cluster, r.Next.Why, nameOf(&r))
		}
		t.failing.add(cluster, &r, nil)
	}
	return nil
}

// mostNamed is the number of clusters that are listed.
const mostNamed = 10

// mostLines is how long the answer about a cluster may be with a text about each operator.
const mostLines = 45

// Write prints the totals and what keeps operators from moving, then the rows of the only cluster,
// or of each if that is wanted.
func (t *Text) Write(_ context.Context, p *terminal.Page) error {
	p.WriteString(p.Bold(totals(t.all)) + "\n")
	if missing := unjudged(t.all); missing != "" {
		terminal.Printf(p, "%s\n", terminal.Line(missing))
	}
	if !t.Named {
		t.clusters[0].writeHead(p)
	}
	more := "-o wide"
	if t.Named {
		more = "--by cluster -o wide"
	}
	terminal.Section(&p.Buffer, p.Bold("What keeps operators from moving"), t.causes(more))
	terminal.Section(&p.Buffer, p.Bold("What would fail in OLM v1 after the move"), t.later.said(t.Named))
	terminal.Section(&p.Buffer, p.Bold("Clusters that could not be judged"), t.failed)
	if !t.Named {
		t.clusters[0].write(p, t.Wide)
		return nil
	}
	if !t.ByCluster {
		lines := terminal.Mapped(t.clusters, func(c clusterPlan) string { return terminal.Plain(c.name) + ": " + totals(c.plan.Rows) })
		terminal.Section(&p.Buffer, p.Bold("Clusters"), terminal.First(lines, mostNamed, "and %d more, listed by --by cluster"))
		return nil
	}
	for _, c := range t.clusters {
		p.WriteString("\n" + p.Bold("Cluster "+terminal.Plain(c.name)) + "\n" + totals(c.plan.Rows) + "\n")
		c.writeHead(p)
		c.write(p, t.Wide)
	}
	return nil
}

// mostExplained is the number of causes with what would help; of further ones it is -o wide that says
// so.
const mostExplained = 8

// causes say what each check stops, and what would help, then which operators have moved.
func (t *Text) causes(more string) (list []terminal.Lines) {
	for _, l := range t.conflicts.said(t.Named) {
		list = append(list, terminal.Lines(l))
	}
	for _, id := range t.failing.inOrder() {
		f, where := t.failing.Of(id), ""
		if t.Named {
			where = " " + t.failing.In(id)
		}
		text := fmt.Sprintf("%s fails for %s%s%s: %s", id, terminal.Count(len(f.names), "operator"), where, map[bool]string{true: ", and must pass"}[f.hard], operators(f.names))
		if len(list) >= mostExplained {
			list = append(list, terminal.Lines(terminal.Line(text)))
			continue
		}
		lines := []string{terminal.Line(text), "  " + strings.TrimSuffix(strings.TrimSuffix(meaning(id), hard), soft)}
		for i, title := range helps {
			if line := f.help[i].first(len(f.names), more); line != "" {
				lines = append(lines, "  "+strings.ToLower(title)+": "+terminal.Line(line))
			}
		}
		list = append(list, terminal.Lines(strings.Join(lines, "\n")))
	}
	return list
}

// said are the texts, each with the operators that it is about.
func (s *texts) said(named bool) (lines []string) {
	for text, names := range s.All() {
		where := ""
		if named {
			where = " " + s.In(text)
		}
		lines = append(lines, terminal.Line(operators(*names)+where+": "+text))
	}
	return lines
}

// operators names some of several operators.
func operators(names []string) string {
	return terminal.Few(slices.Compact(slices.Sorted(slices.Values(names))))
}

// first is the first of the texts, with the operators that it is for unless it is the only one and for all n.
func (s *texts) first(n int, more string) string {
	count, first, of := 0, "", []string{}
	for text, names := range s.All() {
		if count++; count == 1 {
			first, of = text, *names
		}
	}
	switch {
	case count > 1:
		return fmt.Sprintf("%s (%s; %d more: %s)", first, operators(of), count-1, more)
	case count == 1 && len(of) < n:
		return first + " (" + operators(of) + ")"
	}
	return first
}

// writeHead prints what many rows have in common.
func (c clusterPlan) writeHead(p *terminal.Page) {
	var passes texts
	for _, r := range sorted(c.plan) {
		for _, c := range r.Checks {
			if c.Result == migrate.Passes && c.Message != "" {
				passes.add("", c.Message, c.ID)
			}
		}
	}
	for message, checks := range passes.All() {
		terminal.Printf(p, "%s\n", terminal.Line((*checks)[0]+" is "+message))
	}
	if len(c.plan.Orphans) > 0 {
		terminal.Printf(p, "%s\n", terminal.Line(orphans(c.plan)))
	}
}

// write prints the rows by state, and why each is in it if there is room.
func (c clusterPlan) write(p *terminal.Page, wide bool) {
	rows := sorted(c.plan)
	if len(rows) == 0 {
		return
	}
	size := len(rows)
	said := terminal.Mapped(rows, func(r migrate.Row) []string {
		lines := reasons(&r)
		size += len(lines)
		return lines
	})
	p.WriteString("\n")
	columns := strings.Split("NAME\tINSTALLED\tSTATE\tFAILS\tNOT JUDGED", "\t")
	if wide {
		columns = strings.Split("NAME\tPACKAGE\tINSTALLED\tSTATE\tCLUSTEREXTENSION\tCATALOG\tNEXT V0\tNEXT V1", "\t")
	}
	p.Table(terminal.Table{Optional: []string{"NOT JUDGED", "FAILS"}}, columns, len(rows), "row", func(i int) []string {
		r := &rows[i]
		if wide {
			return cells(r)
		}
		return []string{nameOf(r), r.Installed, string(r.State), strings.Join(idsOf(r.Checks, migrate.Fails), ", "), strings.Join(idsOf(r.Checks, migrate.NotJudged), ", ")}
	})
	if !wide && size > mostLines {
		p.WriteString("\nTo see why, and what OLM v0 and v1 would install next, add -o wide\n")
		return
	}
	for i := range rows {
		if len(said[i]) > 0 {
			terminal.Section(&p.Buffer, p.Bold(terminal.Plain(nameOf(&rows[i])+": "+string(rows[i].State))), said[i])
		}
	}
}
