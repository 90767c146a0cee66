// Package constraints reads what a bundle requires of others and decides whether a
// bundle satisfies it. It looks at one bundle at a time. Package cache has all
// bundles, and package resolver decides about whole selections.
//
// A [Parser] turns the property olm.constraint, and the older properties
// olm.package.required, olm.gvk.required and olm.label.required, into a tree of
// [Expr]. Every fault is a [ParseError] that names the place inside the value.
// A version range becomes a [versionrange.Range], a CEL rule a compiled [rules.Rule].
//
// [Match] evaluates an expression on one bundle. [Narrow] finds in an [Index] the
// bundles that can match. [Normalize] pushes negations down to the simple
// expressions, for formulas over a whole selection. [Key] identifies an expression.
//
// # Bounds
//
// Nobody has reviewed the constraints of a catalog, so [Limits] bound all of them: the
// size and the nesting of the JSON here, ranges and rules in package [rules]. Package
// cache bounds what a rule costs on a whole catalog.
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
