package scenario

import (
	"slices"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/properties"
)

// Recorded is what a catalog that was written out from what had been read
// cannot show of its source any more.
type Recorded struct {
	Faults []RecordedFault `yaml:"faults"`
	Lost   []RecordedLoss  `yaml:"lost,omitempty"`
}

// RecordedLoss is a catalog.LostProvider as options.yaml holds it.
type RecordedLoss struct {
	Group   string `yaml:"group"`
	Version string `yaml:"version"`
	Kind    string `yaml:"kind"`
	Package string `yaml:"package"`
	Bundle  string `yaml:"bundle"`
}

// RecordedFault is a catalog.Fault as options.yaml holds it.
type RecordedFault struct {
	Code        string `yaml:"code"`
	Warning     bool   `yaml:"warning,omitempty"`
	File        string `yaml:"file,omitempty"`
	Line        int    `yaml:"line,omitempty"`
	Column      int    `yaml:"column,omitempty"`
	Package     string `yaml:"package,omitempty"`
	Channel     string `yaml:"channel,omitempty"`
	Bundle      string `yaml:"bundle,omitempty"`
	Property    int    `yaml:"property"`
	Path        string `yaml:"path,omitempty"`
	Message     string `yaml:"message"`
	Quarantines bool   `yaml:"quarantines,omitempty"`
}

func (f RecordedFault) fault() catalog.Fault {
	severity := catalog.Error
	if f.Warning {
		severity = catalog.Warning
	}
	return catalog.Fault{
		Code: catalog.Code(f.Code), Severity: severity, File: f.File, Line: f.Line, Column: f.Column,
		Package: f.Package, Channel: f.Channel, Bundle: f.Bundle, Property: f.Property, Path: f.Path,
		Message: f.Message, Quarantines: f.Quarantines,
	}
}

// recordFaults keeps the faults of some packages.
func recordFaults(s *catalog.Snapshot, packages []string) Recorded {
	r := Recorded{Faults: []RecordedFault{}}
	for _, f := range s.Faults() {
		if slices.Contains(packages, f.Package) {
			r.Faults = append(r.Faults, RecordedFault{
				Code: string(f.Code), Warning: f.Severity == catalog.Warning, File: f.File, Line: f.Line, Column: f.Column,
				Package: f.Package, Channel: f.Channel, Bundle: f.Bundle, Property: f.Property, Path: f.Path,
				Message: f.Message, Quarantines: f.Quarantines,
			})
		}
	}
	for _, l := range s.LostProviders() {
		if slices.Contains(packages, l.Package) {
			r.Lost = append(r.Lost, RecordedLoss{l.API.Group, l.API.Version, l.API.Kind, l.Package, l.Bundle})
		}
	}
	return r
}

// restore gives a catalog that was read again what is recorded of the first.
func (r Recorded) restore(s *catalog.Snapshot) *catalog.Snapshot {
	faults := make([]catalog.Fault, len(r.Faults))
	for i, f := range r.Faults {
		faults[i] = f.fault()
	}
	lost := make([]catalog.LostProvider, len(r.Lost))
	for i, l := range r.Lost {
		lost[i] = catalog.LostProvider{API: properties.GVK{Group: l.Group, Version: l.Version, Kind: l.Kind}, Package: l.Package, Bundle: l.Bundle}
	}
	return s.WithFaults(faults, lost)
}
