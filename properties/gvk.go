package properties

import (
	"cmp"
	"strings"
)

// GVK names an API: its group, its version and its kind.
type GVK struct {
	Group   string `json:"group"`
	Version string `json:"version,omitempty"`
	Kind    string `json:"kind"`
}

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
	return cmp.Or(strings.Compare(g.Group, other.Group), strings.Compare(g.Kind, other.Kind), strings.Compare(g.Version, other.Version))
}
