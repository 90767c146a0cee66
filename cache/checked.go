package cache

import (
	"context"
	"io/fs"

	"github.com/resolvent/resolvent/constraints"
)

// Checked is a catalog that was read strictly. It is immutable and safe for any
// number of goroutines.
type Checked struct {
	// Snapshot is the same as LoadFS returns.
	Snapshot *Snapshot
	// Faults are everything that is wrong, sorted by place, as [Check] returns
	// them.
	Faults []Fault
	// Directories: it was made of bundle directories, which are meant to be added
	// to what is published already.
	Directories bool

	places map[blobKey]origin
}

// blobKey names a blob: a package's if channel and bundle are empty.
type blobKey struct{ pkg, channel, bundle string }

// LoadChecked reads a catalog as LoadFS does, but never fails for its faults, and
// checks it strictly in the same pass. Errors are as those of LoadFS.
func LoadChecked(ctx context.Context, fsys fs.FS, opts Options) (*Checked, error) {
	return await(ctx, func() (*Checked, error) {
		parser := constraints.NewParser(opts.Constraints)
		read, err := readFS(ctx, fsys, parser, opts)
		if err != nil {
			return nil, err
		}
		s, err := build(ctx, read, parser, opts.Limits.withDefaults().EvaluationCost)
		if err != nil {
			return nil, err
		}
		faults, err := check(ctx, read, s)
		if err != nil {
			return nil, err
		}
		return &Checked{Snapshot: s, Faults: faults, Directories: len(read.directories) > 0, places: placesOf(read)}, nil
	})
}

// Place returns a fault without a message at the blob of a bundle, else of a
// channel, else of a package: the innermost that is named and known.
func (c *Checked) Place(pkg, channel, bundle string) Fault {
	f := Fault{Package: pkg, Channel: channel, Bundle: bundle, Property: -1}
	for _, key := range [...]struct {
		blobKey
		named bool
	}{
		{blobKey{pkg: pkg, bundle: bundle}, bundle != ""},
		{blobKey{pkg: pkg, channel: channel}, channel != ""},
		{blobKey{pkg: pkg}, true},
	} {
		if at, ok := c.places[key.blobKey]; ok && key.named {
			f.File, f.Line, f.Column = at.file, at.line, at.column
			break
		}
	}
	return f
}

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
