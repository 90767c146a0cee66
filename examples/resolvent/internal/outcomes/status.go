package outcomes

import (
	"bytes"
	"cmp"
	"errors"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/resolvent/resolvent/examples/resolvent/internal/fleet"
	"github.com/resolvent/resolvent/examples/resolvent/internal/terminal"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/resolver/updates"
)

// StatusTable collects the rows of clusters for people, and why they are not at the head.
type StatusTable struct {
	// Named: the output says which clusters a line is about.
	Named             bool
	rows, why, target fleet.Merged[statusLine]
	// failed are the clusters without rows, and why.
	failed []terminal.Lines
}

// statusLine is what the output says of a request.
type statusLine struct{ namespace, name, title, text string }

// compare sorts lines as rows are.
func (l statusLine) compare(other statusLine) int {
	return cmp.Or(strings.Compare(l.namespace, other.namespace), strings.Compare(l.name, other.name), strings.Compare(l.title, other.title))
}

// Add takes in the rows of a cluster.
func (t *StatusTable) Add(cluster string, rows []updates.Status) {
	for _, r := range rows {
		line := statusLine{r.Request.Namespace, r.Request.Name, terminal.Plain(rowName(r)), ""}
		line.text = strings.Join(terminal.Mapped([]string{
			r.Package, r.Channel, r.Installed, r.Next, r.Head, string(r.State),
		}, terminal.Plain), "\t")
		t.rows.Add(line, cluster)
		if line.text = terminal.Line(r.Reason()); line.text != "" {
			if fix := fixOf(r); fix != "" {
				line.text += "\nfix: " + terminal.Line(fix)
			}
			t.why.Add(line, cluster)
		}
		if r.Target == nil {
			continue
		}
		if line.text = terminal.Line(r.Target.Reason()); line.text != "" {
			if len(r.Target.Updates) > 0 {
				line.text += "\nfirst: " + terminal.Plain(strings.Join(terminal.Mapped(r.Target.Updates, updates.Step.String), ", then "))
			}
			t.target.Add(line, cluster)
		}
	}
}

// Fail notes why there are no rows of a cluster.
func (t *StatusTable) Fail(cluster string, err error) {
	t.failed = append(t.failed, terminal.Lines(terminal.Plain(cluster)+": ")+terminal.Message(err))
}

// Print prints the rows, and below them why they are not at the head.
func (t *StatusTable) Print(to io.Writer) {
	var out bytes.Buffer
	s := terminal.StyleFor(to)
	table := tabwriter.NewWriter(&out, 0, 0, 2, ' ', 0)
	row := func(cells, clusters string) {
		terminal.Row(table, strings.Split(cells+t.ifNamed("\t"+clusters), "\t")...)
	}
	row("NAME\tPACKAGE\tCHANNEL\tINSTALLED\tNEXT\tHEAD\tSTATE", "CLUSTERS")
	for line, clusters := range t.rows.Sorted(statusLine.compare) {
		row(line.title+"\t"+line.text, clusters.String())
	}
	table.Flush()
	terminal.Section(&out, s.Bold("Why not at the head"), t.lines(&t.why))
	terminal.Section(&out, s.Bold("Before the update of the cluster"), t.lines(&t.target))
	terminal.Section(&out, s.Bold("Clusters without rows"), t.failed)
	s.Print(to, out.Bytes(), terminal.OutputText)
}

func (t *StatusTable) lines(of *fleet.Merged[statusLine]) (lines []terminal.Lines) {
	for line, clusters := range of.Sorted(statusLine.compare) {
		lines = append(lines, terminal.Lines(line.title+t.ifNamed(" "+clusters.Phrase())+": "+line.text))
	}
	return lines
}

func (t *StatusTable) ifNamed(text string) string {
	if t.Named {
		return text
	}
	return ""
}

// fixOf is the best of what helps a request, if anything is known.
func fixOf(r updates.Status) string {
	if r.Fix != nil {
		return r.Fix.Text(r.Request.Namespace)
	}
	if list := HealthFixes(r.Err); len(list) > 0 {
		return list[0]
	}
	if e, ok := errors.AsType[*result.NotSatisfiable](r.Err); ok {
		return e.Search.CutOff()
	}
	return ""
}

// rowName names the request of a row.
func rowName(r updates.Status) string {
	if r.Request.Kind == cluster.KindSubscription {
		return r.Request.Namespace + "/" + r.Request.Name
	}
	return r.Request.String()
}

// statusJSON is the output of status for programs. Name and Error are those of one of
// several clusters.
type statusJSON struct {
	Name  string    `json:"name,omitempty"`
	Error string    `json:"error,omitempty"`
	Rows  []rowJSON `json:"rows"`
}

// WriteStatusJSON writes the rows of the only cluster.
func WriteStatusJSON(w io.Writer, rows []updates.Status) error {
	return terminal.Encode(w, statusJSON{Rows: terminal.Mapped(rows, rowToJSON)})
}

// WriteStatusLine writes one of several clusters as one line.
func WriteStatusLine(w io.Writer, cluster string, rows []updates.Status, err error) error {
	line := statusJSON{Name: cluster, Rows: terminal.Mapped(rows, rowToJSON)}
	if err != nil {
		line.Error = err.Error()
	}
	return terminal.EncodeLine(w, line)
}

type rowJSON struct {
	Namespace    string      `json:"namespace"`
	Subscription string      `json:"subscription"`
	Extension    string      `json:"extension"`
	Package      string      `json:"package"`
	Channel      string      `json:"channel"`
	Catalog      string      `json:"catalog"`
	Installed    string      `json:"installed"`
	Next         string      `json:"next"`
	Head         string      `json:"head"`
	State        string      `json:"state"`
	Reason       string      `json:"reason"`
	Fix          string      `json:"fix"`
	Target       *targetJSON `json:"target,omitempty"`
}

type targetJSON struct {
	OK      bool     `json:"ok"`
	Reason  string   `json:"reason"`
	Updates []string `json:"updates"`
}

func rowToJSON(r updates.Status) rowJSON {
	row := rowJSON{
		Namespace: r.Request.Namespace, Extension: r.Request.Scope().Extension(), Package: r.Package,
		Channel: r.Channel, Catalog: r.Catalog, Installed: r.Installed, Next: r.Next, Head: r.Head,
		State: string(r.State), Reason: r.Reason(), Fix: fixOf(r),
	}
	if r.Request.Kind == cluster.KindSubscription {
		row.Subscription = r.Request.Name
	}
	if r.Target != nil {
		row.Target = &targetJSON{r.Target.OK, r.Target.Reason(), terminal.Mapped(r.Target.Updates, updates.Step.String)}
	}
	return row
}
