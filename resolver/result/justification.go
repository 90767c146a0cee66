package result

// Justification says why a bundle was selected, and why the bundles that its
// obligation prefers were not possible.
type Justification struct {
	Bundle BundleRef `json:",embed,inline"`
	// Why is the chain from a request, or from what is installed, to the bundle.
	Why *Explanation `json:"why"`
	// Better are the candidates that stand before the chosen one, in order.
	// Neighbors with one reason share a Refusal.
	Better []Refusal `json:"better"`
}

// Refusal says why bundles could not be selected.
type Refusal struct {
	Bundles []BundleRef  `json:"bundles"`
	Why     *Explanation `json:"whyNot"`
}
