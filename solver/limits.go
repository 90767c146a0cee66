package solver

// The limits of this package.
const (
	// defaultMaxVars is [Options.MaxVars] if that is 0.
	defaultMaxVars = 1 << 21
	// defaultMaxLiterals is [Options.MaxLiterals] if that is 0.
	defaultMaxLiterals = 1 << 25
	// maxAddressable bounds both options: gini addresses literals with 32 bits.
	maxAddressable = 1 << 28
	// maxDepth bounds the depth of a formula: it is walked by recursion.
	maxDepth = 1000
	// maxNodes bounds a formula written out as a tree: shared parts can double it with each level.
	maxNodes = 1 << 20
	// sharedMin is the least length of a segment that gets a literal of its own
	// (BenchmarkExplain/unsat-package/core: 204 to 188 KB against all; BenchmarkSegments).
	sharedMin = 8
	// maxGrowths is how often a part grows: each growth reads the whole part (a dead end behind a
	// chain of 10,000: 2.5 s to 16 ms). One that must grow more is not much smaller than the component.
	maxGrowths = 8
	// lookahead is the number of levels that the refuter looks at: up to the rules of candidates
	// of candidates.
	lookahead = 2
	// maxExamined bounds the members that the refuter examines per query.
	maxExamined = 256
	// maxGroupPairs bounds the pairs of groups compared for two variables.
	maxGroupPairs = 4096
	// minKept is the least number of questions about a component, or of its selections and demands,
	// from which on its session is kept. Before it an answer does not depend on earlier questions,
	// and no SAT solver stays, which takes some 40 KB even for the smallest problem.
	minKept = 16
	// maxMentions bounds the formulas and the variables in them. Larger problems are not
	// rotated.
	maxMentions = 1 << 22
	// maxRotationWork bounds the demands and formulas that a rotation examines, to some 0.3 s.
	maxRotationWork = 1 << 26
	// maxKept is the number of variables above which a workspace is not pooled: each later problem,
	// however small, would clear its whole memory.
	maxKept = 1 << 16
	// stepsPerCheck is the number of steps, of some 10 ns each, between two checks of the context:
	// an answer has 50 ms to end after it.
	stepsPerCheck = 8192
)
