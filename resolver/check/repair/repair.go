package repair

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"sort"
	"strings"

	"github.com/blang/semver/v4"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/cache/template"
	"github.com/resolvent/resolvent/resolver/check"
	"github.com/resolvent/resolvent/resolver/check/internal/edit"
	"github.com/resolvent/resolvent/resolver/check/internal/finding"
	"github.com/resolvent/resolvent/resolver/internal/pace"
	"github.com/resolvent/resolvent/resolver/internal/words"
)

// Repair is the smallest change found with which a finding is gone.
type Repair struct {
	// Patches change one document each, in the order of files; none if there is no repair.
	Patches []Patch
	// None says why there is no repair, "" if there is one.
	None string
	// Shows counts the findings that show only now: the finding hid them.
	Shows int
	// Turn is the place in the order in which Apply has applied it, from 0.
	Turn int
}

// Op is an operation of RFC 6902 on a document. The path "" is the whole document.
type Op = edit.Op

// IsRead reports whether a file can be a part of a catalog.
func IsRead(name string) bool { return edit.IsRead(name) }

// Patch changes one document.
type Patch struct {
	File string `json:"file"`
	// Line is that of the document in the file, from 1.
	Line int  `json:"line"`
	Ops  []Op `json:"patch"`
	// Lines say what each operation does.
	Lines []string `json:"text"`
}

// Files is a judged catalog with its files.
type Files struct {
	check.Catalog
	tree    *edit.Tree
	read    *edit.Draft // without repairs
	options check.Options
	trials  map[string]*trial // by package

	// known are the repairs that Apply has searched, and states those to which they lead.
	known  map[searched]found
	states map[string]*edit.Draft // by their changes
}

// Read reads the files of a judged catalog, by name, as far as they are about the packages of
// the findings. The options are those with which it was judged; other judged catalogs belong
// to their background. With bundles the only file is a template that was judged with them. The
// catalog is for one goroutine.
func Read(judged check.Catalog, files map[string][]byte, bundles template.Bundles, found []check.Finding, o check.Options) *Files {
	packages := map[string]bool{}
	for i := range found {
		if found[i].Package != "" {
			packages[found[i].Package] = true
		}
	}
	t := edit.Read(files, packages, bundles)
	return &Files{Catalog: judged, tree: t, read: t.Draft, options: o, trials: map[string]*trial{}}
}

// Changed returns the files that Apply has changed, by name.
func (c *Files) Changed() map[string][]byte { return c.tree.Draft.Changed(c.tree.Files) }

// Find returns the repairs of findings, in their order, each as if it were the only one;
// packages are searched at the same time. The error is that of ctx, or of checking.
func (c *Files) Find(ctx context.Context, list ...*check.Finding) ([]*Repair, error) {
	byPackage := map[string][]int{}
	for i, f := range list {
		pkg := c.about(f)
		byPackage[pkg] = append(byPackage[pkg], i)
	}
	packages := slices.Sorted(maps.Keys(byPackage))
	found, errs := make([]*Repair, len(list)), make([]error, len(packages))
	pace.Parallel(len(packages), func(at int) {
		// What is kept of a package is of no use to another one.
		own := &Files{Catalog: c.Catalog, tree: c.tree, read: c.read, options: c.options, trials: map[string]*trial{}}
		for _, i := range byPackage[packages[at]] {
			if errs[at] == nil {
				found[i], _, errs[at] = own.repair(ctx, c.tree.Draft, list[i])
			}
		}
	})
	return found, cmp.Or(errs...)
}

