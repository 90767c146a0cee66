package resolver

import (
	"fmt"
	"slices"
	"strings"

	"github.com/resolvent/resolvent/properties"
)

// OLM's own names for what an OperatorGroup refuses; they open the messages.
const (
	unsupportedGroup   = "UnsupportedOperatorGroup"
	groupOwnerConflict = "InterOperatorGroupOwnerConflict"
	staticGroup        = "CannotModifyStaticOperatorGroupProvidedAPIs"
	tooManyGroups      = "TooManyOperatorGroups"
	noGroup            = "NoOperatorGroup"
)

// allNamespaces is the target that stands for all.
const allNamespaces = ""

// groupRule is what the OperatorGroup of a namespace asks of bundles.
type groupRule struct {
	group *OperatorGroup
	// modes are the install modes that a bundle must support.
	modes []properties.InstallMode
	// taken are the APIs of groups with common targets, and whose they are.
	taken map[properties.GVK]*OperatorGroup
	// static holds the only APIs that a static group admits; nil otherwise.
	static map[properties.GVK]bool
}

// readGroup reads the rule of the problem's namespace; nil if there is none.
// Several groups, or none where one is required, are an *InvalidInput.
func (p *problem) readGroup() (*groupRule, error) {
	groups := p.state.groups
	switch {
	case len(groups) > 1:
		names := make([]string, len(groups))
		for i := range groups {
			names[i] = groups[i].Name
		}
		return nil, &InvalidInput{
			Subject: "namespace " + p.namespace,
			Err:     fmt.Errorf("%s: it has %d OperatorGroups (%s); delete all but one", tooManyGroups, len(groups), strings.Join(names, ", ")),
		}
	case len(groups) == 0 && p.options.RequireOperatorGroup:
		return nil, &InvalidInput{
			Subject: "namespace " + p.namespace,
			Err:     fmt.Errorf("%s: it has no OperatorGroup; create one", noGroup),
		}
	case len(groups) == 0:
		if len(p.cluster.objects.OperatorGroups) > 0 {
			p.visibility.warnings = append(p.visibility.warnings, Warning{
				Kind: WarnNoOperatorGroup, Subject: p.namespace,
				Message: fmt.Sprintf("namespace %s has no OperatorGroup: OLM will not run operators there", p.namespace),
			})
		}
		return nil, nil
	}
	group := &groups[0]
	targets := p.cluster.targets(group)
	rule := &groupRule{group: group, modes: modesFor(group.Namespace, targets)}
	if group.StaticProvidedAPIs {
		rule.static = map[properties.GVK]bool{}
		for _, api := range group.annotatedAPIs() {
			rule.static[api] = true
		}
	}
	rule.taken = p.cluster.takenAPIs(group, targets)
	return rule, nil
}

// targets returns the namespaces that a group watches, sorted; a single
// allNamespaces stands for all.
func (c *Cluster) targets(g *OperatorGroup) []string {
	targets := g.StatusNamespaces
	if len(targets) == 0 {
		targets = g.TargetNamespaces
	}
	if len(targets) == 0 {
		if g.Selector.Empty() {
			return []string{allNamespaces}
		}
		for _, n := range c.objects.Namespaces {
			if g.Selector.Matches(n.Labels) {
				targets = append(targets, n.Name)
			}
		}
	}
	if slices.Contains(targets, allNamespaces) {
		return []string{allNamespaces}
	}
	targets = slices.Clone(targets)
	slices.Sort(targets)
	return slices.Compact(targets)
}

// modesFor returns the install modes that the targets of a group in namespace
// own ask for.
func modesFor(own string, targets []string) []properties.InstallMode {
	switch {
	case len(targets) == 0:
		return nil
	case len(targets) > 1 && slices.Contains(targets, own):
		return []properties.InstallMode{properties.MultiNamespace, properties.OwnNamespace}
	case len(targets) > 1:
		return []properties.InstallMode{properties.MultiNamespace}
	case targets[0] == allNamespaces:
		return []properties.InstallMode{properties.AllNamespaces}
	case targets[0] == own:
		return []properties.InstallMode{properties.OwnNamespace}
	}
	return []properties.InstallMode{properties.SingleNamespace}
}

// annotatedAPIs reads the annotation olm.providedAPIs, a list of
// Kind.version.group; what does not have that form is passed over.
func (g *OperatorGroup) annotatedAPIs() []properties.GVK {
	var list []properties.GVK
	for text := range strings.SplitSeq(g.Annotations[AnnotationProvidedAPIs], ",") {
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

// takenAPIs returns the APIs of the groups of other namespaces whose targets
// and those of g have a namespace in common.
func (c *Cluster) takenAPIs(g *OperatorGroup, targets []string) map[properties.GVK]*OperatorGroup {
	var taken map[properties.GVK]*OperatorGroup
	for i := range c.objects.OperatorGroups {
		other := &c.objects.OperatorGroups[i]
		if other.Namespace == g.Namespace || !intersect(g.Namespace, targets, other.Namespace, c.targets(other)) {
			continue
		}
		apis := other.annotatedAPIs()
		if !other.StaticProvidedAPIs {
			apis = append(apis, c.in(other.Namespace).providedAPIs()...)
		}
		for _, api := range apis {
			if taken == nil {
				taken = map[properties.GVK]*OperatorGroup{}
			}
			if first, ok := taken[api]; !ok || other.Namespace < first.Namespace {
				taken[api] = other
			}
		}
	}
	return taken
}

// intersect reports whether two groups share a namespace. A group's own
// namespace always counts as one of its targets.
func intersect(ownA string, a []string, ownB string, b []string) bool {
	if slices.Contains(a, allNamespaces) || slices.Contains(b, allNamespaces) {
		return true
	}
	hasB := func(n string) bool { return n == ownB || slices.Contains(b, n) }
	return hasB(ownA) || slices.ContainsFunc(a, hasB)
}

// providedAPIs returns the APIs of the installed bundles that count. Bundles
// whose properties cannot be read provide what their objects list; they fail
// their own namespace, not its neighbours.
func (n *namespaceState) providedAPIs() []properties.GVK {
	var list []properties.GVK
	for _, csv := range n.counting() {
		props, err := n.propertiesOf(csv, "0.0.0")
		if err != nil {
			list = append(list, csv.Provides...)
			continue
		}
		set, _ := properties.Decode(props, nil)
		list = append(list, set.GVKs()...)
	}
	return list
}

// refuses says why the group rules a bundle out, if it does.
func (g *groupRule) refuses(set *properties.Set) (string, bool) {
	if m := set.Metadata(); m != nil && m.StatesModes() {
		for _, mode := range g.modes {
			if !m.Supports(mode) {
				return fmt.Sprintf("cannot run under OperatorGroup %s (%s): it does not support install mode %s",
					g.group.Name, unsupportedGroup, mode), true
			}
		}
	}
	for _, api := range set.GVKs() {
		if other, ok := g.taken[api]; ok {
			return fmt.Sprintf("provides %s, which OperatorGroup %s/%s with common target namespaces provides already (%s)",
				api.Describe(), other.Namespace, other.Name, groupOwnerConflict), true
		}
		if g.static != nil && !g.static[api] {
			return fmt.Sprintf("provides %s, which the static OperatorGroup %s does not list (%s)",
				api.Describe(), g.group.Name, staticGroup), true
		}
	}
	return "", false
}
