package repairs

import (
	"archive/tar"
	"bytes"
	"cmp"
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/cache/template"
	"github.com/resolvent/resolvent/examples/resolvent/internal/differences"
	"github.com/resolvent/resolvent/examples/resolvent/internal/findings"
	"github.com/resolvent/resolvent/examples/resolvent/internal/inputs"
	"github.com/resolvent/resolvent/examples/resolvent/internal/terminal"
	"github.com/resolvent/resolvent/resolver/check"
	"github.com/resolvent/resolvent/resolver/check/propose"
	"github.com/resolvent/resolvent/resolver/check/repair"
)

// released is what a release does.
type released struct {
	bundles []releasedBundle
	lines   []string // of the files
	// before and after are the catalog's findings; after has new ones only.
	before, after *check.Report
	changes       []check.Change
	refused       bool
	written       string // "" if nothing is
}

type releasedBundle struct {
	inputs.AddedBundle
	entries []propose.Entry
}

// Release adds bundles and their entries in channels to a catalog, checks it, and writes it unless
// a finding that is at least as severe as failOn would be new. It reports whether all is well.
func (f *Flags) Release(ctx context.Context, page *terminal.Page, output string, release *inputs.Release, channels []string, o check.Options, show, failOn catalog.Severity) (bool, error) {
	files, err := filesOf(ctx, release.Path)
	if err != nil {
		return false, err
	}
	o.Background = release.Background
	before, err := load(ctx, release, files)
	if err != nil {
		return false, err
	}
	if f.write != "" {
		if err := f.checkFolder(release.Path); err != nil {
			return false, err
		}
	}
	r := &released{}
	changed, now := map[string][]byte{}, before
	for _, b := range release.Added {
		one, next, err := r.add(ctx, release, b, channels, files, now.Snapshot, o)
		if err != nil {
			return false, err
		}
		r.bundles = append(r.bundles, *one)
		if len(next) == 0 {
			continue
		}
		maps.Copy(changed, next)
		files = maps.Clone(files)
		maps.Copy(files, next)
		if now, err = load(ctx, release, files); err != nil {
			return false, err
		}
	}
	if len(changed) > 0 && !r.refused {
		if err := r.judge(ctx, release, before, now, o); err != nil {
			return false, err
		}
		r.refused = slices.ContainsFunc(r.after.Findings, func(one check.Finding) bool { return one.Severity <= failOn })
	}
	if !r.refused && (len(changed) > 0 || f.write != "") {
		if err := f.put(ctx, release.Path, changed); err != nil {
			return false, err
		}
		r.written = cmp.Or(f.write, release.Path)
	}
	if output == terminal.OutputJSON {
		return !r.refused, r.writeJSON(page)
	}
	r.writeText(page, show)
	return !r.refused, nil
}

// add returns the files that a bundle changes.
func (r *released) add(ctx context.Context, of *inputs.Release, b inputs.AddedBundle, channels []string, files map[string][]byte, published *catalog.Snapshot, o check.Options) (*releasedBundle, map[string][]byte, error) {
	one := &releasedBundle{AddedBundle: b}
	a := repair.Addition{Package: b.Package, Name: b.Name, Version: b.Version.String(), Image: b.Image, Blob: of.Bundles[b.Image]}
	if published.Package(b.Package) == nil {
		return nil, nil, fmt.Errorf("%s: it has no package %s: a release adds to packages that are there", of.Path, b.Package)
	}
	if known := published.Find(b.Package, b.Name); known != nil {
		if known.Image != a.Image {
			return nil, nil, fmt.Errorf("%s: %s is published already, with the image %s: what is published stays as it is; release a higher version", of.Path, b.Name, known.Image)
		}
		a.Blob = nil
	}
	var bundles template.Bundles
	if of.Template {
		bundles = of.Bundles
	}
	if of.Template && repair.IsSemver(files) {
		for _, channel := range channels {
			of, _, _ := strings.Cut(channel, "-")
			if !slices.Contains(template.Types, of) {
				return nil, nil, inputs.Usagef("--channel %s: the channels of a semver template are %s", channel, strings.Join(template.Types, ", "))
			}
			a.Types = append(a.Types, of)
		}
	} else {
		var err error
		if one.entries, err = entriesOf(ctx, of.Key(), b, channels, published, o); err != nil {
			return nil, nil, err
		}
		for _, e := range one.entries {
			if e.None == "" {
				a.Entries = append(a.Entries, e)
			} else {
				r.refused = true
			}
		}
		if len(a.Entries) == 0 && a.Blob == nil {
			return one, nil, nil
		}
	}
	changed, lines, err := repair.Add(files, bundles, a)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", of.Path, err)
	}
	for _, line := range lines {
		r.lines = append(r.lines, findings.FileIn(of.Key(), line.File)+": "+line.Text)
	}
	return one, changed, nil
}

// entriesOf proposes entries of a bundle in the channels that do not list it.
func entriesOf(ctx context.Context, key catalog.Key, b inputs.AddedBundle, channels []string, published *catalog.Snapshot, o check.Options) (list []propose.Entry, err error) {
	added, err := b.Checked.AddedTo(ctx, published, cache.Options{})
	if err != nil {
		return nil, err
	}
	for _, channel := range channels {
		if c := published.Package(b.Package).Channel(channel); c != nil && c.Entry(b.Name) != nil {
			continue
		}
		entries, err := propose.Entries(ctx, check.Catalog{Key: key, Checked: added}, channel, o)
		if err != nil {
			return nil, err
		}
		list = append(list, entries...)
	}
	return list, nil
}

