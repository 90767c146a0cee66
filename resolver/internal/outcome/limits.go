package outcome

// The limits of this package.
const (
	// maxChain bounds the updates that wait for each other, one behind the other. It protects from circles.
	maxChain = 20
	// maxConditions bounds the conditions that are quoted: thousands of requests have one each.
	maxConditions = 100
	// maxLifts bounds the choices below their head for which a lift is sought: each takes resolutions.
	maxLifts = 20
	// maxObvious bounds the changes that one would try first for each of them: each is a resolution.
	maxObvious = 8
	// maxTurns bounds the namespaces with turns up to which fixes are judged: each is for all of
	// them again.
	maxTurns = 40
	// maxWay bounds the resolutions that look for a way in another channel.
	maxWay = 60
)
