package result

import (
	"fmt"
	"strings"
)

// Path is a shortest sequence of updates of one package.
type Path struct {
	Namespace string
	Package   string
	// From and To are the installed bundle and the target, by name.
	From, To string
	// Steps lead from one to the other; none if the target is installed.
	Steps []PathStep
}

// PathStep is one update. When its resolution has been carried out the whole
// namespace is in a consistent state, from which the next step starts.
type PathStep struct {
	// Bundle is the one of the package after the step.
	Bundle     string
	Resolution *Resolution
}

// NoPath means that no sequence of updates leads to the target.
type NoPath struct {
	Namespace string
	Package   string
	From, To  string
	// Reached are the bundles that can be reached, the installed one first.
	Reached []string
	// Blocked are the updates that the rest of the namespace does not allow.
	Blocked []BlockedUpdate
}

// BlockedUpdate is an update that cannot be made, and why.
type BlockedUpdate struct {
	From, To string
	Err      error
}

func (e *NoPath) Error() string {
	text := fmt.Sprintf("no sequence of updates leads package %s from %s to %s: ", e.Package, e.From, e.To)
	switch {
	case len(e.Blocked) == 0 && len(e.Reached) > 1:
		return clip(text+"updates lead only to "+strings.Join(e.Reached[1:], ", "), MaxExplanation)
	case len(e.Blocked) == 0:
		return text + "nothing in the channel updates " + e.From
	}
	reasons := make([]string, len(e.Blocked))
	for i, b := range e.Blocked {
		reasons[i] = fmt.Sprintf("%s cannot follow %s (%v)", b.To, b.From, b.Err)
	}
	return clip(text+strings.Join(reasons, "; "), MaxExplanation)
}

// Unwrap returns why each blocked update cannot be made.
func (e *NoPath) Unwrap() []error {
	errs := make([]error, len(e.Blocked))
	for i, b := range e.Blocked {
		errs[i] = b.Err
	}
	return errs
}
