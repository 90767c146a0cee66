package missing

import (
	"iter"
	"slices"
	"strings"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver/internal/candidate"
	"github.com/resolvent/resolvent/resolver/internal/model"
	"github.com/resolvent/resolvent/resolver/internal/request"
	"github.com/resolvent/resolvent/resolver/result"
)

// FaultFacts says what a request names that is not there, and what there is
// instead. The first fact is the cause.
func FaultFacts(p *model.Part, r *request.Request) []*result.Explanation {
	facts := []*result.Explanation{model.Fact(FaultReason(p, r))}
	if r.Fault.Kind == request.FaultPackage || r.Fault.Kind == request.FaultCatalog && r.Fault.Catalog == "" {
		return append(facts, packageElsewhere(p, r)...)
	}
	return facts
}

// packageElsewhere says which other catalogs have the package of a
// request: visible ones that it does not name, and those that do not count.
func packageElsewhere(p *model.Part, r *request.Request) []*result.Explanation {
	var facts []*result.Explanation
	pkg := r.PackageName()
	add := func(kind result.ReasonKind, k catalog.Key, d result.Detail) {
		facts = append(facts, fact(p, result.Reason{Kind: kind, Subject: pkg, Package: pkg, Catalog: k, Detail: d}))
	}
	for i, c := range p.Catalogs {
		if !slices.Contains(r.Fault.Catalogs, i) && c.Snapshot.Package(pkg) != nil {
			add(result.ReasonUnknown, c.Key, result.Elsewhere{Why: result.Uncounted{NotAsked: true}})
		}
	}
	for _, c := range UncountedCatalogs(p) {
		if c.Snapshot.Package(pkg) != nil {
			add(result.ReasonInvisible, c.Key, result.Elsewhere{Why: Uncounted(p, c.Key)})
		}
	}
	for _, c := range r.Fault.Catalogs {
		for _, f := range Quarantined(p, c, pkg) {
			add(result.ReasonQuarantined, p.Catalogs[c].Key, result.Quarantined{Fault: f})
		}
	}
	return Shorten(facts)
}

// FaultReason says what a request names that is not there, or cannot be used.
func FaultReason(p *model.Part, r *request.Request) result.Reason {
	out := result.Reason{Kind: result.ReasonUnknown, Subject: r.Key().Name, Package: r.PackageName()}
	switch r.Fault.Kind {
	case request.FaultPackage:
		out.Kind = result.ReasonMissingPackage
	case request.FaultVersion, request.FaultNoSuccessor:
		out.Kind = result.ReasonMissingVersion
	case request.FaultCatalogNotVisible, request.FaultCatalogExcluded:
		out.Kind = result.ReasonInvisible
	}
	out.Detail = faultDetail(p, r.Fault, r.Asked(p, r))
	return out
}

func faultDetail(p *model.Part, f *request.Fault, asked *result.Request) result.Detail {
	switch f.Kind {
	case request.FaultNoPackageName:
		return result.NoBundles{Request: asked}
	case request.FaultCatalog:
		if f.Catalog == "" {
			return searched(p, nil)
		}
		return result.NoSuchCatalog{Request: asked, Nearest: Nearest(f.Catalog, catalogNames(p))}
	case request.FaultCatalogNotVisible:
		group := leftOutBy(p, func(k catalog.Key) bool { return asked.Catalog == k.String() || asked.Catalog == k.Name })
		return result.NoSuchCatalog{Request: asked, Namespace: p.Namespace, Group: group}
	case request.FaultCatalogExcluded:
		return result.NoSuchCatalog{Request: asked, Excluded: true}
	case request.FaultCatalogUnhealthy:
		return result.CatalogUnhealthy{Catalogs: f.Unhealthy}
	case request.FaultChannel:
		return result.NoChannel{Request: asked, Channels: ChannelNames(p, f.Catalogs, asked.Package)}
	case request.FaultChannelOrder:
		return result.ChannelUnusable{Request: asked, Channels: channelFaults(p, asked, f.Catalogs)}
	case request.FaultStartingCSV:
		return startingFault(p, asked, f.Catalogs)
	case request.FaultNoBundles:
		return result.NoBundles{Request: asked, Faults: Faults(p, f.Catalogs, asked.Package)}
	case request.FaultVersion:
		return result.NoBundles{Request: asked, Versions: versions(inChannels(p, bundlesOf(p, f.Catalogs, asked.Package), asked)), Faults: Faults(p, f.Catalogs, asked.Package)}
	case request.FaultNoSuccessor:
		return result.NoSuccessor{Request: asked, OutOfRange: f.OutOfRange, Unlisted: f.Unlisted, Gone: f.Gone, Faults: Faults(p, f.Catalogs, asked.Package)}
	case request.FaultDependencies:
		return result.HasDependencies{Bundle: f.Bundle.Name, Requires: f.Bundle.Constraints[0].Expr}
	}
	return missingPackage(p, f.Catalogs, asked.Package)
}

