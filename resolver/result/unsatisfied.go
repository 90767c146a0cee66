package result

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/words"
)

// NotSatisfiable means that the requests of a namespace, or a ClusterExtension, cannot be
// satisfied.
type NotSatisfiable struct {
	// Scopes has the scope that was resolved, or several namespaces that were jointly.
	Scopes []cluster.Scope
	// Constraints is a minimal set that cannot hold together. Without any one of its members
	// the rest can.
	Constraints []Reason
	// Explanation is the derivation of Constraints.
	Explanation *Explanation
	// Causes are the causes by request, at most three of one request and 100 in all.
	// Constraints and Explanation are those of the first. MoreCauses counts further ones.
	Causes     []Cause
	MoreCauses int
	// CutOff is the error that ended the search for further causes early, if any.
	CutOff error
	// Help has fixes for each group of causes, after one that joins the first fixes of all
	// groups.
	Help
	Further
	// Blocking are the requests without which the others can proceed, and Proceeding those
	// others, as with policy.Options.Partial. Both are empty if leaving out requests does not
	// help.
	Blocking   []cluster.RequestKey
	Proceeding []cluster.RequestKey
}

// Further has the causes behind those that an error states.
type Further struct {
	// Uncovered has a cause for each change of the fixes that nothing stated calls for: what
	// fails with the other changes of the fix alone.
	Uncovered []Cause
}

func (f *Further) further() *Further { return f }

// FurtherOf returns the causes behind those that an error states.
func FurtherOf(err error) *Further {
	var has interface{ further() *Further }
	if errors.As(err, &has) {
		return has.further()
	}
	return &Further{}
}

// Told returns what to say of the causes.
func (f *Further) Told() []Cause { return f.told(map[string]bool{}, map[string]bool{}) }

// told leaves out the causes of which all ends are said, or stated of their requests.
func (f *Further) told(stated, said map[string]bool) (list []Cause) {
	for _, c := range f.Uncovered {
		if slices.ContainsFunc(c.Explanation.ends(), func(end ConflictCause) bool { return !said[end.key()] }) && c.hasNews(stated) {
			list = append(list, c)
		}
	}
	return list
}

// Cause is a minimal set of demands that keeps requests out.
type Cause struct {
	// Group counts from 1. Causes that share a request or an installed bundle have the same
	// group.
	Group int `json:"group"`
	// Requests are the requests that it keeps out. For each the set is the same but for the
	// request itself. There are none if installed bundles contradict each other.
	Requests []cluster.RequestKey `json:"requests"`
	// After are changes with which this is a cause, empty if it is one without any.
	After []Change `json:"after,omitempty"`
	// Constraints are the set for the first of Requests, and Explanation is its derivation.
	Constraints []Reason     `json:"constraints"`
	Explanation *Explanation `json:"-"`
	// Likewise are what others end in, which Told joins with this one.
	Likewise []string `json:"-"`
}

// String returns the message of the cause.
func (c Cause) String() string { return c.Message() }

// Error returns the head of the explanation as one line of at most MaxExplanation bytes.
func (e *NotSatisfiable) Error() string {
	if e.Explanation != nil {
		return (&Cause{Explanation: e.Explanation}).Message()
	}
	messages := words.Mapped(e.Constraints, func(r Reason) string { return r.Message() })
	return words.Clip(strings.Join(messages, "; "), MaxExplanation)
}

// News returns the causes but for those of a request of which earlier ones state all that they end
// in.
func (e *NotSatisfiable) News() (list []Cause) {
	stated := map[string]bool{}
	for _, c := range e.Causes {
		if c.hasNews(stated) {
			list = append(list, c)
		}
	}
	return list
}

// hasNews notes the facts that end the cause as stated, and reports whether any is new.
func (c *Cause) hasNews(stated map[string]bool) bool {
	ends := c.Explanation.ends()
	news := len(ends) == 0
	for _, end := range ends {
		key := fmt.Sprintf("%q %s", c.Requests, end.key())
		news = news || !stated[key]
		stated[key] = true
	}
	return news
}

// Causes returns the causes of a failure, with those behind the stated ones; none if it has none.
func (o *Outcome) Causes() []Cause {
	causes := FurtherOf(o.Err).Uncovered
	if e, ok := errors.AsType[*NotSatisfiable](o.Err); ok {
		causes = slices.Concat(e.Causes, causes)
	}
	return causes
}

// Messages returns the message of each cause of a failure, or the text of another error; none
// without an error.
func (o Outcome) Messages() []string {
	var list []string
	if e, ok := errors.AsType[*NotSatisfiable](o.Err); ok {
		for i := range e.Causes {
			list = append(list, e.Causes[i].Message())
		}
	}
	if len(list) == 0 && o.Err != nil {
		list = []string{o.Err.Error()}
	}
	return words.Distinct(list)
}

// Message returns the head of the explanation as one line of at most MaxExplanation bytes.
func (c *Cause) Message() string {
	return words.Clip(words.OneLine(c.Explanation.Text()), MaxExplanation)
}

// KeepsOut reports whether a cause keeps a request out, which else only waits for others.
func (e *NotSatisfiable) KeepsOut(k cluster.RequestKey) bool {
	return slices.Contains(e.Blocking, k) || slices.ContainsFunc(e.Causes, func(c Cause) bool { return slices.Contains(c.Requests, k) })
}

// FixesOf returns the fixes for the causes that keep a request out, or those for all causes if there
// are none. A request that only waits for others gets all fixes.
func (e *NotSatisfiable) FixesOf(k cluster.RequestKey) []Fix {
	mine := map[int]bool{}
	for _, c := range e.Causes {
		mine[c.Group] = mine[c.Group] || slices.Contains(c.Requests, k)
	}
	fixesOf := func(groups map[int]bool) []Fix {
		return slices.DeleteFunc(slices.Clone(e.Fixes), func(f Fix) bool { return !groups[f.Group] })
	}
	switch list := fixesOf(mine); {
	case len(list) > 0 || len(e.NotGiven) > 0:
		return list
	case e.KeepsOut(k):
		return fixesOf(map[int]bool{0: true}) // those of other groups do not help it
	}
	return e.Fixes
}
