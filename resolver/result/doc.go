// Package result holds the answers of package resolver: resolutions, typed failures with their
// explanations, the fixes that correct them ([Fix.Apply] carries one out), the [Status] of
// requests, and a [Path] of updates. It is plain data. Nothing changes after it was returned, so
// any number of goroutines may share it.
//
// A [Reason] has a kind that callers can switch on, and typed [Args]. Package words has the
// words of each code, but those of a [Conflict], the head of an explanation, are its own.
//
// A new reason is a code with two rows: one in shapes.go with its arguments, and one in the
// table of package words with its words.
package result
