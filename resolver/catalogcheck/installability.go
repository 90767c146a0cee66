package catalogcheck

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/blang/semver/v4"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver/internal/words"
	"github.com/resolvent/resolvent/resolver/result"
)

// installability finds the bundles that nothing can install.
func (r *runner) installability(catalogs []Catalog) error {
	all := slices.Clone(r.options.Background)
	r.published = slices.Clone(all)
	keys := make([]catalog.Key, len(catalogs))
	for i, c := range catalogs {
		keys[i] = c.Key
		all = append(all, cache.Catalog{Key: c.Key, Snapshot: c.Checked.Snapshot})
		if !c.Checked.Directories {
			r.published = append(r.published, all[len(all)-1])
		}
	}
	for i, c := range all {
		if slices.ContainsFunc(all[:i], func(other cache.Catalog) bool { return other.Key == c.Key }) {
			return &result.InvalidInput{Subject: "catalog " + c.Key.String(), Err: errors.New("several catalogs have this name: give each its own")}
		}
	}
	r.progress("finding bundles that cannot be installed")
	list, err := r.resolver.Uninstallable(r.ctx, r.options.Cluster, cache.NewView(all), keys...)
	tooLarge, unjudged := errors.AsType[*result.TooLarge](err)
	if err != nil && !unjudged {
		return err
	}
	for _, c := range catalogs {
		j := &judged{runner: r, Catalog: c, summary: summarize(c), blocked: map[catalog.ID]bool{}, stranded: map[[3]string]bool{}}
		r.judged = append(r.judged, j)
		j.uninstallable(slices.DeleteFunc(slices.Clone(list), func(u result.Uninstallable) bool { return u.Catalog != c.Key }))
		if unjudged {
			j.add(Error, CodeUnjudged, "", "", nil, "it is not known which bundles can be installed: %v", tooLarge)
		}
		if len(all) == 1 || unjudged {
			continue
		}
		alone := cache.NewView([]cache.Catalog{{Key: c.Key, Snapshot: c.Checked.Snapshot}})
		without, err := r.resolver.Uninstallable(r.ctx, r.options.Cluster, alone, c.Key)
		if err != nil {
			return err
		}
		for _, u := range without {
			if !j.blocked[u.Bundle] {
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
	return s
}

// uninstallable makes one finding of each cause.
func (j *judged) uninstallable(list []result.Uninstallable) {
	found := causes{snapshot: j.Checked.Snapshot, at: map[[2]string]*cause{}}
	j.summary.Uninstallable = len(list)
	for _, u := range list {
		j.blocked[u.Bundle] = true
		for _, cause := range u.Causes {
			kind, forbidden := cause.Forbidden()
			found.add(j.Checked.Snapshot.Bundle(u.Bundle), cause.Text(), forbidden && kind == result.ReasonDeprecated)
		}
	}
	for _, c := range found.sorted() {
		severity, code := Warning, CodeUninstallable
		switch {
		case c.deprecated && len(c.heads) == 0:
			severity, code = Note, CodeDeprecatedBundle
		case c.deprecated:
			// Its publisher wants it so, but Subscriptions to the channel fail.
			code = CodeDeprecatedBundle
		case len(c.heads) > 0:
			severity = Error
		}
		j.add(severity, code, c.pkg, "", names(c.bundles), "%s", c)
	}
}

// cause is why bundles of a package cannot be installed.
type cause struct {
	pkg, text  string
	deprecated bool
	bundles    []*catalog.Bundle
	heads      []string // channels whose heads are among the bundles
}

// String is a sentence about the bundles.
func (c *cause) String() string {
	heads := ""
	if len(c.heads) > 0 {
		heads = ", with the head of " + channels(c.heads)
	}
	return fmt.Sprintf("%s cannot be installed%s: %s", c.span(), heads, c.text)
}

// span names the bundles in a few words.
func (c *cause) span() string {
	versions := make([]semver.Version, len(c.bundles))
	for i, b := range c.bundles {
		versions[i] = b.Version
	}
	return words.VersionSpan(c.pkg, versions)
}

// causes groups bundles by package and text.
type causes struct {
	snapshot *catalog.Snapshot
	list     []*cause
	at       map[[2]string]*cause
}

func (c *causes) add(b *catalog.Bundle, text string, deprecated bool) {
	key := [2]string{b.Package, text}
	same := c.at[key]
	if same == nil {
		same = &cause{pkg: b.Package, text: text, deprecated: deprecated}
		c.at[key] = same
		c.list = append(c.list, same)
	}
	same.bundles = append(same.bundles, b)
	for _, channel := range c.snapshot.Package(b.Package).Channels {
		if head := channel.Head(); head != nil && head.Name == b.Name {
			same.heads = append(same.heads, channel.Name)
		}
	}
}

// sorted returns the causes in the order of their first bundles, the bundles of
// each by version.
func (c *causes) sorted() []*cause {
	for _, same := range c.list {
		slices.SortFunc(same.bundles, func(a, b *catalog.Bundle) int { return a.Version.Compare(b.Version) })
		slices.Sort(same.heads)
		same.heads = slices.Compact(same.heads)
	}
	return c.list
}

func names(bundles []*catalog.Bundle) []string {
	names := make([]string, len(bundles))
	for i, b := range bundles {
		names[i] = b.Name
	}
	return names
}

func channels(names []string) string {
	if len(names) == 1 {
		return "channel " + names[0]
	}
	return "channels " + strings.Join(names, ", ")
}
