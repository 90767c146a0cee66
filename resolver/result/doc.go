// Package result holds what package resolver answers with: resolutions, and typed
// failures with their explanations. It is plain data; nothing in it changes after it
// was returned, so any number of goroutines may share it.
//
// A [Reason] has a kind that callers can switch on, and typed [Args]. Its words are those of
// its code in package text.
//
// A new reason is a code with a row in shapes.go, which says what arguments it has, and one in
// the table of package text.
package result
