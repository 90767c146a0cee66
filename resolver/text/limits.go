package text

// The limits of this package: what a reader takes in.
const (
	// maxSentence bounds a sentence in bytes, to three lines.
	maxSentence = 280
	// maxWay bounds a step or an alternative in bytes: what it brings stands last.
	maxWay = 500
	// maxDerivation bounds the lines of a derivation, to a third of a screen.
	maxDerivation = 8
	// maxOr bounds the alternatives.
	maxOr = 3
	// maxStated bounds the conditions that are quoted.
	maxStated = 2
	// maxListed bounds the entries of another list.
	maxListed = 3
	// mostFurther bounds the lines of all further groups of causes, to a screen.
	mostFurther = 20
	// mostAwaited bounds the requests that a fix waits for, as far as rows name them.
	mostAwaited = 4
	// mostMissing bounds the things that no catalog has, as far as rows name them.
	mostMissing = 2

	// The limits of causes that are shown in whole.

	// maxFurther bounds the further causes.
	maxFurther = 20
	// maxUncovered bounds the causes after the changes of a fix.
	maxUncovered = 3
	// maxLines bounds the lines of the first cause, to a screen.
	maxLines = 20
	// maxFurtherLines bounds the lines of each further cause.
	maxFurtherLines = 8
)
