package cache

import (
	"context"
	"io/fs"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/cache/internal/build"
	"github.com/resolvent/resolvent/cache/internal/check"
	"github.com/resolvent/resolvent/cache/internal/collect"
	"github.com/resolvent/resolvent/cache/internal/document"
	"github.com/resolvent/resolvent/cache/internal/task"
	"github.com/resolvent/resolvent/constraints"
)

// Checked is a catalog that was read strictly. It is immutable and safe for any
// number of goroutines.
type Checked struct {
	// Snapshot is the same as LoadFS returns.
	Snapshot *catalog.Snapshot
	// Faults are everything that is wrong, sorted by place, as [Check] returns
	// them.
	Faults []catalog.Fault
	// Directories: it was made of bundle directories, which are meant to be added
	// to what is published already.
	Directories bool

	places map[collect.Name]document.Origin
}

// LoadChecked reads a catalog as LoadFS does, but never fails for its faults, and
// checks it strictly in the same pass. Errors are as those of LoadFS.
func LoadChecked(ctx context.Context, fsys fs.FS, opts Options) (*Checked, error) {
	return task.Await(ctx, func() (*Checked, error) {
		parser := constraints.NewParser(opts.Constraints)
		read, err := readFS(ctx, fsys, parser, opts)
		if err != nil {
			return nil, err
		}
		s, err := build.Snapshot(ctx, read, parser, opts.Limits.WithDefaults().EvaluationCost)
		if err != nil {
			return nil, err
		}
		faults, err := check.Faults(ctx, read, s)
		if err != nil {
			return nil, err
		}
		return &Checked{Snapshot: s, Faults: faults, Directories: len(read.Directories) > 0, places: collect.Origins(read)}, nil
	})
}

// Place returns a fault without a message at the blob of a bundle, else of a
// channel, else of a package: the innermost that is named and known.
func (c *Checked) Place(pkg, channel, bundle string) catalog.Fault {
	f := catalog.Fault{Package: pkg, Channel: channel, Bundle: bundle, Property: -1}
	for _, at := range [...]struct {
		key   collect.Name
		named bool
	}{
		{collect.Name{Pkg: pkg, Bundle: bundle}, bundle != ""},
		{collect.Name{Pkg: pkg, Channel: channel}, channel != ""},
		{collect.Name{Pkg: pkg}, true},
	} {
		if place, ok := c.places[at.key]; ok && at.named {
			f.File, f.Line, f.Column = place.File, place.Line, place.Column
			break
		}
	}
	return f
}

// Check reads a catalog strictly and returns everything that is wrong with it,
// sorted by place: what [LoadFS] finds, and the rules that it can do without.
// Errors are as those of LoadFS; Options.Strict makes no difference.
func Check(ctx context.Context, fsys fs.FS, opts Options) ([]catalog.Fault, error) {
	c, err := LoadChecked(ctx, fsys, opts)
	if err != nil {
		return nil, err
	}
	return c.Faults, nil
}
