package outcomes

import (
	"fmt"
	"strings"

	"github.com/resolvent/resolvent/examples/resolvent/internal/terminal"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/result"
)

// Unresolved reports whether a request has no answer, or one that OLM would not carry out.
func Unresolved(o result.Outcome) bool {
	return o.Err != nil || len(o.Resolution.LeftOut) > 0 || o.Resolution.Fails()
}

// shown is an outcome as people see it: once, if it is that of several
// namespaces.
type shown struct {
	result.Outcome
	title string
}

// maxTitled is how many namespaces a title names before it counts them.
const maxTitled = 8

// toShow brings together what failed as one problem, or ended early for one reason.
func toShow(outcomes []result.Outcome) []shown {
	var list []shown
	for i := 0; i < len(outcomes); {
		o := outcomes[i]
		names := []string{o.Scope.Name}
		for i++; i < len(outcomes) && outcomes[i].Scope.Kind == o.Scope.Kind && together(o.Err, outcomes[i].Err); i++ {
			names = append(names, outcomes[i].Scope.Name)
		}
		s := shown{o, Title(o.Scope)}
		switch n := len(names); {
		case n > maxTitled:
			s.title += fmt.Sprintf(" and %d more", n-1)
		case n > 1 && o.Scope.Alone():
			s.title = "ClusterExtensions " + terminal.Plain(strings.Join(names, ", "))
		case n > 1:
			s.title = "namespaces " + terminal.Plain(strings.Join(names, ", "))
		}
		list = append(list, s)
	}
	return list
}

// together reports whether two failures are shown as one.
func together(a, b error) bool {
	if a == nil || a == b {
		return a != nil
	}
	x, early := a.(*result.Incomplete)
	y, too := b.(*result.Incomplete)
	return early && too && x.Phase == y.Phase && x.Err.Error() == y.Err.Error()
}

// Title names what is resolved in outputs for people.
func Title(s cluster.Scope) string { return terminal.Plain(s.String()) }
