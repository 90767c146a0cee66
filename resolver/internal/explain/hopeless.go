package explain

import (
	"slices"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver/internal/model"
	"github.com/resolvent/resolvent/resolver/internal/reason"
	"github.com/resolvent/resolvent/resolver/internal/request"
	"github.com/resolvent/resolvent/resolver/internal/words"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/solver"
)

// Hopeless returns why a bundle can never be selected, if its own rules show it: it is
// forbidden, or requires what no bundle has. It returns at most one reason.
func Hopeless(p *model.Part, v solver.Var) []result.Reason {
	if p.Aliased(v) {
		return nil
	}
	for i, rule := range p.Rules(v) {
		choice, ok := rule.Formula.(*solver.Choice)
		if !ok || len(model.Positive(choice, nil)) > 0 {
			continue
		}
		if o := p.Origins[rule.Origin]; o.Code == words.Requires {
			e := p.ConstraintOf(o).Expr
			return []result.Reason{reason.Requires(model.About(p.Model, v), e, Find(p, e)[0].Reason)}
		}
		return []result.Reason{model.RuleReason(p.Model, v, i)}
	}
	return nil
}

// Update returns why nothing can update what a request has installed, whatever else is
// selected: no update is a candidate, or each is hopeless. It returns at most one reason, and
// none if candidates may be other than updates.
func Update(p *model.Part, r *request.Request) []result.Reason {
	if !p.Kind.OnlyUpdates || r.Current < 0 {
		return nil
	}
	var first []result.Reason
	for _, v := range r.List.Candidates {
		if v == p.InstalledVar(r.Current) {
			continue
		}
		why := Hopeless(p, v)
		if why == nil {
			return nil
		}
		if first == nil {
			first = why
		}
	}
	if first != nil {
		return first
	}
	current := &p.Installed[r.Current]
	for _, u := range r.UnusableUpdates(p, current.Name(), current.Version) {
		return []result.Reason{Unusable(p, u)}
	}
	return nil
}

// HopelessHead returns why the head of a channel can never be selected.
func HopelessHead(p *model.Part, catalogIndex int, channel *catalog.Channel) []result.Reason {
	if id := channel.Head().Bundle; id != catalog.NoBundle {
		return Hopeless(p, p.Number(catalogIndex, id))
	}
	at := catalog.Place{Channel: channel, Entry: int(channel.Order[0])}
	return []result.Reason{Unusable(p, request.UnusableUpdate{Catalog: catalogIndex, Place: at})}
}

// Held states that the operator of what a request has installed refuses updates, if it does,
// and why waiting for it is not enough, if it is not.
func Held(p *model.Part, r *request.Request) []result.Reason {
	current := &p.Installed[r.Current]
	if current.Held() == nil {
		return nil
	}
	var after []result.Reason
	if len(r.UpdatesOf(p, current.Name(), current.Version)) == 0 {
		if after = Update(p, r); after == nil {
			after = DeadEnd(p, r)
		}
	}
	return []result.Reason{reason.NotUpgradeable(current.Held(), after...)}
}

// DeadEnd states that no update leads on from what a request has installed, and which
// channels lead on. It states nothing at the head, or if an update is a candidate, even an
// impossible one.
func DeadEnd(p *model.Part, r *request.Request) []result.Reason {
	if r.Current < 0 {
		return nil
	}
	if slices.Index(r.List.Candidates, p.InstalledVar(r.Current)) != 0 {
		return nil // updates come before what is installed
	}
	current, head := &p.Installed[r.Current], r.Head(p, r)
	if head.Name == "" || head.Name == current.Name() {
		return nil
	}
	stated, end := r.Stated(p, r), ""
	if head.Place.Channel != nil {
		end = head.Place.Channel.Name
	}
	var others []string
	for _, channel := range r.Channels(p) {
		if !slices.Contains(stated.Channels, channel) && len(r.InChannel(channel).UpdatesOf(p, current.Name(), current.Version)) > 0 {
			others = append(others, channel)
		}
	}
	return []result.Reason{reason.DeadEnd(stated, end, others)}
}

// Unusable states why an entry of a channel is no candidate.
func Unusable(p *model.Part, u request.UnusableUpdate) result.Reason {
	e, c := u.Place.At(), &p.Catalogs[u.Catalog]
	why := &result.Unlisted{Channel: u.Place.Channel.Name, Skipped: e.Skipped, NoBundle: e.Bundle == catalog.NoBundle}
	if why.NoBundle {
		why.Quarantine = model.BundleFault(c.Snapshot, u.Place.Channel.Package, e.Name)
	}
	p.In.Reads.Package(c.Key, u.Place.Channel.Package)
	return reason.Unusable(reason.Bundle(e.Name, u.Place.Channel.Package).In(c.Key), why)
}
