package resolver_test

import (
	"cmp"
	"slices"
	"strings"

	"github.com/blang/semver/v4"

	"github.com/resolvent/resolvent/resolver/internal/oracle"
)

// bruteChange is what can be done to one object: the keys of its atoms, and its effect.
type bruteChange struct {
	atoms []string
	apply func(p *oracle.Problem)
}

// bruteFix is a set of changes, its atoms sorted, and the problem with it.
type bruteFix struct {
	Atoms []string
	After *oracle.Problem
}

// bruteFixes lists the minimal sets of at most three changes with which the problem reaches
// a goal and lead on what they are for and change, but for moves to other namespaces; own are the
// requests that fail. most bounds how many sets are tried, by fewer
// changes.
func bruteFixes(p *oracle.Problem, most int, own []string, reached func(q *oracle.Problem) (bool, error)) (fixes []bruteFix, changes int, err error) {
	objects := changesOf(p)
	count := []int{1, 0, 0, 0}
	for _, list := range objects {
		for k := 3; k > 0; k-- {
			count[k] += count[k-1] * len(list)
		}
	}
	total := 1
	for changes < 3 && total+count[changes+1] <= most {
		changes++
		total += count[changes]
	}
	if changes == 0 {
		return nil, 0, oracle.ErrTooLarge
	}
	var sets [][]bruteChange
	var choose func(from int, set []bruteChange)
	choose = func(from int, set []bruteChange) {
		sets = append(sets, slices.Clone(set))
		if len(set) == changes {
			return
		}
		for i := from; i < len(objects); i++ {
			for _, c := range objects[i] {
				choose(i+1, append(set, c))
			}
		}
	}
	choose(0, nil)
	size := func(set []bruteChange) int {
		n := 0
		for _, c := range set {
			n += len(c.atoms)
		}
		return n
	}
	slices.SortStableFunc(sets, func(a, b []bruteChange) int { return cmp.Compare(size(a), size(b)) })
	for _, set := range sets {
		var atoms []string
		for _, c := range set {
			atoms = append(atoms, c.atoms...)
		}
		slices.Sort(atoms)
		if slices.ContainsFunc(fixes, func(f bruteFix) bool {
			return !slices.ContainsFunc(f.Atoms, func(a string) bool { return !slices.Contains(atoms, a) })
		}) {
			continue
		}
		q := p.Fork()
		for _, c := range set {
			c.apply(q)
		}
		if q.Extension == nil && len(q.Subscriptions) == 0 {
			continue // it is not resolved any more
		}
		ok, err := reached(q)
		if ok && len(atoms) > 0 {
			ok, err = leads(q, own, atoms)
		}
		if ok && err == nil {
			var again bool
			again, err = renewed(p, q, atoms)
			ok = !again
		}
		if err != nil {
			return nil, 0, err
		}
		if ok {
			fixes = append(fixes, bruteFix{atoms, q})
		}
	}
	return fixes, changes, nil
}

// renewed reports whether the answer after changes installs again what these have removed with its
// Subscription.
func renewed(p, after *oracle.Problem, atoms []string) (bool, error) {
	var gone []string
	for _, i := range p.Installed {
		left := slices.ContainsFunc(after.Installed, func(o oracle.Installed) bool { return o.Name == i.Name })
		if !left && !slices.Contains(atoms, "ClusterServiceVersion/"+p.Namespace+"/"+i.Name+"|delete|") {
			gone = append(gone, i.Name)
		}
	}
	if len(gone) == 0 {
		return false, nil
	}
	answer, err := oracle.Solve(after, fixLimit)
	return err == nil && slices.ContainsFunc(answer.Installs, func(i oracle.Install) bool { return slices.Contains(gone, i.Bundle) }), err
}

