package main

import (
	"context"
	"net/url"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"k8s.io/client-go/tools/metrics"
)

// requests are metrics of requests to the API server, under the names that all controllers
// use.
type requests struct {
	total    *prometheus.CounterVec
	duration *prometheus.HistogramVec
	waited   prometheus.Histogram
}

// measureRequests has the requests of all clients of this process counted.
func measureRequests(to prometheus.Registerer) {
	r := requests{
		total: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "rest_client_requests_total", Help: "Requests to the API server by method and status.",
		}, []string{"method", "code"}),
		duration: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "rest_client_request_duration_seconds", Help: "Time until the API server answers, by method.", Buckets: prometheus.ExponentialBuckets(1e-3, 4, 8),
		}, []string{"method"}),
		waited: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "rest_client_rate_limiter_duration_seconds", Help: "Time that requests wait for --qps.", Buckets: prometheus.ExponentialBuckets(1e-3, 4, 8),
		}),
	}
	to.MustRegister(r.total, r.duration, r.waited)
	metrics.Register(metrics.RegisterOpts{RequestResult: r, RequestLatency: r, RateLimiterLatency: limited(r)})
}

// Increment implements [metrics.ResultMetric].
func (r requests) Increment(_ context.Context, code, method, _ string) {
	r.total.WithLabelValues(method, code).Inc()
}

// Observe implements [metrics.LatencyMetric].
func (r requests) Observe(_ context.Context, verb string, _ url.URL, took time.Duration) {
	r.duration.WithLabelValues(verb).Observe(took.Seconds())
}

// limited measures how long requests wait.
type limited requests

// Observe implements [metrics.LatencyMetric].
func (l limited) Observe(_ context.Context, _ string, _ url.URL, took time.Duration) {
	l.waited.Observe(took.Seconds())
}
