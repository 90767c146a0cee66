package inventory

import (
	"fmt"
	"slices"
	"strings"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/reason"
	"github.com/resolvent/resolvent/resolver/internal/words"
	"github.com/resolvent/resolvent/resolver/policy"
	"github.com/resolvent/resolvent/resolver/result"
)

// Visibility holds the catalogs that a namespace or a ClusterExtension sees.
type Visibility struct {
	// Catalogs are those that can be used, in the order of the view.
	Catalogs []*cache.Catalog
	// Unhealthy are those that cannot be used, by key.
	Unhealthy []result.UnhealthyCatalog
	// NotGiven are those of the cluster that may serve and whose content was not given.
	NotGiven []catalog.Key
	Warnings []result.Reason
}

// Visible finds the catalogs that a namespace sees: its own and the global ones.
func Visible(namespace string, known *cluster.Index, view *cache.View, options *policy.Options) Visibility {
	state := known.In(namespace)
	used := func(k catalog.Key) bool {
		return slices.ContainsFunc(state.Subscriptions, func(s cluster.Subscription) bool { return s.Names(k) }) ||
			slices.ContainsFunc(known.ClusterScoped().CatalogSources, func(s cluster.CatalogSource) bool { return s.Key == k })
	}
	sees := func(k catalog.Key) bool {
		return !slices.Contains(options.ExcludeCatalogs, k) && Sees(state, namespace, k, options)
	}
	v := read(view, sees, func(c *cache.Catalog) error { return health(known, c) }, func(*cache.Catalog) bool { return true })
	for _, source := range known.ClusterScoped().CatalogSources {
		switch key := source.Key; {
		case view.Catalog(key) != nil || !sees(key):
		case !source.Healthy():
			v.Unhealthy = append(v.Unhealthy, result.UnhealthyCatalog{Key: key, Err: notReady(&source)})
		default:
			named := slices.ContainsFunc(state.Subscriptions, func(s cluster.Subscription) bool { return s.Names(key) })
			v.NotGiven = append(v.NotGiven, key)
			v.addMissing(reason.CatalogUnnamed, key, named, noContent(key, view, used))
		}
	}
	v.addNotGiven(state, known.ClusterScoped(), view, sees, used)
	v.sort()
	for _, c := range v.Unhealthy {
		// The namespace fails for them, unless an option judges health leniently.
		v.warn(reason.CatalogUnhealthy, c.Key, c.Err)
	}
	return v
}

// addNotGiven adds catalogs that Subscriptions name and nothing is known of: no content was
// given under any such name, and no CatalogSources were read among which it could be missing.
func (v *Visibility) addNotGiven(n *cluster.NamespaceObjects, known *cluster.Objects, view *cache.View, sees, used func(catalog.Key) bool) {
	if len(known.CatalogSources) > 0 {
		return
	}
	var keys []catalog.Key
	for i := range n.Subscriptions {
		s := &n.Subscriptions[i]
		key := catalog.Key{Namespace: s.CatalogNamespace, Name: s.Catalog}
		switch {
		case s.Catalog == "" || slices.Contains(keys, key):
		case key.Namespace != "" && !sees(key): // left out, or out of sight whatever is in it
		case slices.ContainsFunc(known.OperatorHubs, func(h cluster.OperatorHub) bool { return h.Disables(key) }):
		case !given(s, view):
			keys = append(keys, key)
		}
	}
	for _, key := range keys {
		v.Unhealthy = append(v.Unhealthy, result.UnhealthyCatalog{Key: key, Err: noContent(key, view, used)})
	}
}

// given reports whether a Subscription names a catalog that was given.
func given(s *cluster.Subscription, view *cache.View) bool {
	for c := range view.Catalogs() {
		if s.Names(c.Key) && c.Key.Namespace != "" {
			return true
		}
	}
	return false
}

// VisibleTo finds the catalogs that a ClusterExtension sees: all v1 catalogs. A catalog
// is listed as unhealthy only if the selector matches it. OLM v1 resolves nothing while a catalog
// that it may take from is not served, whatever the others have.
func VisibleTo(e *cluster.ClusterExtension, known *cluster.Index, view *cache.View, options *policy.Options) Visibility {
	excluded := func(k catalog.Key) bool {
		declared := known.ClusterCatalog(k.Name)
		return declared != nil && declared.Unavailable || slices.Contains(options.ExcludeCatalogs, k)
	}
	selects := func(c *cache.Catalog) bool { return e.Selector.Matches(LabelsOf(known, c)) }
	health := func(c *cache.Catalog) error {
		if declared := known.ClusterCatalog(c.Key.Name); declared != nil && declared.NotServing {
			return words.ErrNotServed
		}
		return loaded(c)
	}
	v := read(view, func(k catalog.Key) bool { return k.Namespace == "" && !excluded(k) }, health, selects)
	for _, declared := range known.ClusterScoped().ClusterCatalogs {
		key := catalog.Key{Name: declared.Name}
		if view.Catalog(key) == nil && !excluded(key) {
			may := selects(&cache.Catalog{Key: key})
			if may && declared.NotServing {
				v.Unhealthy = append(v.Unhealthy, result.UnhealthyCatalog{Key: key, Err: words.ErrNotServed})
				continue
			}
			if may {
				v.NotGiven = append(v.NotGiven, key)
			}
			named := may && !e.Selector.Empty() // without a selector every catalog may serve
			v.addMissing(reason.CatalogLeftOut, key, named, noContent(key, view, func(k catalog.Key) bool { return known.ClusterCatalog(k.Name) != nil }))
		}
	}
	if len(known.ClusterScoped().ClusterCatalogs) == 0 { // else a catalog that is not among them does not exist
		for _, name := range namesIn(e.Selector) {
			if key := (catalog.Key{Name: name}); view.Catalog(key) == nil && !excluded(key) {
				v.addMissing(reason.CatalogLeftOut, key, true, noContent(key, view, func(catalog.Key) bool { return false }))
			}
		}
	}
	v.sort()
	return v
}

