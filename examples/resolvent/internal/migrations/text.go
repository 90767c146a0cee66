package migrations

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/resolvent/resolvent/examples/resolvent/internal/fleet"
	"github.com/resolvent/resolvent/examples/resolvent/internal/report"
	"github.com/resolvent/resolvent/examples/resolvent/internal/terminal"
	"github.com/resolvent/resolvent/resolver/migrate"
)

// failures are the checks that stop operators, by their IDs.
type failures map[string]*failing

// failing is a check with the operators that it stops, and what would help each.
type failing struct {
	id    string
	hard  bool
	names []string
	rows  []*report.Row // of a page
	// steps are what would help, others is what only others can change, accept how to
	// acknowledge the check, each with the rows that it is for.
	steps, others, accept shared
}

// add takes in the checks that stop an operator, and what would help. The row is nil without a
// page.
func (s failures) add(r *migrate.Row, row *report.Row) {
	for _, c := range r.Checks {
		if c.Result != migrate.Fails || c.Acknowledged {
			continue
		}
		f := s[c.ID]
		if f == nil {
			f = &failing{id: c.ID, hard: c.Hard}
			s[c.ID] = f
		}
		f.names = append(f.names, nameOf(r))
		if row != nil {
			f.rows = append(f.rows, row)
		}
		for _, change := range r.Changes {
			switch {
			case change.Check != c.ID:
			case change.Others:
				f.others.add(change.Text, nameOf(r))
			case change.Acknowledge:
				f.accept.add(change.Text, nameOf(r))
			default:
				f.steps.add(change.Text, nameOf(r))
			}
		}
	}
}

// inOrder are the checks that have to pass, then the others, those that stop most first.
func (s failures) inOrder() (list []*failing) {
	for _, c := range checks {
		if s[c.Word] != nil {
			list = append(list, s[c.Word])
		}
	}
	slices.SortStableFunc(list, func(a, b *failing) int {
		return cmp.Or(terminal.TrueFirst(a.hard, b.hard), len(b.names)-len(a.names))
	})
	return list
}

// text collects the rows of clusters for people. The zero value has none.
type text struct {
	all      []migrate.Row
	clusters []clusterPlan
	failed   []terminal.Lines
	failing  failures
	// conflicts and later are texts about rows that no check stops, with these; in has the
	// clusters of each and of each check.
	conflicts, later shared
	in               fleet.Merged[string]
}

type clusterPlan struct {
	name string
	plan *migrate.Plan
}

func (t *text) add(cluster string, plan *migrate.Plan, err error) {
	if err != nil {
		t.failed = append(t.failed, terminal.Lines(terminal.Plain(cluster)+": ")+terminal.Message(err))
		return
	}
	if t.failing == nil {
		t.failing = failures{}
	}
	t.clusters, t.all = append(t.clusters, clusterPlan{cluster, plan}), append(t.all, plan.Rows...)
	said := map[string]bool{}
	note := func(what string) {
		if !said[what] {
			said[what] = true
			t.in.Add(what, cluster)
		}
	}
	for _, r := range sorted(plan) {
		switch {
		case r.State == migrate.Conflict:
			t.conflicts.add(reasons(&r)[0], nameOf(&r))
			note(reasons(&r)[0])
		case r.State == migrate.Eligible && r.Next.Fails:
			t.later.add(r.Next.Why, nameOf(&r))
			note(r.Next.Why)
		}
		t.failing.add(&r, nil)
		for _, id := range idsOf(r.Checks, migrate.Fails) {
			note(id)
		}
	}
}

// mostNamed is the number of clusters that are listed.
const mostNamed = 10

// mostLines is how long the answer about a cluster may be with a text about each operator.
const mostLines = 45

// write prints the totals and what keeps operators from moving, then the rows of the only cluster,
// or of each if that is wanted.
func (t *text) write(p *terminal.Page, o *Output) {
	p.WriteString(p.Bold(totals(t.all)) + "\n")
	if missing := unjudged(t.all); missing != "" {
		terminal.Printf(p, "%s\n", terminal.Line(missing))
	}
	if !o.Named {
		t.clusters[0].writeHead(p)
	}
	more := "-o wide"
	if o.Named {
		more = "--by cluster -o wide"
	}
	terminal.Section(&p.Buffer, p.Bold("What keeps operators from moving"), t.causes(o.Named, more))
	terminal.Section(&p.Buffer, p.Bold("What would fail in OLM v1 after the move"), t.said(&t.later, o.Named))
	terminal.Section(&p.Buffer, p.Bold("Clusters that could not be judged"), t.failed)
	if !o.Named {
		t.clusters[0].write(p, o)
		return
	}
	if !o.ByCluster {
		lines := terminal.Mapped(t.clusters, func(c clusterPlan) string { return terminal.Plain(c.name) + ": " + totals(c.plan.Rows) })
		terminal.Section(&p.Buffer, p.Bold("Clusters"), terminal.First(lines, mostNamed, "and %d more, listed by --by cluster"))
		return
	}
	for _, c := range t.clusters {
		p.WriteString("\n" + p.Bold("Cluster "+terminal.Plain(c.name)) + "\n" + totals(c.plan.Rows) + "\n")
		c.writeHead(p)
		c.write(p, o)
	}
}

