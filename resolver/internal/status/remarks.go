package status

import (
	"slices"
	"strings"
	"unicode"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver/internal/answer"
	"github.com/resolvent/resolvent/resolver/internal/fix"
	"github.com/resolvent/resolvent/resolver/internal/model"
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
			list = append(list, result.New(words.ChannelEnds, result.Args{
				Subject: head.Name, Bundle: head.Name, Package: pkg.Name, Channel: head.Place.Channel.Name, Other: end.Name, Has: newest.Version.String(),
			}))
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
		if why, _ := r.Object.NotReached(p, r, head.Catalog, newer); why == words.OutOfRange {
			out = append(out, newer)
		}
	}
	if len(out) > 0 {
		slices.SortFunc(out, func(a, b *catalog.Bundle) int { return b.Version.Compare(a.Version) })
		args := result.Args{Subject: head.Name, Bundle: head.Name, Package: pkg.Name, Request: stated}
		for _, b := range out {
			args.Names = append(args.Names, b.Version.String())
		}
		list = append(list, result.New(words.KeptOut, args))
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
		args := result.Args{Subject: b.Name, Bundle: b.Name, Package: pkg.Name, Channel: from.Name, Other: name, Request: stated, Said: field}
		if newest := next.Head().Bundle; newest != catalog.NoBundle {
			if version := snapshot.Bundle(newest).Version; version.GT(b.Version) {
				args.Has = version.String()
				if version.Major > b.Version.Major {
					args.Has += ", a new major version"
				}
			}
		}
		return result.New(words.ChannelLeft, args), true
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
