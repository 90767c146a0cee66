package statuses

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/examples/resolvent/internal/outcomes"
	"github.com/resolvent/resolvent/examples/resolvent/internal/overview"
	"github.com/resolvent/resolvent/examples/resolvent/internal/report"
	"github.com/resolvent/resolvent/examples/resolvent/internal/terminal"
	"github.com/resolvent/resolvent/resolver/check"
	"github.com/resolvent/resolvent/resolver/graph"
	"github.com/resolvent/resolvent/resolver/result"
)

// Page collects the rows of clusters for a page: what the text says of them, all of
// them, then what more there is to know. The zero value has none.
type Page struct {
	Table
	// Catalogs have the update graphs. Source is what the page is made from.
	Catalogs *cache.View
	Source   *report.Source
	page     report.Rows
	clusters int // that could be read
	// installed counts the requests that have a bundle, by update graph and bundle.
	installed map[offer]map[string]int
	rows      map[*overview.Row]*report.Row
	order     []*overview.Row // as they are added
}

// offer is a channel of a package, all of them if it has no name.
type offer struct {
	catalog      catalog.Key
	pkg, channel string
}

// Add takes in the rows of a cluster, or why there are none.
func (p *Page) Add(ctx context.Context, cluster string, rows []result.Status, err error) error {
	if err != nil {
		return p.Table.Add(ctx, cluster, rows, err)
	}
	if p.rows == nil {
		p.rows = map[*overview.Row]*report.Row{}
	}
	p.clusters++
	o := overview.New(rows, p.Call)
	for _, state := range result.States {
		for _, r := range o.Rows {
			if r.State == state && (r.Stuck() || !p.OnlyStuck) {
				row := &report.Row{Cluster: cluster, Place: r.Request.Namespace, Name: r.Name, State: string(state), Words: overview.InWords(state), Stuck: r.Stuck()}
				row.Cells = pageCells(cluster, r)
				p.page.Add(row)
				p.rows[r] = row
				p.order = append(p.order, r)
			}
		}
	}
	p.add(cluster, o)
	return nil
}

// pageCells are the cells of a row but for its state. The package has one where the name
// does not state it.
func pageCells(cluster string, r *overview.Row) []string {
	pkg := r.Package
	if pkg == r.Request.Name {
		pkg = ""
	}
	return []string{cluster, r.Name, pkg, r.Channel, version(r.Status, r.Installed), version(r.Status, r.Next), version(r.Status, r.Head), steps(r.Status), targetWord(r.Target), r.Support.String()}
}

