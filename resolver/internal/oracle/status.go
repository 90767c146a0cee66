package oracle

// Standing is where a Subscription stands, whatever else is selected.
type Standing struct {
	// Installed is empty if nothing is there that counts, and Head if no channel that the
	// request may use has an order.
	Installed, Head string
	Held            bool
	// Updates are the bundles that may replace what is installed.
	Updates []string
}

// Stand finds where a Subscription stands.
func Stand(p *Problem, subscription string) Standing {
	w := newSearch([]*Problem{p}).worlds[0]
	s := *p.subscription(subscription)
	var at Standing
	cur, installed := w.installed[s.InstalledCSV]
	if installed {
		at.Installed = s.InstalledCSV
	}
	for _, held := range p.Held {
		at.Held = at.Held || installed && held == s.InstalledCSV
	}
	_, updates := w.request(s)
	for _, u := range updates {
		if u != cur {
			at.Updates = append(at.Updates, w.nodes[u].name)
		}
	}
	for _, c := range w.named(s) {
		pkg, ok := w.pkg(c, s.Package)
		if !ok {
			continue
		}
		for _, ch := range w.updateChannels(pkg, s, at.Installed) {
			chain, _ := ch.chain()
			at.Head = chain[0]
			return at
		}
	}
	return at
}
