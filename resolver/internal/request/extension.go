package request

import (
	"fmt"
	"slices"
	"strings"

	masterminds "github.com/Masterminds/semver/v3"
	"github.com/blang/semver/v4"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/inventory"
	"github.com/resolvent/resolvent/resolver/internal/model"
	"github.com/resolvent/resolvent/resolver/internal/reason"
	"github.com/resolvent/resolvent/resolver/internal/words"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/solver"
)

// Extension is a parsed ClusterExtension. It implements Object.
type Extension struct {
	Object    *cluster.ClusterExtension
	versions  *masterminds.Constraints // nil admits all
	installed properties.Package
	// tied is true if several catalogs of equal rank have the best bundle.
	tied bool
}

// readExtension parses a ClusterExtension. The error names the field at fault.
func readExtension(e *cluster.ClusterExtension) (*Extension, error) {
	a := &Extension{Object: e}
	if e.Package == "" {
		return nil, words.ErrNoPackage
	}
	if err := e.Selector.Validate(); err != nil {
		return nil, fmt.Errorf("spec.source.catalog.selector: %w", err)
	}
	if e.Version != "" {
		if len(e.Version) > maxVersionRange {
			return nil, words.TooLong(words.FieldExtensionVersion, len(e.Version), maxVersionRange)
		}
		versions, err := masterminds.NewConstraint(e.Version)
		if err != nil {
			return nil, words.NoRange(words.FieldExtensionVersion, e.Version, err)
		}
		a.versions = versions
	}
	if e.Installed != nil {
		installed, err := installedPackage(e)
		if err != nil {
			return nil, fmt.Errorf("status.install.bundle: %w", err)
		}
		a.installed = installed
	}
	return a, nil
}

// installedPackage parses version and release of the installed bundle. Without a stated
// release, the version's build metadata is the release, as in registry+v1 bundles.
func installedPackage(e *cluster.ClusterExtension) (properties.Package, error) {
	version, err := semver.Parse(e.Installed.Version)
	if err != nil {
		return properties.Package{}, words.NoSemver("version", e.Installed.Version, err)
	}
	pkg := properties.Package{Name: e.Package, Version: version}
	if e.Installed.HasRelease {
		pkg.Release, err = properties.ParseRelease(e.Installed.Release)
		return pkg, err
	}
	return model.WithRelease(pkg), nil
}

// Accepts reports whether the version range admits a version. Build metadata does not
// matter.
func (a *Extension) Accepts(v semver.Version) bool {
	if a.versions == nil {
		return true
	}
	return a.versions.Check(masterminds.New(v.Major, v.Minor, v.Patch, strings.Join(words.Texts(v.Pre), "."), ""))
}

func (a *Extension) Admits(v semver.Version) bool { return a.Object.Version != "" && a.Accepts(v) }

func (a *Extension) Refusals(p *model.Part, v solver.Var) []result.Reason {
	return Refusals(ProfileOf(p.In.Options, p.In.Cluster), a.Object, p.NameOf(v), p.PropertiesOf(v), p.ConstraintsOf(v))
}

// Generated implements Object: OLM creates no ClusterExtension.
func (a *Extension) Generated() bool { return false }

func (a *Extension) HasInstalled() string {
	if a.Object.Installed == nil {
		return ""
	}
	return a.Object.Installed.Name
}

func (a *Extension) Key() cluster.RequestKey { return a.Object.Key() }

// Takes implements Object. All candidates are from one catalog, which its selector matches.
func (a *Extension) Takes(catalog.Key) bool { return true }
func (a *Extension) PackageName() string    { return a.Object.Package }

func (a *Extension) Stated(*model.Part, *Request) *result.Request {
	e := a.Object
	stated := &result.Request{Key: e.Key(), Package: e.Package, Channels: e.Channels, Version: e.Version}
	if e.Installed != nil {
		stated.Installed = e.Installed.Name
	}
	return stated
}

func (a *Extension) NotReached(p *model.Part, r *Request, stated *result.Request, c int, b *catalog.Bundle) result.Reason {
	from, about := &p.Catalogs[c], reason.Bundle(b.Name, b.Package)
	channels := a.channels(from.Snapshot.Package(b.Package))
	switch {
	case !a.Object.Selector.Matches(inventory.LabelsOf(p.In.Cluster, p.In.View.Catalog(from.Key))):
		return reason.CatalogUnselected(about, stated, from.Key)
	case !a.Accepts(b.Version):
		return reason.OutOfRange(about, stated, b.Version.String(), from.Key)
	case !a.lists(channels, b.Name):
		return reason.NotInChannels(about, stated, from.Key)
	case a.onlySuccessors() && !a.succeeds(channels, b.Name):
		return reason.NoSuccessorOf(about, stated, from.Key)
	}
	list := r.List.Candidates
	if len(list) > 0 && slices.Equal(r.Looked, []int{c}) { // OLM v1 refuses it or a better one
		return reason.Unasked(about)
	}
	var better *reason.Better
	if len(list) > 0 && len(r.Looked) == 1 {
		best := &p.Catalogs[r.Looked[0]] // it may have what is installed
		better = &reason.Better{Bundle: p.NameOf(list[0]), Catalog: best.Key, Priority: best.Priority, Than: from.Priority}
	}
	return reason.BetterCatalog(about, stated, better, from.Key)
}
