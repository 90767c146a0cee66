// Package constraints reads what a bundle requires of others and decides whether a
// bundle satisfies it. It looks at one bundle at a time. Package cache has all
// bundles, and package resolver decides about whole selections.
//
// A [Parser] turns the property olm.constraint, and the older properties
// olm.package.required, olm.gvk.required and olm.label.required, into a tree of
// [Expr]. Every fault is a [ParseError] that names the place inside the value.
// A version range becomes a [versionrange.Range], a CEL rule a compiled [Rule].
//
// [Match] evaluates an expression on one bundle. [Narrow] finds in an [Index] the
// bundles that can match. [Normalize] pushes negations down to the simple
// expressions, for formulas over a whole selection. [Key] identifies an expression.
//
// # Rules
//
// A CEL rule is of type bool. It has the standard library and
//
//	properties  list of maps with the keys type and value (decoded JSON)
//	cluster     map with the key labels, and with the keys kubernetesVersion,
//	            openshiftVersion and namespace where these are known
//	semver_compare(a, b)             -1, 0 or 1
//	semver_in_range(version, range)  whether the range contains the version
//	semver_major(version), semver_minor(version)
//
// These functions read versions tolerantly: "v1.2" and the number 1.2 mean 1.2.0.
// Any other text makes the rule fail on that bundle.
//
// # Bounds
//
// Nobody has reviewed the constraints of a catalog, so [Limits] bound all of them:
//
//   - the size and the nesting of the JSON, and the length of ranges (parse.go);
//   - the size of a rule when it is compiled (rule_compile.go);
//   - how much of a bundle a rule may read (match.go);
//   - the time and the memory of one evaluation. Every call and every round of a loop
//     pays before it runs (rule_meter.go), by the size of its operands (rule_price.go).
//
// Package cache bounds what a rule costs on a whole catalog.
//
// # A new kind of constraint
//
//   - Write a file with the type and the methods of [Expr]; label.go is an example.
//   - Add one line to kinds in expr.go. It makes the kind a key of olm.constraint, a
//     property of its own, or both. Add the type of a new property to
//     properties.required.
//   - Add samples to kinds_test.go, which fails without them. It checks that reading,
//     keys, words, matching, negation, rules and lookup agree.
//   - Package resolver says of a constraint without matches that nothing matches. Add
//     words there if the kind needs its own.
//
// Expressions, ranges and rules are immutable. They and the Parser are safe for any
// number of goroutines.
package constraints
