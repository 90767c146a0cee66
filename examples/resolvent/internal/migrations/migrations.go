// Package migrations prints whether operators can move from OLM v0 to v1.
package migrations

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/resolvent/resolvent/examples/resolvent/internal/fleet"
	"github.com/resolvent/resolvent/examples/resolvent/internal/outcomes"
	"github.com/resolvent/resolvent/examples/resolvent/internal/report"
	"github.com/resolvent/resolvent/examples/resolvent/internal/terminal"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/migrate"
	"github.com/resolvent/resolvent/resolver/result"
)

var Documents = map[string][]any{"migrate": {rowsJSON{}, clusterJSON{}, packagesJSON{}}}

type rowsJSON struct {
	Rows    terminal.List[migrate.Row] `json:"rows"`
	Orphans []string                   `json:"orphans"`
}

type clusterJSON struct {
	Cluster string        `json:"cluster"`
	Error   string        `json:"error,omitempty"`
	Rows    []migrate.Row `json:"rows"`
	Orphans []string      `json:"orphans,omitempty"`
}

type packagesJSON struct {
	Packages terminal.List[migrate.Surveyed] `json:"packages"`
}

// JSON writes the rows of clusters for programs: with Named, those of each as a line at once.
type JSON struct {
	Lines io.Writer
	Named bool
	plan  *migrate.Plan
}

// Add takes in the rows of a cluster, or why there are none.
func (j *JSON) Add(_ context.Context, cluster string, plan *migrate.Plan, err error) error {
	if j.plan = plan; !j.Named {
		return err
	}
	if err != nil {
		return terminal.EncodeLine(j.Lines, clusterJSON{Cluster: cluster, Error: err.Error()})
	}
	return terminal.EncodeLine(j.Lines, clusterJSON{Cluster: cluster, Rows: plan.Rows, Orphans: plan.Orphans})
}

// Write writes the rows of the only cluster.
func (j *JSON) Write(_ context.Context, p *terminal.Page) error {
	if j.Named {
		return nil
	}
	return terminal.WriteJSON(p, rowsJSON{terminal.ListOf(p, "row", j.plan.Rows, terminal.AsIs), j.plan.Orphans})
}

// Objects writes what to apply in a cluster.
type Objects struct{ plan *migrate.Plan }

func (o *Objects) Add(_ context.Context, _ string, plan *migrate.Plan, err error) error {
	o.plan = plan
	return err
}

func (o *Objects) Write(_ context.Context, p *terminal.Page) error {
	return p.YAML(1, "plan", func(int) ([]*yaml.Node, error) { return outcomes.Manifests(o.plan.Objects) })
}

// Of is the part of a plan that is about some namespaces: their rows and orphans, and what
// to apply for them. Without namespaces it is the plan.
func Of(plan *migrate.Plan, namespaces []string) *migrate.Plan {
	if plan == nil || len(namespaces) == 0 {
		return plan
	}
	rows := slices.DeleteFunc(slices.Clone(plan.Rows), func(r migrate.Row) bool { return !slices.Contains(namespaces, r.Namespace) })
	some := func(of func(*migrate.Row) string, name string) bool {
		return slices.ContainsFunc(rows, func(r migrate.Row) bool { return r.State == migrate.Eligible && of(&r) == name })
	}
	objects := plan.Objects
	objects.ClusterExtensions = slices.DeleteFunc(slices.Clone(objects.ClusterExtensions), func(e cluster.ClusterExtension) bool {
		return !some(func(r *migrate.Row) string { return r.ClusterExtension }, e.Name)
	})
	objects.ClusterCatalogs = slices.DeleteFunc(slices.Clone(objects.ClusterCatalogs), func(c cluster.ClusterCatalog) bool {
		return !some(func(r *migrate.Row) string { return r.Catalog }, c.Name)
	})
	return &migrate.Plan{
		Rows: rows,
		Orphans: slices.DeleteFunc(slices.Clone(plan.Orphans), func(name string) bool {
			namespace, _, _ := strings.Cut(name, "/")
			return !slices.Contains(namespaces, namespace)
		}),
		Objects: objects,
	}
}

