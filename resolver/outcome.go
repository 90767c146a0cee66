package resolver

import "errors"

// Outcome is the result for one namespace or ClusterExtension.
type Outcome struct {
	// Namespace or Extension says what was resolved.
	Namespace string
	Extension string
	// Resolution is nil if Err is not.
	Resolution *Resolution
	// Err is as Resolver.Resolve returns it.
	Err error
}

// Result names the outcome.
func (o *Outcome) Result() Result { return ResultOf(o.Err) }

// ResultOf names the outcome that an error of Resolve stands for.
func ResultOf(err error) Result {
	if err == nil {
		return Resolved
	}
	if _, ok := errors.AsType[*NotSatisfiable](err); ok {
		return ResultUnsatisfied
	}
	if _, ok := errors.AsType[*CatalogsUnhealthy](err); ok {
		return ResultUnhealthy
	}
	if _, ok := errors.AsType[*InvalidInput](err); ok {
		return ResultInvalidInput
	}
	if _, ok := errors.AsType[*Ambiguous](err); ok {
		return ResultAmbiguous
	}
	if _, ok := errors.AsType[*Incomplete](err); ok {
		return ResultIncomplete
	}
	return ResultInternal
}
