package resolver

import "fmt"

// Justification says why a bundle was selected, and why the bundles that its
// obligation prefers were not possible.
type Justification struct {
	Bundle BundleRef
	// Why is the chain from a request, or from what is installed, to the bundle.
	Why *Explanation
	// Better are the candidates that stand before the chosen one, in order.
	// Neighbours with one reason are told together.
	Better []Refusal
}

// Refusal says why bundles could not be selected.
type Refusal struct {
	Bundles []BundleRef
	Why     *Explanation
}

// UnknownBundle means that neither the cluster nor any catalog has a bundle.
type UnknownBundle struct {
	Bundle string
	// Nearest are the likest names, the likest first.
	Nearest []string
}

func (e *UnknownBundle) Error() string {
	return unbroken(fmt.Sprintf("neither the cluster nor a catalog has a bundle %s%s", e.Bundle, suggestion(e.Nearest)))
}
