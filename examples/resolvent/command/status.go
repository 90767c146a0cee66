package command

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"slices"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/examples/resolvent/internal/inputs"
	"github.com/resolvent/resolvent/examples/resolvent/internal/outcomes"
	"github.com/resolvent/resolvent/examples/resolvent/internal/terminal"
	"github.com/resolvent/resolvent/resolver"
	"github.com/resolvent/resolvent/resolver/updates"
)

const statusUsage = `Usage: resolvent status -f FILE --catalog NAMESPACE/NAME=FROM [flags]
       resolvent status --cluster NAME=FILE ... --catalog NAMESPACE/NAME=FROM [flags]

Says how each Subscription and ClusterExtension stands, one row each: what it has
installed, what comes next, where updates lead in the end, and why it is not there.

` + inputs.InputUsage + statusClusterUsage + "\n" + inputs.ChoiceUsage + `
Target:
  --target-openshift VERSION what blocks the update of the cluster to this OpenShift
                             version, and the updates that unblock it
  --target-kube VERSION      the same for a Kubernetes version
  --target-catalog [NAMESPACE/]NAME=FROM
                             what this catalog holds once the cluster is updated; may be
                             repeated; others stay as they are

Removal:
  --without [NAMESPACE/]PACKAGE
                             instead of the rows: what breaks, comes back or is not
                             needed any more if all Subscriptions to this package go,
                             with what they have installed

Output:
  -o text|json               text: for people (default); what is the same in several
                             clusters stands there once. json: with --cluster one line
                             for each cluster, as soon as it and those before it are done

States:
  current          at the head
  updateAvailable  NEXT comes now
  unhealthy        what is installed, or its installation, failed
  pendingApproval  NEXT comes once an InstallPlan is approved
  held             the operator refuses updates
  deadEnd          nothing in the channel leads on from what is installed
  blocked          there is an update, which cannot be taken
  notInstalled     NEXT comes now
  failed           the request or its namespace cannot be resolved

Examples:
  resolvent status -f cluster.yaml --catalog olm/community=community.json
  resolvent status -f must-gather --catalog olm/community=community.json --target-openshift 4.20
  resolvent status -f cluster.yaml --catalog olm/community=community.json --without etcd
  resolvent status $(printf -- '--cluster %s ' clusters/*) --catalog olm/community=community.json

Exit status: 0 if nothing is stuck, 1 if something is unhealthy, waits for approval, is
held, at a dead end, blocked or failed, or blocks the target, or one of several clusters
cannot be read, 2 if the command line or an input, or none of several clusters, can be
used. With --without: 0 if the package can go, 1 if something that remains requires it.
`

const statusClusterUsage = `  --cluster [NAME=]FILE      instead of -f: the manifests, in a file or a folder, of one
                             of several clusters, and what to call it; may be repeated.
                             All files of -f are one cluster. Catalogs are read once;
                             clusters are read in turn, and only as many at a time as
                             there are processors
`

// statusFlags are those of the command status.
type statusFlags struct {
	resolveFlags
	openShift, kube string
	catalogs        []inputs.CatalogFlag
	clusters        []inputs.ClusterFlag
	without         withoutFlag // empty if nothing goes
}

