package oracle

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"unicode"

	"github.com/blang/semver/v4"
)

// Fix is a minimal set of changes with what decides whether it is listed, and where.
type Fix struct {
	// Atoms are "object|field|value", sorted.
	Atoms []string
	// GivesUp and Changes are how many requests it drops and objects it changes.
	GivesUp, Changes int
	Risk             Risk
	// Apart is how many versions what the changed requests get is away from what they meant.
	Apart int

	// Class is the place in the order of all, 1 to 6.
	Class int

	Fields  []string
	Kinds   []int
	Newest  semver.Version
	Removes []string
	// Effect is what the fix installs, each with what it takes the place of, and what it removes.
	Effect string
	// Follows is how the changed requests stand then, and the steps that they have left.
	Follows string
	Admits  int
	// Channels is 1 for a channel that is not the default one, 2 if its versions are not
	// finished; StepsLeft is 1 if a changed request does not get its head.
	Channels, StepsLeft int
	// Never is set if a new request gets a version of an older major than it meant: nobody is
	// advised to.
	Never    bool
	abandons bool // a request with something installed
}

// Risk is a risk of a fix; the higher the worse.
type Risk int

// The risks, in the order of package result.
const (
	None Risk = iota
	Widens
	Removes
	Overrides
)

// The kinds of changes, in the order in which fixes that are equal otherwise stand.
var changeKinds = []string{"startingCSV", "channel", "source", "name", "reinstall", "channels", "version", "selector", "policy", "targets", "exclude", "forward", "upgradeable", "delete", "giveUp", "goes"}

// Judge judges a set of changes of given that leads to after, nil if no request is left. waits
// says that nothing comes of it until others are solved.
func Judge(given, after *Problem, atoms []string, waits bool, limit int) (*Fix, error) {
	f := &Fix{Atoms: atoms}
	changed := map[string]bool{}
	var deleted []string // ClusterServiceVersions without a request
	for _, atom := range atoms {
		parts := strings.SplitN(atom, "|", 3)
		changed[parts[0]] = true
		f.Fields = append(f.Fields, parts[0]+"|"+parts[1])
		f.Kinds = append(f.Kinds, slices.Index(changeKinds, parts[1]))
		switch parts[1] {
		case "giveUp":
			f.GivesUp++
			f.abandons = f.abandons || given.Extension == nil && Stand(given, path.Base(parts[0])).Installed != ""
		case "exclude", "policy":
			f.Risk = max(f.Risk, Widens)
		case "targets":
			before := given.Group.Targets
			if len(before) > 0 && (parts[2] == "all" || !slices.Contains(before, given.Namespace)) {
				f.Risk = max(f.Risk, Widens)
			}
			if parts[2] == "own" && !slices.Equal(slices.Compact(slices.Clone(before)), []string{given.Namespace}) && slices.ContainsFunc(given.Installed, given.counts) {
				f.Risk = max(f.Risk, Removes)
			}
		case "goes", "reinstall":
			f.Risk = max(f.Risk, Removes)
		case "delete":
			deleted = append(deleted, parts[0])
		case "forward", "upgradeable":
			f.Risk = Overrides
		}
	}
	f.Changes = len(changed)
	slices.Sort(f.Fields)
	slices.Sort(f.Kinds)
	defer f.classify()
	if len(deleted) > 0 && (waits || after == nil) {
		f.Risk = max(f.Risk, Removes)
	}
	if after == nil {
		f.Effect = "nothing is resolved"
		for _, atom := range atoms {
			if strings.Contains(atom, "|goes") {
				f.Effect += " " + atom
			}
		}
		return f, nil
	}
	s := newSearch([]*Problem{after})
	if ok, err := s.solve(limit); err != nil || !ok {
		return nil, fmt.Errorf("there is no answer with %v: %w", atoms, err)
	}
	before, now := newWorld(given), s.worlds[0]
	f.compare(before, now, s.answer(now), deleted)
	for i, r := range s.roots {
		at := slices.IndexFunc(r.request, func(p place) bool { return s.selected&s.bit[p.node] != 0 })
		got := s.node(r.request[at].node)
		if given.Extension != nil {
			if slices.ContainsFunc(atoms, func(a string) bool { return strings.HasPrefix(a, "ClusterExtension/") }) {
				f.judge(before.extensionChange(now), got)
				f.Follows += fmt.Sprint(" ", stepsLeft(after, "", got.name, got.version, headOfExtension(after)))
			}
			continue
		}
		name := s.asked[i].subscription.Name
		k := slices.IndexFunc(given.Subscriptions, func(o Subscription) bool { return o.Name == name })
		was := given.Subscriptions[k]
		if changed["Subscription/"+given.Namespace+"/"+name] || changed["OperatorCondition/"+given.Namespace+"/"+was.InstalledCSV] {
			subscription := s.asked[i].subscription
			f.judge(before.subscriptionChange(now, was, subscription), got)
			at := Row{Standing: Stand(after, name)}
			next := ""
			if _, kept := now.installed[subscription.InstalledCSV]; got.name != at.Installed && (got.catalog >= 0 || kept) {
				next = got.name
			}
			f.Follows += fmt.Sprint(" ", name, at.moving(next), stepsLeft(after, name, got.name, got.version, at.Head))
		}
	}
	return f, nil
}

