package live

import (
	"context"
	"encoding/json"
	"errors"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

var (
	errChanged  = errors.New("it has changed since it was judged; ask again")
	errGone     = errors.New("it is gone; ask again")
	errNoRecord = errors.New("it has no resourceVersion, so a change since it was judged could not be noticed")
)

// Approve implements [command.Live]. The API server compares the resourceVersion, and refuses
// what has changed.
func (c *Cluster) Approve(ctx context.Context, namespace, name, resourceVersion string) error {
	if resourceVersion == "" {
		return errNoRecord
	}
	connection, err := c.flags.connect()
	if err != nil {
		return err
	}
	patch, err := json.Marshal(map[string]any{"metadata": map[string]any{"resourceVersion": resourceVersion}, "spec": map[string]any{"approved": true}})
	if err != nil {
		return err
	}
	_, err = connection.client.Resource(installPlans.GroupVersionResource).Namespace(namespace).Patch(ctx, name, types.MergePatchType, patch, metav1.PatchOptions{})
	switch {
	case apierrors.IsConflict(err):
		return errChanged
	case apierrors.IsNotFound(err):
		return errGone
	case apierrors.IsUnauthorized(err):
		return errUnauthorized
	}
	return err
}
