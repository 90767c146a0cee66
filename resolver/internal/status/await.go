package status

import (
	"context"
	"slices"

	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/route"
	"github.com/resolvent/resolvent/resolver/internal/world"
	"github.com/resolvent/resolvent/resolver/result"
)

// await returns what helps blocked rows, by their indices: the updates of other requests that OLM
// makes by itself, and after which these rows follow.
func await(ctx context.Context, w world.World, rows []result.Status) (waits map[int]result.Help) {
	manual := func(s cluster.Subscription) bool { return s.Manual }
	blocked := func(row result.Status) bool { return row.State == result.StateBlocked && row.Installed != "" }
	moves := func(row result.Status) bool { return row.Next != "" }
	if w.In.Options.NoFixes || slices.ContainsFunc(w.In.Cluster.In(w.In.Scopes[0].Namespace()).Subscriptions, manual) || !slices.ContainsFunc(rows, blocked) || !slices.ContainsFunc(rows, moves) {
		return nil
	}
	on, tries := route.Automatic(ctx, w), mostTried
	waits = map[int]result.Help{}
	for i := range rows {
		row := &rows[i]
		if !blocked(*row) || follows(on, row) == 0 {
			continue
		}
		list, bundle := awaited(ctx, w, on, row, &tries)
		if len(list) > 0 && !slices.ContainsFunc(list, func(a result.Awaited) bool {
			other := rowOf(rows, a.Request)
			return other != nil && other.Stuck() && !blocked(*other)
		}) {
			waits[i] = result.Help{Awaited: list, Follows: bundle}
		}
	}
	return waits
}

// follows returns the place of the first cluster in which another bundle is installed for a
// row, 0 if there is none.
func follows(on []*cluster.Index, row *result.Status) int {
	return max(0, slices.IndexFunc(on, func(c *cluster.Index) bool { return route.InstalledFor(c, row.Request) != row.Installed }))
}

// awaited returns the requests without whose updates a row would follow at another time, or to
// another bundle, and what it follows to.
func awaited(ctx context.Context, w world.World, on []*cluster.Index, row *result.Status, tries *int) (list []result.Awaited, bundle string) {
	end, bundle := follows(on, row), route.InstalledFor(on[follows(on, row)], row.Request)
	for again := true; again; { // who is needed may not be once others stay
		again = false
		for _, s := range w.In.Cluster.In(row.Request.Namespace).Subscriptions {
			if s.InstalledCSV == "" || s.InstalledCSV == route.InstalledFor(on[end], s.Key()) || s.Key() == row.Request || *tries == 0 {
				continue
			}
			*tries--
			without := w.Holding(row.Request.Namespace, s.InstalledCSV)
			if stays := route.Automatic(ctx, without); follows(stays, row) == end && route.InstalledFor(stays[end], row.Request) == bundle {
				w, on, again = without, stays, true
			}
		}
	}
	for _, s := range on[end].In(row.Request.Namespace).Subscriptions {
		var bundles []string
		for k := 1; k <= end; k++ {
			if now := route.InstalledFor(on[k], s.Key()); now != route.InstalledFor(on[k-1], s.Key()) {
				bundles = append(bundles, now)
			}
		}
		if len(bundles) > 0 && s.Key() != row.Request {
			list = append(list, result.Awaited{Request: s.Key(), Bundles: bundles})
		}
	}
	return list, bundle
}
