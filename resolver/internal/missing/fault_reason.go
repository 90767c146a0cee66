package missing

import (
	"iter"
	"slices"

	"github.com/blang/semver/v4"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver/internal/encode"
	"github.com/resolvent/resolvent/resolver/internal/pace"
	"github.com/resolvent/resolvent/resolver/result"
)

// FaultReason says what a request names that is not there, or cannot be used.
func FaultReason(p *encode.Part, r *encode.Request) result.Reason {
	out := result.Reason{Kind: result.ReasonUnknown, Subject: r.Name(), Package: r.PackageName()}
	switch r.Fault.Kind {
	case encode.FaultPackage:
		out.Kind = result.ReasonMissingPackage
	case encode.FaultVersion, encode.FaultNoSuccessor:
		out.Kind = result.ReasonMissingVersion
	case encode.FaultCatalogNotVisible, encode.FaultCatalogExcluded:
		out.Kind = result.ReasonInvisible
	}
	out.Detail = faultDetail(p, r.Fault, p.Asked(r))
	return out
}

func faultDetail(p *encode.Part, f *encode.Fault, asked *result.Request) result.Detail {
	switch f.Kind {
	case encode.FaultNoPackageName:
		return result.NoBundles{Request: asked}
	case encode.FaultCatalog:
		if f.Catalog == "" {
			return searched(p, nil)
		}
		return result.NoSuchCatalog{Request: asked, Nearest: Nearest(f.Catalog, catalogNames(p))}
	case encode.FaultCatalogNotVisible:
		return result.NoSuchCatalog{Request: asked, Namespace: p.Namespace}
	case encode.FaultCatalogExcluded:
		return result.NoSuchCatalog{Request: asked, Excluded: true}
	case encode.FaultCatalogUnhealthy:
		return result.CatalogUnhealthy{Catalogs: f.Unhealthy}
	case encode.FaultChannel:
		return result.NoChannel{Request: asked, Channels: ChannelNames(p, f.Catalogs, asked.Package)}
	case encode.FaultChannelOrder:
		return result.ChannelUnusable{Request: asked, Channels: channelFaults(p, asked, f.Catalogs)}
	case encode.FaultStartingCSV:
		return startingFault(p, asked, f.Catalogs)
	case encode.FaultNoBundles:
		return result.NoBundles{Request: asked, Faults: Faults(p, f.Catalogs, asked.Package)}
	case encode.FaultVersion:
		return result.NoBundles{Request: asked, Versions: versions(p, f.Catalogs, asked), Faults: Faults(p, f.Catalogs, asked.Package)}
	case encode.FaultNoSuccessor:
		return result.NoSuccessor{Request: asked, OutOfRange: f.OutOfRange, Unlisted: f.Unlisted, Gone: f.Gone, Faults: Faults(p, f.Catalogs, asked.Package)}
	case encode.FaultDependencies:
		return result.HasDependencies{Bundle: f.Bundle.Name, Requires: f.Bundle.Constraints[0].Expr}
	}
	return missingPackage(p, f.Catalogs, asked.Package)
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

// missingPackage says where a package was looked for in vain.
func missingPackage(p *encode.Part, catalogs []int, name string) result.MissingPackage {
	names := Nearest(name, PackageNames(p, catalogs))
	for _, c := range catalogs {
		for _, near := range names {
			note(p, p.Universe.Catalogs[c].Key, near)
		}
	}
	return result.MissingPackage{Searched: searched(p, catalogs), Nearest: names}
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

// channelFaults says why the channels that a Subscription may ask for have no
// order.
func channelFaults(p *encode.Part, asked *result.Request, catalogs []int) []result.Unlisted {
	var faults []result.Unlisted
	for pkg := range p.Packages(catalogs, asked.Package) {
		for _, c := range pkg.Channels {
			if c.Fault != "" && (len(asked.Channels) == 0 || asked.Channels[0] == c.Name) {
				faults = append(faults, result.Unlisted{Channel: c.Name, Fault: c.Fault})
			}
		}
	}
	return faults
}

// startingFault says that no usable bundle has the name of startingCSV.
func startingFault(p *encode.Part, asked *result.Request, catalogs []int) result.Detail {
	out := result.NoStartingCSV{Request: asked}
	var names []string
	for pkg := range p.Packages(catalogs, asked.Package) {
		for _, c := range pkg.Channels {
			if len(asked.Channels) > 0 && asked.Channels[0] != c.Name {
				continue
			}
			p.Step(1 + len(c.Entries)/pace.PerStep)
			for i := range c.Entries {
				names = append(names, c.Entries[i].Name)
				out.Listed = out.Listed || c.Entries[i].Name == asked.StartingCSV
			}
		}
	}
	if out.Listed {
		out.Faults = Faults(p, catalogs, asked.Package)
	} else {
		out.Nearest = Nearest(asked.StartingCSV, p.Stepping(slices.Values(names)))
	}
	return out
}

// Quarantined returns the faults that take something of a package from the
// request. A channel without order offers its bundles to a ClusterExtension all
// the same.
func Quarantined(p *encode.Part, c int, pkg string) []catalog.Fault {
	faults := p.Universe.Catalogs[c].Snapshot.Quarantined(pkg)
	if !p.ClusterWide() {
		return faults
	}
	return slices.DeleteFunc(slices.Clone(faults), func(f catalog.Fault) bool { return f.Channel != "" && f.Bundle == "" })
}

// Faults returns those that removed parts of a package.
func Faults(p *encode.Part, catalogs []int, pkg string) []catalog.Fault {
	var all [][]catalog.Fault
	for _, c := range catalogs {
		all = append(all, Quarantined(p, c, pkg))
	}
	return slices.Concat(all...)
}

// versions lists those that some catalogs have in the channels of a request, sorted.
func versions(p *encode.Part, catalogs []int, asked *result.Request) []semver.Version {
	var list []semver.Version
	for _, c := range catalogs {
		snapshot := p.Universe.Catalogs[c].Snapshot
		pkg := snapshot.Package(asked.Package)
		if pkg == nil {
			continue
		}
		for _, id := range pkg.Bundles {
			b := snapshot.Bundle(id)
			if len(asked.Channels) == 0 || slices.ContainsFunc(pkg.Channels, func(c *catalog.Channel) bool {
				return slices.Contains(asked.Channels, c.Name) && c.Entry(b.Name) != nil
			}) {
				list = append(list, b.Version)
			}
		}
	}
	slices.SortFunc(list, semver.Version.Compare)
	return list
}
