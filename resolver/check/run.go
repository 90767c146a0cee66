package check

import (
	"context"
	"fmt"
	"slices"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver/check/internal/finding"
	"github.com/resolvent/resolvent/resolver/check/internal/installable"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/model"
	"github.com/resolvent/resolvent/resolver/internal/world"
	"github.com/resolvent/resolvent/resolver/policy"
	"github.com/resolvent/resolvent/resolver/result"
)

// Catalog is a catalog to judge.
type Catalog struct {
	Key catalog.Key
	// Checked is judged as a whole. If bundle directories were added to it
	// ([cache.Checked.AddedTo]), only findings that they have or cause are reported.
	Checked *cache.Checked
}

// Options are the options of [Run] and [Diff]. The zero value works.
type Options struct {
	// Background are catalogs with dependencies of the bundles. They are not judged.
	Background []cache.Catalog
	// Assume are packages and APIs that [Run] assumes beside the catalogs.
	Assume Assumptions
	// Cluster, if set, has the versions that limit what can be installed, and the date.
	Cluster *cluster.Index
	// Baseline has the known findings of [Run]: they are not reported.
	Baseline Baseline
	// Ignore leaves out further findings of [Run]: those with a Code, of one package if
	// Package is set.
	Ignore []Identity
	// Safety, if set, makes [Run] judge the updates of CustomResourceDefinitions as OLM v1 does.
	Safety Safety
	// Resolver are the options with which bundles and requests are resolved.
	Resolver policy.Options
	// Progress, if set, is called with what is being done, on one goroutine.
	Progress func(doing string)
}

// Report is the result of judging catalogs.
type Report struct {
	// Catalogs are in the order in which they were given.
	Catalogs []Summary
	// Findings are sorted by catalog and package, the worst first.
	Findings []Finding
	// Uninstallable are the bundles that cannot be installed, with all causes.
	Uninstallable []result.Uninstallable
	// All has every finding that is not ignored, those of Options.Baseline included. It is
	// the baseline with which a next Run reports only new findings.
	All Baseline
	// Known counts the findings that Options.Baseline leaves out.
	Known int
	// Stale has the findings of Options.Baseline that no catalog has any more.
	Stale Baseline
	// Ignored counts the findings that Options.Ignore leaves out.
	Ignored int
}

// Summary counts what a catalog holds.
type Summary struct {
	Key                         catalog.Key
	Packages, Channels, Bundles int
	// Published counts the bundles before bundle directories were added.
	Published int
	// Uninstallable counts the bundles that are in no selection; NeedOthers those that need
	// bundles of other catalogs.
	Uninstallable, NeedOthers int
}

// Run judges catalogs, each together with the others and the background. Their keys must
// differ.
//
// The error is a *CatalogsUnhealthy, *InvalidInput, *Incomplete or *Internal of package result.
func Run(ctx context.Context, catalogs []Catalog, o Options) (*Report, error) {
	r := &runner{call: newCall(ctx, o), report: &Report{}, all: map[Identity]bool{}, ignored: map[Identity]bool{}}
	if err := r.installability(catalogs); err != nil {
		return nil, err
	}
	for _, j := range r.judged {
		r.progress("reading the update graphs of " + j.Key.String())
		for _, f := range j.Checked.Faults {
			j.addFault(f)
			if f.Code == "stranded" {
				j.judge.Stranded[[3]string{f.Package, f.Channel, f.Bundle}] = true
			}
		}
		for p := range j.Checked.Snapshot.Packages() {
			j.judge.Package(p)
		}
		found := j.findings()
		if err := ctx.Err(); err != nil {
			return nil, &result.Incomplete{Phase: "judging catalogs", Err: err}
		}
		r.report.Catalogs = append(r.report.Catalogs, j.summary)
		r.report.Findings = append(r.report.Findings, found...)
	}
	slices.SortStableFunc(r.report.Findings, Finding.compare)
	r.report.All = finding.SetOf(r.all)
	gone := o.Baseline.Without(r.all)
	r.report.Known = o.Baseline.Len() - gone.Len()
	r.report.Stale, r.report.Ignored = gone.Without(r.ignored), len(r.ignored)
	return r.report, nil
}

// call is what Run and Diff share.
type call struct {
	ctx     context.Context
	options Options
	engine  *world.Engine
}

func newCall(ctx context.Context, o Options) call { return call{ctx, o, world.NewEngine()} }

// uninstallable returns the bundles of judged catalogs that cannot be installed beside a list
// of catalogs. Policies say nothing about a catalog.
func (c *call) uninstallable(list []cache.Catalog, judged ...catalog.Key) ([]result.Uninstallable, error) {
	options := c.options.Resolver
	options.Policies = nil
	w := world.New(c.engine, model.NewInputs(c.options.Cluster, cache.NewView(list), &options))
	return installable.Uninstallable(c.ctx, w, judged...)
}

func (c *call) progress(doing string) {
	if c.options.Progress != nil {
		c.options.Progress(doing)
	}
}

// runner is one call of Run.
type runner struct {
	call
	report *Report
	// all has the findings that are reported or known.
	all map[Identity]bool
	// ignored has the findings that Options.Ignore leaves out.
	ignored map[Identity]bool
	judged  []*judged
}

// judged is a catalog while it is judged.
type judged struct {
	*runner
	Catalog
	judge   *finding.Judge
	summary Summary
	// before has the findings without the added bundle directories.
	before finding.Set
	// faults counts the faults of the catalog by identity.
	faults   map[Identity]int
	observed []*finding.Observation
}

// addFault notes a fault of the catalog. Faults that differ only in their lines are numbered,
// so that a baseline with one of them does not cover the others.
func (j *judged) addFault(f catalog.Fault) {
	o := &finding.Observation{Identity: finding.IdentityOf(f), Severity: f.Severity, Place: f, Text: f.Message}
	id := o.Identity
	j.faults[id]++
	if n := j.faults[id]; n > 1 {
		o.Cause += fmt.Sprintf(" (%d)", n)
	}
	if f.Bundle != "" {
		o.Bundles = []string{f.Bundle}
	}
	j.observe(o)
}

// date is the day for which support is judged, "" if it is not.
func (c *call) date() string {
	if c.options.Cluster == nil {
		return ""
	}
	return c.options.Cluster.ClusterScoped().Date
}
