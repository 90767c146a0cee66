// Package oracle answers small resolution problems by brute force, for tests of
// the resolver only.
//
// It is written straight from the specification and shares no code with the
// resolver. A Problem is a tiny model of catalogs, installed bundles and
// requests. Solve lists every set of bundles that breaks no rule, and then walks
// the queue of obligations literally, asking that list whether a choice leaves an
// answer possible. Paths searches sequences of such answers.
package oracle
