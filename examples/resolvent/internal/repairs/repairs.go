// Package repairs prints and writes what mends findings about a catalog.
package repairs

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/spf13/pflag"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/cache/template"
	"github.com/resolvent/resolvent/examples/resolvent/internal/findings"
	"github.com/resolvent/resolvent/examples/resolvent/internal/inputs"
	"github.com/resolvent/resolvent/examples/resolvent/internal/terminal"
	"github.com/resolvent/resolvent/resolver/check"
	"github.com/resolvent/resolvent/resolver/check/repair"
)

// Flags are the flags of check about repairs.
type Flags struct {
	// which is the number of a finding, or all; "" asks for no repair.
	which   string
	write   string
	inPlace bool
}

func (f *Flags) Register(set *pflag.FlagSet) {
	set.StringVar(&f.which, "repair", "", "print the smallest change that fixes finding `N` of the list with the same --show, or 'all' of that list")
	set.StringVar(&f.write, "write", "", "with --repair all or --channel, write a copy to `DIR`")
	set.BoolVar(&f.inPlace, "in-place", false, "write each --bundle IMAGE=DIR and its entries in every --channel to the catalog's files")
}

// Wanted reports whether repairs are asked for.
func (f *Flags) Wanted() bool { return f.which != "" }

// Releases reports whether new bundles are to be written.
func (f *Flags) Releases() bool { return f.inPlace || f.write != "" && f.which == "" }

const all = "all"

// Check returns why the flags cannot be used with these catalogs and this output.
func (f *Flags) Check(paths []string, output string) error {
	switch n, _ := strconv.Atoi(f.which); {
	case f.which == "":
		return nil
	case f.inPlace:
		return inputs.Usagef("--in-place: it adds bundles; --repair %s --write DIR writes a repaired copy", all)
	case f.write != "" && f.which != all:
		return inputs.Usagef("--write: it needs --repair %s", all)
	case f.which != all && n < 1:
		return inputs.Usagef("--repair %s: want the number of a finding, or %s", f.which, all)
	case len(paths) != 1:
		return inputs.Usagef("--repair: it is for one catalog or bundle directory; pass one")
	case output != terminal.OutputText && output != terminal.OutputJSON:
		return inputs.Usagef("--repair: it is printed as %s or %s", terminal.OutputText, terminal.OutputJSON)
	case f.write == "":
		return nil
	}
	return f.checkFolder(paths...)
}

// CheckRelease returns why the flags cannot be used for a release: images is how many bundles have
// one, noImage are the others.
func (f *Flags) CheckRelease(paths, noImage []string, images, channels int, output string) error {
	name := "--in-place"
	if f.write != "" {
		name = "--write"
	}
	switch {
	case f.inPlace && f.write != "":
		return inputs.Usagef("--in-place and --write: pass one of them")
	case images+len(noImage) == 0 && !f.inPlace:
		return inputs.Usagef("--write: it needs --repair %s, or bundles with --bundle IMAGE=DIR and --channel", all)
	case len(noImage) > 0:
		return inputs.Usagef("%s: the image of %s is not known; pass --bundle IMAGE=%[2]s", name, noImage[0])
	case images == 0:
		return inputs.Usagef("%s: it adds bundles; pass them with --bundle IMAGE=DIR", name)
	case channels == 0:
		return inputs.Usagef("%s: pass the channels that get the bundles with --channel", name)
	case len(paths) > 1:
		return inputs.Usagef("%s: a release is for one catalog or template; pass one", name)
	case output != terminal.OutputText && output != terminal.OutputJSON:
		return inputs.Usagef("%s: it is printed as %s or %s", name, terminal.OutputText, terminal.OutputJSON)
	}
	return nil
}

func (f *Flags) checkFolder(paths ...string) error {
	if err := inputs.CheckNewFolder(f.write, paths...); err != nil {
		return inputs.Usagef("--write %w", err)
	}
	return nil
}

// Judged is a catalog with what was found in it.
type Judged struct {
	Path string
	check.Catalog
	// Bundles: the catalog is a template, and these are its bundles.
	Bundles template.Bundles
	Report  *check.Report
	Options check.Options
}

// Write prints repairs of what was found, and writes the repaired copy if one is wanted. Of
// all findings it repairs those that are at least as severe as show. It reports whether a
// finding that is at least as severe as failOn stays.
func (f *Flags) Write(ctx context.Context, page *terminal.Page, output string, j Judged, show, failOn catalog.Severity) (stays bool, err error) {
	files, err := filesOf(ctx, j.Path)
	if err != nil {
		return false, err
	}
	found := j.Report.Findings
	from := repair.Read(j.Catalog, files, j.Bundles, found, j.Options)
	numbers := findings.Numbers(j.Report, show)
	var list []numbered
	var wanted []*check.Finding
	for i := range found {
		one := &found[i]
		if n := strconv.Itoa(numbers[i]); f.which == n || f.which == all && one.Severity <= show {
			list, wanted = append(list, numbered{number: numbers[i], finding: one}), append(wanted, one)
		}
	}
	find := from.Find
	if f.write != "" {
		find = from.Apply
	}
	repaired, err := find(ctx, wanted...)
	if err != nil {
		return false, err
	}
	for i, r := range repaired {
		list[i].Repair = r
		stays = stays || r.None != "" && wanted[i].Severity <= failOn
	}
	slices.SortStableFunc(list, func(a, b numbered) int { return a.Turn - b.Turn }) // as each builds on those before
	if len(list) == 0 && f.which != all {
		return false, inputs.Usagef("--repair %s: there are %s", f.which, terminal.Count(len(found), "finding"))
	}
	var copied *written
	if f.write != "" {
		after, err := f.copy(ctx, j, from.Changed())
		if err != nil {
			return false, fmt.Errorf("--write %s: %w", f.write, inputs.FileError(err))
		}
		copied = &written{f.write, len(found), after}
		stays = slices.ContainsFunc(after.Findings, func(one check.Finding) bool { return one.Severity <= failOn })
	}
	if output == terminal.OutputJSON {
		return stays, writeJSON(page, list, copied)
	}
	writeText(page, list, copied)
	return stays, nil
}

