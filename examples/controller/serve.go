package main

import (
	"context"
	"errors"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/resolvent/resolvent/examples/controller/reconcile"
)

// health is what the probes of a pod see.
type health struct {
	controller *reconcile.Controller
	leads      atomic.Bool
}

// ready reports whether the controller knows the cluster, if it is its turn.
func (h *health) ready() bool { return !h.leads.Load() || h.controller.Synced() }

// serve answers probes and Prometheus until ctx ends.
func serve(ctx context.Context, address string, state *health) error {
	if address == "" {
		return nil
	}
	routes := http.NewServeMux()
	routes.Handle("/metrics", promhttp.Handler())
	routes.HandleFunc("/healthz", func(http.ResponseWriter, *http.Request) {})
	routes.HandleFunc("/readyz", func(w http.ResponseWriter, _ *http.Request) {
		if !state.ready() {
			http.Error(w, "objects of the cluster are being read", http.StatusServiceUnavailable)
		}
	})
	server := &http.Server{Addr: address, Handler: routes, ReadHeaderTimeout: 10 * time.Second}
	defer context.AfterFunc(ctx, func() { _ = server.Close() })()
	if err := server.ListenAndServe(); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
