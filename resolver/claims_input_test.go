package resolver_test

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"

	masterminds "github.com/Masterminds/semver/v3"
	"github.com/blang/semver/v4"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/constraints"
	"github.com/resolvent/resolvent/constraints/rules"
	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/resolver"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/model"
	"github.com/resolvent/resolvent/resolver/internal/words"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/resolver/scenario"
)

// facts are the input of a problem, read straight from its objects and snapshots.
// What a sentence says of the input is checked against them.
type facts struct {
	*scenario.Question
	ctx     context.Context
	objects cluster.Objects
	// extension is what is resolved; nil for namespaces.
	extension *cluster.ClusterExtension
	parser    *constraints.Parser
	known     map[string][]*stated
}

func newFacts(ctx context.Context, in *scenario.Question, extension string) *facts {
	f := &facts{Question: in, ctx: ctx, objects: in.Problem.Cluster.Objects(), parser: constraints.NewParser(constraints.Limits{}), known: map[string][]*stated{}}
	for i := range f.objects.ClusterExtensions {
		if e := &f.objects.ClusterExtensions[i]; e.Name == extension {
			f.extension = e
		}
	}
	return f
}

// stated is a bundle with what it states. Several may stand for what an extension
// has installed: one for each catalog that has it.
type stated struct {
	name      string
	namespace string // that it is installed in, or could be; empty for an extension
	catalog   *cache.Catalog
	bundle    *catalog.Bundle
	version   semver.Version
	set       *properties.Set
	requires  []constraints.Constraint
	installed bool
	foreign   bool // for an extension, what others have installed
	// managed says that a request has installed it, and packages are those that its
	// properties or these requests name.
	managed  bool
	packages []string
	// offered to whoever requires it; named ones are reached by a startingCSV.
	offered, named bool
	// isInstalled: a catalog's entry that is an installed bundle.
	isInstalled bool
}

// is reports whether the reference names the bundle.
func (b *stated) is(ref result.BundleRef) bool {
	return b.name == ref.Bundle.Name && b.installed == ref.Installed && b.key() == ref.Bundle.Catalog && (ref.Namespace == "" || ref.Namespace == b.namespace)
}

func (b *stated) key() catalog.Key {
	if b.catalog == nil {
		return catalog.Key{}
	}
	return b.catalog.Key
}

// pkg is the package that the bundle is shown with.
func (b *stated) pkg() string {
	if b.bundle != nil {
		return b.bundle.Package
	}
	if pkg, ok := b.set.Package(); ok {
		return pkg.Name
	}
	return strings.Join(b.packages[:min(1, len(b.packages))], "")
}

// home is the namespace that a reason is about.
func (f *facts) home(namespace string) string {
	if namespace == "" && f.extension == nil {
		return f.Scopes[0].Name
	}
	return namespace
}

// sees reports whether the namespace, or the extension, may use a catalog.
func (f *facts) sees(namespace string, c *cache.Catalog) bool {
	if !c.Healthy() || slices.Contains(f.Problem.Options.ExcludeCatalogs, c.Key) || (namespace == "") != (c.Key.Namespace == "") {
		return false
	}
	if namespace == "" {
		declared := f.declared(c.Key.Name)
		return declared == nil || !declared.Unavailable && !declared.NotServing
	}
	if slices.ContainsFunc(f.objects.CatalogSources, func(s cluster.CatalogSource) bool { return s.Key == c.Key && !s.Healthy() }) {
		return false
	}
	return c.Key.Namespace == namespace || f.isGlobal(c.Key) && !f.leftOut(namespace, c.Key)
}

func (f *facts) isGlobal(k catalog.Key) bool {
	globals := f.Problem.Options.GlobalNamespaces
	if globals == nil {
		globals = []string{"olm", "openshift-marketplace"}
	}
	return slices.Contains(globals, k.Namespace)
}

// leftOut reports whether an OperatorGroup leaves out a global catalog.
func (f *facts) leftOut(namespace string, k catalog.Key) bool {
	return k.Namespace != namespace && f.isGlobal(k) && slices.ContainsFunc(f.objects.OperatorGroups, func(g cluster.OperatorGroup) bool {
		return g.Namespace == namespace && g.Annotations[words.AnnotationExcludeGlobal] == "true"
	})
}

func (f *facts) declared(name string) *cluster.ClusterCatalog {
	i := slices.IndexFunc(f.objects.ClusterCatalogs, func(c cluster.ClusterCatalog) bool { return c.Name == name })
	if i < 0 {
		return nil
	}
	return &f.objects.ClusterCatalogs[i]
}

