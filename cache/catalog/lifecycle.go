package catalog

import (
	"fmt"
	"slices"

	"github.com/blang/semver/v4"
)

// Lifecycle is the support of a minor version, as the publisher of a package states it in a
// blob of the schema io.openshift.operators.lifecycles.v1alpha1.
type Lifecycle struct {
	// Minor is the version, as MAJOR.MINOR.
	Minor string `json:"name"`
	// Phases are in the stated order. In a catalog without faults each begins on the day
	// after the one before.
	Phases []Phase `json:"phases,omitempty"`
	// Platforms are those that the version supports, such as openshift, with their minor
	// versions.
	Platforms []struct {
		Name     string   `json:"name"`
		Versions []string `json:"versions,omitempty"`
	} `json:"platformCompatibility,omitempty"`
}

// Phase is a period of support. Start and End are its first and last day, as YYYY-MM-DD.
type Phase struct {
	Name  string `json:"name"`
	Start string `json:"startDate"`
	End   string `json:"endDate"`
}

// Lifecycle returns the lifecycle of the minor of a version, nil if none is stated.
func (p *Package) Lifecycle(version semver.Version) *Lifecycle {
	minor := fmt.Sprintf("%d.%d", version.Major, version.Minor)
	at := slices.IndexFunc(p.Lifecycles, func(l Lifecycle) bool { return l.Minor == minor })
	if at < 0 {
		return nil
	}
	return &p.Lifecycles[at]
}

// OpenShift returns the minor versions of OpenShift that the version supports. ok is false
// if none are stated.
func (l *Lifecycle) OpenShift() (versions []string, ok bool) {
	for _, p := range l.Platforms {
		if p.Name == "openshift" {
			versions, ok = append(versions, p.Versions...), true
		}
	}
	return versions, ok
}

// Support is the state of a minor version in its lifecycle on a day.
type Support struct {
	Date  string `json:"date"`
	Minor string `json:"minor"`
	// Phase is the phase on that day, empty before, between and after phases.
	Phase string `json:"phase"`
	// Until is the last day of the phase or, after all phases, of the last one.
	Until string `json:"until"`
	// Then is the next phase, which begins on the day From.
	Then string `json:"then"`
	From string `json:"from"`
}

// On returns the state of the version on a day, given as YYYY-MM-DD.
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

// String describes the state in a few words. It is empty for nil.
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
