package inputs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/resolvent/resolvent/examples/resolvent/internal/terminal"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/manifest"
	"github.com/resolvent/resolvent/resolver/policy"
)

// SaveLive prints the objects of the running cluster as manifests that -f reads. With some
// missing, answers would be wrong: that is an error.
func SaveLive(ctx context.Context, namespaces []string, std Streams) error {
	objects, err := readLive(ctx, LiveQuery{Namespaces: namespaces, Global: new(policy.Options).Globals()}, std)
	if err != nil {
		return err
	}
	if len(objects.Unread) > 0 {
		var all []error
		for _, scope := range slices.SortedFunc(maps.Keys(objects.Unread), cluster.Scope.Compare) {
			all = append(all, fmt.Errorf("%s: %w", scope, objects.Unread[scope]))
		}
		return errors.Join(append(all, errors.New("nothing is saved; to save the namespaces that you may read, add -n"))...)
	}
	text, err := manifest.Write(ctx, objects)
	if err != nil {
		return err
	}
	if v := objects.OpenShiftVersion; v != "" { // manifest.Write leaves versions to the caller
		line, err := json.Marshal(map[string]any{
			"apiVersion": "config.openshift.io/v1", "kind": "ClusterVersion", "metadata": map[string]any{"name": "version"},
			"status": map[string]any{"desired": map[string]any{"version": v}},
		})
		if err != nil {
			return err
		}
		text = append(append(text, line...), '\n')
	}
	if _, err = std.Out.Write(terminal.JSON(text)); err == nil && objects.KubernetesVersion != "" {
		terminal.Printf(std.Err, "manifests do not have the version of Kubernetes: add --kube-version %s when you read this\n", terminal.Word(objects.KubernetesVersion))
	}
	return err
}
