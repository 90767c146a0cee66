package collect

import "github.com/resolvent/resolvent/cache/internal/document"

// Name names a blob: a package's if channel and bundle are empty.
type Name struct{ Pkg, Channel, Bundle string }

// Origins returns where each blob stands; of several with one name the first.
func Origins(read *Contents) map[Name]document.Origin {
	places := make(map[Name]document.Origin, len(read.Packages)+len(read.Channels)+len(read.Bundles))
	put := func(key Name, at document.Origin) {
		if _, ok := places[key]; !ok {
			places[key] = at
		}
	}
	for _, p := range read.Packages {
		put(Name{Pkg: p.Name}, p.Origin)
	}
	for _, c := range read.Channels {
		put(Name{Pkg: c.Pkg, Channel: c.Name}, c.Origin)
	}
	for _, b := range read.Bundles {
		put(Name{Pkg: b.Pkg, Bundle: b.Name}, b.Origin)
	}
	return places
}
