package constraints

import (
	"fmt"
	"iter"

	"github.com/resolvent/resolvent/constraints/rules"
	"github.com/resolvent/resolvent/properties"
)

// Expr is what a bundle requires. It is one of [GVK], [Package], [Label], [CEL],
// [All], [Any] and [Not].
type Expr interface {
	// String returns the requirement as a noun phrase: "an operator providing
	// EtcdCluster (etcd.database.coreos.com/v1beta2)".
	fmt.Stringer
	// FailureMessage returns the text for users that the author of the bundle states
	// for this part, empty if there is none.
	FailureMessage() string

	// name returns the key of the kind in olm.constraint. [Key] begins with it.
	name() string
	// read reads the value of that key, or of the older property of the kind.
	read(r *reader, form form) (Expr, error)
	// withMessage returns the expression with a failure message.
	withMessage(message string) Expr
	// content returns all that the expression states, except its message: fields in the
	// order in which they are written, or parts.
	content() (fields []field, parts []Expr)
	// negation returns the opposite of String.
	negation() string
	match(m matcher) (rules.Verdict, error)
	// normalize returns the normal form of a compound expression, or of its opposite. It
	// returns nil for a simple expression.
	normalize(negated bool) Expr
	// lookup returns the list of an index that has all bundles that match.
	lookup() lookup
	// reads reports whether the expression holds a CEL rule, and whether one of its rules
	// names the variable cluster.
	reads() (rule, cluster bool)
}

// kinds are all kinds, in the order in which messages list their keys.
var kinds = []kind{
	{GVK{}, true, properties.TypeGVKRequired},
	{Package{}, true, properties.TypePackageRequired},
	{CEL{}, true, ""},
	{All{}, true, ""},
	{Any{}, true, ""},
	{Not{}, true, ""},
	{Label{}, false, properties.TypeLabelRequired},
}

// kind says where bundles state a kind of constraint.
type kind struct {
	zero Expr
	// generic: olm.constraint has a key for it.
	generic bool
	// property is the type of the older property that states it, empty if there is none.
	property string
}

// kindOf returns the kind with that name, or with that property. The other argument is
// empty.
func kindOf(name, property string) (kind, bool) {
	for _, k := range kinds {
		if name != "" && k.zero.name() == name || property != "" && k.property == property {
			return k, true
		}
	}
	return kind{}, false
}

// field is one text that a constraint states.
type field struct{ key, text string }

// Constraint is an expression and the property that states it.
type Constraint struct {
	// Index is the position of the property in the bundle's list, counted from 0.
	Index int
	Type  string
	Expr  Expr
}

// Parts walks an expression and its parts, outer ones first, with the place of each in
// the value of olm.constraint: "any", "any.constraints[1].package".
func Parts(e Expr) iter.Seq2[string, Expr] {
	return func(yield func(string, Expr) bool) { walk("", e, yield) }
}

func walk(prefix string, e Expr, yield func(string, Expr) bool) bool {
	if e == nil {
		return true
	}
	place := prefix + e.name()
	if !yield(place, e) {
		return false
	}
	_, parts := e.content()
	for i, part := range parts {
		if !walk(fmt.Sprintf("%s.constraints[%d].", place, i), part, yield) {
			return false
		}
	}
	return true
}

// Reads reports whether expressions hold a rule, and whether one of their rules reads [rules.Facts].
func Reads(exprs ...Expr) (rule, cluster bool) {
	for _, e := range exprs {
		if e != nil {
			r, c := e.reads()
			rule, cluster = rule || r, cluster || c
		}
	}
	return rule, cluster
}
