// Package result holds the answers of package resolver: resolutions, typed failures with their
// explanations, the fixes that correct them ([Fix.Apply] carries one out), the [Status] of
// requests, and a [Path] of updates. It is plain data. Nothing changes after it was returned, so
// any number of goroutines may share it. Any encoder of JSON writes it as the command line does.
//
// A [Reason] has a kind that callers can switch on, and typed [Args].
package result
