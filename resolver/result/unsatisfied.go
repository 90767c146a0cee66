package result

import (
	"fmt"
	"strings"

	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/fixes"
	"github.com/resolvent/resolvent/resolver/internal/words"
)

// NotSatisfiable means that the requests of a namespace, or a
// ClusterExtension, cannot be satisfied.
type NotSatisfiable struct {
	// Scopes are what was resolved: one, or several namespaces jointly.
	Scopes []cluster.Scope
	// Constraints is a minimal set that cannot hold together: leave any one out
	// and the rest can.
	Constraints []Reason
	// Explanation is the derivation for people.
	Explanation *Explanation
	// Fixes are changes of the input that were solved again and work, the safest
	// first; none if the search for them was canceled.
	Fixes []fixes.Fix
	// Search is how the search for fixes ended, empty if there was none.
	Search fixes.SearchEnd
	// Blocking are the requests that would have to be left out for the others
	// to proceed, and Proceeding those others, as policy.Options.Partial does.
	// Both are empty if not even leaving requests out helps.
	Blocking   []cluster.RequestKey
	Proceeding []cluster.RequestKey
}

// Error is the head of the explanation as one line of at most MaxExplanation
// bytes.
func (e *NotSatisfiable) Error() string {
	if e.Explanation != nil {
		return words.Clip(words.OneLine(e.Explanation.Text()), MaxExplanation)
	}
	messages := mapped(e.Constraints, func(r Reason) string { return r.Message() })
	return words.Clip(strings.Join(messages, "; "), MaxExplanation)
}

// Home is the namespace that was resolved, which texts need not name; empty if there are
// several.
func (e *NotSatisfiable) Home() string {
	if len(e.Scopes) != 1 {
		return ""
	}
	return e.Scopes[0].Namespace()
}

// Summary is Error shortened to at most MaxSummary bytes.
func (e *NotSatisfiable) Summary() string { return words.Clip(e.Error(), MaxSummary) }

// ProceedText says how many requests wait, and without which of them the others could
// proceed; it is empty if none could.
func (e *NotSatisfiable) ProceedText() string {
	if len(e.Blocking) == 0 || len(e.Proceeding) == 0 {
		return ""
	}
	named := func(list []cluster.RequestKey) string {
		return words.Listed(mapped(list, func(k cluster.RequestKey) string { return k.Name + words.InOther(k.Namespace, e.Home()) }), words.MaxNamed)
	}
	others := "the other"
	if n := len(e.Proceeding); n > 1 {
		others = fmt.Sprintf("the other %d", n)
	}
	return words.Unbroken(fmt.Sprintf("%d Subscriptions wait until this is solved. Without Subscription%s %s, %s can proceed: %s.",
		len(e.Blocking)+len(e.Proceeding), words.Plural(len(e.Blocking)), named(e.Blocking), others, named(e.Proceeding)))
}
