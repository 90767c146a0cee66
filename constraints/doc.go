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
// Constraints come from catalogs that nobody has reviewed, so everything here
// is bounded: the size and the nesting of the JSON, the length of ranges and
// rules, and the time and memory that evaluating a rule may take. See [Limits].
//
// All values of this package are immutable once made and safe for any number
// of goroutines.
package constraints
