package command

import (
	"cmp"
	"context"
	"errors"
	"io"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/examples/resolvent/internal/inputs"
	"github.com/resolvent/resolvent/examples/resolvent/internal/outcomes"
	"github.com/resolvent/resolvent/examples/resolvent/internal/overview"
	"github.com/resolvent/resolvent/examples/resolvent/internal/report"
	"github.com/resolvent/resolvent/examples/resolvent/internal/statuses"
	"github.com/resolvent/resolvent/examples/resolvent/internal/terminal"
	"github.com/resolvent/resolvent/resolver"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/lock"
	"github.com/resolvent/resolvent/resolver/result"
)

type statusFlags struct {
	questionFlags
	openShift, kube string
	targets         []inputs.CatalogFlag
	clusters        []inputs.ClusterFlag
	without         withoutFlag // empty if nothing goes
	onlyStuck       bool
	byCluster       bool
	legend          bool
	fix             int
	try             []int // fixes to try, in turn
	lock            lockFlag
	locked          *lock.Lock // nil without one
	lockName        string     // of the only cluster in it
}

func (*statusFlags) describe() cobra.Command {
	return cobra.Command{
		Use: "status {-f FILE|--cluster NAME=FILE ...} --catalog NAMESPACE/NAME=FROM [flags]", Short: "What needs your attention, and how each request stands",
		Args: arguments(0, 0, "manifests with -f or --cluster"),
		Long: `Shows what needs your attention: root causes, those that block most first, and
what to do about each; then how each request stands: what is installed, what
comes next, the HEAD to which updates lead, and its STATE (see --legend).`,
		Example: `  resolvent status -f cluster.yaml --catalog olm/community=community.json
  resolvent status -f must-gather --catalog olm/community=community.json --target-openshift 4.20
  resolvent status -f cluster.yaml --catalog olm/community=community.json --without etcd
  resolvent status $(printf -- '--cluster %s ' clusters/*) --catalog olm/community=community.json`,
	}
}

func (f *statusFlags) register(set *pflag.FlagSet) {
	inputs.RegisterOutput(set, &f.output, terminal.OutputText, "for people (default)", terminal.OutputWide, "all columns", terminal.OutputJSON, "everything, with --cluster one line per cluster", terminal.OutputHTML, "a page with filters")
	inputs.Version(set, "target-openshift", "also plan the update to OpenShift `VERSION`: what to do before each minor version, and what blocks it", &f.openShift)
	inputs.Version(set, "target-kube", "the same for Kubernetes `VERSION`", &f.kube)
	inputs.RegisterTargets(set, "target-catalog", "a catalog of the new version, as `[V:]NAME=FROM`, from minor V (or the first one) on; repeatable", &f.targets)
	set.Func("without", "show instead what breaks or is no longer needed without the Subscriptions to `PACKAGE`, or to "+
		"NAMESPACE/PACKAGE, and what they installed", f.setWithout)
	inputs.RegisterClusters(set, &f.clusters)
	inputs.Choice(set, "by", "also show the rows of each `cluster`, after the totals", &f.byCluster, map[string]bool{"cluster": true})
	set.BoolVar(&f.onlyStuck, "only-stuck", false, "show only stuck rows")
	set.BoolVar(&f.legend, "legend", false, "explain the states")
	inputs.Number(set, "fix", "print fix `NUMBER` as kubectl commands", &f.fix)
	inputs.Numbers(set, "try", "show what status says after fix `NUMBER`; repeatable", &f.try)
	f.lock.register(set, "compare each row with the lock in [CLUSTER=]`FILE`")
	f.input.Register(set)
	f.choice.Register(set)
	hide(set, "updates")
}

func (f *statusFlags) setWithout(s string) error {
	key, err := inputs.ParseCatalogKey(s)
	if err != nil {
		return inputs.Want("PACKAGE or NAMESPACE/PACKAGE")
	}
	if f.without.pkg != "" && (f.without != withoutFlag{key.Namespace, key.Name}) {
		return errors.New("it is passed twice; name one package at a time")
	}
	f.without = withoutFlag{key.Namespace, key.Name}
	return nil
}

func (f *statusFlags) packages() []string { return append(f.questionFlags.packages(), "without") }

