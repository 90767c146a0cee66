// Package scenario writes a resolution problem as one text file, and
// resolves it again from there.
//
// The format is txtar: a comment of a sentence or two on what the scenario
// shows, then files.
//
//	The head is taken.
//	-- cluster.yaml --
//	kind: Subscription
//	...
//	-- options.yaml --
//	compound: bundle
//	-- catalogs/olm/community/etcd.yaml --
//	schema: olm.package
//	...
//	-- want --
//	operators: resolved
//	  install etcd.v0.9.4 from olm/community, channel alpha; for subscription etcd
//
// cluster.yaml holds manifests as kubectl prints them. options.yaml holds what
// the caller chose; its keys are the fields of [Options]. A file-based catalog
// is any number of files below catalogs/NAMESPACE/NAME/, or below
// clustercatalogs/NAME/ for catalogs of the cluster. want is the outcome
// as [Scenario.Run] prints it, one paragraph for each namespace and then for
// each ClusterExtension. Every file may be missing.
//
// A file whose content has a line that txtar would take for the start of
// another file cannot be written: [Scenario.Format] returns an error.
package scenario
