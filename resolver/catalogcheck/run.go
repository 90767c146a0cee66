package catalogcheck

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver"
	"github.com/resolvent/resolvent/resolver/policy"
	"github.com/resolvent/resolvent/resolver/result"
)

// Catalog is a catalog to judge.
type Catalog struct {
	Key     catalog.Key
	Checked *cache.Checked
}

// Options are the options of [Run]. The zero value works.
type Options struct {
	// Background are catalogs that the bundles can take dependencies from, but
	// that are not judged themselves.
	Background []cache.Catalog
	// Cluster, if given, is one whose versions limit what can be installed.
	Cluster *resolver.Cluster
	// Resolver says how constraints are meant.
	Resolver policy.Options
	// Progress, if given, is told what is being done, from one goroutine.
	Progress func(doing string)
}

// Report is what there is to say about catalogs.
type Report struct {
	// Catalogs are in the order in which they were given.
	Catalogs []Summary
	// Findings are sorted by catalog and package, the worst first.
	Findings []Finding
}

// Summary counts what a catalog holds.
type Summary struct {
	Key                         catalog.Key
	Packages, Channels, Bundles int
	// Uninstallable bundles cannot be part of any selection; NeedOthers can, but
	// only together with bundles of other catalogs given.
	Uninstallable, NeedOthers int
}

// Worst is the highest severity of the findings; ok is false if there are none.
func (r *Report) Worst() (worst Severity, ok bool) {
	for _, f := range r.Findings {
		worst = max(worst, f.Severity)
	}
	return worst, len(r.Findings) > 0
}

// Run judges catalogs, each together with the others and the background. No two
// of them may have the same key.
//
// The errors are those of [resolver.Resolver.Uninstallable].
func Run(ctx context.Context, catalogs []Catalog, o Options) (*Report, error) {
	if err := distinct(catalogs, o.Background); err != nil {
		return nil, err
	}
	r := &runner{ctx: ctx, options: o, resolver: resolver.New(o.Resolver), catalogs: catalogs}
	if err := r.installability(); err != nil {
		return nil, err
	}
	for i, c := range catalogs {
		r.progress("reading the update graphs of " + c.Key.String())
		if err := ctx.Err(); err != nil {
			return nil, &result.Incomplete{Phase: "judging catalogs", Err: err}
		}
		for _, f := range c.Checked.Faults {
			r.findings = append(r.findings, fromFault(c.Key, f))
		}
		for p := range c.Checked.Snapshot.Packages() {
			r.updates(c, p, r.blocked[i])
		}
	}
	// Sorted first, so that a merged finding stands at the first place.
	slices.SortStableFunc(r.findings, Finding.compare)
	findings := merge(r.findings, r.byVersion)
	slices.SortStableFunc(findings, Finding.compare)
	return &Report{Catalogs: r.summaries, Findings: findings}, nil
}

// distinct returns an error for catalogs that a view could not tell apart.
func distinct(catalogs []Catalog, background []cache.Catalog) error {
	seen := map[catalog.Key]bool{}
	keys := make([]catalog.Key, 0, len(catalogs)+len(background))
	for _, c := range catalogs {
		keys = append(keys, c.Key)
	}
	for _, c := range background {
		keys = append(keys, c.Key)
	}
	for _, key := range keys {
		if seen[key] {
			return &result.InvalidInput{Subject: "catalog " + key.String(), Err: errors.New("several catalogs have this name: give each its own")}
		}
		seen[key] = true
	}
	return nil
}

// runner is one call of Run.
type runner struct {
	ctx       context.Context
	options   Options
	resolver  *resolver.Resolver
	catalogs  []Catalog
	summaries []Summary
	// blocked are the bundles of each catalog that cannot be installed.
	blocked  []map[catalog.ID]bool
	findings []Finding
}

func (r *runner) progress(doing string) {
	if r.options.Progress != nil {
		r.options.Progress(doing)
	}
}

func (r *runner) catalog(key catalog.Key) *Catalog {
	return &r.catalogs[slices.IndexFunc(r.catalogs, func(c Catalog) bool { return c.Key == key })]
}

// byVersion orders bundles of a package; what has no usable bundle stands first.
func (r *runner) byVersion(key catalog.Key, pkg, a, b string) int {
	snapshot := r.catalog(key).Checked.Snapshot
	va, vb := find(snapshot, pkg, a), find(snapshot, pkg, b)
	switch {
	case va == nil || vb == nil:
		if va != vb {
			if va == nil {
				return -1
			}
			return 1
		}
	default:
		if c := va.Version.Compare(vb.Version); c != 0 {
			return c
		}
	}
	return strings.Compare(a, b)
}

// find returns a bundle of a package by name, nil if it is not there.
func find(s *catalog.Snapshot, pkg, bundle string) *catalog.Bundle {
	for _, id := range s.Named(bundle) {
		if b := s.Bundle(id); b.Package == pkg {
			return b
		}
	}
	return nil
}

// add notes a finding at the place of a bundle, channel or package.
func (r *runner) add(c Catalog, severity Severity, code catalog.Code, pkg, channel string, bundles []string, format string, args ...any) {
	first := ""
	if len(bundles) > 0 {
		first = bundles[len(bundles)-1] // the newest is the one to mend
	}
	if channel != "" {
		first = ""
	}
	at := c.Checked.Place(pkg, channel, first)
	r.findings = append(r.findings, Finding{
		Severity: severity, Code: code, Catalog: c.Key,
		File: at.File, Line: at.Line, Column: at.Column,
		Package: pkg, Channel: channel, Bundles: bundles, Property: -1,
		Message: fmt.Sprintf(format, args...),
	})
}
