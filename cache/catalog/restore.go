package catalog

import "slices"

// WithFaults returns the same catalog with other faults, and with other bundles
// lost to them. It is for a catalog that was written out from a Snapshot and
// read again: the faults that were found in its first source cannot be found in
// the copy.
func (s *Snapshot) WithFaults(faults []Fault, lost []LostProvider) *Snapshot {
	return NewSnapshot(Parts{
		Bundles: s.allBundles(), Candidates: s.candidates, Packages: slices.Collect(s.Packages()),
		Faults: slices.Clone(faults), Lost: slices.Clone(lost),
	})
}

// allBundles returns the bundles by ID.
func (s *Snapshot) allBundles() []Bundle {
	if s.packed == nil {
		return s.bundles
	}
	all := make([]Bundle, s.Len())
	for id := range all {
		all[id] = *s.packed.bundle(ID(id))
	}
	return all
}
