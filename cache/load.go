package cache

import (
	"context"
	"fmt"
	"io/fs"
	"runtime"
	"slices"

	"github.com/resolvent/resolvent/constraints"
)

// LoadFS reads the catalog in a tree of files: those named .json, .yaml or .yml
// that no .indexignore file keeps out, in any order. Other files, such as a
// README, are passed over; so are links to directories, which could lead in
// circles. If there are registry+v1 bundle directories in the tree (manifests
// beside metadata), the catalog is made of these and of nothing else.
//
// An error means that the tree could not be read, that ctx ended, or, with
// Options.Strict, is a *[FaultsError]. Everything else that is wrong is among
// [Snapshot.Faults]. When ctx ends LoadFS returns at once, even if a call of
// fsys does not.
func LoadFS(ctx context.Context, fsys fs.FS, opts Options) (*Snapshot, error) {
	return await(ctx, func() (*Snapshot, error) {
		parser := constraints.NewParser(opts.Constraints)
		read, err := readFS(ctx, fsys, parser, opts)
		if err != nil {
			return nil, err
		}
		return finish(ctx, read, parser, opts)
	})
}

// Parse reads a catalog that is one text, JSON or YAML, as LoadFS does.
func Parse(ctx context.Context, text []byte, opts Options) (*Snapshot, error) {
	return parseFile(ctx, "", text, opts)
}

func parseFile(ctx context.Context, name string, text []byte, opts Options) (*Snapshot, error) {
	return await(ctx, func() (*Snapshot, error) {
		parser := constraints.NewParser(opts.Constraints)
		c := newCollector(opts.Limits.withDefaults(), parser)
		if err := c.readFile(ctx, name, text); err != nil {
			return nil, err
		}
		return finish(ctx, &c.contents, parser, opts)
	})
}

// finish builds the snapshot and applies Options.Strict.
func finish(ctx context.Context, read *contents, parser *constraints.Parser, opts Options) (*Snapshot, error) {
	s, err := build(ctx, read, parser, opts.Limits.withDefaults().EvaluationCost)
	if err != nil {
		return nil, err
	}
	if opts.Strict {
		faults, err := check(ctx, read, s)
		if err != nil {
			return nil, err
		}
		faults = slices.DeleteFunc(faults, func(f Fault) bool { return f.Severity != Error })
		if len(faults) > 0 {
			return nil, &FaultsError{faults}
		}
	}
	return s, nil
}

// readFS reads all files, several at a time.
func readFS(ctx context.Context, fsys fs.FS, parser *constraints.Parser, opts Options) (*contents, error) {
	tree, err := listTree(ctx, fsys)
	if err != nil {
		return nil, fmt.Errorf("listing the files of the catalog: %w", err)
	}
	limits, workers := opts.Limits.withDefaults(), opts.Workers
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	// A collector is for one goroutine at a time; idle ones wait here.
	idle := make(chan *collector, workers)
	for range workers {
		idle <- newCollector(limits, parser)
	}
	// A tree of bundle directories is nothing else: what lies beside them, such
	// as templates of catalogs, is for other tools.
	files, dirs := tree.files, bundleDirs(tree.files)
	if len(dirs) > 0 {
		files = nil
	}
	read := make([]contents, len(files)+len(dirs))
	err = forEach(ctx, len(read), workers, func(ctx context.Context, i int) error {
		c := <-idle
		defer func() { idle <- c }()
		c.contents = contents{}
		var err error
		if len(dirs) > 0 {
			err = readBundleDir(ctx, c, fsys, dirs[i])
			read[i] = c.contents
			return err
		}
		if c.text, err = readLimited(ctx, fsys, files[i], limits.FileBytes, c.text[:0]); err != nil {
			return fmt.Errorf("reading the catalog: %w", err)
		}
		err = c.readFile(ctx, files[i], c.text)
		read[i] = c.contents
		return err
	})
	if err != nil {
		return nil, err
	}
	all := &contents{faults: tree.faults}
	for i := range read {
		all.append(&read[i])
	}
	addDirectories(all)
	return all, nil
}
