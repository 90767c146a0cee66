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

// askedExtension is a ClusterExtension with everything parsed.
type askedExtension struct {
	*cluster.ClusterExtension
	versions  *masterminds.Constraints
	installed properties.Package
}

func ReadExtension(e *cluster.ClusterExtension) (askedExtension, error) {
	asked := askedExtension{ClusterExtension: e}
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
		installed, err := ReadInstalled(e.Installed)
		if err != nil {
			return asked, fmt.Errorf("status.install.bundle: %w", err)
		}
		asked.installed = installed
		asked.installed.Name = e.Package
	}
	return asked, nil
}

// ReadInstalled parses version and release. Without a stated release, the version's
// build metadata is the release, as in registry+v1 bundles.
func ReadInstalled(e *cluster.InstalledExtension) (properties.Package, error) {
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

// Accepts reports whether the version range admits a version; its build
// metadata does not matter.
func (a *askedExtension) Accepts(v semver.Version) bool {
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
func (in *Inputs) available(asked askedExtension) (inventory.Visibility, error) {
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
		case asked.Selector.Matches(inventory.CatalogLabels(c, declared)):
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
		if !asked.Selector.Empty() && asked.Selector.Matches(inventory.CatalogLabels(&cache.Catalog{Key: key}, declared)) {
			v.Unhealthy = append(v.Unhealthy, result.UnhealthyCatalog{Key: key, Err: inventory.ErrNoContent})
		} else {
			v.Warn(key, result.CatalogLeftOut{Err: inventory.ErrNoContent})
		}
	}
	slices.SortFunc(v.Unhealthy, func(a, b result.UnhealthyCatalog) int { return a.Key.Compare(b.Key) })
	if len(v.Unhealthy) > 0 {
		return v, &result.CatalogsUnhealthy{Extension: asked.Name, Catalogs: v.Unhealthy}
	}
	return v, nil
}

// readExtensionRequest finds the candidates: what the best catalog offers.
func (p *Part) readExtensionRequest(asked askedExtension) error {
	r := Request{Extension: asked.ClusterExtension, Current: -1}
	if asked.Installed != nil {
		r.Current = 0 // readCluster puts it first
	}
	var offers [][]offer
	for c := range p.Universe.Catalogs {
		key := p.Universe.Catalogs[c].Key
		if !asked.Selector.Matches(inventory.CatalogLabels(p.View.Catalog(key), p.Cluster.ClusterCatalog(key.Name))) {
			continue
		}
		r.Looked = append(r.Looked, c)
		if list := p.offers(&asked, c); len(list) > 0 {
			offers = append(offers, list)
		}
	}
	if err := p.addOffers(&asked, &r, offers); err != nil {
		return err
	}
	p.Requests = []Request{r}
	return nil
}

// extensionFault says what the request names that is not there.
func (p *Part) extensionFault(asked *askedExtension, catalogs []int) FaultKind {
	kind := FaultPackage
	for pkg := range p.Packages(catalogs, asked.Package) {
		kind = max(kind, FaultChannel)
		if len(asked.AllowedChannels(pkg)) == 0 && len(asked.Channels) > 0 {
			continue
		}
		kind = max(kind, FaultVersion)
		inRange := func(c *catalog.Channel) bool {
			return slices.ContainsFunc(c.Entries, func(e catalog.Entry) bool { return p.entryInRange(asked, pkg, e) })
		}
		if slices.ContainsFunc(asked.AllowedChannels(pkg), inRange) {
			kind = max(kind, FaultNoSuccessor)
		}
	}
	return kind
}

func (p *Part) entryInRange(asked *askedExtension, pkg *catalog.Package, e catalog.Entry) bool {
	for _, c := range p.Universe.Catalogs {
		if c.Snapshot.Package(asked.Package) != pkg || e.Bundle == catalog.NoBundle {
			continue
		}
		return asked.Accepts(c.Snapshot.Bundle(e.Bundle).Version)
	}
	return false
}
