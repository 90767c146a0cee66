// Package scenario writes a resolution problem as one text file, and resolves it again from
// there. [Question.Record] writes any problem, so that a bug report can become a test.
//
// The format is txtar: a comment that states what the scenario shows, then files.
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
// cluster.yaml holds manifests as kubectl prints them. options.yaml holds the options of the
// call; its keys are the fields of [Options]. A file-based catalog is any number of files
// below catalogs/NAMESPACE/NAME/ or, for ClusterExtensions, below clustercatalogs/NAME/.
// want is the outcome as [Scenario.Run] prints it: a paragraph per namespace, then one per
// ClusterExtension. Each file may be missing.
//
// A content with a line that txtar takes for the start of another file cannot be written:
// [Scenario.Format] returns an error.
package scenario