// Apply is Find, but applies each repair for all that follow. Where a repair is in the way of
// others, another order is taken, with which most findings are gone. A finding that is gone with
// the repairs of others has the empty repair.
func (c *Files) Apply(ctx context.Context, list ...*check.Finding) ([]*Repair, error) {
	byPackage := map[string][]*check.Finding{}
	var packages []string
	for _, f := range list {
		pkg := c.about(f)
		if byPackage[pkg] == nil {
			packages = append(packages, pkg)
		}
		byPackage[pkg] = append(byPackage[pkg], f)
	}
	repaired := map[*check.Finding]*Repair{}
	for _, pkg := range packages {
		c.known, c.states = map[searched]found{}, map[string]*edit.Draft{c.tree.Draft.Changes(): c.tree.Draft}
		best, err := c.inOrder(ctx, byPackage[pkg])
		if err != nil {
			return nil, err
		}
		for i, r := range best.repairs {
			r.Turn = len(repaired)
			repaired[best.order[i]] = r
		}
		if best.last != nil {
			c.tree.Draft = best.last
		}
	}
	return words.Mapped(list, func(f *check.Finding) *Repair { return repaired[f] }), nil
}

// repair returns the repair of a finding in a state and the state after it, nil if there is no
// repair.
func (c *Files) repair(ctx context.Context, from *edit.Draft, f *check.Finding) (*Repair, *edit.Draft, error) {
	next, none, err := c.find(ctx, from, f)
	if err != nil || none != "" {
		return &Repair{None: none}, nil, err
	}
	r := repairOf(from, next)
	if t := c.trials[c.about(f)]; len(next.Ops) > len(from.Ops) {
		before, after := t.bases[from], t.bases[next]
		for id := range after.all {
			if !before.all[id] {
				r.Shows++
			}
		}
	}
	return r, next, nil
}

// about returns the package of a finding. One about a document whose schema is misspelt is about the
// package that the document names.
func (c *Files) about(f *check.Finding) (pkg string) {
	if f.Package != "" || f.Code != "undefined" {
		return f.Package
	}
	for _, d := range c.read.Docs {
		if at := f.Places[0]; d.File == at.File && d.Line <= at.Line {
			pkg = cmp.Or(edit.Text(d.Root, "package"), edit.Text(d.Root, "name"))
		}
	}
	return pkg
}

// finder is the search for the repair of one finding.
type finder struct {
	*trial
	finding *check.Finding
	// start is what was found before.
	start *verdict
	wrong *finding.Wrong
}

// step is a state with what is found in it.
type step struct {
	*edit.Draft
	*verdict
	left []finding.Identity // of the finding
}

// find returns the state in which a finding is gone, or why there is none.
func (c *Files) find(ctx context.Context, from *edit.Draft, f *check.Finding) (*edit.Draft, string, error) {
	kind := finding.Of(f.Code)
	pkg := c.about(f)
	if kind.Candidates == nil || pkg == "" && f.Code != "template" {
		return nil, cmp.Or(kind.None, "it is about a file, not a package"), nil
	}
	r := c.trials[pkg]
	if r == nil {
		var err error
		if r, err = newTrial(ctx, c.tree, c.Catalog, pkg, c.options); err != nil {
			return nil, "", err
		}
		c.trials[pkg] = r
	}
	r.ctx, r.runs = ctx, 0
	for _, s := range []*edit.Draft{c.read, from} {
		if err := r.base(s); err != nil {
			return nil, "", err
		}
	}
	s := &finder{trial: r, finding: f, start: r.bases[from]}
	s.wrong = &finding.Wrong{
		Pkg: pkg, Snapshot: s.start.snapshot, Places: faults(f), Directories: c.tree.Directories, Meant: map[string]string{}, Moved: s.start.places,
		Background: words.Mapped(r.options.Background, func(c cache.Catalog) *catalog.Snapshot { return c.Snapshot }),
	}
	if len(s.left(r.bases[c.read])) == 0 {
		return nil, "a document that is wrong cannot be edited", nil
	}
	now := &step{from, s.start, s.left(s.start)}
	for len(now.left) > 0 {
		next, err := s.next(now)
		if err != nil {
			return nil, "", err
		}
		if next == nil && c.tree.Bundles != nil {
			return nil, inTemplate(f, from), nil
		}
		if next == nil && f.Code == finding.CodeUninstallable {
			return nil, "no small change of its files fixes it: a catalog that was not given may have what it requires; give that, too", nil
		}
		if next == nil && kind.None != "" {
			return nil, kind.None, nil
		}
		if next == nil {
			return nil, "no small change of its files was found that removes it and changes nothing else", nil
		}
		now = next
	}
	pruned, err := s.pruned(from, now.Draft)
	if err == nil {
		pruned, err = s.tightened(from, pruned)
	}
	if err == nil {
		err = r.base(pruned)
	}
	return pruned, "", err
}

