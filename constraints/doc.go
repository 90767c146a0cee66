// Package constraints reads what a bundle requires of others and decides whether
// a bundle satisfies it. It knows one bundle at a time: package resolver decides
// what that means for a whole selection, package cache which bundles there are.
//
// A [Parser] turns the property olm.constraint, and the older properties
// olm.package.required, olm.gvk.required and olm.label.required, into a tree of
// [Expr]. Every fault is a [ParseError] that names the place inside the value.
// Version ranges become a [versionrange.Range], CEL rules a compiled [Rule].
//
// [Match] evaluates an expression on one bundle, [Narrow] finds in an [Index]
// those that can match. For formulas over a whole selection, [Normalize] pushes
// negations down to the leaves. [Key] is the identity of an expression.
//
// # Rules
//
// A CEL rule is of type bool. Besides the standard library it has
//
//	properties  list of maps with the keys type and value (decoded JSON)
//	cluster     map with the keys kubernetesVersion, openshiftVersion and
//	            namespace, each only if known, and labels, always
//	semver_compare(a, b)             -1, 0 or 1
//	semver_in_range(version, range)  whether the range contains the version
//	semver_major(version), semver_minor(version)
//
// These functions read versions tolerantly: "v1.2" and the number 1.2 are
// 1.2.0. A text that is no version makes the rule fail on that bundle.
//
// # Bounds
//
// Constraints come from catalogs that nobody has reviewed, so everything here
// is bounded by [Limits]: the size and the nesting of the JSON and the length of
// ranges (parse.go), the size of a rule when it is compiled (rule_compile.go), how
// much of a bundle a rule may read (match.go), and the time and memory that one
// evaluation may take: every call and every round of a loop pays for its work
// before it is done (rule_meter.go), by the size of its operands (rule_price.go).
// What a rule costs on a whole catalog is bounded in package cache.
//
// # A new kind of constraint
//
//   - Write a file with the type and the methods of [Expr]; label.go is an example.
//   - Add one line to kinds in expr.go, which makes it a key of olm.constraint, a
//     property of its own, or both. If it is a new property, add its type to
//     properties.isConstraint.
//   - Add samples to kinds_test.go. The test fails without them; with them it
//     checks that everything agrees: reading, keys, words, matching,
//     negation, rules and lookup.
//   - If a constraint that nothing satisfies has a reason of its own, add its
//     words to package resolver, which otherwise says that nothing matches.
//
// Expressions, ranges and rules are immutable. They and the Parser are safe for
// any number of goroutines.
package constraints
