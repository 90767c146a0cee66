package scenario

import "github.com/resolvent/resolvent/cache/catalog"

// recorded is what a catalog that is written out from a snapshot does not show of
// its source any more.
type recorded struct {
	Faults []recordedFault        `yaml:"faults"`
	Lost   []catalog.LostProvider `yaml:"lost,omitempty"`
	// Content is the digest of the whole catalog.
	Content string `yaml:"content,omitempty"`
}

// recordedFault is a fault with its severity, of which there are two.
type recordedFault struct {
	Warning       bool `yaml:"warning,omitempty"`
	catalog.Fault `yaml:",inline"`
}

// recordFaults keeps the faults of some packages.
func recordFaults(s *catalog.Snapshot, packages []string) recorded {
	wanted := make(map[string]bool, len(packages))
	for _, name := range packages {
		wanted[name] = true
	}
	r := recorded{Faults: []recordedFault{}}
	for _, f := range s.Faults() {
		if wanted[f.Package] {
			r.Faults = append(r.Faults, recordedFault{f.Severity == catalog.Warning, f})
		}
	}
	for _, l := range s.LostProviders() {
		if wanted[l.Package] {
			r.Lost = append(r.Lost, l)
		}
	}
	return r
}

// restore gives a catalog that was read again what is recorded of the first.
func (r recorded) restore(s *catalog.Snapshot) *catalog.Snapshot {
	faults := make([]catalog.Fault, len(r.Faults))
	for i, f := range r.Faults {
		if faults[i] = f.Fault; f.Warning {
			faults[i].Severity = catalog.Warning
		}
	}
	return s.WithFaults(faults, r.Lost)
}
