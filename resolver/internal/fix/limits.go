package fix

// The limits of this package.
const (
	// maxBeside bounds the tries that look for what an edit needs beside it: each is a resolution.
	maxBeside = 60
	// maxMoves bounds the other namespaces that are offered to a request, to what a reader takes in.
	maxMoves = 3
	// maxOwn bounds the names that are tried for a new namespace. It protects from a cluster that
	// has them all.
	maxOwn = 9
	// maxFurther bounds the resolutions that count the updates after one fix.
	maxFurther = 100
	// MaxOthers bounds the other scopes for which a fix is tried (1,000 ambiguous
	// ClusterExtensions: 12 to 1.9 s).
	MaxOthers = 20
	// maxChanges bounds the changes of a fix: sets of more multiply the tries, and nobody makes
	// them at once.
	maxChanges = 3
	// maxTries bounds the tries for all groups. Real failures take 1 to 20 a group, tangles
	// made at random up to 1,600.
	maxTries = 500
	// maxClosest bounds the listed fixes that differ only in their values, to what a reader takes in.
	maxClosest = 3
	// maxListed bounds the listed fixes per group and section, to what a reader takes in.
	maxListed = 5
	// maxSearched bounds the groups that are searched. It protects from clusters where everything
	// fails, along with maxTries.
	maxSearched = 20
	// maxFailed bounds the failed sets of edits for which others are sought: each costs a core.
	maxFailed = 8
)
