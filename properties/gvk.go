package properties

import "strings"

// GVK names an API: its group, its version and its kind.
type GVK struct{ Group, Version, Kind string }

// String returns the short form "Kind.version.group", as cluster objects write it.
func (g GVK) String() string { return g.Kind + "." + g.Version + "." + g.Group }

// Describe returns the form for people: "Kind (group/version)".
func (g GVK) Describe() string {
	if g.Group == "" {
		return g.Kind + " (" + g.Version + ")"
	}
	return g.Kind + " (" + g.Group + "/" + g.Version + ")"
}

// Compare orders by group, then kind, then version.
func (g GVK) Compare(other GVK) int {
	if c := strings.Compare(g.Group, other.Group); c != 0 {
		return c
	}
	if c := strings.Compare(g.Kind, other.Kind); c != 0 {
		return c
	}
	return strings.Compare(g.Version, other.Version)
}