// left returns what a verdict still has of the finding.
func (s *finder) left(v *verdict) []finding.Identity {
	return slices.DeleteFunc(slices.Clone(s.finding.Identities), func(id finding.Identity) bool { return !v.all[id] })
}

// try checks a candidate, and returns it if it is accepted and less is left.
func (s *finder) try(now *step, candidate *edit.Draft) (*step, error) {
	if candidate == nil || s.runs >= maxChecks {
		return nil, nil
	}
	v, err := s.check(candidate)
	if _, unknown := errors.AsType[*template.NotGiven](err); unknown {
		return nil, nil
	}
	if err != nil || !s.start.accepts(v, s.pkg, s.wrong.Meant, s.finding.Code) {
		return nil, err
	}
	next := &step{candidate, v, s.left(v)}
	if len(next.left) >= len(now.left) {
		return nil, nil
	}
	return next, nil
}

// next returns the best accepted state after one more repair: the one that leaves least, of these
// the one with the fewest operations. Of equals, what the finding says was meant comes first.
func (s *finder) next(now *step) (best *step, err error) {
	consider := func(list []*edit.Draft) error {
		for _, candidate := range list {
			found, err := s.try(now, candidate)
			if err != nil {
				return err
			}
			if found != nil && (best == nil || cmp.Or(cmp.Compare(len(found.left), len(best.left)), cmp.Compare(len(found.Ops), len(best.Ops))) < 0) {
				best = found
			}
			if found != nil && len(found.left) == 0 {
				return nil
			}
		}
		return nil
	}
	bases := []*step{now}
	if said := s.wrong.AsMeant(now.snapshot, now.Draft); said != nil {
		if err = consider([]*edit.Draft{said}); err != nil || best != nil && len(best.left) == 0 {
			return best, err
		}
		v, err := s.check(said)
		if err != nil {
			return nil, err
		}
		bases = []*step{{said, v, now.left}, now}
	}
	candidates := finding.Of(s.finding.Code).Candidates(s.wrong, now.Draft, now.left[0])
	if err = consider(append(candidates, rearranged(s, now.Draft)...)); err != nil || best != nil {
		return best, err
	}
	for _, base := range bases {
		if err = s.reordered(base, &best, consider); err != nil {
			return nil, err
		}
	}
	return best, nil
}

// reordered considers the edits of channels with which the finding is gone, from a state on.
func (s *finder) reordered(base *step, best **step, consider func([]*edit.Draft) error) error {
	id := base.left[0]
	target, structural := targetOf(id)
	p := base.snapshot.Package(s.pkg)
	if !structural || p == nil {
		return nil
	}
	channels := []*catalog.Channel{p.Channel(id.Channel)}
	if id.Channel == "" {
		channels = p.Preferred()
	}
	for _, c := range channels {
		if c == nil || len(c.Entries) == 0 || *best != nil && len((*best).Ops) <= len(base.Ops)+1 {
			continue // no other channel has a smaller repair
		}
		together := map[problem]bool{target: true}
		for _, other := range base.left {
			if t, ok := targetOf(other); ok && other.Channel == id.Channel {
				together[t] = true
			}
		}
		g := graphOf(base.snapshot, p, c, s.blockedIn(base, id))
		others := *best
		for i, targets := range []map[problem]bool{together, {target: true}} {
			if i == 1 && (len(together) == 1 || *best != others) {
				continue
			}
			if err := consider(base.Each(s.pkg, c.Name, solve(g, targets, s.editable(base.Draft))...)); err != nil {
				return err
			}
		}
	}
	return nil
}

// blockedIn returns the bundles that updates cannot pass, for findings that are about those.
func (s *finder) blockedIn(now *step, id finding.Identity) map[catalog.ID]bool {
	if id.Code == "updateBlocked" {
		return now.blocked
	}
	return nil
}

