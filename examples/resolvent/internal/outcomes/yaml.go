package outcomes

import (
	"bytes"
	"cmp"
	"context"
	"io"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/resolvent/resolvent/examples/resolvent/internal/terminal"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/manifest"
	"github.com/resolvent/resolvent/resolver/result"
)

// subscriptionYAML is a Subscription as a user applies it.
type subscriptionYAML struct {
	APIVersion string `yaml:"apiVersion"`
	Kind       string `yaml:"kind"`
	Metadata   struct {
		Name        string            `yaml:"name"`
		Namespace   string            `yaml:"namespace"`
		Annotations map[string]string `yaml:"annotations"`
	} `yaml:"metadata"`
	Spec struct {
		Name                string          `yaml:"name"`
		Channel             string          `yaml:"channel"`
		Source              string          `yaml:"source"`
		SourceNamespace     string          `yaml:"sourceNamespace"`
		StartingCSV         string          `yaml:"startingCSV"`
		InstallPlanApproval result.Approval `yaml:"installPlanApproval"`
	} `yaml:"spec"`
}

// WriteYAML prints the Subscriptions for the dependencies that were chosen, one
// document each. ClusterExtensions have none: OLM v1 has no Subscriptions.
func WriteYAML(w io.Writer, outcomes []result.Outcome) error {
	var subscriptions []subscriptionYAML
	for _, o := range outcomes {
		if o.Err != nil || o.Scope.Kind != cluster.KindSubscription {
			continue
		}
		for _, i := range o.Resolution.Installs {
			if !requested(i.For) {
				subscriptions = append(subscriptions, dependency(o.Scope.Name, i, o.Resolution.Approval))
			}
		}
	}
	return terminal.EncodeYAML(w, subscriptions)
}

// WritePinned prints what a user applies to get the same answers again, one document each.
func WritePinned(ctx context.Context, w io.Writer, pinned cluster.Objects) error {
	lines, err := manifest.Write(ctx, pinned)
	if err != nil || len(lines) == 0 {
		return err
	}
	var objects []any
	for line := range bytes.Lines(lines) {
		var object any
		if err := cmp.Or(ctx.Err(), yaml.Load(line, &object)); err != nil {
			return err
		}
		objects = append(objects, object)
	}
	return terminal.EncodeYAML(w, objects)
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
			terminal.Printf(w, "%s: %s\n%s\n", o.title, o.Result(), terminal.Lines(failureText(o.Err, terminal.Style{})))
		}
	}
}
