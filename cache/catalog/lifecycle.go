package catalog

import (
	"fmt"
	"slices"

	"github.com/blang/semver/v4"
)

// Lifecycle is what the publisher of a package states of the support of a minor version,
// in a blob of the schema io.openshift.operators.lifecycles.v1alpha1.
type Lifecycle struct {
	// Minor is the version, as MAJOR.MINOR.
	Minor string `json:"name"`
	// Phases are as they are stated: in order, each one day after the one before, if the
	// catalog has no fault.
	Phases    []Phase    `json:"phases,omitempty"`
	Platforms []Platform `json:"platformCompatibility,omitempty"`
}

// Phase is a time of support. Start and End are its first and last day, as YYYY-MM-DD.
type Phase struct {
	Name  string `json:"name"`
	Start string `json:"startDate"`
	End   string `json:"endDate"`
}

// Platform is what a version runs on, such as openshift, in some minor versions.
type Platform struct {
	Name     string   `json:"name"`
	Versions []string `json:"versions,omitempty"`
}

// Lifecycle returns that of the minor of a version, nil if none is stated.
func (p *Package) Lifecycle(version semver.Version) *Lifecycle {
	minor := fmt.Sprintf("%d.%d", version.Major, version.Minor)
	at := slices.IndexFunc(p.Lifecycles, func(l Lifecycle) bool { return l.Minor == minor })
	if at < 0 {
		return nil
	}
	return &p.Lifecycles[at]
}

// OpenShift lists the minor versions of OpenShift that the version runs on; ok is false if
// none are stated.
func (l *Lifecycle) OpenShift() (versions []string, ok bool) {
	for _, p := range l.Platforms {
		if p.Name == "openshift" {
			versions, ok = append(versions, p.Versions...), true
		}
	}
	return versions, ok
}

// Support is where a minor version stands in its lifecycle on a day.
type Support struct {
	Date  string `json:"date"`
	Minor string `json:"minor"`
	// Phase is empty before the first, after the last, and between two.
	Phase string `json:"phase"`
	// Until is the last day of the phase or, once all have ended, of the last one.
	Until string `json:"until"`
	// Then is the phase that follows, which begins on the day From.
	Then string `json:"then"`
	From string `json:"from"`
}

// On returns where the version stands on a day, given as YYYY-MM-DD.
func (l *Lifecycle) On(date string) *Support {
	s := &Support{Date: date, Minor: l.Minor}
	last := ""
	for _, p := range l.Phases {
		last = max(last, p.End)
		switch {
		case p.Start <= date && date <= p.End:
			s.Phase, s.Until = p.Name, p.End
		case p.Start > date && (s.From == "" || p.Start < s.From):
			s.Then, s.From = p.Name, p.Start
		}
	}
	if s.Phase == "" && s.Then == "" {
		s.Until = last
	}
	return s
}

// Ended reports whether all phases have ended.
func (s *Support) Ended() bool { return s != nil && s.Phase == "" && s.Then == "" && s.Until != "" }

// String says it in a few words; empty if nothing is known.
func (s *Support) String() string {
	switch {
	case s == nil:
		return ""
	case s.Ended():
		return "ended " + s.Until
	case s.Phase == "" && s.Then == "":
		return "no phase is stated"
	case s.Phase == "":
		return s.Then + " from " + s.From
	}
	text := s.Phase + " until " + s.Until
	if s.Then != "" {
		text += ", then " + s.Then
	}
	return text
}