// changesOf lists the changes of each object.
func changesOf(p *oracle.Problem) [][]bruteChange {
	var objects [][]bruteChange
	if p.Extension != nil {
		giveUp := bruteChange{[]string{"ClusterExtension//extension|giveUp|"}, func(q *oracle.Problem) { q.Extension = nil }}
		objects = append(objects, append(extensionChanges(p), giveUp))
	}
	for _, s := range p.Subscriptions {
		objects = append(objects, subscriptionChanges(p, s))
	}
	for _, i := range p.Installed {
		if p.Extension == nil && i.LeftOut == "" && !slices.ContainsFunc(p.Subscriptions, func(s oracle.Subscription) bool { return s.InstalledCSV == i.Name }) {
			objects = append(objects, []bruteChange{{[]string{"ClusterServiceVersion/" + p.Namespace + "/" + i.Name + "|delete|"}, func(q *oracle.Problem) { uninstall(q, i.Name) }}})
		}
	}
	for _, name := range p.Held {
		if p.Extension == nil && slices.ContainsFunc(p.Subscriptions, func(s oracle.Subscription) bool { return s.InstalledCSV == name }) {
			objects = append(objects, []bruteChange{{[]string{"OperatorCondition/" + p.Namespace + "/" + name + "|upgradeable|"}, func(q *oracle.Problem) {
				q.Held = slices.DeleteFunc(q.Held, func(h string) bool { return h == name })
			}}})
		}
	}
	if g := p.Group; g != nil {
		object := "OperatorGroup/" + g.Namespace + "/" + "group|"
		var list []bruteChange
		edit := func(atom string, f func(g *oracle.Group)) {
			made := bruteChange{[]string{object + atom}, func(q *oracle.Problem) { o := *q.Group; f(&o); q.Group = &o }}
			for _, known := range slices.Clone(list) {
				if strings.Contains(known.atoms[0], "|exclude|") || atom == "forward|" {
					list = append(list, bruteChange{append([]string{object + atom}, known.atoms...), func(q *oracle.Problem) { known.apply(q); made.apply(q) }})
				}
			}
			list = append(list, made)
		}
		if g.OwnCatalogs {
			edit("exclude|", func(g *oracle.Group) { g.OwnCatalogs = false })
		}
		if len(g.Targets) > 0 {
			edit("targets|all", func(g *oracle.Group) { g.Targets = nil })
		}
		if !slices.Equal(g.Targets, []string{g.Namespace}) {
			edit("targets|own", func(g *oracle.Group) { g.Targets = []string{g.Namespace} })
		}
		if !g.FailForward && slices.ContainsFunc(p.Installed, func(i oracle.Installed) bool { return i.LeftOut == "failed" }) {
			edit("forward|", func(g *oracle.Group) { g.FailForward = true })
		}
		objects = append(objects, list)
	}
	return objects
}

func uninstall(p *oracle.Problem, name string) {
	p.Installed = slices.DeleteFunc(p.Installed, func(i oracle.Installed) bool { return i.Name == name })
}

