package result

// Justification is why a bundle was selected, and why better candidates were not; or why it
// was not selected, with fixes.
type Justification struct {
	Bundle BundleRef `json:"-"`
	// Why is the chain from a request or an installed bundle to the bundle. If the bundle is
	// not selected, it is a minimal set of reasons.
	Why *Explanation `json:"why"`
	// Better are the candidates before the chosen one, in order. Neighbors with the same
	// reason share a Refusal.
	Better []Refusal `json:"better"`
	// Help has fixes with which the bundle is selected.
	Help Help `json:"-"`
}

// Refusal is why bundles could not be selected.
type Refusal struct {
	Bundles []BundleRef  `json:"bundles"`
	Why     *Explanation `json:"whyNot"`
}
