// Package trial answers what a page asks the library: about the text of a catalog and the
// text of a cluster's objects and policies. Its answers are texts, a table, a picture and fixes, and
// Apply carries a fix out on the text of the cluster.
package trial

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/graph"
	"github.com/resolvent/resolvent/resolver/manifest"
	"github.com/resolvent/resolvent/resolver/policy"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/resolver/text"
)

// Question is what to ask about the cluster.
type Question string

// The questions.
const (
	Resolve Question = "resolve" // what is installed
	Status  Question = "status"  // how each request stands
	Migrate Question = "migrate" // what can move to OLM v1
)

// ask has a row for each question. It adds to the answer.
var ask = map[Question]func(context.Context, *problem, *Answer) error{
	Resolve: askResolve,
	Status:  askStatus,
	Migrate: askMigrate,
}

// Input is what the page holds. The cluster has policies among its objects.
type Input struct {
	Catalog  string   `json:"catalog"`
	Cluster  string   `json:"cluster"`
	Question Question `json:"question"`
}

// Answer is what the page shows.
type Answer struct {
	// Error is a fault of the input. Without one, the other fields are set.
	Error string `json:"error"`
	Text  string `json:"text"`
	// Table has its heading first.
	Table [][]string `json:"table"`
	// Picture is an SVG document, empty if there is nothing to draw.
	Picture string `json:"picture"`
	// Fixes are in the order in which [Apply] counts them. Each has the title of its section.
	Fixes []Fix `json:"fixes"`
	// Faults are those of the catalog.
	Faults []string `json:"faults"`

	fixes []result.Fix
}

// Fix is a change that was tried, and helps.
type Fix struct {
	Title string `json:"title"`
	Text  string `json:"text"`
}

// problem is the input as the library takes it.
type problem struct {
	resolver.Problem
	resolver *resolver.Resolver
	scopes   []cluster.Scope
}

// Answers returns the answer to an input.
func Answers(ctx context.Context, in Input) *Answer {
	a := &Answer{Table: [][]string{}, Fixes: []Fix{}, Faults: []string{}}
	if err := a.answer(ctx, in); err != nil {
		return &Answer{Error: err.Error()}
	}
	return a
}

func (a *Answer) answer(ctx context.Context, in Input) error {
	about := ask[in.Question]
	if about == nil {
		return fmt.Errorf("there is no question %q", in.Question)
	}
	p, err := read(ctx, in)
	if err != nil {
		return err
	}
	for c := range p.Catalogs.Catalogs() {
		a.Faults = a.Faults[:0] // every catalog has the same content
		for _, f := range c.Snapshot.Faults() {
			a.Faults = append(a.Faults, f.Error())
		}
	}
	return about(ctx, p, a)
}

func read(ctx context.Context, in Input) (*problem, error) {
	objects, err := manifest.Read(ctx, manifest.Input{Name: "cluster", Reader: strings.NewReader(in.Cluster)})
	if err != nil {
		return nil, err
	}
	snapshot, err := cache.Parse(ctx, []byte(in.Catalog), cache.Options{})
	if err != nil {
		return nil, fmt.Errorf("catalog: %w", err)
	}
	var catalogs []cache.Catalog
	for _, key := range keys(&objects) {
		c := cache.Catalog{Key: key, Snapshot: snapshot}
		c.Priority, c.Labels = objects.Declared(key)
		catalogs = append(catalogs, c)
	}
	policies, err := policiesOf(in.Cluster)
	if err != nil {
		return nil, err
	}
	p := &problem{resolver.Problem{
		Cluster: cluster.NewIndex(objects), Catalogs: cache.NewView(catalogs), Options: policy.Options{Policies: policies},
	}, resolver.New(), nil}
	p.scopes = p.Cluster.Scopes()
	return p, nil
}

// policiesOf returns the policies that stand among the objects of the cluster.
func policiesOf(text string) (list []*policy.Policy, err error) {
	line := 0
	for _, document := range separator.Split(text, -1) {
		var head struct {
			APIVersion string `yaml:"apiVersion"`
			Kind       string
		}
		if yaml.Unmarshal([]byte(document), &head) == nil && head.Kind == "Policy" && strings.HasPrefix(head.APIVersion, "resolvent/") {
			// An error names the line in the whole text.
			p, err := policy.Parse([]byte(strings.Repeat("\n", line) + document))
			if err != nil {
				return nil, fmt.Errorf("cluster: %w", err)
			}
			list = append(list, p)
		}
		line += strings.Count(document, "\n") + 1
	}
	return list, nil
}

// keys returns whose content the one text of a catalog is: that of the catalog that the
// first Subscription names and, for ClusterExtensions, of the first ClusterCatalog.
func keys(o *cluster.Objects) []catalog.Key {
	v0 := catalog.Key{Namespace: "olm", Name: "catalog"}
	if len(o.Subscriptions) > 0 {
		first := &o.Subscriptions[0]
		v0.Namespace, v0.Name = cmp.Or(first.CatalogNamespace, v0.Namespace), cmp.Or(first.Catalog, v0.Name)
	}
	list := []catalog.Key{v0}
	if len(o.ClusterCatalogs) > 0 {
		list = append(list, catalog.Key{Name: o.ClusterCatalogs[0].Name})
	} else if len(o.ClusterExtensions) > 0 {
		list = append(list, catalog.Key{Name: "catalog"})
	}
	return list
}

// add adds the fixes of advice, and returns all else that it says in whole. The headings are those of
// the command line.
func (a *Answer) add(advice *text.Advice, help *result.Help) string {
	var rest strings.Builder
	for _, s := range advice.Sections(text.Limits{}) {
		title := "\n" + s.Title + "\n"
		for _, line := range s.Lines {
			switch {
			case line.Fix > 0:
				f := help.Fixes[line.Fix-1]
				said := f.Text(help.Home)
				if f.Class > result.ClassGivesUp {
					said = "risky: " + said
				}
				a.fixes = append(a.fixes, f)
				a.Fixes = append(a.Fixes, Fix{heading(help, line.Fix), said})
			case line.Label == "": // else it is a warning of a fix
				rest.WriteString(title + "  " + line.Text + "\n")
				title = ""
			}
		}
	}
	return rest.String()
}

// heading is what stands above a fix: the first one is recommended, unless it is at a risk.
func heading(help *result.Help, number int) string {
	first := &help.Fixes[0]
	if first.Class > result.ClassGivesUp {
		return "What would help (tried here, not on the cluster)"
	}
	if number > 1 {
		return "Or"
	}
	title := "Do this"
	if without := text.Recommend(first, 1, help.Home).GivesUp; without != "" {
		title += ", if you can do without " + without
	}
	return title + " (tried here, not on the cluster)"
}

// draw sets the picture. One that is too large is replaced by a line that says so.
func (a *Answer) draw(d *graph.Drawing) {
	svg, err := d.SVG()
	if err != nil {
		small := &graph.Drawing{}
		small.AddNote("", err.Error())
		svg, _ = small.SVG()
	}
	a.Picture = svg
}

// Apply returns the text of the cluster after the n-th fix of the answer to an input,
// counted from 0.
func Apply(ctx context.Context, in Input, n int) (string, error) {
	a := &Answer{}
	if err := a.answer(ctx, in); err != nil {
		return "", err
	}
	if n < 0 || n >= len(a.fixes) {
		return "", fmt.Errorf("there is no fix %d", n+1)
	}
	return edit(ctx, in.Cluster, slices.Clone(a.fixes[n].Steps()))
}