// visible lists the catalogs that count.
func (f *facts) visible(namespace string) []*cache.Catalog {
	var list []*cache.Catalog
	for c := range f.Problem.Catalogs.Catalogs() {
		if f.sees(namespace, c) {
			list = append(list, c)
		}
	}
	return list
}

func keysOf(list []*cache.Catalog) []catalog.Key {
	keys := make([]catalog.Key, len(list))
	for i, c := range list {
		keys[i] = c.Key
	}
	return keys
}

// bundles lists all that a namespace, or the extension, has installed or could
// select.
func (f *facts) bundles(namespace string) []*stated {
	if list, ok := f.known[namespace]; ok {
		return list
	}
	var list []*stated
	if f.extension == nil {
		list = f.installedIn(namespace, false)
	} else {
		list = f.beside()
	}
	installed := list
	for _, c := range f.visible(namespace) {
		for id := range catalog.ID(c.Snapshot.Len()) {
			list = append(list, f.offered(namespace, c, id, installed))
		}
	}
	f.known[namespace] = list
	return list
}

func (f *facts) offered(namespace string, c *cache.Catalog, id catalog.ID, installed []*stated) *stated {
	b := c.Snapshot.Bundle(id)
	s := &stated{
		name: b.Name, namespace: namespace, catalog: c, bundle: b, version: b.Version, set: b.Properties, requires: b.Constraints,
		packages: []string{b.Package}, offered: f.extension != nil,
	}
	for _, ch := range c.Snapshot.Package(b.Package).Channels {
		s.offered = s.offered || gives(ch, b.Name)
	}
	for _, sub := range f.subscriptions(namespace) {
		listed := slices.ContainsFunc(c.Snapshot.Package(b.Package).Channels, func(ch *catalog.Channel) bool {
			return (sub.Channel == "" || sub.Channel == ch.Name) && ch.Entry(b.Name) != nil
		})
		s.named = s.named || !s.offered && listed && sub.Package == b.Package && sub.StartingCSV == b.Name && f.current(&sub) == nil && (sub.Catalog == "" || sub.Names(c.Key))
	}
	for _, i := range installed {
		if f.extension == nil {
			s.isInstalled = s.isInstalled || i.managed && i.name == b.Name && slices.Contains(i.packages, b.Package)
		}
	}
	if f.extension != nil && f.extension.Installed != nil {
		s.isInstalled = b.Package == f.extension.Package && released(b) == installedRelease(f.extension.Installed)
	}
	return s
}

// gives reports whether a channel offers a bundle to everyone.
func gives(ch *catalog.Channel, name string) bool {
	e := ch.Entry(name)
	return e != nil && e.Bundle != catalog.NoBundle && onChain(ch, name) && skippedBy(ch, name) == ""
}

// onChain walks from the head along replaces.
func onChain(ch *catalog.Channel, name string) bool {
	for e := ch.Head(); e != nil; e = ch.Entry(e.Replaces) {
		if e.Name == name {
			return true
		}
	}
	return false
}

// skippedBy names an entry of the channel that skips a bundle.
func skippedBy(ch *catalog.Channel, name string) string {
	for i := range ch.Entries {
		if e := &ch.Entries[i]; e.Name != name && slices.Contains(e.Skips, name) {
			return e.Name
		}
	}
	return ""
}

// released is version and release of a bundle as one text.
func released(b *catalog.Bundle) string { return releaseText(b.Version, string(b.Release)) }

func installedRelease(e *cluster.InstalledExtension) string {
	if e.HasRelease && e.Release == "" {
		return e.Version
	}
	return releaseText(semver.MustParse(e.Version), e.Release)
}

func releaseText(v semver.Version, release string) string {
	if release == "" {
		release = strings.Join(v.Build, ".")
	} else {
		v.Build = nil
	}
	v.Build = nil
	return v.String() + "+" + release
}

func (f *facts) subscriptions(namespace string) []cluster.Subscription {
	return slices.DeleteFunc(slices.Clone(f.objects.Subscriptions), func(s cluster.Subscription) bool { return s.Namespace != namespace })
}

// current is what a Subscription has installed.
func (f *facts) current(s *cluster.Subscription) *cluster.ClusterServiceVersion {
	for i := range f.objects.CSVs {
		if v := &f.objects.CSVs[i]; v.Namespace == s.Namespace && v.Name == s.InstalledCSV && f.counts(v) {
			return v
		}
	}
	return nil
}

