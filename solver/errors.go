package solver

import (
	"fmt"
	"strings"
)

// Kind is the kind of a Reason.
type Kind uint8

const (
	// KindGiven demands that Reason.Var is selected, because Problem.Given lists it.
	KindGiven Kind = iota + 1
	// KindRoot is the root with index Reason.Rule.
	KindRoot
	// KindRule is the rule with index Reason.Rule of Reason.Var.
	KindRule
	// KindGroup allows at most one member of Reason.Group.
	KindGroup
	// KindSelect demands that Reason.Var is selected, because of Assume.Select.
	KindSelect
	// KindHold is the formula of Assume.Hold with index Reason.Rule.
	KindHold
)

// String returns the kind as a word.
func (k Kind) String() string {
	words := [...]string{KindGiven: "given", KindRoot: "root", KindRule: "rule", KindGroup: "group", KindSelect: "select", KindHold: "hold"}
	if int(k) < len(words) && words[k] != "" {
		return words[k]
	}
	return fmt.Sprintf("unknown kind %d", uint8(k))
}

// Reason is one demand of a contradiction. It is comparable. Fields that its Kind
// does not use are None, -1 and 0.
type Reason struct {
	Kind  Kind
	Var   Var
	Rule  int
	Group Group
}

// String describes the reason with the caller's handles. A caller keeps its own names by
// Reason.
func (r Reason) String() string {
	switch r.Kind {
	case KindGiven:
		return fmt.Sprintf("variable %d is given", r.Var)
	case KindRoot:
		return ruleText(None, r.Rule)
	case KindRule:
		return ruleText(r.Var, r.Rule)
	case KindGroup:
		return fmt.Sprintf("at most one of group %d", r.Group)
	case KindSelect:
		return fmt.Sprintf("variable %d is to be selected", r.Var)
	case KindHold:
		return fmt.Sprintf("formula %d is to hold", r.Rule)
	}
	return "reason of " + r.Kind.String()
}

// ruleText describes a rule of owner, or a root if owner is None.
func ruleText(owner Var, rule int) string {
	if owner == None {
		return fmt.Sprintf("root %d", rule)
	}
	return fmt.Sprintf("rule %d of variable %d", rule, owner)
}

// Unsatisfiable means that no selection satisfies all demands of a problem.
type Unsatisfiable struct {
	// Core is a set of contradictory demands. It is minimal: without any one of them, the
	// others can be satisfied together. Its order is that of the problem: given variables,
	// roots, rules in the order in which their owners are reached, groups, and the
	// assumptions of a Session.
	Core []Reason
}

// Error lists the core.
func (e *Unsatisfiable) Error() string {
	texts := make([]string, len(e.Core))
	for i, r := range e.Core {
		texts[i] = r.String()
	}
	return "unsatisfiable: these cannot hold together: " + strings.Join(texts, "; ")
}

// Incomplete means that the context ended, or a limit was exceeded, before there was
// an answer.
type Incomplete struct {
	// Phase is the phase that did not end, in words.
	Phase string
	// Err is the error of the context, or a *ConflictLimit.
	Err error
}

// ConflictLimit means that the SAT solver met more conflicts than
// Options.MaxConflicts.
type ConflictLimit struct{ Limit int }

// Error names the limit.
func (e *ConflictLimit) Error() string {
	return fmt.Sprintf("more than %d conflicts", e.Limit)
}

// The phases of a solve, for people.
const (
	phaseSearch   = "searching"
	phaseEncode   = "writing down what has to hold"
	phaseMinimise = "looking for the least reasons of a failure"
)

// Error names the phase that did not end, and why.
func (e *Incomplete) Error() string {
	return fmt.Sprintf("solving ended early (%s): %v", e.Phase, e.Err)
}

// Unwrap returns the error of the context, or the *ConflictLimit.
func (e *Incomplete) Unwrap() error { return e.Err }

// Invalid means that a problem breaks the contract of [Problem].
type Invalid struct {
	// Owner is the variable whose rules are at fault, None if the fault is elsewhere.
	Owner Var
	// Rule is the index of the faulty rule, or of the faulty root if Owner is
	// None; -1 if the fault is elsewhere.
	Rule int
	// Problem is the fault.
	Problem string
}

// Error names the place and the fault.
func (e *Invalid) Error() string {
	place := ""
	switch {
	case e.Rule >= 0:
		place = ruleText(e.Owner, e.Rule) + ": "
	case e.Owner != None:
		place = fmt.Sprintf("variable %d: ", e.Owner)
	}
	return "invalid problem: " + place + e.Problem
}

// TooLarge means that a problem exceeds a limit of [Options].
type TooLarge struct {
	// What is the kind of what was counted: "variables" or "literals".
	What string
	// Limit is the number that was exceeded.
	Limit int
}

// Error names the limit.
func (e *TooLarge) Error() string {
	return fmt.Sprintf("problem too large: more than %d %s", e.Limit, e.What)
}

// Internal means that the solver or a method of the Problem failed in a way that no input
// should cause.
type Internal struct {
	// Value is the recovered value of a panic, or a description.
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
