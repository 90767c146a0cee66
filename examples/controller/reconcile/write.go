package reconcile

import (
	"context"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/dynamic"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/tools/record"
	"k8s.io/klog/v2"
)

// maxEvent is the length limit of an event's message in bytes.
const maxEvent = 1000

// recordEvents sends events to the API server until ctx ends.
func (c *Controller) recordEvents(ctx context.Context) {
	broadcaster := record.NewBroadcaster(record.WithContext(ctx))
	broadcaster.StartRecordingToSink(&typedcorev1.EventSinkImpl{Interface: c.kube.CoreV1().Events("")})
	c.events = broadcaster.NewRecorder(runtime.NewScheme(), corev1.EventSource{Component: "resolvent"})
}

// writeCondition sets the condition of a request, with an event. Should the request
// have changed meanwhile, the API server refuses, and it is reconciled again.
func (c *Controller) writeCondition(ctx context.Context, request *object, want condition) error {
	resource := c.resourceOf(request)
	u, err := resource.Get(ctx, request.Name, metav1.GetOptions{})
	if err != nil {
		return withoutNotFound(err)
	}
	if conditionOf(u, c.options.Condition) == want {
		return nil
	}
	if err := setCondition(u, c.options.Condition, want, time.Now()); err != nil {
		return err
	}
	if _, err := resource.UpdateStatus(ctx, u, metav1.UpdateOptions{}); err != nil {
		return withoutNotFound(err)
	}
	klog.InfoS("The condition is written", "kind", request.kind.Kind, "object", klog.KRef(request.Namespace, request.Name), "reason", want.reason)
	kind := corev1.EventTypeNormal
	if want.failed {
		kind = corev1.EventTypeWarning
	}
	c.events.Event(&corev1.ObjectReference{
		APIVersion: u.GetAPIVersion(), Kind: u.GetKind(), Namespace: u.GetNamespace(), Name: u.GetName(), UID: u.GetUID(),
	}, kind, want.reason, shorten(want.message, maxEvent))
	return nil
}

func (c *Controller) resourceOf(request *object) dynamic.ResourceInterface {
	if request.kind.Kind == "ClusterExtension" {
		return c.client.Resource(extensionResource)
	}
	return c.client.Resource(subscriptionResource).Namespace(request.Namespace)
}

// withoutNotFound leaves nothing to be done about an object that is gone.
func withoutNotFound(err error) error {
	if apierrors.IsNotFound(err) {
		return nil
	}
	return err
}

// setCondition replaces the condition of that type, and leaves all others as they are.
func setCondition(u *unstructured.Unstructured, of string, want condition, now time.Time) error {
	status := "False"
	if want.failed {
		status = "True"
	}
	written := map[string]any{
		"type": of, "status": status, "reason": want.reason, "message": want.message,
		"lastTransitionTime": now.UTC().Format(time.RFC3339),
	}
	conditions, _, err := unstructured.NestedSlice(u.Object, "status", "conditions")
	if err != nil {
		return err
	}
	i := slices.IndexFunc(conditions, func(item any) bool {
		fields, _ := item.(map[string]any)
		return fields["type"] == of
	})
	if i < 0 {
		conditions = append(conditions, written)
	} else {
		before := conditions[i].(map[string]any)
		if since, ok := before["lastTransitionTime"].(string); ok && before["status"] == status {
			written["lastTransitionTime"] = since
		}
		conditions[i] = written
	}
	if err := unstructured.SetNestedSlice(u.Object, conditions, "status", "conditions"); err != nil {
		return err
	}
	if u.GetKind() != "Subscription" {
		return nil
	}
	// The status of a Subscription must have it.
	return unstructured.SetNestedField(u.Object, now.UTC().Format(time.RFC3339), "status", "lastUpdated")
}
