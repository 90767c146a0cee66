package constraints

import (
	"fmt"

	"github.com/resolvent/resolvent/properties"
)

// Expr is what a bundle asks: one of [GVK], [Package], [Label], [CEL], [All],
// [Any] and [Not]. The set is closed, so a type switch over these is complete.
type Expr interface {
	// String says in words what is asked, as a noun phrase: "an operator
	// providing EtcdCluster (etcd.database.coreos.com/v1beta2)".
	fmt.Stringer
	// FailureMessage returns what the author of the bundle wants users to read
	// when this part cannot be met, empty if nothing was stated.
	FailureMessage() string

	sealed()
}

// GVK asks for a provider of an API.
type GVK struct {
	properties.GVK
	Message string
}

// Package asks for a bundle of a package, in a range of versions.
type Package struct {
	Name    string
	Range   Range
	Message string
}

// Label asks for a bundle with a label.
type Label struct {
	Label   string
	Message string
}

// CEL asks for a bundle on whose properties a rule is true.
type CEL struct {
	Rule    *Rule
	Message string
}

// All holds when each of Exprs holds.
type All struct {
	Exprs   []Expr
	Message string
}

// Any holds when one of Exprs holds, or several do.
type Any struct {
	Exprs   []Expr
	Message string
}

// Not holds when none of Exprs holds.
type Not struct {
	Exprs   []Expr
	Message string
}

func (e GVK) FailureMessage() string     { return e.Message }
func (e Package) FailureMessage() string { return e.Message }
func (e Label) FailureMessage() string   { return e.Message }
func (e CEL) FailureMessage() string     { return e.Message }
func (e All) FailureMessage() string     { return e.Message }
func (e Any) FailureMessage() string     { return e.Message }
func (e Not) FailureMessage() string     { return e.Message }

func (GVK) sealed()     {}
func (Package) sealed() {}
func (Label) sealed()   {}
func (CEL) sealed()     {}
func (All) sealed()     {}
func (Any) sealed()     {}
func (Not) sealed()     {}

// Constraint is an expression and the property that it was read from.
type Constraint struct {
	// Index is the position of the property in the bundle's list, counted from 0.
	Index int
	// Type is the type of the property.
	Type string
	Expr Expr
}