func (f *facts) counts(v *cluster.ClusterServiceVersion) bool {
	_, label := v.Labels[cluster.LabelCopiedFrom]
	home, annotated := v.Annotations[words.AnnotationOperatorNamespace]
	if v.Reason == "Copied" || label || annotated && home != v.Namespace || v.Phase == "Deleting" {
		return false
	}
	if v.Phase != "Replacing" || !slices.ContainsFunc(f.objects.CSVs, func(o cluster.ClusterServiceVersion) bool {
		return o.Namespace == v.Namespace && o.Replaces == v.Name
	}) {
		return true
	}
	forward := slices.ContainsFunc(f.objects.OperatorGroups, func(g cluster.OperatorGroup) bool { return g.Namespace == v.Namespace && g.FailForward })
	return resolver.EndsInFailure(f.Problem.Cluster, v.Namespace, v.Name) && !forward
}

func (f *facts) installedIn(namespace string, foreign bool) []*stated {
	var list []*stated
	for i := range f.objects.CSVs {
		v := &f.objects.CSVs[i]
		if v.Namespace != namespace || !f.counts(v) {
			continue
		}
		s := &stated{name: v.Name, namespace: namespace, installed: true, foreign: foreign}
		for _, sub := range f.subscriptions(namespace) {
			if sub.InstalledCSV == v.Name {
				s.managed = true
				s.packages = append(s.packages, sub.Package)
			}
		}
		slices.Sort(s.packages)
		s.packages = slices.Compact(s.packages)
		f.decode(s, v)
		s.version, _ = semver.Parse(v.Version)
		if pkg, ok := s.set.Package(); ok {
			if v.Version == "" {
				s.version = pkg.Version
			}
			s.packages = append(s.packages, pkg.Name)
		}
		if foreign {
			s.namespace = ""
		}
		list = append(list, s)
	}
	return list
}

// decode reads what an installed bundle states: its annotation or, without one that can
// be read, its APIs and the only package that subscribes to it.
func (f *facts) decode(s *stated, v *cluster.ClusterServiceVersion) {
	var annotation struct {
		Properties []struct {
			Type  string
			Value json.RawMessage
		}
	}
	err := json.Unmarshal([]byte(v.Annotations[cluster.AnnotationProperties]), &annotation)
	var list []properties.Property
	for _, p := range annotation.Properties {
		list = append(list, properties.Property{Type: p.Type, Value: []byte(p.Value)})
	}
	set, faults := properties.Decode(list, nil)
	if err != nil || slices.ContainsFunc(faults, func(p properties.Fault) bool { return p.Fatal && p.Index >= 0 }) {
		set, _ = properties.Decode(listedIn(s, v), nil)
	}
	s.set = set
	s.requires, _ = f.parser.ParseSet(set)
}

// listedIn are the properties of what the object of an installed bundle lists.
func listedIn(s *stated, v *cluster.ClusterServiceVersion) []properties.Property {
	var list []properties.Property
	for kind, apis := range map[string][]properties.GVK{properties.TypeGVK: v.Provides, properties.TypeGVKRequired: v.Requires} {
		for _, g := range apis {
			list = append(list, properties.NewProperty(kind, g))
		}
	}
	if len(s.packages) == 1 {
		list = append(list, packageOf(s.packages[0], cmp.Or(v.Version, "0.0.0")))
	}
	return list
}

func packageOf(name, version string) properties.Property {
	return properties.NewProperty(properties.TypePackage, map[string]string{"packageName": name, "version": version})
}

// beside lists what the extension has installed, and all else that is.
func (f *facts) beside() []*stated {
	var list []*stated
	for i := range f.objects.ClusterExtensions {
		if e := &f.objects.ClusterExtensions[i]; e.Installed != nil {
			list = append(list, f.installedExtension(e)...)
		}
	}
	var namespaces []string
	for i := range f.objects.CSVs {
		namespaces = append(namespaces, f.objects.CSVs[i].Namespace)
	}
	slices.Sort(namespaces)
	for _, n := range slices.Compact(namespaces) {
		list = append(list, f.installedIn(n, true)...)
	}
	return list
}

