// Command faults puts one deliberate fault after another into the controller and reports
// those that its tests do not notice. It is run in the folder of the module, which stays as
// it is, and takes some 15 minutes on two cores:
//
//	go run ./internal/faults [PART OF A NAME]
//
// The exit status is 1 if a fault survives, 2 if one cannot be put in.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// fault is a change of one place in a file of package reconcile.
type fault struct{ name, file, from, to string }

var faults = []fault{
	{"OperatorGroups are not watched", "informers.go", `{olmv0("v1", "operatorgroups"), ""},`, ``},
	{"OperatorConditions are not watched", "informers.go", `{olmv0("v2", "operatorconditions"), ""},`, ``},
	{"Namespaces are not watched", "informers.go", `{schema.GroupVersionResource{Version: "v1", Resource: "namespaces"}, ""},`, ``},
	{"each reconciliation writes", "write.go", `case request.status.states(want):`, `case false:`},
	{"no refresh of a catalog is followed", "controller.go", `for _, key := range view.Changes(last) {`, `for _, key := range last.Changes(last) {`},
	{"warnings are dropped", "condition.go", `lines = append(lines, "warning: "+w.Message())`, `_ = w`},
	{"no event when a request recovers", "write.go", `kind := corev1.EventTypeNormal`, `if !want[0].failed {
		return nil
	}
	kind := corev1.EventTypeNormal`},
	{"a first answer that resolves is an event", "write.go", `if was < 0 && !want[0].failed {`, `if false {`},
	{"a ClusterCatalog that is gone is kept", "catalogs.go", `c.catalogs.Remove(key)`, ``},
	{"it is always ready", "controller.go", `return c.synced.Load()`, `return true`},
	{"copies of ClusterServiceVersions are read", "informers.go", `"!" + cluster.LabelCopiedFrom}`, `"!none" + cluster.LabelCopiedFrom}`},
	{"it begins before all objects are read", "informers.go", `case <-objects.read:`, `case <-time.After(time.Millisecond):
				_ = objects`},
	{"resources that come later are not noticed", "informers.go", `if len(waiting) == 0 {`, `if len(waiting) == 0 || first {`},
	{"a write does not ask for the version it has seen", "write.go", `list := []operation{{"add", "/metadata/resourceVersion", request.ResourceVersion}}`, `var list []operation`},
	{"a refused write holds up its neighbors", "controller.go", `errs = append(errs, c.write(ctx, request, want))`, `if err := c.write(ctx, request, want); err != nil {
				return err
			}`},
	{"a refused write is not tried again", "controller.go", `c.queue.AddRateLimited(s)`, ``},
	{"a write that came second is not tried again", "controller.go", `c.queue.AddAfter(s, undoPause)`, ``},
	{"many refused writes wait for each other", "controller.go", `workqueue.NewTypedItemExponentialFailureRateLimiter[cluster.Scope](5*time.Millisecond, longestRetry)`,
		`workqueue.DefaultTypedControllerRateLimiter[cluster.Scope]()`},
	{"a write that is not told of yet is done again", "write.go", `last, isSent := c.sent[request.UID]`, `last, isSent := []typed(nil), false`},
	{"a condition that others change stays", "index.go", `c.queue.AddAfter(o.scope(), undoPause)`, ``},
	{"conditions of others are lost", "write.go", `if !request.status.has {`, `if true {`},
	{"a transition has no time of its own", "write.go", `if want[i].failed == w.failed {`, `if true {`},
	{"conditions of ClusterExtensions have no generation", "condition.go", `generation = request.Generation`, `_ = request.Generation`},
	{"a ClusterServiceVersion elsewhere matters to nobody", "index.go", `if !elsewhere(old, new) {`, `if true {`},
	{"groups of neighbors do not matter", "index.go", `for _, index := range []*cluster.Index{before, c.index} {`, `for _, index := range []*cluster.Index{} {`},
	{"what is deprecated has no condition", "condition.go", `if len(said[at]) > 0 {`, `if false {`},
	{"what recovers counts as failing", "controller.go", `if delete(c.failing, s); failure != nil {`, `if failure != nil {`},
	{"what cannot be read is passed over", "index.go", `objects.Unread[o.scope()] = c.faultOf(o.scope())`, ``},
	{"InstallPlans are read unasked", "informers.go", `if c.options.Approve {`, `if true {`},
	{"an approval does not ask for the version it has seen", "approve.go", `"metadata": map[string]any{"resourceVersion": a.ResourceVersion}, `, ``},
	{"a refused approval counts as failed", "approve.go", `case apierrors.IsConflict(err), apierrors.IsNotFound(err):`, `case apierrors.IsNotFound(err):`},
	{"an approval is tried again as long as it is not told of", "approve.go", `if c.judged[s] == now {`, `if false {`},
	{"a failed approval is not tried again", "approve.go", `delete(c.judged, s) // it is tried again`, ``},
	{"changes of InstallPlans do not matter", "index.go", `case "Subscription", "OperatorCondition", "InstallPlan":`, `case "InstallPlan":
	case "Subscription", "OperatorCondition":`},
	{"the day stays", "approve.go", `c.index = c.index.WithObjects(func(o *cluster.Objects) { o.Date = today })`, `_ = today`},
	{"heartbeats are changes", "index.go", `case !same(old, new):`, `case true:`},
}

func main() {
	part := strings.Join(os.Args[1:], " ")
	folder, err := os.MkdirTemp("", "faults")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	status := 0
	for _, f := range faults {
		if !strings.Contains(f.name, part) {
			continue
		}
		began := time.Now()
		noticed, err := f.noticed(folder)
		said := "noticed"
		switch {
		case err != nil:
			status, said = 2, "cannot be put in: "+err.Error()
		case !noticed:
			status, said = max(status, 1), "SURVIVES"
		}
		fmt.Printf("%-55s %s (%d s)\n", f.name, said, int(time.Since(began).Seconds()))
	}
	_ = os.RemoveAll(folder)
	os.Exit(status)
}

// noticed reports whether a test fails with the fault.
func (f *fault) noticed(folder string) (bool, error) {
	path, err := filepath.Abs(filepath.Join("reconcile", f.file))
	if err != nil {
		return false, err
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return false, err
	}
	if n := strings.Count(string(text), f.from); n != 1 {
		return false, fmt.Errorf("%s has %d places for it", f.file, n)
	}
	changed, overlay, tests := filepath.Join(folder, f.file), filepath.Join(folder, "overlay.json"), filepath.Join(folder, "tests")
	if err := os.WriteFile(changed, []byte(strings.Replace(string(text), f.from, f.to, 1)), 0o600); err != nil {
		return false, err
	}
	list, err := json.Marshal(map[string]map[string]string{"Replace": {path: changed}})
	if err != nil {
		return false, err
	}
	if err := os.WriteFile(overlay, list, 0o600); err != nil {
		return false, err
	}
	if out, err := exec.Command("go", "test", "-c", "-overlay", overlay, "-o", tests, "./reconcile").CombinedOutput(); err != nil {
		return false, fmt.Errorf("%w: %s", err, out)
	}
	run := exec.Command(tests, "-test.failfast", "-test.timeout", "5m")
	run.Dir = "reconcile"
	return run.Run() != nil, nil
}
