package encode

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	masterminds "github.com/Masterminds/semver/v3"
	"github.com/blang/semver/v4"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/candidate"
	"github.com/resolvent/resolvent/resolver/internal/inventory"
	"github.com/resolvent/resolvent/resolver/result"
)

// maxVersionRange is the length limit of a ClusterExtension's version, in
// bytes, as OLM v1 sets it.
const maxVersionRange = 64

// Extension is a ClusterExtension with everything parsed. It implements Wish.
type Extension struct {
	Object    *cluster.ClusterExtension
	versions  *masterminds.Constraints
	installed properties.Package
}

// readExtension parses what a ClusterExtension asks for.
func readExtension(e *cluster.ClusterExtension) (*Extension, error) {
	asked := &Extension{Object: e}
	if e.Package == "" {
		return asked, errors.New("spec.source.catalog.packageName is empty; name a package")
	}
	if err := e.Selector.Validate(); err != nil {
		return asked, fmt.Errorf("spec.source.catalog.selector: %w", err)
	}
	if e.Version != "" {
		if len(e.Version) > maxVersionRange {
			return asked, fmt.Errorf("spec.source.catalog.version has %d characters, and at most %d are allowed", len(e.Version), maxVersionRange)
		}
		versions, err := masterminds.NewConstraint(e.Version)
		if err != nil {
			return asked, fmt.Errorf("spec.source.catalog.version %q is no version range: %w", e.Version, err)
		}
		asked.versions = versions
	}
	if e.Installed != nil {
		installed, err := readExtensionInstalled(e.Installed)
		if err != nil {
			return asked, fmt.Errorf("status.install.bundle: %w", err)
		}
		asked.installed = installed
		asked.installed.Name = e.Package
	}
	return asked, nil
}

// readExtensionInstalled parses version and release. Without a stated release, the version's
// build metadata is the release, as in registry+v1 bundles.
func readExtensionInstalled(e *cluster.InstalledExtension) (properties.Package, error) {
	version, err := semver.Parse(e.Version)
	if err != nil {
		return properties.Package{}, fmt.Errorf("version %q is no semantic version: %w", e.Version, err)
	}
	pkg := properties.Package{Version: version}
	if e.HasRelease {
		pkg.Release, err = properties.ParseRelease(e.Release)
		return pkg, err
	}
	return candidate.WithRelease(pkg), nil
}

// accepts reports whether the version range admits a version; its build
// metadata does not matter.
func (a *Extension) accepts(v semver.Version) bool {
	if a.versions == nil {
		return true
	}
	pre := make([]string, len(v.Pre))
	for i, part := range v.Pre {
		pre[i] = part.String()
	}
	return a.versions.Check(masterminds.New(v.Major, v.Minor, v.Patch, strings.Join(pre, "."), ""))
}

// available returns the cluster's catalogs that can be used. One that the
// selector matches and that cannot be read fails the request.
func (in *Inputs) available(asked *Extension) (inventory.Visibility, error) {
	cluster, view := in.Cluster, in.View
	var v inventory.Visibility
	for c := range view.Catalogs() {
		if c.Key.Namespace != "" || slices.Contains(in.Options.ExcludeCatalogs, c.Key) && !slices.Contains(in.Visible, inventory.VisibleCatalog{Catalog: c.Key}) {
			continue
		}
		declared := cluster.ClusterCatalog(c.Key.Name)
		if declared != nil && declared.Unavailable {
			continue
		}
		err := c.Err
		if err == nil && c.Snapshot == nil {
			err = inventory.ErrNotLoaded
		}
		switch {
		case err == nil:
			v.Catalogs = append(v.Catalogs, *c)
		case asked.Object.Selector.Matches(inventory.CatalogLabels(c, declared)):
			v.Unhealthy = append(v.Unhealthy, result.UnhealthyCatalog{Key: c.Key, Err: err})
		}
	}
	for i := range cluster.Objects.ClusterCatalogs {
		declared := &cluster.Objects.ClusterCatalogs[i]
		key := catalog.Key{Name: declared.Name}
		if declared.Unavailable || view.Catalog(key) != nil || slices.Contains(in.Options.ExcludeCatalogs, key) {
			continue
		}
		// Without a selector every catalog may serve; only a selector names one.
		if !asked.Object.Selector.Empty() && asked.Object.Selector.Matches(inventory.CatalogLabels(&cache.Catalog{Key: key}, declared)) {
			v.Unhealthy = append(v.Unhealthy, result.UnhealthyCatalog{Key: key, Err: inventory.ErrNoContent})
		} else {
			v.Warn(key, result.CatalogLeftOut{Err: inventory.ErrNoContent})
		}
	}
	slices.SortFunc(v.Unhealthy, func(a, b result.UnhealthyCatalog) int { return a.Key.Compare(b.Key) })
	if len(v.Unhealthy) > 0 {
		return v, &result.CatalogsUnhealthy{Extension: asked.Object.Name, Catalogs: v.Unhealthy}
	}
	return v, nil
}

