package result

import (
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver/internal/code"
)

// Uninstallable is a bundle that is in no consistent selection.
type Uninstallable struct {
	Catalog catalog.Key
	Bundle  catalog.ID
	// Causes has at least one cause. Each is sufficient by itself.
	Causes []BundleCause
}

// BundleCause is a minimal reason why a bundle cannot be selected.
type BundleCause struct {
	Bundle BundleRef
	// Constraints cannot hold together with the bundle. Without any one of them they can.
	Constraints []Reason
}

// Forbidden reports whether the bundle itself is the cause, such as by its deprecation, and
// returns the kind of that reason.
func (c *BundleCause) Forbidden() (ReasonKind, bool) {
	if len(c.Constraints) != 1 {
		return "", false
	}
	kind := c.Constraints[0].Kind()
	return kind, kind != code.KindDependency
}

// Absent returns what no catalog has, without the names of the catalogs. The reason must be
// one of something missing.
func (r *Reason) Absent() string { return r.row(string(r.code) + ".short") }
