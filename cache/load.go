package cache

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"runtime"
	"slices"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/cache/internal/build"
	"github.com/resolvent/resolvent/cache/internal/bundledir"
	"github.com/resolvent/resolvent/cache/internal/code"
	"github.com/resolvent/resolvent/cache/internal/document"
	"github.com/resolvent/resolvent/cache/internal/task"
	"github.com/resolvent/resolvent/cache/internal/walk"
	"github.com/resolvent/resolvent/constraints"
)

// Options are the options of reading a catalog. The zero value works.
type Options struct {
	// Strict makes loading fail with a *catalog.FaultsError if [Origin].LoadChecked finds a
	// fault of severity Error.
	Strict bool
	// Limits bound the cost of reading a catalog.
	Limits catalog.Limits
	// Constraints bound single constraints.
	Constraints constraints.Limits
	// Workers is how many files are read concurrently. 0 means GOMAXPROCS.
	Workers int
	// Texts makes reading set [properties.Metadata.Texts], which indexes do not have.
	Texts bool
	// Objects makes reading keep the texts of objects ([properties.Objects]), which indexes do
	// not have.
	Objects bool
}

// LoadFS reads the catalog in a tree of files. It reads files with an extension of JSON or
// YAML, unless an .indexignore file names them. It does not follow links to directories,
// which may form circles. If the tree has registry+v1 bundle directories (manifests beside
// metadata), these alone are the catalog.
//
// The error is that of fsys or ctx or, with Options.Strict, a *[catalog.FaultsError]. A tree
// without JSON and YAML files, or with files that have no schema alone, is an error, too:
// mostly it is another folder. All other faults are in
// [catalog.Snapshot.Faults]. When ctx ends, LoadFS returns at once, even if a call of fsys
// does not.
func LoadFS(ctx context.Context, fsys fs.FS, opts Options) (*catalog.Snapshot, error) {
	s, err := loadFrom(ctx, openTree(fsys), opts)
	if err != nil {
		return nil, err
	}
	if len(slices.Collect(s.Packages())) > 0 || slices.ContainsFunc(s.Faults(), func(f catalog.Fault) bool { return f.Code != code.Schema }) {
		return s, nil
	}
	if len(s.Faults()) == 0 { // an empty catalog is one
		list, err := task.Await(ctx, func() ([]string, error) {
			tree, err := walk.List(ctx, fsys)
			return tree.Files, err
		})
		if err != nil || len(list) > 0 {
			return s, err
		}
	}
	return nil, noCatalog(s.Faults())
}

// noCatalog is the error of a tree without any package, with the first of its faults.
func noCatalog(faults []catalog.Fault) error {
	const what = "the folder has no catalog: give the one with the JSON or YAML files that 'opm render' writes, such as configs of an image"
	if len(faults) == 0 {
		return errors.New(what)
	}
	return fmt.Errorf("%s; first of %d faults: %w", what, len(faults), &faults[0])
}

func loadFrom(ctx context.Context, open treeOpener, opts Options) (*catalog.Snapshot, error) {
	return accepted(readFrom(ctx, open, opts, opts.Strict))
}

func readFrom(ctx context.Context, open treeOpener, opts Options, strict bool) (*Checked, error) {
	return readAll(ctx, opts, strict, func(parser *constraints.Parser) (*build.Contents, error) {
		return open.read(ctx, parser, opts, nil)
	})
}

// read opens, reads and closes the tree.
func (open treeOpener) read(ctx context.Context, parser *constraints.Parser, opts Options, whole func(build.BlobKey) bool) (*build.Contents, error) {
	fsys, closeTree, err := open(ctx)
	if err != nil {
		return nil, err
	}
	defer closeTree()
	return readFS(ctx, fsys, parser, opts, whole)
}

// Parse reads a catalog in one text, JSON or YAML, as LoadFS does.
func Parse(ctx context.Context, text []byte, opts Options) (*catalog.Snapshot, error) {
	return accepted(parseText(ctx, "", text, opts, opts.Strict))
}

// ParseChecked reads the catalog in the text of one file strictly. Faults of the catalog are no
// errors.
func ParseChecked(ctx context.Context, file string, text []byte, opts Options) (*Checked, error) {
	return parseText(ctx, file, text, opts, true)
}

