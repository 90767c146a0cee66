package status

import (
	"slices"
	"strings"
	"unicode"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver/internal/answer"
	"github.com/resolvent/resolvent/resolver/internal/fix"
	"github.com/resolvent/resolvent/resolver/internal/model"
	"github.com/resolvent/resolvent/resolver/internal/reason"
	"github.com/resolvent/resolvent/resolver/internal/request"
	"github.com/resolvent/resolvent/resolver/internal/words"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/solver"
)

// Remarks returns what to know of a request if what it has installed is its head: deprecations,
// a default channel that goes on where its own ends, and newer versions that its range keeps out.
func Remarks(p *model.Part, r *request.Request) (list []result.Reason) {
	head := r.Head(p, r)
	if r.Current < 0 || head.Name != p.Installed[r.Current].Name() {
		return nil
	}
	snapshot, stated := p.Catalogs[head.Catalog].Snapshot, r.Stated(p, r)
	pkg, b := snapshot.Package(r.PackageName()), snapshot.Find(r.PackageName(), head.Name)
	if pkg == nil || b == nil {
		return nil
	}
	channels := model.ChannelsNamed(pkg, stated.Channels)
	if head.Place.Channel != nil {
		channels = []*catalog.Channel{head.Place.Channel}
	}
	list = answer.Deprecations(pkg.Name, pkg, b, channels...)
	if end := pkg.Channel(pkg.DefaultChannel); head.Place.Channel != nil && end != nil && end != head.Place.Channel && end.Head() != nil {
		if newest := snapshot.Find(pkg.Name, end.Head().Name); newest != nil && newest.Version.GT(b.Version) {
			list = append(list, reason.ChannelEnds(reason.Bundle(head.Name, pkg.Name), head.Place.Channel.Name, end.Name, newest.Version.String()))
		}
	}
	if why, ok := leave(p, r, snapshot, head.Place.Channel, b, true); ok {
		list = append(list, why)
	}
	if stated.Version == "" {
		return list
	}
	var out []*catalog.Bundle
	for _, id := range pkg.Bundles {
		p.Pace.Step(1)
		newer := snapshot.Bundle(id)
		if !newer.Version.GT(b.Version) || model.FirstPlace(pkg, newer.Name, stated.Channels...).Channel == nil {
			continue // no channel that counts lists it
		}
		if why := r.Object.NotReached(p, r, stated, head.Catalog, newer); why.Code() == words.OutOfRange {
			out = append(out, newer)
		}
	}
	if len(out) > 0 {
		slices.SortFunc(out, func(a, b *catalog.Bundle) int { return b.Version.Compare(a.Version) })
		versions := words.Mapped(out, func(b *catalog.Bundle) string { return b.Version.String() })
		list = append(list, reason.KeptOut(reason.Bundle(head.Name, pkg.Name), stated, versions))
	}
	return list
}

// deprecations returns what is deprecated of a bundle that comes, and the channel to go to that the message
// of its own names.
func deprecations(p *model.Part, r *request.Request, v solver.Var) (list []result.Reason) {
	if p.AsInstalled(v) != nil {
		return nil
	}
	c, id := p.Locate(v)
	snapshot := p.Catalogs[c].Snapshot
	b, at := snapshot.Bundle(id), r.List.Place(v)
	pkg := snapshot.Package(b.Package)
	var channels []*catalog.Channel
	if at.Channel != nil {
		channels = append(channels, at.Channel)
	}
	list = answer.Deprecations(pkg.Name, pkg, b, channels...)
	if why, ok := leave(p, r, snapshot, at.Channel, b, false); ok {
		list = append(list, why)
	}
	return list
}

// leave says which channel a request should go to where that of a bundle is deprecated: the one that the
// message names, else, if the bundle ends there, one in which an update leads on.
func leave(p *model.Part, r *request.Request, snapshot *catalog.Snapshot, from *catalog.Channel, b *catalog.Bundle, ends bool) (result.Reason, bool) {
	if from == nil || from.Deprecation == "" {
		return result.Reason{}, false
	}
	stated, field := r.Stated(p, r), words.FieldChannel
	if p.Scope.Alone() {
		field = words.FieldExtensionChannels
	}
	pkg, names := snapshot.Package(b.Package), r.Channels(p)
	named := slices.DeleteFunc(slices.Clone(names), func(name string) bool { return !mentions(from.Deprecation, name) })
	for _, name := range words.Distinct(slices.Concat(named, names)) {
		next := pkg.Channel(name)
		if next == nil || next.Head() == nil || next.Deprecation != "" || slices.Contains(stated.Channels, name) {
			continue
		}
		leads := len(r.InChannel(name).UpdatesOf(p, b.Name, b.Version)) > 0
		switch listed := next.Entry(b.Name) != nil; {
		case slices.Contains(named, name) && (leads || listed || r.Current < 0):
		case ends && leads && !fix.Unfinished(name):
		default:
			continue
		}
		newer := ""
		if newest := next.Head().Bundle; newest != catalog.NoBundle {
			if version := snapshot.Bundle(newest).Version; version.GT(b.Version) {
				newer = version.String()
				if version.Major > b.Version.Major {
					newer += ", a new major version"
				}
			}
		}
		return reason.ChannelLeft(reason.Bundle(b.Name, pkg.Name), stated, from.Name, name, newer, field), true
	}
	return result.Reason{}, false
}

// mentions reports whether a text has a name as a word of its own.
func mentions(text, name string) bool {
	word := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("-_.", r) }
	for found := range strings.FieldsFuncSeq(text, func(r rune) bool { return !word(r) }) {
		if strings.TrimRight(found, ".") == name {
			return true
		}
	}
	return false
}
