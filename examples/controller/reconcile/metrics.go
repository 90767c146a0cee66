package reconcile

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/resolvent/resolvent/resolver/result"
)

// metrics count what the controller does.
type metrics struct {
	resolutions *prometheus.CounterVec
	duration    prometheus.Histogram
}

// What is known of a catalog when it is asked for.
var (
	catalogAge = prometheus.NewDesc("resolvent_catalog_age_seconds",
		"Time since the catalog was last found to be up to date.", []string{"catalog"}, nil)
	catalogFailures = prometheus.NewDesc("resolvent_catalog_failures",
		"Attempts in a row that failed to read the catalog.", []string{"catalog"}, nil)
)

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
	}
	// Alerts need a zero before the first failure.
	for _, r := range []result.Result{result.Resolved, result.ResultUnsatisfied, result.ResultUnhealthy,
		result.ResultInvalidInput, result.ResultAmbiguous, result.ResultIncomplete, result.ResultInternal} {
		m.resolutions.WithLabelValues(string(r))
	}
	return m
}

func (m metrics) resolved(r result.Result, took time.Duration) {
	m.resolutions.WithLabelValues(string(r)).Inc()
	m.duration.Observe(took.Seconds())
}

// Describe implements prometheus.Collector.
func (c *Controller) Describe(to chan<- *prometheus.Desc) {
	c.metrics.resolutions.Describe(to)
	c.metrics.duration.Describe(to)
	to <- catalogAge
	to <- catalogFailures
}

// Collect implements prometheus.Collector.
func (c *Controller) Collect(to chan<- prometheus.Metric) {
	c.metrics.resolutions.Collect(to)
	c.metrics.duration.Collect(to)
	for catalog := range c.catalogs.View().Catalogs() {
		name := catalog.Key.String()
		to <- prometheus.MustNewConstMetric(catalogFailures, prometheus.GaugeValue, float64(catalog.Failures), name)
		if !catalog.LoadedAt.IsZero() {
			to <- prometheus.MustNewConstMetric(catalogAge, prometheus.GaugeValue, time.Since(catalog.LoadedAt).Seconds(), name)
		}
	}
}
