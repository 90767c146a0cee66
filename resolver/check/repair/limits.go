package repair

// The limits of this package.
const (
	// maxOrdered bounds the findings of which all orders are tried, 720 for six. Of more, each that
	// is not repaired is tried first.
	maxOrdered = 6
	// maxOrderChecks bounds the checks of a package in all orders.
	maxOrderChecks = 4000
	// maxChecks bounds the checks of a changed package for one finding.
	maxChecks = 150
	// maxWork bounds the entries of all graphs that are tried for one finding. It protects from
	// channels of thousands of entries.
	maxWork = 400_000
	// maxDepth bounds the edits that mend one channel: nobody reviews more.
	maxDepth = 5
	// maxWidth bounds the graphs of each number of edits that are edited further.
	maxWidth = 12
	// maxSolutions bounds the graphs without problems that are checked.
	maxSolutions = 60
)
