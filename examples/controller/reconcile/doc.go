// Package reconcile resolves the Subscriptions and ClusterExtensions of a cluster,
// again whenever something changes that the answer may depend on. It installs nothing:
// what is to be installed, or why nothing can be, stands in a condition of each
// request. Told so, it approves InstallPlans that do what it says.
//
// It is meant to be read, and copied from:
//
//   - controller.go: what is shared, the queue, and one reconciliation.
//   - informers.go: which resources of the cluster are watched.
//   - objects.go: objects are converted once, when they arrive.
//   - index.go: the index of the cluster, and what a change matters to.
//   - catalogs.go: where the content of catalogs comes from.
//   - condition.go: what an answer, or a failure of each type, tells.
//   - write.go: the conditions and the event that say so.
//   - approve.go: which InstallPlans are approved, if that is switched on.
//   - metrics.go: what Prometheus sees.
package reconcile
