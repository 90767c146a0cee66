package oracle

import "slices"

// request lists what can meet a Subscription, best first, and which of those
// replace its installed bundle.
func (w *world) request(s Subscription) (candidates []place, updates []int) {
	cur, installed := w.installed[s.InstalledCSV]
	if !w.known(s) {
		return nil, nil
	}
	if !installed {
		return w.installation(s), nil
	}
	if slices.Contains(w.Held, s.InstalledCSV) {
		return []place{{node: cur}}, nil
	}
	sources := w.named(s)
	if !w.NamedUpdates {
		sources = w.preferred(sources)
	}
	for _, c := range sources {
		candidates = append(candidates, w.updates(c, s, cur)...)
	}
	candidates = best(candidates)
	for _, p := range candidates {
		updates = append(updates, p.node)
	}
	return append(candidates, place{node: cur}), updates
}

// known reports whether the catalog, package, channel and, for something new,
// the startingCSV that the Subscription names exist.
func (w *world) known(s Subscription) bool {
	_, isInstalled := w.installed[s.InstalledCSV]
	for _, c := range w.named(s) {
		p, ok := w.pkg(c, s.Package)
		if !ok {
			continue
		}
		for _, ch := range p.Channels {
			if s.Channel != "" && ch.Name != s.Channel {
				continue
			}
			_, known := ch.chain()
			if !isInstalled && s.StartingCSV != "" {
				_, known = w.bundles[bundleKey{c, p.Name, s.StartingCSV}]
				known = known && ch.lists(s.StartingCSV)
			}
			if known {
				return true
			}
		}
	}
	return false
}

func (w *world) pkg(catalog int, name string) (Package, bool) {
	for _, p := range w.Catalogs[catalog].Packages {
		if p.Name == name {
			return p, true
		}
	}
	return Package{}, false
}

// installation lists the candidates of a Subscription with nothing installed.
func (w *world) installation(s Subscription) []place {
	var all []place
	for _, c := range w.named(s) {
		p, _ := w.pkg(c, s.Package)
		for _, ch := range p.channels() {
			if s.Channel != "" && ch.Name != s.Channel {
				continue
			}
			names := ch.candidates()
			if s.StartingCSV != "" {
				names = nil
				if ch.lists(s.StartingCSV) {
					names = []string{s.StartingCSV}
				}
			}
			all = append(all, w.places(c, p.Name, ch, names)...)
		}
	}
	// What another Subscription has installed of the package will do as well.
	for i, n := range w.nodes {
		if n.catalog < 0 && !n.given && slices.Contains(n.packages, s.Package) &&
			(s.StartingCSV == "" || s.StartingCSV == n.name) {
			all = append(all, place{node: i})
		}
	}
	return best(all)
}

// updates lists the entries of a catalog that can replace an installed bundle,
// one channel after another. A head whose skipRange covers it is first by being
// nearest to the head.
func (w *world) updates(catalog int, s Subscription, cur int) (updates []place) {
	p, _ := w.pkg(catalog, s.Package)
	n := w.nodes[cur]
	for _, ch := range w.updateChannels(p, s, n.name) {
		below := ch.below(n.name)
		for _, name := range ch.candidates() {
			e := ch.entry(name)
			covers := e.SkipRange != "" && InRange(e.SkipRange, n.version)
			if name == n.name || slices.Contains(below, name) ||
				!covers && e.Replaces != n.name && !slices.Contains(e.Skips, n.name) {
				continue
			}
			updates = append(updates, w.places(catalog, p.Name, ch, []string{name})...)
		}
	}
	return updates
}

// updateChannels lists the channels that an update may come through.
func (w *world) updateChannels(p Package, s Subscription, cur string) []Channel {
	all := slices.DeleteFunc(p.channels(), func(ch Channel) bool {
		_, ordered := ch.chain()
		return !ordered
	})
	if s.Channel != "" {
		return slices.DeleteFunc(all, func(ch Channel) bool { return ch.Name != s.Channel })
	}
	if len(all) > 0 && all[0].Name == p.Default && all[0].lists(cur) {
		return all[:1]
	}
	var listing []Channel
	for _, ch := range all {
		if ch.lists(cur) {
			listing = append(listing, ch)
		}
	}
	if listing != nil {
		return listing
	}
	return all
}