// pictureOf draws what keeps a request from its head, nil if there is no derivation.
func pictureOf(r *result.Status) *graph.Drawing {
	d := &graph.Drawing{}
	if r.Why != nil && len(r.Why.Because) == 0 {
		return nil // it is a sentence
	}
	if r.Why != nil {
		d.AddExplanation("", r.Why)
		return d
	}
	drawn := 0
	if e, ok := errors.AsType[*result.NotSatisfiable](r.Err); ok {
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
// catalog or the channel is not known. What requests of the graph have installed is marked.
func (p *Page) updateGraph(r *result.Status) func() (string, error) {
	if r.State == result.StateCurrent || p.Catalogs == nil {
		return nil
	}
	for c := range p.Catalogs.Catalogs() {
		var pkg *catalog.Package
		if c.Key == r.Catalog && c.Snapshot != nil {
			pkg = c.Snapshot.Package(r.Package)
		}
		if pkg == nil {
			continue
		}
		if r.Channel != "" && !slices.ContainsFunc(pkg.Channels, func(c *catalog.Channel) bool { return c.Name == r.Channel }) {
			return nil
		}
		return func() (string, error) {
			g := check.NewGraph(c.Snapshot, pkg)
			if r.Channel != "" {
				g.Only(r.Channel)
			}
			g.MarkInstalled(p.installed[offer{r.Catalog, r.Package, r.Channel}])
			return g.SVG()
		}
	}
	return nil
}

func (p *Page) Write(ctx context.Context, page *terminal.Page) error {
	p.page.Title, p.page.Place = "Status of the cluster", "Namespace"
	if p.Named {
		p.page.Title = "Status of " + terminal.Count(p.clusters, "cluster")
	}
	p.page.Legends = []report.Legend{{Title: "What the states mean", Terms: terminal.Mapped(overview.States, func(m overview.Meaning) report.Term {
		return report.Term{Word: m.Words, Meaning: m.Text}
	})}}
	p.page.Columns = strings.Split("Cluster\tName\tPackage\tChannel\tInstalled\tNext\tHead\tSteps\tTarget\tSupport", "\t")
	p.page.Totals = []string{overview.TotalsText(p.totals)}
	if p.plan != nil {
		p.page.Totals = append(p.page.Totals, p.plan.Verdict())
	}
	for _, failed := range p.failed {
		p.page.Totals = append(p.page.Totals, "No rows for "+string(failed))
	}
	p.notes(ctx)
	p.page.Source = p.Source
	return p.page.Write(ctx, page)
}

// notes takes in what the text says of the rows, then why others are not at the head, and
// their updates.
func (p *Page) notes(ctx context.Context) {
	said, saying := map[*overview.Row]bool{}, map[string]func(*report.Row){}
	var in *report.Section
	list, risky := p.sorted()
	if len(risky) > 1 { // which stands once
		p.page.Totals = append(p.page.Totals, p.Call.RiskyText(risky))
	}
	for i, b := range list {
		if i == 0 || b.section != list[i-1].section {
			in = p.page.Section(report.Section{Heading: b.section.title(), Steps: b.step > 0, Ordered: true})
		}
		subject := p.blocks.Of(b)
		n := &report.Note{Title: p.title(b), Lines: strings.Split(b.why, "\n"), Weight: subject.waiting, Stuck: b.section.place.stuck(), Listed: len(subject.rows) > mostRows}
		if careful := p.elsewhere(b); careful != "" {
			n.More = append(n.More, "Careful: "+careful)
		}
		p.way(ctx, n, subject, len(risky) > 1)
		for _, r := range subject.rows {
			if said[r] = true; n.Draw == nil && b.section.place.stuck() {
				draw(n, r)
			}
		}
		in.Add(n, terminal.Mapped(subject.rows, func(r *overview.Row) *report.Row { return p.rows[r] })...)
		add := in.Add
		for _, line := range n.Lines {
			saying[line] = func(r *report.Row) { add(n, r) }
		}
	}
	waits := p.page.Section(report.Section{Heading: "What waits for others"})
	rest := p.page.Section(report.Section{Heading: "Good to know about others", Below: true})
	graphs := p.page.Section(report.Section{Heading: "Update graphs of operators below their heads", Below: true})
	for _, r := range p.order {
		if reason := terminal.Flat(r.Reason()); reason != "" && !said[r] {
			n := &report.Note{Lines: []string{reason}}
			switch draw(n, r); {
			case saying[reason] != nil:
				saying[reason](p.rows[r])
			case r.Stuck():
				waits.Add(n, p.rows[r])
			default:
				rest.Add(n, p.rows[r])
			}
		}
		p.addGraph(graphs, r)
	}
}

// way takes in what to do. It was told where fixes at a risk are listed.
func (p *Page) way(ctx context.Context, n *report.Note, subject *about, told bool) {
	w := subject.way
	if w == nil {
		return
	}
	for _, d := range p.todo(w) {
		if w.Do != nil && !p.Named && d.Label == w.Label(true) {
			d.Commands = outcomes.Commands(ctx, &p.one.Fixes[w.Do.Number-1])
		}
		if d.Label != "" {
			n.Do = append(n.Do, d)
		} else {
			n.More = append(n.More, d.Then)
		}
	}
	switch {
	case !subject.risky():
	case told:
		n.More = append(n.More, "No safe fix")
	default:
		n.More = append(n.More, p.Call.RiskyText(subject.rows))
	}
}

// draw has a note show what keeps a row from its head.
func draw(n *report.Note, r *overview.Row) {
	if d := pictureOf(r.Status); d != nil {
		n.Summary, n.Draw = "Picture of the cause", d.SVG
	}
}

// addGraph adds the update graph of a row that is not at its head, once for all rows of its
// channel.
func (p *Page) addGraph(section *report.Section, r *overview.Row) {
	if p.installed == nil {
		p.installed = map[offer]map[string]int{}
	}
	offered := offer{r.Catalog, r.Package, r.Channel}
	if p.installed[offered] == nil {
		p.installed[offered] = map[string]int{}
	}
	if r.Installed != "" {
		p.installed[offered][r.Installed]++
	}
	if g := p.updateGraph(r.Status); g != nil {
		text := fmt.Sprintf("%s, channel %s of %s", r.Package, terminal.Dash(r.Channel), r.Catalog)
		section.Add(&report.Note{Lines: []string{text}, Summary: "Update graph", Draw: g}, p.rows[r])
	}
}
