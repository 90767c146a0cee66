package inputs

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/examples/resolvent/internal/terminal"
	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/resolver/cluster"
)

// Targets are catalogs as they are from versions of OpenShift on.
type Targets struct {
	flags Flags
	all   []CatalogFlag
	read  map[string]*cache.View // by CatalogFlag.From
}

// ReadTargets reads catalogs of versions of OpenShift.
func (f *Flags) ReadTargets(ctx context.Context, all []CatalogFlag, std Streams) (*Targets, error) {
	t := &Targets{*f, all, map[string]*cache.View{}}
	for _, c := range all {
		var err error
		if t.read[c.From] == nil {
			if t.read[c.From], err = ReadCatalogs(ctx, t.of(c.From), false, std); err != nil {
				return nil, err
			}
		}
	}
	return t, nil
}

// of are the flags with the catalogs that are so from a version on.
func (t *Targets) of(from string) *Flags {
	flags := t.flags
	flags.Catalogs = slices.DeleteFunc(slices.Clone(t.all), func(c CatalogFlag) bool { return c.From != from })
	return &flags
}

// CheckNames refuses a catalog with a name that none has now.
func (t *Targets) CheckNames(now *cache.View) error {
	var names []string
	for c := range now.Catalogs() {
		names = append(names, c.Key.String())
	}
	for _, c := range t.all {
		if now.Catalog(c.Key) == nil {
			return Usagef("--target-catalog %s: no --catalog has this name; pass it as well%s", c.Key, terminal.Suggestion(c.Key.String(), names))
		}
	}
	return nil
}

// Check refuses a catalog of a version to which the cluster is not updated in turn.
func (t *Targets) Check(hops []string) error {
	minors := terminal.Mapped(hops, minorOf)
	for _, c := range t.all {
		if c.From != "" && !slices.ContainsFunc(hops, func(hop string) bool { return sameRelease(c.From, hop) }) {
			return Usagef("--target-catalog %s:%s: %[1]s is not on the way; the versions are %[3]s", c.From, c.Key, cmp.Or(strings.Join(minors, ", "), "not known without --target-openshift"))
		}
	}
	return nil
}

// At are all catalogs at each of the versions to which the cluster is updated in turn, where
// they are other ones than before. At first they are those of now.
func (t *Targets) At(hops []string, now *cache.View, known *cluster.Index) map[string]*cache.View {
	at := map[string]*cache.View{}
	for i, hop := range hops {
		froms := []string{""}
		for _, c := range t.all {
			if sameRelease(c.From, hop) && !slices.Contains(froms, c.From) {
				froms = append(froms, c.From)
			}
		}
		for k, from := range froms {
			if t.read[from] == nil || k == 0 && i > 0 {
				continue
			}
			var all []cache.Catalog
			for c := range t.of(from).AsDeclared(t.read[from], known).Catalogs() {
				all = append(all, *c)
			}
			for c := range now.Catalogs() {
				if t.read[from].Catalog(c.Key) == nil {
					all = append(all, *c)
				}
			}
			now = cache.NewView(all)
			at[hop] = now
		}
	}
	return at
}

// minorOf is the version as MAJOR.MINOR, empty if it is none.
func minorOf(version string) string {
	v, ok := properties.OpenShiftOf(version)
	if !ok {
		return ""
	}
	return v.String()
}

// sameRelease reports whether two versions of OpenShift are of one release, as 4.23 and 5.0
// are.
func sameRelease(a, b string) bool {
	v, ok := properties.OpenShiftOf(a)
	w, known := properties.OpenShiftOf(b)
	return ok && known && v.Compare(w) == 0
}
