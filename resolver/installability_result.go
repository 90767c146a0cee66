package resolver

import "github.com/resolvent/resolvent/cache"

// Uninstallable is a bundle that no consistent selection contains.
type Uninstallable struct {
	Catalog cache.Key
	Bundle  cache.ID
	// Causes are why, each sufficient by itself; there is at least one.
	Causes []Cause
}

// Cause is a minimal reason why a bundle cannot be selected.
type Cause struct {
	// Constraints cannot hold together with the selection of the bundle; leave
	// any one out and they can.
	Constraints []Reason
	// Text says it as a sentence about the bundle that does not name it, so that
	// bundles with the same cause have the same text.
	Text string
}

// Forbidden reports whether the bundle is ruled out for what it is itself, such
// as its deprecation, and returns that kind of reason.
func (c Cause) Forbidden() (ReasonKind, bool) {
	if len(c.Constraints) != 1 {
		return "", false
	}
	kind := c.Constraints[0].Kind
	return kind, kind != ReasonDependency
}
