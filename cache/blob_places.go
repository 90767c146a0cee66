package cache

// blobKey names a blob: a package's if channel and bundle are empty.
type blobKey struct{ pkg, channel, bundle string }

// placesOf returns where each blob stands; of several with one name the first.
func placesOf(read *contents) map[blobKey]origin {
	places := make(map[blobKey]origin, len(read.packages)+len(read.channels)+len(read.bundles))
	put := func(key blobKey, at origin) {
		if _, ok := places[key]; !ok {
			places[key] = at
		}
	}
	for _, p := range read.packages {
		put(blobKey{pkg: p.name}, p.origin)
	}
	for _, c := range read.channels {
		put(blobKey{pkg: c.pkg, channel: c.name}, c.origin)
	}
	for _, b := range read.bundles {
		put(blobKey{pkg: b.pkg, bundle: b.name}, b.origin)
	}
	return places
}
