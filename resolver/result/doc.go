// Package result holds what package resolver answers with: resolutions, and typed
// failures with their explanations and fixes. It is plain data; nothing in it
// changes after it was returned, so any number of goroutines may share it.
//
// The words of reasons, warnings and fixes are all made here. A [Reason], [Warning] or [Fix] has a kind that
// callers can switch on, and typed fields; a [Detail] has what one kind needs beside
// the common fields. The words are here, singular and plural included, each beside
// the type of its fields: of requests (request.go) and what is wrong with them
// (fault.go), of rules and groups of bundles (rule.go, group.go), of what is missing
// (missing.go), of why a bundle is selected or not (selected.go), of the head of an
// explanation (conflict.go), of warnings, fixes and uninstallable bundles.
// [TreePrinter] is the default [Printer]. Another one can word everything
// differently, as it finds the same fields.
//
// A new reason is a constant of [ReasonKind] with plain words in reason.go or, if it
// needs further fields, a [Detail] with its fields and words.
package result