// check refuses flags that exclude each other.
func (f *statusFlags) check(set *pflag.FlagSet, std inputs.Streams) error {
	if f.without.pkg != "" && (len(f.clusters) > 0 || f.openShift != "" || f.kube != "" || len(f.targets) > 0) {
		return inputs.Usagef("--without: it is for one cluster as it is; leave out --cluster and the --target flags")
	}
	if f.output == terminal.OutputHTML && (f.without.pkg != "" || f.byCluster) {
		return inputs.Usagef("-o html: the page has a filter by cluster; leave out --without and --by")
	}
	if len(f.targets) > 0 && f.openShift == "" && f.kube == "" {
		return inputs.Usagef("--target-catalog: there is no target; add --target-openshift VERSION or --target-kube VERSION")
	}
	if f.fix != 0 && (len(f.clusters) > 0 || f.without.pkg != "" || f.output != terminal.OutputText) {
		return inputs.Usagef("--fix: it prints commands for one cluster; leave out --cluster, --without and -o")
	}
	if len(f.try) > 0 && (len(f.clusters) > 0 || f.without.pkg != "" || f.output == terminal.OutputHTML) {
		return inputs.Usagef("--try: it tries fixes on one cluster, and a page would look like that of the real one; leave out --cluster, --without and -o html")
	}
	return cmp.Or(refuseUpdates(set), f.input.CheckClusters(f.clusters, f.byCluster, set, std))
}

// target is what the flags say of the target, nil if nothing.
func (f *statusFlags) target(q *question, catalogs *inputs.Targets) (*resolver.Target, error) {
	if f.openShift == "" && f.kube == "" && len(f.targets) == 0 {
		return nil, nil
	}
	target := &resolver.Target{OpenShiftVersion: f.openShift, KubernetesVersion: f.kube}
	hops, err := target.Hops(q.Problem.Cluster.Objects().OpenShiftVersion)
	if err != nil {
		return nil, inputs.Usagef("--target-openshift: %v", err)
	}
	if err = catalogs.CheckNames(q.Problem.Catalogs); err == nil && len(f.clusters) == 0 { // of several, some may be further on the way
		err = catalogs.Check(hops)
	}
	target.Catalogs = catalogs.At(hops, q.Problem.Catalogs, q.Problem.Cluster)
	return target, err
}

func (f *statusFlags) run(ctx context.Context, _ []string, set *pflag.FlagSet, std inputs.Streams) (int, error) {
	page := terminal.NewPage(ctx, std.Out, f.output)
	if f.legend && set.NFlag() == 1 { // it needs no input
		page.WriteString(overview.Legend())
		return exitResolved, page.Close()
	}
	if err := f.check(set, std); err != nil {
		return exitNotStarted, err
	}
	f.forgotten = f.without.pkg == ""
	var err error
	if f.locked, f.lockName, err = f.lock.read(ctx, len(f.clusters) > 0); err != nil {
		return exitNotStarted, err
	}
	if len(f.clusters) > 0 {
		return f.ofClusters(ctx, page, set, std)
	}
	q, err := f.separate(ctx, std)
	if err != nil {
		return exitNotStarted, err
	}
	if f.without.pkg != "" {
		return f.withoutPackage(ctx, q, std)
	}
	catalogs, err := f.input.ReadTargets(ctx, f.targets, std)
	if err != nil {
		return exitNotStarted, err
	}
	target, err := f.target(q, catalogs)
	if err != nil {
		return exitNotStarted, err
	}
	rows, err := f.rows(ctx, q, target, std.Err)
	if _, invalid := errors.AsType[*result.InvalidInput](err); invalid {
		return exitNotStarted, err
	}
	var after []string
	for i := 0; i < len(f.try) && err == nil; i++ {
		var fix *result.Fix
		if fix, err = outcomes.NumberedFix("--try", "-o wide", f.try[i], numbered(rows)); err != nil {
			return exitUnresolved, err
		}
		after = append(after, fix.Text(""))
		rows, err = f.tried(ctx, q, target, fix, std.Err)
	}
	if f.fix != 0 && err == nil {
		return exit(false, outcomes.WriteFix(ctx, page, std.Err, "-o wide", f.fix, q.Problem, numbered(rows)), page.Close())
	}
	if f.output != terminal.OutputJSON && len(after) > 0 {
		terminal.Printf(page, "After these fixes, which were tried here and not on the cluster:\n")
		for i, text := range after {
			terminal.Printf(page, "  %d. %s\n", f.try[i], text)
		}
		terminal.Printf(page, "\n")
	}
	output := f.to(q.Problem.Catalogs, set, std)
	if programs, ok := output.(*outcomes.StatusJSON); ok {
		programs.After = after
	}
	return exit(stuck(rows), output.Add(ctx, "", rows, nil), output.Write(ctx, page), page.Close(), err)
}

