package result

import "github.com/resolvent/resolvent/resolver/fixes"

// Justification says why a bundle was selected, and why the bundles that its
// obligation prefers were not possible; or why it was not, and what would help.
type Justification struct {
	Bundle BundleRef `json:",embed,inline"`
	// Why is the chain from a request, or from what is installed, to the bundle, or a minimal
	// set of reasons why there is none.
	Why *Explanation `json:"why"`
	// Better are the candidates that stand before the chosen one, in order.
	// Neighbors with one reason share a Refusal.
	Better []Refusal `json:"better"`
	// Help is with what changes the bundle is selected.
	Help fixes.Help `json:"-"`
}

// Refusal says why bundles could not be selected.
type Refusal struct {
	Bundles []BundleRef  `json:"bundles"`
	Why     *Explanation `json:"whyNot"`
}
