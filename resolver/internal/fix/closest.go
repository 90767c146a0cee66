package fix

import (
	"cmp"
	"slices"

	"github.com/blang/semver/v4"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver/internal/model"
	"github.com/resolvent/resolvent/resolver/internal/request"
	"github.com/resolvent/resolvent/solver"
)

// closest lists the candidates of a Subscription whose versions are closest to the
// wanted one, and at last the one that an outcome selects.
func closest(o *outcome, of *model.Part, subscription string, wanted *semver.Version) []*catalog.Bundle {
	scope := o.m.Scopes[max(0, slices.IndexFunc(o.m.Scopes, func(s request.Scoped) bool { return s.Part.Namespace == of.Namespace }))]
	p := scope.Part
	at := slices.IndexFunc(scope.Requests, func(r request.Request) bool { return r.Key().Name == subscription })
	if at < 0 {
		return nil
	}
	var list []*catalog.Bundle
	var selected *catalog.Bundle
	for _, v := range scope.Requests[at].List.Candidates {
		if p.AsInstalled(v) != nil {
			continue
		}
		b := p.Bundle(v)
		list = append(list, b)
		if selected == nil && slices.ContainsFunc(o.solution.Selected, func(s solver.Selection) bool { return s.Var == v }) {
			selected = b
		}
	}
	if selected == nil {
		return nil // what is installed satisfies the request
	}
	if wanted == nil {
		return []*catalog.Bundle{selected}
	}
	slices.SortStableFunc(list, func(a, b *catalog.Bundle) int { return a.Version.Compare(b.Version) })
	from, _ := slices.BinarySearchFunc(list, *wanted, func(b *catalog.Bundle, v semver.Version) int { return b.Version.Compare(v) })
	rank := map[*catalog.Bundle]int{}
	for i, b := range list {
		rank[b] = max(i-from, from-i)
	}
	slices.SortStableFunc(list, func(a, b *catalog.Bundle) int { return cmp.Compare(rank[a], rank[b]) })
	return append(list[:min(len(list), maxAlternatives)], selected)
}

// widened lists version ranges that admit a version next to the range of a
// ClusterExtension: the closest above it, the closest below it, and so on.
func widened(o *outcome, r *request.Request) []string {
	p, wish := o.m.Model.Parts[0], r.Object.(*request.Extension)
	var versions []semver.Version
	for _, v := range o.m.Scopes[0].Requests[0].List.Candidates {
		if p.AsInstalled(v) == nil {
			versions = append(versions, p.Bundle(v).Version)
		}
	}
	slices.SortFunc(versions, semver.Version.Compare)
	versions = slices.CompactFunc(versions, semver.Version.EQ)
	below, above := around(versions, wish.Accepts)
	var list []string
	for i := range maxAlternatives / 2 {
		if above+i < len(versions) {
			list = append(list, ">="+versions[above+i].String())
		}
		if below-i >= 0 && below-i < len(versions) {
			list = append(list, "<="+versions[below-i].String())
		}
	}
	return list
}

// around returns the indices of the sorted versions next to those that a range
// accepts, or next to the gap between two in which the range is.
func around(versions []semver.Version, accepts func(semver.Version) bool) (below, above int) {
	below, above = len(versions)-1, len(versions)
	found := false
	for i, v := range versions {
		if accepts(v) {
			if !found {
				below, found = i-1, true
			}
			above = i + 1
		}
	}
	for i := -1; i < len(versions) && !found; i++ {
		from := semver.Version{}
		if i >= 0 {
			from = versions[i]
		}
		for _, between := range []semver.Version{
			{Major: from.Major, Minor: from.Minor, Patch: from.Patch + 1}, {Major: from.Major, Minor: from.Minor + 1}, {Major: from.Major + 1},
		} {
			if (i+1 == len(versions) || between.LT(versions[i+1])) && accepts(between) {
				return i, i + 1
			}
		}
	}
	return below, above
}