// subscriptionChanges combines the fields of a Subscription.
func subscriptionChanges(p *oracle.Problem, s oracle.Subscription) []bruteChange {
	object := "Subscription/" + p.Namespace + "/" + s.Name + "|"
	isInstalled := slices.ContainsFunc(p.Installed, func(i oracle.Installed) bool { return i.Name == s.InstalledCSV && i.LeftOut == "" })
	shared := 0
	for _, o := range p.Subscriptions {
		if o.InstalledCSV == s.InstalledCSV {
			shared++
		}
	}
	edit := func(f func(q *oracle.Problem, s *oracle.Subscription)) func(q *oracle.Problem) {
		return func(q *oracle.Problem) {
			f(q, &q.Subscriptions[slices.IndexFunc(q.Subscriptions, func(o oracle.Subscription) bool { return o.Name == s.Name })])
		}
	}
	drop := func(q *oracle.Problem) {
		q.Subscriptions = slices.DeleteFunc(q.Subscriptions, func(o oracle.Subscription) bool { return o.Name == s.Name })
	}
	given := "giveUp|"
	if isInstalled && shared == 1 {
		given += s.InstalledCSV
	}
	list := []bruteChange{{[]string{object + given}, drop}}
	type field struct {
		atom  string
		apply func(q *oracle.Problem, s *oracle.Subscription)
	}
	none := field{"", func(*oracle.Problem, *oracle.Subscription) {}}
	fields := [][]field{{none}, {none}, {none}, {none}, {none}} // reinstall, name, source, channel, startingCSV
	if isInstalled && shared == 1 {
		list = append(list, bruteChange{[]string{object + given, object + "goes|"}, func(q *oracle.Problem) { drop(q); uninstall(q, s.InstalledCSV) }})
		fields[0] = append(fields[0], field{"reinstall|", func(q *oracle.Problem, o *oracle.Subscription) { uninstall(q, s.InstalledCSV); o.InstalledCSV = "" }})
	}
	pkgs := []string{s.Package}
	has := func(c int, pkg string) bool {
		return slices.ContainsFunc(p.Catalogs[c].Packages, func(o oracle.Package) bool { return o.Name == pkg })
	}
	shown := p.Fork() // also what an OperatorGroup hides, which may change
	if p.Group != nil {
		group := *p.Group
		group.OwnCatalogs = false
		shown.Group = &group
	}
	named := oracle.Named(p, s)
	lacks := func(list []int) bool {
		return len(list) > 0 && !slices.ContainsFunc(list, func(c int) bool { return has(c, s.Package) })
	}
	if lacks(named) || lacks(oracle.Named(shown, s)) {
		seen := map[string]bool{}
		for _, c := range oracle.Named(shown, s) {
			for _, pkg := range p.Catalogs[c].Packages {
				if !seen[pkg.Name] {
					seen[pkg.Name] = true
					pkgs = append(pkgs, pkg.Name)
					fields[1] = append(fields[1], field{"name|" + pkg.Name, func(_ *oracle.Problem, o *oracle.Subscription) { o.Package = pkg.Name }})
				}
			}
		}
	}
	// renamed has the packages, and the channels to name with them, that update what is installed, if no catalog has
	// its package any more.
	renamed := map[[2]string]bool{}
	for _, c := range named {
		cat := p.Catalogs[c]
		for _, pkg := range cat.Packages {
			for _, ch := range pkg.Channels {
				if !isInstalled || s.Channel == "" || !lacks(named) || !slices.ContainsFunc(ch.Entries, func(e oracle.Entry) bool {
					return (e.Replaces == s.InstalledCSV || slices.Contains(e.Skips, s.InstalledCSV)) &&
						slices.ContainsFunc(cat.Bundles, func(b oracle.Bundle) bool { return b.Package == pkg.Name && b.Name == e.Name })
				}) {
					continue
				}
				name := ch.Name
				if name == s.Channel {
					name = ""
				}
				renamed[[2]string{pkg.Name, name}] = true
			}
		}
	}
	channels, entries := map[string]bool{}, map[string]bool{}
	for _, c := range oracle.Named(shown, oracle.Subscription{}) {
		cat := p.Catalogs[c]
		if slices.ContainsFunc(pkgs, func(pkg string) bool { return has(c, pkg) }) && !(slices.Equal(named, []int{c}) && s.Source != "") {
			fields[2] = append(fields[2], field{"source|" + cat.Namespace + "/" + cat.Name, func(_ *oracle.Problem, o *oracle.Subscription) { o.Source, o.SourceNamespace = cat.Name, cat.Namespace }})
		}
		for _, pkg := range cat.Packages {
			if !slices.Contains(pkgs, pkg.Name) {
				continue
			}
			for _, ch := range pkg.Channels {
				channels[ch.Name] = true
				for _, e := range ch.Entries {
					entries[e.Name] = true
				}
			}
		}
	}
	delete(channels, s.Channel)
	for _, ch := range sortedKeys(channels) {
		fields[3] = append(fields[3], field{"channel|" + ch, func(_ *oracle.Problem, o *oracle.Subscription) { o.Channel = ch }})
	}
	delete(entries, s.StartingCSV)
	if s.StartingCSV != "" {
		fields[4] = append(fields[4], field{"startingCSV|", func(_ *oracle.Problem, o *oracle.Subscription) { o.StartingCSV = "" }})
	}
	for _, e := range sortedKeys(entries) {
		fields[4] = append(fields[4], field{"startingCSV|" + e, func(_ *oracle.Problem, o *oracle.Subscription) { o.StartingCSV = e }})
	}
	for _, set := range product(fields) {
		var atoms []string
		for _, f := range set {
			if f.atom != "" {
				atoms = append(atoms, object+f.atom)
			}
		}
		name, _ := strings.CutPrefix(set[1].atom, "name|")
		channel, _ := strings.CutPrefix(set[3].atom, "channel|")
		misses := isInstalled && name != "" && (!renamed[[2]string{name, channel}] || set[2].atom != "" || set[4].atom != "")
		if stays := isInstalled && set[0].atom == ""; len(atoms) == 0 || misses || stays && set[4].atom != "" {
			continue // only where nothing is installed
		}
		list = append(list, bruteChange{atoms, edit(func(q *oracle.Problem, o *oracle.Subscription) {
			for _, f := range set {
				f.apply(q, o)
			}
		})})
	}
	return list
}

// product lists all choices of one of each.
func product[F any](fields [][]F) [][]F {
	all := [][]F{nil}
	for _, list := range fields {
		var longer [][]F
		for _, set := range all {
			for _, f := range list {
				longer = append(longer, append(slices.Clip(set), f))
			}
		}
		all = longer
	}
	return all
}

func sortedKeys(m map[string]bool) []string {
	var list []string
	for k := range m {
		list = append(list, k)
	}
	slices.Sort(list)
	return list
}

// widen moves the end of a range that keeps a version out. A version alone is both ends.
func widen(text string, v semver.Version) string {
	if text[0] != '<' && text[0] != '>' {
		text = ">=" + text + " <=" + text
	}
	terms := strings.Fields(text)
	for i, term := range terms {
		at := semver.MustParse(strings.TrimLeft(term, "<>="))
		switch {
		case term[0] == '>' && v.LTE(at):
			terms[i] = ">=" + v.String()
		case term[0] == '<' && v.GTE(at):
			terms[i] = "<=" + v.String()
		}
	}
	return strings.Join(terms, " ")
}