func (f *Fix) classify() {
	switch {
	case f.abandons:
		f.Class = 6
	case f.Risk >= Removes:
		f.Class = map[Risk]int{Removes: 4, Overrides: 5}[f.Risk]
	case f.GivesUp > 0:
		f.Class = 3
	default:
		f.Class = map[Risk]int{None: 1, Widens: 2}[f.Risk]
	}
}

// compare notes what goes: what is installed, and neither stays nor is updated.
func (f *Fix) compare(before, now *world, answer *Answer, deleted []string) {
	gone, provided := map[string]*node{}, map[string]bool{}
	for i := range before.nodes {
		if n := &before.nodes[i]; n.catalog < 0 && !n.foreign && slices.Contains(answer.Kept, n.name) {
			provide(provided, n)
		} else if n.catalog < 0 && !n.foreign {
			gone[n.name] = n
		}
	}
	offered := map[string]*node{}
	for i := range now.nodes {
		if n := &now.nodes[i]; n.catalog >= 0 {
			offered[now.Catalogs[n.catalog].Namespace+"/"+now.Catalogs[n.catalog].Name+"/"+n.name] = n
		}
	}
	var pairs []string             // what each install takes the place of
	replacing := map[string]bool{} // what takes the place of another bundle
	for _, in := range answer.Installs {
		b, from := offered[in.Namespace+"/"+in.Catalog+"/"+in.Bundle], in.Replaces
		_, updated := now.installed[from] // else it was deleted before
		if _, replaced := gone[from]; !replaced || !updated {
			from = ""
			for _, name := range slices.Sorted(maps.Keys(gone)) {
				if n := gone[name]; n.packageName() == b.stated && !same(n.version, b.version) {
					from = name
					break
				}
			}
		}
		delete(gone, from)
		replacing[in.Bundle] = from != ""
		provide(provided, b)
		pairs = append(pairs, fmt.Sprint(from, " ", in.Bundle, " ", in.Namespace, "/", in.Catalog))
	}
	maps.DeleteFunc(gone, func(name string, _ *node) bool {
		return slices.ContainsFunc(before.Problem.Installed, func(i Installed) bool { return i.Name == name && i.LeftOut != "" })
	})
	f.Removes = slices.Sorted(maps.Keys(gone))
	slices.Sort(pairs)
	f.Effect = fmt.Sprint(pairs, f.Removes) // what is kept is no part of it: one that was left out may count again
	for _, name := range deleted {          // what is installed anew as it was is not gone
		n := gone[path.Base(name)]
		if n == nil || !slices.ContainsFunc(answer.Installs, func(in Install) bool {
			b := offered[in.Namespace+"/"+in.Catalog+"/"+in.Bundle]
			return in.Bundle == n.name && b.stated == n.packageName() && same(b.version, n.version) && !replacing[in.Bundle]
		}) || slices.ContainsFunc(n.provides, func(kind string) bool { return !provided[kind] }) {
			f.Risk = max(f.Risk, Removes)
		}
		delete(gone, path.Base(name))
	}
	if len(gone) > 0 {
		f.Risk = max(f.Risk, Removes)
	}
}

func provide(provided map[string]bool, n *node) {
	for _, kind := range n.provides {
		provided[kind] = true
	}
}

// packageName is what a bundle states, else what its first Subscription says.
func (n *node) packageName() string {
	return cmp.Or(append([]string{n.stated}, n.packages...)...)
}

func same(a, b string) bool { return semver.MustParse(a).EQ(semver.MustParse(b)) }