// states are in the order in which they are printed.
var states = []migrate.State{migrate.Conflict, migrate.Ineligible, migrate.Migrated, migrate.Eligible}

// sorted are the rows in the order in which they are printed. What has moved already is not checked.
func sorted(plan *migrate.Plan) []migrate.Row {
	rows := slices.SortedStableFunc(slices.Values(plan.Rows), func(a, b migrate.Row) int {
		return cmp.Or(slices.Index(states, a.State)-slices.Index(states, b.State), a.Order-b.Order)
	})
	for i := range rows {
		if rows[i].State == migrate.Conflict {
			rows[i].Checks = nil
		}
	}
	return rows
}

func orphans(plan *migrate.Plan) string {
	return "Without a Subscription, so not moved: " + strings.Join(plan.Orphans, ", ")
}

func cells(r *migrate.Row) []string {
	return []string{nameOf(r), r.Package, r.Installed, string(r.State), r.ClusterExtension, r.Catalog, r.Next.V0, r.Next.V1}
}

func nameOf(r *migrate.Row) string { return r.Namespace + "/" + r.Subscription }

// totals counts the states, and of the ineligible those that acknowledging would make
// eligible.
func totals(rows []migrate.Row) string {
	var parts []string
	for _, s := range states {
		n, soft, fails := 0, 0, 0
		for i := range rows {
			if rows[i].State == s {
				n++
			}
			if rows[i].State == s && rows[i].OnlySoft() {
				soft++
			}
			if rows[i].State == s && s == migrate.Eligible && rows[i].Next.Fails {
				fails++
			}
		}
		part := fmt.Sprintf("%d %s", n, s)
		if fails > 0 {
			part += fmt.Sprintf(", of which %d would fail in OLM v1 after the move, see below", fails)
		}
		if soft > 0 {
			part += fmt.Sprintf(" (%d only by checks that can be acknowledged)", soft)
		}
		if n > 0 {
			parts = append(parts, part)
		}
	}
	return cmp.Or(strings.Join(parts, ", "), "no Subscriptions")
}

// unjudged says which checks of rows are not judged, and what to give for them; empty if there is none.
func unjudged(rows []migrate.Row) string {
	var parts []string
	for _, n := range needs {
		ids := slices.DeleteFunc(slices.Clone(n.checks), func(id string) bool {
			return !slices.ContainsFunc(rows, func(r migrate.Row) bool { return slices.Contains(idsOf(r.Checks, migrate.NotJudged), id) })
		})
		if len(ids) > 0 {
			parts = append(parts, strings.Join(ids, ", ")+" (pass all "+n.what+")")
		}
	}
	return terminal.Labeled("Not judged for some operators, and may fail: ", strings.Join(parts, ", "))
}

// reasons are the lines below a row.
func reasons(r *migrate.Row) (lines []string) {
	add := func(format string, args ...any) { lines = append(lines, terminal.Line(fmt.Sprintf(format, args...))) }
	if r.State == migrate.Conflict {
		return append(lines, terminal.Line(fmt.Sprintf("ClusterExtension %s came from this Subscription, and both manage the operator: delete the Subscription (where GitOps makes it, there first), and approve no InstallPlan of it. Do not delete the ClusterExtension: its custom resource definitions, and with them all custom resources, would be deleted too", r.ClusterExtension)))
	}
	var missing texts
	var helpful changes
	for _, c := range r.Checks {
		switch {
		case c.Result == migrate.NotJudged:
			missing.add("", c.Message, c.ID)
		case c.Acknowledged:
			add("%s is acknowledged: %s", c.ID, c.Message)
		case c.Result == migrate.Fails:
			add("%s fails%s: %s", c.ID, map[bool]string{true: ", and must pass"}[c.Hard], c.Message)
		}
	}
	for message, checks := range missing.All() {
		add("%s not judged: %s", strings.Join(*checks, ", "), message)
	}
	if r.Next.Why != "" {
		add("next: %s", r.Next.Why)
	}
	if len(r.Dependents) > 0 {
		add("operators that depend on it and stay with OLM v0: %s", strings.Join(r.Dependents, ", "))
	}
	for _, c := range r.Changes {
		helpful.add(c, c.Check)
	}
	for i, title := range helps {
		for text, checks := range helpful[i].All() {
			add("%s (%s): %s", strings.ToLower(title), strings.Join(*checks, ", "), text)
		}
	}
	return lines
}

