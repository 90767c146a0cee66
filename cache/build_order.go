package cache

// order gives every bundle its ID.
func (b *builder) order() Parts {
	parts := Parts{Packages: b.packages}
	rank, places := make([]ID, len(b.bundles)), make([][]Place, len(b.bundles))
	for i := range rank {
		rank[i] = NoBundle
	}
	// The places of a bundle come best first, so the first one gives it its rank.
	total := 0
	for place := range CandidatePlaces(b.packages) {
		i := place.Channel.Entries[place.Entry].Bundle
		if rank[i] == NoBundle {
			rank[i] = ID(parts.Candidates)
			parts.Candidates++
		}
		places[i] = append(places[i], place)
		total++
	}
	next := ID(parts.Candidates)
	for i := range rank {
		if rank[i] == NoBundle {
			rank[i] = next
			next++
		}
	}
	b.place(&parts, rank, places, total)
	return parts
}

// place moves the bundles to their IDs, and has entries and packages point there.
func (b *builder) place(parts *Parts, rank []ID, places [][]Place, total int) {
	parts.Bundles = make([]Bundle, len(b.bundles))
	all := make([]Place, 0, total) // one piece of memory for all bundles
	for i := range b.bundles {
		blob := b.bundles[i]
		pkg, _ := blob.properties.Package()
		from := len(all)
		all = append(all, places[i]...)
		parts.Bundles[rank[i]] = Bundle{
			Name: blob.name, Package: blob.pkg, Image: blob.image,
			Version: pkg.Version, Release: pkg.Release,
			Properties: blob.properties, Constraints: blob.constraints,
			Places: all[from:len(all):len(all)], Deprecation: blob.deprecation,
		}
	}
	for _, p := range b.packages {
		for _, c := range p.Channels {
			for i := range c.Entries {
				if e := &c.Entries[i]; e.Bundle != NoBundle {
					e.Bundle = rank[e.Bundle]
				}
			}
		}
	}
	byName := make(map[string]*Package, len(b.packages))
	for _, p := range b.packages {
		byName[p.Name] = p
	}
	for i := range parts.Bundles {
		p := byName[parts.Bundles[i].Package]
		p.Bundles = append(p.Bundles, ID(i))
	}
	for _, p := range b.packages {
		p.Bundles = append(make([]ID, 0, len(p.Bundles)), p.Bundles...)
	}
}
