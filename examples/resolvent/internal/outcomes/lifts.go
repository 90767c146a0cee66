package outcomes

import (
	"github.com/resolvent/resolvent/examples/resolvent/internal/terminal"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/fixes"
	"github.com/resolvent/resolvent/resolver/result"
)

// Lifts returns what lifts the choices of an outcome that are below their heads.
type Lifts func(o *result.Outcome) ([]result.Lift, error)

// Of returns what lifts the choices of an outcome that has any: for Subscriptions there is a
// warning then.
func (lifts Lifts) Of(o *result.Outcome) []result.Lift {
	if o.Resolution == nil || !o.Scope.Alone() && len(o.Resolution.Warnings) == 0 {
		return nil
	}
	list, _ := lifts(o) // without time there are none
	return list
}

// liftJSON is a choice below its head. Request is missing for a dependency.
type liftJSON struct {
	Request *cluster.RequestKey `json:"request,omitempty"`
	Bundle  string              `json:"bundle"`
	Head    string              `json:"head"`
	Why     string              `json:"why"`
	HelpJSON
	Blocked []unliftedJSON `json:"blocked"`
}

// unliftedJSON is a change that does not lift a choice by itself.
type unliftedJSON struct {
	Text  string       `json:"text"`
	Steps []fixes.Step `json:"steps"`
	Gets  string       `json:"gets"`
	Why   string       `json:"why"`
	// With is what lifts the choice together with the change.
	With *changeJSON `json:"with,omitempty"`
}

func liftToJSON(l result.Lift) liftJSON {
	j := liftJSON{Bundle: l.Bundle, Head: l.Head, Why: l.Why.Message(), HelpJSON: HelpToJSON(&l.Help, nil)}
	if l.Request != (cluster.RequestKey{}) {
		j.Request = &l.Request
	}
	for i := range j.Changes {
		j.Changes[i].Number = 0 // no --fix has them
	}
	j.Blocked = terminal.Mapped(l.Blocked, func(b result.Blocked) unliftedJSON {
		of := unliftedJSON{Text: fixes.TextOf([]fixes.Change{b.Change}, l.Help.Home), Steps: b.Change.Steps, Gets: b.Gets, Why: b.Why}
		if b.With != nil {
			with := changeToJSON(*b.With, l.Help.Home)
			of.With = &with
		}
		return of
	})
	return j
}