// requestChange is a request before and after: what it meant, given what it gets now,
// whether its range admitted that, and the channels that it names newly.
type requestChange struct {
	meant     func(got semver.Version) *semver.Version
	admits    func(got semver.Version) bool // nil for a Subscription
	installed *semver.Version
	runs      bool // a bundle of the package is installed in the namespace
	channels  []string
	pkg       string
	now       *world
	catalogs  []int // that are visible now
	head      string
}

func (w *world) subscriptionChange(now *world, was, subscription Subscription) requestChange {
	c := requestChange{pkg: subscription.Package, now: now, catalogs: now.visible()}
	if n, ok := w.installed[was.InstalledCSV]; ok {
		c.installed = version(w.nodes[n].version)
	}
	c.runs = slices.ContainsFunc(w.nodes, func(n node) bool { return n.catalog < 0 && !n.foreign && n.packageName() == subscription.Package })
	c.head = Stand(now.Problem, subscription.Name).Head
	if subscription.Channel != "" && subscription.Channel != was.Channel {
		c.channels = []string{subscription.Channel}
	}
	meant := now.headOf(now.named(was), subscription.Package, []string{was.Channel}, c.installed)
	if c.installed == nil && was.StartingCSV != "" {
		known := false
		for _, i := range c.catalogs {
			if n, ok := now.bundles[bundleKey{i, subscription.Package, was.StartingCSV}]; ok && !known {
				meant, known = version(now.nodes[n].version), true
			}
		}
		// One that does not exist means the version in its name.
		if _, text, ok := strings.Cut(was.StartingCSV, "."); ok && !known && subscription.Package == was.Package {
			if v, err := semver.ParseTolerant(text); err == nil {
				meant = &v
			}
		}
	}
	c.meant = func(semver.Version) *semver.Version { return meant }
	return c
}

func (w *world) extensionChange(now *world) requestChange {
	was, extension := w.Extension, now.Extension
	c := requestChange{pkg: extension.Package, now: now, catalogs: now.byPreference()}
	if was.Installed != "" {
		c.installed = version(was.InstalledVersion)
	}
	c.head = headOfExtension(now.Problem)
	c.channels = slices.DeleteFunc(slices.Clone(extension.Channels), func(ch string) bool { return slices.Contains(was.Channels, ch) })
	c.admits = func(got semver.Version) bool { return was.Range != "" && InRange(was.Range, got.String()) }
	c.meant = func(got semver.Version) *semver.Version {
		var closest *semver.Version
		for _, term := range strings.Fields(was.Range) {
			end := version(strings.TrimLeft(term, "<>="))
			if closest == nil || c.apart(*end, got) < c.apart(*closest, got) {
				closest = end
			}
		}
		if closest != nil {
			return closest
		}
		selected := slices.DeleteFunc(slices.Clone(c.catalogs), func(i int) bool { return !was.selects(now.Catalogs[i]) })
		return now.headOf(selected, extension.Package, was.Channels, c.installed)
	}
	return c
}

// headOfExtension is the head of the catalog that serves the extension.
func headOfExtension(p *Problem) string {
	free := p.Fork()
	free.Extension.SelfCertified = true
	served := newWorld(p.Fork())
	if places, _, _ := served.extensionRequest(); len(places) > 0 {
		first := served.nodes[places[0].node]
		free.Extension.Catalog = served.Catalogs[max(first.catalog, first.origin-1)].Name
	}
	return newWorld(free).extensionHead()
}

// ExtensionStuck reports whether the extension keeps what it has installed, which is not its head.
func ExtensionStuck(p *Problem, limit int) (bool, error) {
	s := newSearch([]*Problem{p})
	if ok, err := s.solve(limit); err != nil || !ok {
		return false, err
	}
	return slices.Contains(s.answer(s.worlds[0]).Kept, p.Extension.Installed) && p.Extension.Installed != headOfExtension(p), nil
}

// stepsLeft is the least number of updates of a request from one bundle to another, 0 if there is
// no way, where nothing else is installed.
func stepsLeft(p *Problem, subscription, from, version, to string) int {
	type bundle struct{ name, version string }
	seen := map[string]bool{from: true}
	for n, level := 1, []bundle{{from, version}}; len(level) > 0; n++ {
		var next []bundle
		for _, b := range level {
			q := p.Fork()
			if q.Installed = nil; q.Extension != nil {
				q.Extension.Installed, q.Extension.InstalledVersion = b.name, b.version
			} else {
				q.Installed = []Installed{{Name: b.name, Version: b.version}}
				q.subscription(subscription).InstalledCSV = b.name
			}
			w := newWorld(q)
			var updates []int
			if q.Extension != nil {
				_, updates, _ = w.extensionRequest()
			} else {
				_, updates = w.request(*q.subscription(subscription))
			}
			for _, u := range updates {
				switch name := w.nodes[u].name; {
				case w.nodes[u].catalog < 0:
				case name == to:
					return n
				case !seen[name]:
					seen[name] = true
					next = append(next, bundle{name, w.nodes[u].version})
				}
			}
		}
		level = next
	}
	return 0
}

