package main

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/klog/v2"
)

// PlanName is the name of the ConfigMap that says what came of a resolution.
const PlanName = "resolution"

// The label of the ConfigMaps that this controller may change.
const (
	managedBy = "app.kubernetes.io/managed-by"
	manager   = "resolvent"
)

var configMapResource = schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}

// told is what the ConfigMap of a namespace says, and the Subscriptions with
// which it goes away.
type told struct {
	report
	owners []metav1.OwnerReference
}

// write tells a namespace what came of its Subscriptions, as far as it has not
// been told. What others change in that is put right with the next answer.
func (c *Controller) write(ctx context.Context, namespace string, subscriptions []*object, r report) error {
	now := told{report: r}
	for _, s := range subscriptions {
		if s.condition != r.failure {
			if err := c.writeCondition(ctx, s, r.failure); err != nil {
				return err
			}
		}
		now.owners = append(now.owners, metav1.OwnerReference{
			APIVersion: subscriptionResource.GroupVersion().String(), Kind: "Subscription", Name: s.Name, UID: s.UID,
		})
	}
	c.mu.Lock()
	before := c.told[namespace]
	c.mu.Unlock()
	if reflect.DeepEqual(before, now) {
		return nil
	}
	if err := c.writePlan(ctx, namespace, now); err != nil {
		return err
	}
	klog.InfoS("Resolved", "namespace", namespace, "result", r.result)
	c.mu.Lock()
	c.told[namespace] = now
	c.mu.Unlock()
	return nil
}

// forget is for a namespace without Subscriptions: its ConfigMap has gone with
// them.
func (c *Controller) forget(namespace string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.told, namespace)
}

// writePlan writes the ConfigMap, unless it says the same already.
func (c *Controller) writePlan(ctx context.Context, namespace string, now told) error {
	resource := c.client.Resource(configMapResource).Namespace(namespace)
	data := map[string]string{"result": string(now.result)}
	if now.plan != "" {
		data["plan.yaml"] = now.plan
	}
	u, err := resource.Get(ctx, PlanName, metav1.GetOptions{})
	isNew := apierrors.IsNotFound(err)
	switch {
	case isNew:
		u = &unstructured.Unstructured{}
		u.SetAPIVersion("v1")
		u.SetKind("ConfigMap")
		u.SetName(PlanName)
		u.SetLabels(map[string]string{managedBy: manager})
	case err != nil:
		return err
	case u.GetLabels()[managedBy] != manager:
		return fmt.Errorf("ConfigMap %s/%s is somebody else's: it has no label %s=%s", namespace, PlanName, managedBy, manager)
	}
	if was, _, _ := unstructured.NestedStringMap(u.Object, "data"); reflect.DeepEqual(was, data) && reflect.DeepEqual(u.GetOwnerReferences(), now.owners) {
		return nil
	}
	u.SetOwnerReferences(now.owners)
	if err := unstructured.SetNestedStringMap(u.Object, data, "data"); err != nil {
		return err
	}
	if isNew {
		_, err = resource.Create(ctx, u, metav1.CreateOptions{})
	} else {
		_, err = resource.Update(ctx, u, metav1.UpdateOptions{})
	}
	return err
}

// writeCondition sets the condition of a Subscription, or takes it away if it is
// zero, as OLM does after a success. Should the Subscription have changed
// meanwhile, the API server refuses, and the namespace is reconciled again.
func (c *Controller) writeCondition(ctx context.Context, s *object, want condition) error {
	resource := c.client.Resource(subscriptionResource).Namespace(s.Namespace)
	u, err := resource.Get(ctx, s.Name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return nil
	}
	if err != nil {
		return err
	}
	if conditionOf(u, c.options.Condition) == want {
		return nil
	}
	now := time.Now().UTC().Format(time.RFC3339)
	since := now
	conditions, _, err := unstructured.NestedSlice(u.Object, "status", "conditions")
	if err != nil {
		return err
	}
	conditions = slices.DeleteFunc(conditions, func(item any) bool {
		fields, _ := item.(map[string]any)
		if fields["type"] != c.options.Condition {
			return false
		}
		if at, ok := fields["lastTransitionTime"].(string); ok && fields["status"] == "True" {
			since = at
		}
		return true
	})
	if want != (condition{}) {
		conditions = append(conditions, map[string]any{
			"type": c.options.Condition, "status": "True", "reason": want.reason, "message": want.message,
			"lastTransitionTime": since,
		})
	}
	if err := unstructured.SetNestedSlice(u.Object, conditions, "status", "conditions"); err != nil {
		return err
	}
	// A status must have it.
	if err := unstructured.SetNestedField(u.Object, now, "status", "lastUpdated"); err != nil {
		return err
	}
	_, err = resource.UpdateStatus(ctx, u, metav1.UpdateOptions{})
	return err
}

// conditionOf returns the condition of that type, zero if it is not true.
func conditionOf(u *unstructured.Unstructured, of string) condition {
	conditions, _, _ := unstructured.NestedSlice(u.Object, "status", "conditions")
	for _, item := range conditions {
		if fields, _ := item.(map[string]any); fields["type"] == of && fields["status"] == "True" {
			reason, _ := fields["reason"].(string)
			message, _ := fields["message"].(string)
			return condition{reason, message}
		}
	}
	return condition{}
}
