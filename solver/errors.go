package solver

import (
	"fmt"
	"strconv"
	"strings"
)

// Kind says what a Reason stands for.
type Kind uint8

const (
	// KindGiven is the demand that Reason.Var is selected, made by Problem.Given.
	KindGiven Kind = iota + 1
	// KindRoot is the root with index Reason.Rule.
	KindRoot
	// KindRule is the rule with index Reason.Rule of Reason.Var.
	KindRule
	// KindGroup is the limit on the members of Reason.Group.
	KindGroup
	// KindSelect is the demand of Assume.Select that Reason.Var is selected.
	KindSelect
	// KindAvoid is the demand of Assume.Avoid that Reason.Var is not selected.
	KindAvoid
	// KindHold is the formula of Assume.Hold with index Reason.Rule.
	KindHold
)

// Reason is one demand that takes part in a contradiction. Fields that its
// Kind does not mention are None, -1 and 0. It is comparable.
type Reason struct {
	Kind  Kind
	Var   Var
	Rule  int
	Group Group
}

// String describes the reason by the caller's handles.
func (r Reason) String() string {
	switch r.Kind {
	case KindGiven:
		return fmt.Sprintf("variable %d is given", r.Var)
	case KindRoot:
		return fmt.Sprintf("root %d", r.Rule)
	case KindRule:
		return fmt.Sprintf("rule %d of variable %d", r.Rule, r.Var)
	case KindGroup:
		return fmt.Sprintf("at most one of group %d", r.Group)
	case KindSelect:
		return fmt.Sprintf("variable %d is to be selected", r.Var)
	case KindAvoid:
		return fmt.Sprintf("variable %d is not to be selected", r.Var)
	case KindHold:
		return fmt.Sprintf("formula %d is to hold", r.Rule)
	}
	return "reason of unknown kind " + strconv.Itoa(int(r.Kind))
}

// Unsatisfiable says that no selection meets all demands of a problem.
type Unsatisfiable struct {
	// Core are demands that cannot be met together. It is minimal: without any
	// one of them the others can. The order is that of the problem: what was
	// given, roots, rules by the order in which their owners are reached, then
	// groups, then what a Session was asked to assume.
	Core []Reason
}

// Error lists the core.
func (e *Unsatisfiable) Error() string {
	var b strings.Builder
	b.WriteString("unsatisfiable: these cannot hold together: ")
	for i, r := range e.Core {
		if i > 0 {
			b.WriteString("; ")
		}
		b.WriteString(r.String())
	}
	return b.String()
}

// Incomplete says that the context ended before there was an answer.
type Incomplete struct {
	// Phase is what was being done.
	Phase Phase
	// Err is the error of the context.
	Err error
}

// Phase is a stage of a solve.
type Phase string

// The stages of a solve.
const (
	PhaseSearch   Phase = "search"
	PhaseEncode   Phase = "encode"
	PhaseMinimise Phase = "minimise"
)

// Error says when the solve was cut off, and by what.
func (e *Incomplete) Error() string {
	return fmt.Sprintf("solving was cut off (%s): %v", e.Phase, e.Err)
}

// Unwrap returns the error of the context.
func (e *Incomplete) Unwrap() error { return e.Err }

// Invalid says that a problem breaks the rules of its interface.
type Invalid struct {
	// Owner is the variable whose rules are at fault, None if it is not one.
	Owner Var
	// Rule is the index of the faulty rule, or of the faulty root if Owner is
	// None; -1 if the fault is elsewhere.
	Rule int
	// Problem says what is wrong.
	Problem string
}

// Error says what is wrong, and where.
func (e *Invalid) Error() string {
	switch {
	case e.Owner != None && e.Rule >= 0:
		return fmt.Sprintf("invalid problem: rule %d of variable %d: %s", e.Rule, e.Owner, e.Problem)
	case e.Owner != None:
		return fmt.Sprintf("invalid problem: variable %d: %s", e.Owner, e.Problem)
	case e.Rule >= 0:
		return fmt.Sprintf("invalid problem: root %d: %s", e.Rule, e.Problem)
	}
	return "invalid problem: " + e.Problem
}

// TooLarge says that a problem exceeds a limit of Options.
type TooLarge struct {
	// What is counted: "variables" or "literals".
	What string
	// Limit is the number that was exceeded.
	Limit int
}

// Error names the limit.
func (e *TooLarge) Error() string {
	return fmt.Sprintf("problem too large: more than %d %s", e.Limit, e.What)
}

// Internal says that the solver, or a method of the Problem, failed in a way
// that no input should cause.
type Internal struct {
	// Value is what was recovered from a panic, or a description.
	Value any
	// Stack is the stack of the panic, if there was one.
	Stack []byte
}

// Error describes the failure without the stack.
func (e *Internal) Error() string {
	return fmt.Sprintf("internal error of the solver: %v", e.Value)
}

// Unwrap returns the value of the panic if it was an error.
func (e *Internal) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}
