// Package result holds what package resolver answers with: resolutions, and typed
// failures with their explanations. It is plain data; nothing in it changes after it
// was returned, so any number of goroutines may share it.
//
// A [Reason] or [Warning] has a kind that callers can switch on, and typed fields; a
// [Detail] has what one kind needs beside the common fields, and the default words,
// singular and plural included.
//
// A new reason is a constant of [ReasonKind] with plain words in reason.go or, if it
// needs further fields, a [Detail] with its fields and words.
package result
