package oracle

import "slices"

// Group is an OperatorGroup. Without targets it watches all namespaces.
type Group struct {
	Namespace string
	Targets   []string
	// Static and Provides are staticProvidedAPIs and the kinds of the annotation.
	Static   bool
	Provides []string
	// OwnCatalogs leaves the catalogs of the global namespaces out.
	OwnCatalogs bool
	// FailForward has OLM move on from what failed.
	FailForward bool
}

// counts reports whether something installed is there for resolution.
func (p *Problem) counts(i Installed) bool {
	forward := p.Group != nil && p.Group.FailForward && slices.ContainsFunc(p.Installed, func(o Installed) bool { return o.Replaces == i.Name })
	return i.LeftOut == "" || i.LeftOut == "failed" && !forward
}

// watches reports whether the namespace is a target of the group.
func (g *Group) watches(namespace string) bool {
	return len(g.Targets) == 0 || slices.Contains(g.Targets, namespace)
}

// meets reports whether two groups have a namespace in common. The own namespace
// of each counts.
func (g *Group) meets(o *Group) bool {
	if len(g.Targets) == 0 || len(o.Targets) == 0 {
		return true
	}
	return overlap(append(slices.Clone(g.Targets), g.Namespace), append(slices.Clone(o.Targets), o.Namespace))
}

// modes are the install modes that the group needs.
func (g *Group) modes() []string {
	switch {
	case len(g.Targets) == 0:
		return []string{"AllNamespaces"}
	case len(g.Targets) > 1 && slices.Contains(g.Targets, g.Namespace):
		return []string{"MultiNamespace", "OwnNamespace"}
	case len(g.Targets) > 1:
		return []string{"MultiNamespace"}
	case g.Targets[0] == g.Namespace:
		return []string{"OwnNamespace"}
	}
	return []string{"SingleNamespace"}
}

// refuses reports whether the group of the namespace rules a bundle out.
func (p *Problem) refuses(b Bundle) bool {
	if p.Group == nil {
		return false
	}
	for _, mode := range p.Group.modes() {
		if len(b.Modes) > 0 && !slices.Contains(b.Modes, mode) {
			return true
		}
	}
	for _, kind := range b.Provides {
		if p.Group.Static && !slices.Contains(p.Group.Provides, kind) {
			return true
		}
		for i := range p.Groups {
			if o := &p.Groups[i]; slices.Contains(o.Provides, kind) && p.Group.meets(o) {
				return true
			}
		}
	}
	return false
}
