package reconcile

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/tools/record"
	"k8s.io/klog/v2"
)

// maxEvent is the length limit of an event's message in bytes.
const maxEvent = 1000

// undoPause is how long a condition stays that somebody else has changed. Should two
// controllers write the same, they do not fight without rest.
const undoPause = time.Second

// status is where the status of a request has conditions.
type status struct {
	// exists and has: there is a status, with a list of conditions.
	exists, has bool
	// ours are the conditions that this controller writes.
	ours []written
}

// written is a condition as it is.
type written struct {
	typed
	at    int    // in the list
	since string // lastTransitionTime
}

// recordEvents sends events to the API server until ctx ends.
func (c *Controller) recordEvents(ctx context.Context) {
	broadcaster := record.NewBroadcaster(record.WithContext(ctx))
	broadcaster.StartRecordingToSink(&typedcorev1.EventSinkImpl{Interface: c.kube.CoreV1().Events("")})
	c.events = broadcaster.NewRecorder(runtime.NewScheme(), corev1.EventSource{Component: "resolvent"})
}

// statusOf reads where conditions are.
func (c *Controller) statusOf(u *unstructured.Unstructured) status {
	_, exists := u.Object["status"].(map[string]any)
	conditions, has, _ := unstructured.NestedSlice(u.Object, "status", "conditions")
	s := status{exists: exists, has: has}
	for i, item := range conditions {
		fields, _ := item.(map[string]any)
		of, _ := fields["type"].(string)
		if slices.Contains(c.types(), of) {
			s.ours = append(s.ours, written{typed{of, conditionOf(fields)}, i, fmt.Sprint(fields["lastTransitionTime"])})
		}
	}
	return s
}

// said are the conditions without their places.
func (s *status) said() []typed {
	list := make([]typed, len(s.ours))
	for i, w := range s.ours {
		list[i] = w.typed
	}
	return list
}

// states reports whether the conditions are these, and no others.
func (s *status) states(want []typed) bool {
	return len(s.ours) == len(want) && !slices.ContainsFunc(s.ours, func(w written) bool { return !slices.Contains(want, w.typed) })
}

// write sets the conditions of a request, with an event if the first one changes. It is one
// request to the API server, which refuses if the object is not as it was seen. A first answer
// that resolves is no event: a large cluster would have as many of them as requests at once.
func (c *Controller) write(ctx context.Context, request *object, want []typed) error {
	body, err := json.Marshal(patch(request, want, time.Now()))
	if err != nil {
		return err
	}
	_, err = c.resourceOf(request).Patch(ctx, request.Name, types.JSONPatchType, body, metav1.PatchOptions{}, "status")
	if err != nil {
		c.mu.Lock()
		delete(c.sent, request.UID)
		c.mu.Unlock()
	}
	switch {
	case apierrors.IsNotFound(err):
		return nil // nothing is to be done about an object that is gone
	case err != nil:
		c.metrics.writes.WithLabelValues(writeResult(err)).Inc()
		return fmt.Errorf("writing to %s %s: %w", request.kind.Value().Kind, klog.KRef(request.Namespace, request.Name), err)
	}
	c.metrics.writes.WithLabelValues("ok").Inc()
	was := slices.IndexFunc(request.status.ours, func(w written) bool { return w.of == want[0].of })
	if was >= 0 && request.status.ours[was].said() == want[0].said() {
		return nil
	}
	klog.InfoS("The condition is written", "kind", request.kind.Value().Kind, "object", klog.KRef(request.Namespace, request.Name), "reason", want[0].reason)
	if was < 0 && !want[0].failed {
		return nil
	}
	kind := corev1.EventTypeNormal
	if want[0].failed {
		kind = corev1.EventTypeWarning
	}
	c.event(request, kind, want[0].reason, want[0].message)
	return nil
}

// event sends an event about an object.
func (c *Controller) event(about *object, kind, reason, message string) {
	c.events.Event(&corev1.ObjectReference{
		APIVersion: about.kind.Value().GroupVersion().String(), Kind: about.kind.Value().Kind, Namespace: about.Namespace, Name: about.Name, UID: about.UID,
	}, kind, reason, shorten(message, maxEvent))
}

// writeResult is how a write failed: another came before, or it is refused for good.
func writeResult(err error) string {
	if apierrors.IsConflict(err) || apierrors.IsInvalid(err) {
		return "conflict"
	}
	return "error"
}

// toWrite reports whether conditions are to be written to an object as it was seen, and notes
// that they are. What the API server has not told of yet is not written twice.
func (c *Controller) toWrite(request *object, want []typed) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	resource := subscriptionResource.Resource
	if request.kind.Value().Kind == "ClusterExtension" {
		resource = extensionResource.Resource
	}
	last, isSent := c.sent[request.UID]
	switch {
	case c.objects[resource].byNamespace[request.Namespace][request.Name] != request:
		c.queue.Add(request.scope()) // it is another one by now
		return false
	case isSent && slices.Equal(last, want):
		return false
	case isSent:
		delete(c.sent, request.UID) // it is looked at again once the API server tells of it
		return false
	case request.status.states(want):
		return false
	}
	c.sent[request.UID] = want
	return true
}

func (c *Controller) resourceOf(request *object) dynamic.ResourceInterface {
	if request.kind.Value().Kind == "ClusterExtension" {
		return c.client.Resource(extensionResource)
	}
	return c.client.Resource(subscriptionResource).Namespace(request.Namespace)
}

// operation is one of a JSON patch.
type operation struct {
	Op    string `json:"op"`
	Path  string `json:"path"`
	Value any    `json:"value,omitempty"`
}

// patch makes the conditions of an object, as it was seen, the wanted ones, and leaves all
// others as they are.
func patch(request *object, want []typed, now time.Time) []operation {
	at := now.UTC().Format(time.RFC3339)
	// The API server compares it with that of the object.
	list := []operation{{"add", "/metadata/resourceVersion", request.ResourceVersion}}
	if !request.status.exists {
		list = append(list, operation{"add", "/status", map[string]any{}})
	}
	if !request.status.has {
		list = append(list, operation{"add", "/status/conditions", []any{}})
	}
	var removed []operation
	for _, w := range slices.Backward(request.status.ours) {
		path := fmt.Sprintf("/status/conditions/%d", w.at)
		test := operation{"test", path + "/type", w.of}
		i := slices.IndexFunc(want, func(t typed) bool { return t.of == w.of })
		first := slices.IndexFunc(request.status.ours, func(o written) bool { return o.of == w.of })
		switch {
		case i < 0 || request.status.ours[first].at < w.at: // it is there twice
			removed = append(removed, test, operation{Op: "remove", Path: path})
		case want[i] != w.typed:
			since := at
			if want[i].failed == w.failed {
				since = w.since
			}
			list = append(list, test, operation{"replace", path, want[i].fields(since)})
		}
	}
	list = append(list, removed...)
	for _, t := range want {
		if !slices.ContainsFunc(request.status.ours, func(w written) bool { return w.of == t.of }) {
			list = append(list, operation{"add", "/status/conditions/-", t.fields(at)})
		}
	}
	if request.kind.Value().Kind == "Subscription" {
		list = append(list, operation{"add", "/status/lastUpdated", at}) // its status must have it
	}
	return list
}
