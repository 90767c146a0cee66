package result

import (
	"errors"
	"fmt"
	"slices"
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
	// Causes are all causes, at most three of one request and 100 together, by request.
	// Constraints and Explanation are those of the first. MoreCauses are not derived.
	Causes     []Cause
	MoreCauses int
	// CutOff is what ended the search for further causes early.
	CutOff error
	// Help is what would help: for each group of causes, before them a fix that joins the
	// first of all.
	fixes.Help
	// Uncovered say what a change of Fixes is for where none of Causes does: what fails with
	// the other changes of the fix alone.
	Uncovered []Cause
	// Blocking are the requests that would have to be left out for the others
	// to proceed, and Proceeding those others, as policy.Options.Partial does.
	// Both are empty if not even leaving requests out helps.
	Blocking   []cluster.RequestKey
	Proceeding []cluster.RequestKey
}

// Cause is a minimal set of demands that keeps requests out.
type Cause struct {
	// Group is from 1. Causes that share a request or an installed bundle have one.
	Group int `json:"group"`
	// Requests are those that it keeps out, each by a set that is equal but for itself.
	// There are none where installed bundles contradict each other.
	Requests []cluster.RequestKey `json:"requests"`
	// After are changes with which this is a cause; none: it is one as things are.
	After []fixes.Change `json:"after,omitempty"`
	// Constraints are the set for the first of Requests, and Explanation is its derivation.
	Constraints []Reason     `json:"constraints"`
	Explanation *Explanation `json:"-"`
}

// Error is the head of the explanation as one line of at most MaxExplanation
// bytes.
func (e *NotSatisfiable) Error() string {
	if e.Explanation != nil {
		return (&Cause{Explanation: e.Explanation}).Message()
	}
	messages := words.Mapped(e.Constraints, func(r Reason) string { return r.Message() })
	return words.Clip(strings.Join(messages, "; "), MaxExplanation)
}

// Limits of Texts: further causes, heads of uncovered ones, and lines of the first cause
// and of a further one.
const maxFurther, maxUncovered, maxLines, maxFurtherLines = 20, 3, 20, 8

// Texts are the derivations of the causes, shortened, and how many more there are. Those of
// a request that end in what an earlier one states are left out.
func (e *NotSatisfiable) Texts() (texts []string) {
	if len(e.Causes) == 0 {
		return []string{e.Error()}
	}
	stated, most, more := map[string]bool{}, maxLines, e.MoreCauses
	for i := range e.Causes {
		switch c := &e.Causes[i]; {
		case !c.hasNews(stated):
		case len(texts) > maxFurther:
			more++
		default:
			lines := strings.Split(strings.TrimSpace(c.Explanation.String()), "\n")
			if n := len(lines) - most; n > 0 {
				lines = append(lines[:most-1], fmt.Sprintf("  ... and %d more lines", n+1))
			}
			texts, most = append(texts, strings.Join(lines, "\n")), maxFurtherLines
		}
	}
	for _, c := range e.Uncovered[:min(maxUncovered, len(e.Uncovered))] {
		texts = append(texts, "Once you "+fixes.TextOf(c.After, e.Home)+":\n"+c.Explanation.Text())
	}
	if more > 0 {
		texts = append(texts, "and "+words.Count(more, "further cause"))
	}
	if e.CutOff != nil {
		texts = append(texts, fmt.Sprintf("The search for further causes was cut off: %v.", e.CutOff))
	}
	return texts
}

// hasNews notes what ends the cause, and reports whether any of it was not stated before.
func (c *Cause) hasNews(stated map[string]bool) bool {
	ends := c.Explanation.ends()
	news := len(ends) == 0
	for _, end := range ends {
		text := fmt.Sprint(c.Requests, end.text())
		news = news || !stated[text]
		stated[text] = true
	}
	return news
}

// Messages are what each cause of a failure says; of another error its text.
func Messages(err error) []string {
	var list []string
	if e, ok := errors.AsType[*NotSatisfiable](err); ok {
		for i := range e.Causes {
			list = append(list, e.Causes[i].Message())
		}
	}
	if len(list) == 0 {
		list = []string{err.Error()}
	}
	return words.Distinct(list)
}

// Message is the head of the explanation as one line of at most MaxExplanation bytes.
func (c *Cause) Message() string {
	return words.Clip(words.OneLine(c.Explanation.Text()), MaxExplanation)
}

// FixesOf returns those of the groups that keep a request out, all where it only waits for
// others.
func (e *NotSatisfiable) FixesOf(k cluster.RequestKey) []fixes.Fix {
	own := map[int]bool{}
	for _, c := range e.Causes {
		own[c.Group] = own[c.Group] || slices.Contains(c.Requests, k)
	}
	list := slices.DeleteFunc(slices.Clone(e.Fixes), func(f fixes.Fix) bool { return !own[f.Group] })
	if len(list) == 0 {
		return e.Fixes
	}
	return list
}

// Summary is Error shortened to at most 200 bytes.
func (e *NotSatisfiable) Summary() string { return words.Clip(e.Error(), maxSummary) }

// ProceedText says how many requests wait, and without which of them the others could
// proceed; it is empty if none could.
func (e *NotSatisfiable) ProceedText() string {
	if len(e.Blocking) == 0 || len(e.Proceeding) == 0 {
		return ""
	}
	named := func(list []cluster.RequestKey) string {
		return words.Listed(words.Mapped(list, func(k cluster.RequestKey) string { return k.Name + words.InOther(k.Namespace, e.Home) }), words.MaxNamed)
	}
	others := "the other"
	if n := len(e.Proceeding); n > 1 {
		others = fmt.Sprintf("the other %d", n)
	}
	return words.Unbroken(fmt.Sprintf("%d Subscriptions wait until this is solved. Without Subscription%s %s, %s can proceed: %s.",
		len(e.Blocking)+len(e.Proceeding), words.Plural(len(e.Blocking)), named(e.Blocking), others, named(e.Proceeding)))
}
