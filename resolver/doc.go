// Package resolver answers which bundles a Kubernetes cluster gets: for the
// Subscriptions of a namespace, as the Operator Lifecycle Manager v0 does, and
// for a ClusterExtension, as v1 does.
//
// A [Problem] is the input of a call: a [cluster.Index] of the cluster's objects, a
// [cache.View] of the catalogs, and options. A [cluster.Scope] is what to resolve of it.
// [Resolver.Resolve] builds a model of the scope: candidates in order of preference, and
// rules. Package solver finds the selection in which no earlier choice could be better, or
// a minimal set of demands that contradict each other. The selection becomes a
// [result.Resolution], the demands become a [result.NotSatisfiable] with its explanation.
// Other failures are typed as well, see [result.Of]. The answer depends only on the input:
// not on the order of files and objects, nor on other calls.
//
// # What a program needs
//
// These 36 names are enough to resolve, to say why it fails and what helps, and to state what
// can be updated:
//
//   - Catalogs: [cache.LoadFS] with [cache.Options] reads one, [cache.NewView] joins each
//     [cache.Catalog] under its [cache.Key].
//   - The cluster: manifest.Read, or [cluster.Objects] with [cluster.Subscription],
//     [cluster.ClusterServiceVersion], [cluster.OperatorGroup] and [cluster.ClusterExtension];
//     [cluster.NewIndex]. [cluster.InNamespace] and [cluster.OfExtension] make a
//     [cluster.Scope]; a [cluster.RequestKey] names a request.
//   - A call: [New], [Resolver], [Problem], [policy.Options], and a [Target] for Status.
//   - Answers: [result.Resolution] with [result.Install] and [result.Kept]; [result.Outcome] of
//     several scopes; [result.Status] and [result.Path].
//   - Failures: [result.NotSatisfiable], [result.Ambiguous], [result.CatalogsUnhealthy],
//     [result.InvalidInput], [result.Denied], [result.Incomplete]; text.Brief is what to show first.
//   - Fixes: [result.HelpOf] an error, each [result.Fix]; its method Apply
//     returns the index after it.
//
// A controller also keeps catalogs fresh, with package cache.
//
// # The rooms
//
// These packages hold plain data and import nothing of the engine: cluster (objects),
// policy (options) and result (answers, failures, the changes that correct them, the status of
// requests, and paths).
// The engine is internal; each package may import only those before it:
//
//	picture      graphs as Mermaid, Graphviz and SVG
//	words        the codes of reasons and their wording; names that Kubernetes takes
//	memo         bounded caches
//	detached     calls that may never return
//	reason       reasons: a function for each code, with its arguments
//	pace         cancellation, steps and parallel work
//	inventory    installed bundles, operator groups, ownership, visible catalogs
//	model        candidates in order of preference and their rules, for package solver
//	request      the requests and installed bundles of a scope, by kind of request
//	world        scopes read and solved, as they are or as they would be after changes
//	cause        all minimal sets that keep requests out
//	explain      a core as an Explanation; why, why not, and why there is no candidate
//	answer       a selection as a Resolution, and what differs after changes
//	route        paths of updates
//	fix          changes of the input, each tried
//	outcome      answers and explained failures, of one or several scopes; what OLM states
//	status       what requests, InstallPlans and the cluster can be updated to
//
// This package wires them. Beside it, text says first what to do about a failure, graph
// draws answers and failures, manifest reads what kubectl prints, check judges catalogs
// for their publishers, scenario stores problems as text, mirror finds what a disconnected
// cluster needs, migrate moves Subscriptions to ClusterExtensions, and lock keeps one file of
// what each cluster of a fleet gets.
//
// # Concurrency
//
//   - Immutable, and safe for concurrent use: Problem, Resolution, errors,
//     cache.View, snapshots, and everything reached from them.
//   - Safe for concurrent use by locks: [Resolver], which caches what it derives
//     from snapshots; cache.Cache; and a snapshot, which caches the results of
//     rules. These caches are bounded. No lock is held during computation or
//     waiting. A call that fails or is canceled leaves nothing behind.
//   - Owned by one call: everything else. A resolution runs on the goroutine of
//     its caller, but evaluates rules on several.
//
// A call ends within 50 ms after its context, with a [*result.Incomplete] that says
// how far it got. Tests cancel all calls at random moments; on a busy machine they
// count 50 ms of CPU time. A function of the caller, such as a SystemConstraint or
// a cache.Source, goes on until it returns. A panic in such a function fails only what
// called it.
//
// # Threats
//
// The library is meant to run with the rights of a cluster administrator. It opens
// no file and no connection: it reads the [io/fs.FS], the cache.Source and the
// io.Reader that the caller passes. It writes nothing but the indexes that the
// caller asks for. CEL rules call only the functions of their language and those
// of package constraints.
//
// Who controls what:
//
//   - Publishers of catalogs control names, channels, edges, versions, properties,
//     constraints and rules. They are strangers, and may be malicious.
//   - Tenants of the cluster control the Subscriptions and ClusterServiceVersions
//     of their namespaces, annotations included.
//   - The caller controls [policy.Options], priorities, labels, and which catalogs
//     are trusted at all.
//
// A fault quarantines as little as possible: the bundle, channel or package that
// has it, or the packages that a broken file mentions. A bundle states facts only
// about itself; nothing in it changes what another states. A catalog of one
// megabyte costs less than a gigabyte of memory and a minute, to read and in one
// resolution. These limits ensure that. Each field documents its default:
//
//   - The Limits of package cache bound files, documents, archives, images and
//     what reading them costs; those of package constraints bound a constraint, a range and a rule.
//     What exceeds one is a fault of the catalog.
//   - The properties of an installed ClusterServiceVersion have the defaults of these
//     limits. What exceeds one fails the namespace with a [*result.InvalidInput]
//     that names the object and the annotation.
//   - Package manifest bounds manifests: their size, number, nesting and aliases.
//     Exceeding a bound fails the call with a *manifest.Error.
//   - MaxCandidates, MaxLiterals and MaxRuleCost of policy.Options bound what one
//     call reaches, the memory of its clauses, and the rules it evaluates.
//     Exceeding one fails the call with a [*result.InvalidInput] that wraps a
//     [*result.TooLarge].
//   - PathBudget of policy.Options bounds the resolutions of a search for a path,
//     which ends with a [*result.Incomplete]. A search for fixes makes at most some
//     500 for all groups of causes; mostly 1 to 20 a group.
//   - Satisfiability is hard: a small problem can take forever. MaxConflicts of
//     policy.Options ends a search with a [*result.Incomplete], after the same work
//     whatever the load of the machine. The deadline of the context bounds time. A
//     caller should always set a deadline.
//   - MaxStale of cache.CacheOptions bounds how long an old catalog serves, and
//     cache.Schedule how long a source may take.
//
// What is not protected:
//
//   - A publisher may offer a harmful bundle, claim an API, or take the package
//     name of another. The caller decides which catalogs to trust, and in which
//     order. A SystemConstraint can refuse bundles.
//   - Signatures are not verified, and digests only those inside images on disk:
//     whoever fetches a catalog must.
//   - A tenant can make the resolution of their own namespace fail.
//   - Texts quote catalogs and objects. No quoted text starts a line of its own in
//     an explanation, a warning or a fix; beyond that, whoever shows a text must
//     escape it, as examples/resolvent does.
//   - Memory is bounded per catalog and per call. The caller bounds the number of
//     catalogs and of concurrent calls.
//   - gini, the SAT solver, searches on a goroutine of its own, where nothing can
//     recover a panic. No fuzzing has found one.
package resolver
