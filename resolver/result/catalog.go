package result

import "github.com/resolvent/resolvent/cache/catalog"

// What results take over from catalogs.
type (
	catalogKey   = catalog.Key
	catalogFault = catalog.Fault
	bundleID     = catalog.ID
)
