package cause

// MaxSolves is the number of questions before a session is made.
var MaxSolves = &maxSolves
