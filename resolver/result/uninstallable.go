package result

import (
	"github.com/resolvent/resolvent/cache/catalog"
)

// Uninstallable is a bundle that no consistent selection contains.
type Uninstallable struct {
	Catalog catalog.Key
	Bundle  catalog.ID
	// Causes are why, each sufficient by itself; there is at least one.
	Causes []BundleCause
}

// BundleCause is a minimal reason why a bundle cannot be selected.
type BundleCause struct {
	Bundle BundleRef
	// Constraints cannot hold together with the selection of the bundle; leave
	// any one out and they can.
	Constraints []Reason
}

// Forbidden reports whether the bundle is ruled out for what it is itself, such
// as its deprecation, and returns that kind of reason.
func (c *BundleCause) Forbidden() (ReasonKind, bool) {
	if len(c.Constraints) != 1 {
		return "", false
	}
	kind := c.Constraints[0].Kind()
	return kind, kind != ReasonDependency
}

// Absent says what no catalog has, in fewer words than an explanation, which names the
// catalogs. The reason is one that a requirement lists as missing.
func (r *Reason) Absent() string { return r.row(string(r.code) + ".short") }