// mostExplained is the number of causes with what would help; of further ones it is -o wide that says
// so.
const mostExplained = 8

// causes say what each check stops, and what would help, then which operators have moved.
func (t *text) causes(named bool, more string) (list []terminal.Lines) {
	for _, l := range t.said(&t.conflicts, named) {
		list = append(list, terminal.Lines(l))
	}
	for _, f := range t.failing.inOrder() {
		text := fmt.Sprintf("%s fails for %s%s%s: %s", f.id, terminal.Count(len(f.names), "operator"), t.where(f.id, named), map[bool]string{true: ", and must pass"}[f.hard], operators(f.names))
		if len(list) >= mostExplained {
			list = append(list, terminal.Lines(terminal.Line(text)))
			continue
		}
		meant := strings.TrimSuffix(strings.TrimSuffix(meaning(f.id), hard), soft)
		lines := []string{terminal.Line(text), "  " + meant}
		for _, help := range []struct {
			title string
			texts *shared
		}{{"what would help", &f.steps}, {"needs a change by others", &f.others}, {"can be accepted", &f.accept}} {
			if line := help.texts.first(len(f.names), more); line != "" {
				lines = append(lines, "  "+help.title+": "+terminal.Line(line))
			}
		}
		list = append(list, terminal.Lines(strings.Join(lines, "\n")))
	}
	return list
}

// said are texts, each with the operators that it is about.
func (t *text) said(s *shared, named bool) (lines []string) {
	for i, text := range s.texts {
		lines = append(lines, terminal.Line(operators(s.about[i])+t.where(text, named)+": "+text))
	}
	return lines
}

func (t *text) where(what string, named bool) string {
	if !named {
		return ""
	}
	return " " + t.in.In(what)
}

// operators names some of several operators.
func operators(names []string) string {
	return terminal.Few(slices.Compact(slices.Sorted(slices.Values(names))))
}

// first is the first of some texts, with the operators that it is for unless it is for all n.
func (s *shared) first(n int, more string) string {
	switch {
	case len(s.texts) == 0:
		return ""
	case len(s.texts) > 1:
		return fmt.Sprintf("%s (%s; %d more: %s)", s.texts[0], operators(s.about[0]), len(s.texts)-1, more)
	case len(s.about[0]) < n:
		return s.texts[0] + " (" + operators(s.about[0]) + ")"
	}
	return s.texts[0]
}

// writeHead prints what many rows have in common.
func (c clusterPlan) writeHead(p *terminal.Page) {
	var passes shared
	for _, r := range sorted(c.plan) {
		for _, c := range r.Checks {
			if c.Result == migrate.Passes && c.Message != "" {
				passes.add(c.Message, c.ID)
			}
		}
	}
	for message, check := range passes.all {
		check, _, _ = strings.Cut(check, ",")
		terminal.Printf(p, "%s\n", terminal.Line(check+" is "+message))
	}
	if len(c.plan.Orphans) > 0 {
		terminal.Printf(p, "%s\n", terminal.Line(orphans(c.plan)))
	}
}

// write prints the rows by state, and why each is in it if there is room.
func (c clusterPlan) write(p *terminal.Page, o *Output) {
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
	if o.Form == terminal.OutputWide {
		columns = strings.Split("NAME\tPACKAGE\tINSTALLED\tSTATE\tCLUSTEREXTENSION\tCATALOG\tNEXT V0\tNEXT V1", "\t")
	}
	p.Table(terminal.Table{Optional: []string{"NOT JUDGED", "FAILS"}}, columns, len(rows), "row", func(i int) []string {
		r := &rows[i]
		if o.Form == terminal.OutputWide {
			return cells(r)
		}
		return []string{nameOf(r), r.Installed, string(r.State), strings.Join(idsOf(r.Checks, migrate.Fails), ", "), strings.Join(idsOf(r.Checks, migrate.NotJudged), ", ")}
	})
	if o.Form != terminal.OutputWide && size > mostLines {
		p.WriteString("\nTo see why, and what OLM v0 and v1 would install next, add -o wide\n")
		return
	}
	for i := range rows {
		if len(said[i]) > 0 {
			terminal.Section(&p.Buffer, p.Bold(terminal.Plain(nameOf(&rows[i])+": "+string(rows[i].State))), said[i])
		}
	}
}