// judge checks the catalog before and after, and compares what users get.
func (r *released) judge(ctx context.Context, release *inputs.Release, before, after *cache.Checked, o check.Options) (err error) {
	if r.before, err = check.Run(ctx, []check.Catalog{{Key: release.Key(), Checked: before}}, o); err != nil {
		return err
	}
	o.Baseline = r.before.All
	if r.after, err = check.Run(ctx, []check.Catalog{{Key: release.Key(), Checked: after}}, o); err != nil {
		return err
	}
	d, err := check.Diff(ctx, release.Key(), before.Snapshot, after.Snapshot, o)
	if err == nil {
		r.changes = d.Changes
	}
	return err
}

// load reads the files of a catalog as they are judged.
func load(ctx context.Context, of *inputs.Release, files map[string][]byte) (*cache.Checked, error) {
	if of.Template {
		name := filepath.Base(of.Path)
		return template.Load(ctx, name, files[name], of.Bundles, cache.Options{})
	}
	var packed bytes.Buffer
	out := tar.NewWriter(&packed)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		// Writing to memory does not fail.
		_ = out.WriteHeader(&tar.Header{Name: name, Mode: 0o644, Size: int64(len(files[name])), Typeflag: tar.TypeReg})
		_, _ = out.Write(files[name])
	}
	_ = out.Close()
	return cache.Stream("catalog.tar", &packed, cache.OriginOptions{}).LoadChecked(ctx)
}

// put writes the changed files in place, or a whole copy with them.
func (f *Flags) put(ctx context.Context, path string, changed map[string][]byte) error {
	if f.write != "" {
		if err := f.copied(ctx, path, changed); err != nil {
			return fmt.Errorf("--write %s: %w", f.write, inputs.FileError(err))
		}
		return nil
	}
	folder := path
	if info, err := os.Stat(path); err == nil && !info.IsDir() {
		folder = filepath.Dir(path)
	}
	if err := inputs.ReplaceFiles(folder, changed); err != nil {
		return fmt.Errorf("--in-place: %w", inputs.FileError(err))
	}
	return nil
}

func (r *released) writeText(p *terminal.Page, show catalog.Severity) {
	w := &p.Buffer
	for _, b := range r.bundles {
		for _, e := range b.entries {
			if e.None != "" {
				terminal.Printf(w, "%s in channel %s: no entry: %s\n", b.Name, e.Channel, e.None)
			}
		}
	}
	switch {
	case r.after == nil && r.refused:
		terminal.Printf(w, "nothing is written\n")
		return
	case r.after == nil && r.written == "":
		terminal.Printf(w, "nothing to write: the catalog has all of this already\n")
		return
	case r.after == nil:
		terminal.Printf(w, "%s: written as it was: the catalog has all of this already\n", r.written)
		return
	}
	for _, line := range r.lines {
		terminal.Printf(w, "%s\n", line)
	}
	for _, b := range r.bundles {
		for _, e := range b.entries {
			if len(e.Left) > 0 {
				terminal.Printf(w, "channel %s: updates lead to %s from %s, from %d not: %s\n", e.Channel, e.Name, terminal.Count(len(e.From), "bundle"), len(e.Left), strings.Join(e.Left[:min(len(e.Left), maxLeft)], ", "))
			}
			if e.NewChannel {
				terminal.Printf(w, "channel %s is new: users must switch to it\n", e.Channel)
			}
		}
	}
	w.WriteByte('\n')
	if len(r.after.Findings) > 0 {
		terminal.Printf(w, "%s\n", p.Bold("New findings"))
		findings.WriteNew(p, r.after, show)
		w.WriteByte('\n')
	}
	terminal.Printf(w, "%s\n", p.Bold("What changes for users"))
	changes := differences.Difference{Changes: r.changes, Show: catalog.Note}
	var part bytes.Buffer
	changes.WriteChanges(&part, p.Style)
	w.Write(part.Bytes())
	w.WriteByte('\n')
	if r.refused {
		terminal.Printf(w, "nothing is written: the release would add %s\n", findings.Counts(r.after))
		return
	}
	terminal.Printf(w, "%s: written, and checked as a whole: %s new, %s before\n", r.written, terminal.Count(len(r.after.Findings), "finding"), terminal.Count(len(r.before.Findings), "finding"))
}

// maxLeft is how many bundles without an update the text names.
const maxLeft = 5

type releasesJSON struct {
	Release releaseJSON `json:"release"`
}

type releaseJSON struct {
	Bundles []releasedJSON `json:"bundles"`
	// Lines say what changes in the files.
	Lines []string `json:"text"`
	// Findings are the new ones, Changes what users get, as diff says it.
	Findings []findings.FindingJSON   `json:"findings"`
	Changes  []differences.ChangeJSON `json:"changes"`
	// Written is the catalog or copy that is written, empty if nothing is.
	Written string `json:"written,omitempty"`
}

type releasedJSON struct {
	Package string          `json:"package"`
	Bundle  string          `json:"bundle"`
	Image   string          `json:"image"`
	Entries []propose.Entry `json:"entries"`
}

func (r *released) writeJSON(p *terminal.Page) error {
	out := releaseJSON{Lines: slices.Concat([]string{}, r.lines), Findings: []findings.FindingJSON{}, Changes: []differences.ChangeJSON{}, Written: r.written}
	for _, b := range r.bundles {
		out.Bundles = append(out.Bundles, releasedJSON{b.Package, b.Name, b.Image, slices.Concat([]propose.Entry{}, b.entries)})
	}
	if r.after != nil {
		out.Findings = terminal.Mapped(r.after.Findings, findings.FindingToJSON)
		out.Changes = terminal.Mapped(r.changes, differences.ChangeToJSON)
	}
	return terminal.WriteJSON(p, releasesJSON{out})
}
