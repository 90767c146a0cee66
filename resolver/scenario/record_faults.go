package scenario

import (
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/properties"
)

// recorded is what a catalog that is written out from a snapshot does not show of
// its source any more.
type recorded struct {
	Faults []recordedFault `yaml:"faults"`
	Lost   []recordedLoss  `yaml:"lost,omitempty"`
	// Content is the digest of the whole catalog.
	Content string `yaml:"content,omitempty"`
}

// recordedLoss is a catalog.LostProvider as options.yaml holds it.
type recordedLoss struct {
	API     properties.GVK `yaml:",inline"`
	Package string         `yaml:"package"`
	Bundle  string         `yaml:"bundle"`
}

// recordedFault is a catalog.Fault as options.yaml holds it.
type recordedFault struct {
	Code        catalog.Code `yaml:"code"`
	Warning     bool         `yaml:"warning,omitempty"`
	File        string       `yaml:"file,omitempty"`
	Line        int          `yaml:"line,omitempty"`
	Column      int          `yaml:"column,omitempty"`
	Package     string       `yaml:"package,omitempty"`
	Channel     string       `yaml:"channel,omitempty"`
	Bundle      string       `yaml:"bundle,omitempty"`
	Property    int          `yaml:"property"`
	Path        string       `yaml:"path,omitempty"`
	Message     string       `yaml:"message"`
	Quarantines bool         `yaml:"quarantines,omitempty"`
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
			r.Faults = append(r.Faults, recordedFault{
				f.Code, f.Severity == catalog.Warning, f.File, f.Line, f.Column,
				f.Package, f.Channel, f.Bundle, f.Property, f.Path, f.Message, f.Quarantines,
			})
		}
	}
	for _, l := range s.LostProviders() {
		if wanted[l.Package] {
			r.Lost = append(r.Lost, recordedLoss(l))
		}
	}
	return r
}

// restore gives a catalog that was read again what is recorded of the first.
func (r recorded) restore(s *catalog.Snapshot) *catalog.Snapshot {
	faults := make([]catalog.Fault, len(r.Faults))
	for i, f := range r.Faults {
		severity := catalog.Error
		if f.Warning {
			severity = catalog.Warning
		}
		faults[i] = catalog.Fault{
			Code: f.Code, Severity: severity, File: f.File, Line: f.Line, Column: f.Column,
			Package: f.Package, Channel: f.Channel, Bundle: f.Bundle, Property: f.Property, Path: f.Path,
			Message: f.Message, Quarantines: f.Quarantines,
		}
	}
	lost := make([]catalog.LostProvider, len(r.Lost))
	for i, l := range r.Lost {
		lost[i] = catalog.LostProvider(l)
	}
	return s.WithFaults(faults, lost)
}
