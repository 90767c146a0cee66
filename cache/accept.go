package cache

import "slices"

// RefuseDamaged is a [CacheOptions].Accept that keeps a whole catalog when what
// was read next has files that end in the middle or cannot be read: half of a
// catalog looks like that.
func RefuseDamaged(last, next *Snapshot) error {
	if damage := damageOf(next); damage != nil && last != nil && damageOf(last) == nil {
		return &FaultsError{damage}
	}
	return nil
}

// damageOf returns the faults of files that could not be read to their ends.
func damageOf(s *Snapshot) []Fault {
	var damage []Fault
	for _, f := range s.Faults() {
		if slices.Contains([]Code{CodeSyntax, CodeUnreadableFile}, f.Code) && f.Severity == Error {
			damage = append(damage, f)
		}
	}
	return damage
}
