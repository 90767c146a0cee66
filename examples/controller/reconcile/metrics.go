package reconcile

import (
	"maps"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"k8s.io/client-go/util/workqueue"

	"github.com/resolvent/resolvent/resolver/result"
)

// metrics count what the controller does.
type metrics struct {
	resolutions *prometheus.CounterVec
	duration    prometheus.Histogram
	writes      *prometheus.CounterVec
	approvals   *prometheus.CounterVec
	queue       queueMetrics
}

// What is known when it is asked for.
var (
	catalogAge = prometheus.NewDesc("resolvent_catalog_age_seconds",
		"Time since the catalog was last found to be up to date.", []string{"catalog"}, nil)
	catalogFailures = prometheus.NewDesc("resolvent_catalog_failures",
		"Attempts in a row that failed to read the catalog.", []string{"catalog"}, nil)
	failing = prometheus.NewDesc("resolvent_failing",
		"Namespaces and ClusterExtensions that have no answer now, by the result of their resolution.", []string{"result"}, nil)
)

// failures are all results that are none.
var failures = []result.Result{result.ResultUnsatisfied, result.ResultUnhealthy,
	result.ResultInvalidInput, result.ResultAmbiguous, result.ResultDenied, result.ResultIncomplete, result.ResultInternal}

func newMetrics() metrics {
	m := metrics{
		resolutions: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "resolvent_resolutions_total",
			Help: "Resolutions by their result; all but resolved are failures.",
		}, []string{"result"}),
		duration: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name:    "resolvent_resolution_duration_seconds",
			Help:    "Duration of resolutions.",
			Buckets: prometheus.ExponentialBuckets(1e-5, 10, 7), // 10 us to 10 s
		}),
		writes: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "resolvent_writes_total",
			Help: "Writes of conditions: ok, refused since another came before (conflict), or failed (error).",
		}, []string{"result"}),
		approvals: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "resolvent_approvals_total",
			Help: "InstallPlans that were approved (approve) or must wait (wait), and approvals refused since the InstallPlan changed (conflict) or failed (error).",
		}, []string{"result"}),
		queue: queueMetrics{},
	}
	// Alerts need a zero before the first failure.
	m.resolutions.WithLabelValues(string(result.Resolved))
	for _, r := range failures {
		m.resolutions.WithLabelValues(string(r))
	}
	for _, r := range []string{"ok", "conflict", "error"} {
		m.writes.WithLabelValues(r)
	}
	for _, r := range []string{"approve", "wait", "conflict", "error"} {
		m.approvals.WithLabelValues(r)
	}
	return m
}

func (m metrics) resolved(r result.Result, took time.Duration) {
	m.resolutions.WithLabelValues(string(r)).Inc()
	m.duration.Observe(took.Seconds())
}

func (m metrics) collectors() []prometheus.Collector {
	list := []prometheus.Collector{m.resolutions, m.duration, m.writes, m.approvals}
	for _, c := range m.queue {
		list = append(list, c)
	}
	return list
}

// Describe implements prometheus.Collector.
func (c *Controller) Describe(to chan<- *prometheus.Desc) {
	for _, m := range c.metrics.collectors() {
		m.Describe(to)
	}
	to <- catalogAge
	to <- catalogFailures
	to <- failing
}

// Collect implements prometheus.Collector.
func (c *Controller) Collect(to chan<- prometheus.Metric) {
	for _, m := range c.metrics.collectors() {
		m.Collect(to)
	}
	for catalog := range c.catalogs.View().Catalogs() {
		name := catalog.Key.String()
		to <- prometheus.MustNewConstMetric(catalogFailures, prometheus.GaugeValue, float64(catalog.Failures), name)
		if !catalog.LoadedAt.IsZero() {
			to <- prometheus.MustNewConstMetric(catalogAge, prometheus.GaugeValue, time.Since(catalog.LoadedAt).Seconds(), name)
		}
	}
	c.mu.Lock()
	now := map[result.Result]int{}
	for r := range maps.Values(c.failing) {
		now[r]++
	}
	c.mu.Unlock()
	for _, r := range failures {
		to <- prometheus.MustNewConstMetric(failing, prometheus.GaugeValue, float64(now[r]), string(r))
	}
}

// queueMetrics are those of the queue, under the names that all controllers use. It
// implements [workqueue.MetricsProvider].
type queueMetrics map[string]prometheus.Collector

func (q queueMetrics) gauge(name, help string) prometheus.Gauge {
	g := prometheus.NewGauge(prometheus.GaugeOpts{Name: "workqueue_" + name, Help: help})
	q[name] = g
	return g
}

func (q queueMetrics) counter(name, help string) prometheus.Counter {
	c := prometheus.NewCounter(prometheus.CounterOpts{Name: "workqueue_" + name, Help: help})
	q[name] = c
	return c
}

func (q queueMetrics) histogram(name, help string) prometheus.Histogram {
	h := prometheus.NewHistogram(prometheus.HistogramOpts{Name: "workqueue_" + name, Help: help, Buckets: prometheus.ExponentialBuckets(1e-5, 10, 8)})
	q[name] = h
	return h
}

func (q queueMetrics) NewDepthMetric(string) workqueue.GaugeMetric {
	return q.gauge("depth", "Scopes that wait to be reconciled.")
}

func (q queueMetrics) NewAddsMetric(string) workqueue.CounterMetric {
	return q.counter("adds_total", "Scopes that were added to the queue.")
}

func (q queueMetrics) NewLatencyMetric(string) workqueue.HistogramMetric {
	return q.histogram("queue_duration_seconds", "Time that a scope waits.")
}

func (q queueMetrics) NewWorkDurationMetric(string) workqueue.HistogramMetric {
	return q.histogram("work_duration_seconds", "Time that it takes to reconcile a scope.")
}

func (q queueMetrics) NewUnfinishedWorkSecondsMetric(string) workqueue.SettableGaugeMetric {
	return q.gauge("unfinished_work_seconds", "Time that scopes have been worked on that are not done.")
}

func (q queueMetrics) NewLongestRunningProcessorSecondsMetric(string) workqueue.SettableGaugeMetric {
	return q.gauge("longest_running_processor_seconds", "Time that the oldest of them has been worked on.")
}

func (q queueMetrics) NewRetriesMetric(string) workqueue.CounterMetric {
	return q.counter("retries_total", "Scopes that were added again after a failure.")
}