// namesIn returns the names of catalogs that a selector states.
func namesIn(s *cluster.Selector) (names []string) {
	if s == nil {
		return nil
	}
	if name, ok := s.MatchLabels[cluster.LabelMetadataName]; ok {
		names = append(names, name)
	}
	for _, t := range s.MatchExpressions {
		if t.Key == cluster.LabelMetadataName && t.Operator == "In" {
			names = append(names, t.Values...)
		}
	}
	return words.Distinct(names)
}

// read finds the catalogs of the view that sees admits. An unhealthy one is listed only if
// selects admits it.
func read(view *cache.View, sees func(catalog.Key) bool, health func(*cache.Catalog) error, selects func(*cache.Catalog) bool) (v Visibility) {
	for c := range view.Catalogs() {
		if !sees(c.Key) {
			continue
		}
		if err := health(c); err == nil {
			v.Catalogs = append(v.Catalogs, c)
		} else if selects(c) {
			v.Unhealthy = append(v.Unhealthy, result.UnhealthyCatalog{Key: c.Key, Err: err})
		}
	}
	return v
}

// addMissing adds a declared catalog without content: as unhealthy if a request names it,
// else as a warning.
func (v *Visibility) addMissing(c reason.CatalogCode, k catalog.Key, named bool, err error) {
	if named {
		v.Unhealthy = append(v.Unhealthy, result.UnhealthyCatalog{Key: k, Err: err})
	} else {
		v.warn(c, k, err)
	}
}

func (v *Visibility) sort() {
	slices.SortFunc(v.NotGiven, catalog.Key.Compare)
	slices.SortFunc(v.Unhealthy, func(a, b result.UnhealthyCatalog) int { return a.Key.Compare(b.Key) })
}

func (v *Visibility) warn(c reason.CatalogCode, k catalog.Key, err error) {
	v.Warnings = append(v.Warnings, reason.Catalog(c, k, err))
}

// loaded returns why a catalog cannot be read, nil if it can.
func loaded(c *cache.Catalog) error {
	if c.Err == nil && c.Snapshot == nil {
		return words.ErrNotLoaded
	}
	return c.Err
}

// health returns why a catalog cannot be used, nil if it can.
func health(known *cluster.Index, from *cache.Catalog) error {
	if err := loaded(from); err != nil {
		return err
	}
	sources := known.ClusterScoped().CatalogSources
	for i := range sources {
		if s := &sources[i]; s.Key == from.Key && !s.Healthy() {
			return notReady(s)
		}
	}
	return nil
}

// notReady returns the error of a catalog that is not ready, with what its object states.
func notReady(s *cluster.CatalogSource) error {
	var parts []string
	say := func(of ...string) {
		of = slices.DeleteFunc(of, func(part string) bool { return part == "" })
		if len(of) > 0 {
			parts = append(parts, words.Clip(words.OneLine(strings.Join(of, ": ")), words.MaxQuoted))
		}
	}
	if s.State != "" {
		say("last observed state " + s.State)
	}
	say(s.Reason, s.Message)
	for _, c := range s.Conditions[:min(len(s.Conditions), maxStated)] {
		say("condition "+c.Type+" is "+c.Status, c.Reason, c.Message)
	}
	if len(parts) == 0 {
		return words.ErrNotReady
	}
	return fmt.Errorf("%w: %s", words.ErrNotReady, strings.Join(parts, "; "))
}

// noContent returns the error of a catalog without content. It names a catalog that was given
// with the same name in another namespace, or the only one that nothing else uses: often that
// is the one meant.
func noContent(k catalog.Key, view *cache.View, used func(catalog.Key) bool) error {
	var unused []catalog.Key
	for c := range view.Catalogs() {
		if c.Key.Name == k.Name {
			unused = []catalog.Key{c.Key}
			break
		}
		if !used(c.Key) && (c.Key.Namespace == "") == (k.Namespace == "") {
			unused = append(unused, c.Key)
		}
	}
	if len(unused) == 1 {
		return givenAs(unused[0])
	}
	return words.ErrNoContent
}

// givenAs is the error of a catalog without content that may be given under another name.
type givenAs catalog.Key

// GivenAs returns that name.
func (e givenAs) GivenAs() catalog.Key { return catalog.Key(e) }

func (e givenAs) Error() string {
	return words.GivenUnder(e.GivenAs().String())
}

func (e givenAs) Unwrap() error { return words.ErrNoContent }

// Sees reports whether a namespace sees a catalog. It does not look at ExcludeCatalogs.
func Sees(n *cluster.NamespaceObjects, namespace string, k catalog.Key, options *policy.Options) bool {
	return k.Namespace != "" && (k.Namespace == namespace ||
		GlobalsLeftOutBy(n) == "" && slices.Contains(options.Globals(), k.Namespace))
}

// GlobalsLeftOutBy returns the name of the OperatorGroup that leaves global catalogs out,
// empty if none does.
func GlobalsLeftOutBy(n *cluster.NamespaceObjects) string {
	for i := range n.Groups {
		if n.Groups[i].Annotations[words.AnnotationExcludeGlobal] == "true" {
			return n.Groups[i].Name
		}
	}
	return ""
}