// extensionHead is the best bundle that the extension may get, else the best.
func (w *world) extensionHead() string {
	offers, _, _ := w.extensionRequest()
	for _, o := range offers {
		n := w.nodes[o.node]
		if n.catalog < 0 || !slices.ContainsFunc(w.Catalogs[n.catalog].Bundles, func(b Bundle) bool { return b.Deprecated && b.Package == n.stated && b.Name == n.name }) {
			return n.name
		}
	}
	return w.nodes[offers[0].node].name
}

func version(text string) *semver.Version {
	v := semver.MustParse(text)
	return &v
}

// headOf is the version of the head of the first of the channels that exists, else what is
// installed, else the head of the default channel.
func (w *world) headOf(catalogs []int, pkg string, channels []string, installed *semver.Version) *semver.Version {
	head := func(catalog int, p Package, channel string) *semver.Version {
		for _, ch := range p.Channels {
			if names, ordered := ch.chain(); ordered && ch.Name == channel {
				if n, ok := w.bundles[bundleKey{catalog, pkg, names[0]}]; ok {
					return version(w.nodes[n].statedVersion)
				}
			}
		}
		return nil
	}
	for _, c := range catalogs {
		p, _ := w.pkg(c, pkg)
		for _, ch := range channels {
			if v := head(c, p, ch); v != nil {
				return v
			}
		}
	}
	if installed != nil {
		return installed
	}
	for _, c := range catalogs {
		p, _ := w.pkg(c, pkg)
		if v := head(c, p, p.Default); v != nil {
			return v
		}
	}
	return nil
}

// apart is 0 for equal versions, else one more than there are versions of the package in the
// visible catalogs between them.
func (c *requestChange) apart(a, b semver.Version) int {
	between := map[string]bool{}
	for _, i := range c.catalogs {
		for _, bundle := range c.now.Catalogs[i].Bundles {
			v := *version(bundle.Version)
			v.Build = nil
			if bundle.Package == c.pkg && (v.GT(a) && v.LT(b) || v.GT(b) && v.LT(a)) {
				between[v.String()] = true
			}
		}
	}
	if a.EQ(b) {
		return 0
	}
	return len(between) + 1
}

// judge notes what a changed request gets.
func (f *Fix) judge(c requestChange, got *node) {
	text := got.statedVersion
	if got.catalog < 0 && got.version != "" {
		text = got.version
	}
	v := *version(text)
	if v.GT(f.Newest) {
		f.Newest = v
	}
	stays := got.catalog < 0
	if got.name != c.head {
		f.StepsLeft = 1
	}
	if meant := c.meant(v); meant != nil {
		f.Apart += c.apart(v, *meant)
		f.Never = f.Never || c.installed == nil && !c.runs && !stays && v.Major < meant.Major
		if v.Major > meant.Major && !stays && (c.admits == nil || !c.admits(v)) {
			f.Risk = max(f.Risk, Widens)
		}
	}
	for _, ch := range c.channels {
		isDefault := slices.ContainsFunc(c.catalogs, func(i int) bool {
			p, _ := c.now.pkg(i, c.pkg)
			return p.Default == ch
		})
		words := strings.FieldsFunc(ch, func(r rune) bool { return !unicode.IsLetter(r) })
		if isDefault {
			continue
		}
		f.Channels = max(f.Channels, 1)
		if slices.ContainsFunc(words, func(w string) bool {
			return slices.Contains([]string{"alpha", "beta", "candidate", "preview", "dev", "edge", "nightly", "next", "rc"}, w)
		}) {
			f.Risk, f.Channels = max(f.Risk, Widens), 2
		}
	}
	if c.installed != nil && v.LT(*c.installed) && !stays {
		f.Risk = max(f.Risk, Removes)
	}
	if e := c.now.Extension; e != nil && e.Range != "" {
		f.Admits = 0
		for _, i := range c.catalogs {
			for _, b := range c.now.Catalogs[i].Bundles {
				if b.Package == c.pkg && InRange(e.Range, b.Version) {
					f.Admits++
				}
			}
		}
	}
}
