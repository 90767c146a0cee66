package properties

import (
	"cmp"
	"strings"
)

// GVK identifies an API by group, version and kind.
type GVK struct {
	Group   string `json:"group"`
	Version string `json:"version,omitempty"`
	Kind    string `json:"kind"`
}

// String returns the form of cluster objects, "Kind.version.group".
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