func parseText(ctx context.Context, file string, text []byte, opts Options, strict bool) (*Checked, error) {
	return readAll(ctx, opts, strict, func(parser *constraints.Parser) (*build.Contents, error) {
		c := opts.collector(parser)
		err := c.ReadFile(ctx, file, text)
		return &c.Contents, err
	})
}

// readAll builds a catalog of the contents that read returns. Only a strict reading sets
// Checked.Faults.
func readAll(ctx context.Context, opts Options, strict bool, read func(*constraints.Parser) (*build.Contents, error)) (*Checked, error) {
	return task.Await(ctx, func() (*Checked, error) {
		parser := constraints.NewParser(opts.Constraints)
		contents, err := read(parser)
		if err != nil {
			return nil, err
		}
		parts, err := build.Parts(ctx, contents, parser)
		if err != nil {
			return nil, err
		}
		s := opts.snapshot(parts)
		if !strict {
			return &Checked{Snapshot: s}, nil
		}
		faults, err := build.Check(ctx, contents, s)
		c := &Checked{Snapshot: s, Faults: faults, places: build.Origins(contents)}
		for _, d := range contents.Directories {
			if name := d.Entry.Name; name != "" {
				c.contents, c.Directories = contents, append(c.Directories, catalog.BundleKey{Package: d.Pkg, Name: name})
			}
		}
		return c, err
	})
}

func (opts Options) collector(parser *constraints.Parser) *build.Collector {
	return build.NewCollector(opts.Limits.WithDefaults(), parser, opts.Texts, opts.Objects)
}

// snapshot makes a snapshot of its parts.
func (opts Options) snapshot(parts catalog.Parts) *catalog.Snapshot {
	parts.EvaluationCost = uint64(opts.Limits.WithDefaults().EvaluationCost)
	return catalog.NewSnapshot(parts)
}

// accepted returns the snapshot, or an error if a strict reading found errors.
func accepted(c *Checked, err error) (*catalog.Snapshot, error) {
	if err != nil {
		return nil, err
	}
	faults := slices.DeleteFunc(c.Faults, func(f catalog.Fault) bool { return f.Severity != catalog.Error })
	if len(faults) > 0 {
		return nil, &catalog.FaultsError{Faults: faults}
	}
	return c.Snapshot, nil
}

// readFS reads all files, several at a time. It keeps the blobs whole for which whole
// returns true.
func readFS(ctx context.Context, fsys fs.FS, parser *constraints.Parser, opts Options, whole func(build.BlobKey) bool) (*build.Contents, error) {
	tree, err := walk.List(ctx, fsys)
	if err != nil {
		return nil, fmt.Errorf("listing the files of the catalog: %w", err)
	}
	// Files beside bundle directories, such as templates of catalogs, are for other
	// tools. Files of a catalog there are a fault.
	files, dirs := tree.Files, bundledir.Find(tree.Files)
	var beside []string
	if len(dirs) > 0 {
		files, beside = nil, bundledir.Beside(files, dirs)
	}
	passed := make([]bool, len(beside))
	readFile := func(ctx context.Context, c *build.Collector, name string) error {
		if err := walk.ReadFile(ctx, fsys, name, c.Limits.FileBytes, &c.Text); err != nil {
			return fmt.Errorf("reading the catalog: %w", err)
		}
		return c.ReadFile(ctx, name, c.Text.Bytes())
	}
	n := len(files) + len(dirs)
	all, err := collect(ctx, n+len(beside), parser, opts, func(ctx context.Context, c *build.Collector, i int) (err error) {
		c.Whole = whole
		switch other := i - n; {
		case other >= 0:
			err = readFile(ctx, c, beside[other])
			passed[other], c.Contents = c.Contents.IsCatalog(), build.Contents{}
			return err
		case len(dirs) > 0:
			return bundledir.Read(ctx, c, fsys, dirs[i])
		}
		return readFile(ctx, c, files[i])
	})
	if err != nil {
		return nil, err
	}
	all.Faults = slices.Concat(all.Faults, tree.Faults, passedOver(beside, passed))
	if len(tree.Others) > 0 && len(files) > 0 {
		all.Refuse(catalog.Fault{Code: code.PassedOver, File: tree.Others[0], Property: -1, Message: fmt.Sprintf(
			"opm and the catalog's pod read every file, and refuse the catalog for this one%s, which is not named as JSON or YAML: keep it out with .indexignore, or rename it", andMore(len(tree.Others)-1))})
	}
	bundledir.AddChannels(all)
	return all, nil
}

