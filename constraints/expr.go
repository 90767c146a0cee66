package constraints

import (
	"fmt"
	"iter"

	"github.com/resolvent/resolvent/properties"
)

// Expr is what a bundle requires: one of [GVK], [Package], [Label], [CEL],
// [All], [Any] and [Not]. The set is closed.
type Expr interface {
	// String says in words what is required, as a noun phrase: "an operator
	// providing EtcdCluster (etcd.database.coreos.com/v1beta2)".
	fmt.Stringer
	// FailureMessage returns what the author of the bundle wants users to read
	// when this part is not satisfied, empty if nothing was stated.
	FailureMessage() string

	// name is the key of the kind in olm.constraint, and begins its [Key].
	name() string
	// read reads the value of the kind's key, or of its older property.
	read(r *reader, form form) (Expr, error)
	// withMessage returns the expression with a failure message.
	withMessage(message string) Expr
	// content is all that the expression states, its message aside: fields in the
	// order in which they are written, or parts.
	content() (fields []field, parts []Expr)
	// negation says in words that the expression does not hold.
	negation() string
	match(m matcher) (Verdict, error)
	// normalize returns a compound expression, or its opposite; nil for a simple
	// expression, which stays as it is.
	normalize(negated bool) Formula
	// lookup says which bundles an index knows to match.
	lookup() lookup
	// reads reports whether a CEL rule is in the expression, and whether one
	// names the variable cluster.
	reads() (rule, cluster bool)
}

// kinds is in the order in which messages name the keys.
var kinds = []kind{
	{GVK{}, true, properties.TypeGVKRequired},
	{Package{}, true, properties.TypePackageRequired},
	{CEL{}, true, ""},
	{All{}, true, ""},
	{Any{}, true, ""},
	{Not{}, true, ""},
	{Label{}, false, properties.TypeLabelRequired},
}

// kind says where a kind of constraint is stated.
type kind struct {
	zero Expr
	// generic is whether olm.constraint has a key for it.
	generic bool
	// property is the older type of property that states it, empty if none does.
	property string
}

// kindOf returns the kind of that name, or of that property, the other being empty.
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

// Constraint is an expression and the property that it was read from.
type Constraint struct {
	// Index is the position of the property in the bundle's list, counted from 0.
	Index int
	Type  string
	Expr  Expr
}

// Parts walks an expression from the outside in, with the place of each part in
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

// Reads reports whether expressions hold a rule, and whether one of their rules reads [Facts].
func Reads(exprs ...Expr) (rule, cluster bool) {
	for _, e := range exprs {
		if e != nil {
			r, c := e.reads()
			rule, cluster = rule || r, cluster || c
		}
	}
	return rule, cluster
}