// texts are texts, each once, with the checks or operators that they are about.
type texts struct {
	fleet.Merged[string, []string]
}

func (s *texts) add(cluster, text, about string) {
	of := s.Add(text, cluster)
	*of = append(*of, about)
}

// changes are those that would help, by who makes them: helps are their titles.
type changes [3]texts

var helps = [...]string{"What would help", "Needs a change by others", "Can be accepted"}

func (s *changes) add(c migrate.Change, about string) {
	at := 0
	switch {
	case c.Others:
		at = 1
	case c.Acknowledge:
		at = 2
	}
	s[at].add("", c.Text, about)
}

// WriteSurvey writes all packages of the catalogs.
func WriteSurvey(ctx context.Context, p *terminal.Page, rows []migrate.Surveyed, form string, source *report.Source) error {
	switch form {
	case terminal.OutputJSON:
		return terminal.WriteJSON(p, packagesJSON{terminal.ListOf(p, "package", rows, terminal.AsIs)})
	case terminal.OutputHTML:
		return writeSurveyPage(ctx, p, rows, source)
	}
	writeSurvey(p, rows)
	return nil
}

// writeSurvey prints the counts by reason, and a table of the packages.
func writeSurvey(p *terminal.Page, rows []migrate.Surveyed) {
	p.WriteString(surveyTotals(rows) + "\n\n")
	p.Table(terminal.Table{}, strings.Split("PACKAGE\tCATALOG\tHEAD\tSERVED\tCHANNELS\tWHY NOT\tWHAT HELPS", "\t"), len(rows), "package", func(i int) []string {
		r := &rows[i]
		served := map[bool]string{true: "yes", false: "no"}[r.Served]
		return []string{r.Package, r.Catalog, r.Head, served, terminal.Few(r.Channels), whyNot(r), mends(r)}
	})
}

// refusals say why OLM v1 refuses bundles.
var refusals = map[result.ReasonKind]string{
	"dependency":     "they require other operators, and OLM v1 resolves no dependencies",
	"watchNamespace": "they do not support watching all namespaces, as they must without configuration",
	"apiService":     "they own API services, which OLM v1 does not create yet",
}

// refusalKinds are the kinds in the order in which they are counted.
var refusalKinds = []result.ReasonKind{"dependency", "watchNamespace", "apiService"}

// whyNot names the kinds of refusals, with the properties and the install modes that are why.
func whyNot(r *migrate.Surveyed) string {
	return strings.Join(terminal.Mapped(r.Refusals, func(refusal migrate.Refusal) string {
		words := append([]string{string(refusal.Kind)}, refusal.Types...)
		for _, mode := range refusal.Modes {
			words = append(words, string(mode))
		}
		return strings.Join(words, " ")
	}), ", ")
}

// surveyTotals counts packages, and the kinds of refusals.
func surveyTotals(rows []migrate.Surveyed) string {
	served := 0
	counts := map[result.ReasonKind]int{}
	for _, r := range rows {
		if r.Served {
			served++
		}
		for _, refusal := range r.Refusals {
			counts[refusal.Kind]++
		}
	}
	text := fmt.Sprintf("%s, of which OLM v1 would install the head of %d", terminal.Count(len(rows), "package"), served)
	for _, kind := range refusalKinds {
		if counts[kind] > 0 {
			text += fmt.Sprintf("; %s refuses %d", kind, counts[kind])
		}
	}
	return text
}

// mends is what would make OLM v1 install a package.
func mends(r *migrate.Surveyed) string {
	switch {
	case r.Served:
		return ""
	case r.Watching:
		return "set watchNamespace"
	case r.Serving != "":
		return "version " + r.Serving
	}
	return "another version of its publisher"
}
