package olmv1

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/blang/semver/v4"
	ocv1 "github.com/operator-framework/operator-controller/api/v1"
	"github.com/operator-framework/operator-registry/alpha/declcfg"
	"github.com/operator-framework/operator-registry/alpha/property"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver/result"
)

// chosen finds the bundle of a resolution in what the catalogs returned: the one to
// install by its name, the one to keep by its version and release, since its catalog
// may name it otherwise. Releases that bundles state count if releases is true.
func chosen(r *result.Resolution, installed *ocv1.BundleMetadata, packages map[catalog.Key]*declcfg.DeclarativeConfig, releases bool) (*declcfg.Bundle, *declcfg.VersionRelease, *declcfg.Deprecation, error) {
	var from catalog.Key
	var matches func(*declcfg.Bundle) bool
	if len(r.Installs) > 0 {
		install := &r.Installs[0]
		from = install.Bundle.Catalog
		matches = func(b *declcfg.Bundle) bool {
			return b.Package == install.Bundle.Package && b.Name == install.Bundle.Name
		}
	} else {
		kept, err := versionRelease(installed.Version, installed.Release)
		if err != nil {
			return nil, nil, nil, &result.Internal{Err: err}
		}
		from = r.Kept[0].Bundle.Catalog
		matches = func(b *declcfg.Bundle) bool {
			offered, err := versionReleaseOf(b, releases)
			return err == nil && offered.Compare(kept) == 0 && slices.Equal(offered.Version.Build, kept.Version.Build)
		}
	}
	content := packages[from]
	for i := range content.Bundles {
		b := &content.Bundles[i]
		if !matches(b) {
			continue
		}
		version, err := versionReleaseOf(b, releases)
		if err != nil {
			return nil, nil, nil, &result.Internal{Err: err}
		}
		var deprecation *declcfg.Deprecation
		if len(content.Deprecations) > 0 {
			deprecation = &content.Deprecations[0]
		}
		return b, version, deprecation, nil
	}
	return nil, nil, nil, &result.Internal{Err: fmt.Errorf("catalog %s does not have what was chosen from it", from)}
}

// versionReleaseOf reads the olm.package property of a bundle, with the release that it states
// if releases is true.
func versionReleaseOf(b *declcfg.Bundle, releases bool) (*declcfg.VersionRelease, error) {
	for _, p := range b.Properties {
		if p.Type != property.TypePackage {
			continue
		}
		var stated struct {
			Version string  `json:"version"`
			Release *string `json:"release"`
		}
		if err := json.Unmarshal(p.Value, &stated); err != nil {
			return nil, fmt.Errorf("bundle %s: property %s: %w", b.Name, p.Type, err)
		}
		if !releases {
			stated.Release = nil
		}
		return versionRelease(stated.Version, stated.Release)
	}
	return nil, fmt.Errorf("bundle %s: it has no property %s", b.Name, property.TypePackage)
}

// versionRelease reads a version and the release beside it. Without a stated release,
// the version's build metadata is the release if it has the form of one, as in
// registry+v1 bundles.
func versionRelease(version string, release *string) (*declcfg.VersionRelease, error) {
	parsed, err := semver.Parse(version)
	if err != nil {
		return nil, fmt.Errorf("version %q: %w", version, err)
	}
	out := &declcfg.VersionRelease{Version: parsed}
	if release != nil {
		out.Release, err = declcfg.NewRelease(*release)
		if out.Release == nil {
			out.Release = declcfg.Release{} // stated, and empty
		}
		return out, err
	}
	if build, err := declcfg.NewRelease(strings.Join(parsed.Build, ".")); err == nil && len(build) > 0 {
		out.Release, out.Version.Build = build, nil
	}
	return out, nil
}