func (f *statusFlags) parse(args []string, std inputs.Streams) error {
	set := flag.NewFlagSet("status", flag.ContinueOnError)
	f.input.Register(set)
	f.choice.Register(set)
	inputs.Version(set, "target-openshift", &f.openShift)
	inputs.Version(set, "target-kube", &f.kube)
	inputs.RegisterCatalogs(set, "target-catalog", &f.catalogs)
	inputs.RegisterClusters(set, &f.clusters)
	set.Func("without", "", func(s string) error {
		if f.without.pkg != "" {
			return errors.New("it is given twice; name one package at a time")
		}
		key, err := inputs.ParseCatalogKey(s)
		if err != nil {
			return errors.New("want PACKAGE or NAMESPACE/PACKAGE")
		}
		f.without = withoutFlag{key.Namespace, key.Name}
		return nil
	})
	if err := inputs.ParseFlags(set, args, std); err != nil {
		return err
	}
	if !slices.Contains([]string{terminal.OutputText, terminal.OutputJSON}, f.choice.Output) {
		return inputs.Usagef("-o %s: want %s or %s", f.choice.Output, terminal.OutputText, terminal.OutputJSON)
	}
	if f.without.pkg != "" && (len(f.clusters) > 0 || f.openShift != "" || f.kube != "" || len(f.catalogs) > 0) {
		return inputs.Usagef("--without is about one cluster as it is: leave out --cluster and what begins with --target")
	}
	if len(f.clusters) > 0 {
		f.input.WithoutManifests, std.Live = true, nil
	}
	if err := f.input.Check(set, std); err != nil {
		return err
	}
	return f.input.CheckClusters(f.clusters)
}

// targetCatalogs reads the catalogs of the target, nil if there are none.
func (f *statusFlags) targetCatalogs(ctx context.Context, std inputs.Streams) (*cache.View, error) {
	if len(f.catalogs) == 0 {
		return nil, nil
	}
	return inputs.ReadCatalogs(ctx, f.targetInput(), false, std)
}

// targetInput are the inputs with the catalogs of the target.
func (f *statusFlags) targetInput() *inputs.Flags {
	input := f.input
	input.Catalogs = f.catalogs
	return &input
}

// target is what the flags say of the target, nil if nothing.
func (f *statusFlags) target(q *question, catalogs *cache.View) *resolver.Target {
	if f.openShift == "" && f.kube == "" && catalogs == nil {
		return nil
	}
	target := &resolver.Target{OpenShiftVersion: f.openShift, KubernetesVersion: f.kube}
	if catalogs == nil {
		return target
	}
	var all []cache.Catalog
	for c := range f.targetInput().AsDeclared(catalogs, q.Problem.Cluster).Catalogs() {
		all = append(all, *c)
	}
	for c := range q.Problem.Catalogs.Catalogs() {
		if catalogs.Catalog(c.Key) == nil {
			all = append(all, *c)
		}
	}
	target.Catalogs = cache.NewView(all)
	return target
}

// status is the command of that name.
func status(ctx context.Context, args []string, std inputs.Streams) (int, error) {
	var flags statusFlags
	if err := flags.parse(args, std); err != nil {
		return exitNotStarted, err
	}
	ctx, cancel := inputs.Limited(ctx, flags.choice.Timeout)
	defer cancel()
	if len(flags.clusters) > 0 {
		return flags.ofClusters(ctx, std)
	}
	page := terminal.NewPage(ctx, std.Out, flags.choice.Output)
	q, err := flags.question(ctx, std)
	if err != nil {
		return exitNotStarted, err
	}
	if err := q.checkSeparate(); err != nil {
		return exitNotStarted, err
	}
	if flags.without.pkg != "" {
		return flags.withoutPackage(ctx, q, std)
	}
	target, err := flags.targetCatalogs(ctx, std)
	if err != nil {
		return exitNotStarted, err
	}
	done := terminal.ShowProgress(std.Err, "looking at all requests")
	rows, err := flags.rows(ctx, q, target)
	done()
	if flags.choice.Output == terminal.OutputJSON {
		err = cmp.Or(err, outcomes.WriteStatusJSON(page, rows))
	} else {
		var t outcomes.StatusTable
		t.Add("", rows)
		t.Print(page)
	}
	if err = cmp.Or(page.Close(), err); err != nil {
		return exitUnresolved, err
	}
	return exit(stuck(rows))
}

// rows answers the question.
func (f *statusFlags) rows(ctx context.Context, q *question, target *cache.View) ([]updates.Status, error) {
	return q.resolver.Status(ctx, q.Problem, q.Scopes, f.target(q, target))
}

func stuck(rows []updates.Status) bool {
	return slices.ContainsFunc(rows, func(r updates.Status) bool { return r.Stuck() })
}
