package repair

import (
	"archive/tar"
	"bytes"
	"context"
	"slices"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/cache/template"
	"github.com/resolvent/resolvent/resolver/check"
	"github.com/resolvent/resolvent/resolver/check/internal/edit"
	"github.com/resolvent/resolvent/resolver/check/internal/finding"
)

// verdict is what checking a state found.
type verdict struct {
	report   *check.Report
	all      map[finding.Identity]bool
	snapshot *catalog.Snapshot
	blocked  map[catalog.ID]bool
}

// trial checks states of one package. Only packages that have a bearing on it are beside it.
type trial struct {
	ctx     context.Context
	tree    *edit.Tree
	key     catalog.Key
	pkg     string
	options check.Options
	// own are the documents that mention the package, by index.
	own []bool
	// related are blobs of the same catalog; published is what bundle directories are added
	// to, nil without that.
	related   []byte
	published *catalog.Snapshot
	// bases are what was found in states from which repairs are searched. runs counts the checks
	// of a search, and total those of all.
	bases       map[*edit.Draft]*verdict
	runs, total int
}

func newTrial(ctx context.Context, t *edit.Tree, judged check.Catalog, pkg string, o check.Options) (*trial, error) {
	r := &trial{ctx: ctx, tree: t, key: judged.Key, pkg: pkg, options: o, bases: map[*edit.Draft]*verdict{}}
	r.options.Baseline, r.options.Progress = finding.Set{}, nil
	for _, d := range t.Draft.Docs {
		r.own = append(r.own, bytes.Contains(d.Text, []byte(pkg)))
	}
	whole := judged.Checked.Snapshot
	all := append(slices.Clone(o.Background), cache.Catalog{Key: judged.Key, Snapshot: whole})
	near := relatedPackages(all, pkg)
	rendered := func(s *catalog.Snapshot, self bool) ([]byte, error) {
		var packages []*catalog.Package
		for p := range s.Packages() {
			if p.Name != pkg && near[p.Name] || p.Name == pkg && self {
				packages = append(packages, p)
			}
		}
		return cache.Render(ctx, s, packages, nil)
	}
	parsed := func(s *catalog.Snapshot) (*catalog.Snapshot, error) {
		text, err := rendered(s, true)
		if err != nil {
			return nil, err
		}
		return cache.Parse(ctx, text, cache.Options{})
	}
	var err error
	if judged.Checked.Published != nil {
		r.published, err = parsed(judged.Checked.Published.Snapshot)
	} else if !t.Directories && t.Bundles == nil {
		r.related, err = rendered(whole, false)
	}
	r.options.Background = nil
	for _, c := range o.Background {
		if err == nil {
			c.Snapshot, err = parsed(c.Snapshot)
			r.options.Background = append(r.options.Background, c)
		}
	}
	return r, err
}

// base checks a state from which repairs are searched.
func (r *trial) base(s *edit.Draft) (err error) {
	if r.bases[s] == nil {
		r.bases[s], err = r.check(s)
	}
	return err
}

func (r *trial) check(s *edit.Draft) (*verdict, error) {
	r.runs++
	r.total++
	checked, err := r.load(s)
	if err != nil {
		return nil, err
	}
	v := &verdict{snapshot: checked.Snapshot, all: map[finding.Identity]bool{}, blocked: map[catalog.ID]bool{}}
	if v.report, err = check.Run(r.ctx, []check.Catalog{{Key: r.key, Checked: checked}}, r.options); err != nil {
		return nil, err
	}
	for _, id := range v.report.All.Identities() {
		v.all[id] = true
	}
	for _, u := range v.report.Uninstallable {
		if u.Catalog == r.key {
			v.blocked[u.Bundle] = true
		}
	}
	return v, nil
}

