package status

import (
	"slices"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver/internal/answer"
	"github.com/resolvent/resolvent/resolver/internal/fix"
	"github.com/resolvent/resolvent/resolver/internal/model"
	"github.com/resolvent/resolvent/resolver/internal/request"
	"github.com/resolvent/resolvent/resolver/internal/words"
	"github.com/resolvent/resolvent/resolver/result"
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
	field := words.FieldChannel
	if p.Scope.Alone() {
		field = words.FieldExtensionChannels
	}
	if c := head.Place.Channel; c != nil && c.Deprecation != "" {
		for _, name := range r.Channels(p) {
			next := pkg.Channel(name)
			if next == nil || next.Deprecation != "" || fix.Unfinished(name) || slices.Contains(stated.Channels, name) || len(r.InChannel(name).UpdatesOf(p, b.Name, b.Version)) == 0 {
				continue
			}
			if newest := snapshot.Find(pkg.Name, next.Head().Name); newest != nil {
				has := newest.Version.String()
				if newest.Version.Major > b.Version.Major {
					has += ", a new major version"
				}
				list = append(list, result.New(words.ChannelLeft, result.Args{
					Subject: head.Name, Bundle: head.Name, Package: pkg.Name, Channel: c.Name, Other: name, Has: has, Request: stated, Said: field,
				}))
				break
			}
		}
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
