// Package constraints reads what a bundle asks of the others and decides
// whether a bundle meets it.
//
// A [Parser] turns the property olm.constraint, and the older properties
// olm.package.required, olm.gvk.required and olm.label.required, into a tree of
// [Expr]. Every fault is a [ParseError] that names the place inside the value.
// Version ranges become a [Range], CEL rules a compiled [Rule].
//
// [Match] evaluates an expression on one bundle. For formulas over a whole
// selection, [Normalize] pushes negations down to the leaves. [Key] is the
// identity of an expression, [Marshal] writes it back as a property.
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
// is bounded: the size and the nesting of the JSON, the length of ranges and
// rules, and the time and memory that evaluating a rule may take. See [Limits].
//
// Expressions, ranges and rules are immutable. They and the Parser are safe for
// any number of goroutines.
package constraints
