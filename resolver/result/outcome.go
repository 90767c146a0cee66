package result

import (
	"errors"

	"github.com/resolvent/resolvent/resolver/cluster"
)

// Result is the word for an outcome in machine-readable outputs.
type Result string

// The values of Result.
const (
	Resolved           Result = "resolved"
	ResultUnsatisfied  Result = "notSatisfiable"
	ResultUnhealthy    Result = "catalogsUnhealthy"
	ResultInvalidInput Result = "invalidInput"
	ResultAmbiguous    Result = "ambiguous"
	ResultDenied       Result = "denied"
	ResultIncomplete   Result = "incomplete"
	ResultInternal     Result = "internal"
)

// Outcome is the result for one namespace or ClusterExtension.
type Outcome struct {
	Scope cluster.Scope
	// Resolution is nil if Err is not nil.
	Resolution *Resolution
	// Err is an error of Resolver.Resolve.
	Err error
}

// Result returns the word for the outcome.
func (o *Outcome) Result() Result { return Of(o.Err) }

// Of returns the word for an error of a resolution; nil is Resolved.
func Of(err error) Result {
	switch {
	case err == nil:
		return Resolved
	case is[*NotSatisfiable](err):
		return ResultUnsatisfied
	case is[*CatalogsUnhealthy](err):
		return ResultUnhealthy
	case is[*InvalidInput](err), is[*UnknownBundle](err):
		return ResultInvalidInput
	case is[*Ambiguous](err):
		return ResultAmbiguous
	case is[*Denied](err):
		return ResultDenied
	case is[*Incomplete](err):
		return ResultIncomplete
	}
	return ResultInternal
}

// Ended reports whether a call ended without an answer: by its context, a limit or a fault of this
// library. That says nothing about the requests.
func (r Result) Ended() bool { return r == ResultIncomplete || r == ResultInternal }

func is[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}
