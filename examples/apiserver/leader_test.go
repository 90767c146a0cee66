package apiserver

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/dynamic"
	"sigs.k8s.io/yaml"

	"github.com/resolvent/resolvent/examples/controller/reconcile"
)

// replica is a process of the controller.
type replica struct {
	testing.TB
	process *exec.Cmd
	address string
	log     bytes.Buffer
	ended   chan error
}

// buildController builds the controller: with the race detector, which multiplies time and
// memory, unless they are measured.
func buildController(t testing.TB) string {
	name, race := "controller", "-race"
	if _, measured := t.(*testing.B); measured {
		name, race = "controller-measured", "-race=false"
	}
	path, err := build("../controller", name, race)
	require.NoError(t, err)
	return path
}

func startReplica(t testing.TB, kubeconfig string, flags ...string) *replica {
	path := buildController(t)
	r := &replica{TB: t, address: fmt.Sprintf("127.0.0.1:%d", freePort(t)), ended: make(chan error, 1)}
	r.process = exec.Command(path, append(flags, "--kubeconfig", kubeconfig, "--listen", r.address, "--lease-namespace", "resolvent",
		"--catalog", "olm/coast=../../testdata/catalogs/coast", "--catalog", "olm/island=../../testdata/catalogs/island")...)
	r.process.Stdout, r.process.Stderr = &r.log, &r.log
	require.NoError(t, r.process.Start())
	go func() { r.ended <- r.process.Wait() }()
	t.Cleanup(func() { _ = r.process.Process.Kill() })
	require.Eventually(t, func() bool { return r.get("/healthz") != "" }, time.Minute, 50*time.Millisecond)
	return r
}

// get returns the status and text of an answer, "" if there is none.
func (r *replica) get(path string) string {
	answer, err := http.Get("http://" + r.address + path)
	if err != nil {
		return ""
	}
	defer answer.Body.Close()
	text, _ := io.ReadAll(answer.Body)
	return answer.Status + "\n" + string(text)
}

// leads reports whether the replica has resolved anything.
func (r *replica) leads() bool {
	text := r.get("/metrics")
	return strings.Contains(text, "resolvent_resolution_duration_seconds_count ") &&
		!strings.Contains(text, "resolvent_resolution_duration_seconds_count 0\n")
}

// wait waits until the process has ended, and returns its exit status and its log.
func (r *replica) wait() (int, string) {
	r.Helper()
	select {
	case <-r.ended:
	case <-time.After(time.Minute):
		r.Fatal("the process does not end")
	}
	return r.process.ProcessState.ExitCode(), r.log.String()
}

// Of several replicas one works; another goes on when it is killed. One that cannot
// renew its lease ends before another may begin.
func TestLeaderElection(t *testing.T) {
	s := Start(t)
	for _, file := range []string{"../controller/rbac.yaml", "../../testdata/cluster/install.yaml"} {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		s.Apply(t, string(text))
	}
	client, err := dynamic.NewForConfig(s.Config())
	require.NoError(t, err)
	awaitReason := func(namespace, name, want string) {
		t.Helper()
		require.Eventually(t, func() bool {
			u, err := client.Resource(subscriptions).Namespace(namespace).Get(t.Context(), name, metav1.GetOptions{})
			require.NoError(t, err)
			return conditionOf(u, reconcile.DefaultCondition)["reason"] == want
		}, time.Minute, 100*time.Millisecond, "%s/%s states %s", namespace, name, want)
	}
	kubeconfig := Kubeconfig(t, s.ServiceAccount(t, "resolvent", "controller"))
	leader := startReplica(t, kubeconfig)
	awaitReason("harbor", "ferry", "Resolved")
	assert.True(t, leader.leads())
	next := startReplica(t, kubeconfig)
	for _, r := range []*replica{leader, next} {
		assert.Contains(t, r.get("/readyz"), "200 OK")
		assert.Contains(t, r.get("/metrics"), `resolvent_resolutions_total{result="ambiguous"} 0`)
	}
	time.Sleep(2 * time.Second)
	assert.False(t, next.leads())

	text, err := os.ReadFile("../../testdata/cluster/failing.yaml")
	require.NoError(t, err)
	require.NoError(t, leader.process.Process.Kill())
	leader.wait()
	killed := time.Now()
	s.Apply(t, string(text))
	awaitReason("deep-sea", "kraken", "ConstraintsNotSatisfiable")
	assert.True(t, next.leads())
	t.Logf("the next leader worked %v after the first was killed", time.Since(killed).Round(time.Second))

	s.Kill()
	cut := time.Now()
	status, log := next.wait()
	assert.Equal(t, 1, status)
	assert.Contains(t, log, "is no longer the leader")
	assert.NotContains(t, log, "forbidden")
	assert.Less(t, time.Since(cut), 15*time.Second, "the lease is valid for that long")
	t.Logf("the leader ended %v after it lost the server", time.Since(cut).Round(time.Second))

	s.Restart(t)
	last := startReplica(t, kubeconfig)
	require.Eventually(t, last.leads, time.Minute, 100*time.Millisecond)
	require.NoError(t, last.process.Process.Signal(syscall.SIGTERM))
	status, log = last.wait()
	assert.Zero(t, status, log)
}

// The flags of the shipped Deployment exist, and its account is that of the shipped RBAC.
func TestDeployment(t *testing.T) {
	text, err := os.ReadFile("../controller/deployment.yaml")
	require.NoError(t, err)
	var d appsv1.Deployment
	var budget policyv1.PodDisruptionBudget
	first, second, _ := strings.Cut(string(text), "\n---\n")
	require.NoError(t, yaml.UnmarshalStrict([]byte(first), &d))
	require.NoError(t, yaml.UnmarshalStrict([]byte(second), &budget))
	assert.Equal(t, d.Spec.Selector, budget.Spec.Selector)
	assert.Equal(t, d.Spec.Selector, d.Spec.Template.Spec.TopologySpreadConstraints[0].LabelSelector)
	pod := d.Spec.Template.Spec
	assert.Equal(t, "resolvent/"+pod.ServiceAccountName, d.Namespace+"/controller")
	c := pod.Containers[0]
	assert.NotNil(t, c.LivenessProbe)
	assert.NotNil(t, c.ReadinessProbe)
	assert.NotEmpty(t, c.Resources.Limits)
	usage, err := exec.Command(buildController(t), "-h").CombinedOutput()
	require.NoError(t, err)
	for _, arg := range c.Args {
		flag, _, _ := strings.Cut(strings.TrimPrefix(arg, "--"), "=")
		assert.Contains(t, string(usage), "\n  -"+flag+" ")
	}
}