// editable reports which entries the files state: all, or those of bundle
// directories.
func (s *finder) editable(now *edit.Draft) func(name string) bool {
	if !s.tree.Directories {
		return func(string) bool { return true }
	}
	names := map[string]bool{}
	for _, d := range now.Dirs(s.pkg, "") {
		names[d.Name] = true
	}
	return func(name string) bool { return names[name] }
}

// faults returns the places of a finding.
func faults(f *check.Finding) []catalog.Fault {
	return words.Mapped(f.Places, func(at check.Place) catalog.Fault {
		return catalog.Fault{File: at.File, Line: at.Line, Column: at.Column, Path: at.Path}
	})
}

// places returns the places of the finding with a part.
func (v *verdict) places(id finding.Identity) []catalog.Fault {
	for i := range v.report.Findings {
		if f := &v.report.Findings[i]; slices.Contains(f.Identities, id) {
			return faults(f)
		}
	}
	return nil
}

// pruned leaves out the operations without which the finding is gone, too.
func (s *finder) pruned(from, draft *edit.Draft) (*edit.Draft, error) {
	ops := draft.Ops[len(from.Ops):]
	for i := 0; i < len(ops) && len(ops) > 1; {
		fewer := from.With(slices.Delete(slices.Clone(ops), i, i+1)...)
		found, err := s.try(&step{left: s.finding.Identities}, fewer)
		if err != nil {
			return nil, err
		}
		if found != nil && len(found.left) == 0 {
			ops, draft = fewer.Ops[len(from.Ops):], fewer
			continue
		}
		i++
	}
	return draft, nil
}

// tightened lets new ranges begin as late as possible: whoever has an older version is not
// meant, and might jump over what migrates its data.
func (s *finder) tightened(from, draft *edit.Draft) (*edit.Draft, error) {
	var versions []semver.Version
	if p := s.start.snapshot.Package(s.pkg); p != nil {
		for _, id := range p.Bundles {
			versions = append(versions, s.start.snapshot.Bundle(id).Version)
		}
	}
	slices.SortFunc(versions, semver.Version.Compare)
	for i, op := range draft.Ops[len(from.Ops):] {
		low, high, ranged := strings.Cut(strings.Trim(string(op.Value), `"`), " <")
		start, err := semver.Parse(strings.TrimPrefix(low, ">="))
		if !ranged || err != nil || !strings.HasSuffix(op.Path, "kipRange") || op.Op.Op != "add" {
			continue
		}
		var later []semver.Version
		for _, v := range versions {
			if v.GT(start) {
				later = append(later, v)
			}
		}
		sort.Search(len(later), func(at int) bool { // those that begin late enough for everybody are the first ones
			ops := slices.Clone(draft.Ops[len(from.Ops):])
			ops[i].Value = edit.Value(">=" + later[at].String() + " <" + high)
			next := from.With(ops...)
			found, failed := s.try(&step{left: s.finding.Identities}, next)
			if err = cmp.Or(err, failed); found == nil || len(found.left) > 0 {
				return true
			}
			draft = next
			return false
		})
		if err != nil {
			return nil, err
		}
	}
	return draft, nil
}

// repairOf returns the patches that lead from a draft to another one.
func repairOf(from, to *edit.Draft) *Repair {
	r := &Repair{}
	at := map[int]int{} // index in Patches, by document
	for op, line := range from.Described(to) {
		d := from.Docs[op.Doc]
		i, known := at[op.Doc]
		if !known {
			i, at[op.Doc] = len(r.Patches), len(r.Patches)
			r.Patches = append(r.Patches, Patch{File: d.File, Line: d.Line + max(edit.Top(d.Root).Line, 1) - 1})
		}
		p := &r.Patches[i]
		p.Ops, p.Lines = append(p.Ops, op.Op), append(p.Lines, line)
	}
	slices.SortStableFunc(r.Patches, func(a, b Patch) int { return strings.Compare(a.File, b.File) })
	return r
}