// extensionReader finds the candidates of a ClusterExtension.
type extensionReader struct {
	*Part
	asked *Extension
}

// readRequest finds the candidates: what the best catalog offers.
func (rd *extensionReader) readRequest() error {
	r := Request{Wish: rd.asked, Current: -1}
	if rd.asked.Object.Installed != nil {
		r.Current = 0 // readCluster puts it first
	}
	var offers [][]offer
	for c := range rd.Universe.Catalogs {
		key := rd.Universe.Catalogs[c].Key
		if !rd.asked.Object.Selector.Matches(inventory.CatalogLabels(rd.View.Catalog(key), rd.Cluster.ClusterCatalog(key.Name))) {
			continue
		}
		r.Looked = append(r.Looked, c)
		if list := rd.offers(c); len(list) > 0 {
			offers = append(offers, list)
		}
	}
	if err := rd.addOffers(&r, offers); err != nil {
		return err
	}
	rd.Requests = []Request{r}
	return nil
}

// fault says what the request names that is not there.
func (rd *extensionReader) fault(catalogs []int) *Fault {
	f := &Fault{Kind: FaultPackage, Catalogs: catalogs}
	for _, c := range catalogs {
		snapshot := rd.Universe.Catalogs[c].Snapshot
		pkg := snapshot.Package(rd.asked.Object.Package)
		if pkg == nil {
			continue
		}
		f.Kind = max(f.Kind, FaultChannel)
		channels := rd.asked.channels(pkg)
		if len(channels) == 0 && len(rd.asked.Object.Channels) > 0 {
			continue
		}
		f.Kind = max(f.Kind, FaultVersion)
		if slices.ContainsFunc(pkg.Bundles, func(id catalog.ID) bool {
			b := snapshot.Bundle(id)
			return rd.asked.accepts(b.Version) && (len(rd.asked.Object.Channels) == 0 || lists(channels, b.Name))
		}) {
			f.Kind = FaultNoSuccessor
		}
	}
	if f.Kind == FaultNoSuccessor {
		rd.explainNoSuccessor(f)
	}
	return f
}

// explainNoSuccessor says where what is installed is, and what succeeds it out of
// range.
func (rd *extensionReader) explainNoSuccessor(f *Fault) {
	f.Gone, f.Unlisted = true, true
	for _, c := range f.Catalogs {
		snapshot := rd.Universe.Catalogs[c].Snapshot
		pkg := snapshot.Package(rd.asked.Object.Package)
		if pkg == nil {
			continue
		}
		channels := rd.asked.channels(pkg)
		if cur := rd.installedIn(c, rd.asked.installed); cur != nil {
			f.Gone = false
			f.Unlisted = f.Unlisted && len(rd.asked.Object.Channels) > 0 && !lists(channels, cur.Name)
		}
		for _, id := range pkg.Bundles {
			if b := snapshot.Bundle(id); rd.asked.succeeds(channels, b.Name) && !slices.Contains(f.OutOfRange, b.Name) {
				f.OutOfRange = append(f.OutOfRange, b.Name)
			}
		}
	}
}

// Name implements Wish.
func (a *Extension) Name() string { return a.Object.Name }

// PackageName implements Wish.
func (a *Extension) PackageName() string { return a.Object.Package }

// Served implements Wish.
func (a *Extension) Served() result.Served { return result.Served{Extension: a.Object.Name} }

// Asked implements Wish.
func (a *Extension) Asked(*Part, *Request) *result.Request {
	e := a.Object
	asked := &result.Request{Kind: result.ClusterExtension, Name: e.Name, Package: e.Package, Channels: e.Channels, Version: e.Version}
	if e.Installed != nil {
		asked.Installed = e.Installed.Name
	}
	return asked
}

// NotReached implements Wish.
func (a *Extension) NotReached(p *Part, _ *Request, c int, b *catalog.Bundle) result.NotReached {
	from := &p.Universe.Catalogs[c]
	channels := a.channels(from.Snapshot.Package(b.Package))
	out := result.NotReached{Kind: result.BetterCatalog, Catalog: from.Key, Version: b.Version.String()}
	switch {
	case !a.Object.Selector.Matches(inventory.CatalogLabels(p.View.Catalog(from.Key), p.Cluster.ClusterCatalog(from.Key.Name))):
		out.Kind = result.UnselectedCatalog
	case !a.accepts(b.Version):
		out.Kind = result.OutOfRange
	case len(a.Object.Channels) > 0 && !lists(channels, b.Name):
		out.Kind = result.OtherChannels
	case a.Object.Installed != nil && !a.Object.SelfCertified && !a.succeeds(channels, b.Name):
		out.Kind = result.NotSuccessor
	}
	return out
}