// collect calls read for 0 to n-1, for several at a time, and returns all that the collectors got.
func collect(ctx context.Context, n int, parser *constraints.Parser, opts Options, read func(ctx context.Context, c *build.Collector, i int) error) (*build.Contents, error) {
	workers := opts.Workers
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	// A collector is for one goroutine at a time; idle ones wait here.
	idle := make(chan *build.Collector, workers)
	for range workers {
		idle <- opts.collector(parser)
	}
	collected := make([]build.Contents, n)
	err := task.ForEach(ctx, n, workers, func(ctx context.Context, i int) error {
		c := <-idle
		defer func() { idle <- c }()
		c.Contents = build.Contents{}
		err := read(ctx, c, i)
		collected[i] = c.Contents
		return err
	})
	if err != nil {
		return nil, err
	}
	all := &build.Contents{}
	for i := range collected {
		all.Append(&collected[i])
	}
	return all, nil
}

// passedOver returns a fault if files beside bundle directories are of a catalog.
func passedOver(beside []string, passed []bool) []catalog.Fault {
	first := slices.Index(passed, true)
	if first < 0 {
		return nil
	}
	others := andMore(len(slices.DeleteFunc(slices.Clone(passed), func(p bool) bool { return !p })) - 1)
	return []catalog.Fault{{Code: code.PassedOver, File: beside[first], Property: -1, Message: fmt.Sprintf(
		"this file of a catalog%s is not read, as there are bundle directories beside it: read the folder of the catalog by itself", others)}}
}

func andMore(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(" (and %d more)", n)
}

// Checked is a catalog that was read strictly. It is immutable and safe for any number of
// goroutines.
type Checked struct {
	// Snapshot is the snapshot that LoadFS returns.
	Snapshot *catalog.Snapshot
	// Faults are all faults, sorted by place: those of Snapshot, and those that only a
	// strict reading finds.
	Faults []catalog.Fault
	// Directories are the bundles from bundle directories, by package, the highest version
	// first. Publishing adds them to a catalog.
	Directories []catalog.BundleKey
	// Published is the catalog to which AddedTo added them, nil otherwise.
	Published *Checked

	places   map[build.Name]document.Origin
	contents *build.Contents // if there are Directories
}

// AddedTo returns a published catalog with the bundle directories added. They replace
// bundles of the same names. Every fault has a place in a bundle directory, if possible one
// of the same package.
func (c *Checked) AddedTo(ctx context.Context, published *catalog.Snapshot, opts Options) (*Checked, error) {
	text, err := Render(ctx, published, slices.Collect(published.Packages()), nil)
	if err != nil {
		return nil, err
	}
	read := func(directories *build.Contents) (*Checked, error) {
		return readAll(ctx, opts, true, func(parser *constraints.Parser) (*build.Contents, error) {
			all := opts.collector(parser)
			if err := all.ReadFile(ctx, "", text); err != nil || directories == nil {
				return &all.Contents, err
			}
			all.Contents.Replace(directories)
			bundledir.AddChannels(&all.Contents)
			return &all.Contents, nil
		})
	}
	before, err := read(nil)
	if err != nil {
		return nil, err
	}
	added, err := read(c.contents)
	if err != nil {
		return nil, err
	}
	added.Published = before
	for i := range added.Faults {
		if f := &added.Faults[i]; f.File == "" {
			at := added.Place(f.Package, f.Channel, f.Bundle)
			f.File, f.Line, f.Column = at.File, at.Line, at.Column
		}
	}
	added.Faults = build.Sorted(added.Faults)
	return added, nil
}

// Place returns a fault without message at a blob: that of the bundle, else of the channel,
// else of the package, whichever is first named and known.
func (c *Checked) Place(pkg, channel, bundle string) catalog.Fault {
	f := catalog.Fault{Package: pkg, Channel: channel, Bundle: bundle, Property: -1}
	for _, at := range [...]struct {
		key   build.Name
		named bool
	}{
		{build.Name{Pkg: pkg, Bundle: bundle}, bundle != ""},
		{build.Name{Pkg: pkg, Channel: channel}, channel != ""},
		{build.Name{Pkg: pkg}, true},
	} {
		if place, ok := c.places[at.key]; ok && at.named {
			if place.File == "" && c.Published != nil {
				place = c.contents.DirectoryOf(pkg)
			}
			f.File, f.Line, f.Column = place.File, place.Line, place.Column
			break
		}
	}
	return f
}
