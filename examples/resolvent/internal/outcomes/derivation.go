package outcomes

import (
	"github.com/resolvent/resolvent/examples/resolvent/internal/terminal"
	"github.com/resolvent/resolvent/resolver/result"
)

type explanationsJSON struct {
	Answers terminal.List[answerWith] `json:"answers"`
}

type answerWith = terminal.With[bundleAnswerJSON, *terminal.With[result.Help, helpJSON]]

type bundleAnswerJSON struct {
	// With an Error, Explanation and Derivation are of the answer without the requests that fail.
	Namespace   string              `json:"namespace,omitempty"`
	Name        string              `json:"name,omitempty"` // of a ClusterExtension
	Explanation string              `json:"explanation,omitempty"`
	Derivation  *result.Explanation `json:"derivation,omitempty"`
	Error       *errorWith          `json:"error,omitempty"`
}

func (n numbering) answer(a BundleAnswer) answerWith {
	j := answerWith{Of: bundleAnswerJSON{Namespace: a.Scope.Namespace(), Name: a.Scope.Extension(), Error: n.error(a.Err)}}
	if a.Own != nil {
		j.Of.Explanation, j.Of.Derivation = a.Own.String(), a.Own
	}
	if a.Err == nil {
		j.Of.Explanation, j.Of.Derivation = a.Why.String(), a.Why
		j.More = &terminal.With[result.Help, helpJSON]{Of: a.Help, More: n.json(&a.Help, nil)}
	}
	return j
}
