package status

// The limits of this package.
const (
	// mostTried bounds the resolutions that try whether a row follows while another request stays.
	mostTried = 50
	// stepsPerRow is the number of steps of a row that needs no explanation.
	stepsPerRow = 8
	// maxStuck bounds the requests of a scope for which fixes are searched: each takes resolutions.
	maxStuck = 20
)
