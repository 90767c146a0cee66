package outcomes

import (
	"bytes"
	"cmp"
	"context"
	"io"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
	"go.yaml.in/yaml/v4"

	"github.com/resolvent/resolvent/examples/resolvent/internal/terminal"
	"github.com/resolvent/resolvent/resolver"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/manifest"
	"github.com/resolvent/resolvent/resolver/result"
)

// WriteYAML prints what a user applies, one document each: the Subscriptions and ClusterExtensions
// for the dependencies that were chosen, and the roles that the account with which OLM installs lacks.
func WriteYAML(p *terminal.Page, problem resolver.Problem, outcomes []result.Outcome) error {
	printed := map[string]bool{} // names of ClusterExtensions: they may share a dependency
	return p.YAML(len(outcomes), "result", func(i int) ([]*yaml.Node, error) {
		o, pinned := &outcomes[i], problem.Pinned(outcomes[i:i+1])
		pinned.ClusterExtensions = slices.DeleteFunc(pinned.ClusterExtensions, func(e cluster.ClusterExtension) bool {
			left := printed[e.Name] || problem.Cluster.Extension(e.Name) != nil
			printed[e.Name] = true
			return left
		})
		if o.Err != nil {
			return nil, nil
		}
		known := problem.Cluster.In(o.Scope.Name).Subscriptions
		pinned.Subscriptions = slices.DeleteFunc(pinned.Subscriptions, func(s cluster.Subscription) bool {
			return slices.ContainsFunc(known, func(k cluster.Subscription) bool { return k.Name == s.Name })
		})
		for i := range pinned.Subscriptions {
			pinned.Subscriptions[i].Manual = o.Resolution.Manual()
		}
		if o.Resolution.LacksRights() {
			pinned.Append(*o.Resolution.Grants)
		}
		return Manifests(pinned)
	})
}

// WritePathYAML prints the roles that the account with which OLM installs lacks for the steps of a path.
func WritePathYAML(page *terminal.Page, p *result.Path) error {
	return page.YAML(1, "path", func(int) ([]*yaml.Node, error) {
		var grants cluster.Objects
		for _, step := range p.Steps {
			if step.Resolution != nil && step.Resolution.LacksRights() {
				grants.Append(*step.Resolution.Grants)
			}
		}
		return Manifests(grants)
	})
}

// WriteShared prints the dependencies of ClusterExtensions that another ClusterExtension brings in
// another version: they have no place among manifests.
func WriteShared(w io.Writer, outcomes []result.Outcome) {
	type brought struct {
		by      cluster.RequestKey
		version string
	}
	shared := map[string]brought{}               // by package
	for _, unique := range []bool{true, false} { // what extensions ask for themselves comes first
		for k := range outcomes {
			o := &outcomes[k]
			if o.Err != nil || !o.Scope.Alone() {
				continue
			}
			key := (&cluster.ClusterExtension{Name: o.Scope.Name}).Key()
			for _, i := range o.Resolution.Installs {
				if unique != slices.ContainsFunc(i.For, func(f result.Obligation) bool { return f.Request.Name == o.Scope.Name }) {
					continue
				}
				first, known := shared[i.Bundle.Package]
				if unique || !known {
					shared[i.Bundle.Package] = brought{key, i.Version.String()}
				} else if first.version != i.Version.String() {
					terminal.Printf(w, "%s: no ClusterExtension for its dependency %s %s: %s brings %s, and no two can own the same APIs; change the version of one of them so that both get the same\n",
						key, i.Bundle.Package, i.Version.String(), first.by, first.version)
				}
			}
		}
	}
}

// Manifests are objects as a user applies them, which are ready even if the time of the call
// is over.
func Manifests(objects cluster.Objects) ([]*yaml.Node, error) {
	lines, err := manifest.Write(context.Background(), objects)
	var sorted []byte
	for line := range bytes.Lines(lines) {
		object := jsontext.Value(line)
		err = cmp.Or(err, object.Format(jsontext.ReorderRawObjects(true)))
		sorted = append(sorted, object...)
	}
	if err != nil {
		return nil, err
	}
	return terminal.YAMLOf(sorted)
}

// WriteFailures prints what has no answer beside what a command prints of others.
func (v View) WriteFailures(w io.Writer, outcomes []result.Outcome) {
	for _, o := range toShow(outcomes) {
		if o.Err != nil {
			var b bytes.Buffer
			v.writeFailure(&b, o.Err, 1, terminal.Style{})
			terminal.Printf(w, "%s: %s\n%s\n", o.title, resultWord(o.Outcome), terminal.Lines(b.String()))
		}
	}
}
