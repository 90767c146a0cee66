// Package differences prints what a change of a catalog means to clusters.
package differences

import (
	"bytes"
	"cmp"
	"io"
	"slices"
	"strings"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/examples/resolvent/internal/findings"
	"github.com/resolvent/resolvent/examples/resolvent/internal/fleet"
	"github.com/resolvent/resolvent/examples/resolvent/internal/outcomes"
	"github.com/resolvent/resolvent/examples/resolvent/internal/terminal"
	"github.com/resolvent/resolvent/resolver/check"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/result"
)

var Documents = map[string][]any{"diff": {differenceJSON{}, clusterJSON{}, changesJSON{}}}

// Difference collects what a change of a catalog means to clusters, and prints it.
type Difference struct {
	// Changes are those of the catalog.
	Changes []check.Change
	// Clusters is how many there are. Named: each has a name of its own, and in JSON a
	// line of its own.
	Clusters int
	Named    bool
	// Show is the least severity of changes that the text lists.
	Show   catalog.Severity
	Output string

	// uses counts the requests of the clusters by package and channel, "" for any.
	uses map[string]map[string]int
	// answered counts the clusters that were compared; failed are the others, and why.
	answered int
	failed   []terminal.Lines
	// differing and same count the requests.
	differing, same int
	// requests are what the text says of them, answers what is JSON as a whole.
	requests fleet.Merged[requestLine, struct{}]
	answers  []clusterJSON
}

// requestLine is how the answers for one request differ.
type requestLine struct {
	scope         cluster.Scope
	before, after result.Result
	lines         string
}

// Add takes in what differs in a cluster, or why that is not known.
func (r *Difference) Add(w io.Writer, cluster string, d *check.ClusterDifference, err error) error {
	if err != nil {
		d = &check.ClusterDifference{} // nothing is known
		r.failed = append(r.failed, terminal.Named(cluster, err))
	} else {
		r.answered++
	}
	r.differing += len(d.Requests)
	r.same += d.Same
	if r.uses == nil {
		r.uses = map[string]map[string]int{}
	}
	for pkg, channels := range d.Uses {
		if r.uses[pkg] == nil {
			r.uses[pkg] = map[string]int{}
		}
		for channel, n := range channels {
			r.uses[pkg][channel] += n
		}
	}
	switch {
	case r.Output == terminal.OutputText:
		for _, q := range d.Requests {
			r.requests.Add(requestLine{q.Scope, q.Before, q.After, strings.Join(terminal.Mapped(q.Lines, terminal.Line), "\n")}, cluster)
		}
	case r.Named:
		return terminal.EncodeLine(w, clusterToJSON(cluster, d, err))
	default:
		r.answers = append(r.answers, clusterToJSON(cluster, d, err))
	}
	return nil
}

// Answered reports whether any cluster was compared, or there is none.
func (r *Difference) Answered() bool { return r.answered > 0 || r.Clusters == 0 }

// Differs reports whether anything does, or may.
func (r *Difference) Differs() bool {
	return len(r.shown()) > 0 || r.differing > 0 || len(r.failed) > 0
}

// shown are the changes of packages that the clusters use, or all if there are no clusters.
func (r *Difference) shown() []check.Change {
	if r.Clusters == 0 {
		return r.Changes
	}
	return slices.DeleteFunc(slices.Clone(r.Changes), func(c check.Change) bool { return r.uses[c.Package] == nil })
}

// Print prints what was not printed as it came. If the work did not end, that is what the
// text says of the clusters that were compared.
func (r *Difference) Print(p *terminal.Page, ended bool) error {
	switch {
	case r.Output == terminal.OutputText:
		r.writeRequests(&p.Buffer, p.Style)
		terminal.Section(&p.Buffer, p.Bold("Clusters that could not be compared"), r.failed)
		if ended {
			r.WriteChanges(&p.Buffer, p.Style)
		}
		if text := p.Bytes(); bytes.HasPrefix(text, []byte("\n")) {
			p.Next(1)
		}
	case !ended:
		return nil
	case r.Named:
		return cmp.Or(terminal.EncodeLine(p, changesJSON{terminal.Mapped(r.shown(), ChangeToJSON)}), p.Close())
	default:
		if err := terminal.WriteJSON(p, differenceJSON{terminal.Mapped(r.shown(), ChangeToJSON), slices.Concat([]clusterJSON{}, r.answers)}); err != nil {
			return err
		}
	}
	return p.Close()
}

