package outcomes

import (
	"bytes"
	"cmp"
	"context"
	"io"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"go.yaml.in/yaml/v4"

	"github.com/resolvent/resolvent/examples/resolvent/internal/terminal"
	"github.com/resolvent/resolvent/resolver"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/manifest"
	"github.com/resolvent/resolvent/resolver/result"
)

// subscriptionYAML is a Subscription as a user applies it.
type subscriptionYAML struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Metadata   struct {
		Name        string            `json:"name"`
		Namespace   string            `json:"namespace"`
		Annotations map[string]string `json:"annotations"`
	} `json:"metadata"`
	Spec struct {
		Name                string          `json:"name"`
		Channel             string          `json:"channel"`
		Source              string          `json:"source"`
		SourceNamespace     string          `json:"sourceNamespace"`
		StartingCSV         string          `json:"startingCSV"`
		InstallPlanApproval result.Approval `json:"installPlanApproval"`
	} `json:"spec"`
}

// WriteYAML prints the Subscriptions for the dependencies that were chosen, one
// document each. ClusterExtensions have none: OLM v1 has no Subscriptions.
func WriteYAML(p *terminal.Page, outcomes []result.Outcome) error {
	return p.YAML(len(outcomes), "result", func(i int) ([]*yaml.Node, error) {
		o := &outcomes[i]
		if o.Err != nil || o.Scope.Kind != cluster.KindSubscription {
			return nil, nil
		}
		var b bytes.Buffer
		for _, i := range o.Resolution.Installs {
			if !requested(i.For) {
				if err := json.MarshalWrite(&b, dependency(o.Scope.Name, i, o.Resolution.Approval)); err != nil {
					return nil, err
				}
			}
		}
		return terminal.YAMLOf(b.Bytes())
	})
}

// WritePinned prints what a user applies to get the same answers again, one document each.
func WritePinned(p *terminal.Page, problem resolver.Problem, outcomes []result.Outcome) error {
	return p.YAML(len(outcomes), "result", func(i int) ([]*yaml.Node, error) {
		return Manifests(problem.Pinned(outcomes[i : i+1]))
	})
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

// requested reports whether a request is among what a bundle serves.
func requested(served []result.Obligation) bool {
	return slices.ContainsFunc(served, func(s result.Obligation) bool { return s.Bundle == "" })
}

func dependency(namespace string, i result.Install, approval result.Approval) subscriptionYAML {
	s := subscriptionYAML{APIVersion: "operators.coreos.com/v1alpha1", Kind: "Subscription"}
	s.Metadata.Name = strings.Join([]string{i.Bundle.Package, i.Channel, i.Bundle.Catalog.Name, i.Bundle.Catalog.Namespace}, "-")
	s.Metadata.Namespace = namespace
	// Marks what has no request, so that it can be found when nothing requires it
	// any more.
	s.Metadata.Annotations = map[string]string{cluster.AnnotationGeneratedBy: "resolvent"}
	s.Spec.Name = i.Bundle.Package
	s.Spec.Channel = i.Channel
	s.Spec.Source = i.Bundle.Catalog.Name
	s.Spec.SourceNamespace = i.Bundle.Catalog.Namespace
	s.Spec.StartingCSV = i.Bundle.Name
	s.Spec.InstallPlanApproval = approval
	return s
}

// WriteFailures prints what has no answer.
func WriteFailures(w io.Writer, outcomes []result.Outcome) {
	for _, o := range toShow(outcomes) {
		if o.Err != nil {
			terminal.Printf(w, "%s: %s\n%s\n", o.title, ResultWords[o.Result()], terminal.Lines(failureText(o.Err, terminal.Style{})))
		}
	}
}
