package missing

import (
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/blang/semver/v4"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/encode"
	"github.com/resolvent/resolvent/resolver/internal/pace"
	"github.com/resolvent/resolvent/resolver/result"
)

// FaultText says what a request names that is not there, and what there is
// instead.
func FaultText(p *encode.Part, r *encode.Request) string {
	s, f := r.Subscription, r.Fault
	switch f.Kind {
	case encode.FaultNoPackageName:
		return "it names no package; set spec.name"
	case encode.FaultCatalog:
		if s.Catalog == "" {
			return noCatalogText(p)
		}
		return fmt.Sprintf("catalog %s is not known here%s", CatalogText(s), result.Suggestion(result.Nearest(s.Catalog, catalogNames(p))))
	case encode.FaultCatalogNotVisible:
		return fmt.Sprintf("catalog %s exists, but namespace %s does not see it: it is neither in that namespace nor in a global one", CatalogText(s), p.Namespace)
	case encode.FaultCatalogExcluded:
		return fmt.Sprintf("catalog %s is excluded by the caller", CatalogText(s))
	case encode.FaultCatalogUnhealthy:
		return unhealthyText(p, s)
	case encode.FaultPackage:
		return missingPackageText(p, f.Catalogs, s.Package)
	case encode.FaultChannel:
		return fmt.Sprintf("package %s has no channel %s; its channels are %s", s.Package, s.Channel, strings.Join(ChannelNames(p, f.Catalogs, s.Package), ", "))
	case encode.FaultChannelOrder:
		return orderText(p, s, f.Catalogs)
	case encode.FaultStartingCSV:
		return startingText(p, s, f.Catalogs)
	case encode.FaultNoBundles:
		return emptyText(p, s, f.Catalogs)
	}
	return "it cannot be met"
}

// CatalogText names the catalog that a Subscription asks for.
func CatalogText(s *cluster.Subscription) string {
	if s.CatalogNamespace == "" {
		return s.Catalog
	}
	return cache.Key{Namespace: s.CatalogNamespace, Name: s.Catalog}.String()
}

func catalogNames(p *encode.Part) iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, c := range p.Universe.Catalogs {
			if !yield(c.Key.Name) {
				return
			}
		}
	}
}

// missingPackageText says where a package was looked for in vain.
func missingPackageText(p *encode.Part, catalogs []int, name string) string {
	keys := make([]string, len(catalogs))
	for i, c := range catalogs {
		keys[i] = p.Universe.Catalogs[c].Key.String()
	}
	names := result.Nearest(name, PackageNames(p, catalogs))
	for _, c := range catalogs {
		for _, near := range names {
			note(p, p.Universe.Catalogs[c].Key, near)
		}
	}
	more := result.Suggestion(names)
	switch len(keys) {
	case 0:
		return fmt.Sprintf("%s, so package %s cannot be found", noCatalogText(p), name)
	case 1:
		return fmt.Sprintf("catalog %s has no package %s%s", keys[0], name, more)
	}
	return fmt.Sprintf("none of the catalogs %s has package %s%s", strings.Join(keys, ", "), name, more)
}

func PackageNames(p *encode.Part, catalogs []int) iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, c := range catalogs {
			for pkg := range p.Universe.Catalogs[c].Snapshot.Packages() {
				p.Step(1)
				if !yield(pkg.Name) {
					return
				}
			}
		}
	}
}