func (f *facts) installedExtension(e *cluster.ClusterExtension) []*stated {
	var list []*stated
	add := func(set *properties.Set, requires []constraints.Constraint) {
		version, _ := semver.Parse(e.Installed.Version)
		list = append(list, &stated{
			name: e.Installed.Name, version: version, set: set, requires: requires,
			installed: true, managed: e == f.extension, foreign: e != f.extension, packages: []string{e.Package},
		})
	}
	from := f.visible("")
	slices.SortStableFunc(from, func(a, b *cache.Catalog) int { return cmp.Compare(b.Priority, a.Priority) })
	for _, c := range from {
		if pkg := c.Snapshot.Package(e.Package); pkg != nil {
			for _, id := range pkg.Bundles {
				if b := c.Snapshot.Bundle(id); released(b) == installedRelease(e.Installed) {
					add(b.Properties, b.Constraints)
				}
			}
		}
	}
	if list == nil {
		set, _ := properties.Decode([]properties.Property{packageOf(e.Package, e.Installed.Version)}, nil)
		add(set, nil)
	}
	if e != f.extension {
		list = list[:1] // the first catalog counts
	}
	return list
}

// find returns the bundles that a reference names.
func (f *facts) find(ref result.BundleRef) []*stated {
	var list []*stated
	for _, b := range f.bundles(f.home(ref.Namespace)) {
		if b.is(ref) {
			list = append(list, b)
		}
	}
	return list
}

// of returns the bundles that a reason is about.
func (f *facts) of(r *result.Reason) []*stated {
	return f.find(result.BundleRef{Namespace: r.Args().Namespace, Bundle: catalog.BundleKey{Name: r.Args().Bundle, Catalog: r.Args().Catalog}, Installed: r.Args().Catalog == catalog.Key{}})
}

// matches reports whether a bundle satisfies an expression by itself.
func (f *facts) matches(namespace string, e constraints.Expr, b *stated) bool {
	verdict, _, _ := constraints.Match(f.ctx, e, b.set, f.cluster(namespace))
	return verdict == rules.Yes
}

// cluster is what rules see of it.
func (f *facts) cluster(namespace string) rules.Facts {
	return rules.Facts{
		KubernetesVersion: f.objects.KubernetesVersion, OpenShiftVersion: f.objects.OpenShiftVersion, Namespace: namespace, Labels: f.objects.Labels,
	}
}

// candidates lists what a bundle of the namespace may satisfy an expression with.
func (f *facts) candidates(namespace string, e constraints.Expr) []*stated {
	var list []*stated
	for _, n := range f.within(namespace) {
		for _, b := range f.bundles(n) {
			if b.installed || !b.isInstalled && (b.offered || b.named) {
				if f.matches(namespace, e, b) {
					list = append(list, b)
				}
			}
		}
	}
	return list
}

// within lists the namespaces from which obligations of one can be met.
func (f *facts) within(namespace string) []string {
	list := []string{namespace}
	if f.Problem.Options.Jointly {
		for i := range f.objects.OperatorGroups {
			g := &f.objects.OperatorGroups[i]
			if targets := f.targets(g); g.Namespace != namespace && slices.Contains(f.Scopes, cluster.InNamespace(g.Namespace)) &&
				(slices.Contains(targets, "") || slices.Contains(targets, namespace)) {
				list = append(list, g.Namespace)
			}
		}
	}
	return list
}

// targets are the namespaces that a group watches; the empty one stands for all.
func (f *facts) targets(g *cluster.OperatorGroup) []string {
	switch {
	case g.HasStatus:
		return g.StatusNamespaces
	case len(g.TargetNamespaces) > 0:
		return g.TargetNamespaces
	case g.Selector.Empty():
		return []string{""}
	}
	var list []string
	for _, n := range f.objects.Namespaces {
		if g.Selector.Matches(n.Labels) {
			list = append(list, n.Name)
		}
	}
	return list
}

// object is the request with all that it asks for.
func (f *facts) object(r *result.Request) (*cluster.Subscription, *cluster.ClusterExtension) {
	if r.Key.Kind == cluster.KindExtension {
		return nil, f.extension
	}
	for i := range f.objects.Subscriptions {
		if s := &f.objects.Subscriptions[i]; s.Namespace == f.home(r.Key.Namespace) && s.Name == r.Key.Name {
			return s, nil
		}
	}
	return nil, nil
}

// asked lists the catalogs that a request may be met from first.
func (f *facts) asked(r *result.Request) []*cache.Catalog {
	s, e := f.object(r)
	return slices.DeleteFunc(f.visible(f.home(r.Key.Namespace)), func(c *cache.Catalog) bool {
		if e != nil {
			labels := map[string]string{"olm.operatorframework.io/metadata.name": c.Key.Name}
			for k, v := range c.Labels {
				labels[k] = v
			}
			return !e.Selector.Matches(labels)
		}
		return s.Catalog != "" && !s.Names(c.Key)
	})
}