// load reads the files of a state as they are judged.
func (r *trial) load(s *edit.Draft) (*cache.Checked, error) {
	if r.tree.Bundles != nil {
		name := r.tree.Named[0]
		return template.Load(r.ctx, name, s.Text(name, r.tree.Files[name], true), r.tree.Bundles, cache.Options{})
	}
	var packed bytes.Buffer
	out := tar.NewWriter(&packed)
	put := func(name string, text []byte) {
		// Writing to memory does not fail.
		_ = out.WriteHeader(&tar.Header{Name: name, Mode: 0o644, Size: int64(len(text)), Typeflag: tar.TypeReg})
		_, _ = out.Write(text)
	}
	if r.tree.Directories {
		for _, name := range r.tree.Named {
			put(name, s.Text(name, r.tree.Files[name], true))
		}
	} else {
		for i := 0; i < len(s.Docs); {
			var text []byte
			name := s.Docs[i].File
			for ; i < len(s.Docs) && s.Docs[i].File == name; i++ {
				if !r.own[i] {
					continue
				}
				if s.Docs[i].Root != nil && !s.Docs[i].IsJSON {
					text = append(text, "---\n"...)
				}
				text = append(append(text, s.Docs[i].Bytes()...), '\n')
			}
			put(name, text)
		}
		put(relatedFile, r.related)
	}
	_ = out.Close()
	checked, err := cache.Stream("repaired.tar", &packed, cache.OriginOptions{}).LoadChecked(r.ctx)
	if err == nil && r.published != nil && len(checked.Directories) > 0 {
		checked, err = checked.AddedTo(r.ctx, r.published, cache.Options{})
	}
	return checked, err
}

// relatedFile has the other packages in a trial.
const relatedFile = "resolvent-related.json"

// way is an installed bundle, by name, in a channel.
type way struct{ channel, name string }

// ways returns the installed bundles from which updates lead to the head of a channel.
// Channels without order have none. names are judged beside the bundles of the package.
func (v *verdict) ways(pkg string, names map[string]bool) map[way]bool {
	found := map[way]bool{}
	p := v.snapshot.Package(pkg)
	if p == nil {
		return found
	}
	for _, c := range p.Channels {
		for name := range graphOf(v.snapshot, p, c, nil).reaching(names) {
			found[way{c.Name, name}] = true
		}
	}
	return found
}

// accepts reports whether a state is as good for everybody as the one before: no bundle or
// entry of one is gone, no way, and nothing is found that was not found before.
func (v *verdict) accepts(next *verdict, pkg string, meant map[string]string, repaired catalog.Code) bool {
	for id := range next.all {
		if b := (finding.Before{Identity: id, Snapshot: v.snapshot, Repaired: repaired, All: v.all}); !v.all[id] && !b.Hidden() {
			return false
		}
	}
	for p := range v.snapshot.Packages() { // those of a finding about a file
		if pkg == "" && !v.accepts(next, p.Name, meant, repaired) {
			return false
		}
	}
	was, is := v.snapshot.Package(pkg), next.snapshot.Package(pkg)
	if was == nil {
		return true
	}
	if is == nil {
		return false
	}
	for _, id := range was.Bundles {
		name := v.snapshot.Bundle(id).Name
		if next.snapshot.Find(pkg, name) == nil && (meant[name] == "" || next.snapshot.Find(pkg, meant[name]) == nil) {
			return false
		}
	}
	if repaired == "template" {
		return true // opm renders none of its channels, so nobody has a way there
	}
	listed := map[string]bool{} // also entries without bundle
	for _, c := range was.Channels {
		for i := range c.Entries {
			listed[c.Entries[i].Name] = true
		}
	}
	before, after := v.ways(pkg, listed), next.ways(pkg, listed)
	for _, c := range was.Channels {
		other := is.Channel(c.Name)
		if other == nil && len(c.Entries) == 0 {
			continue // nobody was offered anything there
		}
		if other == nil {
			return false
		}
		from, to := graphOf(v.snapshot, was, c, nil), graphOf(next.snapshot, is, other, nil)
		if !from.keepsOrder(to) {
			return false
		}
		for i := range c.Entries {
			e := &c.Entries[i]
			if e.Bundle != catalog.NoBundle && other.Entry(e.Name) == nil {
				return false
			}
			if c.Fault == "" || other.Fault != "" || e.Bundle == catalog.NoBundle {
				continue
			}
			// Without an order, what the entries of bundles state counts as a way.
			for name := range e.Edges() {
				if name != e.Name && from.known(name) && meant[name] == "" && !after[way{c.Name, name}] {
					return false
				}
			}
		}
	}
	for w := range before {
		if !after[w] && meant[w.name] == "" {
			return false
		}
	}
	return true
}

// keepsOrder reports whether versions stand in a changed channel as they stood before: no entry
// newly replaces one of a higher version, and the head is not below the highest one before.
func (g graph) keepsOrder(next graph) bool {
	for i := range next.Entries {
		e := &next.Entries[i]
		if was := g.Entry(e.Name); next.older(e) && (was == nil || was.Replaces != e.Replaces) {
			return false
		}
	}
	head := next.Head()
	return head == nil || !next.below(head.Name, g.highest())
}