// to is the output that was chosen.
func (f *statusFlags) to(catalogs *cache.View, set *pflag.FlagSet, std inputs.Streams) clusterOutput[[]result.Status] {
	table := statuses.Table{Named: len(f.clusters) > 0, ByCluster: f.byCluster, OnlyStuck: f.onlyStuck, Wide: f.output == terminal.OutputWide, All: f.output == terminal.OutputHTML, Call: f.call(set, std)}
	if f.legend {
		table.Legend = overview.Legend()
	}
	if f.locked != nil {
		table.Standing = func(cluster string, r *result.Status) string {
			return string(f.locked.Standing(cmp.Or(cluster, f.lockName), catalogs, r))
		}
	}
	switch f.output {
	case terminal.OutputJSON:
		return &outcomes.StatusJSON{Lines: std.Out, Named: table.Named, OnlyStuck: f.onlyStuck, Call: table.Call, Standing: table.Standing}
	case terminal.OutputHTML:
		table.Call.Given = nil // pages name no files
		return &statuses.Page{Table: table, Catalogs: catalogs, Source: report.NewSource(std, f.choice.Policies.Day(), catalogs)}
	}
	return &table
}

// ofClusters is status for several clusters.
func (f *statusFlags) ofClusters(ctx context.Context, page *terminal.Page, set *pflag.FlagSet, std inputs.Streams) (int, error) {
	catalogs, err := f.shared(ctx, std)
	if err != nil {
		return exitNotStarted, err
	}
	targets, err := f.input.ReadTargets(ctx, f.targets, std)
	if err != nil {
		return exitNotStarted, err
	}
	return ofClusters(ctx, &f.questionFlags, f.clusters, catalogs, std, func(ctx context.Context, p resolver.Problem, by *resolver.Resolver, notes io.Writer) ([]result.Status, error) {
		q, err := f.ask(ctx, p, by, inputs.Streams{Err: notes})
		if errors.Is(err, errNothing) {
			terminal.Printf(notes, "%s\n", err)
			return nil, nil
		}
		if err == nil {
			err = q.checkSeparate()
		}
		if err != nil {
			return nil, err
		}
		target, err := f.target(q, targets)
		if err != nil {
			return nil, err
		}
		return f.rows(ctx, q, target, notes)
	}, stuck, f.to(catalogs, set, std), page)
}

// rows answers the question. It notes which catalogs may have what rows miss.
func (f *statusFlags) rows(ctx context.Context, q *question, target *resolver.Target, notes io.Writer) ([]result.Status, error) {
	q.Problem.Cluster = f.choice.Policies.On(q.Problem.Cluster)
	done := terminal.ShowProgress(notes, "judging all requests")
	rows, err := q.resolver.Status(ctx, q.Problem, q.Scopes, target)
	done()
	inputs.HintMissing(notes, &q.Problem, terminal.Mapped(rows, func(r result.Status) result.Outcome {
		return result.Outcome{Scope: r.Request.Scope(), Err: r.Err}
	}))
	q.hintTerminating(ctx, rows, notes)
	return rows, err
}

// hintTerminating says of namespaces without requests what their deletion waits for, if no row does: nobody
// can install anything there.
func (q *question) hintTerminating(ctx context.Context, rows []result.Status, notes io.Writer) {
	for _, n := range q.Problem.Cluster.ClusterScoped().Namespaces {
		waits := func(c cluster.Condition) bool { return c.Status == "True" }
		if n.Terminating && slices.ContainsFunc(n.Conditions, waits) && len(q.Problem.Cluster.In(n.Name).Subscriptions) == 0 {
			_, err := q.resolver.Resolve(ctx, q.Problem, cluster.InNamespace(n.Name))
			if err != nil && !slices.ContainsFunc(rows, func(r result.Status) bool { return r.Err != nil && r.Err.Error() == err.Error() }) {
				terminal.Printf(notes, "%s\n", err)
			}
		}
	}
}

// numbered are the fixes of rows by their numbers.
func numbered(rows []result.Status) *result.Help {
	return &result.Help{Fixes: overview.New(rows, overview.Call{}).Fixes}
}

// tried answers the question anew after a fix. What it waits for is taken to have come about.
func (f *statusFlags) tried(ctx context.Context, q *question, target *resolver.Target, fix *result.Fix, notes io.Writer) (rows []result.Status, err error) {
	if q.Problem.Cluster, err = fix.Apply(q.Problem.Cluster); err != nil {
		return nil, err
	}
	if len(f.choice.Namespaces) == 0 {
		q.Scopes = f.withForgotten(q.Problem.Cluster.Scopes(), q.Problem.Cluster)
	}
	return f.rows(ctx, q, target, notes)
}

func stuck(rows []result.Status) bool {
	return slices.ContainsFunc(rows, func(r result.Status) bool { return r.Stuck() })
}