func ChannelNames(p *encode.Part, catalogs []int, pkg string) []string {
	var names []string
	for found := range p.Packages(catalogs, pkg) {
		for _, c := range found.Channels {
			names = append(names, c.Name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

func orderText(p *encode.Part, s *cluster.Subscription, catalogs []int) string {
	var faults []string
	for pkg := range p.Packages(catalogs, s.Package) {
		for _, c := range pkg.Channels {
			if c.Fault != "" && (s.Channel == "" || s.Channel == c.Name) {
				faults = append(faults, fmt.Sprintf("channel %s of package %s cannot be used: %s", c.Name, s.Package, c.Fault))
			}
		}
	}
	return strings.Join(faults, "; ")
}

func startingText(p *encode.Part, s *cluster.Subscription, catalogs []int) string {
	var names []string
	listed := false
	for pkg := range p.Packages(catalogs, s.Package) {
		for _, c := range pkg.Channels {
			if s.Channel != "" && s.Channel != c.Name {
				continue
			}
			p.Step(1 + len(c.Entries)/pace.PerStep)
			for i := range c.Entries {
				names = append(names, c.Entries[i].Name)
				listed = listed || c.Entries[i].Name == s.StartingCSV
			}
		}
	}
	where := "package " + s.Package
	if s.Channel != "" {
		where = "channel " + s.Channel + " of " + where
	}
	if listed {
		return fmt.Sprintf("%s lists the startingCSV %s, but no usable bundle has that name%s", where, s.StartingCSV, QuarantineText(p, catalogs, s.Package))
	}
	return fmt.Sprintf("%s has no startingCSV %s%s", where, s.StartingCSV, result.Suggestion(result.Nearest(s.StartingCSV, p.Stepping(slices.Values(names)))))
}

func emptyText(p *encode.Part, s *cluster.Subscription, catalogs []int) string {
	where := "package " + s.Package
	if s.Channel != "" {
		where = "channel " + s.Channel + " of " + where
	}
	return fmt.Sprintf("%s offers no bundle%s", where, QuarantineText(p, catalogs, s.Package))
}

// maxQuarantineText is how many bytes of the faults of a package a message
// shows.
const maxQuarantineText = 1 << 10

// Quarantined returns the faults that take something of a package from the
// request. A channel without order offers its bundles to a ClusterExtension all
// the same.
func Quarantined(p *encode.Part, c int, pkg string) []cache.Fault {
	faults := p.Universe.Catalogs[c].Snapshot.Quarantined(pkg)
	if p.Extension == nil {
		return faults
	}
	return slices.DeleteFunc(slices.Clone(faults), func(f cache.Fault) bool { return f.Channel != "" && f.Bundle == "" })
}

// QuarantineText tells which faults removed parts of a package.
func QuarantineText(p *encode.Part, catalogs []int, pkg string) string {
	var messages []string
	size := 0
	for _, c := range catalogs {
		for _, f := range Quarantined(p, c, pkg) {
			if size < maxQuarantineText {
				messages = append(messages, f.Error())
				size += len(messages[len(messages)-1])
			}
		}
	}
	if len(messages) == 0 {
		return ""
	}
	return "; left out for faults of the catalog: " + result.Clip(strings.Join(messages, "; "), maxQuarantineText)
}

func unhealthyText(p *encode.Part, s *cluster.Subscription) string {
	var list []string
	for _, c := range p.Visibility.Unhealthy {
		if s.Catalog == "" || s.Names(c.Key) {
			list = append(list, fmt.Sprintf("%s (%v)", c.Key, c.Err))
		}
	}
	return "it could be served by a catalog that is unhealthy: " + strings.Join(list, ", ")
}

// versions lists those of a package in some catalogs.
func versions(p *encode.Part, catalogs []int, name string) []semver.Version {
	var list []semver.Version
	for _, c := range catalogs {
		snapshot := p.Universe.Catalogs[c].Snapshot
		if pkg := snapshot.Package(name); pkg != nil {
			for _, id := range pkg.Bundles {
				list = append(list, snapshot.Bundle(id).Version)
			}
		}
	}
	return list
}

// ExtensionFaultText is faultText for a ClusterExtension.
func ExtensionFaultText(p *encode.Part, r *encode.Request) string {
	e, f := r.Extension, r.Fault
	in := ""
	if len(e.Channels) > 0 {
		in = " in channels " + strings.Join(e.Channels, ", ")
	}
	switch f.Kind {
	case encode.FaultChannel:
		return fmt.Sprintf("package %s has no such channels (%s); its channels are %s",
			e.Package, strings.Join(e.Channels, ", "), strings.Join(ChannelNames(p, f.Catalogs, e.Package), ", "))
	case encode.FaultVersion:
		if e.Version == "" {
			return fmt.Sprintf("package %s offers no bundle%s%s", e.Package, in, QuarantineText(p, f.Catalogs, e.Package))
		}
		return fmt.Sprintf("package %s has no bundle with a version in %q%s; %s", e.Package, e.Version, in, versionsText(versions(p, f.Catalogs, e.Package))) +
			QuarantineText(p, f.Catalogs, e.Package)
	case encode.FaultNoSuccessor:
		text := fmt.Sprintf("no bundle of package %s%s succeeds the installed %s, and that one is not ", e.Package, in, e.Installed.Name)
		// Reading the request succeeded, so its installed bundle can be read.
		installed, _ := encode.ReadInstalled(e.Installed)
		installed.Name = e.Package
		if slices.ContainsFunc(f.Catalogs, func(c int) bool { return p.InstalledIn(c, installed) != nil }) {
			return text + fmt.Sprintf("in %q", e.Version)
		}
		return text + "offered any more" + QuarantineText(p, f.Catalogs, e.Package)
	case encode.FaultDependencies:
		return fmt.Sprintf("its best bundle %s has dependencies, which the caller rejects: it requires %s", f.Bundle.Name, f.Bundle.Constraints[0].Expr)
	}
	return missingPackageText(p, f.Catalogs, e.Package)
}
