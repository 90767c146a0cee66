package listing

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/constraints"
	"github.com/resolvent/resolvent/examples/resolvent/internal/terminal"
	"github.com/resolvent/resolvent/properties"
)

// Query says which packages are wanted. What is empty does not matter.
type Query struct {
	// Name is a part of their name.
	Name string
	// Provides and Requires are APIs as KIND[.VERSION][.GROUP], of which KIND may be a part
	// of the name, or PLURAL[.VERSION].GROUP, or the GROUP alone. Requires may be a package
	// as well.
	Provides, Requires string
	// Search is a word in names of packages, bundles, labels or provided kinds, or in what
	// bundles say to people.
	Search string
}

// Match is what was found in a package.
type Match struct {
	// Bundle is the head of the default channel, if that matches, else the highest version
	// that does.
	Bundle  string   `json:"bundle"`
	Version string   `json:"version"`
	Head    bool     `json:"head"`
	What    []string `json:"what"`
}

// Find lists the packages that a query means: those whose head matches first. Where a name
// is matched as a whole, parts of others do not count.
func Find(view *cache.View, q Query, date string) Listing {
	l := Listing{Packages: []Package{}}
	for _, whole := range []bool{true, false} {
		for c := range view.Catalogs() {
			for p := range c.Snapshot.Packages() {
				if m, found := q.find(c.Snapshot, p, whole); found {
					described := describe(c, p, date)
					described.Match = m
					l.Packages = append(l.Packages, described)
				}
			}
		}
		if len(l.Packages) > 0 {
			break
		}
	}
	slices.SortStableFunc(l.Packages, func(a, b Package) int {
		return terminal.TrueFirst(a.Match != nil && a.Match.Head, b.Match != nil && b.Match.Head)
	})
	return l
}

func (q Query) find(s *catalog.Snapshot, p *catalog.Package, whole bool) (*Match, bool) {
	if q.Name != "" && !named(p.Name, q.Name, whole) {
		return nil, false
	}
	if q.Provides == "" && q.Requires == "" && q.Search == "" {
		return nil, q.Name != ""
	}
	head := headOf(p.Channel(p.DefaultChannel))
	var best *Match
	for _, b := range sorted(s, p) {
		if best != nil && b.Name != head {
			continue
		}
		if what := q.matches(b, whole); len(what) > 0 {
			best = &Match{b.Name, b.Version.String(), b.Name == head, what}
		}
	}
	return best, best != nil
}

// matches is what a bundle has of each thing that is asked for, nothing if one is missing.
func (q Query) matches(b *catalog.Bundle, whole bool) (what []string) {
	for _, ask := range []struct {
		text string
		of   func(*catalog.Bundle, string, bool) []string
	}{{q.Provides, provided}, {q.Requires, required}, {q.Search, mentioned}} {
		if ask.text == "" {
			continue
		}
		found := ask.of(b, ask.text, whole)
		if len(found) == 0 {
			return nil
		}
		what = append(what, found...)
	}
	return what
}

// None is the error of a query that finds nothing, with the closest name of those that its
// first part is compared with.
func (q Query) None(view *cache.View) error {
	var asked []string
	for _, each := range [][2]string{{"--provides ", q.Provides}, {"--requires ", q.Requires}, {"--search ", q.Search}, {"", q.Name}} {
		if each[1] != "" {
			asked = append(asked, each[0]+each[1])
		}
	}
	var names []string
	for c := range view.Catalogs() {
		for _, id := range c.Snapshot.ByName() {
			b := c.Snapshot.Bundle(id)
			if q.Provides != "" {
				names = append(names, terminal.Mapped(b.Properties.GVKs(), func(g properties.GVK) string { return g.Kind })...)
			} else if q.Requires != "" {
				names = append(names, terminal.Mapped(requirements(b), func(r requirement) string { return r.name })...)
			}
		}
	}
	all := cmp.Or(q.Provides, q.Requires)
	kind, _, _ := strings.Cut(all, ".")
	near := terminal.Suggestion(kind, names)
	if slices.Contains(names, all) { // other parts find nothing
		near = ""
	}
	return fmt.Errorf("%s: no package of the catalogs is found by this%s", strings.Join(asked, " and "), near)
}

// requirement is an API or a package that a bundle requires: its kind or name, and whether that is asked for.
type requirement struct {
	name, text string
	is         func(asked string, whole bool) bool
}

