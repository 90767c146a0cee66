package resolver

import (
	"iter"
	"slices"

	"github.com/blang/semver/v4"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/resolver/result"
)

// faultReason says what a request names that is not there, or cannot be used.
func faultReason(p *problem, r *request) result.Reason {
	out := result.Reason{Kind: result.ReasonUnknown, Subject: r.name(), Package: r.packageName()}
	switch r.fault.kind {
	case faultPackage:
		out.Kind = result.ReasonMissingPackage
	case faultVersion, faultNoSuccessor:
		out.Kind = result.ReasonMissingVersion
	case faultCatalogNotVisible, faultCatalogExcluded:
		out.Kind = result.ReasonInvisible
	}
	if r.extension != nil {
		out.Detail = missingForExtension(p, r)
	} else {
		out.Detail = missingForSubscription(p, r)
	}
	return out
}

func missingForSubscription(p *problem, r *request) result.Detail {
	s, f, asked := r.subscription, r.fault, p.requested(r)
	switch f.kind {
	case faultNoPackageName:
		return result.NoPackageName{}
	case faultCatalog:
		if s.Catalog == "" {
			return result.NoCatalog{Searched: p.searched(nil)}
		}
		return result.NoSuchCatalog{Request: asked, Nearest: nearest(s.Catalog, p.catalogNames())}
	case faultCatalogNotVisible:
		return result.NoSuchCatalog{Request: asked, Namespace: p.namespace}
	case faultCatalogExcluded:
		return result.NoSuchCatalog{Request: asked, Excluded: true}
	case faultCatalogUnhealthy:
		return result.CatalogUnhealthy{Catalogs: slices.DeleteFunc(slices.Clone(p.visibility.unhealthy), func(c result.UnhealthyCatalog) bool {
			return s.Catalog != "" && !s.names(c.Key)
		})}
	case faultChannel:
		return result.NoChannel{Request: asked, Channels: p.channelNames(f.catalogs, s.Package)}
	case faultChannelOrder:
		return result.ChannelUnusable{Request: asked, Channels: p.channelFaults(s, f.catalogs)}
	case faultStartingCSV:
		return startingFault(p, asked, f.catalogs)
	case faultNoBundles:
		return result.NoBundles{Request: asked, Faults: p.faults(f.catalogs, s.Package)}
	}
	return p.missingPackage(f.catalogs, s.Package)
}

func missingForExtension(p *problem, r *request) result.Detail {
	f, asked := r.fault, p.requested(r)
	switch f.kind {
	case faultChannel:
		return result.NoChannel{Request: asked, Channels: p.channelNames(f.catalogs, asked.Package)}
	case faultVersion:
		if asked.Version == "" {
			return result.NoBundles{Request: asked, Faults: p.faults(f.catalogs, asked.Package)}
		}
		return result.NoVersion{Request: asked, Versions: p.versions(f.catalogs, asked.Package), Faults: p.faults(f.catalogs, asked.Package)}
	case faultNoSuccessor:
		// Reading the request succeeded, so its installed bundle can be read.
		installed, _ := r.extension.Installed.read()
		installed.Name = asked.Package
		offered := slices.ContainsFunc(f.catalogs, func(c int) bool { return p.installedIn(c, installed) != nil })
		return result.NoSuccessor{Request: asked, Gone: !offered, Faults: p.faults(f.catalogs, asked.Package)}
	case faultDependencies:
		return result.HasDependencies{Bundle: f.bundle.Name, Requires: f.bundle.Constraints[0].Expr}
	}
	return p.missingPackage(f.catalogs, asked.Package)
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

// missingPackage says where a package was looked for in vain.
func (p *problem) missingPackage(catalogs []int, name string) result.MissingPackage {
	names := nearest(name, p.packageNames(catalogs))
	for _, c := range catalogs {
		for _, near := range names {
			p.note(p.universe.catalogs[c].key, near)
		}
	}
	return result.MissingPackage{Searched: p.searched(catalogs), Nearest: names}
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

// channelFaults says why the channels that a Subscription may ask for have no
// order.
func (p *problem) channelFaults(s *Subscription, catalogs []int) []result.ChannelFault {
	var faults []result.ChannelFault
	for pkg := range p.packages(catalogs, s.Package) {
		for _, c := range pkg.Channels {
			if c.Fault != "" && (s.Channel == "" || s.Channel == c.Name) {
				faults = append(faults, result.ChannelFault{Channel: c.Name, Fault: c.Fault})
			}
		}
	}
	return faults
}

// startingFault says that no usable bundle has the name of startingCSV.
func startingFault(p *problem, asked *result.Request, catalogs []int) result.Detail {
	out := result.NoStartingCSV{Request: asked}
	var names []string
	for pkg := range p.packages(catalogs, asked.Package) {
		for _, c := range pkg.Channels {
			if len(asked.Channels) > 0 && asked.Channels[0] != c.Name {
				continue
			}
			p.step(1 + len(c.Entries)/lookedAtOnce)
			for i := range c.Entries {
				names = append(names, c.Entries[i].Name)
				out.Listed = out.Listed || c.Entries[i].Name == asked.StartingCSV
			}
		}
	}
	if out.Listed {
		out.Faults = p.faults(catalogs, asked.Package)
	} else {
		out.Nearest = nearest(asked.StartingCSV, p.stepping(slices.Values(names)))
	}
	return out
}

// quarantined returns the faults that take something of a package from the
// request. A channel without order offers its bundles to a ClusterExtension all
// the same.
func (p *problem) quarantined(c int, pkg string) []cache.Fault {
	faults := p.universe.catalogs[c].snapshot.Quarantined(pkg)
	if p.extension == nil {
		return faults
	}
	return slices.DeleteFunc(slices.Clone(faults), func(f cache.Fault) bool { return f.Channel != "" && f.Bundle == "" })
}

// faults returns those that removed parts of a package.
func (p *problem) faults(catalogs []int, pkg string) []cache.Fault {
	var all [][]cache.Fault
	for _, c := range catalogs {
		all = append(all, p.quarantined(c, pkg))
	}
	return slices.Concat(all...)
}

// versions lists those of a package in some catalogs, sorted.
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
	slices.SortFunc(list, semver.Version.Compare)
	return list
}
