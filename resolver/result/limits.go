package result

// The limits of this package.
const (
	// MaxExplanation is the length limit of an explanation in bytes: it must fit into a Kubernetes
	// condition.
	MaxExplanation = 32 << 10
	// maxMessage is the length to which the message of a constraint's author is cut, in bytes.
	maxMessage = 200
	// headCauses bounds the causes that the head states, to what a reader takes in.
	headCauses = 2
	// maxChanges bounds the changes of each sort that a text names, but for removals and downgrades,
	// to what a reader takes in.
	maxChanges = 4
	// maxSave is the length up to which a text has the command that keeps what is deleted, in
	// bytes: two lines.
	maxSave = 200
	// maxNodes is the number of nodes of a derivation up to which JSON repeats shared ones in full.
	// Later, a node that is written already has no children: the number of places can double with
	// each level.
	maxNodes = 10_000
	// maxWaiting bounds the waiting requests that a fix names in JSON: each of many requests has
	// fixes for which all others wait.
	maxWaiting = 20
	// maxSiblings bounds the children of a node that are printed, to half a screen.
	maxSiblings = 12
	// maxFaults is the length to which the faults of a package are cut in a sentence, in bytes.
	maxFaults = 1 << 10
)
