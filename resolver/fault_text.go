package resolver

import (
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/blang/semver/v4"

	"github.com/resolvent/resolvent/cache/catalog"
)

// faultText says what a request names that is not there, and what there is
// instead.
func (p *problem) faultText(r *request) string {
	s, f := r.subscription, r.fault
	switch f.kind {
	case faultNoPackageName:
		return "it names no package; set spec.name"
	case faultCatalog:
		if s.Catalog == "" {
			return p.noCatalogText()
		}
		return fmt.Sprintf("catalog %s is not known here%s", s.catalogText(), suggestion(nearest(s.Catalog, p.catalogNames())))
	case faultCatalogNotVisible:
		return fmt.Sprintf("catalog %s exists, but namespace %s does not see it: it is neither in that namespace nor in a global one", s.catalogText(), p.namespace)
	case faultCatalogExcluded:
		return fmt.Sprintf("catalog %s is excluded by the caller", s.catalogText())
	case faultCatalogUnhealthy:
		return p.unhealthyText(s)
	case faultPackage:
		return p.missingPackageText(f.catalogs, s.Package)
	case faultChannel:
		return fmt.Sprintf("package %s has no channel %s; its channels are %s", s.Package, s.Channel, strings.Join(p.channelNames(f.catalogs, s.Package), ", "))
	case faultChannelOrder:
		return p.orderText(s, f.catalogs)
	case faultStartingCSV:
		return p.startingText(s, f.catalogs)
	case faultNoBundles:
		return p.emptyText(s, f.catalogs)
	}
	return "it cannot be met"
}

// catalogText names the catalog that a Subscription asks for.
func (s *Subscription) catalogText() string {
	if s.CatalogNamespace == "" {
		return s.Catalog
	}
	return catalog.Key{Namespace: s.CatalogNamespace, Name: s.Catalog}.String()
}

// nearestText opens the list of nearest names in a message.
const nearestText = "; the nearest name"

func suggestion(names []string) string {
	if len(names) == 0 {
		return ""
	}
	if len(names) == 1 {
		return nearestText + " is " + names[0]
	}
	return nearestText + "s are " + strings.Join(names, ", ")
}

func (p *problem) catalogNames() iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, c := range p.universe.catalogs {
			if !yield(c.key.Name) {
				return
			}
		}
	}
}

// missingPackageText says where a package was looked for in vain.
func (p *problem) missingPackageText(catalogs []int, name string) string {
	keys := make([]string, len(catalogs))
	for i, c := range catalogs {
		keys[i] = p.universe.catalogs[c].key.String()
	}
	names := nearest(name, p.packageNames(catalogs))
	for _, c := range catalogs {
		for _, near := range names {
			p.note(p.universe.catalogs[c].key, near)
		}
	}
	more := suggestion(names)
	switch len(keys) {
	case 0:
		return fmt.Sprintf("%s, so package %s cannot be found", p.noCatalogText(), name)
	case 1:
		return fmt.Sprintf("catalog %s has no package %s%s", keys[0], name, more)
	}
	return fmt.Sprintf("none of the catalogs %s has package %s%s", strings.Join(keys, ", "), name, more)
}

func (p *problem) packageNames(catalogs []int) iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, c := range catalogs {
			for pkg := range p.universe.catalogs[c].snapshot.Packages() {
				p.step(1)
				if !yield(pkg.Name) {
					return
				}
			}
		}
	}
}

// packages yields the package of that name in each of the catalogs.
func (p *problem) packages(catalogs []int, name string) iter.Seq[*catalog.Package] {
	return func(yield func(*catalog.Package) bool) {
		for _, c := range catalogs {
			if pkg := p.universe.catalogs[c].snapshot.Package(name); pkg != nil && !yield(pkg) {
				return
			}
		}
	}
}

