package result

import "github.com/resolvent/resolvent/cache/catalog"

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

// Absent returns what no catalog has, without the names of the catalogs. The reason must be
// one of something missing.
func (r *Reason) Absent() string { return r.row(string(r.code) + ".short") }
