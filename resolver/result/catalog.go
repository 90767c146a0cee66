package result

import "github.com/resolvent/resolvent/cache"

// What results take over from catalogs.
type (
	catalogKey   = cache.Key
	catalogFault = cache.Fault
	bundleID     = cache.ID
)
