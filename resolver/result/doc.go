// Package result holds what package resolver answers with: resolutions, typed
// failures with their explanations and fixes, and pictures of both. It is plain
// data; nothing in it changes after it was returned, so any number of goroutines
// may share it.
//
// # Data first, words second
//
// The resolver makes no sentences. A [Reason], [Warning] or [Fix] has a kind that
// callers can switch on, and typed fields: bundles, versions, APIs, constraints,
// catalogs, counts. A [Detail] has what one kind needs beside the common fields.
// All words of this library about an answer are in this package, singular and
// plural included, each beside the type of its fields:
//
//   - requests and what is wrong with them: request.go, fault.go
//   - rules of bundles, and groups with one selected member at most: rule.go, group.go
//   - what is missing, and what there is instead: missing.go
//   - why a bundle is, or is not, selected: selected.go
//   - the head of an explanation, which says who cannot have what, and why: conflict.go
//   - warnings, fixes, causes of uninstallable bundles: warning.go, fix.go,
//     uninstallable.go
//   - lists, counts and lines: words.go
//
// [TreePrinter] is the default [Printer]. Another one can word everything
// differently, as it finds the same fields.
//
// A new reason is a constant of [ReasonKind], if callers are to tell it apart, and
// a [Detail] with its fields and words.
package result