func requirements(b *catalog.Bundle) (list []requirement) {
	for _, c := range b.Constraints {
		for _, part := range constraints.Parts(c.Expr) {
			switch e := part.(type) {
			case constraints.GVK:
				list = append(list, requirement{e.GVK.Kind, e.GVK.String(), func(asked string, whole bool) bool { return parseAPI(asked).matches(e.GVK, whole) }})
			case constraints.Package:
				list = append(list, requirement{e.Name, e.String(), func(asked string, whole bool) bool { return named(e.Name, asked, whole) }})
			}
		}
	}
	return list
}

func provided(b *catalog.Bundle, text string, whole bool) (what []string) {
	api := parseAPI(text)
	for _, gvk := range b.Properties.GVKs() {
		if api.matches(gvk, whole) {
			what = append(what, gvk.String())
		}
	}
	return what
}

func required(b *catalog.Bundle, text string, whole bool) (what []string) {
	for _, r := range requirements(b) {
		if r.is(text, whole) && !slices.Contains(what, r.text) {
			what = append(what, r.text)
		}
	}
	return what
}

func mentioned(b *catalog.Bundle, text string, _ bool) (what []string) {
	texts := append([]string{b.Package, b.Name}, b.Properties.Labels()...)
	for _, gvk := range b.Properties.GVKs() {
		texts = append(texts, gvk.String())
	}
	m := b.Properties.Metadata()
	for _, f := range m.Features() {
		texts = append(texts, "feature "+f)
	}
	if m != nil {
		if list := m.Architectures(); !slices.Equal(list, []string{"amd64"}) { // which most have
			texts = append(texts, "architectures "+strings.Join(list, ", "))
		}
		if name := m.SuggestedNamespace(); name != "" {
			texts = append(texts, "suggested namespace "+name)
		}
	}
	for _, each := range texts {
		if named(each, text, false) {
			what = append(what, each)
		}
	}
	if m := b.Properties.Metadata(); m != nil {
		for _, each := range m.Texts {
			if found := strconv.Quote(excerpt(each, text)); named(each, text, false) && !slices.Contains(what, found) {
				what = append(what, found)
			}
		}
	}
	return what
}

// excerpt is what stands around a part of a long text.
func excerpt(text, part string) string {
	const beside = 30
	text = strings.Join(strings.Fields(text), " ")
	at := max(strings.Index(strings.ToLower(text), strings.ToLower(part)), 0)
	before, after := "", ""
	if end := at + len(part) + beside; end < len(text) {
		text, after = text[:max(strings.LastIndexByte(text[:end], ' '), at+len(part))], "..."
	}
	if start := at - beside; start > 0 {
		text, before = text[start+strings.IndexByte(text[start:], ' ')+1:], "..."
	}
	return before + strings.ToValidUTF8(text, "") + after
}

// named reports whether a name is the one that is asked for or, if that may be a part of
// it, contains it. Case does not matter.
func named(name, asked string, whole bool) bool {
	if whole {
		return strings.EqualFold(name, asked)
	}
	return strings.Contains(strings.ToLower(name), strings.ToLower(asked))
}

// api is KIND[.VERSION][.GROUP], with the whole text. A group may begin like a version: rest
// is all behind the kind.
type api struct{ kind, version, group, rest, text string }

// apiVersion is how versions of APIs read.
var apiVersion = regexp.MustCompile(`^(?i:v[0-9]+((alpha|beta)[0-9]+)?)$`)

func parseAPI(text string) api {
	kind, rest, _ := strings.Cut(text, ".")
	version, group, _ := strings.Cut(rest, ".")
	if !apiVersion.MatchString(version) {
		version, group = "", rest
	}
	return api{kind, version, group, rest, text}
}

func (a api) matches(g properties.GVK, whole bool) bool {
	if strings.EqualFold(g.Group, a.text) {
		return true
	}
	asGroup := a.rest != "" && strings.EqualFold(g.Group, a.rest)
	plural := a.rest != "" && slices.ContainsFunc([]string{g.Kind + "s", g.Kind + "es", strings.TrimSuffix(g.Kind, "y") + "ies"},
		func(plural string) bool { return strings.EqualFold(plural, a.kind) })
	return (plural && (a.group != "" || asGroup) || named(g.Kind, a.kind, whole)) && (asGroup ||
		(a.version == "" || strings.EqualFold(g.Version, a.version)) && (a.group == "" || strings.EqualFold(g.Group, a.group)))
}
