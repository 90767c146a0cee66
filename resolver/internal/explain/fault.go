package explain

import (
	"cmp"
	"iter"
	"slices"
	"strings"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver/internal/inventory"
	"github.com/resolvent/resolvent/resolver/internal/model"
	"github.com/resolvent/resolvent/resolver/internal/reason"
	"github.com/resolvent/resolvent/resolver/internal/request"
	"github.com/resolvent/resolvent/resolver/internal/words"
	"github.com/resolvent/resolvent/resolver/result"
)

// FaultFacts states which name of a request does not exist, and what exists instead. The
// first fact is the cause.
func FaultFacts(p *model.Part, r *request.Request) []*result.Explanation {
	facts := []*result.Explanation{model.Fact(FaultReason(p, r))}
	if r.Fault.Kind == request.FaultPackage || r.Fault.Kind == request.FaultCatalog && r.Fault.Catalog == "" {
		return append(facts, packageElsewhere(p, r)...)
	}
	return facts
}

// packageElsewhere states which other catalogs have the package of a request: visible ones
// that it does not name, and those that do not count.
func packageElsewhere(p *model.Part, r *request.Request) []*result.Explanation {
	var facts []*result.Explanation
	pkg := r.PackageName()
	for i, c := range p.Catalogs {
		if !slices.Contains(r.Fault.Catalogs, i) && c.Snapshot.Package(pkg) != nil {
			facts = append(facts, fact(p, reason.NotAskedCatalog(reason.Package(pkg).In(c.Key))))
		}
	}
	for _, c := range UncountedCatalogs(p) {
		if c.Snapshot.Package(pkg) != nil {
			facts = append(facts, fact(p, Uncounted(p, reason.Package(pkg).In(c.Key))))
		}
	}
	for _, c := range r.Fault.Catalogs {
		for _, f := range Quarantined(p, c, pkg) {
			facts = append(facts, fact(p, reason.Quarantined(reason.Package(pkg).In(p.Catalogs[c].Key), f)))
		}
	}
	return Shorten(facts)
}

// FaultReason states which name of a request does not exist, or cannot be used.
func FaultReason(p *model.Part, r *request.Request) result.Reason {
	f, asked := r.Fault, r.Stated(p, r)
	faults := func() *result.Searched { return &result.Searched{Faults: Faults(p, f.Catalogs, asked.Package)} }
	switch f.Kind {
	case request.FaultNoPackageName:
		return reason.NoBundles(asked, nil)
	case request.FaultNoBundles:
		return reason.NoBundles(asked, faults())
	case request.FaultCatalog:
		if f.Catalog == "" {
			return reason.NoCatalog(asked, searched(p, nil))
		}
		names := Nearest(f.Catalog, catalogNames(p))
		return reason.UnknownCatalog(asked, names, undeclared(p, asked.Catalog, len(names) > 0))
	case request.FaultCatalogNotVisible:
		group, namespace := leftOutBy(p, r.Takes), asked.Catalog.Namespace
		if group == "" && namespace != p.Namespace && slices.Contains(p.In.Options.Globals(), namespace) {
			group = inventory.GlobalsLeftOutBy(p.State) // it was not given
		}
		return reason.CatalogInvisible(asked, result.Owner{Namespace: p.Namespace, Name: group})
	case request.FaultCatalogExcluded:
		return reason.CatalogExcluded(asked)
	case request.FaultCatalogUnhealthy:
		return reason.CatalogsUnhealthy(asked, &result.CatalogsUnhealthy{Scope: p.Scope, Catalogs: f.Unhealthy})
	case request.FaultPackage:
		names := nearestPackages(p, f.Catalogs, asked.Package)
		if own := r.Key().Name; request.HoldsPart(p, f.Catalogs, own, asked.Package) {
			names = []string{own}
		}
		return reason.NoPackage(asked, names, searched(p, f.Catalogs))
	case request.FaultChannel:
		return reason.NoChannel(asked, ChannelNames(p, f.Catalogs, asked.Package))
	case request.FaultChannelOrder:
		return reason.NoUsableChannel(asked, channelFaults(p, asked, f.Catalogs)...)
	case request.FaultStartingCSV:
		entries := slices.Collect(p.Pace.Stepping(EntryNames(p, f.Catalogs, asked.Package, channelOf(asked))))
		if slices.Contains(entries, asked.StartingCSV) {
			return reason.LostStartingCSV(asked, faults())
		}
		names := nearestStarts(p, f.Catalogs, asked, entries)
		if len(names) == 0 {
			names = Nearest(asked.StartingCSV, p.Pace.Stepping(slices.Values(entries)))
		}
		return reason.NoStartingCSV(asked, names)
	case request.FaultVersion:
		found := faults()
		found.Versions = versions(inChannels(p, bundlesOf(p, f.Catalogs, asked.Package), asked))
		return reason.NoVersion(asked, found)
	case request.FaultNoSuccessor:
		state := reason.NoSuccessor
		if f.Gone {
			state = reason.SuccessorGone
		} else if f.Unlisted {
			state = reason.SuccessorUnlisted
		}
		return state(asked, f.OutOfRange, faults())
	}
	return reason.Refused(asked, f.Bundle.Name, f.Refusals...)
}