// catalogNames yields the names of the catalogs that can be used, and the keys of others
// that were given: a namespace too much or too little is a slip, too.
func catalogNames(p *model.Part) iter.Seq[string] {
	return func(yield func(string) bool) {
		for c := range p.In.View.Catalogs() {
			name := c.Key.String()
			if slices.ContainsFunc(p.Catalogs, func(seen candidate.Catalog) bool { return seen.Key == c.Key }) {
				name = c.Key.Name
			}
			if !yield(name) {
				return
			}
		}
	}
}

// missingPackage says in which catalogs a package was looked for in vain.
func missingPackage(p *model.Part, catalogs []int, name string) result.MissingPackage {
	names := Nearest(name, PackageNames(p, catalogs))
	for _, c := range catalogs {
		for _, near := range names {
			p.In.Reads.Package(p.Catalogs[c].Key, near)
		}
	}
	return result.MissingPackage{Searched: searched(p, catalogs), Nearest: names}
}

// PackageNames yields the names of all packages of the catalogs.
func PackageNames(p *model.Part, catalogs []int) iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, c := range catalogs {
			for pkg := range p.Catalogs[c].Snapshot.Packages() {
				p.Pace.Step(1)
				if !yield(pkg.Name) {
					return
				}
			}
		}
	}
}

// channels yields the channels of a package, or only those of one name.
func channels(p *model.Part, catalogs []int, pkg, name string) iter.Seq[*catalog.Channel] {
	return func(yield func(*catalog.Channel) bool) {
		for found := range p.Packages(catalogs, pkg) {
			for _, c := range found.Channels {
				if (name == "" || name == c.Name) && !yield(c) {
					return
				}
			}
		}
	}
}

// ChannelNames returns the names of the channels of a package, sorted.
func ChannelNames(p *model.Part, catalogs []int, pkg string) []string {
	var names []string
	for c := range channels(p, catalogs, pkg, "") {
		names = append(names, c.Name)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// EntryNames yields the entries of a channel of a package; without a channel, of
// all.
func EntryNames(p *model.Part, catalogs []int, pkg, channel string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for c := range channels(p, catalogs, pkg, channel) {
			for i := range c.Entries {
				if !yield(c.Entries[i].Name) {
					return
				}
			}
		}
	}
}

// channelOf is the channel that a Subscription names, if any.
func channelOf(asked *result.Request) string { return strings.Join(asked.Channels, "") }

// channelFaults says why the channels that a Subscription may use have no
// order.
func channelFaults(p *model.Part, asked *result.Request, catalogs []int) []result.Unlisted {
	var faults []result.Unlisted
	for c := range channels(p, catalogs, asked.Package, channelOf(asked)) {
		if c.Fault != "" {
			faults = append(faults, result.Unlisted{Channel: c.Name, Fault: c.Fault})
		}
	}
	return faults
}

// startingFault says that no usable bundle has the name of startingCSV.
func startingFault(p *model.Part, asked *result.Request, catalogs []int) result.Detail {
	names := slices.Collect(p.Pace.Stepping(EntryNames(p, catalogs, asked.Package, channelOf(asked))))
	if slices.Contains(names, asked.StartingCSV) {
		return result.NoStartingCSV{Request: asked, Listed: true, Faults: Faults(p, catalogs, asked.Package)}
	}
	return result.NoStartingCSV{Request: asked, Nearest: Nearest(asked.StartingCSV, p.Pace.Stepping(slices.Values(names)))}
}

// Quarantined returns the faults that take something of a package from the
// request. A channel without order offers its bundles to a ClusterExtension all
// the same.
func Quarantined(p *model.Part, c int, pkg string) []catalog.Fault {
	faults := p.Catalogs[c].Snapshot.Quarantined(pkg)
	if !p.ClusterWide {
		return faults
	}
	return slices.DeleteFunc(slices.Clone(faults), func(f catalog.Fault) bool { return f.Channel != "" && f.Bundle == "" })
}

// Faults returns those that removed parts of a package.
func Faults(p *model.Part, catalogs []int, pkg string) []catalog.Fault {
	var all []catalog.Fault
	for _, c := range catalogs {
		all = append(all, Quarantined(p, c, pkg)...)
	}
	return all
}

// inChannels leaves the bundles that the channels of a request list.
func inChannels(p *model.Part, list []located, asked *result.Request) []located {
	if len(asked.Channels) == 0 {
		return list
	}
	return slices.DeleteFunc(list, func(b located) bool {
		return candidate.FirstPlace(p.Catalogs[b.catalog].Snapshot.Package(b.Bundle.Package), b.Bundle.Name, asked.Channels...).Channel == nil
	})
}
