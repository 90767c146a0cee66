package migrations

import (
	"bytes"
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/resolvent/resolvent/examples/resolvent/internal/report"
	"github.com/resolvent/resolvent/examples/resolvent/internal/terminal"
	"github.com/resolvent/resolvent/resolver/migrate"
)

// page collects the rows of clusters for a page for browsers. The zero value has none.
type page struct {
	report.Rows
	all []migrate.Row
}

// add takes in the rows of a cluster: why each is in its state, and what to apply; else why
// there are none.
func (p *page) add(ctx context.Context, name string, plan *migrate.Plan, failed error) error {
	if failed != nil {
		p.Totals = append(p.Totals, "No rows of "+name+": "+string(terminal.Message(failed)))
		return nil
	}
	var toApply bytes.Buffer
	text := terminal.NewPage(ctx, &toApply, terminal.OutputYAML)
	if err := cmp.Or(writeYAML(text, plan), text.Close()); err != nil {
		return err
	}
	apply := &report.Note{Rank: "1", Heading: "To apply, in this order", Text: "ClusterCatalogs and ClusterExtensions of what is eligible", Details: toApply.String()}
	p.all = append(p.all, plan.Rows...)
	if len(plan.Orphans) > 0 {
		p.Totals = append(p.Totals, strings.TrimPrefix(name+": ", ": ")+orphans(plan))
	}
	for _, r := range sorted(plan) {
		row := &report.Row{Cluster: name, Namespace: r.Namespace, Name: nameOf(&r), State: string(r.State), Stuck: r.State == migrate.Conflict || r.State == migrate.Ineligible}
		row.Cells = slices.Delete(append([]string{name}, cells(&r)...), 4, 5) // the state stands by itself
		for _, result := range []migrate.Result{migrate.Fails, migrate.NotJudged, migrate.Passes} {
			var ids []string
			for _, c := range r.Checks {
				if c.Result == result {
					ids = append(ids, c.ID)
				}
			}
			row.Cells = append(row.Cells, strings.Join(ids, ", "))
		}
		var notes []*report.Note
		if lines := reasons(&r); len(lines) > 0 {
			notes = append(notes, &report.Note{Heading: "Why, and what comes next", Text: string(r.State), Details: strings.Join(lines, "\n")})
		}
		if r.State == migrate.Eligible {
			notes = append(notes, apply)
		}
		p.Rows.Add(row, notes...)
	}
	return nil
}

// write writes the page.
func (p *page) write(ctx context.Context, to *terminal.Page) error {
	p.Title = "Migration to OLM v1"
	p.Columns = strings.Split("Cluster\tName\tPackage\tInstalled\tClusterExtension\tCatalog\tNext v0\tNext v1\tFails\tNot judged\tPasses", "\t")
	p.Totals = append([]string{totals(p.all)}, p.Totals...)
	return p.Rows.Write(ctx, to)
}
