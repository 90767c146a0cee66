// Package resolver answers which bundles a Kubernetes cluster gets: for the
// Subscriptions of a namespace, as the Operator Lifecycle Manager v0 does, and
// for a ClusterExtension, as v1 does.
//
// # The way of the data
//
// A [Cluster] indexes what the caller knows of the cluster, a [cache.View] holds
// what catalogs offer. [Resolver.Resolve] reads both into a problem: candidates
// in their order of preference, and rules. Package solver finds the selection in
// which no earlier choice could have been better, or a minimal set of demands
// that cannot hold together; the first becomes a [Resolution], the second a
// [NotSatisfiable] that explains itself. Failures are typed, see [ResultOf]. The
// answer depends on nothing but the input: not on the order of files and
// objects, nor on what was resolved before or is resolved meanwhile.
//
// # The files
//
// In an order in which they can be read; a name stands for the files that start
// with it.
//
//   - The way in: resolver.go, options, all.
//   - Reading the cluster: cluster, selector, label, installed, replacements (which
//     ClusterServiceVersion replaces which), group_index and groups (OperatorGroups),
//     visibility, after (the cluster once an answer has been carried out).
//   - The problem: problem.go, universe and universes (what catalogs offer),
//     request (what may meet a Subscription), formula, group_table (at most one),
//     forbid, pins, ownership, api_versions; bounds, cut, detached, memo and verdicts
//     (what rules came to) keep it within limits.
//   - The search is that of package solver; partial drops requests from it.
//   - The answer: answer, met (which choices meet what), resolution, warnings,
//     unneeded.
//   - The failure, explained: errors, notsatisfiable, explain (a core becomes
//     reasons), derive (reasons become a tree), lack and fault (what is missing),
//     head, nearest and words (sentences), explanation, printer, graph, picture.
//   - Asking further: justify, why, whynot; reach (what an answer depends on, to
//     save it).
//   - Changes that would help: fixes, fix_changes, fix_delete, fix_inputs.
//   - OLM v1: extension. Several namespaces as one problem: model.go, whose parts
//     are problems, and joint. A sequence of updates: path.
//     For publishers of catalogs: installability.
//
// # Concurrency
//
//   - Immutable, and free to share: Cluster, Resolution, errors, cache.View,
//     catalog.Snapshot, and everything that is reached from them.
//   - Shared, with its own locks: [Resolver], cache.Cache, and the memory of a
//     snapshot. A Resolver remembers what it derives from snapshots; a snapshot
//     remembers what rules came to. Both are bounded, and hold no lock while they
//     compute or wait. A call that fails or is cut off leaves nothing behind.
//   - Owned by one call: everything else. A resolution runs on the goroutine of
//     its caller, except that rules are evaluated on several.
//
// A call is to end within 50 ms of its context, with an [*Incomplete] that says
// how far it got; tests cancel all calls at random moments, and count 50 ms of
// CPU time where the machine is busy with other things. What is inside a function
// of the caller's at that time, a [SystemConstraint] or a cache.Source, goes on by
// itself until the function returns: [Abandoned] and cache.Abandoned count it. A
// panic in such a function is that function's failure, and nobody else's.
//
// # Threats
//
// The library is meant to run with the rights of a cluster administrator. It opens
// no file and no connection: it reads the [io/fs.FS], the cache.Source and the
// io.Reader that it is given, and writes nowhere. CEL rules can call nothing but
// the functions of their language and those of package constraints.
//
// Who controls what:
//
//   - The publishers of catalogs control names, channels, edges, versions,
//     properties, constraints and rules. They are strangers, and may be
//     malicious.
//   - The tenants of the cluster control the Subscriptions and the
//     ClusterServiceVersions of their namespaces, annotations included.
//   - The caller controls [Options], priorities, labels, and what is trusted to be
//     a catalog at all.
//
// What a publisher can reach: one bundle is quarantined for its own faults, a
// channel or a package for theirs, a file for what it mentions. A bundle speaks
// only for itself; nothing that one says changes what another states. A catalog
// of one megabyte costs less than a gigabyte of memory and a minute, to read and
// in one resolution. The limits see to that; each has a default, and what passes
// one is a fault with its place or an [*InvalidInput]:
//
//   - catalog.Limits: the size of files and documents, and their number; nesting;
//     what YAML aliases expand to; nodes; properties, constraints, entries; what
//     evaluating one rule on all bundles costs.
//   - constraints.Limits: the size and nesting of one constraint; the length of
//     ranges and rules; the calls, nodes, recursion and regular expressions of a
//     rule, against compilers that take more than linear time; the cost of one
//     evaluation.
//   - Options.MaxCandidates, MaxLiterals and MaxRuleCost: what one resolution
//     reaches, the memory of its clauses, and the rules that it evaluates.
//   - manifest.Limits: the size, number and nesting of manifests, and what their
//     aliases expand to.
//   - Options.PathBudget: the resolutions that the search for a path makes. Fixes
//     are looked for in 40 of them at most.
//   - The deadline of the context: the time that a search takes. Satisfiability is
//     hard, and a publisher can state a small problem that takes for ever; a
//     caller should always give a deadline.
//   - cache.CacheOptions.MaxStale and cache.Schedule: for how long an old catalog
//     may be resolved from, and how long a source may take.
//
// What happens at the limits, each with its default:
//
//	catalog.Limits      default   what passes it
//	FileBytes           512 MiB   the file is left out, and a package that it mentions says so
//	DocumentBytes       64 MiB    the document: a bundle, or what a YAML file mentions
//	Expansion           16 times  the document
//	Nodes               10^6      the document
//	Documents           10^6      the file
//	Depth               200       the bundle
//	Properties          10,000    the bundle
//	BundleConstraints   1,000     the bundle
//	Entries             100,000   the channel
//	EvaluationCost      5*10^7    the rule fails on the bundles that are left
//
//	constraints.Limits
//	Size                64 KiB    the bundle, as for all but the last two, with a *LimitError
//	Depth               32
//	RangeLength         4 KiB
//	RuleLength          10 KiB
//	RuleRecursion       250
//	RuleNodes           10,000
//	RuleCalls           300
//	RuleCost            10^6      the rule fails on the bundle that it is evaluated on
//	RegexSize           1,000     the same
//
//	Options
//	MaxCandidates       10^6      the call, with an *InvalidInput and a *TooLarge in it, as
//	MaxLiterals         2^23      for the next two
//	MaxRuleCost         5*10^7
//	PathBudget          2,000     the call, with an *Incomplete
//
//	manifest.Limits
//	Bytes               256 MiB   the call, with a *manifest.Error, as for the rest
//	Documents           100,000
//	Depth               1,000
//	AliasBytes          4 MiB
//
// What is not protected: a publisher may offer a bundle that is harmful, claim to
// provide an API, or name a package as another one does; which catalogs are
// trusted, and in which order, is the caller's to say, and a SystemConstraint can
// refuse. Contents are not verified: signatures and digests are the concern of
// whoever fetches a catalog. A tenant can make a resolution of their own namespace
// fail. Texts of faults and explanations quote what catalogs and objects say. No name
// or message begins a line of its own in an explanation, a warning or a fix;
// otherwise whoever shows a text has to escape it, as examples/resolvent does. Memory
// is bounded per catalog and per call; how many catalogs there are, and how many calls
// run at a time, is the caller's to bound. The SAT solver underneath searches on a
// goroutine of its own, where nothing can recover a panic; no fuzzing has found one.
package resolver
