package inventory

import (
	"slices"
	"strings"

	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/reason"
	"github.com/resolvent/resolvent/resolver/internal/words"
	"github.com/resolvent/resolvent/resolver/result"
)

// OLM's own reasons for a namespace that does not have exactly one OperatorGroup, with which the
// error messages begin, and for one whose OperatorGroup does not fit.
const (
	tooManyGroups    = "TooManyOperatorGroups"
	noGroup          = "NoOperatorGroup"
	unsupportedGroup = "UnsupportedOperatorGroup"
)

// GroupRule is what the OperatorGroup of a namespace requires of bundles.
type GroupRule struct {
	*Group
	// providers lists the groups that provide an API.
	providers *lists[properties.GVK, *Group]
	// installed lists the installed bundles that provide a kind.
	installed *Providers
	// neighbors are the groups of other namespaces that share a namespace with this
	// one; empty if it watches all.
	neighbors []*Group
	// modes are the install modes that a bundle must support.
	modes []properties.InstallMode
	// static holds the only APIs that a group with spec.staticProvidedAPIs admits; nil
	// of any other group.
	static map[properties.GVK]bool
}

// GroupRuleOf reads what the OperatorGroup of a namespace requires, nil if no namespace is
// known to have one. The error is an *InvalidInput: several groups, or none.
func GroupRuleOf(c *cluster.Index, namespace string) (*GroupRule, []result.Reason, error) {
	groups := c.In(namespace).Groups
	invalid := func(err error) error { return &result.InvalidInput{Subject: "namespace " + namespace, Err: err} }
	switch {
	case len(groups) > 1:
		names := words.Mapped(groups, func(g cluster.OperatorGroup) string { return g.Name })
		return nil, nil, invalid(words.TooManyGroups(tooManyGroups, names))
	case len(groups) == 0 && !c.HasGroups(): // none was given, and nothing is judged
		return nil, nil, nil
	case len(groups) == 0:
		return nil, nil, invalid(words.NoGroup(noGroup))
	}
	group := GroupOf(c, namespace)
	var warnings []result.Reason
	if g := group.OperatorGroup; len(g.Dropped) > 0 && len(g.TargetNamespaces) == 0 {
		warnings = append(warnings, reason.SelectorDropped(g.Name, namespace, g.Dropped))
	}
	if len(group.targets) == 0 {
		warnings = append(warnings, reason.NoTargets(group.OperatorGroup.Name, namespace))
	}
	rule := &GroupRule{Group: group, providers: &derivedOf(c).groups.providers, installed: ProvidersIn(c), modes: modesFor(group.OperatorGroup.Namespace, group.targets)}
	if !group.Everywhere() {
		rule.neighbors = derivedOf(c).groups.neighbors(group)
	}
	if group.OperatorGroup.StaticProvidedAPIs {
		rule.static = map[properties.GVK]bool{}
		for _, api := range annotatedAPIs(group) {
			rule.static[api] = true
		}
	}
	return rule, warnings, nil
}

// modesFor returns the install modes that the targets of a group of a namespace
// require.
func modesFor(namespace string, targets []string) []properties.InstallMode {
	switch {
	case len(targets) == 0:
		return nil
	case len(targets) > 1 && slices.Contains(targets, namespace):
		return []properties.InstallMode{properties.MultiNamespace, properties.OwnNamespace}
	case len(targets) > 1:
		return []properties.InstallMode{properties.MultiNamespace}
	case targets[0] == allNamespaces:
		return []properties.InstallMode{properties.AllNamespaces}
	case targets[0] == namespace:
		return []properties.InstallMode{properties.OwnNamespace}
	}
	return []properties.InstallMode{properties.SingleNamespace}
}

// annotatedAPIs reads the annotation olm.providedAPIs, a list of Kind.version.group. It
// passes over members of any other form.
func annotatedAPIs(g *Group) []properties.GVK {
	var list []properties.GVK
	for text := range strings.SplitSeq(g.OperatorGroup.Annotations[words.AnnotationProvidedAPIs], ",") {
		kind, rest, ok := strings.Cut(strings.TrimSpace(text), ".")
		if !ok {
			continue
		}
		version, group, ok := strings.Cut(rest, ".")
		if ok {
			list = append(list, properties.GVK{Group: group, Version: version, Kind: kind})
		}
	}
	return list
}

// Refuses returns why the group rules out a bundle with the properties, nil if it does not. The
// reason leaves the bundle out. open reports whether a namespace is resolved together with this one.
func (g *GroupRule) Refuses(set *properties.Set, open func(namespace string) bool) *result.Reason {
	var bundle reason.About
	this := result.Owner{Name: g.Group.OperatorGroup.Name}
	if mode := lacks(g.modes, set.Metadata()); mode != "" {
		return new(reason.WrongMode(bundle, mode, set.Metadata().SupportedText(), this))
	}
	for _, api := range set.GVKs() {
		if other := g.owner(api, open); other != nil {
			owner := result.Owner{Namespace: other.OperatorGroup.Namespace, Name: other.OperatorGroup.Name}
			return new(reason.TakenAPI(bundle, api, g.installed.in(owner.Namespace, api), owner))
		}
		if g.static != nil && !g.static[api] {
			return new(reason.StaticGroup(bundle, api, this))
		}
	}
	return nil
}

// owner returns the first group of another namespace that provides the API and shares a
// namespace with g, nil if there is none. In open namespaces only annotations count: what
// is installed there may change.
func (g *GroupRule) owner(api properties.GVK, open func(namespace string) bool) *Group {
	others := g.neighbors
	if g.Everywhere() {
		others = g.providers.Of(api)
	}
	for _, other := range others {
		stated, provided := other.provides(api)
		if provided && other.OperatorGroup.Namespace != g.Group.OperatorGroup.Namespace && (stated || !open(other.OperatorGroup.Namespace)) {
			return other
		}
	}
	return nil
}