// writeRequests prints which answers differ, and how.
func (r *Difference) writeRequests(w *bytes.Buffer, s terminal.Style) {
	for _, line := range r.requests.Sorted(func(a, b requestLine) int { return a.scope.Compare(b.scope) }) {
		title := outcomes.Title(line.scope)
		if r.Clusters > 1 || r.Named {
			title += " " + r.requests.In(line)
		}
		terminal.Printf(w, "%s: %s", s.Bold(title), outcomes.ResultWords[line.after])
		if line.before != line.after {
			terminal.Printf(w, ", before: %s", outcomes.ResultWords[line.before])
		}
		terminal.Printf(w, "\n  %s\n", terminal.Lines(strings.ReplaceAll(line.lines, "\n", "\n  ")))
	}
	if r.same > 0 {
		terminal.Printf(w, "%d %s as before\n", r.same, terminal.Verb(r.same, "namespace or ClusterExtension", "namespaces and ClusterExtensions"))
	}
}

// heading is what a change stands under: its package with the number of requests that name
// it, and apart from these, and sorted behind them, the channels that neither a request nor an
// answer has.
func (r *Difference) heading(c check.Change) string {
	heading, channels := "package "+c.Package, r.uses[c.Package]
	_, used := channels[c.Channel]
	_, any := channels[""]
	if r.Clusters > 0 && c.Channel != "" && !used && !any {
		return heading + ", unused channels"
	}
	requests := 0
	for _, n := range channels {
		requests += n
	}
	if requests > 0 {
		heading += ", named by " + terminal.Count(requests, "request")
	}
	return heading
}

// WriteChanges prints what changes for users, by package.
func (r *Difference) WriteChanges(w *bytes.Buffer, s terminal.Style) {
	if w.Len() > 0 {
		w.WriteByte('\n')
	}
	heading, hidden := "", 0
	changes := slices.Clone(r.shown())
	slices.SortStableFunc(changes, func(a, b check.Change) int {
		return cmp.Or(strings.Compare(a.Package, b.Package), strings.Compare(r.heading(a), r.heading(b)))
	})
	for _, c := range changes {
		if c.Severity > r.Show {
			hidden++
			continue
		}
		if next := r.heading(c); next != heading {
			if heading != "" {
				w.WriteByte('\n')
			}
			heading = next
			terminal.Printf(w, "%s\n", s.Bold(heading))
		}
		channel := ""
		if c.Channel != "" {
			channel = "channel " + c.Channel + ": "
		}
		terminal.Printf(w, "  %s %s%s\n", findings.SeverityWord(c.Severity, s), channel, terminal.Indented(c.Message, "    "))
	}
	others := len(r.Changes) - len(changes)
	if len(changes) == 0 && others == 0 {
		w.WriteString("no change for users\n")
	}
	if hidden > 0 {
		terminal.Printf(w, "%s not listed; to list all, add --show %s\n", terminal.Count(hidden, "change"), catalog.Note)
	}
	if others > 0 {
		terminal.Printf(w, "%s of packages that none of these clusters uses; to list all, leave out the clusters\n", terminal.Count(others, "change"))
	}
}

type differenceJSON struct {
	Changes  []ChangeJSON  `json:"changes"`
	Clusters []clusterJSON `json:"clusters"`
}

// changesJSON is the line after those of the clusters.
type changesJSON struct {
	Changes []ChangeJSON `json:"changes"`
}

// ChangeJSON is a change as it is written for programs.
type ChangeJSON struct {
	Severity string `json:"severity"`
	check.Change
}

func ChangeToJSON(c check.Change) ChangeJSON { return ChangeJSON{c.Severity.String(), c} }

type clusterJSON struct {
	Name     string        `json:"name"`
	Error    string        `json:"error,omitempty"`
	Requests []requestJSON `json:"requests"`
	Same     int           `json:"same"`
}

type requestJSON struct {
	Namespace string        `json:"namespace,omitempty"`
	Extension string        `json:"clusterExtension,omitempty"`
	Before    result.Result `json:"before"`
	After     result.Result `json:"after"`
	Lines     []string      `json:"lines"`
}

func clusterToJSON(name string, d *check.ClusterDifference, err error) clusterJSON {
	c := clusterJSON{Name: name, Same: d.Same}
	if err != nil {
		c.Error = err.Error()
	}
	c.Requests = terminal.Mapped(d.Requests, func(r check.RequestDifference) requestJSON {
		return requestJSON{r.Scope.Namespace(), r.Scope.Extension(), r.Before, r.After, r.Lines}
	})
	return c
}
