package build

import "github.com/resolvent/resolvent/cache/catalog"

// order gives every bundle its ID.
func (b *builder) order() catalog.Parts {
	parts := catalog.Parts{Packages: b.packages}
	rank, places := make([]catalog.ID, len(b.bundles)), make([][]catalog.Place, len(b.bundles))
	for i := range rank {
		rank[i] = catalog.NoBundle
	}
	// The places of a bundle come best first, so the first one gives it its rank.
	total := 0
	for place := range catalog.CandidatePlaces(b.packages) {
		i := place.Channel.Entries[place.Entry].Bundle
		if rank[i] == catalog.NoBundle {
			rank[i] = catalog.ID(parts.Candidates)
			parts.Candidates++
		}
		places[i] = append(places[i], place)
		total++
	}
	next := catalog.ID(parts.Candidates)
	for i := range rank {
		if rank[i] == catalog.NoBundle {
			rank[i] = next
			next++
		}
	}
	b.place(&parts, rank, places, total)
	return parts
}

// place moves the bundles to their IDs, and has entries and packages point there.
func (b *builder) place(parts *catalog.Parts, rank []catalog.ID, places [][]catalog.Place, total int) {
	parts.Bundles = make([]catalog.Bundle, len(b.bundles))
	all := make([]catalog.Place, 0, total) // one piece of memory for all bundles
	for i := range b.bundles {
		blob := b.bundles[i]
		pkg, _ := blob.Properties.Package()
		from := len(all)
		all = append(all, places[i]...)
		parts.Bundles[rank[i]] = catalog.Bundle{
			Name: blob.Name, Package: blob.Pkg, Image: blob.Image,
			Version: pkg.Version, Release: pkg.Release,
			Properties: blob.Properties, Constraints: blob.Constraints,
			Places: all[from:len(all):len(all)], Deprecation: blob.Deprecation,
		}
	}
	for _, p := range b.packages {
		for _, c := range p.Channels {
			for i := range c.Entries {
				if e := &c.Entries[i]; e.Bundle != catalog.NoBundle {
					e.Bundle = rank[e.Bundle]
				}
			}
		}
	}
	byName := make(map[string]*catalog.Package, len(b.packages))
	for _, p := range b.packages {
		byName[p.Name] = p
	}
	for i := range parts.Bundles {
		p := byName[parts.Bundles[i].Package]
		p.Bundles = append(p.Bundles, catalog.ID(i))
	}
	for _, p := range b.packages {
		p.Bundles = append(make([]catalog.ID, 0, len(p.Bundles)), p.Bundles...)
	}
}