// nearestStarts are the bundles among entries that are closest to the version in the name of a
// startingCSV, in the order in which changes of it are offered.
func nearestStarts(p *model.Part, catalogs []int, asked *result.Request, entries []string) []string {
	meant := request.VersionInName(asked.StartingCSV)
	if meant == nil {
		return nil
	}
	listed := make(map[string]bool, len(entries))
	for _, name := range entries {
		listed[name] = true
	}
	list := slices.DeleteFunc(bundlesOf(p, catalogs, asked.Package), func(b located) bool { return !listed[b.Bundle.Name] })
	known := p.Universe.VersionsOf(asked.Package)
	apart := func(b located) int { return request.Apart(known, b.Bundle.Version, *meant) }
	slices.SortFunc(list, func(a, b located) int {
		return cmp.Or(cmp.Compare(apart(a), apart(b)), b.Bundle.Version.Compare(a.Bundle.Version), cmp.Compare(a.Bundle.Name, b.Bundle.Name))
	})
	names := words.Distinct(words.Mapped(list, func(b located) string { return b.Bundle.Name }))
	return names[:min(len(names), maxNearest)]
}

// undeclared states that OpenShift leaves a catalog out, or that no CatalogSource has a
// similar name.
func undeclared(p *model.Part, key catalog.Key, similar bool) string {
	known := p.In.Cluster.ClusterScoped()
	for _, h := range known.OperatorHubs {
		if h.Disables(key) {
			return "OperatorHub " + h.Name + " disables it"
		}
	}
	if similar || len(known.CatalogSources) == 0 {
		return ""
	}
	return "none of the CatalogSources that were read has that name"
}

// catalogNames yields the names of usable catalogs, and the keys of the other given ones: a
// missing or superfluous namespace is a slip, too.
func catalogNames(p *model.Part) iter.Seq[string] {
	return func(yield func(string) bool) {
		for c := range p.In.View.Catalogs() {
			name := c.Key.String()
			if slices.ContainsFunc(p.Catalogs, func(seen model.Catalog) bool { return seen.Key == c.Key }) {
				name = c.Key.Name
			}
			if !yield(name) {
				return
			}
		}
	}
}

// nearestPackages returns the names of packages that are closest to that of a missing one.
func nearestPackages(p *model.Part, catalogs []int, pkg string) []string {
	names := Nearest(pkg, PackageNames(p, catalogs))
	for _, c := range catalogs {
		for _, near := range names {
			p.In.Reads.Package(p.Catalogs[c].Key, near)
		}
	}
	return names
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
		for _, found := range p.Packages(catalogs, pkg) {
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

// channelFaults states why the channels that a Subscription may use have no order.
func channelFaults(p *model.Part, asked *result.Request, catalogs []int) []result.Reason {
	var faults []result.Reason
	for c := range channels(p, catalogs, asked.Package, channelOf(asked)) {
		if c.Fault != "" {
			faults = append(faults, reason.BrokenChannel(asked.Package, c.Name, c.Fault))
		}
	}
	return faults
}

// Quarantined returns the faults that take something of a package from the
// request. A channel without an order takes nothing where channels do not order.
func Quarantined(p *model.Part, c int, pkg string) []catalog.Fault {
	faults := p.Catalogs[c].Snapshot.Quarantined(pkg)
	if p.Kind.Span.ByChannel {
		return faults
	}
	return slices.DeleteFunc(slices.Clone(faults), func(f catalog.Fault) bool { return f.Channel != "" && f.Bundle == "" })
}

// Faults returns the faults that removed parts of a package.
func Faults(p *model.Part, catalogs []int, pkg string) []catalog.Fault {
	var all []catalog.Fault
	for _, c := range catalogs {
		all = append(all, Quarantined(p, c, pkg)...)
	}
	return all
}

// inChannels returns the bundles that the channels of a request list.
func inChannels(p *model.Part, list []located, asked *result.Request) []located {
	if len(asked.Channels) == 0 {
		return list
	}
	return slices.DeleteFunc(list, func(b located) bool {
		return model.FirstPlace(p.Catalogs[b.catalog].Snapshot.Package(b.Bundle.Package), b.Bundle.Name, asked.Channels...).Channel == nil
	})
}
