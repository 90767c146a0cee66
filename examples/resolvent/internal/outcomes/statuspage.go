package outcomes

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/examples/resolvent/internal/overview"
	"github.com/resolvent/resolvent/examples/resolvent/internal/report"
	"github.com/resolvent/resolvent/examples/resolvent/internal/terminal"
	"github.com/resolvent/resolvent/resolver/catalogcheck"
	"github.com/resolvent/resolvent/resolver/fixes"
	"github.com/resolvent/resolvent/resolver/graph"
	"github.com/resolvent/resolvent/resolver/updates"
)

// StatusPage collects the rows of clusters for a page. The zero value has none.
type StatusPage struct {
	StatusTable
	// Catalogs are those whose update graphs are drawn.
	Catalogs *cache.View
	page     report.Rows
	clusters int // that could be read
	// installed counts the requests that have a bundle, by update graph and bundle.
	installed map[string]map[string]int
}

// Add takes in the rows of a cluster, or why there are none.
func (p *StatusPage) Add(ctx context.Context, cluster string, rows []updates.Status, err error) error {
	if err == nil {
		p.clusters++
	}
	o := overview.New(rows)
	for _, state := range updates.States {
		for _, r := range o.Rows {
			if r.State == state && (r.Stuck() || !p.OnlyStuck) {
				row := &report.Row{Cluster: cluster, Namespace: r.Request.Namespace, Name: r.Name, State: string(state), Stuck: r.Stuck()}
				row.Cells = append([]string{cluster, row.Name}, rowCells(r.Status)...)
				row.Cells = slices.Delete(row.Cells, 8, 9) // the state is not a cell
				p.page.Add(row, p.notes(r, o.Plan)...)
			}
		}
	}
	return p.StatusTable.Add(ctx, cluster, rows, err)
}

// notes are what is said of a row: why it is not at the head, what is to do for the target,
// and the updates of the package.
func (p *StatusPage) notes(r *overview.Row, plan *overview.Plan) []*report.Note {
	var notes []*report.Note
	if reason := r.Reason(); reason != "" {
		n := &report.Note{Heading: "Why not at the head", Text: terminal.Flat(reason), Details: helpText(&r.Help, r.Err), Summary: "Picture of the cause"}
		if d := pictureOf(r.Status); d != nil {
			n.Draw = d.SVG
		}
		notes = append(notes, n)
	}
	notes = append(notes, planNotes(r, plan)...)
	text := fmt.Sprintf("%s, channel %s of %s", r.Package, terminal.Dash(r.Channel), r.Catalog)
	if p.installed == nil {
		p.installed = map[string]map[string]int{}
	}
	if p.installed[text] == nil {
		p.installed[text] = map[string]int{}
	}
	if r.Installed != "" {
		p.installed[text][r.Installed]++
	}
	if g := p.updateGraph(r.Status, text); g != nil {
		notes = append(notes, &report.Note{Rank: "2", Heading: "Updates of what is not at the head", Text: text, Summary: "Update graph", Draw: g})
	}
	return notes
}

// planNotes are what a plan says of a row.
func planNotes(r *overview.Row, plan *overview.Plan) (notes []*report.Note) {
	if plan == nil {
		return nil
	}
	add := func(of section, text string) *report.Note {
		n := &report.Note{Rank: fmt.Sprintf("1%03d %s", of.place, of.version), Heading: of.title(), Text: terminal.Flat(text)}
		notes = append(notes, n)
		return n
	}
	for _, h := range plan.Hops {
		for _, s := range h.Steps {
			if s.Row == r {
				add(section{toTake, h.To}, s.Text)
			}
		}
		for _, b := range h.Blocked {
			if b.Row == r {
				add(section{blocks, h.To}, r.Target.Reason()).Details = helpText(fixes.HelpOf(r.Target.Err), r.Target.Err)
			}
		}
	}
	for _, l := range plan.After {
		if l.Row == r {
			add(section{afterHops, plan.Hops[len(plan.Hops)-1].To}, "gets no updates: "+l.Text)
		}
	}
	return notes
}

// helpText is what would help, as it is printed.
func helpText(help *fixes.Help, err error) string {
	var b bytes.Buffer
	writeHelp(&b, help, err, terminal.Style{})
	return strings.Trim(b.String(), "\n")
}

// pictureOf draws what keeps a request from its head, nil if there is no derivation.
func pictureOf(r *updates.Status) *graph.Drawing {
	d := &graph.Drawing{}
	if r.Why != nil {
		d.AddExplanation("", r.Why)
		return d
	}
	drawn := 0
	if e, ok := unsatisfied(r.Err); ok {
		for _, c := range e.Causes {
			if c.Explanation != nil && slices.Contains(c.Requests, r.Request) {
				drawn++
				d.AddExplanation(fmt.Sprintf("Cause %d", drawn), c.Explanation)
			}
		}
	}
	if drawn == 0 {
		return nil
	}
	return d
}

// updateGraph draws the channel of a request that is not at its head, nil if it is, or the
// catalog is not known. What requests of the graph have installed is marked.
func (p *StatusPage) updateGraph(r *updates.Status, text string) func() (string, error) {
	if r.State == updates.Current || p.Catalogs == nil {
		return nil
	}
	for c := range p.Catalogs.Catalogs() {
		var pkg *catalog.Package
		if c.Key.String() == r.Catalog && c.Snapshot != nil {
			pkg = c.Snapshot.Package(r.Package)
		}
		if pkg != nil {
			return func() (string, error) {
				g := catalogcheck.NewGraph(c.Snapshot, pkg)
				g.Only(r.Channel)
				g.MarkInstalled(p.installed[text])
				return g.SVG()
			}
		}
	}
	return nil
}

// Write writes the page.
func (p *StatusPage) Write(ctx context.Context, to *terminal.Page) error {
	p.page.Title, p.page.Legend = "Status of the cluster", p.Legend
	if p.Named {
		p.page.Title = "Status of " + terminal.Count(p.clusters, "cluster")
	}
	p.page.Columns = strings.Split("Cluster\tName\tPackage\tChannel\tInstalled\tNext\tHead\tSteps\tTarget\tSupport", "\t")
	p.page.Totals = []string{overview.TotalsText(p.totals)}
	if p.plan != nil {
		p.page.Totals = append(p.page.Totals, p.plan.Verdict())
	}
	for _, failed := range p.failed {
		p.page.Totals = append(p.page.Totals, "No rows of "+string(failed))
	}
	return p.page.Write(ctx, to)
}
