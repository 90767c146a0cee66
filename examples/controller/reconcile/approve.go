package reconcile

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/klog/v2"

	"github.com/resolvent/resolvent/resolver"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/result"
)

// judgment is what was last said of the InstallPlan of a namespace that waits. Of one that was
// approved the version counts, of one that waits what is said.
type judgment struct {
	plan  types.UID
	waits bool
	said  string
}

// approve judges the InstallPlan of a namespace that waits for approval, and approves it if it
// may be. The API server refuses if it is not as it was judged any more: then the watch tells
// of the change, and it is judged anew.
func (c *Controller) approve(ctx context.Context, s cluster.Scope) error {
	if !c.options.Approve || s.Alone() {
		return nil
	}
	c.mu.Lock()
	index := c.index
	c.mu.Unlock()
	limited, cancel := context.WithTimeout(ctx, c.options.Timeout)
	defer cancel()
	problem := resolver.Problem{Cluster: index, Catalogs: c.catalogs.View(), Options: c.options.Resolver}
	list, err := c.resolver.Approvals(limited, problem, []cluster.Scope{s})
	if err != nil {
		return err
	}
	if c.options.Lock != nil {
		list = c.options.Lock.Judge(c.options.Cluster, problem.Catalogs, list)
	}
	if len(list) == 0 {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.judged, s)
		return nil
	}
	a := &list[0]
	plan, news := c.judge(s, a)
	switch {
	case !news:
		return nil
	case a.Waits():
		c.event(plan, corev1.EventTypeWarning, "ApprovalWaits", a.Text())
		c.metrics.approvals.WithLabelValues("wait").Inc()
		return nil
	}
	body, err := json.Marshal(map[string]any{"metadata": map[string]any{"resourceVersion": a.ResourceVersion}, "spec": map[string]any{"approved": true}})
	if err != nil {
		return err
	}
	_, err = c.client.Resource(installPlanResource).Namespace(a.Namespace).Patch(ctx, a.InstallPlan, types.MergePatchType, body, metav1.PatchOptions{})
	switch {
	case err == nil:
		klog.InfoS("The InstallPlan is approved", "object", klog.KRef(a.Namespace, a.InstallPlan), "bundles", a.Bundles)
		c.metrics.approvals.WithLabelValues("approve").Inc()
		c.event(plan, corev1.EventTypeNormal, "Approved", a.Text())
		return nil
	case apierrors.IsConflict(err), apierrors.IsNotFound(err):
		c.metrics.approvals.WithLabelValues("conflict").Inc()
		return nil
	}
	c.metrics.approvals.WithLabelValues("error").Inc()
	c.mu.Lock()
	delete(c.judged, s) // it is tried again
	c.mu.Unlock()
	return fmt.Errorf("approving InstallPlan %s: %w", klog.KRef(a.Namespace, a.InstallPlan), err)
}

// judge notes a verdict, and reports whether it is news of an InstallPlan that is as it was
// judged. One that is not is judged again: its change has put the namespace into the queue.
func (c *Controller) judge(s cluster.Scope, a *result.Approval) (plan *object, news bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	plan = c.objects[installPlanResource.Resource].byNamespace[a.Namespace][a.InstallPlan]
	if plan == nil || a.ResourceVersion == "" || plan.ResourceVersion != a.ResourceVersion {
		return nil, false
	}
	now := judgment{plan.UID, a.Waits(), a.Text()}
	if !a.Waits() {
		now.said = a.ResourceVersion
	}
	if c.judged[s] == now {
		return nil, false
	}
	c.judged[s] = now
	return plan, true
}

// enqueueWaiting has the namespaces reconciled whose InstallPlan must wait: another namespace may be why.
// The caller holds mu.
func (c *Controller) enqueueWaiting() {
	for s, j := range c.judged {
		if j.waits {
			c.queue.Add(s)
		}
	}
}

// today is the day that rules read, empty without rules: answers depend on it.
func (c *Controller) today() string {
	if len(c.options.Resolver.Policies) == 0 {
		return ""
	}
	return c.options.Now().UTC().Format(time.DateOnly)
}

// followDays has everything reconciled when a day begins, until ctx ends.
func (c *Controller) followDays(ctx context.Context) {
	for c.today() != "" {
		now := c.options.Now().UTC()
		select {
		case <-ctx.Done():
			return
		case <-time.After(now.Truncate(24 * time.Hour).Add(24 * time.Hour).Sub(now)):
		}
		today := c.today()
		c.mu.Lock()
		c.index = c.index.WithObjects(func(o *cluster.Objects) { o.Date = today })
		c.changes++
		c.enqueueNamespaces()
		c.enqueueExtensions()
		c.mu.Unlock()
	}
}