// extensionField is a change of one field of a ClusterExtension; with an empty atom, none.
type extensionField struct {
	atom  string
	apply func(e *oracle.Extension)
}

// extensionChanges combines the fields of a ClusterExtension. Channels and versions may be
// those of the catalogs that are selected now, or of those selected then.
func extensionChanges(p *oracle.Problem) []bruteChange {
	e := p.Extension
	object := "ClusterExtension//extension|"
	none := []extensionField{{"", func(*oracle.Extension) {}}}
	selectors, policies := none, none
	if e.Catalog != "" {
		selectors = append(selectors, extensionField{"selector|", func(e *oracle.Extension) { e.Catalog = "" }})
	}
	offering := catalogsWith(p, e.Package)
	for _, name := range offering {
		if name != e.Catalog && len(offering) > 1 || e.Catalog != "" && !slices.Contains(offering, e.Catalog) {
			selectors = append(selectors, extensionField{"selector|" + name, func(e *oracle.Extension) { e.Catalog = name }})
		}
	}
	if e.Installed != "" && !e.SelfCertified {
		policies = append(policies, extensionField{"policy|", func(e *oracle.Extension) { e.SelfCertified = true }})
	}
	var list []bruteChange
	for _, selector := range selectors {
		then := *e
		selector.apply(&then)
		channels, ranges := channelsAndRanges(p, e, e.Catalog)
		channelsThen, rangesThen := channelsAndRanges(p, e, then.Catalog)
		if selector.atom != "" {
			channels, ranges = distinctFields(channels, channelsThen), distinctFields(ranges, rangesThen)
		}
		for _, set := range product([][]extensionField{append(none, channels...), append(none, ranges...), {selector}, policies}) {
			var atoms []string
			for _, f := range set {
				if f.atom != "" {
					atoms = append(atoms, object+f.atom)
				}
			}
			if len(atoms) > 0 {
				list = append(list, bruteChange{atoms, func(q *oracle.Problem) {
					for _, f := range set {
						f.apply(q.Extension)
					}
				}})
			}
		}
	}
	return list
}

// catalogsWith names the catalogs that have a package.
func catalogsWith(p *oracle.Problem, pkg string) (names []string) {
	for _, c := range p.Catalogs {
		if slices.ContainsFunc(c.Packages, func(o oracle.Package) bool { return o.Name == pkg }) {
			names = append(names, c.Name)
		}
	}
	return names
}

func distinctFields(a, b []extensionField) []extensionField {
	all := slices.Clone(a)
	for _, f := range b {
		if !slices.ContainsFunc(all, func(known extensionField) bool { return known.atom == f.atom }) {
			all = append(all, f)
		}
	}
	return all
}

// channelsAndRanges lists other channels and ranges, as one catalog has them, or all.
func channelsAndRanges(p *oracle.Problem, e *oracle.Extension, catalog string) (channels, ranges []extensionField) {
	names := map[string]bool{}
	var versions []semver.Version
	for _, c := range p.Catalogs {
		if catalog != "" && c.Name != catalog {
			continue
		}
		for _, pkg := range c.Packages {
			if pkg.Name == e.Package {
				for _, ch := range pkg.Channels {
					names[ch.Name] = true
				}
			}
		}
		for _, b := range c.Bundles {
			if b.Package == e.Package {
				v := semver.MustParse(b.Version)
				v.Build = nil
				versions = append(versions, v)
			}
		}
	}
	if len(e.Channels) > 0 {
		set := func(list []string) {
			channels = append(channels, extensionField{"channels|" + strings.Join(list, ","), func(e *oracle.Extension) { e.Channels = list }})
		}
		set(nil)
		var exist []string
		for _, c := range e.Channels {
			if names[c] {
				exist = append(exist, c)
			}
		}
		for _, c := range sortedKeys(names) {
			if !slices.Equal(e.Channels, []string{c}) {
				set([]string{c})
			}
			if len(exist) > 0 && !slices.Contains(exist, c) {
				set(append(slices.Clone(exist), c))
			}
		}
	}
	if e.Range != "" {
		asked := semver.MustParseRange(e.Range)
		for _, v := range versions {
			if text := widen(e.Range, v); !asked(v) {
				ranges = distinctFields(ranges, []extensionField{{"version|" + text, func(e *oracle.Extension) { e.Range = text }}})
			}
		}
	}
	return channels, ranges
}
