package check

import (
	"errors"
	"slices"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver/check/internal/finding"
	"github.com/resolvent/resolvent/resolver/result"
)

// installability finds the bundles that cannot be installed. It creates the judged catalogs.
func (r *runner) installability(catalogs []Catalog) error {
	all := slices.Clone(r.options.Background)
	keys := make([]catalog.Key, len(catalogs))
	for i, c := range catalogs {
		keys[i] = c.Key
		all = append(all, cache.Catalog{Key: c.Key, Snapshot: c.Checked.Snapshot})
	}
	assumed, err := r.options.Assume.catalog(r.ctx, all)
	if err != nil {
		return err
	}
	if assumed != nil {
		all = append(all, *assumed)
	}
	for i, c := range all {
		if slices.ContainsFunc(all[:i], func(other cache.Catalog) bool { return other.Key == c.Key }) {
			return &result.InvalidInput{Subject: "catalog " + c.Key.String(), Err: errors.New("several catalogs have this name: give each its own")}
		}
	}
	r.progress("finding bundles that cannot be installed")
	list, err := r.uninstallable(all, keys...)
	tooLarge, unjudged := errors.AsType[*result.TooLarge](err)
	if err != nil && !unjudged {
		return err
	}
	r.report.Uninstallable = list
	blocked := map[catalog.Key]map[catalog.ID]bool{}
	for _, c := range catalogs {
		j := &judged{runner: r, Catalog: c, summary: summarize(c), faults: map[Identity]int{}}
		blocked[c.Key] = map[catalog.ID]bool{}
		j.judge = &finding.Judge{
			Ctx: r.ctx, Checked: c.Checked, Blocked: blocked[c.Key], Others: blocked, Given: all, Date: r.date(), Safety: r.options.Safety, Observe: j.observe,
			Alone:    len(c.Checked.Directories) > 0 && c.Checked.Published == nil && len(all) == len(catalogs),
			Stranded: map[[3]string]bool{}, Ranks: map[string]map[string]int{},
		}
		r.judged = append(r.judged, j)
		if c.Checked.Published != nil {
			o := r.options
			o.Baseline, o.Ignore = finding.Set{}, nil
			before, err := Run(r.ctx, []Catalog{{c.Key, c.Checked.Published}}, o)
			if err != nil {
				return err
			}
			j.before = before.All
		}
		j.judge.Uninstallable(slices.DeleteFunc(slices.Clone(list), func(u result.Uninstallable) bool { return u.Catalog != c.Key }))
		j.summary.Uninstallable = len(j.judge.Blocked)
		if unjudged {
			j.judge.Add(catalog.Error, Identity{Code: finding.CodeUnjudged}, nil, "it is not known which bundles can be installed: %v", tooLarge)
		}
		if len(all) == 1 || unjudged {
			continue
		}
		alone := []cache.Catalog{{Key: c.Key, Snapshot: c.Checked.Snapshot}}
		without, err := r.uninstallable(alone, c.Key)
		if err != nil {
			return err
		}
		for _, u := range without {
			if !j.judge.Blocked[u.Bundle] {
				j.summary.NeedOthers++
			}
		}
	}
	return nil
}

func summarize(c Catalog) Summary {
	s := Summary{Key: c.Key, Bundles: c.Checked.Snapshot.Len()}
	for p := range c.Checked.Snapshot.Packages() {
		s.Packages++
		s.Channels += len(p.Channels)
	}
	if c.Checked.Published != nil {
		s.Published = c.Checked.Published.Snapshot.Len()
	}
	return s
}
