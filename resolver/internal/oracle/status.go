package oracle

import "slices"

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
	at.Held = installed && slices.Contains(p.Held, s.InstalledCSV)
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

// Row is how a Subscription stands. Its State is the first of the states that applies, but for
// those that OLM writes in objects. Alone is true if it fails by a cause of its own.
type Row struct {
	State string
	Alone bool
	Standing
	// Next is what comes now.
	Next string
}

// Rows reads how each Subscription stands, by its name. There are none where what is installed
// contradicts itself: which requests have further causes then is not read.
func Rows(p *Problem, limit int) (map[string]*Row, error) {
	rows := map[string]*Row{}
	solved, err := p.next(limit)
	if err != nil {
		return nil, err
	}
	// catalogDown is whether a catalog that the namespace sees is unhealthy.
	catalogDown := slices.ContainsFunc(newWorld(p).named(Subscription{}), func(c int) bool { return p.Catalogs[c].Down })
	var mine []string // Subscriptions that have a cause of their own to fail
	rest, alone := p, solved
	if solved == nil {
		partly, err := SolvePartly(Joint{p}, limit)
		if err != nil {
			return nil, err
		}
		if mine = partly[0].LeftOut; len(mine) == 0 && !catalogDown {
			return nil, nil
		}
		rest = p.Fork()
		rest.Subscriptions = slices.DeleteFunc(rest.Subscriptions, func(s Subscription) bool { return slices.Contains(mine, s.Name) })
		if alone, err = rest.next(limit); err != nil {
			return nil, err
		}
	}
	for _, s := range p.Subscriptions {
		row := &Row{Standing: Stand(p, s.Name), Next: solved[s.Name]}
		rows[s.Name] = row
		switch {
		case catalogDown:
			row.State, row.Head, row.Next, row.Alone = "failed", "", "", true // nothing is known of the catalogs
		case slices.Contains(mine, s.Name):
			row.State, row.Next, row.Alone = "failed", "", true
		case solved != nil:
			row.State = row.moving(row.Next)
		default:
			row.State = "waiting"
			if alone != nil {
				at := Row{Standing: Stand(rest, s.Name)}
				if state := at.moving(alone[s.Name]); slices.Contains([]string{"held", "deadEnd", "blocked"}, state) {
					row.State = state
				}
			}
		}
	}
	return rows, nil
}

// moving is the state of what can be resolved.
func (r *Row) moving(next string) string {
	switch {
	case r.Installed == "":
		return "notInstalled"
	case next != "":
		return "updateAvailable"
	case r.Installed == r.Head:
		return "current"
	case r.Held:
		return "held"
	case len(r.Updates) == 0:
		return "deadEnd"
	}
	return "blocked"
}

// next is what comes for each Subscription, by its name: nil if nothing can be resolved.
func (p *Problem) next(limit int) (map[string]string, error) {
	s := newSearch([]*Problem{p})
	if satisfiable, err := s.solve(limit); err != nil || !satisfiable {
		return nil, err
	}
	w, next := s.worlds[0], map[string]string{}
	for i, root := range s.roots {
		sub := s.asked[i].subscription
		cur, installed := w.installed[sub.InstalledCSV]
		for _, c := range root.request {
			if s.selected&s.bit[c.node] == 0 {
				continue
			}
			// What another Subscription has installed comes only in place of something.
			if !installed && w.nodes[c.node].catalog >= 0 || installed && s.selected&s.bit[cur] == 0 {
				next[sub.Name] = w.nodes[c.node].name
			}
			break
		}
	}
	return next, nil
}
