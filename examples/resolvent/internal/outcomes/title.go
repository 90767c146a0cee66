package outcomes

import (
	"strings"

	"github.com/resolvent/resolvent/examples/resolvent/internal/terminal"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/result"
)

// Unresolved reports whether a request has no answer.
func Unresolved(o result.Outcome) bool { return o.Err != nil || len(o.Resolution.LeftOut) > 0 }

// shown is an outcome as people see it: once, if it is that of several
// namespaces.
type shown struct {
	result.Outcome
	title string
}

// toShow brings together the namespaces that failed as one problem.
func toShow(outcomes []result.Outcome) []shown {
	var list []shown
	for i := 0; i < len(outcomes); {
		o := outcomes[i]
		namespaces := []string{o.Scope.Name}
		for i++; o.Err != nil && i < len(outcomes) && outcomes[i].Err == o.Err; i++ {
			namespaces = append(namespaces, outcomes[i].Scope.Name)
		}
		s := shown{o, Title(o.Scope)}
		if len(namespaces) > 1 {
			s.title = "namespaces " + terminal.Plain(strings.Join(namespaces, ", "))
		}
		list = append(list, s)
	}
	return list
}

// Title names what is resolved in outputs for people.
func Title(s cluster.Scope) string { return terminal.Plain(s.String()) }