// meets lists what can meet a request; of an extension what each catalog has.
func (f *facts) meets(r *result.Request) []*stated {
	s, e := f.object(r)
	if e != nil {
		offered := slices.DeleteFunc(slices.Clone(f.bundles("")), func(b *stated) bool {
			return b.bundle == nil || !slices.Contains(keysOf(f.asked(r)), b.key()) || !f.offers(e, b)
		})
		return slices.DeleteFunc(slices.Clone(offered), func(b *stated) bool { return f.behindRefused(e, offered, b) })
	}
	update := f.current(s) != nil
	if !f.names(s, f.asked(r), !update && s.StartingCSV != "") {
		return nil
	}
	if update {
		return f.updates(s, f.asked(r))
	}
	var list []*stated
	for _, b := range f.bundles(s.Namespace) {
		switch {
		case b.installed:
			if b.managed && slices.Contains(b.packages, s.Package) && (s.StartingCSV == "" || s.StartingCSV == b.name) {
				list = append(list, b)
			}
		case b.bundle.Package == s.Package && slices.Contains(keysOf(f.asked(r)), b.key()) && f.installs(s, b):
			list = append(list, f.standsFor(b))
		}
	}
	return list
}

// behindRefused reports whether OLM v1 refuses a bundle, or one that its catalog offers
// before it, where that is a failure: candidates end there.
func (f *facts) behindRefused(e *cluster.ClusterExtension, offered []*stated, b *stated) bool {
	return f.Problem.Options.AsOLMv1 && slices.ContainsFunc(offered, func(o *stated) bool {
		before := cmp.Or(model.Deprecated(o.bundle)-model.Deprecated(b.bundle), model.ReleaseOf(b.bundle).Compare(model.ReleaseOf(o.bundle)))
		return o.catalog == b.catalog && (o == b || before < 0) && f.refusedByV1(e, o)
	})
}

func (f *facts) refusedByV1(e *cluster.ClusterExtension, b *stated) bool {
	m := b.set.Metadata()
	return modesRefused(f.Problem.Options.OLMv1, m, e) || len(m.APIServices()) > 0 || slices.ContainsFunc(b.requires, func(c constraints.Constraint) bool {
		return c.Type != properties.TypeLabelRequired
	})
}

// names reports whether a catalog has what the Subscription names: a channel with an
// order or, if that counts, the bundle to begin with.
func (f *facts) names(s *cluster.Subscription, asked []*cache.Catalog, starting bool) bool {
	for _, x := range asked {
		if pkg := x.Snapshot.Package(s.Package); pkg != nil {
			for _, ch := range pkg.Channels {
				e := ch.Entry(s.StartingCSV)
				if (s.Channel == "" || s.Channel == ch.Name) && (starting && e != nil && e.Bundle != catalog.NoBundle || !starting && ch.Fault == "") {
					return true
				}
			}
		}
	}
	return false
}

// installs reports whether a new Subscription may take a catalog's bundle.
func (f *facts) installs(s *cluster.Subscription, b *stated) bool {
	if s.StartingCSV != "" && s.StartingCSV != b.name {
		return false
	}
	for _, ch := range b.catalog.Snapshot.Package(b.bundle.Package).Channels {
		if (s.Channel == "" || s.Channel == ch.Name) && ch.Entry(b.name) != nil &&
			ch.Entry(b.name).Bundle != catalog.NoBundle && (s.StartingCSV != "" || gives(ch, b.name)) {
			return true
		}
	}
	return false
}

// standsFor returns the installed bundle that an entry is, or the entry.
func (f *facts) standsFor(b *stated) *stated {
	if b.isInstalled {
		for _, i := range f.bundles(b.namespace) {
			if i.installed && i.name == b.name {
				return i
			}
		}
	}
	return b
}

func (f *facts) updates(s *cluster.Subscription, named []*cache.Catalog) []*stated {
	cur := f.installedAs(s.Namespace, s.InstalledCSV)
	list := []*stated{cur}
	if f.hold(s.Namespace, cur.name) != nil {
		return list
	}
	from := f.visible(s.Namespace)
	if f.Problem.Options.NamedUpdates {
		from = named
	}
	for _, b := range f.bundles(s.Namespace) {
		if b.bundle != nil && b.bundle.Package == s.Package && slices.Contains(keysOf(from), b.key()) && f.follows(s, b, cur) {
			list = append(list, f.standsFor(b))
		}
	}
	return list
}