func (p *problem) channelNames(catalogs []int, pkg string) []string {
	var names []string
	for found := range p.packages(catalogs, pkg) {
		for _, c := range found.Channels {
			names = append(names, c.Name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

func (p *problem) orderText(s *Subscription, catalogs []int) string {
	var faults []string
	for pkg := range p.packages(catalogs, s.Package) {
		for _, c := range pkg.Channels {
			if c.Fault != "" && (s.Channel == "" || s.Channel == c.Name) {
				faults = append(faults, fmt.Sprintf("channel %s of package %s cannot be used: %s", c.Name, s.Package, c.Fault))
			}
		}
	}
	return strings.Join(faults, "; ")
}

func (p *problem) startingText(s *Subscription, catalogs []int) string {
	var names []string
	listed := false
	for pkg := range p.packages(catalogs, s.Package) {
		for _, c := range pkg.Channels {
			if s.Channel != "" && s.Channel != c.Name {
				continue
			}
			p.step(1 + len(c.Entries)/lookedAtOnce)
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
		return fmt.Sprintf("%s lists the startingCSV %s, but no usable bundle has that name%s", where, s.StartingCSV, p.quarantineText(catalogs, s.Package))
	}
	return fmt.Sprintf("%s has no startingCSV %s%s", where, s.StartingCSV, suggestion(nearest(s.StartingCSV, p.stepping(slices.Values(names)))))
}

func (p *problem) emptyText(s *Subscription, catalogs []int) string {
	where := "package " + s.Package
	if s.Channel != "" {
		where = "channel " + s.Channel + " of " + where
	}
	return fmt.Sprintf("%s offers no bundle%s", where, p.quarantineText(catalogs, s.Package))
}

// maxQuarantineText is how many bytes of the faults of a package a message
// shows.
const maxQuarantineText = 1 << 10

// quarantined returns the faults that take something of a package from the
// request. A channel without order offers its bundles to a ClusterExtension all
// the same.
func (p *problem) quarantined(c int, pkg string) []catalog.Fault {
	faults := p.universe.catalogs[c].snapshot.Quarantined(pkg)
	if p.extension == nil {
		return faults
	}
	return slices.DeleteFunc(slices.Clone(faults), func(f catalog.Fault) bool { return f.Channel != "" && f.Bundle == "" })
}

// quarantineText tells which faults removed parts of a package.
func (p *problem) quarantineText(catalogs []int, pkg string) string {
	var messages []string
	size := 0
	for _, c := range catalogs {
		for _, f := range p.quarantined(c, pkg) {
			if size < maxQuarantineText {
				messages = append(messages, f.Error())
				size += len(messages[len(messages)-1])
			}
		}
	}
	if len(messages) == 0 {
		return ""
	}
	return "; left out for faults of the catalog: " + clip(strings.Join(messages, "; "), maxQuarantineText)
}

func (p *problem) unhealthyText(s *Subscription) string {
	var list []string
	for _, c := range p.visibility.unhealthy {
		if s.Catalog == "" || s.names(c.Key) {
			list = append(list, fmt.Sprintf("%s (%v)", c.Key, c.Err))
		}
	}
	return "it could be served by a catalog that is unhealthy: " + strings.Join(list, ", ")
}

// versions lists those of a package in some catalogs.
func (p *problem) versions(catalogs []int, name string) []semver.Version {
	var list []semver.Version
	for _, c := range catalogs {
		snapshot := p.universe.catalogs[c].snapshot
		if pkg := snapshot.Package(name); pkg != nil {
			for _, id := range pkg.Bundles {
				list = append(list, snapshot.Bundle(id).Version)
			}
		}
	}
	return list
}

// extensionFaultText is faultText for a ClusterExtension.
func (p *problem) extensionFaultText(r *request) string {
	e, f := r.extension, r.fault
	in := ""
	if len(e.Channels) > 0 {
		in = " in channels " + strings.Join(e.Channels, ", ")
	}
	switch f.kind {
	case faultChannel:
		return fmt.Sprintf("package %s has no such channels (%s); its channels are %s",
			e.Package, strings.Join(e.Channels, ", "), strings.Join(p.channelNames(f.catalogs, e.Package), ", "))
	case faultVersion:
		if e.Version == "" {
			return fmt.Sprintf("package %s offers no bundle%s%s", e.Package, in, p.quarantineText(f.catalogs, e.Package))
		}
		return fmt.Sprintf("package %s has no bundle with a version in %q%s; %s", e.Package, e.Version, in, versionsText(p.versions(f.catalogs, e.Package))) +
			p.quarantineText(f.catalogs, e.Package)
	case faultNoSuccessor:
		text := fmt.Sprintf("no bundle of package %s%s succeeds the installed %s, and that one is not ", e.Package, in, e.Installed.Name)
		// Reading the request succeeded, so its installed bundle can be read.
		installed, _ := e.Installed.read()
		installed.Name = e.Package
		if slices.ContainsFunc(f.catalogs, func(c int) bool { return p.installedIn(c, installed) != nil }) {
			return text + fmt.Sprintf("in %q", e.Version)
		}
		return text + "offered any more" + p.quarantineText(f.catalogs, e.Package)
	case faultDependencies:
		return fmt.Sprintf("its best bundle %s has dependencies, which the caller rejects: it requires %s", f.bundle.Name, f.bundle.Constraints[0].Expr)
	}
	return p.missingPackageText(f.catalogs, e.Package)
}
