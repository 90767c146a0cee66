package resolver

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
	"github.com/resolvent/resolvent/resolver/result"
)

// maxVersionRange is the length limit of a ClusterExtension's version, in
// bytes, as OLM v1 sets it.
const maxVersionRange = 64

// askedExtension is a ClusterExtension with everything parsed.
type askedExtension struct {
	*ClusterExtension
	versions  *masterminds.Constraints
	installed properties.Package
}

func readExtension(e *ClusterExtension) (askedExtension, error) {
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
		installed, err := e.Installed.read()
		if err != nil {
			return asked, fmt.Errorf("status.install.bundle: %w", err)
		}
		asked.installed = installed
		asked.installed.Name = e.Package
	}
	return asked, nil
}

// read parses version and release. Without a stated release, the version's
// build metadata is the release, as in registry+v1 bundles.
func (e *InstalledExtension) read() (properties.Package, error) {
	version, err := semver.Parse(e.Version)
	if err != nil {
		return properties.Package{}, fmt.Errorf("version %q is no semantic version: %w", e.Version, err)
	}
	pkg := properties.Package{Version: version}
	if e.HasRelease {
		pkg.Release, err = properties.ParseRelease(e.Release)
		return pkg, err
	}
	return withRelease(pkg), nil
}

// accepts reports whether the version range admits a version; its build
// metadata does not matter.
func (a *askedExtension) accepts(v semver.Version) bool {
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
func (in *inputs) available(asked askedExtension) (visibility, error) {
	cluster, view := in.cluster, in.view
	var v visibility
	for c := range view.Catalogs() {
		if c.Key.Namespace != "" || slices.Contains(in.options.ExcludeCatalogs, c.Key) && !slices.Contains(in.visible, sight{catalog: c.Key}) {
			continue
		}
		declared := cluster.clusterCatalog(c.Key.Name)
		if declared != nil && declared.Unavailable {
			continue
		}
		err := c.Err
		if err == nil && c.Snapshot == nil {
			err = errNotLoaded
		}
		switch {
		case err == nil:
			v.catalogs = append(v.catalogs, *c)
		case asked.Selector.Matches(catalogLabels(c, declared)):
			v.unhealthy = append(v.unhealthy, result.UnhealthyCatalog{Key: c.Key, Err: err})
		}
	}
	for i := range cluster.objects.ClusterCatalogs {
		declared := &cluster.objects.ClusterCatalogs[i]
		key := catalog.Key{Name: declared.Name}
		if declared.Unavailable || view.Catalog(key) != nil || slices.Contains(in.options.ExcludeCatalogs, key) {
			continue
		}
		// Without a selector every catalog may serve; only a selector names one.
		if !asked.Selector.Empty() && asked.Selector.Matches(catalogLabels(&cache.Catalog{Key: key}, declared)) {
			v.unhealthy = append(v.unhealthy, result.UnhealthyCatalog{Key: key, Err: errNoContent})
		} else {
			v.warn(key, result.CatalogLeftOut{Err: errNoContent})
		}
	}
	slices.SortFunc(v.unhealthy, func(a, b result.UnhealthyCatalog) int { return a.Key.Compare(b.Key) })
	if len(v.unhealthy) > 0 {
		return v, &result.CatalogsUnhealthy{Extension: asked.Name, Catalogs: v.unhealthy}
	}
	return v, nil
}

// readExtensionRequest finds the candidates: what the best catalog offers.
func (p *problem) readExtensionRequest(asked askedExtension) error {
	r := request{extension: asked.ClusterExtension, current: -1}
	if asked.Installed != nil {
		r.current = 0 // readCluster puts it first
	}
	var offers [][]offer
	for c := range p.universe.catalogs {
		key := p.universe.catalogs[c].key
		if !asked.Selector.Matches(catalogLabels(p.view.Catalog(key), p.cluster.clusterCatalog(key.Name))) {
			continue
		}
		r.looked = append(r.looked, c)
		if list := p.offers(&asked, c); len(list) > 0 {
			offers = append(offers, list)
		}
	}
	if err := p.addOffers(&asked, &r, offers); err != nil {
		return err
	}
	p.requests = []request{r}
	return nil
}

// extensionFault says what the request names that is not there.
func (p *problem) extensionFault(asked *askedExtension, catalogs []int) faultKind {
	kind := faultPackage
	for pkg := range p.packages(catalogs, asked.Package) {
		kind = max(kind, faultChannel)
		if len(asked.channels(pkg)) == 0 && len(asked.Channels) > 0 {
			continue
		}
		kind = max(kind, faultVersion)
		inRange := func(c *catalog.Channel) bool {
			return slices.ContainsFunc(c.Entries, func(e catalog.Entry) bool { return p.entryInRange(asked, pkg, e) })
		}
		if slices.ContainsFunc(asked.channels(pkg), inRange) {
			kind = max(kind, faultNoSuccessor)
		}
	}
	return kind
}

func (p *problem) entryInRange(asked *askedExtension, pkg *catalog.Package, e catalog.Entry) bool {
	for _, c := range p.universe.catalogs {
		if c.snapshot.Package(asked.Package) != pkg || e.Bundle == catalog.NoBundle {
			continue
		}
		return asked.accepts(c.snapshot.Bundle(e.Bundle).Version)
	}
	return false
}
