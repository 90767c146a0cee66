package finding

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/resolver/internal/words"
)

// Judge finds what is wrong with a catalog.
type Judge struct {
	Ctx     context.Context
	Checked *cache.Checked
	// Blocked are the bundles that cannot be installed, Others those of all judged catalogs.
	Blocked map[catalog.ID]bool
	Others  map[catalog.Key]map[catalog.ID]bool
	// Given are all catalogs: those to judge, the background and what is assumed.
	Given []cache.Catalog
	// Alone: only bundle directories were given, which are no catalog.
	Alone bool
	// Date is the day of the check, "" if it does not matter.
	Date string
	// Safety judges updates as OLM v1 does, nil if nothing does.
	Safety func(ctx context.Context, from, to *properties.Objects) []Unsafe
	// Observe notes what is found.
	Observe func(*Observation)

	// Stranded has package, channel and entry of faults with that code.
	Stranded map[[3]string]bool
	// Ranks has, by package and name, the place of a bundle in the order of versions.
	Ranks map[string]map[string]int
}

// NoPlace is an unknown place; the place of the newest bundle replaces it.
var NoPlace = catalog.Fault{Property: -1}

// OldestFirst sorts names of bundles of a package by version, and drops repeats. A name
// without a usable bundle comes first.
func (j *Judge) OldestFirst(pkg string, names []string) []string {
	rank := j.Ranks[pkg]
	if rank == nil {
		rank = map[string]int{}
		ids := slices.Clone(j.Checked.Snapshot.Packaged(pkg))
		slices.SortFunc(ids, func(a, b catalog.ID) int {
			return j.Checked.Snapshot.Bundle(a).Version.Compare(j.Checked.Snapshot.Bundle(b).Version)
		})
		for i, id := range ids {
			rank[j.Checked.Snapshot.Bundle(id).Name] = i + 1
		}
		j.Ranks[pkg] = rank
	}
	names = words.Distinct(names)
	slices.SortFunc(names, func(a, b string) int { return cmp.Or(cmp.Compare(rank[a], rank[b]), strings.Compare(a, b)) })
	return names
}

// Package notes what is found in the update graphs of a package.
func (j *Judge) Package(p *catalog.Package) {
	for _, g := range UpdatesOf(j.Checked.Snapshot, p) {
		if j.Ctx.Err() != nil {
			return // Run returns the error
		}
		if g.Fault != "" {
			continue // the fault is reported, and there is no order to judge
		}
		for i := range kinds {
			if kinds[i].find != nil {
				kinds[i].find(j, g)
			}
		}
	}
	j.unsafe(p)
}

// Add notes an observation about bundles of a package. Its place is that of the channel, if
// the identity names one.
func (j *Judge) Add(severity catalog.Severity, id Identity, bundles []string, format string, args ...any) {
	o := &Observation{Identity: id, Severity: severity, Bundles: bundles, Place: NoPlace, Text: fmt.Sprintf(format, args...)}
	if id.Channel != "" {
		o.Place = j.Checked.Place(id.Package, id.Channel, "")
	}
	j.Observe(o)
}

// note adds a finding about an entry of a channel.
func (j *Judge) note(g Updates, severity catalog.Severity, code catalog.Code, entry, cause, format string, args ...any) {
	j.Add(severity, Identity{Code: code, Package: g.Package, Channel: g.Name, Bundle: entry, Cause: cause}, []string{entry}, format, args...)
}

// noteCause adds a note about an entry. Notes with equal texts are joined into one, whose
// format takes the causes of all.
func (j *Judge) noteCause(g Updates, place catalog.Fault, code catalog.Code, entry, cause, text, format string) {
	id := Identity{Code: code, Package: g.Package, Channel: g.Name, Bundle: entry, Cause: cause}
	j.Observe(&Observation{Identity: id, Severity: catalog.Note, Bundles: []string{entry}, Place: place, Text: text, Sentence: func(all *Joined) string {
		return all.Subject(id) + fmt.Sprintf(format, words.Listed(all.Causes, words.MaxNamed))
	}})
}
