package migrations

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/resolvent/resolvent/examples/resolvent/internal/report"
	"github.com/resolvent/resolvent/examples/resolvent/internal/terminal"
	"github.com/resolvent/resolvent/resolver/migrate"
)

// Page collects the rows of clusters for a page for browsers: the checks that fail with the
// rows that they stop, then the rows, then a text about each. The zero value has none.
type Page struct {
	Source        *report.Source
	page          report.Rows
	all           []migrate.Row
	failing       failures
	stops, others *report.Section
	apply, each   *report.Section
}

func (p *Page) begin() {
	if p.stops == nil {
		p.stops = p.page.Section(report.Section{Heading: "What keeps operators from moving"})
		p.others = p.page.Section(report.Section{Heading: "What would fail in OLM v1 after the move"})
		p.apply = p.page.Section(report.Section{Heading: "Apply in this order", Below: true})
		p.each = p.page.Section(report.Section{Heading: "Each operator: why, and what comes next", Below: true})
	}
}

// Add takes in the rows of a cluster: why each is in its state, and what to apply; else why
// there are none.
func (p *Page) Add(ctx context.Context, name string, plan *migrate.Plan, failed error) error {
	p.begin()
	if failed != nil {
		p.page.Totals = append(p.page.Totals, "No rows for "+name+": "+string(terminal.Message(failed)))
		return nil
	}
	var toApply bytes.Buffer
	text := terminal.NewPage(ctx, &toApply, terminal.OutputYAML)
	if err := cmp.Or((&Objects{plan}).Write(ctx, text), text.Close()); err != nil {
		return err
	}
	p.all = append(p.all, sorted(plan)...)
	if len(plan.Orphans) > 0 {
		p.page.Totals = append(p.page.Totals, strings.TrimPrefix(name+": ", ": ")+orphans(plan))
	}
	var eligible []*report.Row
	for _, r := range sorted(plan) {
		row := &report.Row{Cluster: name, Place: r.Namespace, Name: nameOf(&r), State: string(r.State), Stuck: r.State == migrate.Conflict || r.State == migrate.Ineligible}
		row.Cells = []string{name, row.Name, differing(r.Package, r.Subscription), r.Installed, differing(r.ClusterExtension, r.Subscription), r.Catalog, next(&r)}
		for _, result := range []migrate.Result{migrate.Fails, migrate.NotJudged} {
			row.Cells = append(row.Cells, strings.Join(idsOf(r.Checks, result), ", "))
		}
		p.page.Add(row)
		lines := reasons(&r)
		switch {
		case r.State == migrate.Conflict:
			p.stops.Add(&report.Note{Title: row.Name + ": it has moved, but its Subscription still exists", Lines: lines, Weight: 2 * maxWeight}, row)
		case r.State == migrate.Eligible:
			eligible = append(eligible, row)
		}
		if r.Next.Fails && r.State == migrate.Eligible {
			p.others.Add(&report.Note{Lines: []string{r.Next.Why}}, row)
		}
		p.failing.add("", &r, row)
		if len(lines) > 0 {
			p.each.Add(&report.Note{Lines: lines}, row)
		}
	}
	if len(eligible) > 0 {
		p.apply.Add(&report.Note{Title: strings.TrimPrefix(name+": ", ": ") + "ClusterCatalogs and ClusterExtensions for eligible operators", Details: toApply.String()}, eligible...)
	}
	return nil
}

// differing is a text that another one does not say already.
func differing(text, said string) string {
	if text == said {
		return ""
	}
	return text
}

// next is what comes next, with OLM v0 and with v1 if that differs.
func next(r *migrate.Row) string {
	if r.Next.V0 == r.Next.V1 {
		return r.Next.V0
	}
	return strings.TrimSpace(terminal.Labeled("v0: ", r.Next.V0) + terminal.Labeled(" v1: ", r.Next.V1))
}

func idsOf(checks []migrate.Check, result migrate.Result) (ids []string) {
	for _, c := range checks {
		if c.Result == result {
			ids = append(ids, c.ID)
		}
	}
	return ids
}

// maxSteps is how many steps, and requests to others, a check shows. The rows have all.
const maxSteps = 12

// few are the first of some texts, each with the row that it is for if there is one, and a
// number of the others.
func (s *texts) few() (list []string) {
	for text, names := range s.All() {
		if len(*names) == 1 {
			text = (*names)[0] + ": " + text
		}
		list = append(list, text)
	}
	return terminal.First(list, maxSteps, "and %d more, in the rows below")
}

// note says what a check stops.
func (f *failing) note(id string) *report.Note {
	n := &report.Note{Title: fmt.Sprintf("%s fails for %s", id, terminal.Count(len(f.names), "operator")), Lines: []string{meaning(id)}, Listed: true}
	if f.hard {
		n.Weight = maxWeight
	}
	for i, title := range helps {
		switch few := f.help[i].few(); {
		case i > 0:
			n.More = append(n.More, terminal.Mapped(few, func(text string) string { return title + ": " + text })...)
		case len(few) > 0:
			n.Do = []report.Do{{Label: title, Steps: few}}
		}
	}
	return n
}

// maxWeight is that of a check that has to pass: it comes before all that can be acknowledged.
const maxWeight = 1 << 20

func (p *Page) Write(ctx context.Context, out *terminal.Page) error {
	p.begin()
	p.page.Title, p.page.Place, p.page.Source, p.page.Alike = "Migration to OLM v1", "Namespace", p.Source, []string{"Catalog"}
	p.page.Columns = strings.Split("Cluster\tName\tPackage\tInstalled\tClusterExtension\tCatalog\tNext\tFails\tNot judged", "\t")
	p.page.Totals = append([]string{totals(p.all)}, p.page.Totals...)
	if missing := unjudged(p.all); missing != "" {
		p.page.Totals = slices.Insert(p.page.Totals, 1, missing)
	}
	p.page.Legends = []report.Legend{{Title: "What the states mean", Terms: stateTerms}, {Title: "What the checks mean when they fail", Terms: checks}}
	for id := range p.failing.ids {
		f := p.failing.Of(id)
		p.stops.Add(f.note(id), f.rows...)
	}
	return p.page.Write(ctx, out)
}

// writeSurveyPage writes what OLM v1 would install of catalogs, and what it refuses and why.
func writeSurveyPage(ctx context.Context, page *terminal.Page, rows []migrate.Surveyed, source *report.Source) error {
	p := report.Rows{Title: "What OLM v1 would install", Place: "Catalog", Alike: []string{"Catalog"}, Source: source, Totals: []string{surveyTotals(rows)}}
	p.Columns = strings.Split("Package\tCatalog\tHead\tChannels\tWhy not\tWhat helps", "\t")
	refused := p.Section(report.Section{Heading: "What OLM v1 refuses"})
	for i := range rows {
		r := &rows[i]
		row := &report.Row{Place: r.Catalog, Name: r.Package, State: "refused", Stuck: !r.Served}
		if r.Served {
			row.State = "installed"
		}
		row.Cells = []string{r.Package, r.Catalog, r.Head, terminal.Few(r.Channels), whyNot(r), mends(r)}
		p.Add(row)
		for _, refusal := range r.Refusals {
			refused.Add(&report.Note{Title: string(refusal.Kind), Lines: []string{refusals[refusal.Kind]}, Listed: true}, row)
		}
	}
	return p.Write(ctx, page)
}
