package catalogcheck

import (
	"slices"
	"strings"

	"github.com/blang/semver/v4"
	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver/result"
)

// installability finds the bundles that nothing can install.
func (r *runner) installability() error {
	all := slices.Clone(r.options.Background)
	keys := make([]catalog.Key, len(r.catalogs))
	at := map[catalog.Key]int{}
	for i, c := range r.catalogs {
		keys[i] = c.Key
		at[c.Key] = i
		all = append(all, cache.Catalog{Key: c.Key, Snapshot: c.Checked.Snapshot})
		r.summaries = append(r.summaries, summarize(c))
		r.blocked = append(r.blocked, map[catalog.ID]bool{})
	}
	r.progress("finding bundles that cannot be installed")
	list, err := r.resolver.Uninstallable(r.ctx, r.options.Cluster, cache.NewView(all), keys...)
	if err != nil {
		return err
	}
	for _, u := range list {
		i := at[u.Catalog]
		r.summaries[i].Uninstallable++
		r.blocked[i][u.Bundle] = true
	}
	for i, c := range r.catalogs {
		r.causes(c, slices.Collect(func(yield func(result.Uninstallable) bool) {
			for _, u := range list {
				if u.Catalog == c.Key && !yield(u) {
					return
				}
			}
		}))
		if len(all) == 1 {
			continue
		}
		alone := cache.NewView([]cache.Catalog{{Key: c.Key, Snapshot: c.Checked.Snapshot}})
		without, err := r.resolver.Uninstallable(r.ctx, r.options.Cluster, alone, c.Key)
		if err != nil {
			return err
		}
		for _, u := range without {
			if !r.blocked[i][u.Bundle] {
				r.summaries[i].NeedOthers++
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
	return s
}

// sameCause are the bundles of a package that one cause keeps out.
type sameCause struct {
	pkg, text  string
	deprecated bool
	bundles    []*catalog.Bundle
	heads      []string // channels whose heads are among the bundles
}

// causes makes one finding of each cause.
func (r *runner) causes(c Catalog, list []result.Uninstallable) {
	var merged []*sameCause
	at := map[[2]string]*sameCause{}
	for _, u := range list {
		b := c.Checked.Snapshot.Bundle(u.Bundle)
		for _, cause := range u.Causes {
			text := cause.Text()
			key := [2]string{b.Package, text}
			same := at[key]
			if same == nil {
				kind, forbidden := cause.Forbidden()
				same = &sameCause{pkg: b.Package, text: text, deprecated: forbidden && kind == result.ReasonDeprecated}
				at[key] = same
				merged = append(merged, same)
			}
			same.bundles = append(same.bundles, b)
			same.heads = append(same.heads, headOf(c.Checked.Snapshot, b)...)
		}
	}
	for _, same := range merged {
		slices.SortFunc(same.bundles, func(a, b *catalog.Bundle) int { return a.Version.Compare(b.Version) })
		slices.Sort(same.heads)
		same.heads = slices.Compact(same.heads)
		r.addCause(c, same)
	}
}

func (r *runner) addCause(c Catalog, same *sameCause) {
	severity, code := Warning, CodeUninstallable
	switch {
	case same.deprecated && len(same.heads) == 0:
		severity, code = Note, CodeDeprecatedBundle
	case same.deprecated:
		// Its publisher wants it so, but Subscriptions to the channel fail.
		severity, code = Warning, CodeDeprecatedBundle
	case len(same.heads) > 0:
		severity = Error
	}
	heads := ""
	if len(same.heads) > 0 {
		heads = ", with the head of " + channels(same.heads)
	}
	names := make([]string, len(same.bundles))
	for i, b := range same.bundles {
		names[i] = b.Name
	}
	r.add(c, severity, code, same.pkg, "", names, "%s cannot be installed%s: %s",
		span(same.pkg, same.bundles), heads, same.text)
}

// span names bundles of a package in a few words.
func span(pkg string, bundles []*catalog.Bundle) string {
	versions := make([]semver.Version, len(bundles))
	for i, b := range bundles {
		versions[i] = b.Version
	}
	return result.VersionSpan(pkg, versions)
}

func channels(names []string) string {
	if len(names) == 1 {
		return "channel " + names[0]
	}
	return "channels " + strings.Join(names, ", ")
}

// headOf returns the channels of which the bundle is the head.
func headOf(s *catalog.Snapshot, b *catalog.Bundle) []string {
	var heads []string
	for _, channel := range s.Package(b.Package).Channels {
		if head := channel.Head(); head != nil && head.Name == b.Name {
			heads = append(heads, channel.Name)
		}
	}
	return heads
}
