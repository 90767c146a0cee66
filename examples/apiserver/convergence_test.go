package apiserver

import (
	"fmt"
	"os"
	"regexp"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"

	"github.com/resolvent/resolvent/testdata/testkit"
)

// BenchmarkConvergence is how many Subscriptions a second a controller gives their first
// condition, four in a namespace, beside a bare loop of as many patches of the same size.
func BenchmarkConvergence(b *testing.B) {
	s, total := Start(b), testkit.Scale(2000, 20000)
	rbac, err := os.ReadFile("../controller/rbac.yaml")
	require.NoError(b, err)
	s.Apply(b, string(rbac))
	config := s.Config()
	config.QPS, config.Burst = -1, 0
	client, err := dynamic.NewForConfig(config)
	require.NoError(b, err)
	packages := []string{"lighthouse", "foghorn", "pier", "lantern"}
	each := func(work func(namespace, pkg string) error) float64 {
		began, next := time.Now(), make(chan int)
		var workers sync.WaitGroup
		for range 16 {
			workers.Go(func() {
				for i := range next {
					if err := work(fmt.Sprintf("namespace-%d", i/len(packages)), packages[i%len(packages)]); err != nil {
						b.Error(err)
					}
				}
			})
		}
		for i := range total {
			next <- i
		}
		close(next)
		workers.Wait()
		return float64(total) / time.Since(began).Seconds()
	}
	for i := range total / len(packages) {
		s.Apply(b, fmt.Sprintf(`{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "namespace-%d"}}`, i))
	}
	each(func(namespace, pkg string) error {
		u := parse(b, fmt.Sprintf(`{"apiVersion": "operators.coreos.com/v1alpha1", "kind": "Subscription", "metadata": {"namespace": %q, "name": %q},
			"spec": {"name": %[2]q, "source": "coast", "sourceNamespace": "olm"}}`, namespace, pkg))[0]
		_, err := client.Resource(subscriptions).Namespace(namespace).Create(b.Context(), u, metav1.CreateOptions{})
		return err
	})

	r := startReplica(b, Kubeconfig(b, s.ServiceAccount(b, "resolvent", "controller")), "--qps", "0")
	began := time.Now()
	metric := func(pattern string) float64 {
		found := regexp.MustCompile(`(?m)^` + pattern + ` (.*)$`).FindStringSubmatch(r.get("/metrics"))
		if found == nil {
			return 0
		}
		value, _ := strconv.ParseFloat(found[1], 64)
		return value
	}
	require.Eventually(b, func() bool { return metric(`resolvent_writes_total\{result="ok"\}`) >= float64(total) }, 10*time.Minute, 100*time.Millisecond)
	b.ReportMetric(float64(total)/time.Since(began).Seconds(), "conditions/s")
	b.ReportMetric(metric("process_resident_memory_bytes")/(1<<20), "MiB")
	b.ReportMetric(metric("process_cpu_seconds_total"), "cpu-s")
	_ = r.process.Process.Kill()
	b.ReportMetric(each(func(namespace, pkg string) error {
		patch := fmt.Sprintf(`{"status": {"lastUpdated": "2026-01-02T03:04:05Z", "conditions": [{"type": "example.com/Note", "status": "False", "reason": "Resolved", "message": "install %s from catalog olm/coast"}]}}`, pkg)
		_, err := client.Resource(subscriptions).Namespace(namespace).Patch(b.Context(), pkg, types.MergePatchType, []byte(patch), metav1.PatchOptions{}, "status")
		return err
	}), "patches/s")
}
