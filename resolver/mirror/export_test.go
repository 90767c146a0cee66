package mirror

type (
	DifferentError = differentError
	InvalidError   = invalidError
	NoRangeError   = noRangeError
)