func (f *facts) installedAs(namespace, name string) *stated {
	for _, b := range f.bundles(namespace) {
		if b.installed && b.name == name {
			return b
		}
	}
	return nil
}

// follows reports whether a channel that counts has an edge from what is installed
// to the bundle.
func (f *facts) follows(s *cluster.Subscription, b, cur *stated) bool {
	pkg := b.catalog.Snapshot.Package(s.Package)
	var listing, channels []*catalog.Channel
	for _, ch := range pkg.Channels {
		if ch.Fault != "" || s.Channel != "" && ch.Name != s.Channel {
			continue
		}
		channels = append(channels, ch)
		if ch.Entry(cur.name) != nil {
			listing = append(listing, ch)
		}
	}
	if s.Channel == "" && len(listing) > 0 {
		channels = listing
		if i := slices.IndexFunc(listing, func(ch *catalog.Channel) bool { return ch.Name == pkg.DefaultChannel }); i >= 0 {
			channels = listing[i : i+1]
		}
	}
	return slices.ContainsFunc(channels, func(ch *catalog.Channel) bool { return edge(ch, b.name, cur) && !leadsDown(ch, b.name, cur.name) })
}

// edge reports whether an entry that is offered replaces, skips or covers what is
// installed.
func edge(ch *catalog.Channel, name string, cur *stated) bool {
	e := ch.Entry(name)
	return name != cur.name && gives(ch, name) && succeeds(e, cur.name, cur.version)
}

func succeeds(e *catalog.Entry, name string, version semver.Version) bool {
	return e.Replaces == name || slices.Contains(e.Skips, name) || e.SkipRange.Contains(version)
}

// leadsDown reports whether replaces leads from one entry down to another.
func leadsDown(ch *catalog.Channel, name, from string) bool {
	e := ch.Entry(from)
	for range ch.Entries {
		if e == nil {
			return false
		}
		if e = ch.Entry(e.Replaces); e != nil && e.Name == name {
			return true
		}
	}
	return false
}

// hold is why the operator of an installed bundle refuses updates.
func (f *facts) hold(namespace, name string) *result.Hold {
	for _, c := range f.objects.OperatorConditions {
		if c.Namespace == namespace && c.Name == name && c.Upgradeable != nil && c.Upgradeable.Status == "False" {
			return &result.Hold{Reason: c.Upgradeable.Reason, Message: c.Upgradeable.Message}
		}
	}
	return nil
}

// offers reports whether a catalog's bundle meets an extension.
func (f *facts) offers(e *cluster.ClusterExtension, b *stated) bool {
	if b.bundle.Package != e.Package || !f.listed(e, b) || !accepts(e.Version, b.version) {
		return false
	}
	return e.Installed == nil || e.SelfCertified || released(b.bundle) == installedRelease(e.Installed) || f.succeedsInstalled(e, b)
}

// listed reports whether a channel that the extension allows lists the bundle.
func (f *facts) listed(e *cluster.ClusterExtension, b *stated) bool {
	return len(e.Channels) == 0 || slices.ContainsFunc(allowed(e, b), func(ch *catalog.Channel) bool { return ch.Entry(b.name) != nil })
}

func allowed(e *cluster.ClusterExtension, b *stated) []*catalog.Channel {
	return slices.DeleteFunc(slices.Clone(b.catalog.Snapshot.Package(b.bundle.Package).Channels), func(ch *catalog.Channel) bool {
		return len(e.Channels) > 0 && !slices.Contains(e.Channels, ch.Name)
	})
}

func (f *facts) succeedsInstalled(e *cluster.ClusterExtension, b *stated) bool {
	version := semver.MustParse(e.Installed.Version)
	return slices.ContainsFunc(allowed(e, b), func(ch *catalog.Channel) bool {
		entry := ch.Entry(b.name)
		return entry != nil && succeeds(entry, e.Installed.Name, version)
	})
}

// accepts reports whether the range of an extension has a version.
func accepts(text string, v semver.Version) bool {
	if text == "" {
		return true
	}
	r, err := masterminds.NewConstraint(text)
	if err != nil {
		return false
	}
	v.Build = nil
	return r.Check(masterminds.MustParse(v.String()))
}
