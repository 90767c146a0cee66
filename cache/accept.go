package cache

import (
	"slices"

	"github.com/resolvent/resolvent/cache/catalog"
)

// RefuseDamaged is a [CacheOptions].Accept that keeps a whole catalog when what
// was read next has files that end in the middle or cannot be read: half of a
// catalog looks like that.
func RefuseDamaged(last, next *catalog.Snapshot) error {
	if damage := damageOf(next); damage != nil && last != nil && damageOf(last) == nil {
		return &catalog.FaultsError{Faults: damage}
	}
	return nil
}

// damageOf returns the faults of files that could not be read to their ends.
func damageOf(s *catalog.Snapshot) []catalog.Fault {
	var damage []catalog.Fault
	for _, f := range s.Faults() {
		if slices.Contains([]catalog.Code{catalog.CodeSyntax, catalog.CodeUnreadableFile}, f.Code) && f.Severity == catalog.Error {
			damage = append(damage, f)
		}
	}
	return damage
}