// maxFile is the most that a file of a catalog may have.
var maxFile = catalog.Limits{}.WithDefaults().FileBytes

// filesOf reads the files of a catalog that can be edited: those of a folder, or one file. What the
// catalog itself cannot read is left out.
func filesOf(ctx context.Context, path string) (map[string][]byte, error) {
	info, err := os.Stat(path)
	if err != nil || !info.IsDir() && !(info.Mode().IsRegular() && repair.IsRead(path)) {
		return nil, fmt.Errorf("%s: only plain files can be repaired; unpack it into a folder, or pass a .json or .yaml file", path)
	}
	files := map[string][]byte{}
	if !info.IsDir() {
		files[filepath.Base(path)], err = inputs.ReadFile(ctx, path, maxFile)
		return files, err
	}
	root, err := filepath.EvalSymlinks(path)
	if err != nil {
		return nil, err
	}
	err = filepath.WalkDir(root, func(file string, entry fs.DirEntry, err error) error {
		if err = cmp.Or(context.Cause(ctx), err); err != nil || !entry.Type().IsRegular() || !repair.IsRead(file) {
			return err
		}
		name, err := filepath.Rel(root, file)
		info, infoErr := entry.Info()
		if err = cmp.Or(err, infoErr); err == nil && info.Size() <= maxFile && fs.ValidPath(filepath.ToSlash(name)) {
			files[filepath.ToSlash(name)], err = inputs.ReadFile(ctx, file, maxFile)
		}
		return err
	})
	return files, err
}

// copied writes a copy of a catalog with changed files.
func (f *Flags) copied(ctx context.Context, path string, changed map[string][]byte) error {
	return inputs.WriteFolder(f.write, func(part string) error {
		if info, err := os.Stat(path); err != nil || info.IsDir() {
			if err = cmp.Or(err, copyFolder(ctx, part, path)); err != nil {
				return err
			}
		} else if name := filepath.Base(path); changed[name] == nil {
			if changed[name], err = os.ReadFile(path); err != nil {
				return err
			}
		}
		root, err := os.OpenRoot(part)
		if err != nil {
			return err
		}
		defer root.Close()
		for _, file := range slices.Sorted(maps.Keys(changed)) {
			if err := root.WriteFile(filepath.FromSlash(file), changed[file], 0o644); err != nil {
				return err
			}
		}
		return nil
	})
}

// copy writes a copy of the catalog with changed files, and checks it.
func (f *Flags) copy(ctx context.Context, j Judged, changed map[string][]byte) (*check.Report, error) {
	name := filepath.Base(j.Path)
	err := f.copied(ctx, j.Path, changed)
	if err != nil {
		return nil, err
	}
	var repaired *cache.Checked
	if j.Bundles != nil {
		repaired, err = template.Load(ctx, name, changed[name], j.Bundles, cache.Options{})
	} else {
		repaired, err = cache.FS(os.DirFS(f.write), cache.Options{}).LoadChecked(ctx)
	}
	if published := j.Checked.Published; err == nil && published != nil {
		repaired, err = repaired.AddedTo(ctx, published.Snapshot, cache.Options{})
	}
	if err != nil {
		return nil, err
	}
	return check.Run(ctx, []check.Catalog{{Key: j.Key, Checked: repaired}}, j.Options)
}

// copyFolder copies the files of a folder, until ctx ends. A link to a file becomes that file: it may lie
// outside of the folder. Other links stay what they are.
func copyFolder(ctx context.Context, to, from string) error {
	from, err := filepath.EvalSymlinks(from)
	if err != nil {
		return err
	}
	return filepath.WalkDir(from, func(path string, entry fs.DirEntry, err error) error {
		if err = cmp.Or(context.Cause(ctx), err); err != nil {
			return err
		}
		name, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		to := filepath.Join(to, name)
		if entry.IsDir() {
			return os.MkdirAll(to, 0o755)
		}
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			return copyFile(ctx, to, path)
		}
		if entry.Type()&fs.ModeSymlink == 0 {
			return nil // such as a socket
		}
		target, err := os.Readlink(path)
		if err != nil {
			return err
		}
		return os.Symlink(target, to)
	})
}

// copyFile copies a file of any size.
func copyFile(ctx context.Context, to, from string) error {
	in, err := inputs.OpenFile(ctx, from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.Create(to)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, struct{ io.Reader }{in}) // which the system would copy in parts of 2 GiB, whatever ends
	return cmp.Or(context.Cause(ctx), err, out.Close())
}
