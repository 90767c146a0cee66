// Package rules compiles and evaluates CEL rules: those of bundles, by a [Reader], and
// those of policies, in an [Environment].
//
// A rule is of type bool. It has the standard library and
//
//	properties  list of maps with the keys type and value (decoded JSON)
//	cluster     map with the key labels, and with the keys kubernetesVersion,
//	            openshiftVersion and namespace where these are known
//	semver_compare(a, b)             -1, 0 or 1
//	semver_in_range(version, range)  whether the range contains the version
//	semver_major(version), semver_minor(version)
//
// These functions read versions tolerantly: "v1.2" and the number 1.2 mean 1.2.0.
// Any other text makes the rule fail on that bundle.
//
// # Bounds
//
// Nobody has reviewed the rules of a catalog, so [Limits] bound all of them:
//
//   - the length of ranges (reader.go);
//   - the size of a rule when it is compiled (compile.go);
//   - how much of a bundle a rule may read (rule.go);
//   - the time and the memory of one evaluation. Every call and every round of a loop
//     pays before it runs (meter.go), by the size of its operands (price.go).
//
// Rules are immutable. They, a Reader and an Environment are safe for any number of
// goroutines.
package rules
